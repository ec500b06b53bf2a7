//! `lastbit ledger`: shows what was spent, checks the entries, and changes the budget.

mod budget;
mod check;
mod history;
mod json;
mod show;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Args, Subcommand};
use lastbit_release::clean;
use lastbit_release::ledger;

use crate::streams::say;

/// The longest text of an entry in a table, in characters.
const LONGEST: usize = 200;

const TEACH: &str = "\
A ledger is a file, one per data set, with a budget and an entry for everything that was spent \
of it. A release first reserves its loss, durably, then draws noise, then settles: it stores \
what it publishes. A reservation stays spent whatever happens after it, so a crash may waste \
budget and never leaks. The same release on the same data again returns what was stored, free.";

#[derive(Subcommand)]
#[command(before_long_help = TEACH)]
pub enum Ledger {
    /// Budget, spent and remaining, exactly
    Show(File),
    /// Every entry, in order
    History(File),
    /// Verify every entry; exit status 1 if one was edited, removed, inserted or moved
    Check(check::Check),
    /// Change the budget: an entry of its own, never below what is spent
    Budget(budget::Budget),
}

#[derive(Args)]
pub struct File {
    /// The ledger
    file: PathBuf,

    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

impl Ledger {
    pub fn run(self, out: &mut impl Write) -> Result<()> {
        warn_if_exposed(match &self {
            Ledger::Show(file) | Ledger::History(file) => &file.file,
            Ledger::Check(file) => &file.file,
            Ledger::Budget(change) => &change.file,
        });
        match self {
            Ledger::Show(file) => show::show(&file, out),
            Ledger::History(file) => history::history(&file, out),
            Ledger::Check(file) => check::check(&file, out),
            Ledger::Budget(change) => budget::budget(&change, out),
        }
    }
}

/// Warns if others than its owner can read a ledger.
pub fn warn_if_exposed(path: &Path) {
    if let Some(mode) = ledger::exposure(path) {
        say(&format!(
            "warning: {}: others may open this ledger (its mode is {mode}), and who can read it \
             can confirm a guess of the data; \
             close it to them with chmod 600",
            clean::path(path)
        ));
    }
}
