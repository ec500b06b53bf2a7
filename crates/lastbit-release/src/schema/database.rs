//! A database that holds the rows of a plan: where it is, which rows, and where its password is.
//! The password itself is nowhere here.

use core::fmt;
use std::path::PathBuf;

use super::spark::{self, SparkAddress};

/// Rows in a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Database {
    /// Where it is.
    pub address: Address,
    /// Which of its rows.
    pub rows: DatabaseRows,
    /// Where the password is, if the plan says that.
    pub password: Option<PasswordPlace>,
    /// Where relative names of files start: the directory of the plan.
    pub base: PathBuf,
}

impl Database {
    /// The files that it is made of or reads: its own, if it is one, and that of the password.
    pub fn files(&self) -> impl Iterator<Item = PathBuf> {
        self.named().map(|name| self.base.join(name))
    }

    /// Those files, as the plan names them.
    pub fn named(&self) -> impl Iterator<Item = &str> {
        let password = match &self.password {
            Some(PasswordPlace::File(file)) => Some(file.as_str()),
            _ => None,
        };
        self.address.file().into_iter().chain(password)
    }
}

/// A system that keeps databases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DatabaseSystem {
    /// PostgreSQL.
    PostgreSql,
    /// DuckDB.
    DuckDb,
    /// SQLite.
    Sqlite,
    /// Apache Spark.
    Spark,
}

impl DatabaseSystem {
    const ALL: [DatabaseSystem; 4] = [
        DatabaseSystem::PostgreSql,
        DatabaseSystem::DuckDb,
        DatabaseSystem::Sqlite,
        DatabaseSystem::Spark,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            DatabaseSystem::PostgreSql => "PostgreSQL",
            DatabaseSystem::DuckDb => "DuckDB",
            DatabaseSystem::Sqlite => "SQLite",
            DatabaseSystem::Spark => "Spark",
        }
    }

    /// Its word in addresses, and the name of its dialect.
    pub fn word(self) -> &'static str {
        match self {
            DatabaseSystem::PostgreSql => "postgresql",
            DatabaseSystem::DuckDb => "duckdb",
            DatabaseSystem::Sqlite => "sqlite",
            DatabaseSystem::Spark => "spark",
        }
    }

    fn of_word(word: &str) -> Option<DatabaseSystem> {
        let long = match word {
            "postgres" => "postgresql",
            word => word,
        };
        DatabaseSystem::ALL
            .into_iter()
            .find(|system| system.word() == long)
    }
}

/// Where a database is, without a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A PostgreSQL server.
    PostgreSql(PostgreSqlUrl),
    /// A file of DuckDB; a relative name starts at the plan's directory.
    DuckDb(String),
    /// A file of SQLite; a relative name starts at the plan's directory.
    Sqlite(String),
    /// Apache Spark.
    Spark(SparkAddress),
}

/// Which rows of a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DatabaseRows {
    /// All of a table or a view.
    Table {
        /// Its schema, if the name has one.
        schema: Option<String>,
        /// Its name, exactly as the database has it.
        name: String,
    },
    /// Of a query that makes at most one row of each row of a table; in the notation of the parser
    /// that checked it, so that what is checked is what runs.
    Query(String),
}

/// Where a password is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PasswordPlace {
    /// In an environment variable.
    Environment(String),
    /// In the first line of a file; a relative name starts at the plan's directory.
    File(String),
}

impl Address {
    /// Reads `postgresql://…`, `duckdb:FILE`, `sqlite:FILE` or `spark:…`. The error says what to
    /// change, and never repeats the text: it may hold a password.
    pub fn parse(text: &str) -> Result<Address, String> {
        let Some((scheme, rest)) = text.split_once(':') else {
            return Err(forms());
        };
        match DatabaseSystem::of_word(scheme) {
            Some(DatabaseSystem::PostgreSql) => PostgreSqlUrl::parse(rest).map(Address::PostgreSql),
            Some(DatabaseSystem::DuckDb) => file(DatabaseSystem::DuckDb, rest).map(Address::DuckDb),
            Some(DatabaseSystem::Sqlite) => file(DatabaseSystem::Sqlite, rest).map(Address::Sqlite),
            Some(DatabaseSystem::Spark) => SparkAddress::parse(rest).map(Address::Spark),
            None => Err(forms()),
        }
    }

