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

mod check;
mod draft;
mod error;
mod groups;
mod parse;
mod parse_columns;
mod parse_database;
mod parse_lookups;
mod parse_numbers;
mod parse_statistics;
mod private_files;
mod query_text;
pub(crate) mod reader;
mod unit;

use std::path::Path;
use std::sync::Arc;

use lastbit::Confidence;
use lastbit::accounting::Currency;
use lastbit_exact::Rational;

use crate::consistent::{Family, places};
use crate::expression::{Failed, on_large_stack};
use crate::loss::Loss;
use crate::statistic::{Kind, Margin};

pub use crate::schema::{
    Address, Categories, Column, ColumnKind, Database, DatabaseRows, DatabaseSystem, Derive,
    FileFormat, Files, Join, Lookup, LookupError, Missing, NumberKind, Numbers, PasswordPlace,
    PostgreSqlUrl, Scope, Source, SparkAddress, Unit,
};
pub(crate) use draft::quoted;
pub use draft::{Declared, DeclaredType, FILL_IN, Unfilled, draft, unfilled};
pub use error::{Place, PlanError};
pub(crate) use parse_columns::declarations_of;

/// What to publish, and what it may cost. Checked: every name is known, every number in range.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Plan {
    /// What the release is called.
    pub title: String,
    /// Where the rows are.
    pub source: Source,
    /// Which rows count, and which columns are computed from others.
    pub derive: Derive,
    /// Which data sets are neighbours.
    pub neighbours: Neighbours,
    /// Whose presence is protected.
    pub unit: Unit,
    /// The budget of the data set, for all releases.
    pub budget: Loss,
    /// The currency in which the releases of a new ledger add up, if the plan states one; see
    /// [`Plan::terms`].
    pub currency: Option<Currency>,
    /// How much of δ a new ledger sets aside for thresholds, if the plan states it.
    pub thresholds: Option<Rational>,
    /// What this release may spend: at most the budget, in the same measure.
    pub spend: Loss,
    /// The part of the budget that it may spend, if the plan states one: a part of what the ledger
    /// adds up, ε, ρ or μ².
    pub part: Option<Rational>,
    /// Whether it is to compose with other releases: if the plan says so, or states a part of a
    /// budget in ε and δ.
    pub composes: bool,
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
    /// Statistics that are made to add up, if the plan asks for it.
    pub families: Vec<Family>,
    /// Why other statistics are not, one sentence each.
    pub apart: Vec<String>,
}

impl Files {
    /// One file, as a plan in the working directory names it. Its name decides the format.
    pub fn of_file(name: &str) -> Result<Files, PlanError> {
        let plan = format!(
            "[source]\nfiles = {}\n[privacy]\nneighbours = \"add-remove\"\n[budget]\nepsilon = 1\n\
             [[statistics]]\nname = \"rows\"\nkind = \"count\"\n",
            draft::quoted(name)
        );
        match Plan::parse(&plan)?.source {
            Source::Files(files) => Ok(files),
            Source::Database(_) => Err(PlanError::new("a name of a file is no database")),
        }
    }
}

/// Which data sets are neighbours, in units. [`lastbit::statistics::Neighbours`] says it in rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Neighbours {
    /// One unit more or less.
    AddRemove,
    /// One unit has other rows. If every row is a unit, the number of rows is public.
    ChangeOne {
        /// How many rows there are, if every row is a unit.
        rows: Option<u64>,
    },
}

/// How losses are added: the choice that a plan makes. The rules for lists of losses are
/// [`lastbit::conversions::CompositionRule`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Accountant {
    /// ε of pure losses; δ only of thresholds.
    Pure,
    /// ρ; stated as (ε, δ) if the budget is.
    Zcdp,
    /// The optimal composition of equal pure losses, at the δ of the budget.
    Optimal,
    /// The exact profile of Gaussian noise, and no other noise.
    Gaussian,
    /// The laws of all losses, convolved exactly.
    Pld,
}

impl Accountant {
    /// All of them.
    pub(crate) const ALL: [Accountant; 5] = [
        Accountant::Pure,
        Accountant::Zcdp,
        Accountant::Optimal,
        Accountant::Gaussian,
        Accountant::Pld,
    ];

    /// Their names, in the same order.
    pub const NAMES: [&str; 5] = {
        let mut names = [""; 5];
        let mut index = 0;
        while index < names.len() {
            names[index] = Accountant::ALL[index].name();
            index += 1;
        }
        names
    };

    /// The name in a plan.
    pub const fn name(self) -> &'static str {
        match self {
            Accountant::Pure => "pure",
            Accountant::Zcdp => "zcdp",
            Accountant::Optimal => "optimal",
            Accountant::Gaussian => "gaussian",
            Accountant::Pld => "pld",
        }
    }
}

/// A statistic to publish.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Statistic {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: Arc<dyn Kind>,
    /// Names of columns to group by.
    pub by: Vec<String>,
    /// The rows that it describes.
    pub scope: Scope,
    /// What it may cost.
    pub allowance: Allowance,
    /// How many rows to expect in a group.
    pub expected_rows: Option<u64>,
    /// In how many groups a unit can be at most, because some keys have one value for each unit;
    /// `None` if none has, or if others are discovered. See [`Plan::limits`].
    pub(crate) groups_of_unit: Option<u64>,
}

