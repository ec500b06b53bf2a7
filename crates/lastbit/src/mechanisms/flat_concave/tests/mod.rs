//! The exact law of the shipped steps: every outcome of every selection is walked through, with its
//! probability enclosed.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use lastbit_exact::{Interval, Rational, Rounding};
use lastbit_noise::entropy::System;

mod behaviour;
mod neighbours;
mod output_law;
mod overflow;
mod privacy;
mod utility;

use super::chance::Chance;
use super::{IntervalSelection, Method, Problem, RecConcave, Stability, needed_promise};
use crate::mechanisms::exponential::Exponential;
use crate::quality::{QualityError, StepFunction};
use crate::{Alpha, Beta, Delta, Epsilon, Error};

/// What was selected, one selection after the other, and at the end the output; `None` is ⊥.
type Transcript = Vec<Option<u128>>;
type Law = BTreeMap<Transcript, Interval>;
type Outcomes = Rc<[(Option<u128>, Interval)]>;

/// How step 7 is done.
#[derive(Clone, Copy, PartialEq)]
enum Variant<'a> {
    AsShipped,
    /// Intervals without any of these data points have quality 0.
    Sparse(&'a [u64]),
    /// The gap itself is compared, not half of it.
    WholeGap,
}

impl Variant<'_> {
    fn intervals(
        &self,
        scores: &StepFunction,
        first: u128,
        length: u128,
    ) -> Result<StepFunction, QualityError> {
        let all = scores.interval_maxima(first, length)?;
        let Variant::Sparse(data) = self else {
            return Ok(all);
        };
        let interval = |x: u64| {
            u128::from(x)
                .checked_sub(first)
                .map_or(0, |rest| 1 + rest / length)
        };
        StepFunction::from_values((0..all.size()).map(|i| {
            if data.iter().any(|&x| interval(x) == i) {
                all.value(i)
            } else {
                0
            }
        }))
    }

    fn distance(&self, gap: &Rational) -> Rational {
        match self {
            Variant::WholeGap => gap.clone(),
            _ => Stability::distance(gap),
        }
    }
}

/// A walk to one outcome.
struct Walk<'a> {
    variant: Variant<'a>,
    stability: Option<&'a Stability>,
    epsilon: &'a Rational,
    /// Which outcome to take at each selection, and how many there are.
    path: Vec<(usize, usize)>,
    depth: usize,
    /// The laws of selections met on earlier walks, by the path that leads to them.
    laws: HashMap<Vec<(usize, usize)>, Outcomes>,
    transcript: Transcript,
    probability: Interval,
}

impl Walk<'_> {
    fn take(&mut self, outcomes: &[(Option<u128>, Interval)]) -> Option<u128> {
        if self.depth == self.path.len() {
            self.path.push((0, outcomes.len()));
        }
        let (outcome, probability) = outcomes[self.path[self.depth].0];
        self.depth += 1;
        self.probability = self.probability * probability;
        self.transcript.push(outcome);
        outcome
    }

    /// The next path in order; `false` after the last.
    fn advance(&mut self) -> bool {
        while let Some((choice, count)) = self.path.pop() {
            if choice + 1 < count {
                self.path.push((choice + 1, count));
                return true;
            }
        }
        false
    }
}

/// The closed form `exp(rate·score)/Σ`.
fn exponential_law(scores: &StepFunction, rate: &Rational) -> Vec<(Option<u128>, Interval)> {
    let most = scores.maximum();
    let weight =
        |score: i64| Interval::from_rational(&(rate * &Rational::from(score - most))).exp();
    let weights: Vec<Interval> = scores
        .runs()
        .flat_map(|run| core::iter::repeat_n(weight(run.value), run.length as usize))
        .collect();
    let total = weights.iter().fold(Interval::ZERO, |sum, &w| sum + w);
    (0..)
        .map(Some)
        .zip(weights.into_iter().map(|w| w / total))
        .collect()
}

/// The closed form `P(distance + Lap(1/ε) ≥ cut)`.
fn stable_probability(distance: &Rational, cut: &Rational, epsilon: &Rational) -> Interval {
    let below = &(distance - cut) * epsilon;
    let half = Interval::point(0.5);
    let tail = half * Interval::from_rational(&-&below.abs()).exp();
    if below.is_negative() {
        tail
    } else {
        Interval::ONE - tail
    }
}

impl Chance for Walk<'_> {
    fn intervals(
        &mut self,
        scores: &StepFunction,
        first: u128,
        length: u128,
    ) -> Result<StepFunction, QualityError> {
        self.variant.intervals(scores, first, length)
    }

    fn exponential(
        &mut self,
        scores: &StepFunction,
        mechanism: &Exponential,
    ) -> Result<u128, Error> {
        let path = self.path[..self.depth].to_vec();
        let law = self.laws.entry(path);
        let law =
            Rc::clone(law.or_insert_with(|| exponential_law(scores, mechanism.rate()).into()));
        Ok(self.take(&law).unwrap())
    }

    fn stable(&mut self, best: u128, gap: &Rational) -> Result<Option<u128>, Error> {
        let distance = self.variant.distance(gap);
        let cut = self.stability.unwrap().cut();
        let stable = stable_probability(&distance, cut, self.epsilon);
        Ok(self.take(&[(Some(best), stable), (None, Interval::ONE - stable)]))
    }
}

