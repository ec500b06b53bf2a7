//! Bounds on errors at one confidence.

use lastbit::tables::Tails;
use lastbit_exact::Rational;

/// Bounds on errors at one confidence. Each bound holds with the stated probability, for its own
/// number alone.
#[derive(Clone, Copy, Debug)]
pub struct Errors<'a> {
    /// Tails of noise.
    pub tails: &'a Tails,
    /// One minus the confidence.
    pub alpha: &'a Rational,
}
