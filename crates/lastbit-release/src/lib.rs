//! From a table and a plan to published numbers, through a ledger that cannot be overspent.
//!
//! 1. A [`plan`] names a source, public bounds, the neighbour relation, the privacy unit, a budget and [statistics](statistic).
//! 2. [`account`]: loss, error, grid and mechanism of every statistic, before any data is read.
//! 3. An [`engine`] answers the query: exact integers, the same for every order, format and number of threads, sealed.
//! 4. The [`ledger`] durably subtracts the loss and returns an unforgeable [`ledger::Reserved`].
//! 5. [`release`] opens the answer and draws from it, which takes the `Reserved`, and settles.
//! 6. [`present`]: value ± error, with a receipt for every number.
#![forbid(unsafe_code)]

pub mod account;
pub mod clean;
pub mod consistent;
pub mod engine;
pub mod expression;
pub mod inspect;
pub mod ledger;
pub mod loss;
mod near;
pub mod plan;
pub mod present;
pub mod release;
pub mod select;
pub mod statistic;
mod value;
