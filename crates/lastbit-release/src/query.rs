//! What an engine must compute, and the exact integers that it answers.
//!
//! A [`Query`] says how every cell becomes an integer: clamped to public bounds, rounded to a public grid, missing cells as the plan
//! says. Rows are kept or dropped by the privacy unit alone, so that one unit moves the answer by no more than the plan's sensitivity.

use std::path::PathBuf;

use lastbit::statistics::Grid;
use lastbit_exact::IBig;

use crate::ledger::Reserved;

/// Tables of exact integers to compute from one source.
#[derive(Clone, Debug)]
pub struct Query {
    /// Where the rows are.
    pub source: Source,
    /// Whose presence is protected.
    pub unit: Unit,
    /// Statistics that share their grouping are one table.
    pub tables: Vec<Table>,
    /// A key for the hash that chooses which rows of a unit stay: public, and the same for the same plan.
    pub hash_key: [u8; 32],
}

/// Files of rows.
#[derive(Clone, Debug)]
pub struct Source {
    /// Files, globs and directories; relative ones start at `base`.
    pub paths: Vec<String>,
    /// Where relative paths start: the directory of the plan.
    pub base: PathBuf,
    /// How the files are written.
    pub format: FileFormat,
}

/// How files are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileFormat {
    /// Comma separated values.
    Csv {
        /// Between cells.
        delimiter: u8,
        /// Around cells that hold delimiters.
        quote: u8,
        /// Whether the files are compressed by gzip.
        gzip: bool,
    },
    /// Apache Parquet.
    Parquet,
    /// One JSON object a line.
    Json {
        /// Whether the files are compressed by gzip.
        gzip: bool,
    },
}

/// Whose presence is protected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Each row is somebody else.
    Row,
    /// Rows with the same value of this column are one unit. Rows without one count nowhere.
    Column {
        /// The column.
        name: String,
        /// The most rows of one unit that count in one group of a table, at least 1.
        most_rows: u64,
        /// The most groups of a table in which one unit counts, at least 1.
        most_groups: u64,
    },
}

/// Aggregates over the groups of some keys; over all rows if there are none.
#[derive(Clone, Debug)]
pub struct Table {
    /// What rows are grouped by.
    pub keys: Vec<Key>,
    /// What is computed in each group.
    pub aggregates: Vec<Aggregate>,
}

/// A column to group by.
#[derive(Clone, Debug)]
pub enum Key {
    /// Public categories: every one has its groups in the answer, with rows or without.
    Categories(Categories),
    /// Public bins of a numeric column.
    Bins(Bins),
    /// The values that occur, as text. The groups themselves are facts about the data, for a thresholded release only: a table with
    /// such a key answers only the groups that have rows. Rows without a value count nowhere.
    Discovered {
        /// The column.
        column: String,
    },
}

/// A text column with public categories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Categories {
    /// The column.
    pub column: String,
    /// Its categories, all different.
    pub names: Vec<String>,
    /// The category that a missing or unlisted cell counts as; without one such rows count nowhere in the table.
    pub other: Option<usize>,
}

/// Bins of a numeric column, by steps of its grid: bin i holds the rows from `edges[i]` up to, and without, `edges[i + 1]`; the last one
/// holds its upper edge too. Rows are clamped to the grid's bounds, so that every one that is not missing falls into a bin.
#[derive(Clone, Debug)]
pub struct Bins {
    /// The column and its grid.
    pub numeric: Numeric,
    /// Increasing numbers of steps; the first and last are the grid's bounds.
    pub edges: Vec<i64>,
}

/// A numeric column and how its cells become whole steps of a grid.
#[derive(Clone, Debug)]
pub struct Numeric {
    /// The column.
    pub column: String,
    /// Clamps and rounds a cell. At most [`MOST_STEPS`] steps from bound to bound.
    pub grid: Grid,
    /// What a null, a NaN or a cell that is no number becomes.
    pub missing: Missing,
}

/// What a missing cell becomes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Missing {
    /// The row does not count in this aggregate.
    Drop,
    /// The row counts as if the cell were this public number.
    Value(f64),
}

/// The most steps from the lower to the upper bound of a grid: squares of 2^40, summed over 2^[`LOG2_MOST_ROWS`] rows, fit into 128 bits.
pub const MOST_STEPS: i64 = 1 << 40;

/// More rows than 2^40 are refused.
pub const LOG2_MOST_ROWS: u32 = 40;

/// Exact integers to compute in each group. A row counts with its offset, the number of steps from its grid's lower bound.
#[derive(Clone, Debug)]
pub enum Aggregate {
    /// How many rows.
    Rows,
    /// How many rows have the column, and the sums of their offsets and of the squares of the offsets.
    Moments(Numeric),
    /// Over rows that have both columns: how many, the sums of both offsets, and of their products.
    Products(Numeric, Numeric),
    /// How many rows fall into each bin.
    Bins(Bins),
    /// How many rows fall into each category.
    Categories(Categories),
    /// Each offset that occurs and how often, in increasing order: for quantiles.
    Offsets(Numeric),
}

/// The exact integers of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Rows read in all, before any was dropped.
    pub rows: u64,
    /// As in the query.
    pub tables: Vec<Vec<Group>>,
}

/// One group: by public keys in the order of the plan (the last key changes fastest), discovered ones in increasing order.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// A value of each key of the table.
    pub key: Vec<KeyValue>,
    /// As in the table.
    pub values: Vec<Exact>,
}

/// A value of a key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeyValue {
    /// The index of a category or bin.
    Public(usize),
    /// A value that occurred, as text.
    Discovered(String),
}

/// The exact value of an aggregate in a group.
#[derive(Clone, Debug, PartialEq)]
pub enum Exact {
    /// Of [`Aggregate::Rows`].
    Rows(u64),
    /// Of [`Aggregate::Moments`].
    Moments {
        /// Rows that count.
        rows: u64,
        /// Σ offset.
        sum: IBig,
        /// Σ offset².
        squares: IBig,
    },
    /// Of [`Aggregate::Products`].
    Products {
        /// Rows that count.
        rows: u64,
        /// Σ offset of x.
        sum_x: IBig,
        /// Σ offset of y.
        sum_y: IBig,
        /// Σ offset of x · offset of y.
        products: IBig,
    },
    /// Of [`Aggregate::Bins`] and [`Aggregate::Categories`].
    Counts(Vec<u64>),
    /// Of [`Aggregate::Offsets`].
    Offsets(Vec<(u64, u64)>),
}

/// Facts about the data that no noise protects yet. Only this crate can look inside, and only with a [`Reserved`] in hand.
pub struct Sealed<T>(T);

impl<T> Sealed<T> {
    /// Seals what was computed under a reservation.
    #[cfg_attr(not(feature = "datafusion"), allow(dead_code))]
    pub(crate) fn new(value: T, _reserved: &Reserved) -> Sealed<T> {
        Sealed(value)
    }

    /// What was computed, for noise that is paid for.
    #[allow(dead_code)]
    pub(crate) fn open(&self, _reserved: &Reserved) -> &T {
        &self.0
    }
}

/// Tells nothing about the contents.
impl<T> std::fmt::Debug for Sealed<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sealed(..)")
    }
}
