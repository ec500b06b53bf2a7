//! The SQLite file of a ledger: how it is made, opened, read and appended to.

use core::ops::{Deref, DerefMut};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, ToSql, Transaction};

use super::entry::Raw;
use super::forks::Counted;
use super::lock::Lock;
use super::state::Fault;
use super::{FORMAT, LedgerError};

/// How long a process waits for another one's write.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// "LBLG": tells a ledger from other SQLite files.
const APPLICATION_ID: i64 = 0x4c42_4c47;

/// The entries of format 1.
const ENTRIES_1: &str = "CREATE TABLE entries (row INTEGER PRIMARY KEY, time TEXT NOT NULL, kind \
                         TEXT NOT NULL, measure TEXT, main TEXT, delta TEXT, plan TEXT, data TEXT, \
                         description TEXT, reserve INTEGER, report TEXT, previous TEXT NOT NULL, \
                         hash TEXT NOT NULL) STRICT";

/// The columns that format 2 adds, as SQLite writes them into the schema.
const ADDED: [&str; 3] = ["currency", "thresholds", "most"];

/// The whole schema, statement by statement, as SQLite keeps it.
const SCHEMA: [&str; 6] = [
    "CREATE TABLE entries (row INTEGER PRIMARY KEY, time TEXT NOT NULL, kind TEXT NOT NULL, \
     measure TEXT, main TEXT, delta TEXT, plan TEXT, data TEXT, description TEXT, reserve INTEGER, \
     report TEXT, previous TEXT NOT NULL, hash TEXT NOT NULL, currency TEXT, thresholds TEXT, most \
     TEXT) STRICT",
    "CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), entries INTEGER NOT NULL, hash \
     TEXT NOT NULL) STRICT",
    "CREATE TRIGGER entries_are_final BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'entries \
     of a ledger are final'); END",
    "CREATE TRIGGER entries_stay BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'entries of a \
     ledger stay'); END",
    "CREATE TRIGGER entries_follow BEFORE INSERT ON entries WHEN NEW.row <> (SELECT entries + 1 \
     FROM head) BEGIN SELECT RAISE(ABORT, 'entries of a ledger follow each other'); END",
    "CREATE TRIGGER head_stays BEFORE DELETE ON head BEGIN SELECT RAISE(ABORT, 'the head of a \
     ledger stays'); END",
];

/// The schema of a format.
fn schema(format: i64) -> [&'static str; 6] {
    let mut schema = SCHEMA;
    if format == 1 {
        schema[0] = ENTRIES_1;
    }
    schema
}

/// What a connection may do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// Only read; works on files that cannot be written.
    Read,
    /// Read and append.
    Append,
}

/// An open file. When it is dropped as the last one, its log is moved into the file and removed.
#[derive(Debug)]
pub(super) struct Store {
    /// There until it is dropped.
    db: Option<Connection>,
    /// Where it is, wherever this process goes; empty in memory.
    path: PathBuf,
    /// Whether its log is ours to remove: it was seen to be a ledger, or had none before.
    has_own_log: bool,
    /// That the file is open, if that can be told to others; `None` also in memory.
    presence: Option<Lock>,
    /// `None` in memory.
    counted: Option<Counted>,
}

impl Store {
    /// Refuses what a parent opened before `fork`.
    pub(super) fn check_process(&self, path: &Path) -> Result<(), LedgerError> {
        match &self.counted {
            Some(counted) if !counted.is_ours() => Err(LedgerError::Forked(path.to_owned())),
            _ => Ok(()),
        }
    }

    /// The right to append, until it is dropped. A ledger in memory needs none.
    pub(super) fn write(&self) -> Result<Option<Lock>, LedgerError> {
        match self.is_kept() {
            true => Lock::write(&self.path),
            false => Ok(None),
        }
    }

    /// Whether it is in a file.
    pub(super) fn is_kept(&self) -> bool {
        self.counted.is_some()
    }
}

impl Deref for Store {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.db.as_ref().expect("it is there until it is dropped")
    }
}

