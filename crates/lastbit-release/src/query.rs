//! What an engine must compute, and the exact integers that it answers.
//!
//! A [`Query`] says how every cell becomes an integer: clamped to public bounds, rounded to a
//! public grid, missing cells as the plan says. Rows are kept or dropped by the privacy unit alone,
//! so that one unit moves the answer by no more than the plan's sensitivity.

use std::sync::Arc;

use lastbit_exact::Integer;

use crate::ledger::Reserved;
use crate::schema::{Categories, Numbers, Scope, Source, Unit};

pub use lastbit::tables::LOG2_MOST_ROWS;

pub use crate::schema::{Derive, Join};

/// Tables of exact integers to compute from one source.
#[derive(Clone, Debug)]
pub struct Query {
    /// Where the rows are.
    pub source: Source,
    /// Which rows count, and which columns are computed from others.
    pub derive: Derive,
    /// Whose presence is protected.
    pub unit: Unit,
    /// Statistics that share their rows and their grouping are one table.
    pub tables: Vec<Table>,
    /// A key for the hash that chooses which rows of a unit stay: public, and the same for the same
    /// plan.
    pub hash_key: [u8; 32],
}

/// Aggregates over the groups of some keys; over all rows if there are none. Or, if
/// [`Aggregate::Kept`] is one of them, over all units, of what the limits keep of each in those
/// groups: one group without keys.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Which rows count.
    pub scope: Scope,
    /// What rows are grouped by.
    pub keys: Vec<Key>,
    /// What is computed in each group.
    pub aggregates: Vec<Aggregate>,
}

/// A column to group by.
#[derive(Clone, Debug)]
pub enum Key {
    /// Public categories: every one has its groups in the answer, with rows or without.
    Categories(Arc<Categories>),
    /// Public bins of a column of numbers: a cell falls into the bin whose number is how many of
    /// the inner edges are at or below it. Cells beyond the bounds fall into the first or the last
    /// one, so that every cell that is not missing falls into a bin.
    Bins(Arc<Numbers>),
    /// The values that occur, as text. The groups themselves are facts about the data, for a
    /// thresholded release only: a table with such a key answers only the groups that have rows.
    /// Rows without a value count nowhere.
    Discovered {
        /// The column.
        column: String,
    },
}

/// The most steps from the lower to the upper bound of a grid: squares of 2^40, summed over
/// 2^[`LOG2_MOST_ROWS`] rows, fit into 128 bits.
pub const MOST_STEPS: i64 = 1 << 40;

/// The most steps from the lower to the upper bound of a grid of which offsets are summed or
/// listed, and not their squares.
pub const MOST_OFFSETS: i64 = 1 << 52;

/// Shares of a unit's rows are whole numbers of 2 to the power of minus this.
pub const LOG2_SHARE: u32 = 30;

/// Exact integers to compute in each group. A row counts with its offset, the number of steps from
/// its grid's lower bound.
#[derive(Clone, Debug)]
pub enum Aggregate {
    /// How many rows.
    Rows,
    /// How many rows have the column, and the sum of their offsets on its fine grid.
    Sum(Arc<Numbers>),
    /// How many rows have the column, and the sums of their offsets and of the squares of the
    /// offsets.
    Moments(Arc<Numbers>),
    /// Over rows that have both columns: how many, the sums of both offsets, and of their products.
    Products(Arc<Numbers>, Arc<Numbers>),
    /// As [`Aggregate::Products`], on the fine grids of both columns.
    FineProducts(Arc<Numbers>, Arc<Numbers>),
    /// How many rows fall into each bin, as for [`Key::Bins`].
    Bins(Arc<Numbers>),
    /// How many rows fall into each category.
    Categories(Arc<Categories>),
    /// How many rows have a cell in each state: those of [`States::labels`], and as it should be.
    States(States),
    /// How many units have rows in the groups, how many of them have more than the limits keep, and
    /// the sum over units of the share of their rows that is left out, each rounded down to
    /// 2^-[`LOG2_SHARE`].
    Kept,
    /// Over rows that have all columns: how many, the sums of their offsets, and of the products of
    /// all pairs.
    Gram(Vec<Arc<Numbers>>),
    /// Each offset that occurs and how often, in increasing order: for quantiles.
    Offsets(Arc<Numbers>),
}

/// A column whose cells are told apart by whether they count as they are.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum States {
    /// Of numbers.
    Numbers(Arc<Numbers>),
    /// Of categories.
    Categories(Arc<Categories>),
    /// Of discovered values.
    Discovered(String),
}

impl States {
    /// The column's name.
    pub fn column(&self) -> &str {
        match self {
            States::Numbers(numbers) => &numbers.column,
            States::Categories(categories) => &categories.column,
            States::Discovered(column) => column,
        }
    }

    /// The states of cells that do not count as they are.
    pub fn labels(&self) -> &'static [&'static str] {
        match self {
            States::Numbers(_) => &["below the bounds", "above the bounds", "no number"],
            States::Categories(_) => &["missing", "not listed"],
            States::Discovered(_) => &["missing"],
        }
    }
}