/// The law of transcript and output.
fn law(mechanism: &RecConcave, quality: &StepFunction, variant: Variant<'_>) -> Law {
    let mut law = Law::new();
    let mut walk = Walk {
        variant,
        stability: mechanism.stability.as_ref(),
        epsilon: mechanism.epsilon.get(),
        path: Vec::new(),
        depth: 0,
        laws: HashMap::new(),
        transcript: Vec::new(),
        probability: Interval::ONE,
    };
    loop {
        walk.depth = 0;
        walk.transcript.clear();
        walk.probability = Interval::ONE;
        let output = mechanism.run(quality, &mut walk).unwrap();
        let mut transcript = walk.transcript.clone();
        transcript.push(output);
        let place = law.entry(transcript).or_insert(Interval::ZERO);
        *place = *place + walk.probability;
        if !walk.advance() {
            return law;
        }
    }
}

/// The law of the output alone.
fn outputs(law: &Law) -> BTreeMap<Option<u128>, Interval> {
    let mut outputs = BTreeMap::new();
    for (transcript, &probability) in law {
        let place = outputs
            .entry(*transcript.last().unwrap())
            .or_insert(Interval::ZERO);
        *place = *place + probability;
    }
    outputs
}

/// An upper bound of the max-divergence of two laws, in both orders.
fn max_divergence<K: Ord>(left: &BTreeMap<K, Interval>, right: &BTreeMap<K, Interval>) -> f64 {
    let one_way = |p: &BTreeMap<K, Interval>, q: &BTreeMap<K, Interval>| {
        p.iter().fold(0.0f64, |most, (outcome, p)| {
            let q = q.get(outcome).map_or(0.0, |q| q.lo());
            most.max(if q > 0.0 {
                (p.hi() / q).ln()
            } else {
                f64::INFINITY
            })
        })
    };
    one_way(left, right).max(one_way(right, left))
}

/// A lower and an upper bound of the smallest δ at ε, in both orders.
fn delta_at<K: Ord>(
    epsilon: f64,
    left: &BTreeMap<K, Interval>,
    right: &BTreeMap<K, Interval>,
) -> (f64, f64) {
    let factor = Interval::point(epsilon).exp();
    let one_way = |p: &BTreeMap<K, Interval>, q: &BTreeMap<K, Interval>| {
        p.iter().fold(Interval::ZERO, |sum, (outcome, &p)| {
            let q = q.get(outcome).copied().unwrap_or(Interval::ZERO);
            sum + (p - factor * q).max(Interval::ZERO)
        })
    };
    let (forth, back) = (one_way(left, right), one_way(right, left));
    (forth.lo().max(back.lo()), forth.hi().max(back.hi()))
}

fn rational<T: core::str::FromStr<Err: core::fmt::Debug>>(text: &str) -> T {
    text.parse().unwrap()
}

/// A mechanism on the interior point of `count` data points; every level down to `base_size` points
/// is there.
fn mechanism(
    size: u128,
    levels: u32,
    count: i64,
    epsilon: &str,
    selection: IntervalSelection,
    base_size: u128,
) -> RecConcave {
    let problem = Problem::new(size, count, Rational::new(count, 2), rational("0.5")).unwrap();
    let epsilon: Epsilon = epsilon.parse().unwrap();
    let mut mechanism = RecConcave::new(problem, levels, &epsilon, selection).unwrap();
    mechanism.base_size = base_size;
    mechanism
}

fn depth(data: &[u64], size: u128) -> StepFunction {
    let mut sorted = data.to_vec();
    sorted.sort_unstable();
    StepFunction::interior_point(&sorted, size).unwrap()
}

fn stability() -> IntervalSelection {
    IntervalSelection::Stability(rational("1e-3"))
}

#[test]
fn laws_are_laws() {
    for selection in [IntervalSelection::Exponential, stability()] {
        let mechanism = mechanism(20, 3, 4, "1", selection, 2);
        assert_eq!(mechanism.levels(), 3);
        let law = law(&mechanism, &depth(&[3, 3, 9, 19], 20), Variant::AsShipped);
        let total = law.values().fold(Interval::ZERO, |sum, &p| sum + p);
        assert!(
            total.contains(1.0) && total.width().get() < 1e-11,
            "{total}"
        );
        assert!(outputs(&law).keys().flatten().all(|&x| x < 20));
    }
}

/// All sorted data sets of `count` points below `size`.
fn data_sets(size: u64, count: usize) -> Vec<Vec<u64>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for shorter in data_sets(size, count - 1) {
        for x in shorter.last().copied().unwrap_or(0)..size {
            let mut data = shorter.clone();
            data.push(x);
            all.push(data);
        }
    }
    all
}
