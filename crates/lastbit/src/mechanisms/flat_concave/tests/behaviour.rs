//! The law is the one written down, draws follow it, bad input is refused, and promises are kept.

use super::*;
use crate::MetricSpace;
use crate::mechanisms::flat_concave::{ConcaveSelection, QualityDomain, flat_concave, rec_concave};
use crate::metrics::LInfDistance;

#[test]
fn the_cut_of_stability_is_just_above_its_formula() {
    for (epsilon, delta) in [
        ("1", "1e-6"),
        ("0.01", "1e-12"),
        ("30", "0.5"),
        ("1/3", "1e-200"),
    ] {
        let stability = Stability::new(&epsilon.parse().unwrap(), &rational(delta)).unwrap();
        let formula = (1.0 / rational::<Rational>(delta).to_f64(Rounding::NearestEven)).ln();
        let cut = (stability.cut() * &rational(epsilon)).to_f64(Rounding::NearestEven);
        assert!(cut >= formula * (1.0 - 1e-15), "{cut} against {formula}");
        assert!(
            cut <= formula * (1.0 + 1e-15) + 2e-6,
            "{cut} against {formula}"
        );
    }
}

/// The eight steps for two levels, once more from their text, on a table of values.
fn reference_law(
    values: &[i64],
    promise: f64,
    alpha: f64,
    epsilon: f64,
) -> BTreeMap<Option<u128>, f64> {
    let size = values.len();
    let mut table = values.to_vec();
    table.resize(size.next_power_of_two(), values[size - 1].min(0));
    let whole = table.len();
    let best_worst = |n: usize| {
        table
            .windows(n)
            .map(|w| *w.iter().min().unwrap())
            .max()
            .unwrap()
    };
    let log = whole.ilog2() as usize;
    let mut levels: Vec<i64> = (0..=log).map(|j| best_worst(1 << j)).collect();
    levels.push(levels[log].min(0));
    let softmax = |scores: &[f64]| -> Vec<f64> {
        let weights: Vec<f64> = scores.iter().map(|s| (epsilon * s / 2.0).exp()).collect();
        let total: f64 = weights.iter().sum();
        weights.iter().map(|w| w / total).collect()
    };
    let q: Vec<f64> = (0..=log)
        .map(|j| (levels[j] as f64 - (1.0 - alpha) * promise).min(promise - levels[j + 1] as f64))
        .collect();
    let mut law = BTreeMap::new();
    for (k, pk) in softmax(&q).into_iter().enumerate() {
        let width = 8usize << k;
        let cover = |shift: usize| -> Vec<Vec<usize>> {
            let number = |x: usize| (x + width - shift) / width;
            let numbers: Vec<usize> = (0..whole).map(number).collect();
            (numbers[0]..=numbers[whole - 1])
                .map(|i| (0..whole).filter(|&x| numbers[x] == i).collect())
                .collect()
        };
        let (a, b) = (cover(0), cover(width / 2));
        let best = |i: &Vec<usize>| i.iter().map(|&x| table[x]).max().unwrap() as f64;
        let pa = softmax(&a.iter().map(best).collect::<Vec<_>>());
        let pb = softmax(&b.iter().map(best).collect::<Vec<_>>());
        for (i, pa) in a.iter().zip(&pa) {
            for (j, pb) in b.iter().zip(&pb) {
                let union: Vec<usize> = (0..whole)
                    .filter(|x| i.contains(x) || j.contains(x))
                    .collect();
                let scores: Vec<f64> = union.iter().map(|&x| table[x] as f64).collect();
                for (&x, px) in union.iter().zip(softmax(&scores)) {
                    let output = Some(x.min(size - 1) as u128);
                    *law.entry(output).or_insert(0.0) += pk * pa * pb * px;
                }
            }
        }
    }
    law
}

