//! The tests that use the public interface alone, in one program: it links once.
//!
//! What needs a process of its own (kills, limits, another environment, a planted fault) runs this
//! program again for one test.

#[cfg(feature = "engine")]
mod consistent;
#[cfg(feature = "engine")]
mod engine;
mod expression;
mod kinds;
#[cfg(feature = "engine")]
mod language;
mod ledger;
mod plan;
mod price;
mod release;
mod report;
#[cfg(feature = "engine")]
mod sql;
