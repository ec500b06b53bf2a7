//! `lastbit ledger`: what was spent, by whom it can be checked, and the budget.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use comfy_table::{CellAlignment, Table, presets};
use lastbit::parse_number;
use lastbit_exact::decimal as digits;
use lastbit_exact::{Rational, Rounding};
use lastbit_release::clean::{self, label, visible};
use lastbit_release::ledger::{
    self, Account, Check, Currency, Entry, Event, Fault, Terms, Witness,
};
use lastbit_release::loss::{Loss, Measure, decimal};
use lastbit_release::present::{Report, from_json, wrapped};
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
  lastbit ledger budget census.ledger --rho 0.5
  lastbit ledger budget old.ledger --epsilon 2 --currency zcdp";

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

    /// In what releases add up from now on, under a budget of ε and δ; fixed once something was released in it
    #[arg(long, value_name = "zcdp|gaussian", value_parser = currency, conflicts_with = "rho")]
    currency: Option<Currency>,

    /// How much of δ is set aside for thresholds of discovered keys; a tenth, or as it was, if left out
    #[arg(long, value_name = "D", value_parser = amount, allow_hyphen_values = true, conflicts_with = "rho")]
    thresholds: Option<Rational>,

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

fn currency(word: &str) -> Result<Currency, String> {
    Terms::currency_of(word).ok_or_else(|| {
        format!(
            "releases add up in zcdp (any noise) or gaussian (Gaussian noise alone), not in {word}"
        )
    })
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
    let last = entries.iter().rev().find_map(|entry| match &entry.event {
        Event::Reserve { loss, .. } => Some(loss),
        _ => None,
    });
    let more = last.map(|loss| account.admits(loss));
    if as_json {
        let mut object = account_json(account);
        object.insert("more_like_the_last".into(), more.into());
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
    let more = match more {
        None => String::new(),
        Some(0) => "not enough for one more like the last".to_owned(),
        Some(u64::MAX) => "enough for any number more like the last".to_owned(),
        Some(more) => format!("enough for {more} more like the last"),
    };
    let mut lines = vec![("budget", account.budget.to_string(), String::new())];
    lines.extend(account_lines(account, more));
    lines.extend([
        ("releases", settled.to_string(), wasted),
        ("entries", entries.len().to_string(), String::new()),
        ("head", head.to_owned(), String::new()),
    ]);
    let lines: Vec<(&str, String, &str)> = lines
        .iter()
        .map(|(name, value, meaning)| (*name, value.clone(), meaning.as_str()))
        .collect();
    rows(out, &lines)?;
    if account.budget.measure == Measure::Approximate && account.composed.is_none() {
        writeln!(out)?;
        let budget = &account.budget;
        let move_on = format!(
            "Losses add up plainly. What is left composes, with smaller errors, after `lastbit ledger budget {} --epsilon {} --delta {} --currency zcdp`, for good.",
            clean::path(ledger.path()),
            decimal(&budget.main),
            decimal(&budget.delta)
        );
        for line in wrapped(&move_on, 0) {
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}

/// What is spent and what remains, line by line.
fn account_lines(account: &Account, more: String) -> Vec<(&'static str, String, String)> {
    let composed = account.composed.as_ref().filter(|own| own.is_touched());
    let Some(composed) = composed else {
        let mut lines = vec![
            ("spent", account.spent.to_string(), String::new()),
            ("remaining", account.remaining().to_string(), more),
        ];
        if let Some(own) = account
            .composed
            .as_ref()
            .filter(|own| own.limit.main.is_positive())
        {
            let terms = &own.terms;
            lines.push((
                "adds up",
                Terms::word(terms.currency).to_owned(),
                format!(
                    "up to {} = {}, and δ = {} of thresholds",
                    own.limit.measure.symbol(),
                    decimal(&own.limit.main),
                    decimal(&terms.thresholds)
                ),
            ));
        }
        return lines;
    };
    let at = |epsilon: Option<Rational>, up: bool| {
        let epsilon = epsilon?;
        let few = match up {
            true => digits::up(&epsilon, 4),
            false => epsilon,
        };
        let delta = decimal(&account.budget.delta);
        Some(format!("ε = {} at δ = {delta}", decimal(&few)))
    };
    let plainly = match account.spent.main.is_zero() && account.spent.delta.is_zero() {
        true => String::new(),
        false => format!(", and plainly {}", account.spent),
    };
    let spent = at(account.epsilon_spent(), true).unwrap_or_default();
    let left = at(account.epsilon_left(), false).unwrap_or_default();
    let word = Terms::word(composed.terms.currency);
    vec![
        (
            "adds up",
            word.to_owned(),
            format!(
                "to at most {} = {}, and δ = {} of thresholds",
                composed.limit.measure.symbol(),
                decimal(&composed.limit.main),
                decimal(&composed.terms.thresholds)
            ),
        ),
        (
            "spent",
            format!("{}{plainly}", composed.spent),
            format!("together {spent}"),
        ),
        (
            "remaining",
            composed.remaining().to_string(),
            format!("one more of {left}, by itself; {more}"),
        ),
    ]
}

fn history(file: &File, out: &mut impl Write) -> Result<()> {
    let mut ledger = ledger::Ledger::view(&file.file)?;
    let entries = ledger.entries()?;
    let unsettled = ledger.unsettled();
    let mut account: Option<Account> = None;
    let mut lines = Vec::new();
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["row", "time", "entry", "amount", "remaining", "what"]);
    for entry in &entries {
        let (kind, amount, what) = match &entry.event {
            Event::Budget { budget, note } => ("budget", budget.to_string(), note.clone()),
            Event::Reserve {
                loss, description, ..
            } => {
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
        // A ledger that was opened has entries that add up.
        let limit = entry.limit.as_ref();
        match (&mut account, &entry.event) {
            (Some(account), event) => account.add(event, limit).map_err(anyhow::Error::msg)?,
            (None, Event::Budget { budget, .. }) => {
                account = Some(Account::new(budget, limit).map_err(anyhow::Error::msg)?);
            }
            (None, _) => bail!("a reservation comes before any budget"),
        }
        let Some(remaining) = account.as_ref().map(Account::remaining) else {
            bail!("the ledger has no budget");
        };
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
            match account.composed.as_ref().filter(|own| own.is_touched()) {
                None => writeln!(out, "spent {} of {}", account.spent, account.budget)?,
                Some(own) => writeln!(
                    out,
                    "spent {} of {}, under the budget {}",
                    own.spent, own.limit, account.budget
                )?,
            }
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
    match (change.currency, &change.thresholds) {
        (None, None) => ledger.set_budget(&new, &change.note)?,
        (currency, thresholds) => {
            let usual = Terms {
                currency: Currency::Zcdp,
                thresholds: &new.delta / &Rational::from(10i64),
            };
            ledger.set_terms(
                &new,
                |own| {
                    let own = own.cloned().unwrap_or(usual);
                    Some(Terms {
                        currency: currency.unwrap_or(own.currency),
                        thresholds: thresholds.clone().unwrap_or(own.thresholds),
                    })
                },
                &change.note,
            )?;
        }
    }
    let entries = ledger.entries()?;
    print_account(&ledger, &entries, change.json, out)
}

fn account_json(account: &Account) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("budget".into(), loss_json(&account.budget, Rounding::Down));
    object.insert("spent".into(), loss_json(&account.spent, Rounding::Up));
    let remaining = loss_json(&account.remaining(), Rounding::Down);
    object.insert("remaining".into(), remaining);
    let bound = |epsilon: Option<Rational>, rounding| {
        epsilon.map_or(Value::Null, |epsilon| match rounding {
            Rounding::Up => json_up(&epsilon),
            rounding => number(epsilon.to_f64(rounding)),
        })
    };
    let composes = account.composed.as_ref().map(|own| {
        json!({
            "currency": Terms::word(own.terms.currency),
            "thresholds": decimal(&own.terms.thresholds),
            "limit": loss_json(&own.limit, Rounding::Down),
            "spent": loss_json(&own.spent, Rounding::Up),
            "remaining": loss_json(&own.remaining(), Rounding::Down),
            "epsilon_spent": bound(account.epsilon_spent(), Rounding::Up),
            "epsilon_left": bound(account.epsilon_left(), Rounding::Down),
        })
    });
    object.insert("composes".into(), composes.into());
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
        Measure::ApproximateZcdp => {
            part("rho", &loss.main);
            part("delta", &loss.delta);
        }
        Measure::ApproximateGaussian => {
            part("mu_squared", &loss.main);
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
    if let Some(limit) = &entry.limit {
        object.insert(
            "composes".into(),
            json!({
                "currency": Terms::word(limit.terms.currency),
                "thresholds": decimal(&limit.terms.thresholds),
                "most": decimal(&limit.most),
            }),
        );
    }
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
