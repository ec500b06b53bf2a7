//! `lastbit ledger history`.

use std::io::Write;

use anyhow::{Result, bail};
use lastbit_exact::Rounding;
use lastbit_release::clean::label;
use lastbit_release::ledger::{self, Account, Entry, Event, Terms};
use lastbit_release::loss::{Loss, decimal};
use lastbit_release::present::{ledger_loss_json, wrapped};
use serde_json::{Map, Value, json};

use super::{File, LONGEST};

/// The width of the terminal that entries are broken for.
const WIDTH: usize = 80;

pub fn history(file: &File, out: &mut impl Write) -> Result<()> {
    let mut ledger = ledger::Ledger::view(&file.file)?;
    let entries = ledger.entries()?;
    let unsettled = ledger.unsettled();
    let mut account: Option<Account> = None;
    let mut lines = Vec::new();
    let mut shown = Vec::new();
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
            shown.push(Shown {
                row: entry.row.to_string(),
                time: label(&entry.time, 40).into_owned(),
                kind,
                amount,
                remaining: remaining.to_string(),
                what: label(&what, LONGEST).into_owned(),
            });
        }
    }
    if file.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&lines)?)?;
        return Ok(());
    }
    print(&shown, out)
}

/// An entry for people.
struct Shown {
    row: String,
    time: String,
    kind: &'static str,
    amount: String,
    remaining: String,
    what: String,
}

/// Each entry has a line, and below it, what it is about. An amount too long for the line stands
/// below too.
fn print(entries: &[Shown], out: &mut impl Write) -> Result<()> {
    let width = |of: fn(&Shown) -> &str, head: &str| {
        let texts = entries.iter().map(of).chain([head]);
        texts.map(|text| text.chars().count()).max().unwrap_or(0)
    };
    let rows = width(|entry| &entry.row, "row");
    let times = width(|entry| &entry.time, "time");
    let amounts = width(|entry| &entry.amount, "amount");
    let left = width(|entry| &entry.remaining, "remaining");
    let indent = rows + 3;
    let is_wide = indent + times + 2 + "reserve".len() + 2 + amounts + 2 + left <= WIDTH;
    let head = format!(" {:>rows$}  {:<times$}  entry  ", "row", "time");
    match is_wide {
        true => writeln!(out, "{head}  {:<amounts$}  remaining", "amount")?,
        false => writeln!(out, "{}", head.trim_end())?,
    }
    for entry in entries {
        let Shown {
            row,
            time,
            kind,
            amount,
            remaining,
            what,
        } = entry;
        let line = format!(" {row:>rows$}  {time:<times$}  {kind:<7}");
        let mut below = Vec::new();
        match is_wide {
            true => writeln!(out, "{line}  {amount:<amounts$}  {remaining}")?,
            false => {
                writeln!(out, "{}", line.trim_end())?;
                let spent = (!amount.is_empty()).then(|| format!("amount: {amount}"));
                below.extend(spent);
                below.push(format!("remaining: {remaining}"));
            }
        }
        below.extend((!what.is_empty()).then(|| what.clone()));
        for text in below {
            for line in wrapped(&text, indent) {
                writeln!(out, "{}", line.trim_end())?;
            }
        }
    }
    Ok(())
}

fn entry_json(entry: &Entry, remaining: &Loss) -> Value {
    let mut object = Map::new();
    object.insert("row".into(), entry.row.into());
    object.insert("time".into(), entry.time.clone().into());
    let more = match &entry.event {
        Event::Budget { budget, note } => json!({
            "kind": "budget",
            "budget": ledger_loss_json(budget, Rounding::Down),
            "note": note,
        }),
        Event::Reserve {
            loss,
            plan,
            data,
            description,
        } => json!({
            "kind": "reserve",
            "loss": ledger_loss_json(loss, Rounding::Up),
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
    object.insert(
        "remaining".into(),
        ledger_loss_json(remaining, Rounding::Down),
    );
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
