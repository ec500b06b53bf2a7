//! The `lastbit` command: differential privacy that is right to the last bit.
//!
//! A library, so that other programs can contain the command: [`run`] is all of it.
#![forbid(unsafe_code)]

mod attack;
mod audit;
mod convert;
mod draft;
mod engine;
mod forms;
mod inspect;
mod ledger;
mod left;
mod mechanism;
mod number;
mod output;
mod picture;
mod plan;
mod query;
mod rehearse;
mod release;
mod serve;
#[cfg(feature = "engine")]
mod sql;
mod streams;
mod verify;

use std::ffi::OsString;
use std::io::{self, Write};
use std::panic;

use clap::{Parser, Subcommand};
use lastbit_release::clean;
use streams::{Stdout, say_error};

/// Differential privacy that is right to the last bit.
///
/// Noise is drawn exactly, parameters are exact decimals, and every number printed about privacy or
/// error is rounded to the safe side. Exit status: 0 done, 1 refused or failed, 2 bad usage; errors
/// go to standard error.
#[derive(Parser)]
#[command(name = "lastbit", version, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

// One value, made once: its size does not matter.
#[allow(clippy::large_enum_variant)]
#[derive(Subcommand)]
enum Command {
    /// Write a commented plan to fill in, from the names and types of columns alone
    Draft(draft::Draft),
    /// Publish what a plan says about a table, through a ledger that cannot be overspent
    Release(release::Release),
    /// Answer a question in SQL about the table of a plan
    Query(query::Query),
    /// See what a plan will cost and how exact its numbers will be, without reading any data
    Plan(plan::PlanArgs),
    /// See every form of a report on rows that the plan makes up: no data, nothing spent
    Rehearse(rehearse::Rehearse),
    /// See what the data do to a plan, for the steward alone: not private
    Inspect(inspect::Inspect),
    /// See the SQL that a plan becomes in a database, without running it
    #[cfg(feature = "engine")]
    Sql(sql::Sql),
    /// See, check or change the budget of a data set and what was spent of it
    #[command(subcommand)]
    Ledger(ledger::Ledger),
    /// Serve a page of plans, prices, releases and the ledger, for one browser
    Serve(serve::Serve),
    /// Run a mechanism on one number, or see its law or its price
    #[command(subcommand)]
    Mechanism(mechanism::Mechanism),
    /// State a privacy loss in another measure, or see what many releases cost
    Convert(convert::Convert),
    /// Try to break a mechanism: by the last bits, the precision or the time of what it publishes
    #[command(subcommand)]
    Attack(attack::Attack),
    /// Bound the loss of any command from below, by running it
    Audit(audit::Audit),
    /// Prove what a floating-point mechanism does
    #[command(subcommand)]
    Verify(verify::Verify),
}

/// Bad usage that shows only when arguments are seen together.
#[derive(Debug)]
pub(crate) struct Usage(pub String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Runs the command with these arguments, the first of which is the name of the program, and
/// returns its exit status: 0 done, 1 refused or failed, 2 bad usage. It writes to standard output
/// and standard error.
pub fn run(arguments: Vec<OsString>) -> u8 {
    // A panic is a fault of ours. It must not look like an answer, and 101 is not a status of this
    // command.
    panic::catch_unwind(|| answer(arguments)).unwrap_or_else(|_| {
        say_error("this is a fault of lastbit; report it with the lines above");
        1
    })
}

fn answer(arguments: Vec<OsString>) -> u8 {
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(error) => return not_parsed(&arguments, error),
    };
    let out = &mut Stdout::new();
    let done = match cli.command {
        Command::Release(command) => command.run(out),
        Command::Query(command) => command.run(out),
        Command::Draft(command) => command.run(out),
        Command::Plan(command) => command.run(out),
        Command::Rehearse(command) => command.run(out),
        Command::Inspect(command) => command.run(out),
        #[cfg(feature = "engine")]
        Command::Sql(command) => command.run(out),
        Command::Serve(command) => command.run(out),
        Command::Convert(command) => command.run(out),
        Command::Attack(command) => command.run(out),
        Command::Audit(command) => command.run(out),
        Command::Ledger(command) => command.run(out),
        Command::Verify(command) => command.run(out),
        Command::Mechanism(command) => command.run(out),
    };
    match done.and_then(|()| Ok(out.flush()?)) {
        Ok(()) => 0,
        Err(_) if out.is_closed() => 0,
        Err(error) => {
            say_error(&format!("{error:#}"));
            if error.is::<Usage>() { 2 } else { 1 }
        }
    }
}

/// Help and versions go to standard output, bad usage to standard error. Messages repeat arguments,
/// so the error shown is that of cleaned arguments.
fn not_parsed(arguments: &[OsString], error: clap::Error) -> u8 {
    let arguments = arguments
        .iter()
        .map(|argument| clean::shown(&argument.to_string_lossy()));
    let error = Cli::try_parse_from(arguments).err().unwrap_or(error);
    let status = u8::try_from(error.exit_code()).unwrap_or(2);
    match error.print().and_then(|()| io::stdout().flush()) {
        Err(failed) if !error.use_stderr() && failed.kind() != io::ErrorKind::BrokenPipe => {
            say_error(&failed.to_string());
            1
        }
        // If bad usage cannot be reported, nobody is there to read it.
        _ => status,
    }
}
