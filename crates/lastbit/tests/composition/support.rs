//! Exact laws of releases, by running them on every sequence of words that makes a difference.

use std::collections::BTreeMap;

use lastbit::domains::AtomDomain;
use lastbit::measures::{MaxDivergence, Measure};
use lastbit::metrics::DiscreteDistance;
use lastbit::{Error, Measurement, PrivacyMap};
use lastbit_exact::{Dyadic, Rational, Up, exp_enclosure};
use lastbit_noise::bernoulli;
use lastbit_noise::entropy::{Entropy, EntropyError};

pub type Law<T> = BTreeMap<T, Rational>;
pub type Answer<M> = Measurement<AtomDomain<bool>, DiscreteDistance, M, bool>;

/// Words from the middles of `cells` equal parts of the unit interval, chosen one by one.
struct Chosen<'a> {
    cells: u64,
    choices: &'a [u64],
    read: usize,
    more: bool,
}

impl Entropy for Chosen<'_> {
    fn fill(&mut self, words: &mut [u64]) -> Result<(), EntropyError> {
        for word in words {
            let Some(&choice) = self.choices.get(self.read) else {
                self.more = true;
                return Err(EntropyError::exhausted());
            };
            let middle = u128::from(2 * choice + 1) << 63;
            *word = u64::try_from(middle / u128::from(self.cells)).unwrap();
            self.read += 1;
        }
        Ok(())
    }
}

/// The law of a release whose every decision compares one word with multiples of `1/cells`.
pub fn law<T: Ord>(cells: u64, run: impl Fn(&mut dyn Entropy) -> Result<T, Error>) -> Law<T> {
    let mut law = Law::new();
    let mut waiting = vec![(Vec::new(), Rational::ONE)];
    while let Some((choices, mass)) = waiting.pop() {
        let mut words = Chosen {
            cells,
            choices: &choices,
            read: 0,
            more: false,
        };
        let outcome = run(&mut words);
        if words.more {
            let part = &mass / &Rational::from(cells);
            waiting.extend((0..cells).map(|next| ([&choices[..], &[next]].concat(), part.clone())));
        } else {
            assert_eq!(words.read, choices.len());
            let outcome = outcome.expect("no failure but for want of words");
            let entry = law.entry(outcome).or_insert(Rational::ZERO);
            *entry = &*entry + &mass;
        }
    }
    assert_eq!(total(&law), Rational::ONE);
    law
}

fn total<T>(law: &Law<T>) -> Rational {
    law.values().fold(Rational::ZERO, |sum, mass| &sum + mass)
}

/// The largest ratio of probabilities, in both orders; the supports must be equal.
pub fn largest_ratio<T: Ord>(p: &Law<T>, q: &Law<T>) -> Rational {
    assert!(p.keys().eq(q.keys()), "the supports differ");
    let ratios = p.iter().flat_map(|(outcome, mass)| {
        let other = &q[outcome];
        [mass / other, other / mass]
    });
    ratios.max().unwrap()
}

/// `sup_S P(S) − e^ε Q(S)` rounded up, in both orders.
pub fn hockey_stick<T: Ord>(p: &Law<T>, q: &Law<T>, epsilon: Up) -> Rational {
    let growth = exp_down(epsilon);
    let one_way = |p: &Law<T>, q: &Law<T>| {
        p.iter().fold(Rational::ZERO, |sum, (outcome, mass)| {
            let other = q.get(outcome).cloned().unwrap_or(Rational::ZERO);
            let excess = mass - &(&growth * &other);
            if excess.is_positive() {
                &sum + &excess
            } else {
                sum
            }
        })
    };
    one_way(p, q).max(one_way(q, p))
}

/// `E_Q[(P/Q)^α] = e^((α−1)·D_α)`, the larger of both orders.
pub fn renyi_moment<T: Ord>(p: &Law<T>, q: &Law<T>, order: u32) -> Rational {
    assert!(p.keys().eq(q.keys()), "the supports differ");
    let one_way = |p: &Law<T>, q: &Law<T>| {
        p.iter().fold(Rational::ZERO, |sum, (outcome, mass)| {
            let ratio = mass / &q[outcome];
            let power = (1..order).fold(Rational::ONE, |power, _| &power * &ratio);
            &sum + &(mass * &power)
        })
    };
    one_way(p, q).max(one_way(q, p))
}

/// A lower bound of `e^loss` that is right to 200 bits.
pub fn exp_down(loss: Up) -> Rational {
    Rational::from(exp_enclosure(&Dyadic::try_from(loss.get()).unwrap(), 200).lo())
}

/// Whether `ratio ≤ e^loss`: e^loss is irrational for every loss but 0, so 200 bits decide.
pub fn bounds(loss: Up, ratio: &Rational) -> bool {
    *ratio <= exp_down(loss)
}

/// Whether the bound is also reached, up to what rounding adds.
pub fn reaches(loss: Up, ratio: &Rational) -> bool {
    *ratio >= &exp_down(loss) * &Rational::new(999_999_999_999i64, 1_000_000_000_000i64)
}

/// Tells the truth with probability `truth > 1/2`.
pub fn randomized_response(truth: Rational) -> Answer<MaxDivergence> {
    let ratio = Up::from_rational(&(&truth / &(&Rational::ONE - &truth)));
    answer(MaxDivergence, truth, ratio.ln())
}

/// Tells the truth with probability `truth`, at a stated loss.
pub fn answer<M: Measure<Distance = Up>>(measure: M, truth: Rational, loss: Up) -> Answer<M> {
    Measurement::new(
        AtomDomain::new(),
        DiscreteDistance,
        measure,
        move |&value, mut entropy| Ok(value == bernoulli(&truth, &mut entropy)?),
        PrivacyMap::new(move |&d_in| Ok(if d_in == 0 { Up::ZERO } else { loss })),
    )
    .unwrap()
}

/// The exact value of a bound.
pub fn exact(loss: Up) -> Rational {
    Rational::try_from(loss.get()).unwrap()
}

#[test]
fn the_law_of_one_answer_is_its_definition() {
    for (n, truth) in [(2, false), (2, true), (3, true)] {
        let response = randomized_response(Rational::new(n, 4));
        let law = law(4, |words| response.invoke_with(&truth, words));
        assert_eq!(law[&truth], Rational::new(n, 4));
    }
}
