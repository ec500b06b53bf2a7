//! `lastbit ledger history`.

use std::io::Write;

use anyhow::{Result, bail};
use comfy_table::{CellAlignment, Table, presets};
use lastbit_exact::Rounding;
use lastbit_release::clean::label;
use lastbit_release::ledger::{self, Account, Entry, Event, Terms};
use lastbit_release::loss::{Loss, decimal};
use serde_json::{Map, Value, json};

use super::json::loss_json;
use super::{File, LONGEST};

pub fn history(file: &File, out: &mut impl Write) -> Result<()> {
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
