//! The law against itself: sums over its points, symmetry, thresholds that are off, and what it
//! refuses.

use lastbit::mechanisms::snapping::utility::{Law, Laws, UtilityError};
use lastbit_exact::{Interval, Rational, Rounding, Up};

use crate::number;

fn law(location: &str, scale: &str, exponent: i64, bound: &str, edge_error: f64) -> Law {
    let bound = (bound != "inf").then(|| number(bound));
    let tau = Up::new(edge_error).unwrap();
    Law::new(number(location), number(scale), exponent, bound, tau).unwrap()
}

/// Laws with few points, of every shape: B a multiple of Λ or not, below Λ/2, locations at ends and
/// ties.
fn small_laws() -> Vec<Law> {
    let mut laws = Vec::new();
    for scale in ["1", "0.6", "1/3", "5", "40"] {
        for bound in ["3", "2.7", "7/2", "0.3", "1", "12.25"] {
            let top = number(bound);
            for part in ["0", "1", "-1", "1/2", "-0.9", "0.37"] {
                let location = &top * &number(part);
                laws.push(
                    Law::new(location, number(scale), 0, Some(top.clone()), Up::ZERO).unwrap(),
                );
            }
        }
    }
    laws.push(law("1.25", "0.75", -1, "4", 0.0));
    laws.push(law("-7", "6", 2, "30", 0.0));
    laws
}

fn overlap(a: Interval, b: Interval) -> bool {
    a.intersect(b).is_some()
}

#[test]
fn probabilities_sum_to_one() {
    for law in small_laws() {
        let sum = law
            .points()
            .fold(Interval::ZERO, |sum, point| sum + point.probability);
        assert!(sum.contains(1.0), "{law:?}: {sum}");
        assert!(sum.width().get() < 1e-13, "{law:?}: {sum}");
    }
}

#[test]
fn without_a_bound_points_and_both_tails_sum_to_one() {
    for (location, scale, exponent) in [
        ("0", "1", 0),
        ("0.3", "0.75", 0),
        ("-1/3", "5", -2),
        ("7", "0.01", 3),
    ] {
        let law = law(location, scale, exponent, "inf", 0.0);
        let points = law.points();
        let (below, above) = (points.below(), points.above());
        let outside = 2f64.powi(-60);
        assert!(below.hi() <= outside && above.hi() <= outside, "{law:?}");
        let sum = points.fold(below + above, |sum, point| sum + point.probability);
        assert!(
            sum.contains(1.0) && sum.width().get() < 1e-12,
            "{law:?}: {sum}"
        );
        assert_eq!(law.point_count(), None);
    }
}

#[test]
fn closed_forms_agree_with_sums_over_points() {
    for law in small_laws() {
        let location = Interval::from_rational(law.location());
        let (mut mean, mut square, mut error) = (Interval::ZERO, Interval::ZERO, Interval::ZERO);
        let mut count = 0;
        for point in law.points() {
            let value = Interval::from_rational(&point.value);
            let off = value - location;
            mean = mean + value * point.probability;
            error = error + off * point.probability;
            square = square + off.powi(2) * point.probability;
            count += 1;
        }
        assert_eq!(law.point_count(), Some(count.into()));
        assert!(
            overlap(law.mean(), mean),
            "{law:?}: {} and {mean}",
            law.mean()
        );
        assert!(
            overlap(law.bias(), error),
            "{law:?}: {} and {error}",
            law.bias()
        );
        let mse = law.mean_squared_error();
        assert!(overlap(mse, square), "{law:?}: {mse} and {square}");
        let variance = square - error.powi(2);
        assert!(
            overlap(law.variance(), variance),
            "{law:?}: {} and {variance}",
            law.variance()
        );
        assert!(mean.width().get() < 1e-12 && variance.width().get() < 1e-10);
    }
}

#[test]
fn cdf_and_tail_agree_with_sums_over_points() {
    for law in small_laws() {
        let points: Vec<_> = law.points().collect();
        for probe in &points {
            let quarter = Rational::new(1, 4).times_power_of_two(law.grid_exponent().get());
            for x in [
                probe.value.clone(),
                &probe.value + &quarter,
                &probe.value - &quarter,
            ] {
                let sum = |keep: &dyn Fn(&Rational) -> bool| {
                    points
                        .iter()
                        .filter(|point| keep(&point.value))
                        .fold(Interval::ZERO, |sum, point| sum + point.probability)
                };
                let below = sum(&|value| *value <= x);
                assert!(
                    overlap(law.cdf(&x), below),
                    "{law:?} at {x}: {} and {below}",
                    law.cdf(&x)
                );
                let a = (&x - law.location()).abs();
                let beyond = sum(&|value| (value - law.location()).abs() > a);
                assert!(
                    overlap(law.tail(&a), beyond),
                    "{law:?} at {a}: {} and {beyond}",
                    law.tail(&a)
                );
            }
        }
    }
}

