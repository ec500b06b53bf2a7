//! The choice of B and what it costs: clamp probability, worst bias, and the curve between them.

use lastbit::Gamma;
use lastbit::mechanisms::snapping::utility::{
    Laws, UtilityError, bound_for_gamma_exact, bound_for_gamma_float,
    bound_for_gamma_float_from_accuracy, clamp_probability, curve,
};
use lastbit_exact::{Interval, Rational, Rounding, Up};

use super::typed;
use crate::number;

fn double(value: f64) -> Rational {
    Rational::try_from(value).unwrap()
}

fn snapped(scale: &Rational) -> i64 {
    scale.ceil_log2().unwrap()
}

fn laws(scale: &str, exponent: i64, bound: &str) -> Laws {
    let bound = (bound != "inf").then(|| number(bound));
    Laws::new(number(scale), exponent, bound, Up::ZERO).unwrap()
}

/// The largest |bias| over a grid of locations in [0, B']; the bias is odd.
fn scanned(laws: &Laws, half_width: &Rational, count: i64) -> f64 {
    (0..=count)
        .map(|i| {
            let location = half_width * &Rational::new(i, count);
            laws.at(&location).unwrap().bias().abs().lo()
        })
        .fold(0.0, f64::max)
}

#[test]
fn the_worst_bias_is_the_largest_that_a_scan_finds() {
    let mut cases = Vec::new();
    for scale in ["1", "0.51", "3", "0.1", "20"] {
        for bound in ["3", "2.7", "2.4", "0.9", "0.3", "6", "inf"] {
            for half_width in ["0.2", "0.85", "2.3", "2.4", "0.5", "1.5"] {
                if bound == "inf" || number(half_width) <= number(bound) {
                    cases.push((scale, 0, bound, half_width));
                }
            }
            if bound != "inf" {
                cases.push((scale, 0, bound, bound));
            }
        }
    }
    cases.extend([
        ("1", -4, "3", "3"),
        ("1", -4, "3.01", "2.9"),
        ("1", 3, "30", "29"),
        ("0.01", 0, "2.9", "2.9"),
    ]);
    for (scale, exponent, bound, half_width) in cases {
        let laws = laws(scale, exponent, bound);
        let half_width = number(half_width);
        let worst = laws.worst_bias(&half_width).unwrap();
        let found = scanned(&laws, &half_width, 41);
        let name = format!("{laws:?} {half_width}: {} and {found}", worst.bias);
        assert!(found <= worst.bias.hi(), "{name}");
        assert!(
            worst.bias.width().get() <= 1e-15 * worst.bias.hi() + 1e-100,
            "{name}"
        );
        assert!(
            worst.location <= half_width && !worst.location.is_negative(),
            "{name}"
        );
        // It is reached there, and points toward zero.
        let there = laws.at(&worst.location).unwrap().bias();
        assert!(
            (-there).hi() >= worst.bias.lo() * (1.0 - 1e-12) - 1e-30,
            "{name}: {there}"
        );
    }
}

/// Beyond 6000 scales an edge is never passed: the rounding bias is all there is, half a step at
/// most.
#[test]
fn on_a_grid_far_coarser_than_the_noise_the_worst_bias_is_half_a_step() {
    for (scale, exponent, bound) in [
        ("1", 20, "1e7"),
        ("5e-324", 1000, "1e305"),
        ("1e-300", 0, "2.5"),
    ] {
        let laws = laws(scale, exponent, bound);
        let worst = laws.worst_bias(&number(bound)).unwrap();
        let half_step = 2f64.powi((exponent - 1) as i32);
        assert!(
            worst.bias.hi() <= half_step * (1.0 + 1e-12) && worst.bias.lo() >= half_step * 0.99,
            "{laws:?}: {}",
            worst.bias
        );
        let found = scanned(&laws, &number(bound), 101);
        assert!(found <= worst.bias.hi(), "{laws:?}: {found}");
    }
}

#[test]
fn the_worst_bias_covers_every_mechanism_within_the_edge_error() {
    for (scale, bound, half_width) in [("1", "4", "3"), ("30", "4", "4"), ("0.6", "2.7", "2.7")] {
        let exact = laws(scale, 0, bound);
        let float = Laws::new(
            number(scale),
            0,
            Some(number(bound)),
            Up::new(1e-3).unwrap(),
        )
        .unwrap();
        let half_width = number(half_width);
        let (tight, wide) = (
            exact.worst_bias(&half_width).unwrap(),
            float.worst_bias(&half_width).unwrap(),
        );
        assert!(wide.bias.lo() <= tight.bias.lo() && tight.bias.hi() <= wide.bias.hi());
        for i in 0..=60 {
            let location = &half_width * &Rational::new(i, 60);
            let bias = float.at(&location).unwrap().bias();
            assert!(bias.abs().hi() <= wide.bias.hi() * (1.0 + 1e-15));
        }
    }
}

