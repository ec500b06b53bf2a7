//! Opening the file of a ledger, and whether it is one.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::super::state::Fault;
use super::super::{FORMAT, LedgerError, place};
use super::{APPLICATION_ID, PATIENCE, schema, sibling};

pub(super) fn connect(path: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let path = match flags.contains(OpenFlags::SQLITE_OPEN_URI) {
        true => path.to_owned(),
        false => absolute(path),
    };
    let db = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    db.busy_timeout(PATIENCE)?;
    // A foreign file must not make SQLite run or rewrite anything except our statements.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    // SQLite removes the log when it takes a connection for the last one, by locks that a process
    // can lose. Only who has our own lock alone lets it do that.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    db.pragma_update(None, "cell_size_check", true)?;
    Ok(db)
}

/// Durability: a commit returns when its bytes are on the disk, and the log is moved into the file
/// at once, so that a copy of the file alone misses at most the write that a crash interrupted.
pub(super) fn prepare(db: &Connection) -> rusqlite::Result<()> {
    db.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    db.pragma_update(None, "synchronous", "FULL")?;
    db.pragma_update(None, "fullfsync", true)?;
    db.pragma_update(None, "checkpoint_fullfsync", true)?;
    db.query_row("PRAGMA wal_autocheckpoint = 1", [], |_| Ok(()))
}

pub(super) fn open_writable(path: &Path) -> Result<Connection, LedgerError> {
    let fail = |error| LedgerError::from_sqlite(path, error);
    let read_only = || LedgerError::ReadOnly(path.to_owned());
    if fs::metadata(path).is_ok_and(|about| about.permissions().readonly()) {
        return Err(read_only());
    }
    let db = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(fail)?;
    match db.is_readonly("main").map_err(fail)? {
        true => Err(read_only()),
        false => Ok(db),
    }
}

/// Opens a ledger only for reading, with whatever permissions there are. With permission to write
/// beside it, the last process to close tidies the log. With permission only to read, the log is
/// shared with those who write. If SQLite has no place for its index of the log, the file alone is
/// the whole ledger, provided that the log is empty.
pub(super) fn open_to_look(path: &Path) -> Result<Connection, LedgerError> {
    let uri = format!("file:{}?immutable=1", percent_encoded(&absolute(path)));
    let log = || fs::metadata(sibling(path, "-wal")).map_or(0, |log| log.len());
    // SQLite opens what this user cannot write for reading. A file that nobody may write stays as
    // it is, whoever looks.
    let shut = fs::metadata(path).is_ok_and(|about| about.permissions().readonly());
    let flags = match shut {
        true => OpenFlags::SQLITE_OPEN_READ_ONLY,
        false => OpenFlags::SQLITE_OPEN_READ_WRITE,
    };
    let refused = match look(connect(path, flags)) {
        Ok(db) => return Ok(db),
        Err(error) => LedgerError::from_sqlite(path, error),
    };
    match refused {
        LedgerError::ReadOnly(_) if log() > 0 => Err(LedgerError::LogUnread(path.to_owned())),
        LedgerError::ReadOnly(_) => {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
            look(connect(Path::new(&uri), flags))
                .map_err(|error| LedgerError::from_sqlite(path, error))
        }
        refused => Err(refused),
    }
}

/// The connection, if a table can be read through it.
fn look(db: rusqlite::Result<Connection>) -> rusqlite::Result<Connection> {
    let db = db?;
    db.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    Ok(db)
}

/// An absolute path, so that no name, such as `:memory:`, has a special meaning to SQLite.
pub(super) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| Path::new(".").join(path))
}

fn percent_encoded(path: &Path) -> String {
    path.as_os_str()
        .as_encoded_bytes()
        .iter()
        .map(|&byte| match byte {
            b'/' | b'.' | b'-' | b'_' => char::from(byte).to_string(),
            _ if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

/// Checks what the system knows of the file. It is not opened here: closing it would release the
/// locks that SQLite has on it in this process.
pub(super) fn check_file(path: &Path) -> Result<(), LedgerError> {
    use std::io::ErrorKind;
    let fail = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => LedgerError::Missing(path.to_owned()),
        _ => LedgerError::System {
            path: path.to_owned(),
            what: format!("the file cannot be read ({error}); allow reading it"),
        },
    };
    let not_a_ledger = |what: &str| LedgerError::NotALedger {
        path: path.to_owned(),
        what: what.into(),
    };
    let about = fs::metadata(path).map_err(fail)?;
    if about.is_dir() {
        return Err(not_a_ledger("it is a directory"));
    }
    if !about.is_file() {
        return Err(not_a_ledger("it is not a regular file"));
    }
    if about.len() == 0 {
        return Err(not_a_ledger("the file is empty"));
    }
    place::check_names(path, &about)
}

pub(super) fn check_schema(db: &Connection, path: &Path) -> Result<(), LedgerError> {
    let fail = |error| LedgerError::from_sqlite(path, error);
    let number = |name: &str| -> Result<i64, LedgerError> {
        db.query_row(&format!("PRAGMA {name}"), [], |row| row.get(0))
            .map_err(fail)
    };
    if number("application_id")? != APPLICATION_ID {
        return Err(LedgerError::NotALedger {
            path: path.to_owned(),
            what: "it is a SQLite database of another program".into(),
        });
    }
    let found = number("user_version")?;
    if !(1..=FORMAT).contains(&found) {
        return Err(LedgerError::OtherFormat {
            path: path.to_owned(),
            found,
        });
    }
    let read = || -> rusqlite::Result<Vec<String>> {
        db.prepare("SELECT coalesce(sql, name) FROM sqlite_schema ORDER BY rowid")?
            .query_map([], |row| row.get(0))?
            .collect()
    };
    if read().map_err(fail)? != schema(found) {
        return Err(LedgerError::Altered {
            path: path.to_owned(),
            fault: Fault::of_file("its tables or triggers are not those of a ledger"),
        });
    }
    Ok(())
}
