//! From the paths of a source to files, in one order.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::EngineError;
use crate::query::{FileFormat, Source};

/// The files of a source, each once, sorted by path.
pub(super) fn files(source: &Source) -> Result<Vec<PathBuf>, EngineError> {
    let mut files = Vec::new();
    for given in &source.paths {
        let path = source.base.join(given);
        if path.is_dir() {
            let before = files.len();
            collect(&path, &source.format, &mut files)?;
            if files.len() == before {
                return Err(EngineError::EmptyDirectory {
                    path,
                    extension: extensions(&source.format)[0],
                });
            }
        } else if path.exists() {
            files.push(path);
        } else {
            expand(given, &path, &mut files)?;
        }
    }
    if files.is_empty() {
        return Err(EngineError::NoFile(source.paths.join(", ")));
    }
    once(files)
}

/// Sorted, and each file once, whatever links and dots lead to it: a row that is read twice would count twice, and so would move sums
/// by twice the sensitivity.
fn once(mut files: Vec<PathBuf>) -> Result<Vec<PathBuf>, EngineError> {
    files.sort();
    let mut seen = HashSet::new();
    let mut once = Vec::with_capacity(files.len());
    for path in files {
        match path.canonicalize() {
            Ok(real) => {
                if seen.insert(real) {
                    once.push(path);
                }
            }
            Err(source) => return Err(EngineError::Read { path, source }),
        }
    }
    Ok(once)
}

/// How names of files of a format end, without the first dot.
pub(super) fn extensions(format: &FileFormat) -> &'static [&'static str] {
    match format {
        FileFormat::Csv { gzip: false, .. } => &["csv", "tsv"],
        FileFormat::Csv { gzip: true, .. } => &["csv.gz", "tsv.gz"],
        FileFormat::Parquet => &["parquet"],
        FileFormat::Json { gzip: false } => &["jsonl", "ndjson", "json"],
        FileFormat::Json { gzip: true } => &["jsonl.gz", "ndjson.gz", "json.gz"],
    }
}

/// Files of the format below a directory; hidden ones are not data.
fn collect(
    directory: &Path,
    format: &FileFormat,
    files: &mut Vec<PathBuf>,
) -> Result<(), EngineError> {
    let fail = |source| EngineError::Read {
        path: directory.to_owned(),
        source,
    };
    for entry in fs::read_dir(directory).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let name = entry.file_name().to_string_lossy().to_lowercase();
        let path = entry.path();
        if name.starts_with(['.', '_']) {
            continue;
        }
        if entry.file_type().map_err(fail)?.is_dir() {
            collect(&path, format, files)?;
        } else if extensions(format).iter().any(|end| {
            name.strip_suffix(end)
                .is_some_and(|stem| stem.ends_with('.'))
        }) {
            files.push(path);
        }
    }
    Ok(())
}

fn expand(given: &str, path: &Path, files: &mut Vec<PathBuf>) -> Result<(), EngineError> {
    let pattern = path.to_string_lossy();
    let found = glob::glob(&pattern).map_err(|error| EngineError::Glob {
        pattern: given.to_owned(),
        message: error.msg.to_owned(),
    })?;
    let before = files.len();
    for file in found {
        let file = file.map_err(|error| EngineError::Read {
            path: error.path().to_owned(),
            source: error.into(),
        })?;
        if file.is_file() {
            files.push(file);
        }
    }
    if files.len() == before {
        return Err(EngineError::NoFile(given.to_owned()));
    }
    Ok(())
}
