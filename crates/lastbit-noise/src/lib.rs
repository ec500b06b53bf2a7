#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod bernoulli;
mod double;
pub mod entropy;
#[cfg(feature = "test-entropy")]
pub mod enumerate;
mod gaussian;
mod geometric;
mod grid;
mod laplace;
mod lazy;
mod uniform;
mod ustar;

pub use bernoulli::{BernoulliError, bernoulli, bernoulli_exp, bernoulli_exp_law, bernoulli_law};
pub use gaussian::{Gaussian, gaussian_mass};
pub use geometric::Geometric;
pub use grid::GridExponent;
pub use laplace::{Laplace, laplace_mass};
pub use lazy::LazyUniform;
pub use uniform::{UniformError, uniform_below, uniform_law, uniform_u64_below};
pub use ustar::{SignedUStar64, UStar};

use lastbit_exact::{Rational, environment};

/// A scale that no distribution has.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ScaleError {
    /// Zero or below.
    #[error("a scale must be positive, got {0}")]
    NotPositive(Rational),
    /// A scale beyond every double, which would make a draw slow.
    #[error(
        "a scale must be between 2^-{GRID_EXPONENT_LIMIT} and 2^{GRID_EXPONENT_LIMIT}; measure in \
         another unit"
    )]
    OutOfRange,
    /// A floating-point mode in which the errors counted for the first tier do not hold.
    #[error(transparent)]
    Environment(#[from] environment::EnvironmentError),
    /// A grid of more or fewer bits than any use needs.
    #[error(
        "a grid exponent must be between -{GRID_EXPONENT_LIMIT} and {GRID_EXPONENT_LIMIT}, got {0}"
    )]
    GridExponent(i64),
}

/// Grids are from `2^-1100` to `2^1100`, and so are scales: beyond the doubles on either side. The
/// bits of a draw, and with them its time, grow with the steps of the grid in a scale; so both are
/// bounded.
pub const GRID_EXPONENT_LIMIT: i64 = 1100;

/// A positive scale that is not beyond all grids.
fn check_scale(scale: &Rational) -> Result<(), ScaleError> {
    check_scale_within(scale, GRID_EXPONENT_LIMIT)
}

/// The same with a scale from `2^-limit` to `2^limit`.
fn check_scale_within(scale: &Rational, limit: i64) -> Result<(), ScaleError> {
    environment::check()?;
    let Some(size) = scale.ceil_log2() else {
        return Err(ScaleError::NotPositive(scale.clone()));
    };
    if !(-limit..=limit).contains(&size) {
        return Err(ScaleError::OutOfRange);
    }
    Ok(())
}
