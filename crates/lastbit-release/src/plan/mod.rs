//! Plans: what to publish about a table, and what it may cost. The schema is in `docs/plan.md`.
//!
//! ```
//! use lastbit_release::plan::Plan;
//! let plan = Plan::parse(r#"
//!     title = "Wages"
//!     [source]
//!     files = "wages.csv"
//!     [privacy]
//!     neighbours = "add-remove"
//!     [budget]
//!     epsilon = 0.1
//!     [columns.wage]
//!     lower = 0
//!     upper = 10_000
//!     [[statistics]]
//!     name = "mean wage"
//!     kind = "mean"
//!     of = "wage"
//! "#)?;
//! assert_eq!(plan.budget.main.to_string(), "0.1");          // exactly one tenth
//! # Ok::<(), lastbit_release::plan::PlanError>(())
//! ```

mod canonical;
mod check;
mod error;
mod parse;
mod parse_statistics;
mod reader;

use std::path::Path;

use lastbit::{Bounds, Confidence};
use lastbit_exact::Rational;

use crate::loss::Loss;
use crate::query::{Source, Unit};

pub use error::{Place, PlanError};

/// What to publish, and what it may cost. Checked: every name is known, every number in range.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What the release is called.
    pub title: String,
    /// Where the rows are.
    pub source: Source,
    /// Which data sets are neighbours.
    pub neighbours: Neighbours,
    /// Whose presence is protected.
    pub unit: Unit,
    /// The budget of the data set, for all releases.
    pub budget: Loss,
    /// What this release may spend: at most the budget, in the same measure.
    pub spend: Loss,
    /// How losses are added; the cheapest sound way if the plan does not say.
    pub accountant: Option<Accountant>,
    /// The probability with which every stated error holds.
    pub confidence: Confidence,
    /// Whether the fingerprint of the data may be published.
    pub publish_fingerprint: bool,
    /// How many rows to expect in a group, for errors that depend on it. A guess, not data.
    pub expected_rows: Option<u64>,
    /// Columns, in the order of the plan.
    pub columns: Vec<Column>,
    /// Statistics, in the order of the plan.
    pub statistics: Vec<Statistic>,
}

/// Which data sets are neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neighbours {
    /// One unit more or less.
    AddRemove,
    /// One unit with other rows. If every row is a unit, the number of rows is public.
    ChangeOne {
        /// How many rows there are, if every row is a unit.
        rows: Option<u64>,
    },
}

/// How losses are added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Accountant {
    /// ε of pure losses; δ of thresholds alone.
    Pure,
    /// ρ; stated as (ε, δ) where that is the budget.
    Zcdp,
    /// The optimal composition of equal pure losses, at the δ of the budget.
    Optimal,
}

impl Accountant {
    /// The name in a plan.
    pub fn name(self) -> &'static str {
        match self {
            Accountant::Pure => "pure",
            Accountant::Zcdp => "zcdp",
            Accountant::Optimal => "optimal",
        }
    }
}

/// A column and what is public about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name in the table.
    pub name: String,
    /// What its cells are.
    pub kind: ColumnKind,
}

/// What the cells of a column are.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnKind {
    /// Numbers.
    Numeric(Box<Numeric>),
    /// Texts from a public list.
    Categories {
        /// The list.
        names: Vec<String>,
        /// The one that a missing or unlisted text counts as.
        other: Option<usize>,
    },
    /// Any texts, to group by those that occur often enough.
    Discovered,
}

/// A column of numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Numeric {
    /// Cells are clamped to these.
    pub bounds: Bounds,
    /// What the numbers measure, such as "years".
    pub unit: String,
    /// What a null, a NaN or a cell that is no number becomes.
    pub missing: Missing,
    /// Cells are rounded to multiples of 2 to the power of this.
    pub grid: i32,
    /// Edges of bins: increasing, from the lower to the upper bound.
    pub edges: Option<Vec<Rational>>,
    /// A typical magnitude, for relative errors. A guess, not data.
    pub typical: Rational,
}

/// What a missing number becomes.
#[derive(Clone, Debug, PartialEq)]
pub enum Missing {
    /// The row does not count where the column is used.
    Drop,
    /// This number.
    Value(Rational),
}

