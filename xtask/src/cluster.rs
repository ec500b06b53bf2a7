//! `cargo xtask cluster`: the tests that need Apache Spark, against a cluster that this starts and
//! stops, also while its workers are killed.

mod killer;
mod machines;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use anyhow::{Context, Result, bail};

use crate::{databases, packages, run, test};
use killer::Killer;
use machines::{Machines, Settings};

/// The version that is tested.
const PYSPARK: &str = "pyspark==4.3.0";

/// How many workers there are, unless an argument says otherwise.
const WORKERS: usize = 2;

/// How many workers are killed, unless an argument says otherwise.
const KILLS: usize = 50;

/// How many random tables are compared, unless an argument says otherwise: Spark plans long for
/// each.
const TABLES: usize = 50;

/// How many of them are compared with the settings that Spark has by itself, too.
const PLAIN_TABLES: usize = 5;

struct Arguments {
    workers: Option<usize>,
    kills: Option<usize>,
    tables: Option<usize>,
    command: Vec<String>,
}

/// With the words of a command, runs that in place of the tests.
pub fn run(arguments: &[String]) -> Result<()> {
    let arguments = read(arguments)?;
    java()?;
    let spark = databases::python_package(PYSPARK)?;
    let workers = arguments.workers.unwrap_or(WORKERS).max(1);
    let machines = Arc::new(Machines::start(&spark, workers)?);
    let python = spark.join("bin/python");
    let tell = |command: &mut Command, settings, tables: usize, killer: Option<&Killer>| {
        command
            .env("LASTBIT_PYTHON", &python)
            .env("LASTBIT_TEST_SPARK", machines.address())
            .env("LASTBIT_TEST_TABLES", tables.to_string());
        machines.tell(command, settings);
        if let Some(killer) = killer {
            command.env("LASTBIT_TEST_KILLS", killer.count_file());
        }
    };
    let tables = arguments.tables.unwrap_or(TABLES);
    if let Some((program, rest)) = arguments.command.split_first() {
        let settings = match arguments.kills {
            Some(_) => Settings::Tests,
            None => Settings::Plain,
        };
        let kills = arguments.kills.filter(|kills| *kills > 0);
        let killer = kills.map(|kills| Killer::start(&machines, kills));
        let killer = killer.transpose()?;
        let mut command = Command::new(program);
        command.args(rest);
        tell(&mut command, settings, tables, killer.as_ref());
        return run::succeed(&mut command, "see above");
    }
    let packages = "--workspace --exclude lastbit-python --test databases";
    let repeat = "cargo xtask cluster";
    // One after another: a session holds all cores of the cluster until it ends.
    let names = ["spark::", "--test-threads=1"];
    let few = tables.min(PLAIN_TABLES);
    let mut passed = test::cargo_test(packages, &names, repeat, |cargo| {
        tell(cargo, Settings::Plain, few, None);
    })?;
    let names = ["spark::nasty_tables", "--test-threads=1"];
    passed += test::cargo_test(packages, &names, repeat, |cargo| {
        tell(cargo, Settings::Tests, tables, None);
    })?;
    let kills = arguments.kills.unwrap_or(KILLS);
    if kills > 0 {
        let killer = Killer::start(&machines, kills)?;
        passed += test::cargo_test(packages, &["killed::"], repeat, |cargo| {
            tell(cargo, Settings::Tests, tables, Some(&killer));
        })?;
    }
    println!("{passed} tests passed, {kills} workers were killed");
    Ok(())
}

fn read(arguments: &[String]) -> Result<Arguments> {
    let mut read = Arguments {
        workers: None,
        kills: None,
        tables: None,
        command: vec![],
    };
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let mut number = || -> Result<usize> {
            let value = rest.next().context("a number is missing")?;
            let number = value.parse();
            number.with_context(|| format!("`{value}` is no number; write `{word} 50`"))
        };
        match word.as_str() {
            "--workers" => read.workers = Some(number()?),
            "--kills" => read.kills = Some(number()?),
            "--tables" => read.tables = Some(number()?),
            option if option.starts_with('-') => {
                bail!(
                    "`cluster` takes --workers N, --kills N, --tables N and a command, got \
                     `{option}`"
                )
            }
            program => {
                read.command.push(program.to_owned());
                read.command.extend(rest.by_ref().cloned());
            }
        }
    }
    Ok(read)
}

/// Spark runs in Java.
fn java() -> Result<()> {
    let is_there = || {
        let mut java = Command::new("java");
        java.arg("-version");
        java.output().is_ok_and(|output| output.status.success())
    };
    const PACKAGE: &str = "openjdk-17-jre-headless";
    if is_there() || (packages::install(&[PACKAGE]) && is_there()) {
        return Ok(());
    }
    bail!(
        "Java is not installed; install Java 17 or later, as root on Debian: apt-get install \
         {PACKAGE}"
    )
}

/// Where Spark's own programs are in an environment of Python.
fn home(environment: &Path) -> Result<PathBuf> {
    let mut python = Command::new(environment.join("bin/python"));
    let program = "import importlib.util as u; print(u.find_spec('pyspark').\
        submodule_search_locations[0])";
    let output = python.args(["-c", program]).output()?;
    let path = String::from_utf8(output.stdout).context("Spark's directory is no text")?;
    let home = Path::new(path.trim_end()).to_owned();
    match home.join("bin/spark-class").exists() {
        true => Ok(home),
        false => bail!("{PYSPARK} has no bin/spark-class"),
    }
}
