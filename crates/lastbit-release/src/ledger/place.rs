//! The files of ledgers: a new one appears under its name all at once, and has no other name.

#[cfg(unix)]
mod mounted;

use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use lastbit_noise::entropy::{Entropy, System};

use super::store::sibling;
use super::{LedgerError, lock, store};

/// Makes a ledger with `fill`, unless another process is quicker. It is first written whole to the
/// disk under another name, and then gets its own name if no file has it yet. A crash leaves no
/// ledger or a whole one.
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
    if let Some(suffix) = LOGS.iter().find(|suffix| ends_with(name, suffix)) {
        return Err(LedgerError::NotALedger {
            path: path.to_owned(),
            what: format!(
                "files that end in {suffix} are SQLite's, and it would take this one for a log"
            ),
        });
    }
    // SQLite would take the log of another ledger for the log of this one.
    if let Some(log) = LOGS
        .iter()
        .map(|log| sibling(path, log))
        .find(|log| log.exists())
        && !path.exists()
    {
        return Err(LedgerError::NotALedger {
            path: path.to_owned(),
            what: format!(
                "it is gone, and {} is left of it; bring it back, or name another one",
                crate::clean::path(&log)
            ),
        });
    }
    remove_stale_drafts(directory, &draft_prefix(name));
    let draft = Draft::new(directory.join(format!(
        "{}{:016x}{DRAFT_SUFFIX}",
        draft_prefix(name),
        System::default().word()?
    )))
    .map_err(|error| not_made(path, &error))?;
    store::create(&draft.path, fill).map_err(|error| about(error, path))?;
    match fs::hard_link(&draft.path, path) {
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

/// Checks that the file has only one name, and is not mounted under it by itself. SQLite names its
/// log after the name by which a file is opened, so processes that use different names do not see
/// each other's entries. Names of drafts that a crash left behind are removed.
#[cfg(unix)]
pub(super) fn check_names(path: &Path, about: &Metadata) -> Result<(), LedgerError> {
    use std::os::unix::fs::MetadataExt;
    if mounted::is_mount_point(path) {
        return Err(LedgerError::Mounted(path.to_owned()));
    }
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
                // Another process may be quicker; the check for a second name follows.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
    match fs::metadata(path) {
        Ok(about) if about.nlink() > 1 => Err(LedgerError::SecondName(path.to_owned())),
        _ => Ok(()),
    }
}

/// This system does not count names.
#[cfg(not(unix))]
pub(super) fn check_names(_path: &Path, _about: &Metadata) -> Result<(), LedgerError> {
    Ok(())
}

const DRAFT_SUFFIX: &str = ".new";

fn draft_prefix(name: &std::ffi::OsStr) -> String {
    format!(".{}.", name.to_string_lossy())
}

/// The file itself, and the files that SQLite keeps beside it.
const SUFFIXES: [&str; 4] = ["", "-wal", "-shm", "-journal"];

/// The files that SQLite writes before the file itself.
const LOGS: [&str; 3] = ["-wal", "-shm", "-journal"];

fn ends_with(name: &std::ffi::OsStr, suffix: &str) -> bool {
    name.as_encoded_bytes().ends_with(suffix.as_bytes())
}

/// Whether this is the name of a ledger, of SQLite's files beside one, or of a lock.
pub fn is_ledger_name(path: &Path) -> bool {
    let Some(name) = path.file_name() else {
        return false;
    };
    let name = name.as_encoded_bytes();
    let mut endings = SUFFIXES.iter().chain(&lock::ENDINGS);
    endings.any(|suffix| {
        name.strip_suffix(suffix.as_bytes())
            .is_some_and(|stem| stem.ends_with(b".ledger"))
    })
}

/// The permissions, in octal digits, of a ledger that others than its owner can read; `None` if
/// they cannot, or if there is no ledger. Whoever reads a ledger can confirm a guess of the data.
#[cfg(unix)]
pub fn exposure(path: &Path) -> Option<String> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(path).ok()?.permissions().mode() & 0o777;
    (mode & 0o077 != 0).then(|| format!("{mode:04o}"))
}

/// Permissions are not checked on this system.
#[cfg(not(unix))]
pub fn exposure(_path: &Path) -> Option<String> {
    None
}

/// A file that only its owner may open. It is removed after use, with SQLite's files beside it.
struct Draft {
    path: PathBuf,
    /// Locked while the draft is in use. It stays open until SQLite is done: closing any descriptor
    /// of a file releases the locks that SQLite has on it.
    _file: fs::File,
}

impl Draft {
    /// SQLite gives the files beside it the same permissions, so none of them is ever open to
    /// others.
    fn new(path: PathBuf) -> std::io::Result<Draft> {
        let mut options = fs::OpenOptions::new();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(0o600);
        }
        let file = options.open(&path)?;
        // On file systems without locks, a draft that a crash leaves behind stays.
        let _ = file.try_lock();
        Ok(Draft { path, _file: file })
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        remove_with_siblings(&self.path);
    }
}

fn remove_with_siblings(path: &Path) {
    for suffix in SUFFIXES {
        // A file that is missing or cannot be removed does no harm: nothing reads a draft.
        let _ = fs::remove_file(sibling(path, suffix));
    }
}

/// Removes drafts that no process has locked: their processes were killed. Young ones may not be
/// locked yet.
fn remove_stale_drafts(directory: &Path, prefix: &str) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let old = || {
            let modified = entry.metadata().ok()?.modified().ok()?;
            Some(modified.elapsed().ok()? > YOUNG)
        };
        if name.starts_with(prefix)
            && name.ends_with(DRAFT_SUFFIX)
            && old() == Some(true)
            && fs::File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok())
        {
            remove_with_siblings(&entry.path());
        }
    }
}

/// The longest time from making a file to locking it.
const YOUNG: std::time::Duration = std::time::Duration::from_secs(60);

fn not_made(path: &Path, error: &std::io::Error) -> LedgerError {
    let path = path.to_owned();
    match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => LedgerError::ReadOnly(path),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => LedgerError::Full(path),
        _ => LedgerError::System {
            path,
            what: format!("no file could be made beside it ({error})"),
        },
    }
}

/// An error about a draft, as one about the ledger.
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