#[test]
fn the_law_is_that_of_the_steps_as_written() {
    for (size, data) in [
        (16, vec![0u64, 15]),
        (50, vec![3, 3, 9, 49, 49, 20]),
        (64, vec![60; 9]),
    ] {
        let quality = depth(&data, size);
        let count = data.len() as i64;
        let mechanism = mechanism(size, 2, count, "1.5", IntervalSelection::Exponential, 4);
        let law = outputs(&law(&mechanism, &quality, Variant::AsShipped));
        let values: Vec<i64> = (0..size).map(|x| quality.value(x)).collect();
        let reference = reference_law(&values, count as f64 / 2.0, 0.5, 1.5);
        assert_eq!(law.len(), reference.len());
        for (output, p) in &law {
            assert!(
                (p.midpoint() - reference[output]).abs() < 1e-12,
                "{output:?}: {p}"
            );
        }
    }
}

/// 40,000 draws each; false alarm with probability at most 1e-9 by Hoeffding's inequality, over all
/// outputs.
#[test]
fn draws_follow_the_law() {
    let draws = 40_000;
    for (levels, selection) in [
        (2, IntervalSelection::Exponential),
        (2, stability()),
        (3, stability()),
    ] {
        let mechanism = mechanism(40, levels, 12, "1", selection, 4);
        let quality = depth(&[5, 5, 5, 6, 6, 6, 6, 6, 6, 30, 30, 39], 40);
        let law = outputs(&law(&mechanism, &quality, Variant::AsShipped));
        let mut counts: BTreeMap<Option<u128>, u32> = BTreeMap::new();
        for _ in 0..draws {
            let output = mechanism.draw(&quality, &mut System::default()).unwrap();
            *counts.entry(output).or_insert(0) += 1;
        }
        assert!(counts.keys().all(|output| law.contains_key(output)));
        let allowed =
            ((2.0 * 3.0 * law.len() as f64 / 1e-9).ln() / (2.0 * f64::from(draws))).sqrt();
        for (output, p) in &law {
            let seen = f64::from(counts.get(output).copied().unwrap_or(0)) / f64::from(draws);
            assert!(
                (seen - p.midpoint()).abs() <= allowed,
                "{output:?}: {seen} against {p}"
            );
        }
    }
}

#[test]
fn bad_input_is_refused_with_the_remedy() {
    let problem = |size, promise: i64| Problem::new(size, 10, promise.into(), rational("0.5"));
    assert_eq!(problem(0, 5), Err(QualityError::EmptyDomain));
    assert_eq!(problem(u128::MAX, 5), Err(QualityError::DomainTooLarge));
    assert!(matches!(
        problem(64, 0),
        Err(QualityError::PromiseNotPositive { .. })
    ));
    assert!(matches!(
        problem(64, -3),
        Err(QualityError::PromiseNotPositive { .. })
    ));
    assert!(matches!(
        problem(64, 11),
        Err(QualityError::PromiseAboveOptimum { .. })
    ));
    for alpha in ["0", "1", "-1/2", "3"] {
        let refused = alpha.parse::<Alpha>().unwrap_err().to_string();
        assert!(refused.starts_with("alpha must be strictly between 0 and 1"));
    }
    let one: Epsilon = "1".parse().unwrap();
    for delta in ["0", "-1e-9", "1"] {
        let refused = delta.parse::<Delta>().unwrap_err().to_string();
        assert!(refused.starts_with("delta must be a probability strictly between 0 and 1"));
    }
    assert!(
        RecConcave::new(
            problem(64, 5).unwrap(),
            0,
            &one,
            IntervalSelection::Exponential
        )
        .is_err()
    );

    let mechanism = RecConcave::flat(
        problem(64, 5).unwrap(),
        &one,
        IntervalSelection::Exponential,
    )
    .unwrap();
    let release = |values: Vec<i64>| {
        let quality = StepFunction::from_values(values).unwrap();
        mechanism
            .draw(&quality, &mut System::default())
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        release(vec![0; 63]),
        "the quality is over 63 points and the mechanism for 64; make them equal"
    );
    let mut valley = vec![1; 64];
    valley[7] = 0;
    assert!(release(valley).starts_with("the quality is not quasi-concave: at point 7"));

    let fine = Problem::new(64, 10, rational("5/1000000007"), rational("1/998244353")).unwrap();
    let refused = RecConcave::flat(fine, &one, IntervalSelection::Exponential).unwrap_err();
    assert!(refused.to_string().contains("too many digits"), "{refused}");
}

