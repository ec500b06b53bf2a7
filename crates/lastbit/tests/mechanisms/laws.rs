//! The law that a measurement's own function has, found by feeding it every beginning of a bit
//! stream.

use std::collections::BTreeMap;

use lastbit::measures::Measure;
use lastbit::metrics::Metric;
use lastbit::{Error, Measurement, MetricSpace};
use lastbit_exact::{Dyadic, Rational, Rounding};
use lastbit_noise::entropy::Entropy;
use lastbit_noise::enumerate::masses;
use lastbit_testing::{Pearson, Signed};

pub use crate::number;

/// `lo ≤ P(outcome) ≤ hi` for every outcome that was seen.
pub type Law<T> = BTreeMap<T, (Dyadic, Dyadic)>;

/// The law of a function that reads a sign and then is monotone in the bits, as Laplace noise is;
/// cells of `2^-depth`.
pub fn signed_law<T: Ord + Clone + core::fmt::Debug>(
    depth: u32,
    draw: impl Fn(&mut dyn Entropy) -> Result<T, Error>,
) -> Law<T> {
    let halves = [0, 1].map(|sign| masses(depth, |bits| draw(&mut Signed::new(sign, bits))));
    let mut law = Law::new();
    for half in &halves {
        for outcome in half.outcomes() {
            let mass = half.of(outcome);
            let (lo, hi) = law
                .entry(outcome.clone())
                .or_insert((Dyadic::ZERO, Dyadic::ZERO));
            *lo = &*lo + &mass.lo.times_power_of_two(-1);
            *hi = &*hi + &mass.hi.times_power_of_two(-1);
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

/// Each outcome that is listed is a cell, with at least 100 expected draws, and the others together
/// are one, by [`Pearson`].
pub fn fits<T: PartialEq>(outputs: &[T], law: impl Iterator<Item = (T, f64)>) {
    let draws = outputs.len() as f64;
    let mut pearson = Pearson::default();
    let (mut expected_rest, mut rest) = (draws, draws);
    for (outcome, probability) in law {
        let expected = draws * probability;
        assert!(expected >= 100.0, "too few draws");
        let seen = outputs.iter().filter(|output| **output == outcome).count() as f64;
        pearson.add(seen, expected);
        (expected_rest, rest) = (expected_rest - expected, rest - seen);
    }
    if expected_rest >= 100.0 {
        pearson.add(rest, expected_rest);
    } else {
        assert!(expected_rest.abs() <= 1e-6 * draws && rest == 0.0);
    }
    pearson.fits(1, "draws");
}
