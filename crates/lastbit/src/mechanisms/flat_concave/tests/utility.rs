//! Promises are kept on random quasi-concave qualities: the probability of a bad point, or of none,
//! is at most β.

use super::output_law::OutputLaws;
use super::*;
use crate::mechanisms::exponential::Run;

/// A fixed pseudo-random sequence.
struct Walker(u64);

impl Walker {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }

    /// Lengths of `2·steps + 1` runs over `size` points, many of them short.
    fn lengths(&mut self, steps: usize, size: u128) -> Vec<u128> {
        let bits = u64::from(size.ilog2());
        let mut left = size;
        let mut lengths = Vec::new();
        for _ in 0..2 * steps {
            let length = (1u128 << self.below(bits))
                .min(left.saturating_sub(1))
                .max(1);
            if left > length {
                lengths.push(length);
                left -= length;
            }
        }
        let place = self.below(lengths.len() as u64 + 1) as usize;
        lengths.insert(place, left);
        lengths
    }

    /// A quality that rises to `best` and falls again. Its steps go down by little, by much, or to
    /// just below `bar`.
    fn quality(&mut self, size: u128, best: i64, bar: i64) -> StepFunction {
        let steps = 1 + self.below(5) as usize;
        let lengths = self.lengths(steps, size);
        let peak = self.below(lengths.len() as u64) as usize;
        let mut values = vec![best; lengths.len()];
        let lower = |walker: &mut Walker, value: i64| match walker.below(4) {
            0 => value - walker.below(4) as i64,
            1 => value - walker.below(best as u64) as i64,
            _ => value.min(bar - 1),
        };
        for i in (0..peak).rev() {
            values[i] = lower(self, values[i + 1]);
        }
        for i in peak + 1..values.len() {
            values[i] = lower(self, values[i - 1]);
        }
        StepFunction::from_runs(lengths.into_iter().zip(values)).unwrap()
    }
}

/// A promise that the price list asks for, and the least quality of a good point.
fn promise_and_bar(
    size: u128,
    method: &Method,
    epsilon: &Epsilon,
    alpha: &Alpha,
    beta: &Beta,
) -> (i64, i64) {
    let promise = needed_promise(size, method, epsilon, alpha, beta).unwrap();
    let promise = promise.get().ceil() as i64;
    let bar = (&(&Rational::ONE - alpha.get()) * &Rational::from(promise)).ceil();
    (promise, i64::try_from(bar).unwrap())
}

/// Exact, for 400 qualities over 64 points each.
#[test]
fn flat_concave_fails_with_probability_at_most_beta() {
    let mut walker = Walker(5);
    for (selection, epsilon, alpha, beta) in [
        (IntervalSelection::Exponential, "1", "1/2", "1/20"),
        (IntervalSelection::Exponential, "3", "1/5", "1/3"),
        (stability(), "1", "1/2", "1/20"),
        (stability(), "2", "1/3", "1/3"),
    ] {
        let (alpha, beta) = (rational::<Alpha>(alpha), rational::<Beta>(beta));
        let epsilon: Epsilon = epsilon.parse().unwrap();
        let method = Method::Concave {
            levels: 2,
            selection: selection.clone(),
        };
        let (promise, bar) = promise_and_bar(64, &method, &epsilon, &alpha, &beta);
        let worst = worst_failure(&mut walker, &selection, &epsilon, &alpha, (promise, bar));
        let limit = beta.get().to_f64(Rounding::Down);
        assert!(
            worst <= limit,
            "{selection:?} at a promise of {promise}: {worst} above {limit}"
        );
        // What is asked for is not asked for in vain: a small part of it is too little.
        let less = ((promise / 64).max(1), (bar / 64).max(1));
        let worst = worst_failure(&mut walker, &selection, &epsilon, &alpha, less);
        assert!(
            worst > limit,
            "{selection:?} at a promise of {}: {worst}",
            less.0
        );
    }
}

