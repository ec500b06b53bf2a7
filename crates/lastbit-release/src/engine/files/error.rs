//! Why a table cannot be read or a query answered, and what to do about it.

use std::path::PathBuf;

use crate::clean::shown;
use crate::near::nearest;

/// Why a query was not answered.
///
/// Some of these are facts about the data (a bad line, a type): show them to those who may see the
/// data only.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// Joined files beside a table in memory.
    #[error(
        "a table in memory is not joined with the files of [[source.join]]; join them before, by \
         the unit's key, or release from files"
    )]
    JoinedMemory,
    /// No file has this name, or matches this pattern.
    #[error("no file at `{0}`; check the path in the plan, which starts at the plan's directory")]
    NoFile(String),
    /// The rows are not in files.
    #[error(
        "the rows of this plan are in a database, and this engine reads files; `for_plan` chooses \
         the engine of a plan"
    )]
    Database,
    /// A directory holds no file of the format.
    #[error(
        "the directory `{}` holds no .{extension} file; name the files or use a glob",
        path.display()
    )]
    EmptyDirectory {
        /// The directory.
        path: PathBuf,
        /// What its files should end with.
        extension: &'static str,
    },
    /// A glob that cannot be read.
    #[error("`{pattern}` is not a glob: {message}; use * for any text and ** for any directories")]
    Glob {
        /// The pattern given.
        pattern: String,
        /// What is wrong with it.
        message: String,
    },
    /// What stands in the place of names may be a row.
    #[error(
        "`{}`: a name is empty, there twice, or like a cell (a number, a date, NA), so that what \
         is in the place of the names may be a row, and is not shown; give every column a name in \
         the file",
        .0.display()
    )]
    NoNames(PathBuf),
    /// The operating system refused.
    #[error("cannot read `{}`: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A pipe, a device, or whatever else cannot be read twice.
    #[error("`{}` is not a regular file; copy the data into one", .0.display())]
    NotAFile(PathBuf),
    /// Rows that do not fit into memory cannot be kept on disk.
    #[error(
        "cannot keep rows in a temporary file in `{}`: {source}; make room there, or name another \
         directory in TMPDIR",
        directory.display()
    )]
    Temporary {
        /// Where temporary files go.
        directory: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A text file without a first line.
    #[error(
        "`{}` is empty; a CSV file needs a first line with the names of its columns",
        .0.display()
    )]
    NoHeader(PathBuf),
    /// The table has no such column.
    #[error("`{}` has no column `{column}`; {}", file.display(), known(.column, .columns))]
    UnknownColumn {
        /// The file.
        file: PathBuf,
        /// The column that the plan names.
        column: String,
        /// The columns that exist.
        columns: Vec<String>,
    },
    /// The table has no such column, and what stands in the place of names may be a row.
    #[error(
        "`{}` has no column `{column}`; a name in its first line is empty, there twice, or like a \
         cell (a number, a date, NA), so that the line may be a row, and is not shown; give every \
         column a name in the file",
        file.display()
    )]
    UnknownAndNoNames {
        /// The file.
        file: PathBuf,
        /// The column that the plan names.
        column: String,
    },
    /// An error, and what the plan has to do with it.
    #[error("{cause}; {words}")]
    Explained {
        /// The error.
        cause: Box<EngineError>,
        /// What the plan has to do with it.
        words: String,
    },
    /// A name that the header has twice.
    #[error(
        "`{}` has more than one column `{}`; rename one of them",
        file.display(), shown(column)
    )]
    TwiceInHeader {
        /// The file.
        file: PathBuf,
        /// The name.
        column: String,
    },
    /// A column whose type has no reading as asked.
    #[error(
        "column `{column}` has type {found}, which cannot be read as {wanted}; choose another \
         column or cast it first"
    )]
    Type {
        /// The column.
        column: String,
        /// Its type in the files.
        found: String,
        /// A number, or text.
        wanted: &'static str,
    },
    /// A column that has different types in different files.
    #[error(
        "column `{column}` has type {found} in `{}`, and {first} in the first file; write the \
         files with one schema",
        file.display()
    )]
    TwoTypes {
        /// The column.
        column: String,
        /// Its type in the first file.
        first: String,
        /// A file where it has another one.
        file: PathBuf,
        /// Its type there.
        found: String,
    },
    /// A line with too few or too many cells.
    #[error(
        "`{}`, line {line}: {message}; mend the line, or set the plan's delimiter and quote",
        file.display()
    )]
    Ragged {
        /// The file.
        file: PathBuf,
        /// The line, counted from one.
        line: u64,
        /// How many cells there are, and how many there should be.
        message: String,
    },
    /// Text that is not UTF-8.
    #[error(
        "`{}` is not UTF-8 near line {line}; convert it, for example: iconv -f latin1 -t utf-8",
        file.display()
    )]
    NotUtf8 {
        /// The file.
        file: PathBuf,
        /// The line, counted from one.
        line: u64,
    },
    /// Text in UTF-16, as some programs of Windows write it.
    #[error(
        "`{}` is UTF-16, and UTF-8 is read; convert it, for example: iconv -f utf-16 -t utf-8",
        .0.display()
    )]
    Utf16(PathBuf),
    /// A row longer than [`MOST_ROW_BYTES`](super::MOST_ROW_BYTES).
    #[error(
        "`{}` has a row of more than {} MiB after byte {byte}; is a quote not closed, or the \
         format another one?",
        file.display(), super::MOST_ROW_BYTES >> 20
    )]
    LongRow {
        /// The file.
        file: PathBuf,
        /// About where the row starts.
        byte: u64,
    },
    /// A quote that is open at the end of the file: all that follows it would be one cell.
    #[error(
        "`{}`: a quote in the row that starts on line {line} is never closed; close it, or set \
         the plan's quote",
        file.display()
    )]
    OpenQuote {
        /// The file.
        file: PathBuf,
        /// The line, counted from one.
        line: u64,
    },
    /// A line that is no JSON object, or names a column twice.
    #[error(
        "`{}` is not one JSON object a line, with each name once: see line {line}, near column \
         {column}",
        file.display()
    )]
    Json {
        /// The file.
        file: PathBuf,
        /// The line, counted from one.
        line: u64,
        /// About where in the line, counted from one.
        column: usize,
    },
    /// A file that is one JSON array.
    #[error(
        "`{}` is one JSON array, and one object a line is read; convert it, for example: jq -c \
         '.[]'",
        .0.display()
    )]
    JsonArray(PathBuf),
    /// A Parquet file that cannot be read.
    #[error("cannot read `{}` as Parquet: {message}; is it Parquet, and whole?", file.display())]
    Parquet {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// The state of the query outgrew the memory that it may take.
    #[error(
        "{what} needs more than {} MiB of memory; allow more memory, or lower the number of \
         groups or rows of one unit",
        limit >> 20
    )]
    Memory {
        /// What grew.
        what: &'static str,
        /// The limit in bytes.
        limit: usize,
    },
    /// A table with more rows than sums have room for.
    #[error("the table has more than 2^40 rows; release parts of it")]
    TooManyRows,
    /// Somebody asked for the scan to end.
    #[error("the scan was stopped before anything was spent")]
    Stopped,
    /// A query that no data could answer.
    #[error("{0}")]
    Query(String),
    /// The data engine failed.
    #[error("the data engine failed: {0}")]
    Engine(String),
}

