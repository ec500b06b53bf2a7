//! What a draw of the snapping mechanism is worth, before any data is read.
//!
//! Everything is about `clamp_B(⌊g + Laplace(λ)⌉_Λ)` in *centred* coordinates: `g` is the query
//! value minus the centre of its bounds, clamped to `[−B, B]`, `Λ = 2^grid_exponent`. [`Law`] is
//! its exact distribution, as enclosures; [`accuracy`] and its inverse [`scale_for_accuracy`] hold
//! for every g in the bounds; [`bound_for_gamma_exact`] chooses B; [`Laws::worst_bias`] and
//! [`curve`] show what B costs.
//!
//! Nothing here looks at data. A [`Law`] is for the caller's *guess* of g; at the true g it would
//! disclose it.

mod accuracy;
mod bias;
mod bound;
mod error;
mod exact_accuracy;
mod law;
mod moments;
mod points;
mod tradeoff;

pub use accuracy::{GridRule, accuracy, laplace_accuracy, scale_for_accuracy, simple_accuracy};
pub use bias::{Laws, WorstBias};
pub use bound::{
    bound_for_gamma_exact, bound_for_gamma_float, bound_for_gamma_float_from_accuracy,
    clamp_probability,
};
pub use error::UtilityError;
pub use law::Law;
pub use points::{Point, Points};
pub use tradeoff::{TradeOff, curve};
