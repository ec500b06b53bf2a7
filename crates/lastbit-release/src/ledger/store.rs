//! The SQLite file of a ledger: how it is made, read and appended to.

mod open;

use core::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, ToSql, Transaction};

use super::entry::Raw;
use super::forks::Counted;
use super::lock::Lock;
use super::{FORMAT, LedgerError};
use open::{absolute, check_file, check_schema, connect, open_to_look, open_writable, prepare};

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

/// The path with something appended to its last part.
pub(super) fn sibling(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
