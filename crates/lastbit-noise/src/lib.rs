//! Entropy, lazy uniforms and exact samplers on grids.
#![forbid(unsafe_code)]

mod bernoulli;
pub mod entropy;
#[cfg(feature = "test-entropy")]
pub mod enumerate;
mod geometric;
mod laplace;
mod lazy;
mod uniform;
mod ustar;

pub use bernoulli::{BernoulliError, bernoulli, bernoulli_exp, bernoulli_exp_law, bernoulli_law};
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
}
