//! Solving ends on the safe side, at the best value that there is, after a number of steps that the
//! range alone decides.

use core::cell::Cell;

use lastbit::domains::AtomDomain;
use lastbit::measures::{Approximate, EpsilonDelta, MaxDivergence};
use lastbit::metrics::AbsoluteDistance;
use lastbit::solve::{self, Parameter};
use lastbit::{Error, Measurement, PrivacyMap};
use lastbit_exact::{Rational, Up};
use proptest::prelude::*;

type Noise = Measurement<AtomDomain<i64>, AbsoluteDistance, MaxDivergence, i64>;

fn with_map(map: impl Fn(&Rational) -> Up + Send + Sync + 'static) -> Result<Noise, Error> {
    Measurement::new(
        AtomDomain::new(),
        AbsoluteDistance,
        MaxDivergence,
        |&value, _| Ok(value),
        PrivacyMap::new(move |d_in| Ok(map(d_in))),
    )
}

/// Loss `d_in/scale`.
fn laplace(scale: f64) -> Result<Noise, Error> {
    let scale = lastbit::finite("scale", scale)?;
    with_map(move |d_in| Up::from_rational(&(d_in / &scale)))
}

/// Loss `d_in · epsilon`.
fn at_epsilon(epsilon: f64) -> Result<Noise, Error> {
    let epsilon = lastbit::finite("epsilon", epsilon)?;
    with_map(move |d_in| Up::from_rational(&(d_in * &epsilon)))
}

proptest! {
    #[test]
    fn the_smallest_scale_is_enough_and_the_one_below_is_not(
        distance in 1_i64..1_000_000,
        epsilon in 1e-9..1e9,
    ) {
        let (distance, target) = (Rational::from(distance), Up::new(epsilon).unwrap());
        let scale = solve::smallest(solve::POSITIVE, laplace, &distance, &target).unwrap();
        prop_assert!(laplace(scale).unwrap().check(&distance, &target).unwrap());
        prop_assert!(!laplace(scale.next_down()).unwrap().check(&distance, &target).unwrap());
        // The exact statement: d/scale rounded up is at most ε if and only if d/scale is.
        let exact = |x: f64| Rational::try_from(x).unwrap();
        prop_assert!(&distance / &exact(scale) <= exact(epsilon));
        prop_assert!(&distance / &exact(scale.next_down()) > exact(epsilon));
    }

    #[test]
    fn the_largest_epsilon_is_allowed_and_the_one_above_is_not(
        distance in 1_i64..1_000_000,
        epsilon in 1e-9..1e9,
    ) {
        let (distance, target) = (Rational::from(distance), Up::new(epsilon).unwrap());
        let found = solve::largest(0.0..=1e300, at_epsilon, &distance, &target).unwrap();
        prop_assert!(at_epsilon(found).unwrap().check(&distance, &target).unwrap());
        prop_assert!(!at_epsilon(found.next_up()).unwrap().check(&distance, &target).unwrap());
    }

    #[test]
    fn the_threshold_is_found_wherever_it_is(lower: i64, a in 0_u64..1 << 62, b in 0_u64..1 << 62) {
        let lower = lower / 2;
        let threshold = lower + a.min(b) as i64;
        let upper = lower.saturating_add(a.max(b) as i64);
        prop_assert_eq!(
            solve::smallest_where(lower..=upper, |x| Ok(x >= threshold)).unwrap(),
            threshold
        );
        prop_assert_eq!(
            solve::largest_where(lower..=upper, |x| Ok(x <= threshold)).unwrap(),
            threshold
        );
    }

    #[test]
    fn floats_are_counted_in_order(a: f64, b: f64) {
        if let (Some(i), Some(j)) = (a.place(), b.place()) {
            prop_assert_eq!(i < j, a < b);
            prop_assert_eq!(i == j, a == b);
            prop_assert_eq!(f64::at(i), a);
            if a.is_finite() {
                prop_assert_eq!(f64::at(i + 1), a.next_up());
            }
        } else {
            prop_assert!(a.is_nan() || b.is_nan());
        }
    }

    /// Where the loss is not monotone the answer need not be the best, and still meets the target.
    #[test]
    fn the_answer_is_safe_even_if_the_loss_is_not_monotone(
        good in prop::collection::vec(any::<bool>(), 1..64),
    ) {
        let last = good.len() as u64 - 1;
        if let Ok(found) = solve::smallest_where(0..=last, |i| Ok(good[i as usize])) {
            prop_assert!(good[found as usize]);
        }
        if let Ok(found) = solve::largest_where(0..=last, |i| Ok(good[i as usize])) {
            prop_assert!(good[found as usize]);
        }
    }
}

