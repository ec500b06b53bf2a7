//! What data may be: sets of values that a function can be given.

mod atom;
mod frame;
mod map;
mod option;
mod vector;

use core::fmt::{Debug, Display};

pub use atom::{Atom, AtomDomain, Number, Ordered};
pub use frame::{ColumnDomain, ColumnType, Frame, FrameColumn, FrameDomain};
pub use map::MapDomain;
pub use option::OptionDomain;
pub use vector::VectorDomain;

/// A set of values.
///
/// Two domains are equal if they are described the same; the description ([`Display`]) is what
/// errors show.
///
/// ```
/// use lastbit::domains::{AtomDomain, Domain, VectorDomain};
/// let ages = VectorDomain::new(AtomDomain::bounded(0_i64, 120)?);
/// assert!(ages.contains(&vec![31, 58, 17]));
/// assert!(!ages.contains(&vec![31, 230]));
/// assert_eq!(ages.to_string(), "vectors of i64 in [0, 120]");
/// # Ok::<(), lastbit::Error>(())
/// ```
pub trait Domain: Clone + PartialEq + Debug + Display + Send + Sync + 'static {
    /// The type that holds a value.
    type Carrier: Clone + Send + Sync + 'static;

    /// Whether the value is in the set.
    fn contains(&self, value: &Self::Carrier) -> bool;

    /// Whether every value is in the set. Reads all of them, so that the time does not tell where a
    /// bad one is.
    fn contains_all(&self, values: &[Self::Carrier]) -> bool {
        values
            .iter()
            .fold(true, |all, value| all & self.contains(value))
    }

    /// Whether two values are the same record: equal, two nulls, and `-0.0` told from `0.0`.
    fn same(&self, left: &Self::Carrier, right: &Self::Carrier) -> bool;
}
