//! `cargo xtask databases`: the tests that need a database, against servers that this starts and
//! stops.

mod drivers;
mod server;

use anyhow::{Result, bail};

use crate::run;
use server::Server;

/// What there is to test against, and what is missing.
struct Databases {
    /// Stopped when this is dropped.
    _server: Option<Server>,
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
            _server: None,
            modules: vec![],
            variables: vec![],
            missing: vec![],
        };
        match drivers::postgresql().and_then(|driver| Ok((driver, Server::start()?))) {
            Ok((driver, server)) => {
                databases.modules.push("postgresql::");
                databases.set("LASTBIT_POSTGRESQL_DRIVER", &driver.to_string_lossy());
                databases.set("LASTBIT_TEST_POSTGRESQL", &server.url());
                databases._server = Some(server);
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

    /// The arguments of `cargo test`.
    fn arguments(&self) -> String {
        format!(
            "-p lastbit-release -p lastbit-cli --test databases -- {}",
            self.modules.join(" ")
        )
    }
}

/// What is missing is an error. With arguments, runs that command in place of the tests, such as a
/// shell.
pub fn run(arguments: &[String]) -> Result<()> {
    let databases = Databases::start();
    if !databases.missing.is_empty() {
        bail!("{}", databases.missing.join("\n"));
    }
    let mut command = match arguments.split_first() {
        None => {
            let mut cargo = run::cargo();
            cargo.arg("test").args(databases.arguments().split(' '));
            cargo
        }
        Some((program, rest)) => {
            let mut command = std::process::Command::new(program);
            command.args(rest);
            command
        }
    };
    command.envs(databases.variables.iter().cloned());
    run::succeed(&mut command, "see above")
}
