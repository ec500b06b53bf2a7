//! `lastbit ledger show`.

use std::io::Write;

use anyhow::Result;
use lastbit_exact::{Rational, decimal as digits};
use lastbit_release::clean;
use lastbit_release::ledger::{self, Account, Entry, Event, Terms};
use lastbit_release::loss::{LossMeasure, decimal};
use lastbit_release::present::wrapped;

use super::File;
use super::json::account_json;
use crate::picture::rows;

pub fn show(file: &File, out: &mut impl Write) -> Result<()> {
    let mut ledger = ledger::Ledger::view(&file.file)?;
    let entries = ledger.entries()?;
    print_account(&ledger, &entries, file.json, out)
}

/// Prints the budget of a ledger, and what was spent of it.
pub fn print_account(
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
    if account.budget.measure == LossMeasure::Approximate && account.composed.is_none() {
        writeln!(out)?;
        let budget = &account.budget;
        let move_on = format!(
            "Losses add up plainly. What is left composes, with smaller errors, after `lastbit \
             ledger budget {} --epsilon {} --delta {} --currency zcdp`, for good.",
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
            match spent.is_empty() {
                true => String::new(),
                false => format!("{spent} if the losses had been fixed beforehand"),
            },
        ),
        (
            "remaining",
            composed.remaining().to_string(),
            format!("one more of {left}, by itself; {more}"),
        ),
    ]
}
