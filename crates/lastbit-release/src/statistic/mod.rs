//! Statistics, one file per kind. Each says which integers it needs, how noise is added, how large
//! the error is, and what is printed.
//!
//! To add one, write a file with a type that implements [`Kind`] and its [`Word`], and a line in
//! [`KINDS`].

mod bounds;
mod chain;
mod correlation;
mod count;
mod counted;
mod covariance;
mod errors;
mod gram;
mod groups;
mod histogram;
mod left_out;
mod mean;
mod moment;
mod noised;
mod quantiles;
mod query;
mod ratio;
mod reading;
mod regression;
mod share;
mod span;
mod sum;
mod top;
mod variance;
mod weighted_mean;
mod weighted_sum;
mod whole;
mod word;

use std::fmt;

use lastbit::tables::{RankSelection, Reach};
use lastbit::{Epsilon, Error, Share};
use lastbit_exact::{Rational, Up};

use crate::cell::Cell;
use crate::consistent::Additive;
use crate::expression::Expression;
use crate::query::{Aggregate, Aggregated};
use crate::schema::NumberKind;

#[cfg(test)]
pub(crate) use chain::TableScan;
pub use chain::{Chain, LossUnit, Mechanism, Paid, Scan, WholeChain};
pub use errors::Errors;
#[cfg(any(test, feature = "test-entropy"))]
pub use groups::exact_numbers;
#[cfg(test)]
pub(crate) use groups::numbers_chain;
pub use groups::{Drawn, Pick};
pub(crate) use groups::{Margin, rows_by_key};
pub use lastbit::tables::Mix;
use moment::{Moment, Shape};
pub use noised::Noised;
pub(crate) use query::Scanned;
pub use query::{Slot, query};
pub(crate) use reading::{Reading, known};
pub use span::{Polynomial, Span, Symbol};
pub use whole::{Drawing, Whole};
pub use word::{Mark, WORDS, Word};

mod own {
    /// A type of this crate.
    pub trait Own {}
}

/// Every kind of statistic.
pub const KINDS: &[Word] = &[
    count::ROWS,
    count::UNITS,
    sum::WORD,
    mean::WORD,
    variance::WORD,
    covariance::WORD,
    histogram::WORD,
    share::WORD,
    quantiles::WORD,
    correlation::WORD,
    regression::WORD,
    top::WORD,
    bounds::WORD,
    left_out::WORD,
];

/// What a statistic is, and of which columns.
///
/// Only this crate has kinds: what a release charges is what a kind says of itself, and a test of
/// neighbours must have met it.
pub trait Kind: own::Own + fmt::Debug + Send + Sync {
    /// The word in a plan.
    fn word(&self) -> &'static str;

    /// The columns that it describes.
    fn of(&self) -> Vec<&str>;

    /// All columns of the plan that it reads.
    fn uses(&self) -> Vec<&str> {
        self.of()
    }

    /// The columns without whose cells a row does not count.
    fn needs(&self) -> Vec<&str> {
        self.uses()
    }

    /// The column by which its rows are weighted, if they are.
    fn weights(&self) -> Option<&str> {
        None
    }

    /// What distinguishes it from others with the same word and columns, as lines of the identity
    /// of a release.
    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![]
    }

    /// Whether it uses the bins of its columns, so that their edges matter to its identity.
    fn is_binned(&self) -> bool {
        false
    }

    /// The integers that it needs in each group.
    fn aggregates(&self) -> Vec<Aggregate>;

    /// Columns that it computes for itself, by their names in its aggregates.
    fn derives(&self) -> Vec<(&str, &Expression)> {
        vec![]
    }

    /// What a row adds to its numbers, so that it can share the noise of others; `None` if it
    /// cannot.
    fn span(&self) -> Option<Span> {
        None
    }

    /// The meaning of its numbers, if those of groups add up to those of all rows.
    fn adds(&self) -> Option<Additive> {
        None
    }

    /// The most rows of a unit that count in a group, if it has a limit of its own.
    fn most_rows(&self) -> Option<u64> {
        None
    }

    /// For a statistic of all units: the columns to whose groups the limits apply.
    fn limited_by(&self) -> Option<&[String]> {
        None
    }

    /// What a reader should know of its numbers beyond the rows that they are about.
    fn caution(&self) -> Option<&'static str> {
        None
    }

    /// Columns that it groups by on its own.
    fn keys(&self) -> Vec<&str> {
        vec![]
    }

    /// The published groups that are shown, in their order.
    fn shown(&self, drawn: Drawn) -> Drawn {
        drawn
    }

    /// A label for each published number of a group; an empty one if there is only one number.
    fn labels(&self) -> Vec<String> {
        vec![String::new()]
    }

    /// How many numbers of a group are published.
    fn cells_of_group(&self) -> u64 {
        1
    }

    /// The unit of its values, such as "years²" for a variance; empty if the plan gives none.
    fn unit(&self) -> String;

    /// The scale of its values.
    fn scale(&self) -> NumberKind {
        NumberKind::Real
    }

    /// The unit of its errors, if it is not that of its values.
    fn error_unit(&self) -> &'static str {
        ""
    }

    /// A typical value over so many rows, from the guesses of the plan; for relative errors only.
    fn typical(&self, rows: u64) -> Rational;

    /// The public number of rows, where every row counts, in the one group.
    fn public_rows(&self) -> Option<u64> {
        None
    }

    /// The least and the largest published number, where they are known.
    fn range(&self) -> (Option<Rational>, Option<Rational>);

    /// How noise is added.
    fn method(&self) -> Method<'_>;

    /// Whether it counts the rows of groups, and so can decide which discovered groups are
    /// published.
    fn counts_rows(&self) -> bool {
        false
    }
}

