//! What a plan says about a table: where it is, its columns and their grids, whose rows they are,
//! and what is made of the cells of a row.

mod column;
mod database;
mod derive;
mod file_identity;
mod lookup;
mod source;
mod spark;

pub use column::{Categories, Column, ColumnKind, Missing, NumberKind, Numbers};
pub(crate) use database::NO_SECRET;
pub use database::{Address, Database, DatabaseRows, DatabaseSystem, PasswordPlace, PostgreSqlUrl};
pub use derive::{Derive, Join};
pub(crate) use file_identity::{FileIdentity, file_identity};
pub use lookup::{Lookup, LookupError};
pub use source::{FileFormat, Files, Scope, Source, Unit};
pub use spark::SparkAddress;
