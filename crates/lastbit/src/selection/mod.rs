//! Qualities of points over domains as large as 2^64 and more, for selection.
//!
//! A quality rates every point of a domain by the data, such as how far its rank is from that of the median. Over n data points it
//! takes few values in long runs, so a [`StepFunction`] holds it in O(n), and every step of selection works on runs.

mod bisection;
mod error;
mod key;
mod order_statistics;
mod qualities;
mod quantile;
mod quantiles;
mod rank_window;
mod step_function;

pub use error::QualityError;
pub use key::Key;
pub use quantile::{Offer, PointSelection, interior_point, offers, quantile, quantile_by, rank_of};
pub use quantiles::{
    QuantilesMethod, QuantilesOffer, QuantilesSelection, quantiles, quantiles_by,
    quantiles_by_zcdp, quantiles_offers,
};
pub use step_function::{LARGEST_SIZE, Run, StepFunction};
