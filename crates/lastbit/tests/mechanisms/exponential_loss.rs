//! The exact loss of selections between neighbouring scores, over all small cases, never above the
//! claim; and it is reached.

use lastbit::mechanisms::exponential::Exponential;
use lastbit_exact::{Dyadic, Enclosure, Interval, Rational, Rounding, exp_enclosure};

use crate::number;

/// All vectors of `length` integers in `from..=to`.
fn vectors(length: usize, from: i64, to: i64) -> Vec<Vec<i64>> {
    let mut all = vec![vec![]];
    for _ in 0..length {
        let longer = |v: Vec<i64>| (from..=to).map(move |last| [&v[..], &[last]].concat());
        all = all.into_iter().flat_map(longer).collect();
    }
    all
}

fn add(scores: &[i64], by: &[i64]) -> Vec<i64> {
    scores.iter().zip(by).map(|(a, b)| a + b).collect()
}

fn interval(enclosure: &Enclosure) -> Interval {
    let (lo, hi) = (enclosure.lo(), enclosure.hi());
    Interval::new(lo.to_f64(Rounding::Down), hi.to_f64(Rounding::Up)).unwrap()
}

fn law(mechanism: &Exponential, scores: &[i64]) -> Vec<Interval> {
    let law = mechanism.over(scores).unwrap().law(60);
    law.iter().map(interval).collect()
}

/// Enclosures of `max ln(P/Q)` in both orders, and of the range of `ln(P/Q)`.
fn divergences(p: &[Interval], q: &[Interval]) -> (Interval, Interval) {
    let ratios: Vec<Interval> = p.iter().zip(q).map(|(&p, &q)| (p / q).ln()).collect();
    let largest = ratios[1..].iter().fold(ratios[0], |a, &b| a.max(b));
    let smallest = ratios[1..].iter().fold(ratios[0], |a, &b| a.min(b));
    (largest.max(-smallest), largest - smallest)
}

/// Room for the width of the enclosures.
const SLACK: f64 = 1e-14;

#[test]
fn general_scores_lose_at_most_epsilon() {
    let mechanism = Exponential::new(&"0.7".parse().unwrap(), &"1".parse().unwrap());
    let (mut pure, mut range) = (0.0f64, 0.0f64);
    for scores in vectors(3, 0, 4) {
        let p = law(&mechanism, &scores);
        for by in vectors(3, -1, 1) {
            let (epsilon, eta) = divergences(&p, &law(&mechanism, &add(&scores, &by)));
            assert!(
                epsilon.hi() <= 0.7 + SLACK,
                "{scores:?} {by:?}: {epsilon:?}"
            );
            assert!(eta.hi() <= 0.7 + SLACK, "{scores:?} {by:?}: {eta:?}");
            pure = pure.max(epsilon.lo());
            range = range.max(eta.lo());
        }
    }
    assert!(range > 0.7 - SLACK, "the range is reached");
    assert!(pure > 0.5, "{pure}");
}

#[test]
fn monotone_scores_lose_at_most_epsilon_at_twice_the_rate() {
    let mechanism = Exponential::monotone(&"0.7".parse().unwrap(), &"1".parse().unwrap());
    let mut range = 0.0f64;
    for scores in vectors(3, 0, 4) {
        let p = law(&mechanism, &scores);
        for by in vectors(3, 0, 1) {
            let (epsilon, eta) = divergences(&p, &law(&mechanism, &add(&scores, &by)));
            assert!(
                epsilon.hi() <= 0.7 + SLACK && eta.hi() <= 0.7 + SLACK,
                "{scores:?} {by:?}"
            );
            range = range.max(eta.lo());
        }
    }
    assert!(range > 0.7 - SLACK, "the range is reached");
    // Scores that do not move together are not what was promised, and lose more.
    let p = law(&mechanism, &[0, 0, 0]);
    let (epsilon, eta) = divergences(&p, &law(&mechanism, &[1, -1, -1]));
    assert!(epsilon.lo() > 0.7 && eta.lo() > 1.39, "{epsilon:?} {eta:?}");
}

#[test]
fn permute_and_flip_loses_at_most_epsilon_and_selects_no_worse() {
    let mechanism = Exponential::new(&"0.7".parse().unwrap(), &"1".parse().unwrap());
    let flipped = |scores: &[i64]| mechanism.permute_and_flip_law(scores).unwrap();
    let mean = |law: &[Interval], scores: &[i64]| {
        let terms = law.iter().zip(scores);
        terms.map(|(p, &u)| p.midpoint() * u as f64).sum::<f64>()
    };
    let (mut pure, mut range) = (0.0f64, 0.0f64);
    for scores in vectors(3, 0, 3) {
        let p = flipped(&scores);
        let exponential = law(&mechanism, &scores);
        assert!(mean(&p, &scores) >= mean(&exponential, &scores) - SLACK);
        for by in vectors(3, -1, 1) {
            let (epsilon, eta) = divergences(&p, &flipped(&add(&scores, &by)));
            assert!(
                epsilon.hi() <= 0.7 + SLACK,
                "{scores:?} {by:?}: {epsilon:?}"
            );
            pure = pure.max(epsilon.lo());
            range = range.max(eta.lo());
        }
    }
    assert!(pure > 0.6, "{pure}");
    assert!(range > 0.75, "its range is not bounded by epsilon: {range}");
}

