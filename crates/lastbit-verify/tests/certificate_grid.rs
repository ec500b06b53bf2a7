//! Certificates over a grid of settings: what is certified, that the checker accepts it, and that it is what is charged.

use lastbit::mechanisms::snapping::CHARGED;
use lastbit_exact::{Rational, Rounding};
use lastbit_verify::certificate::{Claim, Report, check, grid, prove, smallest_slope};
use proptest::prelude::*;

fn report(claim: &Claim) -> Report {
    let certificate = prove(claim).unwrap_or_else(|error| panic!("{claim:?}: {error}"));
    let accepted = check(&certificate).unwrap_or_else(|bad| panic!("{claim:?}: {bad}"));
    Report::new(claim, &accepted)
}

#[test]
fn what_is_charged_is_what_is_certified_over_the_grid() {
    let mut reports = Vec::new();
    for precision in [53, 118] {
        let claims = grid(precision);
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
    let nearly = &Rational::ONE.scale(46) - &Rational::ONE;
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
        let reach = &(&Rational::ONE + &rest).scale(whole) * &scale;
        let mut claim = Claim::shipped(&(&delta / &scale), &delta, &reach, precision);
        claim.sensitivity = delta;
        if let Ok(certificate) = prove(&claim) {
            let accepted = check(&certificate).unwrap();
            let report = Report::new(&claim, &accepted);
            prop_assert!(report.certified <= report.charged.value, "{claim:?}");
        } else {
            // B at one of the limits.
            let bound = &claim.bound;
            prop_assert!(*bound <= scale || *bound >= scale.scale(i64::from(precision) - 7));
        }
    }
}
