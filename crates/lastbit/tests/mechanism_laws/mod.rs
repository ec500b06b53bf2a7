//! The law that a measurement's own function has, found by feeding it every beginning of a bit stream.
#![allow(dead_code)] // each test binary uses its part

use std::collections::BTreeMap;

use lastbit::measures::Measure;
use lastbit::metrics::Metric;
use lastbit::{Error, Measurement, MetricSpace};
use lastbit_exact::{Dyadic, Rational, Rounding};
use lastbit_noise::entropy::{Entropy, EntropyError};
use lastbit_noise::enumerate::{Prefix, masses};

pub fn number(text: &str) -> Rational {
    text.parse().unwrap()
}

/// `lo ≤ P(outcome) ≤ hi` for every outcome that was seen.
pub type Law<T> = BTreeMap<T, (Dyadic, Dyadic)>;

/// The law of a function that reads a sign and then is monotone in the bits, as Laplace noise is; cells of `2^-depth`.
pub fn signed_law<T: Ord + Clone + core::fmt::Debug>(
    depth: u32,
    draw: impl Fn(&mut dyn Entropy) -> Result<T, Error>,
) -> Law<T> {
    let halves = [0, 1].map(|sign| {
        masses(depth, |bits| {
            draw(&mut Signed {
                carry: sign,
                inner: bits,
            })
        })
    });
    let mut law = Law::new();
    for half in &halves {
        for outcome in half.outcomes() {
            let mass = half.of(outcome);
            let (lo, hi) = law
                .entry(outcome.clone())
                .or_insert((Dyadic::ZERO, Dyadic::ZERO));
            *lo = &*lo + &mass.lo.scale(-1);
            *hi = &*hi + &mass.hi.scale(-1);
        }
    }
    law
}

/// The law of a function that is monotone in the bits, as Gaussian noise is.
pub fn monotone_law<T: Ord + Clone + core::fmt::Debug>(
    depth: u32,
    draw: impl Fn(&mut dyn Entropy) -> Result<T, Error>,
) -> Law<T> {
    let masses = masses(depth, |bits| draw(bits));
    let law = masses.outcomes().into_iter().map(|outcome| {
        let mass = masses.of(outcome);
        (outcome.clone(), (mass.lo, mass.hi))
    });
    law.collect()
}

/// A lower bound of `max |ln P/Q|` over the outcomes that both laws know well.
pub fn max_divergence<T: Ord>(left: &Law<T>, right: &Law<T>) -> f64 {
    let mut most = f64::NEG_INFINITY;
    for (outcome, (p_lo, p_hi)) in left {
        let Some((q_lo, q_hi)) = right.get(outcome) else {
            continue;
        };
        let ratio = |a: &Dyadic, b: &Dyadic| {
            let quotient = &Rational::from(a) / &Rational::from(b);
            quotient.to_f64(Rounding::Down).ln()
        };
        most = most.max(ratio(p_lo, q_hi)).max(ratio(q_lo, p_hi));
    }
    most
}

/// The law of a measurement with Laplace noise.
pub fn laplace_law<D, M, O, T>(
    measurement: &Measurement<D, M, O, T>,
    value: &D::Carrier,
    depth: u32,
) -> Law<T>
where
    D: MetricSpace<M>,
    M: Metric,
    O: Measure,
    T: Ord + Clone + core::fmt::Debug + 'static,
{
    signed_law(depth, |entropy| measurement.invoke_with(value, entropy))
}

/// A stream that begins with a sign bit; the bits after it are those of `inner`.
struct Signed<'a> {
    carry: u64,
    inner: &'a mut Prefix,
}

impl Entropy for Signed<'_> {
    fn fill(&mut self, words: &mut [u64]) -> Result<(), EntropyError> {
        for word in words {
            let next = self.inner.word()?;
            *word = self.carry << 63 | next >> 1;
            self.carry = next & 1;
        }
        Ok(())
    }
}

/// Words that are given, and nothing after them.
pub struct Words {
    pub words: Vec<u64>,
    pub read: usize,
}

impl Words {
    /// A fixed sequence that looks random.
    pub fn walk(count: usize, start: u64) -> Words {
        let mut word = start;
        let next = |_| {
            word = word
                .wrapping_mul(0xD134_2543_DE82_EF95)
                .wrapping_add(0x2545_F491_4F6C_DD1D);
            word ^ word >> 29
        };
        Words {
            words: (0..count).map(next).collect(),
            read: 0,
        }
    }
}

impl Entropy for Words {
    fn fill(&mut self, words: &mut [u64]) -> Result<(), EntropyError> {
        for word in words {
            *word = *self
                .words
                .get(self.read)
                .ok_or_else(EntropyError::exhausted)?;
            self.read += 1;
        }
        Ok(())
    }
}

/// Pearson's statistic, the outcomes that are not listed in one cell, exceeds `k + 2√(kt) + 2t` with probability at most e^-t
/// (Laurent–Massart) for cells with enough expected draws. `e^-t = 10^-9`.
pub fn fits<T: PartialEq>(outputs: &[T], law: impl Iterator<Item = (T, f64)>) {
    let draws = outputs.len() as f64;
    let (mut statistic, mut cells, mut expected_rest, mut rest) = (0.0, 1.0, draws, draws);
    for (outcome, probability) in law {
        let expected = draws * probability;
        assert!(expected >= 100.0, "too few draws");
        let seen = outputs.iter().filter(|output| **output == outcome).count() as f64;
        statistic += (seen - expected).powi(2) / expected;
        (cells, expected_rest, rest) = (cells + 1.0, expected_rest - expected, rest - seen);
    }
    if expected_rest >= 100.0 {
        statistic += (rest - expected_rest).powi(2) / expected_rest;
    } else {
        assert!(expected_rest.abs() <= 1e-6 * draws && rest == 0.0);
    }
    let (k, t) = (cells - 1.0, 1e9f64.ln());
    let threshold = k + 2.0 * f64::sqrt(k * t) + 2.0 * t;
    assert!(statistic <= threshold, "{statistic} > {threshold}");
}
