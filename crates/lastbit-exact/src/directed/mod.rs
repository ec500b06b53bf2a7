//! Rounding in a direction that the type states.
//!
//! [`Up`] is an upper bound of a real number, [`Down`] a lower bound, [`Interval`] both. An
//! operator exists only where the bounds it is given determine the bound it returns: `Up - Down` is
//! an `Up`, `Up - Up` does not compile.

mod contraction;
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

pub(crate) use decimal::printable;
pub use down::Down;
pub use interval::Interval;
pub use up::Up;

/// Why numbers are not a bound or an interval.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
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
