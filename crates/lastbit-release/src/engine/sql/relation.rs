//! Where the rows of a database are.

use super::{Dialect, SqlError};

/// A table, or what a query selects.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Relation {
    /// The parts of a table's name, such as a schema and a table.
    Table(Vec<String>),
    /// One `select`, as its author wrote it; whoever makes this has checked that it is one.
    Query(String),
}

impl Relation {
    /// As it stands after `from`.
    pub fn sql(&self, dialect: &dyn Dialect) -> Result<String, SqlError> {
        match self {
            Relation::Table(parts) if parts.is_empty() => {
                Err(SqlError::Query("a table needs a name".to_owned()))
            }
            Relation::Table(parts) => {
                let parts = parts.iter().map(|part| dialect.identifier(part));
                let parts: Vec<String> = parts.collect::<Result<_, _>>()?;
                Ok(parts.join("."))
            }
            // On lines of its own, so that a comment at its end ends there.
            Relation::Query(text) => Ok(format!("(\n{}\n) AS relation", dialect.query(text)?)),
        }
    }
}
