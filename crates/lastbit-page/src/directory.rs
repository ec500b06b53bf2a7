//! The directory that the page is of: nothing is read or written outside of it.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Component, Path, PathBuf};

use lastbit_release::clean;

use crate::{PageError, line_ends, secret};

/// The most bytes of a plan.
pub const MOST_PLAN_BYTES: u64 = 1 << 20;

/// The most plans, and the most tables, that are listed.
const MOST_LISTED: usize = 10_000;

/// A directory, without links on the way to it.
#[derive(Clone, Debug)]
pub struct Directory {
    root: PathBuf,
}

/// What the directory holds.
#[derive(Debug, Default)]
pub struct Listing {
    /// Plans, by name.
    pub plans: Vec<String>,
    /// Tables: CSV, Parquet and JSON lines, by name.
    pub tables: Vec<String>,
}

/// Why a file is not read or written, in words.
pub type Refused = String;

impl Directory {
    /// The directory at a path.
    pub fn new(path: &Path) -> Result<Directory, PageError> {
        let shown = clean::path(path);
        let root = path
            .canonicalize()
            .map_err(|error| PageError::Directory(format!("{shown}: {error}")))?;
        match root.is_dir() {
            true => Ok(Directory { root }),
            false => Err(PageError::Directory(format!(
                "{shown}: this is a file; name the directory of your plans"
            ))),
        }
    }

    /// The path of the directory.
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// Plans and tables in it. Links are passed over, and names that a page could not show as they
    /// are.
    pub fn list(&self) -> Result<Listing, Refused> {
        let cannot = |error: std::io::Error| format!("the directory cannot be read: {error}");
        let mut listing = Listing::default();
        for entry in fs::read_dir(&self.root).map_err(cannot)? {
            let entry = entry.map_err(cannot)?;
            let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
            let Some(name) = entry.file_name().to_str().map(str::to_owned) else {
                continue;
            };
            if !is_file || plain_name(&name).is_err() {
                continue;
            }
            if name.ends_with(".toml") {
                listing.plans.push(name);
            } else if is_table(&name) {
                listing.tables.push(name);
            }
            if listing.plans.len().max(listing.tables.len()) > MOST_LISTED {
                return Err(format!(
                    "the directory has more than {MOST_LISTED} plans or tables, too many for this \
                     page; use the command line, or another directory"
                ));
            }
        }
        listing.plans.sort();
        listing.tables.sort();
        Ok(listing)
    }

    /// The text of a plan.
    pub fn read_plan(&self, name: &str) -> Result<String, Refused> {
        let path = self.plan_path(name)?;
        let cannot = |error: std::io::Error| format!("could not read the plan: {error}");
        let file = open_itself(&path).map_err(cannot)?;
        if !file.metadata().map_err(cannot)?.is_file() {
            return Err("this is no regular file".to_owned());
        }
        let mut bytes = Vec::new();
        file.take(MOST_PLAN_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(cannot)?;
        if bytes.len() as u64 > MOST_PLAN_BYTES {
            return Err("the plan is larger than the page takes, 1 MiB".to_owned());
        }
        String::from_utf8(bytes)
            .map_err(|_| "the plan is not UTF-8 text; save it as UTF-8".to_owned())
    }

    /// Writes a plan, whole or not at all. `before` is the hash of the text that it replaces;
    /// without one there must be no such file.
    pub fn write_plan(&self, name: &str, text: &str, before: Option<&str>) -> Result<(), Refused> {
        let path = self.plan_path(name)?;
        let cannot = |error: std::io::Error| format!("could not write the plan: {error}");
        let text = match (before, fs::symlink_metadata(&path)) {
            (None, Ok(_)) => return Err("there is a file of this name already".to_owned()),
            (None, Err(_)) => text.to_owned(),
            (Some(before), _) => {
                let old = self.read_plan(name)?;
                if hash(&old) != before {
                    return Err(
                        "the file was changed elsewhere since this page read it; load it anew"
                            .to_owned(),
                    );
                }
                line_ends::kept(&old, text)
            }
        };
        let draft = self.root.join(format!(
            ".lastbit-{}.tmp",
            secret::new().map_err(|error| error.to_string())?
        ));
        let written = (|| {
            let mut file = OpenOptions::new()
                .write(true)
                .create_new(true)
                .open(&draft)?;
            if let Ok(about) = fs::metadata(&path) {
                file.set_permissions(about.permissions())?;
            }
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            match before {
                // A name that appeared meanwhile is not replaced.
                None => fs::hard_link(&draft, &path),
                Some(_) => fs::rename(&draft, &path),
            }
        })();
        // Gone already if it was renamed.
        let _ = fs::remove_file(&draft);
        written.map_err(cannot)
    }

    /// A table of the directory by its name.
    #[cfg(feature = "engine")]
    pub fn table(&self, name: &str) -> Result<(), Refused> {
        plain_name(name)?;
        let is_file = fs::symlink_metadata(self.root.join(name)).is_ok_and(|about| about.is_file());
        match is_file && is_table(name) {
            true => Ok(()),
            false => Err("there is no such table in the directory".to_owned()),
        }
    }

    /// That a path of a plan, or a pattern, stays in the directory as it is written.
    pub fn check_written(&self, path: &str) -> Result<(), Refused> {
        let within = Path::new(path)
            .components()
            .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        match within {
            true => Ok(()),
            false => Err(format!(
                "`{}` leads out of the directory that this page is of; move the file there, or \
                 use the command line",
                clean::shown(path)
            )),
        }
    }

    /// That a file is in the directory, wherever links lead.
    pub fn check_real(&self, path: &Path) -> Result<(), Refused> {
        match path.canonicalize() {
            Ok(real) if real.starts_with(&self.root) => Ok(()),
            Ok(_) => Err(format!(
                "{} is a link that leads out of the directory that this page is of; move the file \
                 there, or use the command line",
                clean::path(path)
            )),
            // What is missing, those say who need it.
            Err(_) => Ok(()),
        }
    }

    fn plan_path(&self, name: &str) -> Result<PathBuf, Refused> {
        plain_name(name)?;
        match name.ends_with(".toml") {
            true => Ok(self.root.join(name)),
            false => Err("the name of a plan ends in .toml".to_owned()),
        }
    }
}

/// What stands for a text when it is compared, however its lines end: a browser forgets that.
pub fn hash(text: &str) -> String {
    blake3::hash(line_ends::plain(text).as_bytes())
        .to_hex()
        .to_string()
}

/// That a name is that of a file in a directory: one component, not hidden, all of it seen.
fn plain_name(name: &str) -> Result<(), Refused> {
    let mut parts = Path::new(name).components();
    let single = match (parts.next(), parts.next()) {
        (Some(Component::Normal(part)), None) => part == name,
        _ => false,
    };
    let seen = !name.contains(|c| clean::is_hidden(c) || matches!(c, '/' | '\\' | ':'));
    match single && seen && !name.starts_with('.') && name.len() <= 200 {
        true => Ok(()),
        false => Err("this is no name of a file in the directory".to_owned()),
    }
}

/// Whether a name is that of a table.
fn is_table(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let stem = name.strip_suffix(".gz").unwrap_or(&name);
    [".csv", ".tsv", ".parquet", ".json", ".ndjson", ".jsonl"]
        .iter()
        .any(|end| stem.ends_with(end))
}

/// Opens a file, and never what a link in its place leads to.
fn open_itself(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // A pipe would wait for a writer for ever.
        options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    }
    #[cfg(not(unix))]
    if fs::symlink_metadata(path)?.file_type().is_symlink() {
        return Err(std::io::Error::other("this is a link"));
    }
    options.open(path)
}
