//! What each statistic costs and how far off it will be, before any data is read.
//!
//! ```
//! use lastbit_release::{plan::Plan, price::price};
//! let plan = Plan::parse(r#"
//!     [source]
//!     files = "wages.csv"
//!     [privacy]
//!     neighbours = "add-remove"
//!     [budget]
//!     epsilon = 1
//!     [columns.wage]
//!     lower = 0
//!     upper = 10_000
//!     [[statistics]]
//!     name = "mean wage"
//!     kind = "mean"
//!     of = "wage"
//!     expected_rows = 2_000
//!     [[statistics]]
//!     name = "people"
//!     kind = "count"
//!     error = 10
//! "#)?;
//! let prices = price(&plan)?;
//! assert_eq!(prices.loss.main.to_string(), "1");             // all of the budget, exactly
//! let [mean, people] = &prices.statistics[..] else { unreachable!() };
//! assert!(people.error.unwrap().get() <= 10.0);
//! assert!(mean.error.unwrap().get() < 30.0);                 // in the unit of the wages
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod account;
pub mod decimal;
mod error_bound;
mod form;
mod html;
mod noise;
mod reach;
mod solve;
mod threshold;
mod words;

use lastbit_exact::{Rational, Up};

use crate::loss::Loss;
use crate::plan::{Accountant, Plan};

pub use account::price;
pub use error_bound::{Errors, Mechanism, ratio_error};
pub use form::{Form, Moment, Steps, bins, steps};
pub use html::html;
pub use noise::{Noise, Tails};
pub use reach::{Reach, Sensitivity};
pub(crate) use words::loss as loss_words;
pub use words::{HEADER, words};

/// The price of a plan.
#[derive(Clone, Debug)]
pub struct Prices {
    /// The accountant that is used.
    pub accountant: Accountant,
    /// The loss of the whole release.
    pub loss: Loss,
    /// The statistics, in the order of the plan.
    pub statistics: Vec<Price>,
    /// Every accountant that applies, the one that is used among them.
    pub comparison: Vec<Offer>,
}

/// What an accountant makes of a plan.
#[derive(Clone, Debug)]
pub struct Offer {
    /// Which.
    pub accountant: Accountant,
    /// What it would spend, or why it cannot be used.
    pub outcome: Result<Loss, String>,
    /// The errors of the statistics as multiples of those under the accountant that is used: their geometric mean. Not a bound.
    pub relative_error: Option<f64>,
}

/// What a loss is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Currency {
    /// Pure losses.
    Epsilon,
    /// Zero-concentrated losses.
    Rho,
}

impl Currency {
    /// ε or ρ.
    pub fn symbol(self) -> &'static str {
        match self {
            Currency::Epsilon => "ε",
            Currency::Rho => "ρ",
        }
    }
}

/// The price of one statistic, in all its groups.
#[derive(Clone, Debug)]
pub struct Price {
    /// What is computed.
    pub form: Form,
    /// What one unit can do to it.
    pub reach: Reach,
    /// How it is made noisy.
    pub mechanism: Mechanism,
    /// What the loss is counted in.
    pub currency: Currency,
    /// The loss in all groups.
    pub loss: Rational,
    /// Of discovered keys: the threshold of the count, and its δ.
    pub threshold: Option<Threshold>,
    /// How far one unit moves the numbers that noise is added to.
    pub sensitivity: Sensitivity,
    /// How many groups there are; `None` if they are discovered.
    pub groups: Option<u64>,
    /// The public or expected number of rows in a group.
    pub rows: Option<u64>,
    /// With the plan's confidence each published number is within this much of the exact one; `None` if that depends on the number of
    /// rows and the plan does not guess it.
    pub error: Option<Up>,
    /// The worst bias from clamping what is published to the range of the exact number, where it is clamped.
    pub bias: Option<Up>,
    /// The smallest group whose error is below a tenth of a typical value; `None` if there is none, or the number of rows is public.
    pub rows_for_tenth: Option<u64>,
}

