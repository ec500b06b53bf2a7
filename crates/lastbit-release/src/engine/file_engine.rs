//! The engine of files.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::files::{self, Options, ScanProgress};
use super::{Engine, EngineFailure, Progress};
use crate::query::{Answer, Query, Sealed};

/// The engine that reads tables from files.
#[derive(Clone, Debug, Default)]
pub struct TableEngine {
    /// How queries are run. Nothing here changes an answer.
    pub options: Options,
    /// A scan is given up soon after this becomes true.
    pub stop: Arc<AtomicBool>,
}

impl Engine for TableEngine {
    fn fingerprint(&self, query: &Query) -> Result<String, EngineFailure> {
        Ok(files::query_fingerprint(query)?)
    }

    fn check(&self, query: &Query) -> Result<(), EngineFailure> {
        Ok(files::check(query)?)
    }

    fn scan(&self, query: &Query, progress: Progress) -> Result<Sealed<Answer>, EngineFailure> {
        let tell = Arc::new(move |now: ScanProgress| progress(now.rows, now.fraction));
        Ok(files::scan_until(query, &self.options, tell, &self.stop)?)
    }
}