/// At the promise that is asked for, a quality that keeps it just so: P(quality < (1 −
/// α)·promise) ≤ β, exactly.
#[test]
fn the_needed_promise_is_enough() {
    let (alpha, beta) = (rational::<Alpha>("0.5"), rational("0.2"));
    let epsilon: Epsilon = "3".parse().unwrap();
    for (levels, selection) in [
        (2, IntervalSelection::Exponential),
        (2, stability()),
        (1, IntervalSelection::Exponential),
    ] {
        let method = Method::Concave {
            levels,
            selection: selection.clone(),
        };
        let promise = needed_promise(64, &method, &epsilon, &alpha, &beta)
            .unwrap()
            .get()
            .ceil() as i64;
        for peak in [0usize, 17, 63] {
            for slope in [1, promise / 8, promise] {
                let value = |x: usize| (promise - slope * x.abs_diff(peak) as i64).max(0);
                let quality = StepFunction::from_values((0..64).map(value)).unwrap();
                let problem = Problem::new(64, promise, promise.into(), alpha.clone()).unwrap();
                let mechanism =
                    RecConcave::new(problem, levels, &epsilon, selection.clone()).unwrap();
                let law = outputs(&law(&mechanism, &quality, Variant::AsShipped));
                let bad: f64 = law
                    .iter()
                    .filter(|(output, _)| output.is_none_or(|x| 2 * quality.value(x) < promise))
                    .map(|(_, p)| p.hi())
                    .sum();
                assert!(
                    bad <= 0.2,
                    "levels {levels}, promise {promise}, slope {slope}: {bad}"
                );
            }
        }
    }
}

#[test]
fn the_distance_of_qualities_is_the_largest_difference() {
    let domain = QualityDomain::new(16);
    for left in data_sets(16, 2).chunks(7).map(|sets| &sets[0]) {
        for right in data_sets(16, 2).chunks(5).map(|sets| &sets[0]) {
            let (left, right) = (depth(left, 16), depth(right, 16));
            let most = (0..16)
                .map(|x| left.value(x).abs_diff(right.value(x)))
                .max()
                .unwrap();
            let distance = domain.distance(&LInfDistance, &left, &right).unwrap();
            assert_eq!(distance, Rational::from(most));
        }
    }
}

#[test]
fn measurements_have_the_loss_of_their_levels() {
    let problem = || Problem::new(1 << 64, 300, 150i64.into(), rational("0.5")).unwrap();
    let one: Epsilon = "1".parse().unwrap();
    let loss = |select: &ConcaveSelection, d: i64| select.map(&Rational::from(d)).unwrap();
    let pure = flat_concave(problem(), &one, IntervalSelection::Exponential).unwrap();
    assert_eq!(
        [0, 1, 3].map(|d| loss(&pure, d).loss().get()),
        [0.0, 4.0, 12.0]
    );
    let three = rec_concave(
        problem(),
        3,
        &one,
        IntervalSelection::Stability(rational("1/1024")),
    )
    .unwrap();
    assert_eq!(loss(&three, 1).to_string(), "(7, 0.00390625)");
    // The second level has 65 points and the third 8, which is a base case: a fourth would change
    // nothing.
    let four = rec_concave(problem(), 4, &one, IntervalSelection::Exponential).unwrap();
    assert_eq!(loss(&four, 1).loss().get(), 7.0);
    let other_size = StepFunction::from_values([1, 2]).unwrap();
    assert!(pure.invoke(&other_size).unwrap_err().is_outside_domain());
}
