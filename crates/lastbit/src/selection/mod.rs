//! Selection of a number by its place in the data: quantiles, thresholds, radii.
//!
//! Each is a [quality](crate::quality) of the points of a domain and a mechanism that selects by
//! it.

mod ball_radius;
mod bisection;
mod key;
mod needed;
mod order_statistics;
mod point_draw;
mod quantile;
mod quantiles;
mod rank_window;
mod threshold_learner;

pub use ball_radius::{
    RadiusSelection, WholeKey, ball_radius, ball_radius_by, ball_radius_on_grid,
};
pub use key::Key;
pub use needed::{Need, Wanted, needed};
pub use quantile::{Offer, PointSelection, interior_point, offers, quantile, quantile_by, rank_of};
pub use quantiles::{
    EqualNumbers, QuantileLaw, QuantilesMethod, QuantilesOffer, QuantilesSelection, quantiles,
    quantiles_by, quantiles_by_zcdp, quantiles_law, quantiles_offers,
};
pub use threshold_learner::{
    LabelledDomain, ThresholdRule, ThresholdSelection, threshold_errors, threshold_learner,
    threshold_learner_add_remove, threshold_learner_by,
};
