//! The threshold learner: its quality, its law, its loss and its errors.

use super::law::{assert_law, closed_form, max_divergence, missing, multisets};
use lastbit::domains::{AtomDomain, VectorDomain};
use lastbit::mechanisms::flat_concave::{Method, loss_of_quality};
use lastbit::quality::StepFunction;
use lastbit::selection::{
    LabelledDomain, Offer, ThresholdRule, offers, threshold_errors, threshold_learner,
    threshold_learner_add_remove, threshold_learner_by,
};
use lastbit::{Epsilon, Error};
use lastbit_exact::{Interval, Rational};
use proptest::prelude::*;

type Row = (u64, bool);

fn epsilon(text: &str) -> Epsilon {
    text.parse().unwrap()
}

fn rational<T: core::str::FromStr<Err: core::fmt::Debug>>(text: &str) -> T {
    text.parse().unwrap()
}

fn errors(rows: &[Row], rule: &ThresholdRule<u64>) -> usize {
    rows.iter()
        .filter(|row| rule.says_yes(row.0) != row.1)
        .count()
}

/// Rule t of 0..=size; the last says no to all.
fn rule(t: u128, size: u128) -> ThresholdRule<u64> {
    ThresholdRule {
        least: (t < size).then_some(t as u64),
    }
}

fn labelled(size: u64) -> Vec<Row> {
    (0..size).flat_map(|x| [(x, false), (x, true)]).collect()
}

fn domain(size: u64) -> VectorDomain<LabelledDomain<u64>> {
    VectorDomain::new(LabelledDomain::new(
        AtomDomain::bounded(0, size - 1).unwrap(),
    ))
}

proptest! {
    #[test]
    fn agreement_counts_the_rows_that_a_rule_gets_right(
        mut rows in prop::collection::vec((0u64..30, any::<bool>()), 0..12),
    ) {
        rows.sort_unstable();
        let quality = StepFunction::agreement(&rows, 30).unwrap();
        prop_assert_eq!(quality.size(), 31);
        for t in 0..=30 {
            prop_assert_eq!(quality.value(t), (rows.len() - errors(&rows, &rule(t, 30))) as i64);
        }
    }
}

#[test]
fn the_law_of_draws_is_the_closed_form() {
    let rows = vec![(0u64, false), (1, true), (1, false), (4, true), (6, true)];
    let quality = StepFunction::agreement(&rows, 9).unwrap();
    let learner = threshold_learner(domain(9).with_size(5), &epsilon("0.7"), None).unwrap();
    let place = |rule: ThresholdRule<u64>| rule.least.map_or(9, u128::from);
    assert_law(&quality, &rational("0.35"), |bits| {
        learner
            .invoke_with(&rows, bits)
            .map(|rule| place(rule.unwrap()))
    });
    let learner = threshold_learner_add_remove(domain(9), &epsilon("0.7")).unwrap();
    assert_law(&quality, &rational("0.7"), |bits| {
        learner.invoke_with(&rows, bits).map(place)
    });
}

#[test]
fn no_two_neighbours_lose_more_than_epsilon() {
    let law = |rows: &[Row], size: u64, rate: &str| {
        closed_form(
            &StepFunction::agreement(rows, size.into()).unwrap(),
            &rational(rate),
        )
    };
    let sets = |size, count| multisets(&labelled(size), count);
    let mut most = 0.0f64;
    for (size, count) in [(2, 4), (4, 3), (12, 2)] {
        let claimed = threshold_learner(domain(size).with_size(count), &epsilon("1.5"), None);
        let claimed = claimed.unwrap().map(&1).unwrap();
        assert_eq!((claimed.loss().get(), claimed.delta().get()), (1.5, 0.0));
        let all = sets(size, count);
        let laws: Vec<Vec<Interval>> = all.iter().map(|rows| law(rows, size, "0.75")).collect();
        for (x, p) in all.iter().zip(&laws) {
            for (y, q) in all.iter().zip(&laws).filter(|(y, _)| missing(x, y) == 1) {
                let lost = max_divergence(p, q);
                assert!(lost <= 1.5, "{x:?} {y:?}: {lost}");
                most = most.max(lost);
            }
        }
    }
    assert!(most > 0.9, "{most}");

    let claimed = threshold_learner_add_remove(domain(4), &epsilon("1.5")).unwrap();
    assert_eq!(claimed.map(&1).unwrap().get(), 1.5);
    assert_eq!(claimed.map(&3).unwrap().get(), 4.5);
    let mut most = 0.0f64;
    for (size, count) in [(3, 3), (6, 2), (30, 0)] {
        for y in sets(size, count + 1) {
            let q = law(&y, size, "1.5");
            for x in sets(size, count).iter().filter(|x| missing(x, &y) == 0) {
                let lost = max_divergence(&law(x, size, "1.5"), &q);
                assert!(lost <= 1.5, "{x:?} {y:?}: {lost}");
                most = most.max(lost);
            }
        }
    }
    assert!(most > 1.4, "{most}");
}

