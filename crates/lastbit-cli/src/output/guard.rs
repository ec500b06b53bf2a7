//! What must not be overwritten, under any name: the plan, the ledger, SQLite's files beside it,
//! and the data.

use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Result, bail};
use lastbit_release::clean;
use lastbit_release::ledger::is_ledger_name;
use lastbit_release::plan::{Database, Files, PasswordPlace, Plan};

use super::resolved;

/// Files that are read or kept, and must not be overwritten.
#[derive(Default)]
pub struct Guard {
    files: Vec<(PathBuf, &'static str)>,
    /// Patterns and directories whose new files would be data.
    patterns: Vec<glob::Pattern>,
    directories: Vec<PathBuf>,
    endings: Vec<String>,
}

impl Guard {
    /// Guards a plan, at its path, and the files that it names.
    pub fn new(path: &Path, plan: &Plan) -> Guard {
        let mut guard = Guard {
            files: vec![(path.to_owned(), "the plan")],
            ..Guard::default()
        };
        let joined = plan.derive.joins.iter().map(|join| &join.source);
        for source in std::iter::once(&plan.source).chain(joined) {
            if let Some(files) = source.files() {
                let extensions = files.format.extensions().iter();
                guard
                    .endings
                    .extend(extensions.map(|end| format!(".{end}")));
                for given in &files.paths {
                    guard.add_data(files, given);
                }
            }
            if let Some(database) = source.database() {
                guard.add_database(database);
            }
        }
        guard
    }

    /// Adds the files that are read for one path of a source, and the places where a new file would
    /// be read too.
    fn add_data(&mut self, source: &Files, given: &str) {
        let path = source.base.join(given);
        if path.is_dir() {
            self.directories.extend(fs::canonicalize(&path));
        } else if !path.exists() {
            self.add_pattern(&source.base, given);
        }
        let pattern = glob::Pattern::new(&path.to_string_lossy());
        let by_name = |file: &Path| {
            file == path
                || pattern
                    .as_ref()
                    .is_ok_and(|pattern| pattern.matches_path_with(file, BY_PARTS))
        };
        for file in found(source, given) {
            // Links and directories that match a pattern lead to places where other files would be
            // read.
            if !by_name(&file) {
                self.directories.extend(
                    file.parent()
                        .and_then(|parent| fs::canonicalize(parent).ok()),
                );
            }
            self.files.push((file, "the data"));
        }
    }

    /// The file of a database, what the database keeps beside it, and that of its password.
    fn add_database(&mut self, database: &Database) {
        if let Some(file) = database.address.file() {
            for suffix in ["", "-wal", "-shm", "-journal", ".wal"] {
                let name = format!("{file}{suffix}");
                self.files.push((database.base.join(name), "the data"));
            }
        }
        if let Some(PasswordPlace::File(file)) = &database.password {
            self.files.push((database.base.join(file), "the password"));
        }
    }

    fn add_pattern(&mut self, base: &Path, given: &str) {
        // The part before the first special character of a pattern is a directory, under any name.
        let path = base.join(given);
        let parts: Vec<_> = path.components().collect();
        let is_pattern =
            |part: &Component| part.as_os_str().to_string_lossy().contains(['*', '?', '[']);
        let first = parts.iter().position(is_pattern).unwrap_or(parts.len());
        let (directory, rest) = parts.split_at(first);
        let directory = Path::new(".").join(directory.iter().collect::<PathBuf>());
        if let Ok(directory) = fs::canonicalize(directory) {
            let directory = glob::Pattern::escape(&directory.to_string_lossy());
            let pattern = Path::new(&directory).join(rest.iter().collect::<PathBuf>());
            self.patterns
                .extend(glob::Pattern::new(&pattern.to_string_lossy()));
        }
    }

    /// Adds a ledger, whether it exists or not.
    pub fn add_ledger(&mut self, path: &Path) {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            let mut name = path.as_os_str().to_owned();
            name.push(suffix);
            self.files.push((PathBuf::from(name), "the ledger"));
        }
    }

    /// Refuses a file that is one of these, or would become one.
    pub fn check(&self, path: &Path) -> Result<()> {
        let shown = clean::path(path);
        for (file, what) in &self.files {
            if same_file(path, file) {
                bail!("{shown}: this is {what}, and nothing was written; name another file");
            }
        }
        if is_ledger_name(path) {
            bail!(
                "{shown}: this is the name of a ledger, and nothing was written; name another file"
            );
        }
        let Some(real) = resolved(path) else {
            return Ok(());
        };
        let name = real.to_string_lossy().to_lowercase();
        let read = self
            .patterns
            .iter()
            .any(|pattern| pattern.matches_path_with(&real, BY_PARTS))
            || self.directories.iter().any(|directory| {
                real.starts_with(directory) && self.endings.iter().any(|end| name.ends_with(end))
            });
        if read {
            bail!(
                "{shown}: the plan would read this file as data, and nothing was written; name \
                 another file"
            );
        }
        Ok(())
    }
}

/// `*` does not match `/`.
const BY_PARTS: glob::MatchOptions = glob::MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: false,
};

/// The files that a release would read for one path; none if it could not.
#[cfg(feature = "engine")]
fn found(source: &Files, given: &str) -> Vec<PathBuf> {
    use lastbit_release::plan::Source;
    let one = Source::Files(Files {
        paths: vec![given.to_owned()],
        ..source.clone()
    });
    lastbit_release::engine::files(&one).unwrap_or_default()
}

/// Nothing reads data here.
#[cfg(not(feature = "engine"))]
fn found(source: &Files, given: &str) -> Vec<PathBuf> {
    let path = source.base.join(given);
    path.is_file().then_some(path).into_iter().collect()
}

/// Whether two names mean the same file: they lead to it, or would if it existed.
fn same_file(a: &Path, b: &Path) -> bool {
    if resolved(a).is_some_and(|a| Some(a) == resolved(b)) {
        return true;
    }
    match (fs::metadata(a), fs::metadata(b)) {
        (Ok(a), Ok(b)) => same_inode(&a, &b),
        _ => false,
    }
}

#[cfg(unix)]
fn same_inode(a: &fs::Metadata, b: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// On this system only names are compared.
#[cfg(not(unix))]
fn same_inode(_a: &fs::Metadata, _b: &fs::Metadata) -> bool {
    false
}
