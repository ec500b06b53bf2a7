//! Accuracy, and the scale that an accuracy allows.

use lastbit::mechanisms::snapping::utility::{
    GridRule, Law, UtilityError, accuracy, laplace_accuracy, scale_for_accuracy, simple_accuracy,
};
use lastbit_exact::{Rational, Rounding, Up};

use crate::number;

fn double(value: f64) -> Rational {
    Rational::try_from(value).unwrap()
}

fn snapped(scale: &Rational) -> i64 {
    scale.ceil_log2().unwrap()
}

/// Accuracy of a double scale under a rule.
fn accuracy_of(scale: f64, alpha: &Rational, rule: GridRule) -> f64 {
    let scale = double(scale);
    let exponent = match rule {
        GridRule::Snapped => snapped(&scale),
        GridRule::Fixed(exponent) => exponent,
    };
    accuracy(&scale, exponent, None, alpha).get()
}

const ALPHAS: [&str; 8] = [
    "0.05",
    "0.01",
    "0.5",
    "0.3678",
    "1e-300",
    "0.999",
    "0.9999999999999999999999",
    "1e-9",
];

/// A fixed walk over doubles of all magnitudes, and the neighbours of powers of two.
fn doubles() -> Vec<f64> {
    let mut values = vec![f64::from_bits(1), f64::MIN_POSITIVE, 1e308];
    let mut bits = 0x9E37_79B9_7F4A_7C15u64;
    for _ in 0..200 {
        bits = bits
            .wrapping_mul(0xD134_2543_DE82_EF95)
            .wrapping_add(0x2545_F491_4F6C_DD1D);
        values.push(f64::from_bits(bits >> 1 & !(1 << 62) | (bits & 1) << 62).abs());
    }
    for exponent in [-1073, -1000, -1, 0, 1, 5, 900] {
        let power = 2f64.powi(exponent);
        values.extend([power.next_down(), power, power.next_up(), power * 1.5]);
    }
    values.retain(|x| x.is_finite() && *x > 0.0 && *x < 1e300);
    values
}

#[test]
fn accuracy_holds_at_every_location() {
    for scale in ["1", "0.6", "3/4", "1.99", "12"] {
        let scale = number(scale);
        for bound in ["2", "3.3", "20", "inf"] {
            let bound = (bound != "inf").then(|| number(bound));
            for exponent in [snapped(&scale), snapped(&scale) - 3, snapped(&scale) + 2] {
                let top = bound.clone().unwrap_or_else(|| number("5"));
                for part in ["0", "0.31", "1/2", "0.87", "1"] {
                    let location = &top * &number(part);
                    let law = Law::new(location, scale.clone(), exponent, bound.clone(), Up::ZERO)
                        .unwrap();
                    for alpha in ["0.5", "0.05", "1e-6", "0.99"] {
                        let level = number(alpha);
                        let a = accuracy(&scale, exponent, bound.as_ref(), &level);
                        let tail = law.tail(&double(a.get()));
                        assert!(double(tail.hi()) <= level, "{law:?} {alpha}: {tail}");
                        let exact = law.exact_accuracy(&level).unwrap();
                        assert!(
                            exact <= double(a.get()),
                            "{law:?} {alpha}: {exact} above {a}"
                        );
                        assert!(double(law.tail(&exact).hi()) <= level);
                    }
                }
            }
        }
    }
}

#[test]
fn exact_accuracy_is_the_smallest() {
    for (location, scale, bound) in [
        ("1.35", "1", "3"),
        ("0", "0.7", "6"),
        ("-2.2", "5", "2.7"),
        ("2.7", "0.6", "2.7"),
    ] {
        let law = Law::new(
            number(location),
            number(scale),
            0,
            Some(number(bound)),
            Up::ZERO,
        )
        .unwrap();
        for alpha in ["0.5", "0.05", "0.001", "0.3"] {
            let alpha = number(alpha);
            let exact = law.exact_accuracy(&alpha).unwrap();
            let mut distances: Vec<_> = law
                .points()
                .map(|point| (&point.value - law.location()).abs())
                .collect();
            distances.sort();
            for a in distances {
                let enough = double(law.tail(&a).hi()) <= alpha;
                assert_eq!(enough, a >= exact, "{law:?} {alpha}: {exact} and {a}");
            }
        }
    }
}

#[test]
fn an_alpha_below_every_tail_falls_back_on_the_formula() {
    let law = Law::new(Rational::ZERO, Rational::ONE, 0, None, Up::ZERO).unwrap();
    let alpha = number("1e-4000");
    let exact = law.exact_accuracy(&alpha).unwrap().to_f64(Rounding::Up);
    let formula = accuracy(&Rational::ONE, 0, None, &alpha).get();
    assert!((exact - formula).abs() <= 1e-9, "{exact} and {formula}");
    let bounded = Law::new(
        Rational::ZERO,
        Rational::ONE,
        0,
        Some(number("9")),
        Up::ZERO,
    )
    .unwrap();
    assert_eq!(bounded.exact_accuracy(&alpha).unwrap(), number("9"));
}

