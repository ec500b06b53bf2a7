//! Files that the command writes. They are checked before anything is spent, written whole or not
//! at all, and never replace what they are made from.

mod draft;
mod guard;

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use lastbit_release::clean;
use lastbit_release::present::METHOD_MARK;

use crate::streams::Stdout;
use draft::Draft;
pub use guard::Guard;

/// A file of ours is recognised within so many bytes of its beginning.
const HEAD: usize = 1024;

/// A Parquet table of ours is recognised within so many bytes of its end.
const TAIL: u64 = 1 << 16;

/// The mark in the footer of a Parquet table of ours.
#[cfg(feature = "engine")]
const PARQUET_MARK: &[u8] = lastbit_release::present::PARQUET_MARK.as_bytes();
#[cfg(not(feature = "engine"))]
const PARQUET_MARK: &[u8] = b"lastbit.report";

/// The first line of a picture.
pub const SVG_MARK: &str = "<!-- drawn by lastbit -->\n";

/// The kind of a file, and how a file of ours is recognised.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A page: it names its generator.
    Html,
    /// A table: its header is that of reports.
    Csv,
    /// A table: its footer says that it is a report.
    Parquet,
    /// How a release was made: its first line says so.
    Method,
    /// A certificate: it names its format.
    Certificate,
    /// A certificate for Coq: its first words say so.
    Coq,
    /// A picture: it says who drew it.
    Svg,
}

impl Kind {
    /// Whether this command wrote a file with this beginning and end.
    fn is_ours(self, head: &[u8], tail: &[u8]) -> bool {
        let has = |bytes: &[u8], mark: &[u8]| bytes.windows(mark.len()).any(|part| part == mark);
        let mark: &[u8] = match self {
            Kind::Parquet => {
                return tail.ends_with(b"PAR1") && has(tail, PARQUET_MARK);
            }
            Kind::Method => METHOD_MARK.as_bytes(),
            Kind::Html => b"<meta name=\"generator\" content=\"lastbit\">",
            Kind::Csv => b"statistic,kind,of,by,group,label,value,error,",
            Kind::Certificate => b"\"format\": \"lastbit snapping certificate",
            Kind::Coq => b"A certificate of the loss of floating-point snapping, for Coq.",
            Kind::Svg => SVG_MARK.as_bytes(),
        };
        match self {
            Kind::Csv | Kind::Method => head.starts_with(mark),
            _ => has(head, mark),
        }
    }
}

/// The place of an output.
pub struct Output {
    shown: String,
    place: Destination,
}

enum Destination {
    Stdout,
    /// A device or a pipe, open for writing.
    Stream(File),
    /// A regular file, to be made or replaced.
    File(Draft),
}

impl Output {
    /// Checks that it can be written, as far as possible without writing it. An existing file must
    /// be one of ours, or empty, unless the user insists.
    pub fn prepare(path: &Path, kind: Kind, guard: &Guard, force: bool) -> Result<Output> {
        let shown = clean::path(path);
        if path == Path::new("-") {
            let place = Destination::Stdout;
            return Ok(Output { shown, place });
        }
        guard.check(path)?;
        let link = match fs::symlink_metadata(path) {
            Ok(about) => about,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let place =
                    Destination::File(Draft::new(path, None).with_context(|| cannot(&shown))?);
                return Ok(Output { shown, place });
            }
            Err(error) => return Err(error).with_context(|| cannot(&shown)),
        };
        let about = fs::metadata(path).with_context(|| cannot(&shown))?;
        let place = if is_stream(&about) {
            let opened = OpenOptions::new().write(true).open(path);
            Destination::Stream(opened.with_context(|| cannot(&shown))?)
        } else if link.file_type().is_symlink() {
            bail!(
                "{shown}: this is a symbolic link, and nothing was written; name the file itself"
            );
        } else if !about.is_file() {
            bail!("{shown}: this is not a regular file, and nothing was written; name another one");
        } else {
            replaceable(path, kind, force)?;
            Destination::File(
                Draft::new(path, Some(about.permissions())).with_context(|| cannot(&shown))?,
            )
        };
        Ok(Output { shown, place })
    }

    /// Whether it goes to standard output.
    pub fn is_stdout(&self) -> bool {
        matches!(self.place, Destination::Stdout)
    }

    /// Writes all of it.
    pub fn write(self, bytes: impl AsRef<[u8]>, out: &mut Stdout) -> Result<()> {
        match self.place {
            // Treated as errors of standard output: a reader may have seen enough.
            Destination::Stdout => Ok(out.write_exactly(bytes.as_ref())?),
            _ => self.write_file(bytes),
        }
    }

    /// Writes all of it to a file, because standard output is taken.
    pub fn write_file(self, bytes: impl AsRef<[u8]>) -> Result<()> {
        let bytes = bytes.as_ref();
        match self.place {
            Destination::Stdout => bail!("standard output is taken; name a file"),
            Destination::Stream(mut stream) => {
                stream.write_all(bytes).and_then(|()| stream.flush())
            }
            Destination::File(draft) => draft.place(bytes),
        }
        .with_context(|| cannot(&self.shown))
    }
}

fn cannot(shown: &str) -> String {
    format!("could not write {shown}")
}

/// Checks that a regular file may be replaced: it can be written, and it is empty, this command
/// wrote it, or the user insists. A ledger is never replaced, nor any database that might be one.
fn replaceable(path: &Path, kind: Kind, force: bool) -> Result<()> {
    let shown = clean::path(path);
    OpenOptions::new()
        .append(true)
        .open(path)
        .with_context(|| cannot(&shown))?;
    let mut head = Vec::new();
    File::open(path)
        .and_then(|file| file.take(HEAD as u64).read_to_end(&mut head))
        .with_context(|| {
            format!("{shown} cannot be read, so nobody knows what would be replaced")
        })?;
    let tail = match kind {
        Kind::Parquet => tail(path).with_context(|| cannot(&shown))?,
        _ => Vec::new(),
    };
    if head.starts_with(b"SQLite format 3\0") {
        bail!(
            "{shown}: this is a database, perhaps a ledger, and nothing was written; name another \
             file"
        );
    }
    if !head.is_empty() && !kind.is_ours(&head, &tail) && !force {
        let or_force = match kind {
            Kind::Html | Kind::Csv | Kind::Parquet | Kind::Method => ", or replace it with --force",
            Kind::Certificate | Kind::Coq | Kind::Svg => "",
        };
        bail!("{shown}: this file exists and lastbit did not write it; name another one{or_force}");
    }
    Ok(())
}

/// The last bytes of a file.
fn tail(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Whether two names mean the same file, which may not exist yet.
pub fn is_same_target(a: &Path, b: &Path) -> bool {
    a == b || resolved(a).is_some_and(|a| resolved(b) == Some(a))
}

#[cfg(unix)]
fn is_stream(about: &fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    about.file_type().is_char_device() || about.file_type().is_fifo()
}

#[cfg(not(unix))]
fn is_stream(_about: &fs::Metadata) -> bool {
    false
}

/// The directory of a file, as given.
fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// A path that is the same for all names of a file, whether it exists or not: links to directories
/// are followed, links to the file itself are not.
fn resolved(path: &Path) -> Option<PathBuf> {
    Some(
        fs::canonicalize(directory_of(path))
            .ok()?
            .join(path.file_name()?),
    )
}