/// How noise is added to a statistic.
#[non_exhaustive]
pub enum Method<'a> {
    /// Noise is added to exact numbers.
    Noise(&'a dyn Noisy),
    /// Values are selected by their ranks.
    Selection(&'a dyn Selected),
}

/// A statistic of numbers to which noise is added.
pub trait Noisy: Kind {
    /// The numbers of one group. Fails only on integers that are not those of [`Kind::aggregates`].
    fn numbers(&self, exact: &[&Aggregated]) -> Result<Vec<Rational>, Error>;

    /// How far neighbours move the numbers: the stage of the chain from the answer to them.
    fn stability(&self) -> Stability;

    /// How many numbers there are in a group.
    fn count(&self) -> u64 {
        1
    }

    /// Whether they are whole, so that a grid of whole numbers is enough.
    fn is_whole(&self) -> bool {
        false
    }

    /// Whether the noisy numbers themselves are clamped to [`Kind::range`].
    fn is_clamped(&self) -> bool;

    /// Whether the error depends on the rows of a group, and so is known only after the release.
    fn needs_rows(&self) -> bool {
        false
    }

    /// Whether [`Noisy::error`] is known for a number of rows, and not only for the data.
    fn is_foreseen(&self) -> bool {
        true
    }

    /// With the confidence, every published number of a group is within this much of the exact one:
    /// noise, the grid, and the rounding of rows. `rows` is the number of rows in the group; `None`
    /// if that is needed and not known.
    fn error(&self, noised: &Noised<'_>, rows: Option<u64>, errors: Errors<'_>) -> Option<Up>;

    /// What is published, from the noisy numbers of a group.
    fn cells(&self, numbers: &[Rational], published: Published<'_>) -> Vec<Cell>;
}

/// How far neighbours move the numbers of a statistic. The bounds themselves, with their proofs,
/// are in [`lastbit::tables`].
#[non_exhaustive]
pub enum Stability {
    /// As [`lastbit::tables::shares`].
    Shares,
    /// As [`lastbit::tables::sums`], for rows that add numbers between these bounds.
    Sums(lastbit::Bounds),
    /// As [`lastbit::tables::units`].
    Units,
    /// As [`lastbit::tables::products`].
    Products(lastbit::tables::Products),
    /// As [`lastbit::tables::moved`].
    Moved(Box<lastbit::statistics::Extent>),
}

/// What is known when cells are made.
#[derive(Clone, Copy)]
pub struct Published<'a> {
    /// The noise that was added.
    pub noised: Noised<'a>,
    /// The error before the release.
    pub error: Option<Up>,
    /// Bounds at the confidence of the plan.
    pub errors: Errors<'a>,
}

/// A statistic whose values are selected by their ranks.
pub trait Selected: Kind {
    /// The last offset; offsets are selected from 0 to it.
    fn last(&self) -> u64;

    /// Shares of the rows: a value is selected at each, and the ends of an interval around it if
    /// there is one.
    fn shares(&self) -> &[Share];

    /// Whether the ends of an interval around each value are selected, too.
    fn has_interval(&self) -> bool;

    /// The selection at a share with this bounded range in each group.
    fn selection(
        &self,
        share: &Share,
        groups: Option<u64>,
        epsilon: &Epsilon,
        reach: Reach,
    ) -> Result<RankSelection, Error>;

    /// What is published, from the selected offsets of a group: for each share a value, and a
    /// lower and an upper end if there is an interval.
    fn cells(&self, offsets: &[Rational], error: Option<Up>) -> Vec<Cell>;
}

/// The error for integers that were not asked for.
fn unexpected() -> Error {
    Error::other("the engine's answer does not fit the query; report this")
}
