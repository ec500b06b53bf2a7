//! A release: reserve, query, noise, settle, and only then show.
//!
//! The order is what keeps the promise. The data are fingerprinted, which prints nothing; the ledger durably spends the loss and returns
//! a [`Reserved`]; only with it can the engine's answer be opened and noise be drawn; the report is stored in the ledger; and only
//! when that is on the disk is it handed out.

mod build;
mod error;
mod exact;
mod labels;
mod noise;
mod query;
#[cfg(feature = "datafusion")]
mod table_engine;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

use lastbit_noise::entropy::{Entropy, System};

use crate::ledger::{Ledger, Outcome, Request, Reserved};
use crate::plan::{Neighbours, Plan};
use crate::price::price;
use crate::query::{Answer, Query, Sealed, Source, Unit};
use crate::report::{Report, from_json, to_json};

pub use error::ReleaseError;
pub use labels::unit;
pub use query::{Slot, query};
#[cfg(feature = "datafusion")]
pub use table_engine::TableEngine;

/// Why an engine failed, in words for a person.
pub type EngineFailure = Box<dyn std::error::Error + Send + Sync>;

/// Told now and then, from any thread: how many rows were read, and about which part of the table that is.
pub type Progress = Arc<dyn Fn(u64, Option<f64>) + Send + Sync>;

/// What answers queries with exact integers.
pub trait Engine {
    /// A hash of the data, before anything is spent. Data with the same one have the same answers.
    fn fingerprint(&self, source: &Source) -> Result<String, EngineFailure>;

    /// Whether the query can be asked, as far as that shows without counting rows: a wrong name costs nothing.
    fn check(&self, query: &Query) -> Result<(), EngineFailure>;

    /// The answer, sealed until noise that was paid for is added.
    fn scan(
        &self,
        query: &Query,
        reserved: &Reserved,
        progress: Progress,
    ) -> Result<Sealed<Answer>, EngineFailure>;
}

/// What a release gave.
#[derive(Clone, Debug, PartialEq)]
pub enum Released {
    /// New numbers.
    New(Box<Report>),
    /// The numbers of an earlier release of the same plan on the same data, at no cost.
    Stored {
        /// Its report.
        report: Box<Report>,
        /// The row of the ledger in which it was stored.
        row: i64,
        /// When, in UTC.
        time: String,
    },
}

impl Released {
    /// The report, new or stored.
    pub fn report(&self) -> &Report {
        match self {
            Released::New(report) | Released::Stored { report, .. } => report,
        }
    }
}

/// Releases a plan through a ledger, which is made with the plan's budget if it is not there.
///
/// When this returns numbers, they are in the ledger. An error after the reservation says what was spent.
pub fn release(
    plan: &Plan,
    ledger: &Path,
    engine: &dyn Engine,
    progress: Progress,
) -> Result<Released, ReleaseError> {
    run(plan, ledger, engine, progress, &mut System::default())
}

/// [`release`] with noise from an entropy of the caller's choice: for tests only.
#[cfg(any(test, feature = "test-entropy"))]
pub fn release_with(
    plan: &Plan,
    ledger: &Path,
    engine: &dyn Engine,
    entropy: &mut dyn Entropy,
) -> Result<Released, ReleaseError> {
    run(plan, ledger, engine, Arc::new(|_, _| {}), entropy)
}

fn run(
    plan: &Plan,
    ledger: &Path,
    engine: &dyn Engine,
    progress: Progress,
    entropy: &mut dyn Entropy,
) -> Result<Released, ReleaseError> {
    let prices = price(plan)?;
    let (query, slots) = query(plan, &prices)?;
    engine.check(&query).map_err(ReleaseError::Engine)?;
    let data = engine
        .fingerprint(&plan.source)
        .map_err(ReleaseError::Engine)?;
    let mut ledger = Ledger::open_for(ledger, &plan.budget, &protects(plan))?;
    let request = Request {
        plan: plan.hash_hex(),
        data,
        loss: prices.loss.clone(),
        description: description(plan),
    };
    let reserved = match ledger.reserve(&request)? {
        Outcome::Reserved(reserved) => reserved,
        Outcome::Stored(stored) => {
            let report = from_json(&stored.report).map_err(ReleaseError::internal)?;
            return Ok(Released::Stored {
                report: Box::new(report),
                row: stored.row,
                time: stored.time,
            });
        }
    };
    let (loss, row) = (reserved.loss().clone(), reserved.row());
    let spent = |error: ReleaseError| ReleaseError::Spent {
        loss: loss.clone(),
        row,
        source: Box::new(error),
    };
    let answer = engine
        .scan(&query, &reserved, progress)
        .map_err(|error| spent(ReleaseError::Engine(error)))?;
    let report =
        build::report(plan, &prices, &slots, &answer, &reserved, entropy).map_err(spent)?;
    let text = to_json(&report);
    ledger
        .settle(reserved, &text)
        .map_err(|error| spent(error.into()))?;
    Ok(Released::New(Box::new(report)))
}

/// Whose what the loss bounds, for the ledger: plans of one ledger must agree on it.
fn protects(plan: &Plan) -> String {
    let whose = match &plan.unit {
        Unit::Row => "each row".to_owned(),
        Unit::Column { name, .. } => format!("all rows of one {name:?}"),
    };
    match plan.neighbours {
        Neighbours::AddRemove => format!("{whose}, added or removed"),
        Neighbours::ChangeOne { .. } => format!("{whose}, changed"),
    }
}

/// What the ledger says of the release.
fn description(plan: &Plan) -> String {
    let names: Vec<&str> = plan.statistics.iter().map(|s| s.name.as_str()).collect();
    format!("{}: {}", plan.title, names.join(", "))
}

/// The exact numbers that noise would be added to, for tests: for each statistic and group.
#[cfg(any(test, feature = "test-entropy"))]
pub fn exact_numbers(
    prices: &crate::price::Prices,
    slots: &[Slot],
    answer: &Answer,
) -> Result<Vec<Vec<Vec<lastbit_exact::Rational>>>, ReleaseError> {
    prices
        .statistics
        .iter()
        .zip(slots)
        .map(|(price, slot)| {
            answer.tables[slot.table]
                .iter()
                .map(|group| exact::numbers(&price.form, &group.values[slot.value]))
                .collect()
        })
        .collect()
}
