//! Tables that add up: grouped statistics whose margins agree with each other and with the totals.
//!
//! [`Family`] says which statistics of a plan are tied, from public facts alone: those whose exact
//! numbers are margins of one table of the same rows. [`Projection`] moves their noisy numbers to
//! the nearest ones that add up, which costs nothing, and says what noise is left.

mod family;
mod projection;

pub(crate) use family::find;
pub use family::{Additive, Family, Member, Quantity};
pub use projection::Projection;
pub(crate) use projection::places;
