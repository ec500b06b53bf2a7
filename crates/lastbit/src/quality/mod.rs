//! Qualities of points over domains as large as 2^64 and more.
//!
//! A quality rates every point of a domain by the data, such as how far its rank is from that of
//! the median. Over n data points it takes few values in long runs, so a [`StepFunction`] holds it
//! in O(n), and every step of a [selection](crate::selection) works on runs.

mod error;
mod labels;
mod lengths;
mod ranks;
mod step_function;

pub use error::QualityError;
pub(crate) use ranks::RankQuality;
pub(crate) use step_function::Builder;
pub use step_function::{LARGEST_SIZE, Plateau, StepFunction};