#[test]
fn the_law_of_permute_and_flip_is_that_of_going_through_permutations() {
    let mechanism = Exponential::new(&"1".parse().unwrap(), &"1".parse().unwrap());
    let scores = [0i64, -1, -3, 0];
    let weight = |i: usize| (0.5 * scores[i] as f64).exp();
    let mut expected = [0.0; 4];
    let mut orders = 0.0;
    for a in 0..4 {
        for b in (0..4).filter(|&b| b != a) {
            for c in (0..4).filter(|&c| c != a && c != b) {
                let order = [a, b, c, 6 - a - b - c];
                let mut reached = 1.0;
                for i in order {
                    expected[i] += reached * weight(i);
                    reached *= 1.0 - weight(i);
                }
                orders += 1.0;
            }
        }
    }
    let law = mechanism.permute_and_flip_law(&scores).unwrap();
    for (law, expected) in law.iter().zip(expected) {
        assert!((law.midpoint() - expected / orders).abs() < 1e-14);
    }
}

/// Peeling twice: the law of ordered pairs, by the chain rule from the laws of one selection.
fn top_two(mechanism: &Exponential, scores: &[i64]) -> Vec<Interval> {
    let first = law(mechanism, scores);
    let mut pairs = vec![];
    for (i, &p) in first.iter().enumerate() {
        let mut rest = scores.to_vec();
        rest.remove(i);
        pairs.extend(law(mechanism, &rest).into_iter().map(|q| p * q));
    }
    pairs
}

#[test]
fn the_top_two_cost_two_epsilon_and_not_one() {
    let mechanism = Exponential::monotone(&"0.7".parse().unwrap(), &"1".parse().unwrap());
    let mut worst = 0.0f64;
    for scores in vectors(3, -9, 0).into_iter().step_by(7) {
        let p = top_two(&mechanism, &scores);
        for by in vectors(3, 0, 1) {
            let (epsilon, _) = divergences(&p, &top_two(&mechanism, &add(&scores, &by)));
            assert!(
                epsilon.hi() <= 1.4 + SLACK,
                "{scores:?} {by:?}: {epsilon:?}"
            );
            worst = worst.max(epsilon.lo());
        }
    }
    assert!(
        worst > 0.7,
        "one-shot noise does not make two answers cost one: {worst}"
    );
}

/// `P(order) of Gumbel-noised scores` for three candidates by integrating over the largest: the
/// one-shot law, in f64.
#[test]
fn one_shot_gumbel_noise_has_the_law_of_peeling() {
    let mechanism = Exponential::monotone(&"1".parse().unwrap(), &"1".parse().unwrap());
    let scores = [0i64, 1, -2];
    let peeled = top_two(&mechanism, &scores);
    // P(i first, j second) = ∫∫_{x > y} f_i(x) f_j(y) F_k(y) dy dx, with F(x) = exp(−e^(u − x)), by
    // the midpoint rule.
    let cdf = |u: f64, x: f64| (-(u - x).exp()).exp();
    let density = |u: f64, x: f64| (u - x).exp() * cdf(u, x);
    let step = 1e-3;
    let mut place = 0;
    for i in 0..3 {
        for j in (0..3).filter(|&j| j != i) {
            let k = 3 - i - j;
            let [u, v, w] = [i, j, k].map(|i: usize| scores[i] as f64);
            let points = (-8000..30_000).map(|n| (f64::from(n) + 0.5) * step);
            let sum: f64 = points
                .map(|y| density(v, y) * cdf(w, y) * (1.0 - cdf(u, y)) * step)
                .sum();
            assert!((sum - peeled[place].midpoint()).abs() < 1e-6, "{i} {j}");
            place += 1;
        }
    }
}

#[test]
fn scores_are_taken_exactly() {
    // 2^53 + 1 is no double; as integers the two differ, and the law knows it.
    let mechanism = Exponential::monotone(&"1".parse().unwrap(), &"1".parse().unwrap());
    let law = mechanism
        .over(&[1i64 << 53, (1 << 53) + 1])
        .unwrap()
        .law(80);
    let e = exp_enclosure(&Dyadic::ONE, 100);
    let odds = Rational::from(law[1].lo()) / Rational::from(law[0].lo());
    assert!((odds - Rational::from(e.lo())).abs() < number("1e-20"));
}
