//! From the paths of a source to files, in one order.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Component, Path, PathBuf};

use glob::Pattern;

use super::EngineError;
use crate::plan::{FileFormat, Files, Source};
use crate::schema::file_identity;

/// The files of a source, each once, sorted by path.
pub fn files(source: &Source) -> Result<Vec<PathBuf>, EngineError> {
    match source {
        Source::Files(files) => listed(files),
        Source::Database(_) => Err(EngineError::Database),
    }
}

pub(super) fn listed(source: &Files) -> Result<Vec<PathBuf>, EngineError> {
    let mut files = Vec::new();
    for given in &source.paths {
        let path = source.base.join(given);
        if path.is_dir() {
            let before = files.len();
            collect(&path, &source.format, &mut HashSet::new(), &mut files)?;
            if files.len() == before {
                return Err(EngineError::EmptyDirectory {
                    path,
                    extension: source.format.extensions()[0],
                });
            }
        } else if path.exists() {
            files.push(path);
        } else {
            expand(source, given, &mut files)?;
        }
    }
    if files.is_empty() {
        return Err(EngineError::NoFile(source.paths.join(", ")));
    }
    once(files)
}

/// Sorted, and each file once, whatever links and dots lead to it: a row that is read twice would
/// count twice, and so would move sums by twice the sensitivity.
fn once(mut files: Vec<PathBuf>) -> Result<Vec<PathBuf>, EngineError> {
    files.sort();
    let mut seen = HashSet::new();
    let mut once = Vec::with_capacity(files.len());
    for path in files {
        let data = metadata(&path)?;
        if !data.is_file() {
            // To open a pipe would wait for somebody to write into it.
            return Err(EngineError::NotAFile(path));
        }
        let identity = file_identity(&path, &data).map_err(|source| unreadable(&path, source))?;
        if seen.insert(identity) {
            once.push(path);
        }
    }
    Ok(once)
}

/// The metadata of the file that a path leads to.
fn metadata(path: &Path) -> Result<Metadata, EngineError> {
    fs::metadata(path).map_err(|source| unreadable(path, source))
}

fn unreadable(path: &Path, source: io::Error) -> EngineError {
    EngineError::Read {
        path: path.to_owned(),
        source,
    }
}

fn is_of(format: &FileFormat, name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_lowercase();
    format.extensions().iter().any(|end| {
        name.strip_suffix(end)
            .is_some_and(|stem| stem.ends_with('.'))
    })
}

/// Names in a directory, sorted.
fn names(directory: &Path) -> Result<Vec<std::ffi::OsString>, EngineError> {
    let fail = |source| EngineError::Read {
        path: directory.to_owned(),
        source,
    };
    let entries = fs::read_dir(directory).map_err(fail)?;
    let name = |entry: std::io::Result<fs::DirEntry>| Ok(entry.map_err(fail)?.file_name());
    let mut names: Vec<_> = entries.map(name).collect::<Result<_, _>>()?;
    names.sort();
    Ok(names)
}

/// Files of the format below a directory; hidden ones are not data. `above` are the directories on
/// the way, so that a link to one of them leads nowhere.
fn collect(
    directory: &Path,
    format: &FileFormat,
    above: &mut HashSet<PathBuf>,
    files: &mut Vec<PathBuf>,
) -> Result<(), EngineError> {
    let real = directory
        .canonicalize()
        .map_err(|source| EngineError::Read {
            path: directory.to_owned(),
            source,
        })?;
    if !above.insert(real.clone()) {
        return Ok(());
    }
    for name in names(directory)? {
        if name.as_encoded_bytes().starts_with(b".") || name.as_encoded_bytes().starts_with(b"_") {
            continue;
        }
        let path = directory.join(&name);
        if path.is_dir() {
            collect(&path, format, above, files)?;
        } else if is_of(format, &name) {
            files.push(path);
        }
    }
    above.remove(&real);
    Ok(())
}

/// The files that match a pattern, and those inside of directories that match it and end like files
/// of the format, as Spark writes them. A name that is not UTF-8 matches as if each wrong byte were
/// some character.
fn expand(source: &Files, given: &str, files: &mut Vec<PathBuf>) -> Result<(), EngineError> {
    let mut start = source.base.clone();
    let mut parts = Vec::new();
    for component in Path::new(given).components() {
        match component {
            Component::Normal(name) => parts.push(part(given, name)?),
            other if parts.is_empty() => start.push(other),
            other => parts.push(Part::Name(PathBuf::from(other.as_os_str()))),
        }
    }
    let mut found = Vec::new();
    walk(&start, &parts, &mut found)?;
    let before = files.len();
    for path in found {
        if path.is_dir() {
            if path
                .file_name()
                .is_some_and(|name| is_of(&source.format, name))
            {
                collect(&path, &source.format, &mut HashSet::new(), files)?;
            }
        } else {
            files.push(path);
        }
    }
    if files.len() == before {
        return Err(EngineError::NoFile(given.to_owned()));
    }
    Ok(())
}

/// A part of a pattern, between slashes.
enum Part {
    Name(PathBuf),
    Pattern(Pattern),
    /// Any directories, also none.
    Directories,
}

fn part(given: &str, name: &OsStr) -> Result<Part, EngineError> {
    let name = name.to_string_lossy();
    if name == "**" {
        return Ok(Part::Directories);
    }
    if !name.contains(['*', '?', '[']) {
        return Ok(Part::Name(PathBuf::from(name.as_ref())));
    }
    Pattern::new(&name)
        .map(Part::Pattern)
        .map_err(|error| EngineError::Glob {
            pattern: given.to_owned(),
            message: error.msg.to_owned(),
        })
}

fn walk(start: &Path, parts: &[Part], found: &mut Vec<PathBuf>) -> Result<(), EngineError> {
    let Some((part, rest)) = parts.split_first() else {
        found.push(start.to_owned());
        return Ok(());
    };
    match part {
        Part::Name(name) => {
            let path = start.join(name);
            if path.exists() {
                walk(&path, rest, found)?;
            }
        }
        Part::Pattern(pattern) => {
            for name in names_if_directory(start)? {
                if pattern.matches(&name.to_string_lossy()) {
                    walk(&start.join(name), rest, found)?;
                }
            }
        }
        Part::Directories => {
            walk(start, rest, found)?;
            for name in names_if_directory(start)? {
                let path = start.join(name);
                // A link may lead back.
                if fs::symlink_metadata(&path).is_ok_and(|data| data.is_dir()) {
                    walk(&path, parts, found)?;
                }
            }
        }
    }
    Ok(())
}

fn names_if_directory(path: &Path) -> Result<Vec<std::ffi::OsString>, EngineError> {
    let path = match path.as_os_str().is_empty() {
        true => Path::new("."),
        false => path,
    };
    match path.is_dir() {
        true => names(path),
        false => Ok(Vec::new()),
    }
}
