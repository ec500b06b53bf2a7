//! Rounding in a direction that the type states.
//!
//! [`Up`] is an upper bound of a real number, [`Down`] a lower bound, [`Interval`] both. An operator exists only where
//! the bounds it is given determine the bound it returns: `Up - Down` is an `Up`, `Up - Up` does not compile.
//!
//! ```
//! use lastbit_exact::{Down, Up};
//! let up = Up::exact(1.0) + Up::exact(2f64.powi(-60));
//! assert!(up.get() > 1.0); // rounding to nearest would give 1
//! let difference: Up = Up::exact(3.0) - Down::exact(1.0);
//! assert_eq!(difference.get(), 2.0);
//! ```
//!
//! ```compile_fail
//! # use lastbit_exact::{Down, Up};
//! let no_bound = Up::exact(3.0) - Up::exact(1.0);
//! ```
//!
//! ```compile_fail
//! # use lastbit_exact::{Down, Up};
//! let no_bound = Up::exact(3.0) + Down::exact(1.0);
//! ```
//!
//! ```compile_fail
//! # use lastbit_exact::{Down, Up};
//! let no_bound = Up::exact(3.0) / Up::exact(1.0);
//! ```
//!
//! # What a bound may be
//! An `Up` is never NaN and never `-∞`, since no real lies at or below `-∞`; it is `+∞` when nothing finite is known to be
//! above. A `Down` mirrors it. So `∞ − ∞` cannot arise, and a sum of finite bounds that overflows downward is an `Up` of
//! `f64::MIN`. A zero is always `+0.0`.

mod decimal;
mod down;
mod exp;
mod fixed;
mod interval;
mod ln_1p;
mod ops;
mod power;
mod tables;
#[cfg(test)]
mod tests;
mod up;

pub use down::Down;
pub use interval::Interval;
pub use up::Up;

/// Why numbers are not a bound or an interval.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum BoundError {
    /// A NaN.
    #[error("a bound must be a number, got NaN")]
    NotANumber,
    /// `-∞` as an upper bound.
    #[error("-inf is not above any real number; use a finite upper bound or +inf")]
    UpperBelowAllReals,
    /// `+∞` as a lower bound.
    #[error("+inf is not below any real number; use a finite lower bound or -inf")]
    LowerAboveAllReals,
    /// The lower end above the upper end.
    #[error("interval [{lo}, {hi}]: lower is above upper; swap them?")]
    Reversed {
        /// The lower end as given.
        lo: f64,
        /// The upper end as given.
        hi: f64,
    },
}
