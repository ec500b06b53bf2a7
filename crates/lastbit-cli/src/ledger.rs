//! `lastbit ledger`: what was spent, by whom it can be checked, and the budget.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use comfy_table::{CellAlignment, Table, presets};
use lastbit::parse_number;
use lastbit_exact::{Rational, Rounding};
use lastbit_release::clean::{self, label, visible};
use lastbit_release::ledger::{self, Account, Check, Entry, Event, Fault, Witness};
use lastbit_release::loss::{Loss, Measure, decimal};
use lastbit_release::present::{Report, from_json};
use serde_json::{Map, Value, json};

use crate::number::{json as number, json_up};
use crate::picture::rows;
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
    Check(CheckFile),
    /// Change the budget: an entry of its own, never below what is spent
    Budget(Budget),
}

#[derive(Args)]
pub struct File {
    /// The ledger
    file: PathBuf,

    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

const CHECK: &str = "\
Each entry holds the hash of the one before it, and the head counts them, so that edits, \
removals and reordering are found. Somebody who can write the file could still cut its end and \
correct the head, or write all of it anew: that is found by a hash which was kept elsewhere, \
from `ledger show` or from the receipt of a report.";

#[derive(Args)]
#[command(before_long_help = CHECK)]
pub struct CheckFile {
    /// The ledger
    file: PathBuf,

    /// A hash that some entry must have, as `ledger show` printed it; may be repeated
    #[arg(long, value_name = "HASH")]
    head: Vec<String>,

    /// A report in JSON whose reservation and numbers must be those in the ledger; may be repeated
    #[arg(long, value_name = "REPORT.json")]
    report: Vec<PathBuf>,

    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

const BUDGET: &str = "\
Examples:
  lastbit ledger budget clinic.ledger --epsilon 2 --note \"the board agreed, 3 March\"
  lastbit ledger budget census.ledger --rho 0.5";

#[derive(Args)]
#[command(after_long_help = BUDGET)]
pub struct Budget {
    /// The ledger
    file: PathBuf,

    /// The whole budget ε from now on
    #[arg(long, value_name = "E", value_parser = amount, allow_hyphen_values = true, required_unless_present = "rho")]
    epsilon: Option<Rational>,

    /// The whole budget ρ from now on
    #[arg(long, value_name = "R", value_parser = amount, allow_hyphen_values = true, conflicts_with_all = ["epsilon", "delta"])]
    rho: Option<Rational>,

    /// The whole budget δ from now on; as it was if left out
    #[arg(long, value_name = "D", value_parser = amount, allow_hyphen_values = true)]
    delta: Option<Rational>,

    /// Why, for people who read the ledger
    #[arg(long, value_name = "TEXT", default_value = "")]
    note: String,

    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

fn amount(text: &str) -> Result<Rational, String> {
    let value = parse_number("budget", text).map_err(|error| error.to_string())?;
    match value.is_negative() {
        true => Err(format!("a budget must not be negative, got {text}")),
        false => Ok(value),
    }
}

impl Ledger {
    pub fn run(self, out: &mut impl Write) -> Result<()> {
        warn_if_exposed(match &self {
            Ledger::Show(file) | Ledger::History(file) => &file.file,
            Ledger::Check(file) => &file.file,
            Ledger::Budget(change) => &change.file,
        });
        match self {
            Ledger::Show(file) => show(&file, out),
            Ledger::History(file) => history(&file, out),
            Ledger::Check(file) => check(&file, out),
            Ledger::Budget(change) => budget(&change, out),
        }
    }
}

/// Says so if others than its owner can read a ledger.
pub fn warn_if_exposed(path: &Path) {
    if let Some(mode) = ledger::exposure(path) {
        say(&format!(
            "warning: {}: others may open this ledger (its mode is {mode}), and who can read it can confirm a guess of the data; \
             close it to them with chmod 600",
            clean::path(path)
        ));
    }
}

fn show(file: &File, out: &mut impl Write) -> Result<()> {
    let mut ledger = ledger::Ledger::view(&file.file)?;
    let entries = ledger.entries()?;
    print_account(&ledger, &entries, file.json, out)
}

fn print_account(
    ledger: &ledger::Ledger,
    entries: &[Entry],
    as_json: bool,
    out: &mut impl Write,
) -> Result<()> {
    let account = ledger.account();
    let (_, head) = ledger.head();
    let unsettled = ledger.unsettled();
    let settled = entries
        .iter()
        .filter(|entry| matches!(entry.event, Event::Settle { .. }))
        .count();
    if as_json {
        let mut object = account_json(account);
        object.insert("releases".into(), settled.into());
        object.insert("unsettled_rows".into(), unsettled.into());
        object.insert("entries".into(), entries.len().into());
        object.insert("head".into(), head.into());
        writeln!(out, "{}", serde_json::to_string_pretty(&object)?)?;
        return Ok(());
    }
    let wasted = match unsettled.len() {
        0 => String::new(),
        count => format!("and {count} reserved but not settled, which stay spent"),
    };
    rows(
        out,
        &[
            ("budget", account.budget.to_string(), ""),
            ("spent", account.spent.to_string(), ""),
            ("remaining", account.remaining().to_string(), ""),
            ("releases", settled.to_string(), &wasted),
            ("entries", entries.len().to_string(), ""),
            ("head", head.to_owned(), ""),
        ],
    )?;
    Ok(())
}

fn history(file: &File, out: &mut impl Write) -> Result<()> {
    let mut ledger = ledger::Ledger::view(&file.file)?;
    let entries = ledger.entries()?;
    let unsettled = ledger.unsettled();
    let mut spent = Loss::zero(ledger.account().budget.measure);
    let mut budget = spent.clone();
    let mut lines = Vec::new();
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["row", "time", "entry", "amount", "remaining", "what"]);
    for entry in &entries {
        let (kind, amount, what) = match &entry.event {
            Event::Budget { budget: new, note } => {
                budget = new.clone();
                ("budget", new.to_string(), note.clone())
            }
            Event::Reserve {
                loss, description, ..
            } => {
                spent = spent.plus(loss);
                let lost = match unsettled.contains(&entry.row) {
                    true => " (not settled)",
                    false => "",
                };
                (
                    "reserve",
                    format!("− {loss}"),
                    format!("{description}{lost}"),
                )
            }
            Event::Settle { reserve, .. } => ("settle", String::new(), format!("row {reserve}")),
        };
        let remaining = Account {
            budget: budget.clone(),
            spent: spent.clone(),
        }
        .remaining();
        if file.json {
            lines.push(entry_json(entry, &remaining));
        } else {
            table.add_row([
                entry.row.to_string(),
                label(&entry.time, 40).into_owned(),
                kind.into(),
                amount,
                remaining.to_string(),
                label(&what, LONGEST).into_owned(),
            ]);
        }
    }
    if file.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&lines)?)?;
        return Ok(());
    }
    if let Some(column) = table.column_mut(0) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    writeln!(out, "{}", table.trim_fmt())?;
    Ok(())
}

