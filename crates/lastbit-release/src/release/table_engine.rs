use std::sync::Arc;

use super::{Engine, EngineFailure, Progress};
use crate::engine::{self, Options};
use crate::ledger::Reserved;
use crate::query::{Answer, Query, Sealed, Source};

/// The engine that reads tables from files: Apache DataFusion.
#[derive(Clone, Debug, Default)]
pub struct TableEngine {
    /// How queries are run. Nothing here changes an answer.
    pub options: Options,
}

impl Engine for TableEngine {
    fn fingerprint(&self, source: &Source) -> Result<String, EngineFailure> {
        Ok(engine::fingerprint(source)?)
    }

    fn check(&self, query: &Query) -> Result<(), EngineFailure> {
        Ok(engine::check(query)?)
    }

    fn scan(
        &self,
        query: &Query,
        reserved: &Reserved,
        progress: Progress,
    ) -> Result<Sealed<Answer>, EngineFailure> {
        let tell = Arc::new(move |now: engine::Progress| progress(now.rows, now.fraction));
        Ok(engine::scan(query, reserved, &self.options, tell)?)
    }
}
