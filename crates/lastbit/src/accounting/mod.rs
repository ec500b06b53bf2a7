//! What many releases cost together, as tight as theory allows, with no rounding left to trust.
//!
//! A [`Pair`] of laws dominates a release: no two neighbours can be told apart better. A
//! [`Composition`] adds up pairs that are fixed beforehand: losses on a grid, rounded so that the
//! profile `δ(ε)` can only grow (and only shrink, for the lower bound), masses as whole numbers of
//! a unit below 2^-59, products by exact number-theoretic transforms. There is no floating-point
//! error in a product, so that δ may be as small as 10^-45; and every result has an upper and a
//! lower bound.
//!
//! | what is known | how it adds up |
//! |---|---|
//! | losses fixed beforehand, any mechanism | [`BestBounds`]: the better of the next two |
//! | their laws | [`Composition`] |
//! | their Rényi divergences | [`Divergences`] |
//! | the statistics of one release | [`FixedLosses`] |
//! | Gaussian noise alone | [`gaussian_delta`], [`gaussian_epsilon`], [`gaussian_mu_squared`] |
//! | ρ-zCDP, one number | [`zcdp_delta`], [`zcdp_epsilon`] |
//! | losses chosen with earlier results in sight | [`AdaptiveFilter`]: sums of ρ or μ² |
//!
//! Gaussian noise adds up exactly. Near ε = 0 the functions of ρ are tighter than any Rényi order.
//!
//! A δ to spend is rounded down, as in [`conversions`](crate::conversions): a smaller one costs
//! more. So it is a [`Down`](crate::Down) where it comes rounded. Where it comes exactly, it is a
//! rational that is rounded inside. It may be what thresholds leave of a budget, which can be
//! nothing, so it is no [`Delta`](crate::Delta): 0 is refused where it is used.

mod atoms;
mod bounded_range;
mod bounds;
mod calibrate;
mod compose;
mod composition;
mod curve;
mod divergences;
mod filter;
mod fixed;
mod gaussian;
mod gaussian_profile;
mod geometric;
mod laplace;
mod loss_distribution;
mod mass;
mod modulo;
mod normal;
mod pair;
mod sampled;
mod search;
mod transform;
mod with_delta;
mod zcdp_profile;

pub use bounds::BestBounds;
pub use calibrate::calibrate;
pub use composition::Composition;
pub use divergences::Divergences;
pub use filter::{AdaptiveFilter, Currency, FilterLoss};
pub use fixed::FixedLosses;
pub use gaussian_profile::{gaussian_delta, gaussian_epsilon, gaussian_mu_squared};
pub use pair::Pair;
pub use zcdp_profile::{zcdp_delta, zcdp_epsilon, zcdp_total_variation};
