use std::sync::{Mutex, MutexGuard, PoisonError};

use super::session::Session;
use super::sql::{self, Dialect, Relation, Statements};
use super::{Engine, EngineFailure, Progress};
use crate::plan::{Database, DatabaseRows, Source};
use crate::query::{Answer, Query, Sealed};

/// The engine that asks a database, in a session.
///
/// The session is one snapshot, or says that it is not: then the fingerprint is computed anew each
/// time it is asked for, so that a release notices that the data changed.
pub struct SqlEngine<S> {
    dialect: &'static dyn Dialect,
    relation: Relation,
    state: Mutex<State<S>>,
}

struct State<S> {
    session: S,
    /// Of the query that was checked last.
    checked: Option<Statements>,
    fingerprint: Option<String>,
}

impl<S: Session> SqlEngine<S> {
    /// Of the rows of a relation.
    pub fn new(session: S, dialect: &'static dyn Dialect, relation: Relation) -> SqlEngine<S> {
        SqlEngine {
            dialect,
            relation,
            state: Mutex::new(State {
                session,
                checked: None,
                fingerprint: None,
            }),
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
    /// The fingerprint of the columns of the last query that was checked: check one first.
    fn fingerprint(&self, _: &Source) -> Result<String, EngineFailure> {
        let mut state = self.state();
        let state = &mut *state;
        let Some(statements) = &state.checked else {
            return Err("no query was checked before the fingerprint; report this".into());
        };
        if let Some(known) = &state.fingerprint
            && state.session.is_snapshot()
        {
            return Ok(known.clone());
        }
        let rows = state.session.rows(statements.fingerprint())?;
        let fingerprint = statements.fingerprint_of(&rows)?;
        state.fingerprint = Some(fingerprint.clone());
        Ok(fingerprint)
    }

    fn check(&self, query: &Query) -> Result<(), EngineFailure> {
        let mut state = self.state();
        let statements = self.statements(&mut state, query)?;
        state.checked = Some(statements);
        state.fingerprint = None;
        Ok(())
    }

    fn scan(&self, query: &Query, progress: Progress) -> Result<Sealed<Answer>, EngineFailure> {
        let mut state = self.state();
        let statements = self.statements(&mut state, query)?;
        let texts = statements.text();
        let mut results = Vec::with_capacity(texts.len());
        for (done, (_, text)) in texts.iter().enumerate() {
            progress(0, Some(done as f64 / texts.len() as f64));
            results.push(state.session.rows(text)?);
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

    /// How its database writes statements.
    pub fn dialect(&self) -> Option<&'static dyn Dialect> {
        sql::dialect(&self.address.system().to_lowercase())
    }
}
