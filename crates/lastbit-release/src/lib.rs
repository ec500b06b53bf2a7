//! From a table and a plan to published numbers, through a ledger that cannot be overspent.
//!
//! 1. A [`plan`] names a source, public bounds, the neighbour relation, the privacy unit, a budget
//!    and [statistics](statistic).
//! 2. The [`account`] gives every statistic its loss, error, grid and mechanism, before any data
//!    are read.
//! 3. An [`engine`] answers the query with exact integers and seals them. They do not depend on the
//!    order of rows, the file format or the number of threads.
//! 4. The [`ledger`] durably subtracts the loss and returns an unforgeable [`ledger::Reserved`].
//! 5. [`release`] opens the answer with the `Reserved`, draws from it, and settles.
//! 6. [`present`] shows every number with its error, and a receipt.
#![forbid(unsafe_code)]

pub mod account;
mod cell;
pub mod clean;
pub mod consistent;
pub mod engine;
pub mod expression;
pub mod inspect;
pub mod ledger;
pub mod left;
pub mod loss;
mod near;
pub mod plan;
pub mod present;
mod query;
pub mod release;
mod schema;
pub mod select;
pub mod statistic;
mod value;
