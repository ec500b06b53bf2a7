//! `lastbit ledger`: shows what was spent, checks the entries, and changes the budget.

mod budget;
mod check;
mod history;
mod json;
mod show;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use lastbit_release::clean;
use lastbit_release::ledger;
use lastbit_release::plan::Plan;

use crate::release::LedgerPlace;
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
    /// The ledger, or a plan beside it
    file: PathBuf,

    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

impl Ledger {
    pub fn run(mut self, out: &mut impl Write) -> Result<()> {
        let file = match &mut self {
            Ledger::Show(file) | Ledger::History(file) => Some(&mut file.file),
            Ledger::Check(file) => Some(&mut file.file),
            // What changes a ledger must name it.
            Ledger::Budget(_) => None,
        };
        if let Some(file) = file {
            *file = of_plan(file)?.unwrap_or_else(|| file.clone());
        }
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

/// The ledger of a plan, if the file is a plan. Which one it is, is said.
fn of_plan(file: &Path) -> Result<Option<PathBuf>> {
    let is_named = file.extension().is_some_and(|end| end == "toml");
    if !is_named || Plan::read(file).is_err() {
        return Ok(None);
    }
    let path = LedgerPlace::of(file, None)?.path()?;
    if !path.exists() {
        bail!(
            "{}: this is a plan, and there is no ledger beside it; the first release makes one",
            clean::path(file)
        );
    }
    say(&format!(
        "{} is a plan; its ledger is {}",
        clean::path(file),
        clean::path(&path)
    ));
    Ok(Some(path))
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