/// A statistic to publish.
#[derive(Clone, Debug, PartialEq)]
pub struct Statistic {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Names of columns to group by.
    pub by: Vec<String>,
    /// What it may cost.
    pub share: Share,
    /// How many rows to expect in a group.
    pub expected_rows: Option<u64>,
}

/// What a statistic is, and of which columns.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// How many rows.
    Count,
    /// The sum of a column.
    Sum(String),
    /// The mean of a column.
    Mean(String),
    /// The sample variance of a column, with divisor n − 1.
    Variance(String),
    /// The sample covariance of two columns, with divisor n − 1.
    Covariance(String, String),
    /// How many rows fall into each bin or category of a column.
    Histogram(String),
    /// Numbers with given shares of the rows at or below them.
    Quantiles {
        /// The column.
        column: String,
        /// Shares from 0 to 1, increasing.
        at: Vec<Rational>,
    },
}

/// What a statistic may cost.
#[derive(Clone, Debug, PartialEq)]
pub enum Share {
    /// This loss: ρ if that is the budget's measure, else ε.
    Loss(Rational),
    /// A share of what losses and errors leave, in proportion to this.
    Weight(Rational),
    /// Whatever keeps its error within this.
    Error {
        /// The error, in the statistic's own unit; for quantiles in rows.
        target: Rational,
        /// With this probability.
        confidence: Confidence,
    },
}

impl Kind {
    /// The word in a plan.
    pub fn name(&self) -> &'static str {
        match self {
            Kind::Count => "count",
            Kind::Sum(_) => "sum",
            Kind::Mean(_) => "mean",
            Kind::Variance(_) => "variance",
            Kind::Covariance(..) => "covariance",
            Kind::Histogram(_) => "histogram",
            Kind::Quantiles { .. } => "quantiles",
        }
    }

    /// The columns that it is of.
    pub fn columns(&self) -> Vec<&str> {
        match self {
            Kind::Count => vec![],
            Kind::Sum(x) | Kind::Mean(x) | Kind::Variance(x) | Kind::Histogram(x) => vec![x],
            Kind::Covariance(x, y) => vec![x, y],
            Kind::Quantiles { column, .. } => vec![column],
        }
    }
}

impl Plan {
    /// Reads a plan; relative paths in it start at the working directory.
    pub fn parse(text: &str) -> Result<Plan, PlanError> {
        Plan::parse_in(text, Path::new(""))
    }

    /// Reads a plan; relative paths in it start at `base`.
    pub fn parse_in(text: &str, base: &Path) -> Result<Plan, PlanError> {
        parse::plan(text, base)
    }

    /// Reads a plan from a file; relative paths in it start at the file's directory.
    pub fn read(path: &Path) -> Result<Plan, PlanError> {
        let bytes = std::fs::read(path).map_err(|error| {
            PlanError::new(format!("could not read the plan: {error}")).in_file(path)
        })?;
        let text = String::from_utf8(bytes).map_err(|_| {
            PlanError::new("the plan is not UTF-8 text; save it as UTF-8").in_file(path)
        })?;
        let base = path.parent().unwrap_or(Path::new(""));
        Plan::parse_in(&text, base).map_err(|error| error.in_file(path))
    }

    /// The column of this name, if the plan has one.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// Whether a statistic groups by values that occur in the data.
    pub fn is_discovered(&self, statistic: &Statistic) -> bool {
        statistic.by.iter().any(|key| {
            self.column(key)
                .is_some_and(|column| column.kind == ColumnKind::Discovered)
        })
    }

    /// How many groups the public keys of a statistic make; `None` if keys are discovered, or if they are too many to count.
    pub fn public_groups(&self, statistic: &Statistic) -> Option<u64> {
        statistic.by.iter().try_fold(1u64, |groups, key| {
            let values = match &self.column(key)?.kind {
                ColumnKind::Categories { names, .. } => names.len(),
                ColumnKind::Numeric(numeric) => numeric.edges.as_ref()?.len() - 1,
                ColumnKind::Discovered => return None,
            };
            groups.checked_mul(values as u64)
        })
    }
}
