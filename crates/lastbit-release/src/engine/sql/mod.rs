//! A query as SQL: the same integers from a database as from files.
//!
//! [`Statements`] are made from the [`Query`] that the file engine gets, by way of one intermediate form, and written by a [`Dialect`]. A
//! session runs them and hands back cells of text, from which [`Statements::answer`] makes the [`Answer`]. Only exact integers and, where
//! keys are discovered, their values leave the database.
//!
//! A session first runs [`types_sql`] for the types of the columns, then [`Statements::fingerprint`], then [`Statements::text`] in order,
//! all in one snapshot. `docs/engines.md` says what is supported.

mod dialect;
mod error;
mod relation;

pub use dialect::{CellType, Dialect, dialect, dialects};
pub use error::SqlError;
pub use relation::Relation;

use super::query::{Answer, Query};

/// The rows of a statement's result: cells of text, or null.
pub type Rows = Vec<Vec<Option<String>>>;

/// The statement that says which types the columns have that a query reads: one row, for [`types`].
pub fn types_sql(
    query: &Query,
    relation: &Relation,
    dialect: &dyn Dialect,
) -> Result<String, SqlError> {
    let _ = (query, relation);
    Err(SqlError::unsupported(dialect, "queries"))
}

/// The columns that a query reads with their types, from the result of [`types_sql`].
pub fn types(
    query: &Query,
    rows: &[Vec<Option<String>>],
    dialect: &dyn Dialect,
) -> Result<Vec<(String, CellType)>, SqlError> {
    let _ = (query, rows);
    Err(SqlError::unsupported(dialect, "queries"))
}

/// A query as statements of a dialect.
#[derive(Clone, Debug)]
pub struct Statements {
    texts: Vec<(String, String)>,
    fingerprint: String,
}

impl Statements {
    /// Writes the statements, or says what this dialect or these types cannot do as the file engine does. `columns` are those that the query
    /// reads, with their types: see [`types`].
    pub fn new(
        query: &Query,
        columns: &[(String, CellType)],
        relation: &Relation,
        dialect: &dyn Dialect,
    ) -> Result<Statements, SqlError> {
        let _ = (query, columns, relation);
        Err(SqlError::unsupported(dialect, "queries"))
    }

    /// What each statement is for, and its text, in the order in which they are run.
    pub fn text(&self) -> Vec<(String, String)> {
        self.texts.clone()
    }

    /// The statement that says which data it is: one row, for [`Statements::fingerprint_of`].
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// The fingerprint of the data in hexadecimal, from the result of [`Statements::fingerprint`]: over the count of rows and the sum of
    /// 60-bit hashes of each, of the columns that the query reads. Data with the same one have the same answers.
    pub fn fingerprint_of(&self, rows: &[Vec<Option<String>>]) -> Result<String, SqlError> {
        let _ = rows;
        Err(SqlError::Result("the fingerprint"))
    }

    /// The exact integers, from the result of each statement of [`Statements::text`].
    pub fn answer(&self, results: &[Rows]) -> Result<Answer, SqlError> {
        let _ = results;
        Err(SqlError::Result("the answer"))
    }
}
