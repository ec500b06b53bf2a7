use core::fmt;
use std::path::{Path, PathBuf};

use crate::clean;

/// The longest message, in characters: names in it may be of any length.
const MOST: usize = 2000;

/// What is wrong with a plan, where, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanError {
    file: Option<PathBuf>,
    place: Option<Place>,
    message: String,
}

/// A line and a column of a text, both counted from 1; columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl PlanError {
    pub(crate) fn new(message: impl Into<String>) -> PlanError {
        PlanError {
            file: None,
            place: None,
            message: message.into(),
        }
    }

    /// At the byte `at` of the plan's text.
    pub(crate) fn at(text: &str, at: usize, message: impl Into<String>) -> PlanError {
        PlanError {
            place: Some(Place::of(text, at)),
            ..PlanError::new(message)
        }
    }

    pub(crate) fn in_file(self, path: &Path) -> PlanError {
        PlanError {
            file: Some(path.to_owned()),
            ..self
        }
    }

    /// Where in the plan's text.
    pub fn place(&self) -> Option<Place> {
        self.place
    }

    /// What is wrong, without the place.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl Place {
    fn of(text: &str, at: usize) -> Place {
        // A byte inside a character counts as its first.
        let at = (0..=at.min(text.len()))
            .rev()
            .find(|&at| text.is_char_boundary(at))
            .unwrap_or(0);
        let before = &text[..at];
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Place {
            line: before.matches('\n').count() + 1,
            column: before[start..].chars().count() + 1,
        }
    }
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}:", clean::path(file))?;
        }
        if let Some(Place { line, column }) = self.place {
            write!(f, "{line}:{column}:")?;
        }
        if self.file.is_some() || self.place.is_some() {
            write!(f, " ")?;
        }
        f.write_str(&clean::shortened(&clean::visible(&self.message), MOST))
    }
}

impl std::error::Error for PlanError {}
