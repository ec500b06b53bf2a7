//! The parts of a report. Its JSON is these parts, field by field.

use std::collections::BTreeMap;

use lastbit_exact::Rational;
use serde::{Deserialize, Serialize};

use crate::cell::Cell;

/// A release: every published number, its error, and what it cost.
///
/// Numbers are decimal strings: exactly what was published, with no more digits than the grid
/// carries.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The version of this schema: 1.
    pub schema: u32,
    /// Whether its numbers are from a rehearsal: about rows invented from the plan alone, and about
    /// nobody.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub invented: bool,
    /// The plan's title.
    pub title: String,
    /// What a reader should know about the data: unit, neighbours, bounds. One sentence each.
    pub notes: Vec<String>,
    /// The loss of the whole release, as text such as "ε = 1" or "ρ = 0.125".
    pub loss: String,
    /// The budget of the data, for all releases about them, as text; empty in reports of versions
    /// that did not say it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub budget: String,
    /// Which accountant added the losses.
    pub accountant: String,
    /// The confidence of every error, such as "0.95".
    pub confidence: String,
    /// Published statistics, in the order of the plan.
    pub statistics: Vec<PublishedStatistic>,
    /// What the release rests on.
    pub receipt: Receipt,
}

/// One statistic, in all its groups.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PublishedStatistic {
    /// Its name in the plan.
    pub name: String,
    /// What it is: the word of its kind in the plan, such as "mean".
    pub kind: String,
    /// The columns that it describes, in the plan's words.
    pub of: Vec<String>,
    /// The column by which rows are weighted, if they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<String>,
    /// The unit of its values, such as "years"; empty if the plan gives none.
    pub unit: String,
    /// What it is grouped by.
    pub by: Vec<String>,
    /// The names for readers of the columns that have one of their own, by the names in the data.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub titles: BTreeMap<String, String>,
    /// Which rows it is about and what their cells count as, one phrase each. Errors do not cover
    /// rows that are left out.
    #[serde(default)]
    pub about: Vec<String>,
    /// How the noise was drawn, such as "Laplace, exact" or "exponential".
    pub mechanism: String,
    /// The loss of this statistic in all its groups, as text.
    pub loss: String,
    /// The grid of the values, such as "2^-3"; empty if there is none.
    pub grid: String,
    /// The statistics with which it was made to add up: their margins agree, to the last digit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub adds_up_with: Vec<String>,
    /// Its best picture.
    pub picture: Picture,
    /// The bins of its numbers, if each is about one bin of a column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bins: Option<Bins>,
    /// By the plan's bounds no exact value is below this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least: Option<String>,
    /// By the plan's bounds no exact value is above this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<String>,
    /// The published numbers; discovered groups come with the largest first.
    pub cells: Vec<Cell>,
}

impl PublishedStatistic {
    /// The name of a column for readers.
    pub fn title<'a>(&'a self, column: &'a str) -> &'a str {
        self.titles.get(column).map_or(column, String::as_str)
    }
}

/// The bins of a column, in their order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bins {
    /// Where they begin, and where the last one ends; dates and times are written as such.
    pub edges: Vec<String>,
    /// How wide each is, in `unit`.
    pub widths: Vec<String>,
    /// The unit of the column, such as "years"; days for dates and seconds for times.
    pub unit: String,
}

impl Bins {
    /// The widths, if they differ so much that columns of one width would deceive; those of months
    /// do not.
    pub(super) fn uneven(&self) -> Option<Vec<Rational>> {
        let widths = self.widths.iter().map(|width| width.parse());
        let widths: Vec<Rational> = widths.collect::<Result<_, _>>().ok()?;
        let (least, most) = (widths.iter().min()?, widths.iter().max()?);
        let is_whole = least.is_positive() && self.edges.len() == widths.len() + 1;
        let differ = most * &Rational::from(100i64) > least * &Rational::from(115i64);
        (is_whole && differ).then_some(widths)
    }
}

/// The best picture of a statistic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Picture {
    /// Only numbers.
    Table,
    /// Bars with error bars, one for each bin or group.
    Bars,
}

/// What a release rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Receipt {
    /// The hash of the plan.
    pub plan: String,
    /// The fingerprint of the data, if the plan allows publishing it.
    pub data: Option<String>,
    /// The row of the ledger.
    pub ledger_row: i64,
    /// The hash of that row in the ledger's chain.
    pub ledger_hash: String,
    /// When the loss was reserved, in UTC.
    pub time: String,
    /// Which proof the loss rests on.
    pub certificate: String,
    /// The version of the program.
    pub program: String,
}
