//! The one ledger of a directory.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Asked, Ledger, LedgerError};

/// The name of a directory's ledger, whatever the plans beside it are called. So first releases
/// that start at the same time make one ledger.
pub const NAME: &str = "lastbit.ledger";

/// The extension of ledgers. Earlier versions named them after a plan.
pub const EXTENSION: &str = "ledger";

/// Where the ledger of a directory is, or will be: the one file whose name ends in `.ledger`, or
/// [`NAME`] if there is none yet. Several are refused, because each is a budget for the same
/// people.
pub fn in_directory(directory: &Path) -> Result<PathBuf, LedgerError> {
    let directory = match directory.as_os_str().is_empty() {
        true => Path::new("."),
        false => directory,
    };
    let cannot = |error: std::io::Error| LedgerError::System {
        path: directory.to_owned(),
        what: format!(
            "the directory cannot be searched for a ledger ({error}); allow reading it, or name \
             the ledger with --ledger"
        ),
    };
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).map_err(cannot)? {
        let name = PathBuf::from(entry.map_err(cannot)?.file_name());
        if name
            .extension()
            .is_some_and(|extension| extension == EXTENSION)
        {
            found.push(name);
        }
    }
    found.sort();
    // A path without `./` before it reads better in messages.
    let here = |name: &Path| match directory == Path::new(".") {
        true => name.to_owned(),
        false => directory.join(name),
    };
    match found.as_slice() {
        [] => Ok(here(Path::new(NAME))),
        [only] => Ok(here(only)),
        several => Err(LedgerError::Several(
            several.iter().map(|name| here(name)).collect(),
        )),
    }
}

impl Ledger {
    /// [`Ledger::open_on`] with the one ledger of a directory, see [`in_directory`].
    ///
    /// Processes that find none all try to make the same one, and one of them succeeds. An earlier
    /// version may make a ledger of another name meanwhile, so the directory is searched again
    /// before anything is reserved.
    pub fn open_in_on(directory: &Path, asked: Asked<'_>) -> Result<Ledger, LedgerError> {
        let path = in_directory(directory)?;
        let ledger = Ledger::open_on(&path, asked)?;
        let again = in_directory(directory)?;
        if again != path {
            return Err(LedgerError::Several(vec![path, again]));
        }
        Ok(ledger)
    }
}
