//! The loss and the error of each statistic, before any data are read.
//!
//! ```
//! use lastbit_release::{account::price, plan::Plan};
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

mod charging;
mod check;
mod choose;
mod item;
mod pld;
mod pricer;
mod sharing;
mod stated;
mod sums;
mod tie;

use lastbit::metrics::Norms;
use lastbit_exact::{Rational, Up};

use crate::clean::shown;
use crate::loss::Loss;
use crate::plan::Accountant;
use crate::statistic::{Chain, LossUnit, Mechanism, Method, Noised, Paid, Slot, Whole};

pub use charging::Charging;
pub(crate) use choose::{Offered, price_as};
pub use choose::{price, price_in};
pub use sharing::Shared;
pub use tie::Tied;

/// The price of a plan.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Prices {
    /// The accountant in use.
    pub accountant: Accountant,
    /// The loss of the whole release, as its ledger charges it.
    pub loss: Loss,
    /// The statistics, in the order of the plan.
    pub statistics: Vec<Price>,
    /// Every accountant that applies, including the one in use.
    pub comparison: Vec<AccountantOffer>,
}

/// What a plan would cost under an accountant.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AccountantOffer {
    /// Which.
    pub accountant: Accountant,
    /// What it would spend, or why it cannot be used.
    pub outcome: Result<Loss, String>,
    /// The geometric mean of the statistics' errors, as multiples of those under the accountant in
    /// use. Not a bound. `None` if there are none to compare: it cannot be used, or errors are zero
    /// or beyond every number.
    pub relative_error: Option<f64>,
}

/// The price of one statistic, in all its groups.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Price {
    /// The statistic, from the answer to what is published.
    pub chain: Chain,
    /// How it is made noisy.
    pub mechanism: Mechanism,
    /// What the loss is counted in.
    pub loss_unit: LossUnit,
    /// The loss in all groups: zero if the noise is another statistic's.
    pub loss: Rational,
    /// The statistic whose noise it shares, if it is not drawn by itself.
    pub shared: Option<Shared>,
    /// How it is made to add up with others, if it is.
    pub tied: Option<Tied>,
    /// For discovered keys: the threshold of the count, and its δ.
    pub threshold: Option<Threshold>,
    /// How far one unit moves the numbers that noise is added to.
    pub norms: Norms,
    /// The public or expected number of rows that count in a group.
    pub rows: Option<u64>,
    /// With the plan's confidence, each published number is within this much of the exact one;
    /// `None` if that depends on the number of rows and the plan does not guess it.
    pub error: Option<Up>,
    /// The worst bias from clamping what is published to the range of the exact number; `None` if
    /// it is not clamped, or is a ratio, whose bias depends on the data.
    pub bias: Option<Up>,
    /// The smallest group whose error is below a tenth of a typical value; `None` if there is none,
    /// or the number of rows is public.
    pub rows_for_tenth: Option<u64>,
}

impl Prices {
    /// The places of the statistics that are drawn, in their order: counts of discovered keys come
    /// first, because they decide which groups the others may show.
    pub(crate) fn drawn(&self) -> Vec<usize> {
        drawn(&self.statistics)
    }

    /// The release as one measurement. Its map at one unit is what the statistics cost together.
    pub fn whole(&self, slots: &[Slot]) -> Result<Whole, lastbit::Error> {
        let order = self.drawn();
        let paid: Vec<Paid<'_>> = order
            .iter()
            .filter_map(|&index| Some(self.statistics[index].paid(slots.get(index)?)))
            .collect();
        // All have the same unit.
        let unit = self.statistics.first().map(|price| price.loss_unit);
        Whole::new(unit.unwrap_or(LossUnit::Epsilon), &paid)
    }
}

/// The places of the prices that are drawn. A statistic that shares the noise of another is not.
fn drawn(prices: &[Price]) -> Vec<usize> {
    let (counts, others): (Vec<usize>, Vec<usize>) = (0..prices.len())
        .filter(|&index| prices[index].shared.is_none())
        .partition(|&index| prices[index].threshold.is_some());
    [counts, others].concat()
}

impl Price {
    /// Whether its error is known before the release, if the rows of a group are: that of a
    /// correlation or a regression depends on the data.
    pub fn is_foreseen(&self) -> bool {
        match self.chain.kind.method() {
            Method::Noise(noisy) => noisy.is_foreseen(),
            Method::Selection(_) => true,
        }
    }