impl EngineError {
    /// With what the plan has to do with it.
    pub(super) fn explained(self, words: String) -> EngineError {
        EngineError::Explained {
            cause: Box::new(self),
            words,
        }
    }

    /// The column of the plan that is not there, if that is the error.
    pub(super) fn unknown_column(&self) -> Option<&str> {
        match self {
            EngineError::UnknownColumn { column, .. }
            | EngineError::UnknownAndNoNames { column, .. } => Some(column),
            EngineError::Explained { cause, .. } => cause.unknown_column(),
            _ => None,
        }
    }
}

/// The name that is most alike; otherwise the first ones.
fn known(column: &str, columns: &[String]) -> String {
    // Marks of other formats within names: more of them than names.
    let count = |mark: char| {
        columns
            .iter()
            .map(|name| name.matches(mark).count())
            .sum::<usize>()
    };
    let marks = [(';', "\";\""), ('\t', "\"\\t\""), ('|', "\"|\"")];
    if let Some((_, written)) = marks
        .iter()
        .find(|(mark, _)| count(*mark) >= columns.len().max(1))
    {
        return format!(
            "by the look of its header, cells are separated otherwise: write delimiter = {written} \
             in [source]"
        );
    }
    if let Some(name) = nearest(column, columns.iter().map(String::as_str)) {
        return format!("did you mean `{}`?", shown(name));
    }
    const SHOWN: usize = 12;
    let mut list = columns
        .iter()
        .take(SHOWN)
        .map(|name| format!("`{}`", shown(name)))
        .collect::<Vec<_>>()
        .join(", ");
    if columns.len() > SHOWN {
        list += &format!(" and {} more", columns.len() - SHOWN);
    }
    format!("its columns are {list}")
}
