//! Why a query cannot be written as SQL, or its result be read. No message holds a cell of data.

/// Why a query cannot be written as SQL, or its result be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SqlError {
    /// The dialect cannot compute it as the file engine does.
    #[error("{dialect} cannot compute {what} as files do; {remedy}")]
    Unsupported {
        /// Its name.
        dialect: &'static str,
        /// What it cannot.
        what: String,
        /// What to do.
        remedy: &'static str,
    },
    /// The query asks for what no data could answer.
    #[error("{0}")]
    Query(String),
    /// The relation has no such column.
    #[error("there is no column `{0}`; names are compared letter by letter")]
    UnknownColumn(String),
    /// A column has a type that cannot be read as it is used.
    #[error("column `{column}` of type {found} cannot be read as {wanted}; {remedy}")]
    Type {
        /// The column.
        column: String,
        /// Its type.
        found: String,
        /// What is needed.
        wanted: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// A result does not have the shape that was asked for.
    #[error(
        "the database returned {0} in another shape than was asked for; check that its driver or \
         session runs statements as they are, and hands back every row with all of its texts"
    )]
    Result(&'static str),
    /// More rows than are allowed.
    #[error("the table has more than 2^{} rows", crate::query::LOG2_MOST_ROWS)]
    TooManyRows,
}

impl SqlError {
    /// What no engine could answer.
    pub(super) fn query(error: crate::engine::EngineError) -> SqlError {
        SqlError::Query(error.to_string())
    }

    pub(super) fn unsupported(dialect: &'static str, what: impl Into<String>) -> SqlError {
        SqlError::Unsupported {
            dialect,
            what: what.into(),
            remedy: "change the plan, or export the table to Parquet",
        }
    }
}
