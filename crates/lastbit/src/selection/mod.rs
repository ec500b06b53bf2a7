//! Qualities of points over domains as large as 2^64 and more, for selection.
//!
//! A quality rates every point of a domain by the data, such as how far its rank is from that of the median. Over n data points it
//! takes few values in long runs, so a [`StepFunction`] holds it in O(n), and every step of selection works on runs.

mod ball_radius;
mod bisection;
mod error;
mod key;
mod needed;
mod order_statistics;
mod qualities;
mod quantile;
mod quantiles;
mod rank_window;
mod step_function;
mod threshold_learner;
mod way;

pub use ball_radius::{RadiusSelection, Whole, ball_radius, ball_radius_by, ball_radius_on_grid};
pub use error::QualityError;
pub use key::Key;
pub use needed::{Need, Wanted, needed};
pub use quantile::{Offer, PointSelection, interior_point, offers, quantile, quantile_by, rank_of};
pub use quantiles::{
    QuantilesMethod, QuantilesOffer, QuantilesSelection, quantiles, quantiles_by,
    quantiles_by_zcdp, quantiles_offers,
};
pub use step_function::{LARGEST_SIZE, Run, StepFunction};
pub use threshold_learner::{
    LabelledDomain, ThresholdRule, ThresholdSelection, threshold_errors, threshold_learner,
    threshold_learner_add_remove, threshold_learner_by,
};