#[test]
fn without_a_location_to_vary_there_is_no_bias() {
    assert_eq!(
        laws("1", 0, "3").worst_bias(&Rational::ZERO).unwrap().bias,
        Interval::ZERO
    );
}

#[test]
fn expected_bias_is_the_weighted_mean() {
    let laws = laws("1", 0, "4");
    let guesses = [("4", "2"), ("-1.3", "1/2"), ("0.25", "3"), ("2", "0")];
    let histogram: Vec<_> = guesses
        .iter()
        .map(|(guess, weight)| (number(guess), number(weight)))
        .collect();
    let (mut sum, mut total) = (Interval::ZERO, Interval::ZERO);
    for (guess, weight) in &histogram {
        let weight = Interval::from_rational(weight);
        sum = sum + weight * laws.at(guess).unwrap().bias();
        total = total + weight;
    }
    let mean = laws.expected_bias(&histogram).unwrap();
    assert!(mean.intersect(sum / total).is_some() && mean.width().get() < 1e-16);
    let list: Vec<_> = histogram.iter().map(|(guess, _)| guess.clone()).collect();
    let equal: Vec<_> = list
        .iter()
        .map(|guess| (guess.clone(), number("7")))
        .collect();
    let of_list = laws.expected_bias_of(&list).unwrap();
    assert!(
        of_list
            .intersect(laws.expected_bias(&equal).unwrap())
            .is_some()
    );
}

const GAMMAS: [&str; 6] = ["0.05", "0.5", "0.99", "1", "1e-9", "0.3"];

#[test]
fn no_clamp_binds_with_probability_one_minus_gamma() {
    for scale in ["1", "0.51", "3/4", "1.99", "100", "1e-300", "1e300"] {
        let scale = number(scale);
        for exponent in [snapped(&scale), snapped(&scale) - 7, snapped(&scale) + 3] {
            for half_width in ["0", "0.3", "0.5", "1.7", "50"] {
                let half_width = &number(half_width) * &scale;
                for gamma in GAMMAS {
                    let gamma = number(gamma);
                    let bound =
                        bound_for_gamma_exact(&half_width, &scale, exponent, &typed(&gamma))
                            .unwrap();
                    let clamp =
                        clamp_probability(&half_width, &bound, &scale, exponent, Up::ZERO).unwrap();
                    assert!(
                        double(clamp.hi()) <= gamma,
                        "{scale} {exponent} {half_width} {gamma}: {clamp}"
                    );
                }
            }
        }
    }
}

/// λ as the float modes set it, with the constants (24, 24) or less, at 53 and 118 bits.
#[test]
fn the_closed_form_for_float_modes_keeps_gamma() {
    for precision in [53, 118] {
        let eta = Rational::ONE.times_power_of_two(-precision);
        let charged = &number("24") * &eta;
        for epsilon in ["1", "0.1", "3", "0.51"] {
            for sensitivity in ["1", "100", "0.001"] {
                for half_width in ["0", "0.5", "10", "1e9"] {
                    for gamma in GAMMAS {
                        let (epsilon, sensitivity) = (number(epsilon), number(sensitivity));
                        let (half_width, gamma) = (number(half_width), number(gamma));
                        let bound = bound_for_gamma_float(
                            &half_width,
                            &sensitivity,
                            &epsilon,
                            &typed(&gamma),
                        )
                        .unwrap();
                        let overhead = &Rational::ONE + &(&charged * &(&bound / &sensitivity));
                        let scale = &(&sensitivity * &overhead) / &(&epsilon - &charged);
                        let clamp = clamp_probability(
                            &half_width,
                            &bound,
                            &scale,
                            snapped(&scale),
                            Up::ZERO,
                        )
                        .unwrap();
                        assert!(
                            double(clamp.hi()) <= gamma,
                            "{precision} {epsilon} {sensitivity} {half_width} {gamma}: {clamp}"
                        );
                    }
                }
            }
        }
    }
}

