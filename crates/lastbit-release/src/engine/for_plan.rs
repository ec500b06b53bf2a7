//! Which engine serves a plan: the one choice of the command, the page and the Python package.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{Engine, EngineFailure};
use crate::plan::Plan;
use crate::schema::{Database, Source};

/// The engine for the rows of a plan; of a database, in a session that is open.
pub fn for_plan(plan: &Plan) -> Result<Box<dyn Engine>, EngineFailure> {
    for_plan_until(plan, Arc::default())
}

/// [`for_plan`]; the engine gives up with `EngineError::Stopped` soon after `stop` becomes true.
pub fn for_plan_until(
    plan: &Plan,
    stop: Arc<AtomicBool>,
) -> Result<Box<dyn Engine>, EngineFailure> {
    match &plan.source {
        Source::Files(_) => of_files(stop),
        Source::Database(database) => of_database(database, stop),
    }
}

#[cfg(feature = "engine")]
fn of_files(stop: Arc<AtomicBool>) -> Result<Box<dyn Engine>, EngineFailure> {
    Ok(Box::new(super::TableEngine {
        options: super::Options::default(),
        stop,
    }))
}

#[cfg(not(feature = "engine"))]
fn of_files(_: Arc<AtomicBool>) -> Result<Box<dyn Engine>, EngineFailure> {
    Err(
        "this lastbit was built without the engine that reads tables; build it with the feature \
         `engine`"
            .into(),
    )
}

#[cfg(feature = "databases")]
fn of_database(
    database: &Database,
    stop: Arc<AtomicBool>,
) -> Result<Box<dyn Engine>, EngineFailure> {
    let session = super::session::connect(database)?;
    let engine = super::SqlEngine::new(session, database.dialect(), database.relation());
    Ok(Box::new(engine.until(stop)))
}

#[cfg(not(feature = "databases"))]
fn of_database(_: &Database, _: Arc<AtomicBool>) -> Result<Box<dyn Engine>, EngineFailure> {
    Err(
        "this lastbit was built without sessions with databases; build it with the feature \
         `databases`"
            .into(),
    )
}