fn check(file: &CheckFile, out: &mut impl Write) -> Result<()> {
    let mut witnesses: Vec<Witness> = file
        .head
        .iter()
        .map(|hash| Witness {
            row: None,
            hash: hash.trim().to_lowercase(),
        })
        .collect();
    let mut reports = Vec::new();
    for path in &file.report {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("{} cannot be read", clean::path(path)))?;
        let report = from_json(&text).with_context(|| clean::path(path))?;
        witnesses.push(Witness {
            row: Some(report.receipt.ledger_row),
            hash: report.receipt.ledger_hash.clone(),
        });
        reports.push((path, report));
    }
    let mut found = ledger::check(&file.file, &witnesses)?;
    if found.passed() && !reports.is_empty() {
        compare(&file.file, &reports, &mut found)?;
    }
    if file.json {
        writeln!(
            out,
            "{}",
            serde_json::to_string_pretty(&check_json(&found))?
        )?;
    } else {
        print_check(&found, reports.len(), witnesses.len(), out)?;
    }
    out.flush()?;
    match found.faults.len() {
        0 => Ok(()),
        1 => bail!("{}: the ledger fails the check", clean::path(&file.file)),
        count => bail!(
            "{}: the ledger fails the check in {count} places",
            clean::path(&file.file)
        ),
    }
}

/// Adds a fault for each report that says other things than the one that the ledger stored.
fn compare(ledger: &Path, reports: &[(&PathBuf, Report)], found: &mut Check) -> Result<()> {
    let entries = ledger::Ledger::view(ledger)?.entries()?;
    for (path, report) in reports {
        let stored = entries.iter().find_map(|entry| match &entry.event {
            Event::Settle {
                reserve,
                report: text,
            } if *reserve == report.receipt.ledger_row => Some(text),
            _ => None,
        });
        let what = match stored {
            None => "its release was never settled, so its numbers are not in the ledger",
            Some(text) => {
                let mut stored = from_json(text).with_context(|| clean::path(ledger))?;
                // Whether the fingerprint is shown is decided when a report is.
                stored.receipt.data = report.receipt.data.clone();
                if stored == *report {
                    continue;
                }
                "it does not say what the ledger stored for this release"
            }
        };
        found.faults.push(Fault {
            row: Some(report.receipt.ledger_row),
            what: format!("{}: {what}", clean::path(path)),
        });
    }
    Ok(())
}

