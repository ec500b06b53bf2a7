#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod decimal;
mod directed;
mod dyadic;
mod enclosure;
pub mod environment;
mod format;
mod integer;
mod ln;
mod rational;
mod rounding;
#[cfg(feature = "serde")]
mod serde;
mod short;

pub use directed::{BoundError, Down, Interval, Up};
pub use dyadic::{Dyadic, NotFinite};
pub use enclosure::{EXP_ARGUMENT_BITS, Enclosure, Outward, Wide, exp_enclosure, ln_enclosure};
pub use format::{Format, FormatError};
pub use integer::{Integer, Natural, OutOfRange};
pub use ln::{ln, ln_bounds};
pub use rational::{ParseRationalError, Rational};
pub use rounding::Rounding;
pub use short::{Short, ShortFormat, sum_to_f64};
