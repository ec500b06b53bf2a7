//! `lastbit ledger check`.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use comfy_table::{ContentArrangement, Table, presets};
use lastbit_release::clean::{self, label, visible};
use lastbit_release::ledger::{self, Event, Fault, Witness};
use lastbit_release::present::{Report, from_json};
use serde_json::{Map, Value, json};

use super::LONGEST;
use super::json::account_json;
use crate::streams::{width, write_wrapped};

const CHECK: &str = "\
Each entry holds the hash of the one before it, and the head counts them, so that edits, \
removals and reordering are found. Somebody who can write the file could still cut its end and \
correct the head, or write all of it anew: that is found by a hash which was kept elsewhere, \
from `ledger show` or from the receipt of a report.";

#[derive(Args)]
#[command(before_long_help = CHECK)]
pub struct Check {
    /// The ledger, or a plan beside it
    pub file: PathBuf,

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

pub fn check(file: &Check, out: &mut impl Write) -> Result<()> {
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

/// Adds a fault for each report that differs from the one that the ledger stored.
fn compare(ledger: &Path, reports: &[(&PathBuf, Report)], found: &mut ledger::Check) -> Result<()> {
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
                // Each showing of a report decides anew whether it has the fingerprint.
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
    found: &ledger::Check,
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
                Some(own) => {
                    let plainly = match account.spent.main.is_zero() {
                        true => String::new(),
                        false => format!(" after {} that was spent plainly", account.spent),
                    };
                    let text = format!(
                        "spent {} of {}, under the budget {}{plainly}",
                        own.spent, own.limit, account.budget
                    );
                    write_wrapped(out, &text, "")?;
                }
            }
        }
        if reports > 0 {
            writeln!(out, "reports that say what it stored: {reports}")?;
        }
        if witnesses > 0 {
            writeln!(out, "hashes that were given and are in it: {witnesses}")?;
        }
        writeln!(out, "head {}", found.head)?;
    } else {
        match found.entries {
            0 => writeln!(out, "failed")?,
            _ => writeln!(out, "failed: {entries}")?,
        }
        let mut table = Table::new();
        table
            .load_style(presets::NOTHING)
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(u16::try_from(width()).unwrap_or(u16::MAX));
        table.set_header(["row", "fault"]);
        for fault in &found.faults {
            let row = fault.row.map_or("–".into(), |row| row.to_string());
            table.add_row([row, label(&fault.what, LONGEST).into_owned()]);
        }
        writeln!(out, "{}", table.trim_fmt())?;
    }
    for note in &found.notes {
        write_wrapped(out, &format!("note: {}", visible(note)), "")?;
    }
    Ok(())
}

fn check_json(found: &ledger::Check) -> Value {
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