fn print_check(
    found: &Check,
    reports: usize,
    witnesses: usize,
    out: &mut impl Write,
) -> Result<()> {
    let entries = match found.entries {
        1 => "1 entry".into(),
        count => format!("{count} entries"),
    };
    if found.passed() {
        writeln!(out, "passed: {entries}, each as it was written")?;
        if let Some(account) = &found.account {
            writeln!(out, "spent {} of {}", account.spent, account.budget)?;
        }
        if reports > 0 {
            writeln!(out, "reports that say what it stored: {reports}")?;
        }
        if witnesses > 0 {
            writeln!(out, "hashes from elsewhere that are in it: {witnesses}")?;
        }
        writeln!(out, "head {}", found.head)?;
    } else {
        match found.entries {
            0 => writeln!(out, "failed")?,
            _ => writeln!(out, "failed: {entries}")?,
        }
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table.set_header(["row", "fault"]);
        for fault in &found.faults {
            let row = fault.row.map_or("–".into(), |row| row.to_string());
            table.add_row([row, label(&fault.what, LONGEST).into_owned()]);
        }
        writeln!(out, "{}", table.trim_fmt())?;
    }
    for note in &found.notes {
        writeln!(out, "note: {}", visible(note))?;
    }
    Ok(())
}

fn budget(change: &Budget, out: &mut impl Write) -> Result<()> {
    let mut ledger = ledger::Ledger::open_existing(&change.file)?;
    let own = ledger.account().budget.clone();
    let new = match (&change.epsilon, &change.rho) {
        (_, Some(rho)) => Loss::zcdp(rho.clone())?,
        (Some(epsilon), None) => match &change.delta {
            Some(delta) => Loss::approximate(epsilon.clone(), delta.clone())?,
            // Whatever the measure of ε in this ledger is; one of ρ refuses it.
            None if own.measure == Measure::Approximate => {
                Loss::approximate(epsilon.clone(), own.delta.clone())?
            }
            None => Loss::pure(epsilon.clone())?,
        },
        (None, None) => bail!("give the budget as --epsilon or --rho"),
    };
    ledger.set_budget(&new, &change.note)?;
    let entries = ledger.entries()?;
    print_account(&ledger, &entries, change.json, out)
}

fn account_json(account: &Account) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("budget".into(), loss_json(&account.budget, Rounding::Down));
    object.insert("spent".into(), loss_json(&account.spent, Rounding::Up));
    let remaining = loss_json(&account.remaining(), Rounding::Down);
    object.insert("remaining".into(), remaining);
    object
}

/// A loss with each part as a double, rounded to the safe side, and exactly, as text.
fn loss_json(loss: &Loss, rounding: Rounding) -> Value {
    let double = |value: &Rational| match rounding {
        Rounding::Up => json_up(value),
        rounding => number(value.to_f64(rounding)),
    };
    let mut object = Map::new();
    let mut exact = Map::new();
    object.insert("measure".into(), loss.measure.name().into());
    let mut part = |name: &str, value: &Rational| {
        object.insert(name.into(), double(value));
        exact.insert(name.into(), decimal(value).into());
    };
    match loss.measure {
        Measure::Pure => part("epsilon", &loss.main),
        Measure::Zcdp => part("rho", &loss.main),
        Measure::Approximate => {
            part("epsilon", &loss.main);
            part("delta", &loss.delta);
        }
    }
    object.insert("exact".into(), exact.into());
    object.into()
}

fn entry_json(entry: &Entry, remaining: &Loss) -> Value {
    let mut object = Map::new();
    object.insert("row".into(), entry.row.into());
    object.insert("time".into(), entry.time.clone().into());
    let more = match &entry.event {
        Event::Budget { budget, note } => json!({
            "kind": "budget",
            "budget": loss_json(budget, Rounding::Down),
            "note": note,
        }),
        Event::Reserve {
            loss,
            plan,
            data,
            description,
        } => json!({
            "kind": "reserve",
            "loss": loss_json(loss, Rounding::Up),
            "plan": plan,
            "data": data,
            "description": description,
        }),
        Event::Settle { reserve, report } => json!({
            "kind": "settle",
            "reserve": reserve,
            "report": report,
        }),
    };
    if let Value::Object(more) = more {
        object.extend(more);
    }
    object.insert("remaining".into(), loss_json(remaining, Rounding::Down));
    object.insert("previous".into(), entry.previous.clone().into());
    object.insert("hash".into(), entry.hash.clone().into());
    object.into()
}

fn check_json(found: &Check) -> Value {
    let faults: Vec<Value> = found
        .faults
        .iter()
        .map(|fault| json!({ "row": fault.row, "what": fault.what }))
        .collect();
    let mut object = Map::new();
    object.insert("passed".into(), found.passed().into());
    object.insert("faults".into(), faults.into());
    object.insert("notes".into(), found.notes.clone().into());
    object.insert("entries".into(), found.entries.into());
    object.insert("head".into(), found.head.clone().into());
    if let Some(account) = &found.account {
        object.extend(account_json(account));
    }
    object.into()
}