impl DerefMut for Store {
    fn deref_mut(&mut self) -> &mut Connection {
        self.db.as_mut().expect("it is there until it is dropped")
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        let Some(db) = self.db.take() else {
            return;
        };
        if self
            .counted
            .as_ref()
            .is_some_and(|counted| !counted.is_ours())
        {
            // The parent's: neither its locks nor its log are for a child to touch.
            core::mem::forget((db, self.presence.take(), self.counted.take()));
            return;
        }
        if self.has_own_log && self.presence.as_mut().is_some_and(Lock::alone) {
            let _ = db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false);
        }
        // Before the lock ends.
        drop(db);
    }
}

/// Opens an existing file and checks that it is a ledger.
pub(super) fn open(path: &Path, access: Access) -> Result<Store, LedgerError> {
    let start = Instant::now();
    loop {
        match try_open(path, access) {
            // The last process to close a ledger tidies its log. During that moment SQLite turns
            // others away without waiting.
            Err(LedgerError::Busy(_)) if start.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(5));
            }
            done => return done,
        }
    }
}

fn try_open(path: &Path, access: Access) -> Result<Store, LedgerError> {
    check_file(path)?;
    let fail = |error| LedgerError::from_sqlite(path, error);
    let counted = Counted::one().ok_or_else(|| LedgerError::Forked(path.to_owned()))?;
    let had_log = sibling(path, "-wal").exists();
    let presence = match (Lock::open(path), access) {
        // Who only looks appends nothing and removes no log.
        (Err(_), Access::Read) => None,
        (presence, _) => presence?,
    };
    let db = match access {
        Access::Append => open_writable(path)?,
        Access::Read => open_to_look(path)?,
    };
    let mut store = Store {
        db: Some(db),
        path: absolute(path),
        has_own_log: !had_log,
        presence,
        counted: Some(counted),
    };
    check_schema(&store, path)?;
    store.has_own_log = true;
    // Only now that it is a ledger: this may change the file.
    if access == Access::Append {
        prepare(&store).map_err(fail)?;
    }
    Ok(store)
}

/// Turns an empty file into a database with the schema and hands it to `fill`, in one transaction.
pub(super) fn create(
    path: &Path,
    fill: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<()>,
) -> Result<(), LedgerError> {
    let fail = |error| LedgerError::from_sqlite(path, error);
    // SQLite knows files by what they are, not by their names: this one becomes the ledger.
    let _counted = Counted::one().ok_or_else(|| LedgerError::Forked(path.to_owned()))?;
    let mut db = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(fail)?;
    let make = || {
        db.pragma_update(None, "journal_mode", "WAL")?;
        db.pragma_update(None, "synchronous", "FULL")?;
        write_schema(&mut db, fill)
    };
    make().map_err(fail)?;
    // Closing moves the log into the file and removes it, and reports no failure. So the log is
    // moved before.
    db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| {
        match row.get::<_, i64>(0)? {
            0 => Ok(()),
            _ => Err(rusqlite::Error::QueryReturnedNoRows),
        }
    })
    .map_err(fail)?;
    // Nobody else knows the file yet.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)
        .map_err(fail)?;
    db.close().map_err(|(_, error)| fail(error))
}

/// A database with the schema in memory, for rehearsals.
pub(super) fn in_memory(
    fill: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<()>,
) -> rusqlite::Result<Store> {
    let mut db = Connection::open_in_memory()?;
    write_schema(&mut db, fill)?;
    Ok(Store {
        db: Some(db),
        path: PathBuf::new(),
        has_own_log: false,
        presence: None,
        counted: None,
    })
}

fn write_schema(
    db: &mut Connection,
    fill: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let transaction = db.transaction()?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    // An entry that needs a newer format changes it, see [`append`].
    transaction.pragma_update(None, "user_version", 1)?;
    for statement in schema(1) {
        transaction.execute(statement, [])?;
    }
    transaction.execute("INSERT INTO head VALUES (1, 0, '')", [])?;
    fill(&transaction)?;
    transaction.commit()
}

