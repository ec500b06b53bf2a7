//! The radius of the smallest ball with so many rows: its quality, its law, its loss and its error.

use super::law::{assert_law, closed_form, max_divergence, missing, multisets};
use lastbit::domains::{AtomDomain, VectorDomain};
use lastbit::quality::StepFunction;
use lastbit::selection::{
    RadiusSelection, ball_radius, ball_radius_by, ball_radius_on_grid, offers,
};
use lastbit::{Epsilon, Error};
use lastbit_exact::{Interval, Rational};
use proptest::prelude::*;

fn epsilon(text: &str) -> Epsilon {
    text.parse().unwrap()
}

fn rational<T: core::str::FromStr<Err: core::fmt::Debug>>(text: &str) -> T {
    text.parse().unwrap()
}

/// B(w): the most rows in an interval `[a, a + w]`; none in one of negative length.
fn most_within(rows: &[u64], length: i64) -> i64 {
    let held = |a: u64| {
        rows.iter()
            .filter(|&&x| x >= a && (x - a) as i64 <= length)
            .count()
    };
    rows.iter().map(|&a| held(a)).max().unwrap_or(0) as i64
}

fn brute_force(rows: &[u64], size: u64, count: u64, within: u64) -> Vec<i64> {
    let count = count as i64;
    let quality = |w: i64| {
        let above = most_within(rows, w - 1) + 1 - count;
        let off = (count - most_within(rows, w)).max(above).max(0);
        rows.len() as i64 - off.min(within as i64 + 1)
    };
    (0..size as i64).map(quality).collect()
}

fn values(quality: &StepFunction) -> Vec<i64> {
    (0..quality.size()).map(|w| quality.value(w)).collect()
}

proptest! {
    #[test]
    fn the_quality_is_its_formula(
        mut rows in prop::collection::vec(0u64..40, 1..10), count in 1u64..10, within in 0u64..12,
    ) {
        rows.sort_unstable();
        let count = count.min(rows.len() as u64);
        let quality = StepFunction::shortest_interval(&rows, 40, count, within).unwrap();
        prop_assert_eq!(values(&quality), brute_force(&rows, 40, count, within));
        prop_assert_eq!(quality.maximum(), rows.len() as i64);
        quality.check_quasi_concave().unwrap();
    }
}

#[test]
fn the_law_of_draws_is_the_closed_form() {
    let rows = vec![3u64, 0, 4, 11, 4];
    let sorted = [0u64, 3, 4, 4, 11];
    let domain = VectorDomain::new(AtomDomain::bounded(0u64, 12).unwrap()).with_size(5);
    let selection = ball_radius(domain, 3, &epsilon("0.7"), None).unwrap();
    let quality = StepFunction::shortest_interval(&sorted, 13, 3, 100).unwrap();
    assert_law(&quality, &rational("0.35"), |bits| {
        let radius = selection.invoke_with(&rows, bits)?.unwrap();
        Ok::<u128, Error>(u128::try_from(radius.times_power_of_two(1).floor()).unwrap())
    });
}

#[test]
fn no_two_neighbours_lose_more_than_epsilon() {
    let mut most = 0.0f64;
    for (size, rows, count, within) in [
        (4u64, 5, 3, 9),
        (4, 5, 2, 1),
        (7, 3, 2, 9),
        (20, 2, 2, 0),
        (40, 2, 1, 9),
    ] {
        let domain = VectorDomain::new(AtomDomain::bounded(0, size - 1).unwrap()).with_size(rows);
        let claimed = ball_radius(domain, count, &epsilon("1.5"), None).unwrap();
        let claimed = claimed.map(&1).unwrap();
        assert_eq!((claimed.loss().get(), claimed.delta().get()), (1.5, 0.0));
        let all = multisets(&(0..size).collect::<Vec<u64>>(), rows);
        let quality = |rows: &Vec<u64>| {
            StepFunction::shortest_interval(rows, size.into(), count, within).unwrap()
        };
        let qualities: Vec<StepFunction> = all.iter().map(quality).collect();
        let law = |quality| closed_form(quality, &rational("0.75"));
        let laws: Vec<Vec<Interval>> = qualities.iter().map(law).collect();
        for (i, x) in all.iter().enumerate() {
            for (j, y) in all.iter().enumerate().filter(|(_, y)| missing(x, y) == 1) {
                let moved = values(&qualities[i]);
                let moved = moved
                    .iter()
                    .zip(values(&qualities[j]))
                    .map(|(a, b)| a.abs_diff(b));
                assert!(moved.max().unwrap() <= 1, "{x:?} {y:?}");
                let lost = max_divergence(&laws[i], &laws[j]);
                assert!(lost <= 1.5, "{x:?} {y:?}: {lost}");
                most = most.max(lost);
            }
        }
    }
    assert!(most > 0.9, "{most}");
}

