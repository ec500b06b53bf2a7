//! Accuracy, and the scale that an accuracy allows.

use lastbit::mechanisms::snapping::utility::{
    GridRule, Law, UtilityError, accuracy, laplace_accuracy, scale_for_accuracy, simple_accuracy,
};
use lastbit::{Beta, GridExponent};
use lastbit_exact::{Rational, Rounding, Up};

use crate::number;

fn double(value: f64) -> Rational {
    Rational::try_from(value).unwrap()
}

fn snapped(scale: &Rational) -> GridExponent {
    GridExponent::new(scale.ceil_log2().unwrap()).unwrap()
}

fn beta_of(text: &str) -> Beta {
    text.parse().unwrap()
}

/// Accuracy of a double scale under a rule.
fn accuracy_of(scale: f64, beta: &Beta, rule: GridRule) -> f64 {
    let scale = double(scale);
    let exponent = match rule {
        GridRule::Snapped => snapped(&scale),
        GridRule::Fixed(exponent) => exponent,
    };
    accuracy(&scale, exponent, None, beta).get()
}

const BETAS: [&str; 8] = [
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
            for finer in [0, -3, 2] {
                let exponent = GridExponent::new(snapped(&scale).get() + finer).unwrap();
                let top = bound.clone().unwrap_or_else(|| number("5"));
                for part in ["0", "0.31", "1/2", "0.87", "1"] {
                    let location = &top * &number(part);
                    let law = Law::new(location, scale.clone(), exponent, bound.clone(), Up::ZERO)
                        .unwrap();
                    for beta in ["0.5", "0.05", "1e-6", "0.99"] {
                        let level = beta_of(beta);
                        let a = accuracy(&scale, exponent, bound.as_ref(), &level);
                        let tail = law.tail(&double(a.get()));
                        assert!(double(tail.hi()) <= *level.get(), "{law:?} {beta}: {tail}");
                        let exact = law.exact_accuracy(&level);
                        assert!(
                            exact <= double(a.get()),
                            "{law:?} {beta}: {exact} above {a}"
                        );
                        assert!(double(law.tail(&exact).hi()) <= *level.get());
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
        for beta in ["0.5", "0.05", "0.001", "0.3"] {
            let beta = beta_of(beta);
            let exact = law.exact_accuracy(&beta);
            let mut distances: Vec<_> = law
                .points()
                .map(|point| (&point.value - law.location()).abs())
                .collect();
            distances.sort();
            for a in distances {
                let enough = double(law.tail(&a).hi()) <= *beta.get();
                assert_eq!(enough, a >= exact, "{law:?} {beta}: {exact} and {a}");
            }
        }
    }
}

#[test]
fn a_beta_below_every_tail_falls_back_on_the_formula() {
    let law = Law::new(Rational::ZERO, Rational::ONE, 0, None, Up::ZERO).unwrap();
    // 2^-64 at a time, to below 1e-4000.
    let beta = (0..200).fold(beta_of("1e-300"), |beta, _| beta.part(1, u64::MAX));
    let exact = law.exact_accuracy(&beta).to_f64(Rounding::Up);
    let formula = accuracy(&Rational::ONE, GridExponent::INTEGERS, None, &beta).get();
    assert!((exact - formula).abs() <= 1e-9, "{exact} and {formula}");
    let bounded = Law::new(
        Rational::ZERO,
        Rational::ONE,
        0,
        Some(number("9")),
        Up::ZERO,
    )
    .unwrap();
    assert_eq!(bounded.exact_accuracy(&beta), number("9"));
}

/// `accuracy(scale_for_accuracy(a)) ≤ a`, and the next double scale exceeds a.
#[test]
fn the_scale_of_an_accuracy_meets_it_and_is_the_largest() {
    for a in doubles() {
        for beta in BETAS {
            let beta = beta_of(beta);
            for rule in [
                GridRule::Snapped,
                GridRule::fixed(-1074).unwrap(),
                GridRule::fixed(-3).unwrap(),
            ] {
                match scale_for_accuracy(&double(a), &beta, rule) {
                    Ok(scale) => {
                        let scale = scale.to_f64(Rounding::NearestEven);
                        assert!(
                            accuracy_of(scale, &beta, rule) <= a,
                            "{a:e} {beta} {rule:?}"
                        );
                        let next = scale.next_up();
                        assert!(
                            next.is_infinite() || accuracy_of(next, &beta, rule) > a,
                            "{a:e} {beta} {rule:?}"
                        );
                    }
                    Err(UtilityError::AccuracyBelowGrid { .. }) => {
                        let GridRule::Fixed(exponent) = rule else {
                            panic!("{rule:?}");
                        };
                        assert!(double(a) <= exponent.step().times_power_of_two(-1));
                    }
                    Err(UtilityError::AccuracyTooSmall { .. }) => {
                        let smallest = f64::from_bits(1);
                        assert!(
                            accuracy_of(smallest, &beta, rule) > a,
                            "{a:e} {beta} {rule:?}"
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
        for beta in BETAS {
            let beta = beta_of(beta);
            for rule in [GridRule::Snapped, GridRule::fixed(-1000).unwrap()] {
                let a = accuracy_of(scale, &beta, rule);
                let back = scale_for_accuracy(&double(a), &beta, rule).unwrap();
                assert!(back >= double(scale), "{scale:e} {beta} {rule:?}: {back}");
            }
        }
    }
}

#[test]
fn an_accuracy_that_is_no_double_is_met_too() {
    for a in ["1/3", "10/3", "0.1", "22/7", "1e-5"] {
        let (a, beta) = (number(a), beta_of("0.05"));
        let scale = scale_for_accuracy(&a, &beta, GridRule::Snapped).unwrap();
        assert!(double(accuracy(&scale, snapped(&scale), None, &beta).get()) <= a);
    }
}

#[test]
fn scale_grows_with_accuracy_and_rests_at_powers_of_two() {
    let beta = beta_of("0.05");
    let scale = |a: f64| {
        scale_for_accuracy(&double(a), &beta, GridRule::Snapped)
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
    let (one, beta) = (Rational::ONE, beta_of("1e-9"));
    assert_eq!(
        accuracy(&one, GridExponent::INTEGERS, Some(&number("3")), &beta).get(),
        6.0
    );
    assert!(accuracy(&one, GridExponent::INTEGERS, Some(&number("30")), &beta).get() < 60.0);
}

#[test]
fn the_simple_bound_is_above_and_laplace_below_on_the_snapped_grid() {
    for scale in doubles() {
        for beta in BETAS {
            let (scale, beta) = (double(scale), beta_of(beta));
            let a = accuracy(&scale, snapped(&scale), None, &beta);
            assert!(a <= simple_accuracy(&scale, &beta));
            assert!(laplace_accuracy(&scale, &beta) <= a);
        }
    }
}

#[test]
fn numbers_without_meaning_promise_nothing() {
    let (one, beta) = (Rational::ONE, beta_of("0.05"));
    assert_eq!(
        accuracy(&Rational::ZERO, GridExponent::INTEGERS, None, &beta),
        Up::INFINITY
    );
    assert_eq!(simple_accuracy(&-one.clone(), &beta), Up::INFINITY);
    assert_eq!(laplace_accuracy(&-one, &beta), Up::INFINITY);
}

#[test]
fn refusals_name_the_remedy() {
    let beta = beta_of("0.05");
    let text = |a: &str, beta: &Beta, rule| {
        scale_for_accuracy(&number(a), beta, rule)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        text("0.5", &beta, GridRule::fixed(0).unwrap()),
        "accuracy 0.5 is not above 0.5, half a step of the grid; ask for less accuracy, or choose \
         a finer grid"
    );
    assert_eq!(
        text("0", &beta, GridRule::Snapped),
        "accuracy must be positive, got 0"
    );
    assert!(
        text("5e-324", &beta, GridRule::Snapped).contains("measure the query in a smaller unit")
    );
    assert!(
        text("1e-400", &beta, GridRule::Snapped).contains("measure the query in a smaller unit")
    );
    let outside = GridRule::fixed(i64::MIN).unwrap_err().to_string();
    assert!(
        outside.contains("outside ±1100; choose a grid nearer to the scale"),
        "{outside}"
    );
}
