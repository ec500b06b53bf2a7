//! Step functions against the same functions given point by point.

use lastbit::quality::{LARGEST_SIZE, QualityError, StepFunction};
use proptest::prelude::*;

fn table(function: &StepFunction) -> Vec<i64> {
    (0..function.size()).map(|x| function.value(x)).collect()
}

fn runs() -> impl Strategy<Value = Vec<(u128, i64)>> {
    prop::collection::vec((1u128..9, -4i64..5), 1..12)
}

/// Sorted data within a domain, and the size of the domain.
fn data() -> impl Strategy<Value = (Vec<u64>, u128)> {
    (1u64..40).prop_flat_map(|size| {
        let points = prop::collection::vec(0..size, 0..9).prop_map(|mut points| {
            points.sort_unstable();
            points
        });
        (points, Just(u128::from(size)))
    })
}

fn count(points: &[u64], holds: impl Fn(u128) -> bool) -> i64 {
    points.iter().filter(|&&p| holds(u128::from(p))).count() as i64
}

/// The definition: over all x < y < z.
fn is_quasi_concave(values: &[i64]) -> bool {
    let n = values.len();
    (0..n).all(|x| (x..n).all(|y| (y..n).all(|z| values[y] >= values[x].min(values[z]))))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn runs_are_the_values_in_order(runs in runs()) {
        let function = StepFunction::from_runs(runs.iter().copied()).unwrap();
        let values: Vec<i64> =
            runs.iter().flat_map(|&(length, value)| vec![value; length as usize]).collect();
        prop_assert_eq!(table(&function), values.clone());
        prop_assert_eq!(function.size(), values.len() as u128);
        prop_assert_eq!(&StepFunction::from_values(values.iter().copied()).unwrap(), &function);
        prop_assert_eq!(function.maximum(), values.iter().copied().max().unwrap());
        let runs: Vec<_> = function.runs().collect();
        prop_assert!(
            runs.windows(2)
                .all(|w| w[0].start + w[0].length == w[1].start && w[0].value != w[1].value)
        );
    }

    #[test]
    fn levels_are_the_best_worst_values_of_intervals(runs in runs()) {
        let function = StepFunction::from_runs(runs).unwrap();
        let values = table(&function);
        let brute: Vec<i64> = (0..=values.len().ilog2())
            .map(|j| values.windows(1 << j).map(|w| *w.iter().min().unwrap()).max().unwrap())
            .collect();
        prop_assert_eq!(function.levels(), brute);
    }

    #[test]
    fn maximum_and_restriction_on_an_interval(
        runs in runs(),
        start in 0usize..100,
        length in 1usize..100,
    ) {
        let function = StepFunction::from_runs(runs).unwrap();
        let values = table(&function);
        let interval = (start as u128, length as u128);
        match values.get(start..start + length) {
            Some(part) => {
                prop_assert_eq!(
                    function.maximum_on(interval.0, interval.1).unwrap(),
                    *part.iter().max().unwrap()
                );
                prop_assert_eq!(table(&function.restrict(interval.0, interval.1).unwrap()), part);
                let twice = function.restrict_to([interval, interval]).unwrap();
                prop_assert_eq!(table(&twice), [part, part].concat());
            }
            None => {
                prop_assert_eq!(
                    function.maximum_on(interval.0, interval.1),
                    Err(QualityError::BadInterval { size: function.size() })
                );
                prop_assert!(function.restrict(interval.0, interval.1).is_err());
            }
        }
    }

    #[test]
    fn interval_maxima_are_the_maxima_of_all_intervals(
        runs in runs(),
        first in 1usize..20,
        length in 1usize..20,
    ) {
        let function = StepFunction::from_runs(runs).unwrap();
        let values = table(&function);
        let (head, rest) = values.split_at(first.min(values.len()));
        let brute: Vec<i64> = core::iter::once(head)
            .chain(rest.chunks(length))
            .map(|i| *i.iter().max().unwrap())
            .collect();
        prop_assert_eq!(
            table(&function.interval_maxima(first as u128, length as u128).unwrap()),
            brute
        );
    }

    #[test]
    fn top_gap_is_best_less_second(runs in runs()) {
        let function = StepFunction::from_runs(runs).unwrap();
        let values = table(&function);
        let best = *values.iter().max().unwrap();
        let place = values.iter().position(|&v| v == best).unwrap();
        let second = values.iter().enumerate().filter(|&(i, _)| i != place).map(|(_, &v)| v).max();
        let gap = second.map(|second| (best - second) as u64);
        prop_assert_eq!(function.top_gap(), (place as u128, gap));
    }

    #[test]
    fn extension_is_by_the_lesser_of_zero_and_the_last_value(runs in runs()) {
        let function = StepFunction::from_runs(runs).unwrap();
        let mut values = table(&function);
        let last = *values.last().unwrap();
        values.resize(values.len().next_power_of_two(), last.min(0));
        prop_assert_eq!(table(&function.extend_to_power_of_two()), values);
    }

    #[test]
    fn quasi_concavity_is_found_and_its_failure_shown(runs in runs()) {
        let function = StepFunction::from_runs(runs).unwrap();
        let values = table(&function);
        match function.check_quasi_concave() {
            Ok(()) => prop_assert!(is_quasi_concave(&values)),
            Err(QualityError::NotQuasiConcave { left, middle, right }) => {
                prop_assert!(left < middle && middle < right);
                let value = |x: u128| values[x as usize];
                prop_assert!(value(middle) < value(left).min(value(right)));
            }
            Err(other) => prop_assert!(false, "{}", other),
        }
    }

    #[test]
    fn interior_point_and_counting_follow_their_formulas((points, size) in data()) {
        let depth = StepFunction::interior_point(&points, size).unwrap();
        let counts = StepFunction::counting(&points, size).unwrap();
        for x in 0..size {
            prop_assert_eq!(
                depth.value(x),
                count(&points, |p| p <= x).min(count(&points, |p| p >= x))
            );
            prop_assert_eq!(counts.value(x), count(&points, |p| p == x));
        }
        depth.check_quasi_concave().unwrap();
        prop_assert!(2 * depth.maximum() >= points.len() as i64);
    }

    #[test]
    fn quantile_quality_is_the_count_less_the_rank_error((points, size) in data()) {
        let n = points.len() as i64;
        for rank in 1..=n {
            let quality = StepFunction::quantile(&points, size, rank as u64).unwrap();
            for x in 0..size {
                // The ranks that x would have if it were one of the data points at its place.
                let ranks = count(&points, |p| p < x) + 1
                    ..=count(&points, |p| p <= x).max(count(&points, |p| p < x));
                let below = (rank - ranks.end()).max(0);
                let above = (ranks.start() - rank).max(0);
                prop_assert_eq!(quality.value(x), n - below.max(above));
            }
            prop_assert_eq!(quality.maximum(), n);
            quality.check_quasi_concave().unwrap();
        }
    }

    #[test]
    fn threshold_quality_is_the_count_less_the_worse_side(
        (points, size) in data(),
        labels in any::<u16>(),
    ) {
        let labelled: Vec<(u64, bool)> =
            points.iter().enumerate().map(|(i, &p)| (p, labels >> i & 1 == 1)).collect();
        let quality = StepFunction::threshold(&labelled, size).unwrap();
        for x in 0..size {
            let yes = labelled.iter().filter(|&&(p, l)| l && u128::from(p) >= x).count();
            let no = labelled.iter().filter(|&&(p, l)| !l && u128::from(p) < x).count();
            prop_assert_eq!(quality.value(x), (points.len() - yes.max(no)) as i64);
        }
        quality.check_quasi_concave().unwrap();
    }

    /// Change one data point, and no value of any quality, level, interval or extension moves by
    /// more than 1.
    #[test]
    fn every_quality_has_sensitivity_1(
        (points, size) in data(),
        which in 0usize..9,
        to in 0u64..40,
        first in 1u128..9,
    ) {
        prop_assume!(which < points.len());
        let mut other = points.clone();
        other[which] = to.min(size as u64 - 1);
        other.sort_unstable();
        let rank = points.len() as u64 / 2 + 1;
        let near = |a: &[i64], b: &[i64]| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.abs_diff(*b) <= 1)
        };
        for quality in [
            (|p, s, _| StepFunction::interior_point(p, s)) as fn(&[u64], u128, u64) -> _,
            |p, s, r| StepFunction::quantile(p, s, r),
            |p, s, _| StepFunction::counting(p, s),
        ] {
            let (q, p): (StepFunction, StepFunction) =
                (quality(&points, size, rank).unwrap(), quality(&other, size, rank).unwrap());
            prop_assert!(near(&table(&q), &table(&p)));
            let (q, p) = (q.extend_to_power_of_two(), p.extend_to_power_of_two());
            prop_assert!(near(&table(&q), &table(&p)));
            prop_assert!(near(&q.levels(), &p.levels()));
            let intervals = |f: &StepFunction| table(&f.interval_maxima(first, 4).unwrap());
            prop_assert!(near(&intervals(&q), &intervals(&p)));
        }
    }
}

