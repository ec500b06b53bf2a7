//! `cargo xtask databases`: the tests that need a database, against servers that this starts and
//! stops.

mod drivers;
mod server;

use std::process::Command;

use anyhow::{Result, bail};

use crate::run::Outcome;
use crate::{run, test};
pub use drivers::python_package;
use server::Server;

/// What there is to test against, and what is missing.
struct Databases {
    server: Option<Server>,
    /// The modules of tests that can run.
    modules: Vec<&'static str>,
    /// For the tests.
    variables: Vec<(String, String)>,
    missing: Vec<String>,
}

impl Databases {
    /// Installs what it may, and starts a server.
    fn start() -> Databases {
        let mut databases = Databases {
            server: None,
            modules: vec![],
            variables: vec![],
            missing: vec![],
        };
        match drivers::postgresql().and_then(|driver| Ok((driver, Server::start()?))) {
            Ok((driver, server)) => {
                databases.modules.push("postgresql::");
                databases.set("LASTBIT_POSTGRESQL_DRIVER", &driver.to_string_lossy());
                databases.set("LASTBIT_TEST_POSTGRESQL", &server.url());
                databases.server = Some(server);
            }
            Err(error) => databases.missing.push(format!("PostgreSQL: {error:#}")),
        }
        match drivers::duckdb() {
            Ok(driver) => {
                databases.modules.push("duckdb::");
                databases.set("LASTBIT_DUCKDB_DRIVER", &driver.to_string_lossy());
            }
            Err(error) => databases.missing.push(format!("DuckDB: {error:#}")),
        }
        databases
    }

    fn set(&mut self, name: &str, value: &str) {
        self.variables.push((name.to_owned(), value.to_owned()));
    }

    /// Tells a command where the databases are, and nothing else about PostgreSQL: what somebody
    /// has in their environment or home is about other servers.
    fn tell(&self, command: &mut Command) {
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("PG") {
                command.env_remove(name);
            }
        }
        if let Some(server) = &self.server {
            command.env("PGPASSFILE", server.no_passwords());
        }
        command.envs(self.variables.iter().cloned());
    }

    fn test(&self) -> Result<usize> {
        // All packages, so that dependencies have the features of the other tests, and are not
        // built again.
        let arguments = "--workspace --exclude lastbit-python --test databases";
        let repeat = "cargo xtask databases";
        test::cargo_test(arguments, &self.modules, repeat, |cargo| self.tell(cargo))
    }
}

/// What is missing is an error. With arguments, runs that command in place of the tests, such as a
/// shell.
pub fn run(arguments: &[String]) -> Result<()> {
    let databases = Databases::start();
    if !databases.missing.is_empty() {
        bail!("{}", databases.missing.join("\n"));
    }
    match arguments.split_first() {
        None => databases
            .test()
            .map(|passed| println!("{passed} tests passed")),
        Some((program, rest)) => {
            let mut command = Command::new(program);
            command.args(rest);
            databases.tell(&mut command);
            run::succeed(&mut command, "see above")
        }
    }
}

/// As a step of `cargo xtask test`: against what can be had here, and with the reason for what
/// cannot.
pub fn step() -> Result<Outcome> {
    let databases = Databases::start();
    let missing = databases.missing.join("; ");
    if databases.modules.is_empty() {
        return Ok(Outcome::Skipped(missing));
    }
    if !missing.is_empty() {
        println!("-- skipped: {missing}");
    }
    let passed = databases.test()?;
    let skipped = match missing.is_empty() {
        true => String::new(),
        false => format!("; skipped: {missing}"),
    };
    Ok(Outcome::Passed(format!("{passed} tests passed{skipped}")))
}
