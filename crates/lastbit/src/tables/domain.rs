use core::fmt;
use core::marker::PhantomData;

use crate::domains::Domain;
use crate::metrics::Metric;
use crate::{Error, MetricSpace};

/// How many units (people, households) two tables differ in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnitDistance {
    /// All rows of a unit come or go.
    Added,
    /// The rows of a unit become others.
    Changed,
}

impl Metric for UnitDistance {
    type Distance = u64;
}

impl fmt::Display for UnitDistance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UnitDistance::Added => "units added or removed",
            UnitDistance::Changed => "units changed",
        })
    }
}

macro_rules! any {
    ($(#[$doc:meta])* $name:ident, $text:literal) => {
        $(#[$doc])*
        pub struct $name<T>(PhantomData<fn() -> T>);

        impl<T> $name<T> {
            /// All of them.
            pub fn new() -> $name<T> {
                $name(PhantomData)
            }
        }

        impl<T> Default for $name<T> {
            fn default() -> $name<T> {
                $name::new()
            }
        }

        impl<T> Clone for $name<T> {
            fn clone(&self) -> $name<T> {
                $name::new()
            }
        }

        impl<T> PartialEq for $name<T> {
            fn eq(&self, _: &$name<T>) -> bool {
                true
            }
        }

        impl<T> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(stringify!($name))
            }
        }

        impl<T> fmt::Display for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str($text)
            }
        }
    };
}

any!(
    /// Tables, wherever they lie: `T` is what an engine reads them by.
    TableDomain, "tables"
);
any!(
    /// Exact answers about the bounded rows of a table.
    AnswerDomain, "answers about bounded rows"
);
any!(
    /// Keys of groups.
    KeyDomain, "keys"
);

impl<T: Clone + Send + Sync + 'static> Domain for TableDomain<T> {
    type Carrier = T;

    fn contains(&self, _: &T) -> bool {
        true
    }

    /// Never: tables are not read to be compared.
    fn same(&self, _: &T, _: &T) -> bool {
        false
    }
}

impl<A: Clone + Send + Sync + 'static> Domain for AnswerDomain<A> {
    type Carrier = A;

    fn contains(&self, _: &A) -> bool {
        true
    }

    /// Never: answers are not opened to be compared.
    fn same(&self, _: &A, _: &A) -> bool {
        false
    }
}

impl<K: Clone + PartialEq + Send + Sync + 'static> Domain for KeyDomain<K> {
    type Carrier = K;

    fn contains(&self, _: &K) -> bool {
        true
    }

    fn same(&self, left: &K, right: &K) -> bool {
        left == right
    }
}

impl<T: Clone + Send + Sync + 'static> MetricSpace<UnitDistance> for TableDomain<T> {
    fn check_space(&self, _: &UnitDistance) -> Result<(), Error> {
        Ok(())
    }

    /// An error: only those who made two tables know how many units they differ in.
    fn distance(&self, metric: &UnitDistance, _: &T, _: &T) -> Result<u64, Error> {
        Err(unknown(metric))
    }
}

/// The refusal to measure what the data do not tell.
pub(super) fn unknown(metric: &impl fmt::Display) -> Error {
    Error::unbounded(format!(
        "the number of {metric} between two of them cannot be read off them; it is what is \
         promised of neighbours"
    ))
}
