//! Connections that write, for tests, and sessions that read.

use std::io::Write;
use std::path::{Path, PathBuf};

use adbc_core::options::{AdbcVersion, OptionDatabase, OptionValue};
use adbc_core::{Connection as _, Database as _, Driver as _, Statement as _};
use adbc_driver_manager::{ManagedConnection, ManagedDriver};
use lastbit_release::engine::session::{Session, connect};
use lastbit_release::plan::{Address, Database, DatabaseRows};

/// What `cargo xtask databases` sets.
pub fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set; run: cargo xtask databases"))
}

/// Says something at once, past the harness, which would keep it to the end: so what was seen until
/// something stands still is known.
pub fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// A connection that writes.
pub struct Writer(ManagedConnection);

impl Writer {
    pub fn postgresql() -> Writer {
        Writer::postgresql_database("postgres")
    }

    /// In another database of the server.
    pub fn postgresql_database(name: &str) -> Writer {
        let url = variable("LASTBIT_TEST_POSTGRESQL").replace("/postgres?", &format!("/{name}?"));
        let uri = (OptionDatabase::Uri, OptionValue::String(url));
        Writer::open("LASTBIT_POSTGRESQL_DRIVER", None, uri)
    }

    pub fn duckdb(path: &Path) -> Writer {
        let path = OptionValue::String(path.to_str().unwrap().to_owned());
        let option = (OptionDatabase::Other("path".to_owned()), path);
        Writer::open("LASTBIT_DUCKDB_DRIVER", Some(b"duckdb_adbc_init"), option)
    }

    fn open(driver: &str, entry: Option<&[u8]>, option: (OptionDatabase, OptionValue)) -> Writer {
        let library = variable(driver);
        let mut driver =
            ManagedDriver::load_dynamic_from_filename(library, entry, AdbcVersion::V110).unwrap();
        let database = driver.new_database_with_opts([option]).unwrap();
        Writer(database.new_connection().unwrap())
    }

    pub fn run(&mut self, sql: &str) {
        let mut statement = self.0.new_statement().unwrap();
        statement.set_sql_query(sql).unwrap();
        if let Err(error) = statement.execute_update() {
            panic!("{error}\n{}", sql.chars().take(2000).collect::<String>());
        }
    }
}

/// A session as a plan opens it.
pub fn session(address: &str) -> Box<dyn Session> {
    let database = Database {
        address: Address::parse(address).unwrap(),
        rows: DatabaseRows::Table {
            schema: None,
            name: "unused".to_owned(),
        },
        password: None,
        base: PathBuf::new(),
    };
    connect(&database).unwrap()
}
