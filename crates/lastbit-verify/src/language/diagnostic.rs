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

    /// The message with the part of the source line that it is about, and a mark below the place.
    /// `shown` makes texts of the source fit to be shown where the message goes; whatever it
    /// writes, the mark stands below the place.
    pub fn with_source(&self, source: &str, shown: impl Fn(&str) -> String) -> String {
        let line = source
            .lines()
            .nth(self.at.line.saturating_sub(1) as usize)
            .unwrap_or("");
        let number = self.at.line.to_string();
        let margin = " ".repeat(number.len());
        let column = self.at.column.saturating_sub(1) as usize;
        let part = |from: usize, count: usize| -> String {
            let part = line.chars().skip(from).take(count);
            part.map(|c| if c == '\t' { ' ' } else { c }).collect()
        };
        let start = column.saturating_sub(REACH);
        let (before, after) = (part(start, column - start), part(column, REACH));
        let left = if start > 0 { "…" } else { "" };
        let right = if part(column + REACH, 1).is_empty() {
            ""
        } else {
            "…"
        };
        let before = format!("{left}{}", shown(&before));
        let space = " ".repeat(before.chars().count());
        format!(
            "{}: {}; {}\n{margin} |\n{number} | {before}{}{right}\n{margin} | {space}^",
            self.at,
            shown(&self.problem),
            shown(&self.remedy),
            shown(&after)
        )
    }
}

/// How many characters of a line are shown on either side of a place.
const REACH: usize = 100;

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.at, self.problem, self.remedy)
    }
}

impl std::error::Error for Diagnostic {}
