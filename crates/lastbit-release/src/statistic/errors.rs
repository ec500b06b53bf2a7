//! Bounds on errors at one confidence.

use lastbit::Beta;
use lastbit::tables::Tails;

/// The smaller events have probabilities in sixteenths of the whole.
pub(super) const PARTS: u64 = 16;

/// Bounds on errors at one confidence. Each bound holds with the stated probability, for its own
/// number alone.
#[derive(Clone, Copy, Debug)]
pub struct Errors<'a> {
    /// Tails of noise.
    pub tails: &'a Tails,
    /// One minus the confidence.
    pub beta: &'a Beta,
}

impl Errors<'_> {
    /// So many [`PARTS`] of the probability.
    pub(super) fn part(&self, parts: u64) -> Beta {
        self.beta.part(parts, PARTS)
    }
}
