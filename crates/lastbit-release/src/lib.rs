//! From a table and a plan to published numbers, through a ledger that cannot be overspent.
//!
//! 1. A [`plan`] names a source, public bounds, the neighbour relation, the privacy unit, a budget and statistics.
//! 2. [`price`]: loss, error, grid and mechanism of every statistic, before any data is read.
//! 3. The [`ledger`] durably subtracts the loss and returns an unforgeable [`ledger::Reserved`].
//! 4. The engine answers the [`query`]: exact integers, the same for every order, format and number of threads.
//! 5. [`release`] adds the noise, which takes the `Reserved`, and settles.
//! 6. A [`report`]: value ± error, with a receipt for every number.
#![forbid(unsafe_code)]

#[cfg(feature = "datafusion")]
pub mod engine;
pub mod ledger;
pub mod loss;
pub mod plan;
pub mod price;
pub mod query;
pub mod release;
pub mod report;
