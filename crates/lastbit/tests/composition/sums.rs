//! A composed loss is the exact sum rounded up, never to nearest or down.

use lastbit::composition::{Composable, pair, sequential};
use lastbit::domains::AtomDomain;
use lastbit::measures::{
    Approximate, EpsilonDelta, MaxDivergence, Measure, RangeDivergence, RenyiCurve,
    RenyiDivergence, WithDelta, ZeroConcentratedDivergence,
};
use lastbit::metrics::DiscreteDistance;
use lastbit::{Measurement, PrivacyMap};
use lastbit_exact::{Rational, Rounding, Up};
use proptest::collection::vec;
use proptest::prelude::*;

use super::support::{exact, law};

/// Positive doubles of very different sizes with random mantissas.
fn losses() -> impl Strategy<Value = Vec<Up>> {
    let loss = (0u64..1 << 52, -40i32..10)
        .prop_map(|(bits, exponent)| (1.0 + bits as f64 / 2f64.powi(52)) * 2f64.powi(exponent));
    vec(loss.prop_map(Up::exact), 1..40)
}

fn exact_sum(losses: &[Up]) -> Rational {
    let values = losses.iter().map(|loss| exact(*loss));
    values.fold(Rational::ZERO, |sum, value| sum + value)
}

fn release<M: Measure>(
    measure: M,
    loss: M::Distance,
) -> Measurement<AtomDomain<bool>, DiscreteDistance, M, u8> {
    Measurement::new(
        AtomDomain::new(),
        DiscreteDistance,
        measure,
        |_, _| Ok(0),
        PrivacyMap::new(move |_| Ok(loss.clone())),
    )
    .unwrap()
}

fn composed<M: Composable>(
    measure: M,
    losses: impl IntoIterator<Item = M::Distance>,
) -> M::Distance {
    let releases = losses
        .into_iter()
        .map(|loss| release(measure.clone(), loss));
    sequential(releases).unwrap().map(&1).unwrap()
}

/// The smallest f64 at or above the sum.
fn assert_is_sum(composed: Up, losses: &[Up]) {
    let sum = exact_sum(losses);
    assert!(exact(composed) >= sum, "below the exact sum");
    assert_eq!(
        composed.get(),
        sum.to_f64(Rounding::Up),
        "above the smallest bound"
    );
}

proptest! {
    #[test]
    fn losses_add_up_exactly_and_are_rounded_up_once(losses in losses()) {
        assert_is_sum(composed(MaxDivergence, losses.clone()), &losses);
        assert_is_sum(composed(ZeroConcentratedDivergence, losses.clone()), &losses);
        assert_is_sum(composed(RangeDivergence, losses.clone()), &losses);
        let curves = losses.iter().map(|&loss| RenyiCurve::new(move |order| Ok(order * loss)));
        for order in [1.25, 2.0, 64.0].map(Up::exact) {
            let at_order: Vec<Up> = losses.iter().map(|&loss| order * loss).collect();
            let total = composed(RenyiDivergence, curves.clone());
            assert_is_sum(total.epsilon(order).unwrap(), &at_order);
        }
    }

    #[test]
    fn both_parts_of_an_approximate_loss_add_up(losses in losses()) {
        // δ of 2^-20 times as much, below 1 in all.
        let delta = |loss: &Up| Up::exact(loss.get() * 2f64.powi(-20));
        let deltas: Vec<Up> = losses.iter().map(delta).collect();
        let pairs = losses.iter().map(|loss| EpsilonDelta::new(*loss, delta(loss)).unwrap());
        let total = composed(Approximate(MaxDivergence), pairs.clone());
        assert_is_sum(*total.loss(), &losses);
        assert_is_sum(total.delta(), &deltas);
        let total = composed(Approximate(ZeroConcentratedDivergence), pairs);
        assert_is_sum(*total.loss(), &losses);
        assert_is_sum(total.delta(), &deltas);
        let curves = losses.iter().map(|&loss| {
            WithDelta::new(RenyiCurve::new(move |order| Ok(order * loss)), delta(&loss)).unwrap()
        });
        let total = composed(Approximate(RenyiDivergence), curves);
        assert_is_sum(
            total.loss().epsilon(Up::exact(2.0)).unwrap(),
            &losses.iter().map(|&loss| loss + loss).collect::<Vec<_>>(),
        );
        assert_is_sum(total.delta(), &deltas);
    }

    #[test]
    fn the_order_of_releases_does_not_matter(losses in losses()) {
        let backward: Vec<Up> = losses.iter().rev().copied().collect();
        prop_assert_eq!(
            MaxDivergence.compose(&losses).unwrap(),
            MaxDivergence.compose(&backward).unwrap()
        );
    }
}

