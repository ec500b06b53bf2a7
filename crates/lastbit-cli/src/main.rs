//! The `lastbit` command: differential privacy that is right to the last bit.
#![forbid(unsafe_code)]

mod attack;
mod audit;
mod convert;
mod exponential;
mod flat_concave;
mod ledger;
mod number;
mod picture;
mod plan;
mod release;
mod snapping;
mod verify;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Differential privacy that is right to the last bit.
///
/// Noise is drawn exactly, parameters are exact decimals, and every number printed about privacy or error is rounded to the safe
/// side. Exit status: 0 done, 1 refused or failed, 2 bad usage; errors go to standard error.
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
    /// Publish what a plan says about a table, through a ledger that cannot be overspent
    Release(release::Release),
    /// See what a plan will cost and how exact its numbers will be, without reading any data
    Plan(plan::Plan),
    /// See, check or change the budget of a data set and what was spent of it
    #[command(subcommand)]
    Ledger(ledger::Ledger),
    /// Run a mechanism on one number, or see its law or its price
    #[command(subcommand)]
    Mechanism(Mechanism),
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

// One value, made once: its size does not matter.
#[allow(clippy::large_enum_variant)]
#[derive(Subcommand)]
enum Mechanism {
    /// Laplace noise on a public grid: what floating-point Laplace should have been
    #[command(subcommand)]
    Snapping(snapping::Snapping),
    /// Selection of a candidate by its score
    #[command(subcommand)]
    Exponential(exponential::Exponential),
    /// Selection of a quantile over a large domain
    #[command(subcommand)]
    FlatConcave(flat_concave::FlatConcave),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let out = &mut io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let done = match cli.command {
        Command::Release(command) => command.run(out),
        Command::Plan(command) => command.run(out),
        Command::Convert(command) => command.run(out),
        Command::Attack(command) => command.run(out),
        Command::Audit(command) => command.run(out),
        Command::Ledger(command) => command.run(out),
        Command::Verify(command) => command.run(out),
        Command::Mechanism(Mechanism::Snapping(command)) => command.run(out),
        Command::Mechanism(Mechanism::Exponential(command)) => command.run(out),
        Command::Mechanism(Mechanism::FlatConcave(command)) => command.run(out),
    };
    match done.and_then(|()| Ok(out.flush()?)) {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of the output has seen enough, as `head` does.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(1)
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