impl Aggregate {
    /// Whether both are the same integers. Columns have one name in a plan, so that equal names are
    /// equal columns.
    pub fn is_same(&self, other: &Aggregate) -> bool {
        use Aggregate as A;
        match (self, other) {
            (A::Rows, A::Rows) | (A::Kept, A::Kept) => true,
            (A::Sum(x), A::Sum(y))
            | (A::Moments(x), A::Moments(y))
            | (A::Offsets(x), A::Offsets(y)) => x.column == y.column,
            (A::Bins(x), A::Bins(y)) => {
                x.column == y.column && x.edges == y.edges && x.missing == y.missing
            }
            (A::States(x), A::States(y)) => x.column() == y.column(),
            (A::Gram(x), A::Gram(y)) => {
                let names = |columns: &[Arc<Numbers>]| -> Vec<String> {
                    columns.iter().map(|x| x.column.clone()).collect()
                };
                names(x) == names(y)
            }
            (A::Categories(x), A::Categories(y)) => x.column == y.column,
            (A::Products(a, b), A::Products(c, d))
            | (A::FineProducts(a, b), A::FineProducts(c, d)) => {
                a.column == c.column && b.column == d.column
            }
            _ => false,
        }
    }
}

/// The exact integers of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Rows read in all, before any was dropped.
    pub rows: u64,
    /// As in the query.
    pub tables: Vec<Vec<Group>>,
}

/// One group: by public keys in the order of the plan (the last key changes fastest), discovered
/// ones in increasing order.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// A value of each key of the table.
    pub key: GroupKey,
    /// As in the table.
    pub values: Vec<Aggregated>,
}

/// The values of the keys of a group, shared: a million of them are copied often.
pub type GroupKey = Arc<[KeyValue]>;

/// A value of a key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeyValue {
    /// The index of a category or bin.
    Public(usize),
    /// A value that occurred, as text.
    Discovered(String),
}

impl KeyValue {
    /// The text of a discovered value.
    pub fn discovered(&self) -> Option<&str> {
        match self {
            KeyValue::Discovered(text) => Some(text),
            KeyValue::Public(_) => None,
        }
    }
}

/// The exact value of an aggregate in a group.
#[derive(Clone, Debug, PartialEq)]
pub enum Aggregated {
    /// Of [`Aggregate::Rows`].
    Rows(u64),
    /// Of [`Aggregate::Sum`].
    Sum {
        /// Rows that count.
        rows: u64,
        /// Σ offset.
        sum: Integer,
    },
    /// Of [`Aggregate::Moments`].
    Moments {
        /// Rows that count.
        rows: u64,
        /// Σ offset.
        sum: Integer,
        /// Σ offset².
        squares: Integer,
    },
    /// Of [`Aggregate::Products`] and [`Aggregate::FineProducts`].
    Products {
        /// Rows that count.
        rows: u64,
        /// Σ offset of x.
        sum_x: Integer,
        /// Σ offset of y.
        sum_y: Integer,
        /// Σ offset of x · offset of y.
        products: Integer,
    },
    /// Of [`Aggregate::Kept`].
    Kept {
        /// Units.
        units: u64,
        /// Units of which rows are left out.
        cut: u64,
        /// Σ share of a unit's rows that is left out, in 2^-[`LOG2_SHARE`].
        left_out: Integer,
    },
    /// Of [`Aggregate::Gram`].
    Gram {
        /// Rows that count.
        rows: u64,
        /// Σ offset of each column.
        sums: Vec<Integer>,
        /// Σ of products of offsets: of the first column with itself and all others, of the second
        /// with itself and those after it, and so on.
        products: Vec<Integer>,
    },
    /// Of [`Aggregate::Bins`], [`Aggregate::Categories`] and [`Aggregate::States`].
    Counts(Vec<u64>),
    /// Of [`Aggregate::Offsets`].
    Offsets(Vec<(u64, u64)>),
}

/// Facts about the data that no noise protects yet: sealed when they are computed, which costs
/// nothing. Only this crate can look inside: to add noise, with a [`Reserved`] in hand, to refuse a
/// release that could not be finished, or for
/// [`inspect_not_private`](crate::inspect::inspect_not_private).
pub struct Sealed<T>(Arc<T>);

impl<T> Sealed<T> {
    /// Seals what was computed.
    pub fn new(value: T) -> Sealed<T> {
        Sealed(Arc::new(value))
    }

    /// Whether a release of this could be finished, before it is paid for. Nothing but a refusal
    /// leaves.
    pub(crate) fn refuse<E>(&self, check: impl FnOnce(&T) -> Result<(), E>) -> Result<(), E> {
        check(&self.0)
    }

    /// What was computed, as it is: for the steward's own eyes, see [`crate::inspect`].
    pub(crate) fn not_private(self) -> Arc<T> {
        self.0
    }

    /// What was computed, for noise that is paid for.
    pub(crate) fn open(&self, _reserved: &Reserved) -> Arc<T> {
        Arc::clone(&self.0)
    }
}

/// Tells nothing about the contents.
impl<T> std::fmt::Debug for Sealed<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sealed(..)")
    }
}
