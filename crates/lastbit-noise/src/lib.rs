//! Entropy, lazy uniforms and exact samplers on grids.
#![forbid(unsafe_code)]

pub mod entropy;
mod geometric;
mod laplace;
mod lazy;
mod ustar;

pub use geometric::Geometric;
pub use laplace::{Laplace, laplace_mass};
pub use lazy::LazyUniform;
pub use ustar::{SignedUStar64, UStar};

use lastbit_exact::Rational;

/// A scale that no distribution has.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ScaleError {
    /// Zero or below.
    #[error("a scale must be positive, got {0}")]
    NotPositive(Rational),
}