#[test]
fn opposite_locations_have_opposite_laws() {
    for law in small_laws() {
        let bound = law.bound().cloned();
        let opposite = Law::new(
            -law.location(),
            law.scale().clone(),
            law.grid_exponent(),
            bound,
            Up::ZERO,
        )
        .unwrap();
        for point in law.points() {
            assert_eq!(
                point.probability,
                opposite.pmf(&-&point.value),
                "{law:?} at {}",
                point.value
            );
        }
        assert!(overlap(law.mean(), -opposite.mean()));
        assert!(overlap(law.variance(), opposite.variance()));
    }
}

#[test]
fn at_zero_there_is_no_bias() {
    for bound in ["3", "2.7", "0.3", "inf"] {
        assert_eq!(law("0", "0.7", 0, bound, 0.0).bias(), Interval::ZERO);
        let float = law("0", "0.7", 0, bound, 1e-10).bias();
        assert_eq!(float.lo(), -float.hi());
        assert!(float.hi() > 0.0 && float.hi() < 1e-9);
    }
}

#[test]
fn points_that_are_not_in_the_support_have_probability_zero() {
    let law = law("0.1", "1", 0, "2.5", 1e-3);
    for x in ["0.5", "-2.25", "3", "-17", "2.4999999"] {
        assert_eq!(law.pmf(&number(x)), Interval::ZERO);
    }
    assert_eq!(law.cdf(&number("-2.6")), Interval::ZERO);
    assert_eq!(law.cdf(&number("2.5")), Interval::ONE);
    assert_eq!(law.tail(&number("2.6")), Interval::ZERO);
    assert_eq!(law.tail(&number("-1")), Interval::ONE);
}

/// Laws whose thresholds are off by τ, one way or the other at each edge, lie inside; and the
/// enclosures of single probabilities cannot be narrower.
#[test]
fn laws_with_thresholds_off_by_tau_lie_inside() {
    let tau = 1e-3;
    for (location, scale, bound) in [
        ("0.3", "0.8", "4"),
        ("2.6", "1", "2.7"),
        ("-1.5", "2", "3"),
        ("0.5", "0.55", "1"),
    ] {
        let law = law(location, scale, 0, bound, tau);
        let t = law.location().to_f64(Rounding::NearestEven);
        let scale = law.scale().to_f64(Rounding::NearestEven);
        let points: Vec<_> = law.points().collect();
        let values: Vec<f64> = points
            .iter()
            .map(|p| p.value.to_f64(Rounding::NearestEven))
            .collect();
        let n = (points.len() as i64 - 3) / 2;
        let edges: Vec<f64> = (-n..=n + 1).map(|k| k as f64 - 0.5).collect();
        let mut least = vec![f64::INFINITY; points.len()];
        let mut most = vec![0f64; points.len()];
        for signs in 0u32..1 << edges.len() {
            // P(X at or above edge i), moved by ±τ·e^-z/2.
            let upper: Vec<f64> = edges
                .iter()
                .enumerate()
                .map(|(i, edge)| {
                    let z = (edge - t) / scale;
                    let half = (-z.abs()).exp() / 2.0;
                    let moved = if signs >> i & 1 == 1 { tau } else { -tau } * half;
                    (if z >= 0.0 { half } else { 1.0 - half }) + moved
                })
                .collect();
            let mut masses = vec![1.0 - upper[0]];
            masses.extend(upper.windows(2).map(|pair| pair[0] - pair[1]));
            masses.push(upper[upper.len() - 1]);
            let inside = |interval: Interval, value: f64| {
                interval.lo() - 1e-12 <= value && value <= interval.hi() + 1e-12
            };
            for (i, point) in points.iter().enumerate() {
                assert!(
                    inside(point.probability, masses[i]),
                    "{law:?} at {}",
                    point.value
                );
                least[i] = least[i].min(masses[i]);
                most[i] = most[i].max(masses[i]);
            }
            let mean: f64 = values.iter().zip(&masses).map(|(x, p)| x * p).sum();
            let square: f64 = values
                .iter()
                .zip(&masses)
                .map(|(x, p)| (x - t) * (x - t) * p)
                .sum();
            assert!(inside(law.mean(), mean));
            assert!(inside(law.bias(), mean - t));
            assert!(inside(law.mean_squared_error(), square));
            assert!(inside(law.variance(), square - (mean - t) * (mean - t)));
            for a in [0.0, 0.45, 1.15, 2.05] {
                let tail: f64 = values
                    .iter()
                    .zip(&masses)
                    .filter(|(x, _)| (*x - t).abs() > a)
                    .map(|(_, p)| p)
                    .sum();
                assert!(inside(law.tail(&Rational::try_from(a).unwrap()), tail));
            }
            assert!(inside(
                law.cdf(&number("0.9")),
                masses
                    .iter()
                    .zip(&values)
                    .filter(|(_, x)| **x <= 0.9)
                    .map(|(p, _)| p)
                    .sum()
            ));
        }
        for (i, point) in points.iter().enumerate() {
            assert!(point.probability.hi() <= most[i] + 1e-12);
            assert!(point.probability.lo() >= least[i].max(0.0) - 1e-12);
        }
    }
}

