//! Engines: what answers a [query](Query) about a table with exact integers.
//!
//! The [`Engine`] trait can be implemented outside this crate. `files` (behind the feature
//! `engine`) reads Parquet, CSV and JSON lines. [`SqlEngine`] asks a database in a
//! [session]. [`for_plan`] chooses between them. Rehearsals have one of their own, which reads
//! nothing: it makes rows from a plan alone.

#[cfg(feature = "engine")]
mod choice;
#[cfg(feature = "engine")]
mod derive;
#[cfg(feature = "engine")]
mod evaluate;
#[cfg(feature = "engine")]
mod file_engine;
#[cfg(feature = "engine")]
pub(crate) mod files;
mod for_plan;
mod invented;
#[cfg(feature = "engine")]
mod layout;
#[cfg(feature = "engine")]
mod memory_engine;
#[cfg(feature = "engine")]
pub mod session;
#[cfg(feature = "engine")]
pub mod sql;
#[cfg(feature = "engine")]
mod sql_engine;

use std::sync::Arc;

#[cfg(feature = "engine")]
pub use file_engine::TableEngine;
#[cfg(feature = "engine")]
pub use files::{
    EngineError, MOST_ROW_BYTES, MemoryTable, OnProgress, Options, ScanProgress, check,
    check_names, declared, declared_from, delimiter, files, fingerprint, memory_fingerprint, scan,
    scan_memory, scan_until,
};
#[cfg(all(feature = "engine", any(test, feature = "test-entropy")))]
pub use files::{answer, answer_batches, plant_belief_in_statistics};
#[cfg(feature = "engine")]
pub use memory_engine::MemoryEngine;

pub use for_plan::{for_plan, for_plan_until};
pub(crate) use invented::InventedEngine;
#[cfg(feature = "engine")]
pub use sql_engine::SqlEngine;

use crate::query::{Answer, Query, Sealed};

/// What an engine must compute, and the exact integers that it answers.
///
/// A [`Query`] says how every cell becomes an integer: clamped to public bounds,
/// rounded to a public grid, missing cells as the plan says. Rows are kept or dropped by the
/// privacy unit alone, so that one unit moves the answer by no more than the plan's sensitivity.
pub mod query {
    pub use crate::query::*;
}

/// Why an engine failed, in words for a person.
pub type EngineFailure = Box<dyn std::error::Error + Send + Sync>;

/// Told now and then, from any thread: how many rows were read, and about which part of the table
/// that is.
pub type Progress = Arc<dyn Fn(u64, Option<f64>) + Send + Sync>;

/// What answers queries with exact integers.
///
/// What it keeps of a unit must be a function of that unit's rows and of the query alone, within
/// the query's limits: see [`lastbit::tables::scan`].
pub trait Engine {
    /// A hash of all data that the query reads, before anything is spent. Data with the same one
    /// have the same answer.
    fn fingerprint(&self, query: &Query) -> Result<String, EngineFailure>;

    /// Whether the query can be asked, as far as that shows without counting rows: a wrong name
    /// costs nothing.
    fn check(&self, query: &Query) -> Result<(), EngineFailure>;

    /// The answer, sealed until it is paid for.
    fn scan(&self, query: &Query, progress: Progress) -> Result<Sealed<Answer>, EngineFailure>;

    /// What a reader of the report should know about how the rows were read, if anything: one
    /// sentence, and no fact about the data.
    fn note(&self) -> Option<String> {
        None
    }
}
