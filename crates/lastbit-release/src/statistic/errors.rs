//! Bounds on errors at one confidence.

use lastbit::Beta;
use lastbit::tables::Tails;

/// Bounds on errors at one confidence. Each bound holds with the stated probability, for its own
/// number alone.
#[derive(Clone, Copy, Debug)]
pub struct Errors<'a> {
    /// Tails of noise.
    pub tails: &'a Tails,
    /// One minus the confidence.
    pub beta: &'a Beta,
}
