//! Where the rows of a plan are, and whose they are.

use std::path::{Path, PathBuf};

use super::Database;
use crate::expression::Expression;

/// Where the rows of a plan are.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Source {
    /// In files.
    Files(Files),
    /// In a database.
    Database(Box<Database>),
}

/// Files that are read as one table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    /// Files, globs and directories; relative ones start at `base`.
    pub paths: Vec<String>,
    /// Where relative paths start: the directory of the plan.
    pub base: PathBuf,
    /// How the files are written.
    pub format: FileFormat,
}

impl Source {
    /// The files that have the rows, if they are in files.
    pub fn files(&self) -> Option<&Files> {
        match self {
            Source::Files(files) => Some(files),
            Source::Database(_) => None,
        }
    }

    /// The database that has the rows, if they are in one.
    pub fn database(&self) -> Option<&Database> {
        match self {
            Source::Files(_) => None,
            Source::Database(database) => Some(database),
        }
    }

    /// Where relative names start: the directory of the plan.
    pub fn base(&self) -> &Path {
        match self {
            Source::Files(files) => &files.base,
            Source::Database(database) => &database.base,
        }
    }
}

/// How files are written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileFormat {
    /// Comma-separated values.
    Csv {
        /// Between cells.
        delimiter: u8,
        /// Around cells that hold delimiters.
        quote: u8,
        /// Whether the files are compressed by gzip.
        gzip: bool,
    },
    /// Apache Parquet.
    Parquet,
    /// One JSON object on each line.
    Json {
        /// Whether the files are compressed by gzip.
        gzip: bool,
    },
}

impl FileFormat {
    /// The extensions of files that are read from a directory, the usual one first.
    pub fn extensions(&self) -> &'static [&'static str] {
        match self {
            FileFormat::Csv { gzip: false, .. } => &["csv", "tsv"],
            FileFormat::Csv { gzip: true, .. } => &["csv.gz", "tsv.gz"],
            FileFormat::Parquet => &["parquet"],
            FileFormat::Json { gzip: false } => &["jsonl", "ndjson", "json"],
            FileFormat::Json { gzip: true } => &["jsonl.gz", "ndjson.gz", "json.gz"],
        }
    }
}

/// Whose presence is protected.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unit {
    /// Every row is a different person.
    Row,
    /// Rows with the same value of this column are one unit. Rows without a value count nowhere.
    Column {
        /// The column.
        name: String,
        /// The most rows of one unit that count in one group of a table, at least 1.
        most_rows: u64,
        /// The most groups of a table in which one unit counts, at least 1.
        most_groups: u64,
    },
}

/// The rows of the source that a statistic describes: by default all, within the limits of the
/// unit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scope {
    /// Rows count if this is true. It may use derived columns and those of the file.
    pub filter: Option<Expression>,
    /// The most rows of one unit that count in one group, if not as in [`Unit`].
    pub most_rows: Option<u64>,
    /// The most groups in which one unit counts, if not as in [`Unit`].
    pub most_groups: Option<u64>,
}

impl Scope {
    /// The most rows of one unit in a group, and the most groups of one unit; `None` if every row
    /// is a unit.
    pub fn limits(&self, unit: &Unit) -> Option<(u64, u64)> {
        let Unit::Column {
            most_rows,
            most_groups,
            ..
        } = unit
        else {
            return None;
        };
        Some((
            self.most_rows.unwrap_or(*most_rows),
            self.most_groups.unwrap_or(*most_groups),
        ))
    }
}
