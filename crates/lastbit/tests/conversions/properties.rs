//! Casts refuse what is not a loss, grow with what they are given, and undo each other on the safe
//! side.

use lastbit::Error;
use lastbit::conversions::*;
use lastbit::measures::EpsilonDelta;
use lastbit_exact::{Down, Up};
use proptest::prelude::*;

type Cast = fn(Up) -> Result<Up, Error>;

const CASTS: &[(&str, Cast)] = &[
    ("pure_to_zcdp", pure_to_zcdp),
    ("pure_to_bounded_range", pure_to_bounded_range),
    ("laplace_to_zcdp", laplace_to_zcdp),
    ("bounded_range_to_pure", bounded_range_to_pure),
    ("bounded_range_to_zcdp", bounded_range_to_zcdp),
    ("bounded_range_to_zcdp_tight", bounded_range_to_zcdp_tight),
    (
        "bounded_range_to_zcdp_classical",
        bounded_range_to_zcdp_classical,
    ),
    ("zcdp_to_approximate_epsilon", |rho| {
        zcdp_to_approximate_epsilon(rho, Down::exact(1e-6))
    }),
    ("zcdp_to_approximate_delta", |rho| {
        zcdp_to_approximate_delta(rho, Down::ONE)
    }),
    ("zcdp_to_renyi", |rho| {
        zcdp_to_renyi(rho)?.epsilon(Up::exact(2.0))
    }),
    ("zcdp_to_profile", |rho| {
        zcdp_to_profile(rho)?.delta(Down::ONE)
    }),
    ("pure_to_renyi", |epsilon| {
        pure_to_renyi(epsilon)?.epsilon(Up::exact(2.0))
    }),
    ("laplace_to_renyi", |epsilon| {
        laplace_to_renyi(epsilon)?.epsilon(Up::exact(2.0))
    }),
    ("bounded_range_to_renyi", |eta| {
        bounded_range_to_renyi(eta)?.epsilon(Up::exact(2.0))
    }),
    ("renyi_order_to_delta", |d| {
        renyi_order_to_delta(Up::exact(2.0), d, Down::ONE)
    }),
    ("renyi_order_to_epsilon", |d| {
        renyi_order_to_epsilon(Up::exact(2.0), d, Down::exact(1e-6))
    }),
    ("optimal_composition", |epsilon| {
        optimal_composition(epsilon, 10, Down::exact(1e-6))
    }),
];

#[test]
fn negative_and_infinite_losses_are_refused_by_every_cast() {
    for (name, cast) in CASTS {
        for bad in [-1.0, -5e-324, f64::MIN] {
            let error = cast(Up::exact(bad)).unwrap_err();
            assert!(error.is_distance(), "{name}: {error}");
            assert!(
                error.to_string().contains("zero or more"),
                "{name}: {error}"
            );
        }
        let error = cast(Up::INFINITY).unwrap_err();
        assert!(error.is_unbounded(), "{name}: {error}");
    }
}

#[test]
fn no_loss_converts_to_no_loss() {
    for (name, cast) in CASTS {
        let loss = cast(Up::ZERO).unwrap();
        if name.starts_with("renyi_order") {
            // One order alone cannot say that nothing is lost.
            continue;
        }
        assert_eq!(loss, Up::ZERO, "{name}");
    }
}

#[test]
fn extreme_losses_give_a_bound_or_an_error_and_never_panic() {
    for (name, cast) in CASTS {
        for extreme in [5e-324, 1e-320, 2.2e-308, 1e-160, 1e154, 1e200, f64::MAX] {
            match cast(Up::exact(extreme)) {
                Ok(loss) => assert!(
                    loss.is_finite() && loss.get() >= 0.0,
                    "{name} {extreme:e}: {loss}"
                ),
                Err(error) => assert!(error.is_unbounded(), "{name} {extreme:e}: {error}"),
            }
        }
    }
}

