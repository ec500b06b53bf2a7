//! Tables that add up: statistics by some columns whose margins agree with each other and with the
//! totals beside them.
//!
//! [`Family`] says which statistics of a plan are tied, by what is public alone: those whose exact
//! numbers are margins of one table of the same rows. [`Projection`] moves their noisy numbers to
//! the nearest ones that add up, which costs nothing, and says what becomes of the noise.

mod family;
mod projection;

pub(crate) use family::find;
pub use family::{Adds, Family, Member};
pub use projection::Projection;
pub(crate) use projection::places;
