//! The tests that use the public interface alone, in one program: it links once.

mod about;
mod black_box;
#[cfg(feature = "databases")]
#[path = "../../lastbit-release/tests/databases/clinic.rs"]
mod clinic;
#[cfg(feature = "databases")]
#[path = "databases/common.rs"]
#[allow(dead_code, reason = "shared with the tests against servers")]
mod common;
mod ledger;
mod parameter_limits;
mod printed_bounds;
mod quantile_laws;
#[cfg(feature = "engine")]
mod query;
mod release;
#[cfg(feature = "databases")]
#[path = "databases/sqlite.rs"]
mod sqlite;
mod support;
mod transcripts;
mod verify;