    /// The file, if the database is one.
    pub fn file(&self) -> Option<&str> {
        match self {
            Address::PostgreSql(_) | Address::Spark(_) => None,
            Address::DuckDb(file) | Address::Sqlite(file) => Some(file),
        }
    }

    /// What reads files that are neither the plan's nor named in it as such: Spark, and the client
    /// of PostgreSQL if its settings name some.
    pub fn reads_elsewhere(&self) -> Option<&'static str> {
        match self {
            Address::PostgreSql(url) => url.names_files().then_some("the client of PostgreSQL"),
            Address::Spark(_) => Some("Spark"),
            Address::DuckDb(_) | Address::Sqlite(_) => None,
        }
    }

    /// Whether a password of the plan has somewhere to go.
    pub(crate) fn takes_password(&self) -> bool {
        matches!(self, Address::PostgreSql(_))
    }

    /// Which database it is, for the identity of a release: not who asks, nor how the connection is
    /// protected. As with data in files, the name of a file is no part of it.
    pub(crate) fn place(&self) -> String {
        match self {
            Address::PostgreSql(url) => url.place(),
            Address::DuckDb(_) | Address::Sqlite(_) => self.system().word().to_owned(),
            Address::Spark(address) => address.place(),
        }
    }

    /// The system that keeps it.
    pub fn system(&self) -> DatabaseSystem {
        match self {
            Address::PostgreSql(_) => DatabaseSystem::PostgreSql,
            Address::DuckDb(_) => DatabaseSystem::DuckDb,
            Address::Sqlite(_) => DatabaseSystem::Sqlite,
            Address::Spark(_) => DatabaseSystem::Spark,
        }
    }
}

/// As a plan has it.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::PostgreSql(url) => write!(f, "{url}"),
            Address::DuckDb(file) | Address::Sqlite(file) => {
                write!(f, "{}:{file}", self.system().word())
            }
            Address::Spark(address) => write!(f, "{address}"),
        }
    }
}

fn forms() -> String {
    format!(
        "`database` in [source] must be \"postgresql://host/name\", \"duckdb:FILE\", \
         \"sqlite:FILE\", {}",
        spark::FORM
    )
}

fn file(system: DatabaseSystem, name: &str) -> Result<String, String> {
    let scheme = system.word();
    let in_memory = name.starts_with(":memory:");
    if name.is_empty() || in_memory || name.contains(['?', '#', '\0']) {
        return Err(format!(
            "`database` in [source] must name a file, as \"{scheme}:visits.db\", without options"
        ));
    }
    if let Some(rest) = name.strip_prefix("//") {
        return match rest.starts_with('/') {
            true => Ok(rest.to_owned()),
            false => Err(format!(
                "`database` in [source]: a file has no host; write \"{scheme}:NAME\" for a file \
                 beside the plan, or \"{scheme}:/PATH\""
            )),
        };
    }
    Ok(name.to_owned())
}

/// The address of a PostgreSQL server, in the form that its clients take, without a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostgreSqlUrl {
    user: Option<String>,
    host: String,
    database: String,
    options: Vec<(String, String)>,
}

/// Settings of a connection that change neither what a statement means nor who is asked for a
/// secret.
const OPTIONS: [&str; 12] = [
    "channel_binding",
    "connect_timeout",
    "gssencmode",
    "host",
    "hostaddr",
    "krbsrvname",
    "port",
    "sslcert",
    "sslkey",
    "sslmode",
    "sslrootcert",
    "target_session_attrs",
];

/// Those of them that name files.
const FILE_OPTIONS: [&str; 3] = ["sslcert", "sslkey", "sslrootcert"];

