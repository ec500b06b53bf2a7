//! A file that appears under its name only when it is whole.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::directory_of;

/// A file without a name, on systems that have such files, so that nothing stays behind if the
/// process is killed. Elsewhere, and while it replaces another file, it has a temporary name;
/// whoever next writes the same target removes one that was left behind.
pub struct Draft {
    /// Open in the directory, which proves that the directory can be written.
    file: Held,
    target: PathBuf,
    /// The permissions of the file that it replaces, which stay.
    replaces: Option<Permissions>,
}

/// How the file is held until it has its name.
enum Held {
    #[cfg(target_os = "linux")]
    Unnamed(File),
    Later,
}

impl Draft {
    /// Makes sure that a file can be made beside the target.
    pub fn new(target: &Path, replaces: Option<Permissions>) -> io::Result<Draft> {
        let directory = directory_of(target);
        remove_stale(target);
        let file = match unnamed(directory) {
            Some(file) => file,
            None => {
                let probe = Named::new(target)?;
                drop(probe);
                Held::Later
            }
        };
        Ok(Draft {
            file,
            target: target.to_owned(),
            replaces,
        })
    }

    /// Writes the file, and gives it its name when its bytes are on the disk.
    pub fn place(self, bytes: &[u8]) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        if let Held::Unnamed(file) = &self.file {
            fill(file, bytes, self.replaces.as_ref())?;
            match self.name(file) {
                // Without /proc, a file without a name cannot get one.
                Err(error) if error.kind() != ErrorKind::AlreadyExists => {}
                done => return done,
            }
        }
        let named = Named::new(&self.target)?;
        fill(&named.file, bytes, self.replaces.as_ref())?;
        match self.replaces {
            Some(_) => named.rename(&self.target),
            None => fs::hard_link(&named.path, &self.target).or_else(|error| match error.kind() {
                ErrorKind::AlreadyExists => Err(appeared()),
                // A file system without hard links.
                _ => named.rename(&self.target),
            }),
        }
    }

    /// Gives a name to a file that has none. It never takes a new name from another file.
    #[cfg(target_os = "linux")]
    fn name(&self, file: &File) -> io::Result<()> {
        use rustix::fs::{AtFlags, CWD, linkat};
        use std::os::fd::AsRawFd;
        let from = format!("/proc/self/fd/{}", file.as_raw_fd());
        let link = |to: &Path| linkat(CWD, &from, CWD, to, AtFlags::SYMLINK_FOLLOW);
        if self.replaces.is_none() {
            return match link(&self.target) {
                Err(error) if error == rustix::io::Errno::EXIST => Err(appeared()),
                done => Ok(done?),
            };
        }
        // Locked before it has a name, so that nobody takes it for one that was left behind.
        let suffix = match file.try_lock() {
            Ok(()) => LOCKED,
            Err(_) => SUFFIX,
        };
        let between = temporary(&self.target, suffix);
        link(&between)?;
        fs::rename(&between, &self.target).inspect_err(|_| {
            let _ = fs::remove_file(&between);
        })
    }
}

fn appeared() -> io::Error {
    io::Error::new(
        ErrorKind::AlreadyExists,
        "a file of this name has appeared meanwhile",
    )
}

/// Writes all bytes to the disk. A file that replaces another keeps its permissions; a new one has
/// those that the umask allows.
fn fill(mut file: &File, bytes: &[u8], permissions: Option<&Permissions>) -> io::Result<()> {
    if let Some(permissions) = permissions {
        file.set_permissions(permissions.clone())?;
    }
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(target_os = "linux")]
fn unnamed(directory: &Path) -> Option<Held> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;
    let flags = i32::try_from(OFlags::TMPFILE.bits()).ok()?;
    let file = OpenOptions::new()
        .write(true)
        .custom_flags(flags)
        .mode(0o666)
        .open(directory);
    file.ok().map(Held::Unnamed)
}

#[cfg(not(target_os = "linux"))]
fn unnamed(_directory: &Path) -> Option<Held> {
    None
}

/// A file under a name that nobody else uses, removed after use.
struct Named {
    path: PathBuf,
    file: File,
}

impl Named {
    fn new(target: &Path) -> io::Result<Named> {
        let path = temporary(target, SUFFIX);
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&path)?;
        let _ = file.try_lock();
        Ok(Named { path, file })
    }

    fn rename(&self, target: &Path) -> io::Result<()> {
        fs::rename(&self.path, target)
    }
}

impl Drop for Named {
    fn drop(&mut self) {
        // After a rename there is nothing to remove.
        let _ = fs::remove_file(&self.path);
    }
}

/// The suffix of a file that is locked soon after it has its name, if there are locks.
const SUFFIX: &str = ".lastbit-tmp";

/// The suffix of a file that was locked before it had its name: once nobody holds the lock, its
/// process is gone.
const LOCKED: &str = ".lastbit-link";

/// `.NAME.NUMBER` and a suffix, beside the target.
fn temporary(target: &Path, suffix: &str) -> PathBuf {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |now| now.as_nanos());
    let number = format!("{}-{now}", std::process::id());
    let mut name = prefix(target);
    name.push_str(&number);
    name.push_str(suffix);
    directory_of(target).join(name)
}

fn prefix(target: &Path) -> String {
    // Names have at most 255 bytes.
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let name: String = name.chars().take(40).collect();
    format!(".{name}.")
}

/// Removes files that were left beside the target: nobody holds their lock, and their suffix or age
/// shows that it was taken before.
fn remove_stale(target: &Path) {
    let prefix = prefix(target);
    let old = |path: &Path| {
        let modified = fs::metadata(path).ok()?.modified().ok()?;
        Some(modified.elapsed().ok()? > Duration::from_secs(60))
    };
    for entry in fs::read_dir(directory_of(target))
        .into_iter()
        .flatten()
        .flatten()
    {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = entry.path();
        if name.starts_with(&prefix)
            && (name.ends_with(LOCKED) || name.ends_with(SUFFIX) && old(&path) == Some(true))
            && File::open(&path).is_ok_and(|file| file.try_lock().is_ok())
        {
            let _ = fs::remove_file(&path);
        }
    }
}