/// An upper bound of the largest probability, among 400 qualities, that the point is below the bar,
/// or none.
fn worst_failure(
    walker: &mut Walker,
    selection: &IntervalSelection,
    epsilon: &Epsilon,
    alpha: &Alpha,
    (promise, bar): (i64, i64),
) -> f64 {
    let problem = Problem::new(64, promise, promise.into(), alpha.clone()).unwrap();
    let mechanism = RecConcave::flat(problem, epsilon, selection.clone()).unwrap();
    assert_eq!(mechanism.levels(), 2);
    let mut laws = OutputLaws::new(&mechanism);
    (0..400).fold(0.0f64, |worst, _| {
        let best = promise + walker.below(3) as i64;
        let quality = walker.quality(64, best, bar);
        let law = laws.of(&quality, Variant::AsShipped).outputs;
        let bad = (0..=64).filter(|&x| x == 64 || quality.value(x) < bar);
        let bad = bad.fold(Interval::ZERO, |sum, x| sum + law[x as usize]);
        worst.max(bad.hi())
    })
}

/// Exact, for 1000 qualities over 2^64 points, of which the best keeps the promise just so.
#[test]
fn the_exponential_mechanism_fails_with_probability_at_most_beta() {
    let mut walker = Walker(6);
    let mut worst = Rational::ZERO;
    for (epsilon, alpha, beta) in [("1", "1/2", "1/20"), ("0.2", "1/10", "1/3")] {
        let (alpha, beta) = (rational::<Alpha>(alpha), rational::<Beta>(beta));
        let epsilon: Epsilon = epsilon.parse().unwrap();
        let mechanism = Exponential::new(&epsilon, &"1".parse().unwrap());
        let (promise, bar) =
            promise_and_bar(1 << 64, &Method::Exponential, &epsilon, &alpha, &beta);
        for _ in 0..500 {
            let quality = walker.quality(1 << 64, promise, bar);
            let runs: Vec<Run<i64>> = quality
                .runs()
                .map(|run| Run {
                    length: run.length,
                    score: run.value,
                })
                .collect();
            let choice = mechanism.over_runs(&runs).unwrap();
            let bad = choice.probability(40, |&score| score < bar);
            let bad = Rational::from(bad.hi());
            assert!(bad <= *beta.get(), "{quality:?}");
            worst = worst.max(&bad / beta.get());
        }
    }
    // Some are near the worst case of the bound.
    assert!(worst > Rational::new(9, 10));
}

/// Three levels over 2^64 points, too many for the exact law: of n draws at most `k` are bad, where
/// `P(X ≥ k) ≤ exp(−n·KL(k/n ‖ β)) ≤ 2.5e-10` for X binomial with β; 4 settings, so false alarm
/// with probability at most 1e-9.
#[test]
fn rec_concave_of_three_levels_fails_at_most_as_often_as_promised() {
    let mut walker = Walker(7);
    let draws = 1500;
    for (selection, beta) in [
        (IntervalSelection::Exponential, "1/20"),
        (IntervalSelection::Exponential, "1/3"),
        (stability(), "1/20"),
        (stability(), "1/3"),
    ] {
        let (alpha, beta) = (rational("1/2"), rational::<Beta>(beta));
        let epsilon: Epsilon = "2".parse().unwrap();
        let method = Method::Concave {
            levels: 3,
            selection: selection.clone(),
        };
        let (promise, bar) = promise_and_bar(1 << 64, &method, &epsilon, &alpha, &beta);
        let problem = Problem::new(1 << 64, promise, promise.into(), alpha).unwrap();
        let mechanism = RecConcave::new(problem, 3, &epsilon, selection).unwrap();
        assert_eq!(mechanism.levels(), 3);
        let mut bad = 0;
        for _ in 0..draws {
            let quality = walker.quality(1 << 64, promise, bar);
            let found = mechanism.draw(&quality, &mut System::default()).unwrap();
            bad += u32::from(found.is_none_or(|x| quality.value(x) < bar));
        }
        let share = |k: u32| f64::from(k) / f64::from(draws);
        let beta = beta.get().to_f64(Rounding::Up);
        let divergence = |p: f64| p * (p / beta).ln() + (1.0 - p) * ((1.0 - p) / (1.0 - beta)).ln();
        let unlikely = share(bad) > beta
            && f64::from(draws) * divergence(share(bad)) > (1.0 / 2.5e-10f64).ln();
        assert!(!unlikely, "{bad} of {draws} are bad by {mechanism:?}");
    }
}
