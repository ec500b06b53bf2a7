//! Entropy, lazy uniforms and exact samplers on grids.
#![forbid(unsafe_code)]

mod bernoulli;
pub mod entropy;
#[cfg(feature = "test-entropy")]
pub mod enumerate;
mod gaussian;
mod geometric;
mod laplace;
mod lazy;
mod uniform;
mod ustar;

pub use bernoulli::{BernoulliError, bernoulli, bernoulli_exp, bernoulli_exp_law, bernoulli_law};
pub use gaussian::{Gaussian, gaussian_mass};
pub use geometric::Geometric;
pub use laplace::{Laplace, laplace_mass};
pub use lazy::LazyUniform;
pub use uniform::{UniformError, uniform_below, uniform_law, uniform_u64_below};
pub use ustar::{SignedUStar64, UStar};

use lastbit_exact::Rational;

/// A scale that no distribution has.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ScaleError {
    /// Zero or below.
    #[error("a scale must be positive, got {0}")]
    NotPositive(Rational),
    /// A grid of more or fewer bits than any use needs.
    #[error("a grid exponent must be between -65536 and 65536, got {0}")]
    GridExponent(i64),
}

/// The largest magnitude of the exponent of a grid.
const GRID_EXPONENT_LIMIT: u64 = 65536;

/// A positive scale, and a grid on which steps can be counted.
fn check_scale(scale: &Rational, grid_exponent: i64) -> Result<(), ScaleError> {
    if !scale.is_positive() {
        return Err(ScaleError::NotPositive(scale.clone()));
    }
    if grid_exponent.unsigned_abs() > GRID_EXPONENT_LIMIT {
        return Err(ScaleError::GridExponent(grid_exponent));
    }
    Ok(())
}
