//! PostgreSQL and DuckDB by their ADBC drivers: libraries that are loaded when a plan needs them.

use std::path::PathBuf;

use adbc_core::error::{Error, Status};
use adbc_core::options::{AdbcVersion, OptionDatabase, OptionStatement, OptionValue};
use adbc_core::{Connection as _, Database as _, Driver as _, Optionable as _, Statement as _};
use adbc_core::{LOAD_FLAG_SEARCH_ENV, LOAD_FLAG_SEARCH_SYSTEM, LOAD_FLAG_SEARCH_USER};
use adbc_driver_manager::{ManagedConnection, ManagedDriver};
use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;

use super::connect::{ConnectError, Driver};
use super::{Session, SessionError, SessionProblem};
use crate::engine::sql::Rows;

/// A connection by a driver, in one transaction that only reads.
pub(super) struct AdbcSession {
    connection: ManagedConnection,
    driver: Driver,
}

impl AdbcSession {
    /// Connects, and begins the transaction. `options` are those of the driver; they may hold a
    /// password, and are shown nowhere.
    pub(super) fn open(
        driver: Driver,
        options: Vec<(&'static str, String)>,
    ) -> Result<AdbcSession, ConnectError> {
        let mut loaded = load(driver)?;
        let fail = |error| ConnectError::Session(failed(driver, error, true));
        let options = options.into_iter().map(|(key, value)| {
            let key = match key {
                "uri" => OptionDatabase::Uri,
                key => OptionDatabase::Other(key.to_owned()),
            };
            (key, OptionValue::String(value))
        });
        let database = loaded.new_database_with_opts(options).map_err(fail)?;
        let connection = database.new_connection().map_err(fail)?;
        let mut session = AdbcSession { connection, driver };
        for sql in driver.first() {
            session.run(sql)?;
        }
        Ok(session)
    }

    fn run(&mut self, sql: &str) -> Result<(), ConnectError> {
        let mut run = || -> Result<(), Error> {
            let mut statement = self.connection.new_statement()?;
            statement.set_sql_query(sql)?;
            statement.execute_update()?;
            Ok(())
        };
        run().map_err(|error| ConnectError::Session(failed(self.driver, error, false)))
    }
}

impl Session for AdbcSession {
    fn rows(&mut self, sql: &str) -> Result<Rows, SessionError> {
        let driver = self.driver;
        let fail = |error| failed(driver, error, false);
        let mut statement = self.connection.new_statement().map_err(fail)?;
        if driver == Driver::PostgreSql {
            // By COPY, an error in the middle of the rows would have no code.
            let key = OptionStatement::Other("adbc.postgresql.use_copy".to_owned());
            let value = OptionValue::String("false".to_owned());
            statement.set_option(key, value).map_err(fail)?;
        }
        statement.set_sql_query(sql).map_err(fail)?;
        let reader = statement.execute().map_err(fail)?;
        let mut rows = Rows::new();
        for batch in reader {
            // Its text may quote a cell, and it has no code.
            let batch = batch.map_err(|error| broken(driver, &error.to_string()))?;
            add(&mut rows, &batch)?;
        }
        Ok(rows)
    }