/// Appends a row that is already chained, and moves the head. The first row that only format 2 can
/// hold turns the file into format 2, in the same transaction.
pub(super) fn append(transaction: &Transaction<'_>, raw: &Raw) -> rusqlite::Result<()> {
    if raw.has_limit() && format(transaction)? == 1 {
        for column in ADDED {
            transaction.execute(&format!("ALTER TABLE entries ADD COLUMN {column} TEXT"), [])?;
        }
        transaction.pragma_update(None, "user_version", FORMAT)?;
    }
    let insert = match format(transaction)? {
        1 => "INSERT INTO entries VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        _ => {
            "INSERT INTO entries VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, \
             ?14, ?15, ?16)"
        }
    };
    let mut insert = transaction.prepare_cached(insert)?;
    let values: [&dyn ToSql; 16] = [
        &raw.row,
        &raw.time,
        &raw.kind,
        &raw.measure,
        &raw.main,
        &raw.delta,
        &raw.plan,
        &raw.data,
        &raw.description,
        &raw.reserve,
        &raw.report,
        &raw.previous,
        &raw.hash,
        &raw.currency,
        &raw.thresholds,
        &raw.most,
    ];
    let columns = insert.parameter_count();
    insert.execute(&values[..columns])?;
    transaction
        .prepare_cached("UPDATE head SET entries = ?1, hash = ?2")?
        .execute(rusqlite::params![raw.row, raw.hash])?;
    Ok(())
}

/// Reads the entries after a row, in order; after row 0, all of them, even rows that no ledger has.
pub(super) fn read_after(
    db: &Connection,
    row: i64,
    mut each: impl FnMut(Raw),
) -> rusqlite::Result<()> {
    let row = if row == 0 { i64::MIN } else { row };
    let mut statement =
        db.prepare_cached("SELECT * FROM entries WHERE row > ?1 ORDER BY row ASC")?;
    let added = format(db)? > 1;
    let mut rows = statement.query([row])?;
    while let Some(row) = rows.next()? {
        each(raw(row, added)?);
    }
    Ok(())
}

/// Reads one entry.
pub(super) fn read_row(db: &Connection, row: i64) -> rusqlite::Result<Option<Raw>> {
    let mut statement = db.prepare_cached("SELECT * FROM entries WHERE row = ?1")?;
    let added = format(db)? > 1;
    let mut rows = statement.query([row])?;
    rows.next()?.map(|row| raw(row, added)).transpose()
}

/// How many entries the head counts, and the hash of the last one.
pub(super) fn read_head(db: &Connection) -> rusqlite::Result<Option<(i64, String)>> {
    db.prepare_cached("SELECT entries, hash FROM head")?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()
}

/// What SQLite finds wrong with its own structure.
pub(super) fn integrity(db: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = db.prepare("PRAGMA integrity_check(20)")?;
    let lines: Vec<String> = statement
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(lines.into_iter().filter(|line| line != "ok").collect())
}

/// The version of the format, as of this transaction: another process may have added the columns of
/// format 2.
fn format(db: &Connection) -> rusqlite::Result<i64> {
    db.prepare_cached("PRAGMA user_version")?
        .query_row([], |row| row.get(0))
}

fn raw(row: &Row<'_>, added: bool) -> rusqlite::Result<Raw> {
    let more = |column: usize| match added {
        true => row.get(column),
        false => Ok(None),
    };
    Ok(Raw {
        row: row.get(0)?,
        time: row.get(1)?,
        kind: row.get(2)?,
        measure: row.get(3)?,
        main: row.get(4)?,
        delta: row.get(5)?,
        plan: row.get(6)?,
        data: row.get(7)?,
        description: row.get(8)?,
        reserve: row.get(9)?,
        report: row.get(10)?,
        previous: row.get(11)?,
        hash: row.get(12)?,
        currency: more(13)?,
        thresholds: more(14)?,
        most: more(15)?,
    })
}

fn connect(path: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
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
fn prepare(db: &Connection) -> rusqlite::Result<()> {
    db.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    db.pragma_update(None, "synchronous", "FULL")?;
    db.pragma_update(None, "fullfsync", true)?;
    db.pragma_update(None, "checkpoint_fullfsync", true)?;
    db.query_row("PRAGMA wal_autocheckpoint = 1", [], |_| Ok(()))
}

fn open_writable(path: &Path) -> Result<Connection, LedgerError> {
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
fn open_to_look(path: &Path) -> Result<Connection, LedgerError> {
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
fn absolute(path: &Path) -> PathBuf {
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
fn check_file(path: &Path) -> Result<(), LedgerError> {
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
    super::place::check_names(path, &about)
}

fn check_schema(db: &Connection, path: &Path) -> Result<(), LedgerError> {
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

/// The path with something appended to its last part.
pub(super) fn sibling(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