#[test]
fn rounding_to_nearest_would_be_caught() {
    // 1 + 2^-60: the nearest double is 1, which is below.
    let losses = [Up::ONE, Up::exact(2f64.powi(-60))];
    assert_eq!(1.0 + 2f64.powi(-60), 1.0);
    for total in [
        MaxDivergence.compose(&losses).unwrap(),
        ZeroConcentratedDivergence.compose(&losses).unwrap(),
        RangeDivergence.compose(&losses).unwrap(),
        pair(
            &release(MaxDivergence, losses[0]),
            &release(MaxDivergence, losses[1]),
        )
        .unwrap()
        .map(&1)
        .unwrap(),
    ] {
        assert_eq!(total.get(), 1.0f64.next_up());
    }
    // A million of them lose nothing: rounding each sum up would have added 2^-52 every time.
    let many = core::iter::once(&losses[0]).chain(core::iter::repeat_n(&losses[1], 1 << 20));
    assert_eq!(
        MaxDivergence.compose(many).unwrap().get(),
        1.0 + 2f64.powi(-40)
    );
}

#[test]
fn sums_that_say_nothing_are_refused() {
    let huge = Up::exact(f64::MAX);
    assert!(
        MaxDivergence
            .compose(&[huge, huge])
            .unwrap_err()
            .is_unbounded()
    );
    assert!(
        MaxDivergence
            .compose(&[Up::INFINITY])
            .unwrap_err()
            .is_unbounded()
    );
    assert!(
        MaxDivergence
            .compose(&[Up::exact(-1.0)])
            .unwrap_err()
            .is_distance()
    );
    let half = EpsilonDelta::new(Up::ONE, Up::exact(0.75)).unwrap();
    let error = Approximate(MaxDivergence)
        .compose(&[half.clone(), half])
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "delta must be a probability from 0 to 1, got 1.5; spread a smaller delta over the releases"
    );
    assert_eq!(MaxDivergence.compose(&[]).unwrap(), Up::ZERO);
}

#[test]
fn a_list_must_have_releases_over_one_space() {
    type Release = Measurement<AtomDomain<i64>, DiscreteDistance, MaxDivergence, i64>;
    let over = |domain| -> Release {
        let map = PrivacyMap::new(|_| Ok(Up::ONE));
        Measurement::new(domain, DiscreteDistance, MaxDivergence, |&x, _| Ok(x), map).unwrap()
    };
    let none = sequential(Vec::<Release>::new()).unwrap_err();
    assert_eq!(
        none.to_string(),
        "there is no release to compose; give at least one"
    );
    let bounded = AtomDomain::bounded(0, 10).unwrap();
    let error = sequential([over(AtomDomain::new()), over(bounded)]).unwrap_err();
    assert!(error.is_composition());
    assert_eq!(
        error.to_string(),
        "cannot compose: the domain is i64, and that of a release i64 in [0, 10]; make them \
         equal, or chain a transformation before it"
    );
}

#[test]
fn releases_of_a_list_draw_their_own_randomness() {
    let fair = super::support::randomized_response(Rational::new(1, 2));
    let both = sequential([fair.clone(), fair.clone()]).unwrap();
    let answers = law(2, |words| both.invoke_with(&true, words));
    assert_eq!(answers.len(), 4);
    assert!(answers.values().all(|mass| *mass == Rational::new(1, 4)));
    let two = pair(&fair, &fair).unwrap();
    assert_eq!(law(2, |words| two.invoke_with(&true, words)).len(), 4);
}