    fn is_snapshot(&self) -> bool {
        true
    }
}

fn add(rows: &mut Rows, batch: &RecordBatch) -> Result<(), SessionError> {
    let start = rows.len();
    rows.extend((0..batch.num_rows()).map(|_| Vec::with_capacity(batch.num_columns())));
    for column in batch.columns() {
        let text = |row: usize| -> Result<&str, SessionError> {
            Ok(match column.data_type() {
                DataType::Utf8 => column.as_string::<i32>().value(row),
                DataType::LargeUtf8 => column.as_string::<i64>().value(row),
                DataType::Utf8View => column.as_string_view().value(row),
                _ => return Err(SessionError::new(SessionProblem::Shape)),
            })
        };
        for row in 0..batch.num_rows() {
            let cell = match column.is_null(row) {
                true => None,
                false => Some(text(row)?.to_owned()),
            };
            rows[start + row].push(cell);
        }
    }
    Ok(())
}

/// The driver: where the system's variable says, or else where drivers are registered or libraries
/// lie.
fn load(driver: Driver) -> Result<ManagedDriver, ConnectError> {
    let version = AdbcVersion::V110;
    let none = || ConnectError::NoDriver { driver };
    let entry = driver.entry_point();
    if let Some(path) = std::env::var_os(driver.variable()) {
        return ManagedDriver::load_dynamic_from_filename(PathBuf::from(path), entry, version)
            .map_err(|_| none());
    }
    let flags = LOAD_FLAG_SEARCH_ENV | LOAD_FLAG_SEARCH_USER | LOAD_FLAG_SEARCH_SYSTEM;
    for name in driver.names() {
        let found = ManagedDriver::load_from_name(name, entry, version, flags, None)
            .or_else(|_| ManagedDriver::load_dynamic_from_name(name, entry, version));
        if let Ok(loaded) = found {
            return Ok(loaded);
        }
    }
    Err(none())
}

/// What the code of an error says. Its message stays here.
fn failed(driver: Driver, error: Error, is_connecting: bool) -> SessionError {
    use SessionProblem as P;
    let state: Vec<u8> = error.sqlstate.iter().map(|&byte| byte as u8).collect();
    if let Ok(state) = core::str::from_utf8(&state)
        && state != "00000"
        && state.bytes().all(|byte| byte.is_ascii_alphanumeric())
    {
        return SessionError::of_sqlstate(state);
    }
    if driver == Driver::DuckDb {
        return duckdb(&error.message);
    }
    if is_connecting {
        return connecting(&error.message);
    }
    if error.status == Status::IO || error.message.contains("server closed the connection") {
        return SessionError::new(P::Lost);
    }
    SessionError::new(match error.status {
        Status::Unauthenticated => P::LogIn,
        Status::Unauthorized => P::Denied,
        Status::Cancelled | Status::Timeout => P::Cancelled,
        _ => P::Other,
    })
}

/// The client library gives no code for a connection that does not come about; it says one of
/// these.
fn connecting(message: &str) -> SessionError {
    use SessionProblem as P;
    let says = |words: &str| message.contains(words);
    SessionError::new(
        if says("authentication failed")
            || says("no password supplied")
            || says("pg_hba.conf")
            || (says("role ") && says("does not exist"))
        {
            P::LogIn
        } else if says("database ") && says("does not exist") {
            P::NoDatabase
        } else if says("too many clients") || says("remaining connection slots") {
            P::Resources
        } else {
            P::Unreachable
        },
    )
}

/// An error while rows arrive: the driver hands on a text alone. Only fixed words of it are looked
/// for.
fn broken(driver: Driver, message: &str) -> SessionError {
    if driver == Driver::DuckDb {
        return duckdb(message);
    }
    use SessionProblem as P;
    let says = |words: &str| message.contains(words);
    SessionError::new(
        if says("statement timeout") || says("canceling statement") {
            P::Cancelled
        } else if says("terminating connection") || says("server closed the connection") {
            P::Lost
        } else {
            P::Other
        },
    )
}

/// DuckDB has no codes; its messages begin with one of these words.
fn duckdb(message: &str) -> SessionError {
    use SessionProblem as P;
    const KINDS: [(&str, SessionProblem); 12] = [
        ("Binder Error", P::NoColumn),
        ("Catalog Error", P::NoTable),
        ("Constraint Error", P::Other),
        ("Conversion Error", P::Data),
        ("INTERRUPT Error", P::Cancelled),
        ("IO Error", P::Unreachable),
        ("Invalid Input Error", P::Data),
        ("Out of Memory Error", P::Resources),
        ("Out of Range Error", P::Data),
        ("Parser Error", P::Refused),
        ("Permission Error", P::Denied),
        ("Serialization Error", P::NotADatabase),
    ];
    for (words, problem) in KINDS {
        if message.contains(words) {
            return SessionError::new(problem).with_words(words.to_owned());
        }
    }
    SessionError::new(P::Other)
}
