//! Bounds on errors at one confidence.

use lastbit::tables::Tails;
use lastbit_exact::Rational;

/// Bounds on errors at one confidence. A bound holds with the stated probability for each number by
/// itself.
#[derive(Clone, Copy, Debug)]
pub struct Errors<'a> {
    /// Tails of noise.
    pub tails: &'a Tails,
    /// One less the confidence.
    pub alpha: &'a Rational,
}
