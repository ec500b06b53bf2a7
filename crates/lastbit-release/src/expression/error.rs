//! What is wrong with an expression, and where.

/// Why a text is not an expression: the place in it, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct ExpressionError {
    line: u64,
    column: u64,
    message: String,
}

impl ExpressionError {
    pub(super) fn new(at: Place, message: impl Into<String>) -> ExpressionError {
        ExpressionError {
            line: at.line.max(1),
            column: at.column.max(1),
            message: message.into(),
        }
    }

    /// The line within the expression, counted from one.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The character within the line, counted from one.
    pub fn column(&self) -> u64 {
        self.column
    }

    /// What is wrong, and what to do about it.
    pub fn message(&self) -> &str {
        &self.message
    }
}

/// A place in an expression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub line: u64,
    pub column: u64,
}