#[test]
fn the_number_of_evaluations_is_at_most_65_and_near_it_for_every_target() {
    let mut counts = Vec::new();
    for threshold in [f64::MIN, -1.0, 0.0, 1e-300, 1.0, 3.5, 1e300, f64::MAX] {
        let count = Cell::new(0);
        let found = solve::smallest_where(f64::MIN..=f64::MAX, |x| {
            count.set(count.get() + 1);
            Ok(x >= threshold)
        });
        assert_eq!(found, Ok(threshold));
        counts.push(count.get());
    }
    assert!(
        counts.iter().all(|count| (64..=65).contains(count)),
        "{counts:?}"
    );
}

#[test]
fn a_range_of_one_value_and_the_ends_of_a_range_are_found() {
    assert_eq!(solve::smallest_where(7_u64..=7, |_| Ok(true)), Ok(7));
    assert_eq!(
        solve::largest_where(0..=u64::MAX, |_| Ok(true)),
        Ok(u64::MAX)
    );
    assert_eq!(solve::smallest_where(0..=u64::MAX, |_| Ok(true)), Ok(0));
    assert_eq!(
        solve::smallest_where(i64::MIN..=i64::MAX, |x| Ok(x == i64::MAX)),
        Ok(i64::MAX)
    );
}

#[test]
fn targets_that_nothing_meets_and_ranges_without_values_are_unsolvable() {
    let (one, tenth) = (Rational::ONE, Up::exact(0.1));
    let error = solve::smallest(1.0..=9.0, laplace, &one, &tenth).unwrap_err();
    assert!(error.is_unsolvable());
    assert_eq!(
        error.to_string(),
        "no parameter in [1, 9] meets the target 0.10000000000000001: not even the largest does; \
         raise the upper end, or relax the target"
    );
    let error = solve::largest(1.0..=9.0, at_epsilon, &one, &tenth).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no parameter in [1, 9] meets the target 0.10000000000000001: not even the smallest does; \
         lower the lower end, or relax the target"
    );
    for range in [2.0..=1.0, f64::NAN..=1.0, 0.0..=f64::NAN] {
        let error = solve::smallest_where(range, |_| Ok(true)).unwrap_err();
        assert!(error.is_unsolvable());
        assert!(
            error
                .to_string()
                .ends_with("give two numbers, the smaller first")
        );
    }
}

#[test]
fn errors_of_the_builder_and_bad_distances_come_through() {
    let refuse = |_: f64| -> Result<Noise, Error> { Err(Error::other("no such noise")) };
    let (one, tenth) = (Rational::ONE, Up::exact(0.1));
    let error = solve::smallest(solve::POSITIVE, refuse, &one, &tenth).unwrap_err();
    assert!(error.is_other());
    let error = solve::smallest(solve::POSITIVE, laplace, &one, &Up::exact(-1.0)).unwrap_err();
    assert!(error.is_distance());
    let error = solve::smallest(solve::POSITIVE, laplace, &-one, &tenth).unwrap_err();
    assert!(error.is_distance());
}

#[test]
fn a_target_with_delta_is_met_in_both_parts() {
    // ε falls and δ falls with the scale, at different rates.
    let build = |scale: f64| {
        let scale = lastbit::finite("scale", scale)?;
        let noise = with_map(move |d_in| Up::from_rational(&(d_in / &scale)))?;
        Ok(noise.cast(Approximate(MaxDivergence), |&epsilon| {
            EpsilonDelta::new(epsilon, (epsilon * epsilon).min(Up::ONE))
        }))
    };
    let target = EpsilonDelta::new(Up::ONE, Up::exact(0.25)).unwrap();
    let scale = solve::smallest(solve::POSITIVE, build, &Rational::ONE, &target).unwrap();
    assert_eq!(scale, 2.0); // δ = (1/scale)² ≤ 1/4 binds, not ε ≤ 1
}
