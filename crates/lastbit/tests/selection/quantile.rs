//! Private quantiles and interior points over all numbers of a type.

use lastbit::domains::{AtomDomain, VectorDomain};
use lastbit::mechanisms::flat_concave::Method;
use lastbit::selection::{Key, interior_point, offers, quantile, quantile_by, rank_of};
use lastbit::{Epsilon, Error, Share};
use lastbit_exact::Rational;
use proptest::prelude::*;

fn rational<T: core::str::FromStr<Err: core::fmt::Debug>>(text: &str) -> T {
    text.parse().unwrap()
}

fn epsilon(text: &str) -> Epsilon {
    text.parse().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn keys_keep_the_order(
        a in any::<f64>(),
        b in any::<f64>(),
        i in any::<i64>(),
        j in any::<i64>(),
    ) {
        prop_assert_eq!(i.cmp(&j), i.key().cmp(&j.key()));
        prop_assert_eq!(i64::from_key(i.key()), i);
        prop_assume!(a.is_finite() && b.is_finite());
        prop_assert_eq!(a.partial_cmp(&b), a.key().partial_cmp(&b.key()));
        prop_assert_eq!(f64::from_key(a.key()).to_bits(), (a + 0.0).to_bits());
    }

    #[test]
    fn every_key_between_the_ends_is_a_finite_number(key in f64::MIN.key()..=f64::MAX.key()) {
        let value = f64::from_key(key);
        prop_assert!(value.is_finite() && (value != 0.0 || value.is_sign_positive()));
    }

    #[test]
    fn ranks_are_those_of_the_quantile(numerator in 0i64..=100, count in 1usize..1000) {
        let rank = rank_of(&Share::new(Rational::new(numerator, 100)).unwrap(), count).unwrap();
        let exact = (numerator as u64 * count as u64).div_ceil(100).max(1);
        prop_assert_eq!(rank, exact);
    }
}

/// How many data points lie between the answer and the rank.
fn rank_error(sorted: &[u64], rank: usize, answer: u64) -> usize {
    let below = sorted.partition_point(|&x| x < answer);
    let at_most = sorted.partition_point(|&x| x <= answer);
    rank.saturating_sub(at_most)
        .max((below + 1).saturating_sub(rank))
}

/// Every offer keeps its bound; each of the 12 selections fails with probability at most 5e-11.
#[test]
fn rank_errors_are_within_what_is_offered() {
    let count = 60_000;
    let rows: Vec<u64> = (0..count as u64).map(|i| (i * i) << 24).collect();
    let domain = VectorDomain::new(AtomDomain::<u64>::new()).with_size(count);
    let offers = offers(
        1 << 64,
        &epsilon("1"),
        Some(&rational("1e-6")),
        &rational("5e-11"),
    )
    .unwrap();
    assert_eq!(offers.len(), 3);
    for offer in &offers {
        for text in ["0", "0.01", "0.5", "1"] {
            let selection = quantile_by(domain.clone(), &rational(text), offer).unwrap();
            let rank = rank_of(&rational(text), count).unwrap() as usize;
            let answer = selection
                .invoke(&rows)
                .unwrap()
                .expect("stable but with probability 5e-11");
            let error = rank_error(&rows, rank, answer) as f64;
            assert!(
                error <= offer.loss_of_quality.get(),
                "{text}: {error} by {offer:?}"
            );
            let loss = selection.map(&1).unwrap();
            assert!(loss.loss().get() <= 1.0 + 1e-15 && loss.delta().get() <= 1e-6 * (1.0 + 1e-15));
        }
    }
}

#[test]
fn the_exponential_mechanism_is_the_best_offer_over_domains_of_up_to_2_to_the_127() {
    for bits in [10, 32, 64, 127] {
        let offers = offers(
            1 << bits,
            &epsilon("1"),
            Some(&rational("1e-6")),
            &rational("0.05"),
        )
        .unwrap();
        assert_eq!(offers[0].method, Method::Exponential, "{bits} bits");
    }
    let without = offers(1 << 64, &epsilon("1"), None, &rational("0.05")).unwrap();
    assert_eq!(without.len(), 1);
}