impl PostgreSqlUrl {
    /// Whether a setting names a file. `sslrootcert=system` names none.
    fn names_files(&self) -> bool {
        self.options
            .iter()
            .any(|(key, value)| FILE_OPTIONS.contains(&key.as_str()) && decoded(value) != "system")
    }

    /// Reads what follows `postgresql:`.
    fn parse(text: &str) -> Result<PostgreSqlUrl, String> {
        let Some(rest) = text.strip_prefix("//") else {
            return Err(forms());
        };
        if rest.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err(
                "`database` in [source]: an address has no spaces; write them as %20".to_owned(),
            );
        }
        let (rest, options) = match rest.split_once('?') {
            Some((rest, options)) => (rest, options),
            None => (rest, ""),
        };
        // The last @ is the one before the host, also where a password holds one.
        let (user, rest) = match rest.rsplit_once('@') {
            Some((user, rest)) => (Some(user), rest),
            None => (None, rest),
        };
        if user.is_some_and(|user| user.contains([':', '/'])) {
            return Err(secret());
        }
        let (host, database) = rest.split_once('/').unwrap_or((rest, ""));
        let plain = |text: &str| {
            text.chars()
                .all(|c| c.is_alphanumeric() || "-._~%!$&'()*+,;=:[]".contains(c))
        };
        if ![host, database, user.unwrap_or_default()]
            .iter()
            .all(|part| plain(part))
        {
            return Err(
                "`database` in [source]: a character in the address is written as % and two \
                 digits, as in any address"
                    .to_owned(),
            );
        }
        let mut read = Vec::new();
        for option in options.split('&').filter(|option| !option.is_empty()) {
            let (key, value) = option.split_once('=').unwrap_or((option, ""));
            let key = decoded(key);
            if key.contains("pass") || key == "requirepeer" {
                return Err(secret());
            }
            if !OPTIONS.contains(&key.as_str()) {
                return Err(format!(
                    "`database` in [source] may have only these options: {}",
                    OPTIONS.join(", ")
                ));
            }
            if value.contains('#') {
                return Err("`database` in [source]: write # as %23".to_owned());
            }
            read.push((key, value.to_owned()));
        }
        Ok(PostgreSqlUrl {
            user: user.map(str::to_owned),
            host: host.to_owned(),
            database: database.to_owned(),
            options: read,
        })
    }

    /// The address with a password in it, for a driver and for nobody else.
    #[cfg(feature = "databases")]
    pub(crate) fn with_password(&self, password: Option<&str>) -> String {
        self.written(password)
    }

    fn place(&self) -> String {
        let where_it_is =
            |option: &&(String, String)| ["host", "hostaddr", "port"].contains(&option.0.as_str());
        let place = PostgreSqlUrl {
            user: None,
            options: self.options.iter().filter(where_it_is).cloned().collect(),
            ..self.clone()
        };
        place.to_string()
    }

    fn written(&self, password: Option<&str>) -> String {
        let mut text = String::from("postgresql://");
        if self.user.is_some() || password.is_some() {
            text += self.user.as_deref().unwrap_or_default();
            if let Some(password) = password {
                text.push(':');
                for byte in password.bytes() {
                    text += &format!("%{byte:02X}");
                }
            }
            text.push('@');
        }
        text += &self.host;
        text.push('/');
        text += &self.database;
        for (index, (key, value)) in self.options.iter().enumerate() {
            text.push(if index == 0 { '?' } else { '&' });
            text += &format!("{key}={value}");
        }
        text
    }
}

impl fmt::Display for PostgreSqlUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written(None))
    }
}

/// What to do about a password in a plan.
pub(crate) const NO_SECRET: &str = "a plan is no place for a secret: take the password out, \
    change it, and name where it is instead: password_env = \"VISITS_PASSWORD\" or password_file \
    = \"visits.password\"; PGPASSWORD and ~/.pgpass work too";

fn secret() -> String {
    format!("`database` in [source] holds a password, and {NO_SECRET}")
}

/// A key with its %-escapes undone: nothing hides behind them.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let escaped = (bytes[at] == b'%')
            .then(|| text.get(at + 1..at + 3))
            .flatten()
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match escaped {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests;
