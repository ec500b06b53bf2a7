//! The engine of a table in memory.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::files::{self, MemoryTable, Options, ScanProgress};
use super::{Engine, EngineFailure, Progress};
use crate::query::{Answer, Query, Sealed};

/// The engine that reads one table in memory, whatever source a plan names.
#[derive(Clone, Debug)]
pub struct MemoryEngine {
    /// The rows.
    pub table: MemoryTable,
    /// How queries are run. Nothing here changes an answer.
    pub options: Options,
    /// A scan is given up soon after this becomes true.
    pub stop: Arc<AtomicBool>,
}

impl Engine for MemoryEngine {
    fn fingerprint(&self, _: &Query) -> Result<String, EngineFailure> {
        Ok(files::memory_fingerprint(&self.table)?)
    }

    fn check(&self, query: &Query) -> Result<(), EngineFailure> {
        Ok(files::check_memory(&self.table, query)?)
    }

    fn scan(&self, query: &Query, progress: Progress) -> Result<Sealed<Answer>, EngineFailure> {
        let tell = Arc::new(move |now: ScanProgress| progress(now.rows, now.fraction));
        Ok(files::scan_memory(
            &self.table,
            query,
            &self.options,
            tell,
            &self.stop,
        )?)
    }
}