#[test]
fn answers_are_within_the_bounds_of_the_domain() {
    let domain = VectorDomain::new(AtomDomain::bounded(-2.5f64, 3.0).unwrap()).with_size(3);
    let selection = quantile(domain, &rational("0.5"), &epsilon("0.001"), None).unwrap();
    for _ in 0..2000 {
        let answer = selection.invoke(&vec![-2.5, -0.0, 3.0]).unwrap().unwrap();
        assert!((-2.5..=3.0).contains(&answer));
        assert!(answer != 0.0 || answer.is_sign_positive());
    }
    let one = VectorDomain::new(AtomDomain::bounded(7i64, 7).unwrap()).with_size(1);
    let selection = quantile(one, &rational("1"), &epsilon("1"), None).unwrap();
    assert_eq!(selection.invoke(&vec![7]).unwrap(), Some(7));
}

#[test]
fn interior_points_are_inside() {
    let rows: Vec<f64> = (0..2000).map(|i| 1e-300 * f64::from(i)).collect();
    let domain = VectorDomain::new(AtomDomain::<f64>::new()).with_size(rows.len());
    let selection = interior_point(domain, &epsilon("1"), None).unwrap();
    // Misses with probability at most 2^64·exp(−1000/2).
    let answer = selection.invoke(&rows).unwrap().unwrap();
    assert!((rows[0]..=rows[1999]).contains(&answer));
}

#[test]
fn groups_of_rows_pay_for_the_group() {
    let domain = VectorDomain::new(AtomDomain::<u64>::new()).with_size(100);
    let pure = quantile(domain.clone(), &rational("0.5"), &epsilon("0.5"), None).unwrap();
    let loss = |d| pure.map(&d).unwrap();
    assert_eq!(
        (
            loss(0).loss().get(),
            loss(3).loss().get(),
            loss(3).delta().get()
        ),
        (0.0, 1.5, 0.0)
    );

    let offers = offers(
        1 << 64,
        &epsilon("0.5"),
        Some(&rational("1e-6")),
        &rational("0.05"),
    )
    .unwrap();
    let stable = offers
        .iter()
        .find(|offer| offer.method != Method::Exponential)
        .unwrap();
    let stable = quantile_by(domain, &rational("0.5"), stable).unwrap();
    let two = stable.map(&2).unwrap();
    assert!((two.loss().get() - 1.0).abs() < 1e-12);
    let delta = 2.0 * 0.5f64.exp() * 1e-6;
    assert!(two.delta().get() >= delta * (1.0 - 1e-15) && two.delta().get() < delta * 1.001);
}

#[test]
fn bad_requests_are_refused_with_the_remedy() {
    let of = |domain, text: &str| quantile(domain, &rational(text), &epsilon("1"), None);
    let text = |refused: Result<_, Error>| {
        refused
            .map(|_: lastbit::selection::PointSelection<f64>| ())
            .unwrap_err()
            .to_string()
    };
    let numbers = || VectorDomain::new(AtomDomain::<f64>::new());
    assert_eq!(
        "1.5".parse::<Share>().unwrap_err().to_string(),
        "a quantile must be between 0 and 1, got 1.5; the median is 1/2"
    );
    assert_eq!(
        text(of(numbers().with_size(0), "0.5")),
        "there are no data points; a quantile needs at least 1"
    );
    let unsized_data = text(of(numbers(), "0.5"));
    assert!(unsized_data.contains("size"), "{unsized_data}");
    let nullable = VectorDomain::new(AtomDomain::<f64>::new().nullable()).with_size(3);
    assert!(text(of(nullable, "0.5")).contains("NaN or infinities"));
    assert!("0".parse::<lastbit::Delta>().is_err());
}
