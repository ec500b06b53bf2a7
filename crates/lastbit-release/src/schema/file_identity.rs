//! Which file a path leads to.

use std::fs::Metadata;
use std::io;
use std::path::Path;
#[cfg(not(unix))]
use std::path::PathBuf;

/// A key that all names of a file share; on Unix, hard links included.
#[cfg(unix)]
pub(crate) type FileIdentity = (u64, u64);
#[cfg(not(unix))]
pub(crate) type FileIdentity = PathBuf;

/// The key of the file that a path leads to, whose metadata these are.
#[cfg(unix)]
pub(crate) fn file_identity(_: &Path, data: &Metadata) -> io::Result<FileIdentity> {
    use std::os::unix::fs::MetadataExt;
    Ok((data.dev(), data.ino()))
}

/// The key of the file that a path leads to.
#[cfg(not(unix))]
pub(crate) fn file_identity(path: &Path, _: &Metadata) -> io::Result<FileIdentity> {
    path.canonicalize()
}
