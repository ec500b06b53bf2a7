//! Casts between ways to state a privacy loss. Each is a function on bounds that round the safe way
//! by their types, in a file of its own with its proof; a [`Measurement`](crate::Measurement) has
//! the same casts as methods (`to_zcdp`, `to_approximate`, …).
//!
//! | from | to | bound | function |
//! |---|---|---|---|
//! | bounded range η | pure ε | `η` | [`bounded_range_to_pure`] |
//! | bounded range η | zCDP ρ | the smaller of the next two | [`bounded_range_to_zcdp`] |
//! | | | `η²/8` | [`bounded_range_to_zcdp_classical`] |
//! | | | `x − 1 − ln x`, `x = η/(e^η − 1)` | [`bounded_range_to_zcdp_tight`] |
//! | pure ε | bounded range η | `2ε` | [`pure_to_bounded_range`] |
//! | pure ε | zCDP ρ | `ε·tanh(ε/2)` | [`pure_to_zcdp`] |
//! | pure ε | (ε, δ) | `(ε, 0)` | [`pure_to_approximate`] |
//! | Laplace or exact snapping at ε | zCDP ρ | `ε + e^-ε − 1` | [`laplace_to_zcdp`] |
//! | Gaussian noise at μ² | zCDP ρ | `μ²/2`, exactly | [`gaussian_to_zcdp`] |
//! | zCDP ρ | Gaussian noise at μ² | `2ρ`, exactly | [`gaussian_for_zcdp`] |
//! | zCDP ρ | (ε, δ), for a δ | best over all Rényi orders | [`zcdp_to_approximate_epsilon`] |
//! | zCDP ρ | (ε, δ), for an ε | best over all Rényi orders | [`zcdp_to_approximate_delta`] |
//! | (ε, δ) | the zCDP ρ that gives it | best over all Rényi orders | [`zcdp_for_approximate`] |
//! | zCDP ρ | Rényi curve | `αρ` | [`zcdp_to_renyi`] |
//! | Rényi curve | (ε, δ), for a δ | the least ε with that δ | [`renyi_to_approximate_epsilon`] |
//! | Rényi curve | (ε, δ), for an ε | the δ below | [`renyi_to_approximate_delta`] |
//! | (ε, δ) | profile | randomized response up to δ | [`approximate_to_profile`] |
//! | profile | (ε, δ) | the smallest ε; the δ | [`profile_to_approximate`], [`profile_at`] |
//!
//! The δ of a Rényi curve at ε is the least `e^((α−1)(D−ε))/(α−1)·(1−1/α)^α` over orders α.
//!
//! A loss is an [`Up`](lastbit_exact::Up): an upper bound, so that what comes out bounds every
//! smaller loss too. An ε at which a δ is asked for, and a δ that may be spent, are
//! [`Down`](lastbit_exact::Down): a smaller one costs more, so a lower bound is the safe one.
//! Negative and infinite losses are refused; NaN is not a bound to begin with.
//!
//! There is no way from zCDP, Rényi or (ε, δ > 0) back to pure: Gaussian noise satisfies all three,
//! and its loss is unbounded.

mod approximate_to_profile;
mod bounded_range_to_pure;
mod bounded_range_to_renyi;
mod bounded_range_to_zcdp;
mod charges;
mod checks;
mod composition_rule;
mod curve;
mod finite_pair;
mod for_zcdp;
mod gaussian_to_zcdp;
mod laplace_to_renyi;
mod laplace_to_zcdp;
mod loss_bound;
mod losses;
mod measurement;
mod optimal_composition;
mod order;
mod profile_to_approximate;
mod pure_to_approximate;
mod pure_to_bounded_range;
mod pure_to_renyi;
mod pure_to_zcdp;
mod renyi_to_approximate;
mod series;
mod zcdp_to_approximate;
mod zcdp_to_renyi;

pub use approximate_to_profile::approximate_to_profile;
pub use bounded_range_to_pure::bounded_range_to_pure;
pub use bounded_range_to_renyi::bounded_range_to_renyi;
pub use bounded_range_to_zcdp::{
    bounded_range_to_zcdp, bounded_range_to_zcdp_classical, bounded_range_to_zcdp_tight,
};
pub use charges::{Charge, Charges};
pub use composition_rule::CompositionRule;
pub use finite_pair::FinitePair;
pub use for_zcdp::{bounded_range_for_zcdp, laplace_for_zcdp};
pub use gaussian_to_zcdp::{gaussian_for_zcdp, gaussian_to_zcdp};
pub use laplace_to_renyi::laplace_to_renyi;
pub use laplace_to_zcdp::laplace_to_zcdp;
pub use loss_bound::LossBound;
pub use losses::Losses;
pub use optimal_composition::{MOST_OPTIMAL_RELEASES, optimal_composition};
pub use profile_to_approximate::{profile_at, profile_to_approximate};
pub use pure_to_approximate::pure_to_approximate;
pub use pure_to_bounded_range::pure_to_bounded_range;
pub use pure_to_renyi::pure_to_renyi;
pub use pure_to_zcdp::pure_to_zcdp;
pub use renyi_to_approximate::{
    renyi_order_to_delta, renyi_order_to_epsilon, renyi_to_approximate_delta,
    renyi_to_approximate_epsilon, renyi_to_profile,
};
pub use zcdp_to_approximate::{
    zcdp_for_approximate, zcdp_to_approximate_delta, zcdp_to_approximate_epsilon, zcdp_to_profile,
};
pub use zcdp_to_renyi::zcdp_to_renyi;