#[test]
fn a_window_is_as_short_as_it_can_be() {
    let law = law("0.3", "0.75", 0, "inf", 0.0);
    let outside = number("1/1000");
    let values: Vec<_> = law
        .points_but(&outside)
        .unwrap()
        .map(|point| point.value)
        .collect();
    let (first, last) = (&values[0], &values[values.len() - 1]);
    let one = Rational::ONE;
    assert!(law.cdf(&(first - &one)).hi() <= 1e-3 && law.cdf(first).lo() > 1e-3);
    assert!(law.cdf(last).lo() >= 1.0 - 1e-3 && law.cdf(&(last - &one)).hi() < 1.0 - 1e-3);
    let hint = law.points_but(&outside).unwrap().size_hint();
    assert_eq!(hint, (values.len(), Some(values.len())));
}

#[test]
fn long_supports_are_lazy() {
    let law = law("0.3", "1", 0, "1e300", 0.0);
    assert_eq!(law.points().size_hint(), (usize::MAX, None));
    assert_eq!(law.points().next().unwrap().value, -number("1e300"));
    let count = law.points_but(&number("1e-6")).unwrap().count();
    assert!((25..40).contains(&count), "{count}");
}

#[test]
fn the_whole_range_of_doubles_works() {
    let extremes = ["5e-324", "1e-300", "1", "1e300", "1e308"];
    for scale in extremes {
        for bound in extremes {
            for exponent in [-1074, 0, 1023] {
                let laws =
                    Laws::new(number(scale), exponent, Some(number(bound)), Up::ZERO).unwrap();
                let half = number(bound).times_power_of_two(-1);
                for location in [number(bound), half.clone(), -&half] {
                    let law = laws.at(&location).unwrap();
                    let range = Up::from_rational(&number(bound)).get();
                    assert!(
                        law.mean().abs().lo() <= range
                            && law.mean().width().get() <= 1e-14 * range + 1e-323
                    );
                    assert!(law.variance().lo().sqrt() <= range * (1.0 + 1e-15));
                    assert!(law.cdf(&location).hi() <= 1.0);
                    let accuracy = law.exact_accuracy(&"0.05".parse().unwrap());
                    assert!(
                        law.tail(&accuracy).hi() <= 0.05
                            && accuracy <= number(bound).times_power_of_two(1)
                    );
                }
                let worst = laws.worst_bias(&half).unwrap();
                assert!(worst.location <= half && !worst.location.is_negative());
            }
        }
    }
}

#[test]
fn refusals_name_the_remedy() {
    let one = Rational::ONE;
    let new = |location: &str, scale: &str, exponent: i64, bound: &str, tau: f64| {
        Law::new(
            number(location),
            number(scale),
            exponent,
            Some(number(bound)),
            Up::new(tau).unwrap(),
        )
        .unwrap_err()
        .to_string()
    };
    assert_eq!(new("0", "0", 0, "1", 0.0), "scale must be positive, got 0");
    assert_eq!(
        new("0", "1", 0, "-1", 0.0),
        "bound must be positive, got -1"
    );
    assert_eq!(
        new("2", "1", 0, "1", 0.0),
        "location 2 is outside [-1, 1]; clamp it to the bound first, or raise the bound"
    );
    assert!(new("0", "1", i64::MAX, "1", 0.0).contains("choose a grid nearer to the scale"));
    assert!(new("0", "1", i64::MIN, "1", 0.0).contains("choose a grid nearer to the scale"));
    for tau in [1.0, -0.1, f64::INFINITY] {
        assert!(new("0", "1", 0, "1", tau).contains("must lie in [0, 1)"));
    }
    let law = law("0", "1", 0, "1", 0.0);
    assert!(law.points_but(&Rational::ZERO).is_err());
    let laws = Laws::new(one.clone(), 0, Some(one.clone()), Up::ZERO).unwrap();
    assert_eq!(laws.expected_bias(&[]).unwrap_err(), UtilityError::NoWeight);
    assert!(laws.expected_bias(&[(Rational::ZERO, -&one)]).is_err());
    assert!(matches!(
        laws.worst_bias(&number("2")),
        Err(UtilityError::BoundBelowHalfWidth { .. })
    ));
}
