//! The engine of a database.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::session::Session;
use super::sql::{self, Dialect, Relation, Statements};
use super::{Engine, EngineError, EngineFailure, Progress};
use crate::query::{Answer, Query, Sealed};
use crate::schema::{Database, DatabaseRows};

/// The engine that asks a database, in a session.
///
/// The session is one snapshot, or says that it is not: then the fingerprint is computed anew each
/// time it is asked for, so that a release notices that the data changed.
pub struct SqlEngine<S> {
    dialect: &'static dyn Dialect,
    relation: Relation,
    stop: Arc<AtomicBool>,
    state: Mutex<State<S>>,
}

struct State<S> {
    session: S,
    /// The last fingerprint, and the statement that it answers.
    fingerprint: Option<(String, String)>,
}

impl<S: Session> SqlEngine<S> {
    /// Of the rows of a relation.
    pub fn new(session: S, dialect: &'static dyn Dialect, relation: Relation) -> SqlEngine<S> {
        SqlEngine {
            dialect,
            relation,
            stop: Arc::default(),
            state: Mutex::new(State {
                session,
                fingerprint: None,
            }),
        }
    }

    /// Gives up before its next statement after `stop` becomes true.
    pub fn until(self, stop: Arc<AtomicBool>) -> SqlEngine<S> {
        SqlEngine { stop, ..self }
    }

    fn go_on(&self) -> Result<(), EngineError> {
        match self.stop.load(Ordering::Relaxed) {
            true => Err(EngineError::Stopped),
            false => Ok(()),
        }
    }

    fn state(&self) -> MutexGuard<'_, State<S>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn statements(&self, state: &mut State<S>, query: &Query) -> Result<Statements, EngineFailure> {
        let types = sql::types_sql(query, &self.relation, self.dialect)?;
        let types = state.session.rows(&types)?;
        let types = sql::types(query, &types, self.dialect)?;
        Ok(Statements::new(
            query,
            &types,
            &self.relation,
            self.dialect,
        )?)
    }
}

impl<S: Session> Engine for SqlEngine<S> {
    /// The fingerprint of the columns that the query reads.
    fn fingerprint(&self, query: &Query) -> Result<String, EngineFailure> {
        let mut state = self.state();
        let statements = self.statements(&mut state, query)?;
        if let Some((asked, known)) = &state.fingerprint
            && asked == statements.fingerprint()
            && state.session.is_snapshot()
        {
            return Ok(known.clone());
        }
        self.go_on()?;
        let rows = state.session.rows(statements.fingerprint())?;
        let fingerprint = statements.fingerprint_of(&rows)?;
        state.fingerprint = Some((statements.fingerprint().to_owned(), fingerprint.clone()));
        Ok(fingerprint)
    }

    fn check(&self, query: &Query) -> Result<(), EngineFailure> {
        self.statements(&mut self.state(), query).map(|_| ())
    }

    fn scan(&self, query: &Query, progress: Progress) -> Result<Sealed<Answer>, EngineFailure> {
        let mut state = self.state();
        let statements = self.statements(&mut state, query)?;
        let texts = statements.text();
        let mut results = Vec::with_capacity(texts.len());
        for (done, (_, text)) in texts.iter().enumerate() {
            self.go_on()?;
            let part = |of_this: f64| Some((done as f64 + of_this) / texts.len() as f64);
            progress(0, part(0.0));
            let watch = &mut |of_this| progress(0, part(of_this));
            results.push(state.session.rows_watched(text, watch)?);
        }
        Ok(Sealed::new(statements.answer(&results)?))
    }

    fn note(&self) -> Option<String> {
        let is_snapshot = self.state().session.is_snapshot();
        (!is_snapshot).then(|| {
            "The database gives no snapshot: the rows were fingerprinted \
            before and after they were read, and were the same both times."
                .to_owned()
        })
    }
}

impl Database {
    /// The rows, as statements name them.
    pub fn relation(&self) -> Relation {
        match &self.rows {
            DatabaseRows::Table { schema, name } => {
                Relation::Table(schema.iter().chain([name]).cloned().collect())
            }
            DatabaseRows::Query(query) => Relation::Query(query.clone()),
        }
    }

    /// How its system writes statements.
    pub fn dialect(&self) -> &'static dyn Dialect {
        sql::dialect_of(self.address.system())
    }
}
