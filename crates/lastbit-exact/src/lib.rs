//! Exact and directed arithmetic: the ground floor of Lastbit.
//!
//! Every number that reaches a privacy decision is exact ([`Dyadic`], [`Rational`]) or rounded in a direction that
//! its type states.
#![forbid(unsafe_code)]

mod directed;
mod dyadic;
mod enclosure;
mod format;
mod ln;
mod rational;
mod rounding;

pub use dashu_int::{IBig, UBig};
pub use directed::{BoundError, Down, Interval, Up};
pub use dyadic::{Dyadic, NotFinite};
pub use enclosure::{EXP_ARGUMENT_BITS, Enclosure, exp_enclosure, ln_enclosure};
pub use format::{Format, FormatError};
pub use ln::{ln, ln_bounds};
pub use rational::{ParseRationalError, Rational};
pub use rounding::Rounding;
