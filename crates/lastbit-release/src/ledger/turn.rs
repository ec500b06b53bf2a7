//! One release at a time from its reservation to its settlement.

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};

/// The right to reserve and settle, for one release at a time of all processes. Who asks for the
/// same release meanwhile waits, and finds it settled. It ends with the process, however that ends.
///
/// No budget depends on it: where it cannot be had, because the file system has no locks or the
/// directory takes no new file, releases that are the same may be paid for more than once.
#[must_use = "it ends when it is dropped"]
#[derive(Debug)]
pub(crate) struct Turn(Option<(PathBuf, File)>);

impl Turn {
    /// No turn, for a ledger that nobody shares.
    pub(crate) const fn alone() -> Turn {
        Turn(None)
    }

    /// Waits for the turn on this ledger.
    pub(crate) fn take(ledger: &Path) -> Turn {
        let Some(path) = beside(ledger) else {
            return Turn::alone();
        };
        loop {
            let Ok(file) = open(&path) else {
                return Turn::alone();
            };
            if file.lock().is_err() {
                return Turn::alone();
            }
            // Who had the turn removes the file: then another one has its name.
            if is_at(&file, &path) {
                return Turn(Some((path, file)));
            }
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some((path, _locked)) = &self.0 {
            // If it stays, the next one takes it.
            let _ = fs::remove_file(path);
        }
    }
}

/// Not the ledger itself: closing any descriptor of it releases the locks that SQLite has on it.
fn beside(ledger: &Path) -> Option<PathBuf> {
    let ledger = fs::canonicalize(ledger).ok()?;
    let name = ledger.file_name()?.to_string_lossy();
    Some(ledger.with_file_name(format!(".{name}.turn")))
}

fn open(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::metadata(path)) {
        (Ok(of_file), Ok(of_path)) => {
            (of_file.dev(), of_file.ino()) == (of_path.dev(), of_path.ino())
        }
        _ => false,
    }
}

/// A file that is open cannot be removed there.
#[cfg(not(unix))]
fn is_at(_file: &File, _path: &Path) -> bool {
    true
}