/// `D(count − e) ≤ w ≤ D(count + e)` but with probability β, exactly, over all small data sets;
/// D(m) is the shortest length with m rows.
#[test]
fn radii_keep_their_bound() {
    let (size, beta) = (4u64, rational("0.3"));
    for text in ["2", "5", "12"] {
        let offer = &offers(size.into(), &epsilon(text), None, &beta).unwrap()[0];
        let bound = offer.loss_of_quality.get();
        let e = bound.floor() as i64;
        for rows in multisets(&[0u64, 1, 2, 3], 6) {
            for count in 1..=6 {
                let within = bound.ceil() as u64;
                let quality = StepFunction::shortest_interval(&rows, 4, count, within).unwrap();
                let law = closed_form(&quality, &rational::<Rational>(text).times_power_of_two(-1));
                let good = |w: i64| {
                    most_within(&rows, w) >= count as i64 - e
                        && most_within(&rows, w - 1) < count as i64 + e
                };
                let bad = (0..4).filter(|&w| !good(w));
                let bad = bad.fold(Interval::ZERO, |sum, w| sum + law[w as usize]);
                assert!(bad.hi() <= 0.3, "{rows:?} {count} at {text}: {bad:?}");
            }
        }
    }
}

/// Each of the three releases fails with probability at most 5e-11.
#[test]
fn a_cluster_is_found_among_all_numbers() {
    // 8000 rows a step of 3 apart, among some that are far from all others.
    let close = (0..8000i64).map(|i| 3 * i - 1_000_000);
    let rows: Vec<i64> = close.chain((0..500).map(|i| (i - 250) << 50)).collect();
    let domain = VectorDomain::new(AtomDomain::<i64>::new()).with_size(rows.len());
    let (delta, beta) = (rational("1e-6"), rational("5e-11"));
    // A larger ε, so that every bound is well below the size of the cluster.
    for offer in offers(1 << 64, &epsilon("10"), Some(&delta), &beta).unwrap() {
        let selection = ball_radius_by(domain.clone(), 4000, &offer).unwrap();
        let radius = selection
            .invoke(&rows)
            .unwrap()
            .expect("stable but with probability 5e-11");
        let within = offer.loss_of_quality.get();
        assert!(within < 4000.0, "{within}");
        // m rows are 3(m − 1) long.
        let length = radius
            .times_power_of_two(1)
            .to_f64(lastbit_exact::Rounding::NearestEven);
        assert!(
            (length - 3.0 * 3999.0).abs() <= 3.0 * within,
            "{length} by {offer:?}"
        );
    }
}

#[test]
fn floats_are_measured_on_a_grid() {
    // All rows at 0.25, or 0.25 apart: the answer is certain up to e^-100.
    let domain = || VectorDomain::new(AtomDomain::bounded(-1.0, 1.0).unwrap()).with_size(4);
    let large = epsilon("2000");
    let radius = |rows: [f64; 4], count| {
        let selection = ball_radius_on_grid(domain(), -4, count, &large, None).unwrap();
        selection.invoke(&rows.to_vec()).unwrap().unwrap()
    };
    assert_eq!(radius([-1.0, -0.5, 0.25, 1.0], 1), Rational::ZERO);
    assert_eq!(radius([-1.0, -0.5, 0.25, 1.0], 2), rational("0.25"));
    assert_eq!(radius([-1.0, -0.5, 0.25, 1.0], 4), Rational::ONE);
    // -0.51 and 0.26 are nearest to -0.5 and 0.25 of the sixteenths.
    assert_eq!(radius([-1.0, -0.51, 0.26, 1.0], 3), rational("0.625"));
}

#[test]
fn bad_requests_are_refused_with_the_remedy() {
    let text = |refused: Result<RadiusSelection<f64>, Error>| refused.unwrap_err().to_string();
    let of = |domain, grid| ball_radius_on_grid(domain, grid, 2, &epsilon("1"), None);
    let floats = || VectorDomain::new(AtomDomain::<f64>::new()).with_size(3);
    assert!(text(of(floats(), 0)).contains("give it a lower and an upper bound"));
    let bounded = |rows| VectorDomain::new(AtomDomain::bounded(0.0, 1.0).unwrap()).with_size(rows);
    assert!(text(of(bounded(3), -80)).contains("choose a coarser one"));
    assert_eq!(
        text(of(bounded(1), -8)),
        "a ball cannot hold 2 of 1 rows; ask for 1 to 1"
    );
    let unsized_rows = VectorDomain::new(AtomDomain::bounded(0.0, 1.0).unwrap());
    assert!(text(of(unsized_rows, -8)).contains("size"));
}