#[test]
fn large_domains_are_counted_without_loss() {
    let data = [u64::MAX, u64::MAX];
    let depth = StepFunction::interior_point(&data, 1 << 64).unwrap();
    assert_eq!(depth.runs().len(), 2);
    assert_eq!(depth.value(u128::from(u64::MAX)), 2);
    assert_eq!(depth.levels().len(), 65);

    let widest = StepFunction::from_runs([(LARGEST_SIZE, 7)]).unwrap();
    assert_eq!(widest.levels(), vec![7; 128]);
    assert_eq!(widest.extend_to_power_of_two(), widest);
    assert_eq!(widest.interval_maxima(1, 2).unwrap().size(), (1 << 126) + 1);
    let error = StepFunction::from_runs([(LARGEST_SIZE, 0), (1, 0)]).unwrap_err();
    assert_eq!(error, QualityError::DomainTooLarge);
}

#[test]
fn bad_data_is_refused_with_the_remedy() {
    let text = |error: QualityError| error.to_string();
    assert_eq!(
        text(StepFunction::interior_point(&[3u64, 1], 10).unwrap_err()),
        "the data is not sorted: item 1 is below the one before it; sort it first"
    );
    assert_eq!(
        text(StepFunction::interior_point(&[10u64], 10).unwrap_err()),
        "the data has points outside the domain of 10 points; clamp them into it, or enlarge it"
    );
    assert_eq!(
        text(StepFunction::interior_point::<u64>(&[], 0).unwrap_err()),
        "the domain has no points; give it a size of at least 1"
    );
    assert_eq!(
        text(StepFunction::quantile(&[1u64], 10, 2).unwrap_err()),
        "rank 2 does not exist among 1 data points; choose one from 1 to 1"
    );
    assert_eq!(
        text(StepFunction::from_runs([(3, 1), (0, 2)]).unwrap_err()),
        "run 1 has no points; leave it out"
    );
    let valley = StepFunction::from_values([1, 3, 3, 2, 5]).unwrap();
    assert_eq!(
        text(valley.check_quasi_concave().unwrap_err()),
        "the quality is not quasi-concave: at point 3 it is below both point 1 and point 4; use \
         the plain exponential mechanism, or a quality that rises and then falls"
    );
}
