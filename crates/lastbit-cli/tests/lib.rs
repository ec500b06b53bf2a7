//! The tests that use the public interface alone, in one program: it links once.

mod about;
mod black_box;
mod ledger;
mod parameter_limits;
mod printed_bounds;
#[cfg(feature = "engine")]
mod query;
mod release;
mod support;
mod transcripts;
mod verify;