/// `accuracy(scale_for_accuracy(a)) ≤ a`, and the next double scale exceeds a.
#[test]
fn the_scale_of_an_accuracy_meets_it_and_is_the_largest() {
    for a in doubles() {
        for alpha in ALPHAS {
            let alpha = number(alpha);
            for rule in [
                GridRule::Snapped,
                GridRule::Fixed(-1074),
                GridRule::Fixed(-3),
            ] {
                match scale_for_accuracy(&double(a), &alpha, rule) {
                    Ok(scale) => {
                        let scale = scale.to_f64(Rounding::NearestEven);
                        assert!(
                            accuracy_of(scale, &alpha, rule) <= a,
                            "{a:e} {alpha} {rule:?}"
                        );
                        let next = scale.next_up();
                        assert!(
                            next.is_infinite() || accuracy_of(next, &alpha, rule) > a,
                            "{a:e} {alpha} {rule:?}"
                        );
                    }
                    Err(UtilityError::AccuracyBelowGrid { .. }) => {
                        let GridRule::Fixed(exponent) = rule else {
                            panic!("{rule:?}");
                        };
                        assert!(double(a) <= Rational::ONE.times_power_of_two(exponent - 1));
                    }
                    Err(UtilityError::AccuracyTooSmall { .. }) => {
                        let smallest = f64::from_bits(1);
                        assert!(
                            accuracy_of(smallest, &alpha, rule) > a,
                            "{a:e} {alpha} {rule:?}"
                        );
                    }
                    Err(other) => panic!("{other}"),
                }
            }
        }
    }
}

/// `scale_for_accuracy(accuracy(λ)) ≥ λ`, without rounding, for every double λ.
#[test]
fn a_scale_comes_back_from_its_accuracy() {
    for scale in doubles() {
        for alpha in ALPHAS {
            let alpha = number(alpha);
            for rule in [GridRule::Snapped, GridRule::Fixed(-1000)] {
                let a = accuracy_of(scale, &alpha, rule);
                let back = scale_for_accuracy(&double(a), &alpha, rule).unwrap();
                assert!(back >= double(scale), "{scale:e} {alpha} {rule:?}: {back}");
            }
        }
    }
}

#[test]
fn an_accuracy_that_is_no_double_is_met_too() {
    for a in ["1/3", "10/3", "0.1", "22/7", "1e-5"] {
        let (a, alpha) = (number(a), number("0.05"));
        let scale = scale_for_accuracy(&a, &alpha, GridRule::Snapped).unwrap();
        assert!(double(accuracy(&scale, snapped(&scale), None, &alpha).get()) <= a);
    }
}

#[test]
fn scale_grows_with_accuracy_and_rests_at_powers_of_two() {
    let alpha = number("0.05");
    let scale = |a: f64| {
        scale_for_accuracy(&double(a), &alpha, GridRule::Snapped)
            .unwrap()
            .to_f64(Rounding::NearestEven)
    };
    let mut last = 0.0;
    for i in 1..4000 {
        let next = scale(f64::from(i) * 0.005);
        assert!(next >= last);
        last = next;
    }
    // Λ = 2 ends at λ = 2, a = 2 ln 20 + 1; Λ = 4 begins at a = 2 ln 20 + 2: between them the scale
    // rests at 2.
    let ln_20 = 20f64.ln();
    assert!(scale(2.0 * ln_20 + 0.999) < 2.0);
    assert_eq!(scale(2.0 * ln_20 + 1.001), 2.0);
    assert_eq!(scale(2.0 * ln_20 + 1.999), 2.0);
    assert!(scale(2.0 * ln_20 + 2.001) > 2.0);
}

#[test]
fn accuracy_is_capped_at_twice_the_bound() {
    let (one, alpha) = (Rational::ONE, number("1e-9"));
    assert_eq!(accuracy(&one, 0, Some(&number("3")), &alpha).get(), 6.0);
    assert!(accuracy(&one, 0, Some(&number("30")), &alpha).get() < 60.0);
}

#[test]
fn the_simple_bound_is_above_and_laplace_below_on_the_snapped_grid() {
    for scale in doubles() {
        for alpha in ALPHAS {
            let (scale, alpha) = (double(scale), number(alpha));
            let a = accuracy(&scale, snapped(&scale), None, &alpha);
            assert!(a <= simple_accuracy(&scale, &alpha));
            assert!(laplace_accuracy(&scale, &alpha) <= a);
        }
    }
}

#[test]
fn numbers_without_meaning_promise_nothing() {
    let (one, alpha) = (Rational::ONE, number("0.05"));
    assert_eq!(accuracy(&Rational::ZERO, 0, None, &alpha), Up::INFINITY);
    assert_eq!(accuracy(&one, 0, None, &Rational::ZERO), Up::INFINITY);
    assert_eq!(accuracy(&one, i64::MAX, None, &alpha), Up::INFINITY);
    assert_eq!(accuracy(&one, i64::MAX, Some(&one), &alpha).get(), 2.0);
    // The grid adds less than any double shows.
    assert_eq!(
        accuracy(&one, i64::MIN, None, &alpha),
        laplace_accuracy(&one, &alpha)
    );
    assert_eq!(simple_accuracy(&-one.clone(), &alpha), Up::INFINITY);
    assert_eq!(laplace_accuracy(&one, &-one.clone()), Up::INFINITY);
}

#[test]
fn refusals_name_the_remedy() {
    let alpha = number("0.05");
    let text = |a: &str, alpha: &Rational, rule| {
        scale_for_accuracy(&number(a), alpha, rule)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        text("0.5", &alpha, GridRule::Fixed(0)),
        "accuracy 0.5 is not above 0.5, half a step of the grid; ask for less accuracy, or choose \
         a finer grid"
    );
    assert_eq!(
        text("0", &alpha, GridRule::Snapped),
        "accuracy must be positive, got 0"
    );
    assert!(
        text("1", &Rational::ONE, GridRule::Snapped).starts_with("alpha must be a probability")
    );
    assert!(
        text("5e-324", &alpha, GridRule::Snapped).contains("measure the query in a smaller unit")
    );
    assert!(
        text("1e-400", &alpha, GridRule::Snapped).contains("measure the query in a smaller unit")
    );
    assert!(
        text("1", &alpha, GridRule::Fixed(i64::MIN)).contains("choose a grid nearer to the scale")
    );
}
