//! Noise on exact numbers. Every function here takes the proof that its loss was spent.

use lastbit::mechanisms::exponential::{Exponential, Run};
use lastbit::{Epsilon, Sensitivity};
use lastbit_exact::{IBig, Rational};
use lastbit_noise::entropy::Entropy;
use lastbit_noise::{Gaussian, Laplace};

use super::ReleaseError;
use crate::ledger::Reserved;
use crate::price::Noise;

/// A sampler of noise on a grid.
pub enum Sampler {
    Laplace(Laplace),
    Gaussian(Gaussian),
}

impl Sampler {
    pub fn new(noise: &Noise, grid_exponent: i64) -> Result<Sampler, ReleaseError> {
        let sampler = match noise {
            Noise::Laplace { scale, .. } => {
                Laplace::new(scale, grid_exponent).map(Sampler::Laplace)
            }
            Noise::Gaussian { variance, .. } => {
                Gaussian::with_variance(variance, grid_exponent).map(Sampler::Gaussian)
            }
        };
        sampler.map_err(ReleaseError::internal)
    }
}

/// The number with noise, a multiple of `2^grid_exponent`.
pub fn noisy(
    number: &Rational,
    sampler: &Sampler,
    grid_exponent: i64,
    _reserved: &Reserved,
    mut entropy: &mut dyn Entropy,
) -> Result<Rational, ReleaseError> {
    let cell = match sampler {
        Sampler::Laplace(laplace) => laplace.sample(number, &mut entropy),
        Sampler::Gaussian(gaussian) => gaussian.sample(number, &mut entropy),
    };
    let cell = cell.map_err(ReleaseError::internal)?;
    Ok(Rational::from(cell).scale(grid_exponent))
}

/// An offset whose rank is near the quantile at `share`: the exponential mechanism over the offsets `0..=last`, by the distance of
/// their ranks, which one unit moves by at most `sensitivity`.
pub fn quantile(
    offsets: &[(u64, u64)],
    last: u64,
    share: &Rational,
    epsilon: &Rational,
    sensitivity: &Rational,
    _reserved: &Reserved,
    mut entropy: &mut dyn Entropy,
) -> Result<u64, ReleaseError> {
    let Candidates {
        runs,
        starts,
        scale,
    } = candidates(offsets, last, share)?;
    // Scores are whole numbers: distances times the denominator of the share.
    let sensitivity = Sensitivity::new(sensitivity * &scale).map_err(ReleaseError::internal)?;
    let epsilon = Epsilon::new(epsilon.clone()).map_err(ReleaseError::internal)?;
    let (run, place) = Exponential::new(&epsilon, &sensitivity)
        .sample_runs(&runs, &mut entropy)
        .map_err(ReleaseError::internal)?;
    // A place is below the length of its run, and a run ends at `last`.
    Ok(starts[run] + place as u64)
}

/// All offsets, by their scores.
pub(super) struct Candidates {
    /// Runs of equal score.
    pub runs: Vec<Run<i64>>,
    /// Where each begins.
    pub starts: Vec<u64>,
    /// Scores are distances of ranks times this.
    pub scale: Rational,
}

/// Runs of offsets of equal score `−q·max(0, s·above − (1−s)·(n − above), (1−s)·below − s·(n − below))`, for `s = p/q`.
pub(super) fn candidates(
    offsets: &[(u64, u64)],
    last: u64,
    share: &Rational,
) -> Result<Candidates, ReleaseError> {
    let scale = Rational::from(IBig::from(share.denominator().clone()));
    let q = i128::try_from(share.denominator()).map_err(ReleaseError::internal)?;
    let p = i128::try_from(share.numerator()).map_err(ReleaseError::internal)?;
    let count: u64 = offsets.iter().map(|(_, count)| count).sum();
    let n = i128::from(count);
    let score = |below: u64, at_most: u64| {
        let (below, at_most) = (i128::from(below), i128::from(at_most));
        // q·n is checked below to be within 62 bits.
        let distance = (p * (n - at_most) - (q - p) * at_most)
            .max((q - p) * below - p * (n - below))
            .max(0);
        -(distance as i64)
    };
    if q.checked_mul(n).is_none_or(|product| product > 1 << 62) {
        return Err(ReleaseError::unexpected());
    }
    let (mut runs, mut starts) = (Vec::new(), Vec::new());
    let mut push = |start: u64, end: u64, score: i64| {
        if start < end {
            starts.push(start);
            runs.push(Run {
                length: u128::from(end - start),
                score,
            });
        }
    };
    let (mut next, mut below) = (0, 0);
    for &(offset, count) in offsets {
        push(next, offset, score(below, below));
        push(offset, offset + 1, score(below, below + count));
        (next, below) = (offset + 1, below + count);
    }
    push(next, last + 1, score(below, below));
    Ok(Candidates {
        runs,
        starts,
        scale,
    })
}
