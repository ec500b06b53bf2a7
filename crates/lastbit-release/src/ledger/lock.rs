//! Locks of a ledger that are ours, in files beside it.
//!
//! SQLite's own locks belong to a process and a file: a process that closes *any* descriptor of the
//! file loses them, and so does a child after `fork`. A backup of the ledger by the same program is
//! enough. These locks belong to a descriptor of another file, which nobody else opens.
//!
//! | lock | held by | so that |
//! |---|---|---|
//! | `open` | all who have it open; alone by who removes its log | no log is removed that is used |
//! | `write` | one, while it appends | two never append at once |
//! | `turn` | one release, from its reservation to its settlement | the same is paid once |
//!
//! Whoever may use the ledger may use them: they have its permissions, as SQLite's files have.
//! Where there can be no lock, because the file system has none or the directory takes no new
//! file, logs are not removed, and SQLite's locks remain. Where there is one that cannot be taken,
//! nothing is appended.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::LedgerError;
use super::store::PATIENCE;

/// How the names of locks end.
pub(super) const ENDINGS: [&str; 3] = [".open", ".write", ".turn"];

/// The longest time from making a file to sharing it.
const SHARING: Duration = Duration::from_secs(3);

/// A lock. It ends when this is dropped, or with the process and those that were forked from it
/// meanwhile, however they end.
#[must_use = "it ends when it is dropped"]
#[derive(Debug)]
pub(super) struct Lock {
    path: PathBuf,
    file: File,
    /// Whether nobody else has it, so that its file can be removed.
    is_alone: bool,
}

/// Who may have a lock at the same time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Held {
    Together,
    Alone,
}

impl Lock {
    /// One of those who have the ledger open.
    pub(super) fn open(ledger: &Path) -> Result<Option<Lock>, LedgerError> {
        Lock::take(ledger, "open", Held::Together, PATIENCE)
    }

    /// The one who appends.
    pub(super) fn write(ledger: &Path) -> Result<Option<Lock>, LedgerError> {
        Lock::take(ledger, "write", Held::Alone, PATIENCE)
    }

    /// The one whose turn it is, if that comes soon: no budget depends on it.
    pub(super) fn turn(ledger: &Path) -> Option<Lock> {
        let patience = 2 * PATIENCE;
        (Lock::take(ledger, "turn", Held::Alone, patience).ok()).flatten()
    }

    /// Waits for a lock, for so long; `None` where there can be none.
    fn take(
        ledger: &Path,
        what: &str,
        held: Held,
        patience: Duration,
    ) -> Result<Option<Lock>, LedgerError> {
        let fail = |error: io::Error| LedgerError::System {
            path: ledger.to_owned(),
            what: format!("its lock cannot be taken ({error})"),
        };
        let path = beside(ledger, what).map_err(fail)?;
        let start = Instant::now();
        loop {
            let file = match open(&path, ledger) {
                Ok(Some(file)) => file,
                Ok(None) => return Ok(None),
                // Who had it alone has just removed it.
                Err(error) if error.kind() == ErrorKind::NotFound && start.elapsed() < patience => {
                    continue;
                }
                // Another user has just made it, and is about to share it.
                Err(error)
                    if error.kind() == ErrorKind::PermissionDenied && start.elapsed() < SHARING =>
                {
                    std::thread::sleep(Duration::from_millis(2));
                    continue;
                }
                Err(error) if error.kind() == ErrorKind::StorageFull => {
                    return Err(LedgerError::Full(ledger.to_owned()));
                }
                Err(error) => return Err(fail(error)),
            };
            let locked = match held {
                Held::Together => file.try_lock_shared(),
                Held::Alone => file.try_lock(),
            };
            match locked {
                // The file system has no locks.
                Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {
                    return Ok(None);
                }
                Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Interrupted => {}
                Err(TryLockError::Error(error)) => return Err(fail(error)),
                Err(TryLockError::WouldBlock) => {
                    if start.elapsed() > patience {
                        return Err(LedgerError::Busy(ledger.to_owned()));
                    }
                    std::thread::sleep(Duration::from_millis(2));
                }
                // Who had it alone removes the file: then another one has its name.
                Ok(()) if is_at(&file, &path) => {
                    let is_alone = held == Held::Alone;
                    return Ok(Some(Lock {
                        path,
                        file,
                        is_alone,
                    }));
                }
                // As in [`Lock::drop`]: a child may have it too.
                Ok(()) => drop(file.unlock()),
            }
        }
    }

    /// Tries to have alone what was held together, without waiting. If others have it too, this one
    /// may have lost its part of it.
    pub(super) fn alone(&mut self) -> bool {
        self.is_alone = self.file.try_lock().is_ok() && is_at(&self.file, &self.path);
        self.is_alone
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if self.is_alone || self.alone() {
            // If it stays, the next one takes it.
            let _ = fs::remove_file(&self.path);
        }
        // A child after `fork` has the descriptor too, so that closing it is not enough.
        let _ = self.file.unlock();
    }
}

fn beside(ledger: &Path, what: &str) -> io::Result<PathBuf> {
    let ledger = fs::canonicalize(ledger)?;
    let mut name = OsString::from(".");
    name.push(ledger.file_name().unwrap_or_default());
    name.push(format!(".{what}"));
    Ok(ledger.with_file_name(name))
}

/// Whether this user may not write there.
fn is_denied(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem
    )
}

/// Opens the file of a lock, or makes it with the permissions of the ledger; `None` where there is
/// none and the directory takes none.
fn open(path: &Path, ledger: &Path) -> io::Result<Option<File>> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    match options.open(path) {
        Ok(file) => {
            share(&file, ledger);
            Ok(Some(file))
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => open_existing(path).map(Some),
        Err(error) if is_denied(&error) => match open_existing(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            opened => opened.map(Some),
        },
        Err(error) => Err(error),
    }
}

/// Opens the file of a lock for writing, without which NFS has no lock for one alone, or else for
/// reading, which is enough elsewhere.
fn open_existing(path: &Path) -> io::Result<File> {
    // To open a pipe would be to wait for who writes into it, and a link may lead nowhere.
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file; remove it"));
    }
    match OpenOptions::new().read(true).write(true).open(path) {
        Err(error) if is_denied(&error) => File::open(path),
        opened => opened,
    }
}

/// Gives a file the owner and the permissions of the ledger, as far as this user may.
#[cfg(unix)]
fn share(file: &File, ledger: &Path) {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    if let Ok(about) = fs::metadata(ledger) {
        let _ = fchown(file, Some(about.uid()), Some(about.gid()));
        let _ = file.set_permissions(fs::Permissions::from_mode(about.mode() & 0o666));
    }
}

/// Permissions are inherited there.
#[cfg(not(unix))]
fn share(_file: &File, _ledger: &Path) {}

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
