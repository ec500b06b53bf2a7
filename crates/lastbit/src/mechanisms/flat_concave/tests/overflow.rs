//! Scores that leave 64 bits when counted in units: nothing fails on data of the domain, and one
//! change still moves them by one unit.

use lastbit_exact::Rational;
use lastbit_noise::entropy::System;

use super::super::levels::Level;
use super::super::{IntervalSelection, Problem, RecConcave, flat_concave, rec_concave};
use crate::quality::{QualityError, StepFunction};

fn number<T: core::str::FromStr<Err: core::fmt::Debug>>(text: &str) -> T {
    text.parse().unwrap()
}

/// Promises and shares whose unit is fine, and the number of levels.
fn fine() -> [(Rational, crate::Alpha, u32); 4] {
    [
        (
            &Rational::ONE + &Rational::ONE.times_power_of_two(-38),
            number("0.5"),
            2,
        ),
        (number("6000000.1"), number("0.123456789"), 3),
        (number("1.000000001"), number("0.25"), 2),
        (number("3"), number("0.0000000001"), 3),
    ]
}

/// Qualities of 64 points, from everyday ones to those at the ends of i64.
fn qualities() -> Vec<StepFunction> {
    let mut tops = vec![
        0,
        1,
        7,
        16_777_216,
        16_777_217,
        16_777_218,
        1 << 40,
        1 << 62,
        i64::MAX - 1,
        i64::MAX,
    ];
    tops.extend(tops.clone().iter().map(|top: &i64| -top));
    tops.push(i64::MIN);
    let mut all = Vec::new();
    for &top in &tops {
        for &low in &tops {
            if low <= top {
                let values = (0..64i64).map(|x| if (20..23).contains(&x) { top } else { low });
                all.push(StepFunction::from_values(values).unwrap());
            }
        }
        // A slope.
        let values = (0..64i64).map(|x| top.saturating_sub((x - 30).abs()));
        all.push(StepFunction::from_values(values).unwrap());
    }
    all
}

#[test]
fn every_quality_of_the_domain_is_answered() {
    for (promise, alpha, levels) in fine() {
        for selection in [
            IntervalSelection::Exponential,
            IntervalSelection::Stability(number("1e-6")),
        ] {
            let problem = Problem::new(64, i64::MAX, promise.clone(), alpha.clone()).unwrap();
            let select = rec_concave(
                problem.clone(),
                levels,
                &"1".parse().unwrap(),
                selection.clone(),
            );
            let flat = flat_concave(problem, &"1".parse().unwrap(), selection);
            for select in [select.unwrap(), flat.unwrap()] {
                for quality in qualities() {
                    let answer = select.invoke_with(&quality, &mut System::default());
                    assert!(
                        answer.is_ok(),
                        "{promise} {alpha}: {answer:?} for {quality:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn the_scores_of_lengths_move_by_one_unit_at_most() {
    for (promise, alpha, _) in fine() {
        let level = |quality: &StepFunction| Level {
            scores: quality.clone(),
            unit: 1,
            promise: promise.clone(),
            alpha: alpha.get().clone(),
        };
        for quality in qualities() {
            // Every point up by one, and every second one: quasi-concavity is not needed for the
            // bound.
            let raised = |step: usize| {
                let values = (0..64u128).map(|x| {
                    let more = i64::from((x as usize).is_multiple_of(step));
                    quality.value(x).saturating_add(more)
                });
                StepFunction::from_values(values).unwrap()
            };
            for other in [raised(1), raised(2)] {
                let (left, right) = (level(&quality), level(&other));
                let (left, right) = (left.lengths(&left.scores), right.lengths(&right.scores));
                let (left, right) = (left.unwrap(), right.unwrap());
                assert_eq!(left.unit, right.unit);
                for x in 0..left.scores.size() {
                    let moved = left.scores.value(x).abs_diff(right.scores.value(x));
                    assert!(
                        moved <= left.unit as u64,
                        "{promise}: {moved} of {}",
                        left.unit
                    );
                }
            }
        }
    }
}

#[test]
fn a_unit_that_is_too_fine_is_refused_when_built() {
    let epsilon = "1".parse().unwrap();
    for (promise, alpha) in [
        // A unit above 2^40.
        ("1.00000000000001", "0.5"),
        ("7", "0.123456789012345678"),
        // A promise beyond 2^62 units.
        ("9000000000000000000", "0.1"),
        ("5000000000000.1", "0.123456789"),
    ] {
        let problem = Problem::new(1 << 64, i64::MAX, number(promise), number(alpha)).unwrap();
        let error =
            RecConcave::new(problem, 2, &epsilon, IntervalSelection::Exponential).unwrap_err();
        assert!(error.is_quality(), "{promise} {alpha}: {error}");
        assert_eq!(error, QualityError::UnitTooFine.into());
    }
    // One level counts in whole qualities.
    let problem = Problem::new(
        1 << 64,
        i64::MAX,
        number("7"),
        number("0.123456789012345678"),
    );
    assert!(
        RecConcave::new(
            problem.unwrap(),
            1,
            &epsilon,
            IntervalSelection::Exponential
        )
        .is_ok()
    );
}
