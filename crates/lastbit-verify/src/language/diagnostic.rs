//! What is wrong with a program, where, and what to write instead.

use core::fmt;

/// A place in a source text: line and column, both from 1; columns count characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The character in the line.
    pub column: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// One thing that is wrong with a program: where, what, and the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Where it is.
    pub at: Position,
    /// What is wrong.
    pub problem: String,
    /// What to change.
    pub remedy: String,
}

impl Diagnostic {
    pub(crate) fn new(
        at: Position,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic {
            at,
            problem: problem.into(),
            remedy: remedy.into(),
        }
    }

    /// The message with the line of the source that it is about, and a mark below the place.
    pub fn with_source(&self, source: &str) -> String {
        let line = source
            .lines()
            .nth(self.at.line.saturating_sub(1) as usize)
            .unwrap_or("");
        let number = self.at.line.to_string();
        let margin = " ".repeat(number.len());
        let before: String = line
            .chars()
            .take(self.at.column.saturating_sub(1) as usize)
            .map(|c| if c == '\t' { '\t' } else { ' ' })
            .collect();
        format!("{self}\n{margin} |\n{number} | {line}\n{margin} | {before}^")
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.at, self.problem, self.remedy)
    }
}

impl std::error::Error for Diagnostic {}