/// What a statistic may cost.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Allowance {
    /// This loss: ρ if that is the budget's measure, else ε.
    Loss(Rational),
    /// A share, by weight, of the budget left after fixed losses and error targets.
    Weight(Rational),
    /// The smallest loss that keeps its error within this.
    Error {
        /// The error, in the statistic's own unit; in rows for quantiles.
        target: Rational,
        /// With this probability.
        confidence: Confidence,
    },
}

/// Whether a file is a table of rows by its name, and so no plan.
fn is_table(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.to_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    [".csv", ".tsv", ".parquet", ".json", ".jsonl", ".ndjson"]
        .iter()
        .any(|end| name.ends_with(end))
}

impl Plan {
    /// Whether it says what a release may spend, as other than its whole budget.
    pub fn states_spending(&self) -> bool {
        self.part.is_some() || self.spend != self.budget
    }

    /// Reads a plan; relative paths in it start at the working directory.
    pub fn parse(text: &str) -> Result<Plan, PlanError> {
        Plan::parse_in(text, Path::new(""))
    }

    /// Reads a plan; relative paths in it start at `base`.
    pub fn parse_in(text: &str, base: &Path) -> Result<Plan, PlanError> {
        draft::check_filled(text)?;
        match on_large_stack(|| parse::plan(text, base)) {
            Ok(plan) => plan,
            Err(Failed::NoThread) => Err(PlanError::new("no thread could be started to read it")),
            Err(Failed::Panicked(panic)) => std::panic::resume_unwind(panic),
        }
    }

    /// Reads a plan from a file; relative paths in it start at the file's directory.
    pub fn read(path: &Path) -> Result<Plan, PlanError> {
        Plan::read_with_text(path).map(|(plan, _)| plan)
    }

    /// As [`Plan::read`], with the text that was read.
    pub fn read_with_text(path: &Path) -> Result<(Plan, String), PlanError> {
        let bytes = std::fs::read(path).map_err(|error| {
            PlanError::new(format!("could not read the plan: {error}")).in_file(path)
        })?;
        // A table in the place of a plan is no TOML.
        let or_table = |error: PlanError| match is_table(path) {
            true => PlanError::new(
                "this is a table, by its name; a plan is a TOML file, and `lastbit draft` writes \
                 one for a table",
            ),
            false => error,
        };
        let text = String::from_utf8(bytes)
            .map_err(|_| PlanError::new("the plan is not UTF-8 text; save it as UTF-8"))
            .map_err(|error| or_table(error).in_file(path))?;
        let base = path.parent().unwrap_or(Path::new(""));
        let plan = Plan::parse_in(&text, base).map_err(|error| or_table(error).in_file(path))?;
        Ok((plan, text))
    }

    /// The plan with other statistics, in the TOML of a plan that has only statistics.
    pub fn with_statistics(&self, text: &str) -> Result<Plan, PlanError> {
        parse::with_statistics(self, text)
    }

    /// The column of this name, if the plan has one.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// Whether a statistic groups by values that occur in the data.
    pub fn is_discovered(&self, statistic: &Statistic) -> bool {
        statistic.by.iter().any(|key| {
            self.column(key)
                .is_some_and(|column| matches!(column.kind, ColumnKind::Discovered))
        })
    }

    /// How many groups the public keys of a statistic make; `None` if keys are discovered, or too
    /// many to count.
    pub fn public_groups(&self, statistic: &Statistic) -> Option<u64> {
        statistic.by.iter().try_fold(1u64, |groups, key| {
            groups.checked_mul(self.column(key)?.kind.values()?)
        })
    }

    /// The family of a statistic that is made to add up with others.
    pub fn family(&self, index: usize) -> Option<&Family> {
        let is_member = |family: &&Family| family.members.iter().any(|m| m.statistic == index);
        self.families.iter().find(is_member)
    }

    /// For a statistic whose groups are unions of another's, to which the limits apply: that other.
    pub fn finest(&self, index: usize) -> Option<usize> {
        self.family(index)?.finest.filter(|finest| *finest != index)
    }

    /// How the groups of a statistic follow from those of [`Plan::finest`].
    pub fn margin(&self, index: usize) -> Option<Margin> {
        let finest = self.finest(index)?;
        let family = self.family(index)?;
        let axes = |statistic: usize| {
            let mut members = family.members.iter();
            Some(&members.find(|member| member.statistic == statistic)?.axes)
        };
        let (finer, own) = (axes(finest)?, axes(index)?);
        Some(Margin {
            places: places(&family.sizes, finer, own).into(),
            keys: own
                .iter()
                .filter_map(|axis| finer.iter().position(|other| other == axis))
                .collect(),
        })
    }

    /// Whether both statistics describe the same rows in the same groups.
    pub fn is_same_table(a: &Statistic, b: &Statistic) -> bool {
        a.by == b.by && a.scope == b.scope && a.kind.limited_by() == b.kind.limited_by()
    }

    /// The names of the columns that statistics use or group by.
    pub fn used_columns(&self) -> impl Iterator<Item = &str> {
        self.statistics.iter().flat_map(|statistic| {
            let by = statistic.by.iter().map(String::as_str);
            statistic.kind.uses().into_iter().chain(by)
        })
    }

    /// The ledger's description of a release: the title and the names of the statistics.
    pub fn description(&self) -> String {
        format!("{}: {}", self.title, self.names())
    }

    /// The names of the statistics, as they end [`Plan::description`].
    pub(crate) fn names(&self) -> String {
        let names: Vec<&str> = self.statistics.iter().map(|s| s.name.as_str()).collect();
        names.join(", ")
    }
}