    /// Whether its error is as large as a typical value, or as half of everything that it can be,
    /// at the public or expected number of rows, which is returned.
    pub fn too_noisy_at(&self) -> Option<u64> {
        let (error, rows) = (self.error?, self.rows?);
        let error = error.to_rational();
        let kind = &self.chain.kind;
        let half = match kind.range() {
            // An error in rank is not in the unit of the range.
            (Some(least), Some(most)) if kind.error_unit().is_empty() => {
                Some((most - least).times_power_of_two(-1))
            }
            _ => None,
        };
        let too_much =
            |error: Rational| error >= kind.typical(rows) || half.is_some_and(|half| error >= half);
        error.is_none_or(too_much).then_some(rows)
    }

    /// For each share of quantiles: how many rows beyond it the ends of its interval aim.
    pub fn margins(&self) -> &[u64] {
        match &self.mechanism {
            Mechanism::Selection { margins, .. } => margins,
            Mechanism::Noise { .. } => &[],
        }
    }

    /// The statistic, ready to be drawn from an answer that was paid for.
    pub fn paid(&self, slot: &Slot) -> Paid<'_> {
        Paid {
            chain: &self.chain,
            mechanism: &self.mechanism,
            threshold: self.threshold.as_ref().map(|threshold| &threshold.least),
            slot: slot.clone(),
        }
    }

    /// The noise on its numbers; `None` for quantiles.
    pub fn noised(&self) -> Option<Noised<'_>> {
        match &self.mechanism {
            Mechanism::Noise { noise, grid } => {
                let noised = Shared::noised(noise, *grid, self.shared.as_ref());
                Some(match &self.tied {
                    Some(tied) => tied.noised(noised),
                    None => noised,
                })
            }
            Mechanism::Selection { .. } => None,
        }
    }
}

/// The threshold from which a count of discovered keys is published.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
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
    /// Losses and error targets take more than may be spent.
    #[error("{0}")]
    Infeasible(Box<Infeasible>),
    /// No loss is enough for an error target.
    #[error(
        "statistic \"{}\": no loss brings the error to {target}; {remedy}",
        shown(statistic)
    )]
    Unreachable {
        /// The statistic.
        statistic: String,
        /// The target.
        target: Rational,
        /// What to change.
        remedy: &'static str,
    },
    /// A target that fails once numbers are made to add up.
    #[error(
        "statistic \"{}\": made to add up, its error would be above its target of {target}, \
         because numbers that add up are rounded together; raise the target, give it a `loss` or a \
         `weight`, or leave out `consistent`",
        shown(statistic)
    )]
    Target {
        /// The statistic.
        statistic: String,
        /// The target.
        target: Rational,
    },
    /// An accountant that cannot be used for the plan.
    #[error("accountant = \"{accountant}\": {why}")]
    Accountant {
        /// Which.
        accountant: &'static str,
        /// What is wrong.
        why: String,
    },
    /// Numbers too large or too small to compute with.
    #[error("{what}; choose a loss nearer to 1")]
    OutOfRange {
        /// Which.
        what: String,
    },
    /// The library refused.
    #[error("{0}")]
    Library(String),
}

impl PriceError {
    /// Names the statistic that the library refused.
    fn of(self, statistic: &str) -> PriceError {
        match self {
            PriceError::Library(why) => {
                PriceError::Library(format!("statistic \"{}\": {why}", shown(statistic)))
            }
            other => other,
        }
    }
}

/// Targets that together do not fit.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Infeasible {
    /// Statistics with a fixed loss or error, what each asks for and what it takes, in words.
    pub targets: Vec<(String, String)>,
    /// What all of them take together.
    pub needed: Loss,
    /// What may be spent.
    pub available: Loss,
    /// How many statistics share the rest.
    pub sharing: usize,
}

impl core::fmt::Display for Infeasible {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        writeln!(f, "the targets do not fit into the budget:")?;
        for (name, takes) in &self.targets {
            writeln!(f, "  \"{}\" {takes}", shown(name))?;
        }
        let needed = &self.needed;
        writeln!(
            f,
            "  together {needed}; to spend there is {}",
            self.available
        )?;
        write!(f, "the smallest sufficient budget is {needed}")?;
        match self.sharing {
            0 => write!(
                f,
                "; raise [spend] to it ([budget] without one), or relax a target"
            ),
            sharing => write!(
                f,
                ", and more for the {sharing} statistic{} that share the rest; raise [spend] \
                 ([budget] without one), or relax a target",
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