#[test]
fn deltas_and_orders_outside_their_range_are_refused_with_a_remedy() {
    let rho = Up::exact(0.5);
    let no_delta = zcdp_to_approximate_epsilon(rho, Down::ZERO).unwrap_err();
    assert!(no_delta.is_unbounded() && no_delta.to_string().contains("spend a small delta"));
    for delta in [-0.1, 1.5] {
        let error = zcdp_to_approximate_epsilon(rho, Down::exact(delta)).unwrap_err();
        assert!(error.is_distance(), "{error}");
        assert!(zcdp_for_approximate(Down::ONE, Down::exact(delta)).is_err());
    }
    assert_eq!(
        zcdp_to_approximate_epsilon(rho, Down::ONE).unwrap(),
        Up::ZERO
    );
    assert!(zcdp_to_approximate_delta(rho, Down::exact(-1.0)).is_err());
    for order in [1.0, 0.5, -2.0] {
        assert!(
            renyi_order_to_delta(Up::exact(order), rho, Down::ONE)
                .unwrap_err()
                .is_distance()
        );
    }
    assert!(renyi_order_to_delta(Up::INFINITY, rho, Down::ONE).is_err());
    assert!(
        optimal_composition(rho, MOST_OPTIMAL_RELEASES + 1, Down::exact(1e-6))
            .unwrap_err()
            .is_composition()
    );
}

/// Losses over 16 decades.
fn losses() -> impl Strategy<Value = f64> {
    (-10.0f64..6.0).prop_map(|exponent| 10f64.powf(exponent))
}

fn deltas() -> impl Strategy<Value = f64> {
    (-30.0f64..-0.01).prop_map(|exponent| 10f64.powf(exponent))
}

proptest! {
    #[test]
    fn a_larger_loss_never_converts_to_a_smaller_one(x in losses(), y in losses()) {
        let (small, large) = (x.min(y), x.max(y));
        for (name, cast) in CASTS {
            // Both are upper bounds, each at most a double or two above the exact one, which grows.
            let (low, high) = (cast(Up::exact(small)).unwrap(), cast(Up::exact(large)).unwrap());
            prop_assert!(low.get() <= high.get() * (1.0 + 1e-11) + 1e-11, "{name}: {low} > {high}");
        }
    }

    #[test]
    fn the_rho_of_an_epsilon_and_delta_is_the_largest_that_meets_them(
        epsilon in losses(),
        delta in deltas(),
    ) {
        let delta = Down::exact(delta);
        let rho = zcdp_for_approximate(Down::exact(epsilon), delta).unwrap().get();
        let back = |rho: f64| zcdp_to_approximate_epsilon(Up::exact(rho), delta).unwrap().get();
        // The last rounding up may pass the target by one double; a little less ρ may not pass it,
        // and a little more must.
        prop_assert!(back(rho * (1.0 - 1e-12)) <= epsilon);
        prop_assert!(back(rho * (1.0 + 1e-9)) > epsilon);
    }

    #[test]
    fn epsilon_and_delta_of_a_rho_agree(rho in losses(), delta in deltas()) {
        let rho = Up::exact(rho);
        let epsilon = zcdp_to_approximate_epsilon(rho, Down::exact(delta)).unwrap();
        let reached = zcdp_to_approximate_delta(rho, Down::exact(epsilon.get())).unwrap();
        // ε is rounded up by at most a double, so δ comes back at or below, up to its own rounding.
        prop_assert!(reached.get() <= delta * (1.0 + 1e-12), "{reached} > {delta}");
    }

    #[test]
    fn a_curve_and_a_profile_give_what_the_closed_form_gives(
        rho in 1e-3f64..10.0,
        delta in deltas(),
    ) {
        let (rho, delta) = (Up::exact(rho), Down::exact(delta));
        let direct = zcdp_to_approximate_epsilon(rho, delta).unwrap().get();
        let curve =
            renyi_to_approximate_epsilon(&zcdp_to_renyi(rho).unwrap(), delta).unwrap().get();
        let profile = profile_to_approximate(&zcdp_to_profile(rho).unwrap(), delta).unwrap();
        prop_assert!((curve - direct).abs() <= 1e-12 * (1.0 + direct), "{curve}, {direct}");
        prop_assert!((profile.loss().get() - direct).abs() <= 1e-12 * (1.0 + direct));
    }

    #[test]
    fn a_fixed_pair_comes_back_from_its_profile(epsilon in losses(), delta in deltas()) {
        let pair = EpsilonDelta::new(Up::exact(epsilon), Up::exact(delta)).unwrap();
        let profile = approximate_to_profile(&pair).unwrap();
        let back = profile_to_approximate(&profile, Down::exact(delta)).unwrap();
        prop_assert_eq!(&back, &pair);
        let at = profile_at(&profile, Down::exact(epsilon)).unwrap();
        prop_assert_eq!(&at, &pair);
    }
}