/// P(more errors than the best rule's and the bound) ≤ β, exactly, over all small data sets.
#[test]
fn errors_keep_their_bound() {
    let (size, beta) = (3u64, rational("0.3"));
    for text in ["2", "5", "9"] {
        let offer = &offers(4, &epsilon(text), None, &beta).unwrap()[0];
        let bound = threshold_errors(offer).get();
        let rate = rational::<Rational>(text).times_power_of_two(-1);
        for rows in multisets(&labelled(size), 5) {
            let law = closed_form(&StepFunction::agreement(&rows, 3).unwrap(), &rate);
            let errors = |t: usize| errors(&rows, &rule(t as u128, 3)) as f64;
            let best = (0..4).map(errors).fold(f64::INFINITY, f64::min);
            let bad = (0..4).filter(|&t| errors(t) > best + bound);
            let bad = bad.fold(Interval::ZERO, |sum, t| sum + law[t]);
            assert!(bad.hi() <= 0.3, "{rows:?} at {text}: {bad:?}");
        }
    }
}

/// Each of the four releases fails with probability at most 5e-11.
#[test]
fn rules_are_learned_over_all_numbers() {
    let count = 40_000;
    let rows: Vec<(f64, bool)> = (0..count)
        .map(|i| (1e-3 * f64::from(i), i >= 12_345))
        .collect();
    let domain = VectorDomain::new(LabelledDomain::new(AtomDomain::<f64>::new()));
    let sized = domain.clone().with_size(rows.len());
    let (delta, beta) = (rational("1e-6"), rational("5e-11"));
    let wrong = |rule: ThresholdRule<f64>| {
        rows.iter()
            .filter(|row| rule.says_yes(row.0) != row.1)
            .count() as f64
    };
    for offer in offers((1 << 64) + 1, &epsilon("1"), Some(&delta), &beta).unwrap() {
        let learner = threshold_learner_by(sized.clone(), &offer).unwrap();
        let rule = learner
            .invoke(&rows)
            .unwrap()
            .expect("stable but with probability 5e-11");
        assert!(wrong(rule) <= threshold_errors(&offer).get(), "{offer:?}");
        let loss = learner.map(&1).unwrap();
        assert!(loss.loss().get() <= 1.0 + 1e-15 && loss.delta().get() <= 1e-6 * (1.0 + 1e-15));
    }
    let learner = threshold_learner_add_remove(domain, &epsilon("1")).unwrap();
    let bound = loss_of_quality((1 << 64) + 1, &Method::Exponential, &epsilon("2"), &beta);
    assert!(wrong(learner.invoke(&rows).unwrap()) <= bound.unwrap().get());
}

#[test]
fn all_yes_and_all_no_are_rules() {
    let large = epsilon("300");
    for label in [true, false] {
        let rows = vec![(0u64, label), (5, label), (9, label)];
        let learner = threshold_learner(domain(10).with_size(3), &large, None).unwrap();
        // Another number of errors has probability below 11·e^-150.
        let rule = learner.invoke(&rows).unwrap().unwrap();
        assert_eq!(errors(&rows, &rule), 0);
        assert_eq!(rule.least, if label { Some(0) } else { None });
    }
}

#[test]
fn bad_requests_are_refused_with_the_remedy() {
    let text = |refused: Result<_, Error>| {
        let refused: Result<lastbit::selection::ThresholdSelection<f64>, Error> = refused;
        refused.unwrap_err().to_string()
    };
    let rows = |number| VectorDomain::new(LabelledDomain::new(number));
    let of = |domain| threshold_learner(domain, &epsilon("1"), None);
    let numbers = AtomDomain::<f64>::new;
    assert!(text(of(rows(numbers()))).contains("size"));
    assert!(text(of(rows(numbers()).with_size(0))).contains("no data points"));
    assert!(text(of(rows(numbers().nullable()).with_size(3))).contains("NaN or infinities"));
    let learner = of(rows(numbers()).with_size(1)).unwrap();
    assert!(
        learner
            .invoke(&vec![(f64::NAN, true)])
            .unwrap_err()
            .is_outside_domain()
    );
    let other: &[Offer] =
        &offers(100, &epsilon("1"), Some(&rational("0.1")), &rational("0.1")).unwrap();
    let concave = other
        .iter()
        .find(|offer| offer.method != Method::Exponential)
        .unwrap();
    // An offer is a method and its parameters; over any domain it has its own loss.
    assert!(threshold_learner_by(rows(numbers()).with_size(3), concave).is_ok());
}
