//! From the database of a plan to a session.

use std::fs;
use std::path::Path;

use super::adbc::AdbcSession;
use super::spark::SparkSession;
use super::{Session, SessionError, SqliteSession};
use crate::clean;
use crate::schema::{Address, Database, DatabaseSystem, PasswordPlace};

/// Opens a session with a plan's database, in which nothing can be written.
pub fn connect(database: &Database) -> Result<Box<dyn Session>, ConnectError> {
    let base = database.base.as_path();
    Ok(match &database.address {
        Address::Sqlite(file) => {
            let path = existing(base, file)?;
            Box::new(SqliteSession::open(&path)?)
        }
        Address::DuckDb(file) => {
            let path = existing(base, file)?;
            let path = path
                .to_str()
                .ok_or_else(|| ConnectError::NoFile { name: file.clone() })?;
            let options = vec![
                ("path", path.to_owned()),
                ("access_mode", "READ_ONLY".to_owned()),
            ];
            Box::new(AdbcSession::open(Driver::DuckDb, options)?)
        }
        Address::PostgreSql(url) => {
            let password = database
                .password
                .as_ref()
                .map(|place| password(place, base));
            let uri = url.with_password(password.transpose()?.as_deref());
            Box::new(AdbcSession::open(Driver::PostgreSql, vec![("uri", uri)])?)
        }
        Address::Spark(address) => Box::new(SparkSession::open(address)?),
    })
}

/// A driver, which is loaded when a plan needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Driver {
    PostgreSql,
    DuckDb,
}

impl Driver {
    fn system(self) -> DatabaseSystem {
        match self {
            Driver::PostgreSql => DatabaseSystem::PostgreSql,
            Driver::DuckDb => DatabaseSystem::DuckDb,
        }
    }

    /// The environment variable that names the driver's library.
    pub(super) fn variable(self) -> &'static str {
        match self {
            Driver::PostgreSql => "LASTBIT_POSTGRESQL_DRIVER",
            Driver::DuckDb => "LASTBIT_DUCKDB_DRIVER",
        }
    }

    /// Names under which the driver may be registered, or its library lie.
    pub(super) fn names(self) -> &'static [&'static str] {
        match self {
            Driver::PostgreSql => &["postgresql", "adbc_driver_postgresql"],
            Driver::DuckDb => &["duckdb"],
        }
    }

    pub(super) fn entry_point(self) -> Option<&'static [u8]> {
        match self {
            Driver::PostgreSql => None,
            Driver::DuckDb => Some(b"duckdb_adbc_init"),
        }
    }

    fn remedy(self) -> &'static str {
        match self {
            Driver::PostgreSql => {
                "pip install adbc-driver-postgresql, and export \
                 LASTBIT_POSTGRESQL_DRIVER=$(python3 -c 'import adbc_driver_postgresql as d; \
                 print(d._driver_path())')"
            }
            Driver::DuckDb => {
                "take libduckdb from the releases of DuckDB, and export \
                 LASTBIT_DUCKDB_DRIVER=/path/to/libduckdb.so"
            }
        }
    }

    /// Statements before all others: texts and times as everywhere, and one snapshot that only
    /// reads.
    pub(super) fn first(self) -> &'static [&'static str] {
        match self {
            // Within the transaction: what pools connections may hand on every transaction, and
            // every statement outside of one, to another process of the server.
            Driver::PostgreSql => &[
                "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY",
                "SET LOCAL standard_conforming_strings = on",
                "SET LOCAL client_encoding = 'UTF8'",
                "SET LOCAL TimeZone = 'UTC'",
                "SET LOCAL DateStyle = 'ISO, YMD'",
                "SET LOCAL extra_float_digits = 1",
                // Statements of many expressions take longer to compile than to run.
                "SET LOCAL jit = off",
                // Its estimates of what units have are far off, and sorting all rows is slow.
                "SET LOCAL enable_mergejoin = off",
            ],
            // Without the second, a name that is no table could be a file.
            Driver::DuckDb => &[
                "SET autoinstall_known_extensions = false",
                "SET enable_external_access = false",
                "SET lock_configuration = true",
                "BEGIN TRANSACTION",
            ],
        }
    }
}

fn existing(base: &Path, file: &str) -> Result<std::path::PathBuf, ConnectError> {
    let path = base.join(file);
    match path.is_file() {
        true => Ok(path),
        false => Err(ConnectError::NoFile {
            name: file.to_owned(),
        }),
    }
}

/// The first line of a file, or a variable. Neither it nor a part of it is in any error.
fn password(place: &PasswordPlace, base: &Path) -> Result<String, ConnectError> {
    let none = |what: String| ConnectError::NoPassword { what };
    match place {
        PasswordPlace::Environment(name) => std::env::var(name).map_err(|_| {
            none(format!(
                "the environment variable {name} is not set, or no text"
            ))
        }),
        PasswordPlace::File(file) => {
            let text = fs::read_to_string(base.join(file))
                .map_err(|_| none(format!("the file {} cannot be read", clean::shown(file))))?;
            Ok(text.lines().next().unwrap_or_default().to_owned())
        }
    }
}

/// Why there is no session.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// No driver is installed.
    #[error(
        "no driver for {} can be loaded ({} names it, if it is not where drivers are registered); \
         {}",
        driver.system().name(),
        driver.variable(),
        driver.remedy()
    )]
    #[allow(private_interfaces, reason = "it has only words to say")]
    NoDriver {
        /// Which.
        driver: Driver,
    },
    /// No Python has `pyspark`.
    #[error(
        "no Python with pyspark can be started; install Java 17 or later, pip install pyspark, \
         and export LASTBIT_PYTHON=/path/to/python where that is not python3"
    )]
    NoSpark,
    /// Nobody took work.
    #[error(
        "no worker of the cluster took work for two minutes; check that workers run, and have a \
         core and the memory of an executor free (spark.executor.memory)"
    )]
    NoWorkers,
    /// Names are merged, or backslashes read in another way.
    #[error(
        "Spark compares texts by a collation here, or reads backslashes in another way; take such \
         settings out of spark-defaults.conf"
    )]
    OtherTexts,
    /// The file is not there.
    #[error(
        "no database at `{}`; check the path in the plan, which starts at the plan's directory",
        clean::shown(name)
    )]
    NoFile {
        /// As the plan has it.
        name: String,
    },
    /// The password is not where the plan says.
    #[error("no password: {what}")]
    NoPassword {
        /// What is missing.
        what: String,
    },
    /// The database refused.
    #[error(transparent)]
    Session(#[from] SessionError),
}
