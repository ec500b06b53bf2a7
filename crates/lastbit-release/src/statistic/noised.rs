//! Noise on the numbers of a statistic: their own, or sums of the noises of another statistic's
//! numbers.

use lastbit::Beta;
use lastbit::tables::MixedNoise;
use lastbit_exact::{Interval, Up};

use super::Errors;

/// The noise on the numbers of a statistic.
#[derive(Clone, Copy, Debug)]
pub struct Noised<'a> {
    /// The noise that was drawn, and how the numbers have it.
    pub drawn: MixedNoise<'a>,
    /// If they were made to add up: each is within this much of the exact one, with the confidence
    /// of the plan.
    pub made: Option<Up>,
}

impl Noised<'_> {
    /// Whether whole numbers stay whole with their noise.
    pub fn is_whole(&self) -> bool {
        // Numbers that add up were rounded; `made` includes that.
        self.made.is_some() || self.drawn.is_whole()
    }
}

impl Errors<'_> {
    /// The noise of each number is within this much of zero.
    pub fn noise(&self, noised: &Noised<'_>) -> Up {
        match noised.made {
            Some(off) => off,
            None => self.tails.of_each(&noised.drawn, self.beta),
        }
    }

    /// A weighted sum of the noises is within this much of zero, except with probability `beta`,
    /// for all weights in these intervals.
    pub fn tail(&self, noised: &Noised<'_>, weights: &[Interval], beta: &Beta) -> Up {
        self.tails.of_mixed(&noised.drawn, weights, beta)
    }
}
