use std::sync::Arc;

use super::files::{self, Options, ScanProgress};
use super::{Engine, EngineFailure, Progress};
use crate::plan::Source;
use crate::query::{Answer, Query, Sealed};

/// The engine that reads tables from files.
#[derive(Clone, Debug, Default)]
pub struct TableEngine {
    /// How queries are run. Nothing here changes an answer.
    pub options: Options,
}

impl Engine for TableEngine {
    fn fingerprint(&self, source: &Source) -> Result<String, EngineFailure> {
        Ok(files::fingerprint(source)?)
    }

    fn check(&self, query: &Query) -> Result<(), EngineFailure> {
        Ok(files::check(query)?)
    }

    fn scan(&self, query: &Query, progress: Progress) -> Result<Sealed<Answer>, EngineFailure> {
        let tell = Arc::new(move |now: ScanProgress| progress(now.rows, now.fraction));
        Ok(files::scan(query, &self.options, tell)?)
    }
}