/// ε⁻ = Δ ln(1/β)/a is at most the ε that reaches a, so B is at least the one for that ε.
#[test]
fn the_bound_from_accuracy_is_the_one_of_its_smallest_loss() {
    let (half_width, beta, gamma) = (number("10"), number("0.05"), number("0.01"));
    for (sensitivity, accuracy) in [("1", "3"), ("100", "50"), ("0.01", "4")] {
        let (sensitivity, accuracy) = (number(sensitivity), number(accuracy));
        let epsilon = Interval::from_rational(&(&sensitivity / &accuracy))
            * -Interval::from_rational(&beta).ln();
        let from_accuracy = bound_for_gamma_float_from_accuracy(
            &half_width,
            &sensitivity,
            &accuracy,
            &typed(&beta),
            &typed(&gamma),
        )
        .unwrap();
        let smaller = bound_for_gamma_float(
            &half_width,
            &sensitivity,
            &double(epsilon.hi()),
            &typed(&gamma),
        )
        .unwrap();
        let larger = bound_for_gamma_float(
            &half_width,
            &sensitivity,
            &double(epsilon.lo()),
            &typed(&gamma),
        )
        .unwrap();
        assert!(smaller <= from_accuracy && from_accuracy <= larger);
        assert!((larger.to_f64(Rounding::Up) / smaller.to_f64(Rounding::Up) - 1.0) < 1e-14);
    }
}

#[test]
fn bounds_refuse_what_they_cannot_use() {
    let (one, half) = (Rational::ONE, number("0.5"));
    let text = |error: UtilityError| error.to_string();
    for gamma in ["0", "-1", "1.01"] {
        assert!(gamma.parse::<Gamma>().is_err(), "{gamma}");
    }
    assert_eq!(
        bound_for_gamma_exact(&number("1e308"), &number("1e308"), 1023, &typed(&half)).unwrap_err(),
        UtilityError::BoundOverflow
    );
    assert!(bound_for_gamma_exact(&-one.clone(), &one, 0, &typed(&half)).is_err());
    let tiny = Rational::ONE.times_power_of_two(-117);
    let error = bound_for_gamma_float(&one, &one, &tiny, &typed(&half)).unwrap_err();
    assert!(text(error).contains("use exact arithmetic"));
    let accuracy = Rational::ONE.times_power_of_two(200);
    let (beta, gamma) = (typed(&half), typed(&half));
    assert!(matches!(
        bound_for_gamma_float_from_accuracy(&one, &one, &accuracy, &beta, &gamma),
        Err(UtilityError::EpsilonTooSmall { .. })
    ));
    assert!(matches!(
        clamp_probability(&number("2"), &one, &one, 0, Up::ZERO),
        Err(UtilityError::BoundBelowHalfWidth { .. })
    ));
}

#[test]
fn a_wider_clamp_trades_bias_for_variance() {
    let half_width = number("10");
    let bounds: Vec<_> = (0..40)
        .map(|i| &half_width + &Rational::new(i, 4))
        .collect();
    let points = curve(&half_width, &bounds, |bound| {
        Laws::new(Rational::ONE, 0, Some(bound.clone()), Up::ZERO)
    })
    .unwrap();
    assert_eq!(points.len(), 40);
    for pair in points.windows(2) {
        assert!(pair[1].worst_bias.hi() <= pair[0].worst_bias.hi());
        assert!(pair[1].clamp_probability.hi() <= pair[0].clamp_probability.hi());
    }
    assert!(points[39].variance.lo() > points[0].variance.hi());
    for point in &points {
        let square = point.worst_bias.powi(2) + point.variance;
        assert!(
            square.intersect(point.mean_squared_error).is_some()
                || (square.midpoint() / point.mean_squared_error.midpoint() - 1.0).abs() < 1e-12
        );
    }
}

/// In a float mode λ grows with B, so that the bias has a least value at some B.
#[test]
fn the_curve_follows_a_scale_that_depends_on_the_bound() {
    let half_width = number("10");
    let bounds: Vec<_> = [11i64, 20, 40, 1 << 20, 1 << 40]
        .into_iter()
        .map(Rational::from)
        .collect();
    let points = curve(&half_width, &bounds, |bound| {
        let eta = Rational::ONE.times_power_of_two(-53);
        let scale = &Rational::ONE + &(&(&number("24") * bound) * &eta);
        let edge_error = Up::from_rational(&(&(&number("7") * bound) * &eta));
        Laws::new(
            scale.clone(),
            snapped(&scale),
            Some(bound.clone()),
            edge_error,
        )
    })
    .unwrap();
    assert!(points.windows(2).all(|pair| pair[0].scale < pair[1].scale));
    assert!(points[3].variance.hi() < points[4].variance.hi());
    let error: Result<_, UtilityError> = curve(&half_width, &[Rational::ONE], |bound| {
        Laws::new(Rational::ONE, 0, Some(bound.clone()), Up::ZERO)
    });
    assert!(matches!(
        error,
        Err(UtilityError::BoundBelowHalfWidth { .. })
    ));
}
