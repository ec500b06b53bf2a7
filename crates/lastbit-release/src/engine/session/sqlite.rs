//! Files of SQLite, read by the library that keeps the ledger.

use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::{Session, SessionError, SessionProblem};
use crate::engine::sql::{Rows, register};

/// A file of SQLite, opened for reading, in one transaction.
pub struct SqliteSession(Connection);

impl SqliteSession {
    /// Opens a file.
    pub fn open(path: &Path) -> Result<SqliteSession, SessionError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
        SqliteSession::new(connection)
    }

    /// On a connection that is open; what it can write, the session cannot.
    pub fn new(connection: Connection) -> Result<SqliteSession, SessionError> {
        register(&connection).map_err(failed)?;
        connection
            .execute_batch("PRAGMA query_only = 1; BEGIN")
            .map_err(failed)?;
        Ok(SqliteSession(connection))
    }
}

impl Session for SqliteSession {
    fn rows(&mut self, sql: &str) -> Result<Rows, SessionError> {
        let mut statement = self.0.prepare(sql).map_err(failed)?;
        let columns = statement.column_count();
        let mut found = statement.query([]).map_err(failed)?;
        let mut rows = Rows::new();
        while let Some(row) = found.next().map_err(failed)? {
            let mut cells = Vec::with_capacity(columns);
            for column in 0..columns {
                cells.push(match row.get_ref(column).map_err(failed)? {
                    ValueRef::Null => None,
                    ValueRef::Text(text) => match core::str::from_utf8(text) {
                        Ok(text) => Some(text.to_owned()),
                        Err(_) => return Err(SessionError::new(SessionProblem::Shape)),
                    },
                    _ => return Err(SessionError::new(SessionProblem::Shape)),
                });
            }
            rows.push(cells);
        }
        Ok(rows)
    }

    fn is_snapshot(&self) -> bool {
        true
    }
}

fn failed(error: rusqlite::Error) -> SessionError {
    use SessionProblem as P;
    let (failure, message) = match &error {
        rusqlite::Error::SqliteFailure(failure, message) => (failure, message.as_deref()),
        rusqlite::Error::SqlInputError { error, msg, .. } => (error, Some(msg.as_str())),
        _ => return SessionError::new(P::Other),
    };
    let begins = |words: &str| message.is_some_and(|message| message.starts_with(words));
    let problem = match failure.code {
        _ if begins("no such table") => P::NoTable,
        _ if begins("no such column") => P::NoColumn,
        ErrorCode::CannotOpen => P::Unreachable,
        ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt => P::NotADatabase,
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => P::Locked,
        ErrorCode::PermissionDenied | ErrorCode::AuthorizationForStatementDenied => P::Denied,
        ErrorCode::ReadOnly => P::ReadOnly,
        ErrorCode::OutOfMemory | ErrorCode::DiskFull | ErrorCode::TooBig => P::Resources,
        ErrorCode::OperationInterrupted => P::Cancelled,
        ErrorCode::TypeMismatch => P::Data,
        ErrorCode::SystemIoFailure => P::Lost,
        _ => P::Other,
    };
    SessionError::new(problem).with_words(format!("SQLite {}", failure.extended_code))
}
