//! The built command on plans whose rows are in databases: `cargo xtask databases` starts a server,
//! names drivers and runs these tests.

#[path = "../../../lastbit-release/tests/databases/clinic.rs"]
mod clinic;
mod common;
mod duckdb;
#[path = "../../../lastbit-release/tests/databases/parquet_files.rs"]
mod parquet_files;
mod postgresql;
mod spark;
#[path = "../support.rs"]
#[allow(dead_code, reason = "shared with the other tests of the command")]
mod support;
#[path = "../../../lastbit-release/tests/databases/support.rs"]
#[allow(dead_code, reason = "shared with the tests of the library")]
mod writers;
