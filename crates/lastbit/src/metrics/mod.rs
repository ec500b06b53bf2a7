//! How far apart two data sets, or two values computed from them, are.
//!
//! Distances between data sets count rows; rows have no order, so a permutation is at distance zero. Distances between
//! numbers are exact rationals, except the Euclidean, which is rounded up.

use core::fmt::{self, Debug, Display};

use lastbit_exact::{Rational, Up};

use crate::Distance;

/// A way to measure distance on some domains; which ones, [`MetricSpace`](crate::MetricSpace) says.
pub trait Metric: Clone + PartialEq + Debug + Display + Send + Sync + 'static {
    /// An exact number, or one rounded up.
    type Distance: Distance;
}

macro_rules! metric {
    ($(#[$doc:meta])* $name:ident, $distance:ty, $text:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name;

        impl Metric for $name {
            type Distance = $distance;
        }

        impl Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str($text)
            }
        }
    };
}

metric!(
    /// How many rows must be added or removed: `|x Δ y|` of two multisets of rows. One person's row: 1.
    SymmetricDistance, u64, "symmetric distance"
);
metric!(
    /// How many rows must be changed: `|x Δ y|/2` of two multisets of the same, public size. One person's row: 1.
    ChangeOneDistance, u64, "change-one distance"
);
metric!(
    /// `|x − y|` of two numbers.
    AbsoluteDistance, Rational, "absolute distance"
);
metric!(
    /// `Σ |x_i − y_i|`; a key that a map lacks counts as zero.
    L1Distance, Rational, "L1 distance"
);
metric!(
    /// `√Σ (x_i − y_i)²`, rounded up; a key that a map lacks counts as zero.
    L2Distance, Up, "L2 distance"
);
metric!(
    /// `max |x_i − y_i|`; a key that a map lacks counts as zero.
    LInfDistance, Rational, "L∞ distance"
);
metric!(
    /// `max (x_i − y_i) − min (x_i − y_i)`: zero if all entries move by the same amount. What selection by scores depends on.
    RangeDistance, Rational, "range distance"
);
metric!(
    /// 0 if equal and 1 if not.
    DiscreteDistance, u64, "discrete distance"
);
