use core::cmp::Ordering;

use lastbit_exact::{Integer, Rational};

use crate::domains::Atom;
use crate::sealed::Sealed;

/// An [`Atom`] with a public order in which only equal records tie.
///
/// Rows are compared as multisets, so a choice of rows may depend on nothing but their values. Two
/// floats that compare equal but are different records, `-0.0` and `0.0`, must not tie: their
/// places in the data would decide, and an adversary could tell.
///
/// ```
/// use core::cmp::Ordering;
/// use lastbit::transformations::TotalOrder;
/// assert_eq!((-0.0).total_order(&0.0), Ordering::Less);
/// assert_eq!(f64::NAN.total_order(&-f64::NAN), Ordering::Equal); // all nulls are the same record
/// assert_eq!(f64::NAN.total_order(&f64::INFINITY), Ordering::Greater);
/// ```
pub trait TotalOrder: Atom + Sealed {
    /// `Equal` exactly if [`Atom::same`].
    fn total_order(&self, other: &Self) -> Ordering;
}

macro_rules! total_order {
    ($($type:ty),*) => {
        $(impl TotalOrder for $type {
            fn total_order(&self, other: &Self) -> Ordering {
                self.cmp(other)
            }
        })*
    };
}
total_order!(i64, u64, bool, String, Integer, Rational);

impl TotalOrder for f64 {
    fn total_order(&self, other: &f64) -> Ordering {
        match (self.is_nan(), other.is_nan()) {
            (false, false) => self.total_cmp(other),
            (left, right) => left.cmp(&right),
        }
    }
}
