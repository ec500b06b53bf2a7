//! Mechanisms: the places where noise is added.
//!
//! | mechanism | input | loss |
//! |---|---|---|
//! | [`laplace`] | a number, or a vector in L1 distance, rounded to a grid | ε = d/s |
//! | [`laplace_zcdp`] | the same | ρ = ε + e^-ε − 1 |
//! | [`geometric`] | an integer, or a vector of them in L1 distance | ε = d/s |
//! | [`gaussian`] | a number, or a vector in L2 distance, rounded to a grid | ρ = d²/(2σ²) |
//! | [`randomized_response`] | one of k categories | ε = ln(p(k−1)/(1−p)) |
//! | [`randomized_response_bool`] | a truth value | ε = ln(p/(1−p)) |
//! | [`threshold_laplace`] | a map, of which keys with a large noisy value are published | (ε, δ) |
//! | [`threshold_gaussian`] | the same | (ρ, δ) |
//! | [`snapping`] | a number with public bounds | ε |
//! | [`exponential`] | scores of candidates, of which one, or the top k, is selected | η = ε; k·ε |
//!
//! Every draw is exact: the law of what is published is the law in the proof, and no rounding term
//! is left. Scales are exact rationals; [`Scale::for_epsilon`], [`Variance::for_rho`],
//! [`truth_for_epsilon`], [`laplace_threshold`] and [`gaussian_threshold`] find the parameter for a
//! loss.

pub mod exponential;
pub mod flat_concave;
mod gaussian;
mod geometric;
mod laplace;
mod noise;
mod randomized_response;
pub mod snapping;
mod threshold;

pub use crate::parameters::{Delta, Rho, Scale, Variance};
pub use gaussian::gaussian;
pub use geometric::geometric;
pub use laplace::{laplace, laplace_zcdp};
pub use noise::{Length, NoiseDomain, NoisyInteger, NoisyNumber};
pub use randomized_response::{randomized_response, randomized_response_bool, truth_for_epsilon};
pub use threshold::{
    ThresholdGaussian, ThresholdLaplace, gaussian_threshold, laplace_threshold, threshold_gaussian,
    threshold_laplace,
};