/// A count of discovered keys is published from here on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Threshold {
    /// The smallest count that is published.
    pub least: Rational,
    /// The probability that a key of one unit alone is published.
    pub delta: Rational,
}

/// Why a plan has no price.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PriceError {
    /// Losses and error targets take more than there is.
    #[error("{0}")]
    Infeasible(Box<Infeasible>),
    /// No loss is enough for an error target.
    #[error("statistic \"{statistic}\": no loss brings the error to {target}; {remedy}")]
    Unreachable {
        /// Whose target.
        statistic: String,
        /// The target.
        target: Rational,
        /// What to change.
        remedy: &'static str,
    },
    /// A grid that a column cannot have.
    #[error("column `{column}`: {why}")]
    Grid {
        /// The column.
        column: String,
        /// What is wrong.
        why: String,
    },
    /// A statistic of too few rows.
    #[error(
        "statistic \"{statistic}\" takes at least {needed} rows, and the plan says rows = {rows}"
    )]
    TooFewRows {
        /// Which.
        statistic: String,
        /// How many it takes.
        needed: u64,
        /// How many there are.
        rows: u64,
    },
    /// An accountant that cannot be used for the plan.
    #[error("accountant = \"{accountant}\": {why}")]
    Accountant {
        /// Which.
        accountant: &'static str,
        /// What is wrong.
        why: String,
    },
    /// Numbers beyond what can be computed with.
    #[error("{what}; choose a loss nearer to 1")]
    OutOfRange {
        /// Which.
        what: String,
    },
    /// The library refused.
    #[error("{0}")]
    Library(String),
}

/// Targets that together do not fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Infeasible {
    /// Statistics with a fixed loss or error, what each asks for and what it takes, in words.
    pub targets: Vec<(String, String)>,
    /// What all of them take together.
    pub needed: Loss,
    /// What may be spent.
    pub available: Loss,
    /// How many statistics share what is left.
    pub sharing: usize,
}

impl core::fmt::Display for Infeasible {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        writeln!(f, "the targets do not fit into the budget:")?;
        for (name, takes) in &self.targets {
            writeln!(f, "  \"{name}\" {takes}")?;
        }
        let needed = &self.needed;
        writeln!(
            f,
            "  together {needed}; to spend there is {}",
            self.available
        )?;
        write!(f, "the smallest sufficient budget is {needed}")?;
        match self.sharing {
            0 => write!(f, "; raise the budget to it, or relax a target"),
            sharing => write!(
                f,
                ", and more for the {sharing} statistic{} that share the rest; raise the budget, or relax a target",
                if sharing == 1 { "" } else { "s" }
            ),
        }
    }
}

impl From<lastbit::Error> for PriceError {
    fn from(error: lastbit::Error) -> PriceError {
        PriceError::Library(error.to_string())
    }
}

impl From<lastbit::ParameterError> for PriceError {
    fn from(error: lastbit::ParameterError) -> PriceError {
        PriceError::Library(error.to_string())
    }
}

/// A typical value of a statistic over so many rows, from the guesses of the plan; for relative errors only.
fn typical_value(plan: &Plan, index: usize, rows: u64) -> Rational {
    use crate::plan::{ColumnKind, Kind};
    let typical = |name: &str| match plan.column(name).map(|column| &column.kind) {
        Some(ColumnKind::Numeric(numeric)) => numeric.typical.clone(),
        _ => Rational::ONE,
    };
    // A standard deviation of a quarter of the range.
    let spread = |name: &str| match plan.column(name).map(|column| &column.kind) {
        Some(ColumnKind::Numeric(numeric)) => numeric.bounds.half_width().scale(-1),
        _ => Rational::ONE,
    };
    let count = Rational::from(rows);
    match &plan.statistics[index].kind {
        Kind::Count | Kind::Histogram(_) | Kind::Quantiles { .. } => count,
        Kind::Sum(x) => &count * &typical(x),
        Kind::Mean(x) => typical(x),
        Kind::Variance(x) => &spread(x) * &spread(x),
        Kind::Covariance(x, y) => &spread(x) * &spread(y),
    }
}
