//! The engine that a plan needs: files or a database.

use anyhow::{Result, anyhow};
use lastbit_release::engine::{Engine, for_plan};
use lastbit_release::plan::Plan;

/// For the rows of a plan; of a database, in a session that is open.
pub fn engine(plan: &Plan) -> Result<Box<dyn Engine>> {
    for_plan(plan).map_err(|error| anyhow!(error))
}

/// Refuses columns that the files of a plan lack, by their names alone, where the files are there.
#[cfg(feature = "engine")]
pub fn check_names(plan: &Plan) -> Result<()> {
    Ok(lastbit_release::engine::check_names(plan)?)
}

/// Without an engine, names are not known.
#[cfg(not(feature = "engine"))]
pub fn check_names(_: &Plan) -> Result<()> {
    Ok(())
}
