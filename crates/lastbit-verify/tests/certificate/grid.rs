//! Certificates over a grid of settings: what is certified, that the checker accepts it, and that
//! it is what is charged.

use lastbit::Bounds;
use lastbit::mechanisms::snapping::{Arithmetic, CHARGED, Snapping};
use lastbit_exact::{Rational, Rounding};
use lastbit_verify::certificate::{
    CertificateReport, Claim, Factor, Premise, check, corner_claims, prove, smallest_slope,
};
use proptest::prelude::*;

fn report(claim: &Claim) -> CertificateReport {
    let certificate = prove(claim).unwrap_or_else(|error| panic!("{claim:?}: {error}"));
    let accepted = check(&certificate).unwrap_or_else(|bad| panic!("{claim:?}: {bad}"));
    CertificateReport::new(claim, &accepted)
}

#[test]
fn what_is_charged_is_what_is_certified_over_the_grid() {
    let mut reports = Vec::new();
    for precision in [53, 118] {
        let claims = corner_claims(precision);
        assert!(claims.len() >= 200, "{} settings", claims.len());
        reports.extend(claims.iter().map(report));
    }
    for report in &reports {
        assert!(report.certified <= report.charged.value);
        assert!(report.certified > report.epsilon);
    }
    let slope = smallest_slope(&reports, CHARGED.1);
    println!("least c1 for c2 = {}: {slope}", CHARGED.1);
    // No less is charged than is certified, and no more than the next whole number.
    assert_eq!(Rational::from(slope.ceil()), Rational::from(CHARGED.0));
}

#[test]
fn a_bound_of_two_to_the_46_scales_is_certified() {
    let number = |text: &str| text.parse::<Rational>().unwrap();
    let nearly = &Rational::ONE.times_power_of_two(46) - &Rational::ONE;
    let claim = Claim::shipped(
        &number("1.0001"),
        &Rational::ONE,
        &(&nearly / &number("1.0001")),
        53,
    );
    let report = report(&claim);
    // 17.31·2^-7 and a little more for the terms of higher order.
    let excess = (&report.certified - &report.epsilon).to_f64(Rounding::Up);
    assert!((0.135..0.137).contains(&excess), "{excess}");
}

#[test]
fn a_power_of_two_for_a_scale_halves_the_excess() {
    let number = |text: &str| text.parse::<Rational>().unwrap();
    let slope = |epsilon: &str| {
        let claim = Claim::shipped(&number(epsilon), &Rational::ONE, &number("1000"), 53);
        let two = Rational::from(2i64);
        report(&claim).least_slope(&two).to_f64(Rounding::Up)
    };
    let (exact, rounded) = (slope("1"), slope("1.0001"));
    assert!(exact < 8.7 && rounded > 17.2, "{exact} {rounded}");
}

#[test]
fn a_scale_that_the_charge_lifts_above_a_power_of_two_keeps_its_grid() {
    for arithmetic in [Arithmetic::Binary64, Arithmetic::Multi] {
        let bounds = Bounds::parse("0", "1000").unwrap();
        let mechanism = Snapping::builder(bounds, "1".parse().unwrap())
            .epsilon("1".parse().unwrap())
            .arithmetic(arithmetic)
            .build()
            .unwrap();
        assert!(*mechanism.scale() > Rational::ONE);
        assert_eq!(mechanism.grid_exponent().get(), 0);
        // ln 20 + 1/2, where a grid of 2 gives ln 20 + 1.
        let price = mechanism.price(&"0.95".parse().unwrap()).unwrap();
        assert!(price.accuracy.get() < 3.4958, "{}", price.accuracy.get());
        let claim = Claim::of_mechanism(&mechanism).unwrap();
        assert!(report(&claim).certified <= *mechanism.epsilon());
    }
}

#[test]
fn a_grid_below_the_scale_by_more_than_the_proof_allows_is_refused() {
    let claim = |scale: &Rational| Claim {
        noise: vec![Factor::Times(scale.clone())],
        grid_exponent: 0,
        ..Claim::shipped(&Rational::ONE, &Rational::ONE, &"1000".parse().unwrap(), 53)
    };
    // 1/(1 − 2^-20) lies between the two.
    let within = &Rational::ONE + &Rational::ONE.times_power_of_two(-20);
    let beyond = &within + &Rational::ONE.times_power_of_two(-39);
    let report = report(&claim(&within));
    assert!(report.certified <= report.charged.value);
    assert_eq!(prove(&claim(&beyond)).unwrap_err().premise, Premise::Grid);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// The corollary, where the terms of higher order are largest too.
    #[test]
    fn every_setting_is_certified_within_the_charge(
        precision in 8u32..60,
        scale in 1u64..1 << 20,
        sensitivity in 1u64..1 << 20,
        share in 0u64..=1 << 16,
    ) {
        // λ in (1/2, 1], and ln B between ln λ and ln 2^(p−7)λ.
        let scale = &Rational::new((1u64 << 20) + scale, 1u64 << 21)
            .round(precision as usize, Rounding::Down);
        let scale = Rational::from(scale);
        let delta = &scale * &Rational::new(sensitivity, 1u64 << 16);
        let exponents = Rational::new(share * u64::from(precision - 7), 1u64 << 16);
        let whole = i64::try_from(exponents.floor()).unwrap();
        let rest = &exponents - &Rational::from(whole);
        let reach = &(&Rational::ONE + &rest).times_power_of_two(whole) * &scale;
        let mut claim = Claim::shipped(&(&delta / &scale), &delta, &reach, precision);
        claim.sensitivity = delta;
        if let Ok(certificate) = prove(&claim) {
            let accepted = check(&certificate).unwrap();
            let report = CertificateReport::new(&claim, &accepted);
            prop_assert!(report.certified <= report.charged.value, "{claim:?}");
        } else {
            // B at one of the limits.
            let bound = &claim.bound;
            prop_assert!(
                *bound <= scale || *bound >= scale.times_power_of_two(i64::from(precision) - 7)
            );
        }
    }
}
