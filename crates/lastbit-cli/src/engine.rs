//! The engine that a plan needs: files or a database.

use anyhow::Result;
use lastbit_release::engine::Engine;
use lastbit_release::plan::{Database, Plan};

/// For the rows of a plan; of a database, in a session that is open.
pub fn engine(plan: &Plan) -> Result<Box<dyn Engine>> {
    match plan.source.database() {
        Some(database) => of_database(plan, database),
        None => of_files(),
    }
}

#[cfg(feature = "engine")]
fn of_files() -> Result<Box<dyn Engine>> {
    Ok(Box::new(lastbit_release::engine::TableEngine::default()))
}

#[cfg(not(feature = "engine"))]
fn of_files() -> Result<Box<dyn Engine>> {
    anyhow::bail!(
        "this lastbit was built without the engine that reads tables; build it with the feature \
         `engine`"
    )
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

#[cfg(feature = "databases")]
fn of_database(plan: &Plan, database: &Database) -> Result<Box<dyn Engine>> {
    use anyhow::Context as _;
    use lastbit_release::engine::SqlEngine;
    use lastbit_release::engine::session::connect;
    let address = &database.address;
    let dialect = database
        .dialect()
        .with_context(|| format!("there is no dialect for {}", address.system()))?;
    let session = connect(database, &plan.source.base)?;
    Ok(Box::new(SqlEngine::new(
        session,
        dialect,
        database.relation(),
    )))
}

#[cfg(not(feature = "databases"))]
fn of_database(_: &Plan, _: &Database) -> Result<Box<dyn Engine>> {
    anyhow::bail!(
        "this lastbit was built without sessions with databases; build it with the feature \
         `databases`"
    )
}
