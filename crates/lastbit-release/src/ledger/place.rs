//! Where ledgers are: a new one appears under its name all at once, and has no other name.

use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use lastbit_noise::entropy::{Entropy, System};

use super::store::sibling;
use super::{LedgerError, store};

/// Makes a ledger with `fill`, unless another process is quicker: it is made complete and on the disk under another name first, and a
/// name is given only to a file that has none yet. A crash leaves no ledger or a whole one.
pub(super) fn make(
    path: &Path,
    fill: impl FnOnce(&rusqlite::Transaction<'_>) -> rusqlite::Result<()>,
) -> Result<(), LedgerError> {
    let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(LedgerError::NotALedger {
            path: path.to_owned(),
            what: "it is a directory".into(),
        });
    };
    let directory = match directory.as_os_str().is_empty() {
        true => Path::new("."),
        false => directory,
    };
    if !directory.is_dir() {
        return Err(LedgerError::NoDirectory(directory.to_owned()));
    }
    let draft = Draft(directory.join(format!(
        "{}{:016x}{DRAFT_SUFFIX}",
        draft_prefix(name),
        System::default().word()?
    )));
    store::create(&draft.0, fill).map_err(|error| about(error, path))?;
    match fs::hard_link(&draft.0, path) {
        Ok(()) => {}
        // Another process was quicker.
        Err(error) if error.kind() == ErrorKind::AlreadyExists && path.exists() => {}
        Err(reason) => {
            return Err(LedgerError::CannotPlace {
                path: path.to_owned(),
                reason,
            });
        }
    }
    drop(draft);
    sync_directory(directory).map_err(|error| LedgerError::System {
        path: path.to_owned(),
        what: format!("its directory could not be synchronised ({error})"),
    })
}

/// That the file has one name. SQLite keeps its log under the name by which a file is opened, so processes that use different names
/// do not see each other's entries. Names of drafts that a crash left behind are removed.
#[cfg(unix)]
pub(super) fn check_names(path: &Path, about: &Metadata) -> Result<(), LedgerError> {
    use std::os::unix::fs::MetadataExt;
    if about.nlink() <= 1 {
        return Ok(());
    }
    // Drafts are beside the file itself, which a symbolic link may name.
    let file = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if let (Some(directory), Some(name)) = (file.parent(), file.file_name()) {
        let prefix = draft_prefix(name);
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let draft = entry.file_name().to_string_lossy().into_owned();
            let same = entry
                .metadata()
                .is_ok_and(|other| other.ino() == about.ino() && other.dev() == about.dev());
            if same && draft.starts_with(&prefix) && draft.ends_with(DRAFT_SUFFIX) {
                // Another process may be quicker; whether a second name is left is asked below.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
    match fs::metadata(path) {
        Ok(about) if about.nlink() > 1 => Err(LedgerError::SecondName(path.to_owned())),
        _ => Ok(()),
    }
}

/// Names are not counted on this system.
#[cfg(not(unix))]
pub(super) fn check_names(_path: &Path, _about: &Metadata) -> Result<(), LedgerError> {
    Ok(())
}

const DRAFT_SUFFIX: &str = ".new";

fn draft_prefix(name: &std::ffi::OsStr) -> String {
    format!(".{}.", name.to_string_lossy())
}

/// A file that is removed, with SQLite's files beside it, when it is done with.
struct Draft(PathBuf);

impl Drop for Draft {
    fn drop(&mut self) {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            // What is not there, or cannot be removed, is no harm: nothing reads a draft.
            let _ = fs::remove_file(sibling(&self.0, suffix));
        }
    }
}

/// An error about a draft is about the ledger.
fn about(error: LedgerError, path: &Path) -> LedgerError {
    let path = path.to_owned();
    match error {
        LedgerError::Full(_) => LedgerError::Full(path),
        LedgerError::ReadOnly(_) => LedgerError::ReadOnly(path),
        LedgerError::Busy(_) => LedgerError::Busy(path),
        LedgerError::Disk { what, .. } => LedgerError::Disk { path, what },
        LedgerError::System { what, .. } => LedgerError::System { path, what },
        other => other,
    }
}

#[cfg(unix)]
fn sync_directory(directory: &Path) -> std::io::Result<()> {
    fs::File::open(directory)?.sync_all()
}

/// Directories are not synchronised on this system: creating a file is durable by itself.
#[cfg(not(unix))]
fn sync_directory(_directory: &Path) -> std::io::Result<()> {
    Ok(())
}
