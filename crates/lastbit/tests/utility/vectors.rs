//! The law against vectors made by mpmath: every enclosure holds the true value, and is narrow.

use lastbit::mechanisms::snapping::utility::Law;
use lastbit_exact::{Interval, Rational, Up};

use crate::number;

const VECTORS: &str = include_str!("../data/utility_law.txt");

/// Two units in the last place, or the smallest subnormals.
fn is_narrow(interval: Interval) -> bool {
    let size = interval.lo().abs().max(interval.hi().abs());
    interval.width().get() <= size * 2f64.powi(-51) + 1e-323
}

#[test]
fn every_enclosure_holds_the_oracle_and_is_narrow() {
    let mut law = None;
    let (mut laws, mut checks) = (0, 0);
    for line in VECTORS.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        if words[0] == "law" {
            let exponent: i64 = words[1].parse().unwrap();
            let bound = (words[3] != "inf").then(|| number(words[3]).times_power_of_two(exponent));
            let (scale, location) = (number(words[2]), number(words[4]));
            law = Some(
                Law::new(
                    location.times_power_of_two(exponent),
                    scale.times_power_of_two(exponent),
                    exponent,
                    bound,
                    Up::ZERO,
                )
                .unwrap(),
            );
            laws += 1;
            continue;
        }
        let law = law.as_ref().unwrap();
        let exponent = law.grid_exponent().get();
        let place = number(words[1]).times_power_of_two(exponent);
        let expected = number(words[words.len() - 1]);
        let (found, expected) = match words[0] {
            "pmf" => (law.pmf(&place), expected),
            "cdf" => (law.cdf(&place), expected),
            "tail" => (law.tail(&place), expected),
            "mean" => (law.mean(), expected.times_power_of_two(exponent)),
            "bias" => (law.bias(), expected.times_power_of_two(exponent)),
            "variance" => (law.variance(), expected.times_power_of_two(2 * exponent)),
            "mse" => (
                law.mean_squared_error(),
                expected.times_power_of_two(2 * exponent),
            ),
            "accuracy" => {
                let found = law.exact_accuracy(&words[1].parse().unwrap());
                assert_eq!(
                    found,
                    expected.times_power_of_two(exponent),
                    "{law:?}: {line}"
                );
                checks += 1;
                continue;
            }
            other => panic!("unknown quantity {other}"),
        };
        assert!(
            found.contains_rational(&expected),
            "{law:?}: {line}: {found} misses {expected}"
        );
        // A moment may be a difference of larger numbers; then it is narrow against the larger of
        // scale and grid.
        let grid = Rational::ONE.times_power_of_two(exponent);
        let unit = Up::from_rational(law.scale().max(&grid)).get();
        let against_scale = match words[0] {
            "mean" | "bias" => found.width().get() <= 1e-100 * unit,
            _ => false,
        };
        assert!(
            is_narrow(found) || against_scale || found.hi() == f64::INFINITY,
            "{law:?}: {line}: {found} is wide"
        );
        checks += 1;
    }
    assert!(
        laws >= 200 && checks >= 5000,
        "{laws} laws, {checks} checks"
    );
}
