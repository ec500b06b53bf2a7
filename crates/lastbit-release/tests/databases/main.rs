//! Tests against databases: `cargo xtask databases` starts a server, names drivers and runs them.

#[path = "../sql/cases.rs"]
#[allow(dead_code, reason = "shared with the tests of SQLite")]
mod cases;
mod clinic;
mod duckdb;
/// Random tables, and what must come of them.
#[path = "../engine"]
mod engine {
    #[allow(dead_code, reason = "shared with the tests of files")]
    pub mod common;
    pub mod near;
    pub mod reference_engine;
}
mod identity;
mod killed;
mod neighbours;
mod parquet_files;
mod postgresql;
mod spark;
mod support;
