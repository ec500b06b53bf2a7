//! Reports as comma-separated values: one line for each published number, with its receipt.

use super::interval::{interval, rank_error};
use super::{Cell, PublishedStatistic, Report};
use crate::clean::is_hidden;

const COLUMNS: [&str; 21] = [
    "statistic",
    "kind",
    "of",
    "by",
    "group",
    "label",
    "value",
    "error",
    "unit",
    "error_unit",
    "confidence",
    "mechanism",
    "loss",
    "grid",
    "certificate",
    "plan",
    "ledger_row",
    "ledger_hash",
    "lower",
    "upper",
    "about",
];

/// The report as CSV (RFC 4180): a header, then one line for each number. Several columns or keys
/// are joined by ` / `, and each key has a column `by.NAME` of its own at the end. After them,
/// `withheld` and `too_noisy` are `true` or `false`, and `rank_error` repeats an error that is in
/// ranks and not in the unit of its number; `lower` and `upper` are always in that unit. Texts are
/// unchanged, except for an apostrophe before what a spreadsheet would run as a formula. A
/// rehearsal has one more column, which says so in every line.
pub fn csv(report: &Report) -> String {
    let mut keys: Vec<&String> = Vec::new();
    for key in report.statistics.iter().flat_map(|statistic| &statistic.by) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let mut header: Vec<String> = COLUMNS.map(str::to_owned).to_vec();
    header.extend(keys.iter().map(|key| quoted(&plain(&format!("by.{key}")))));
    header.extend(["withheld", "too_noisy", "rank_error"].map(str::to_owned));
    header.extend(report.invented.then(|| "invented".to_owned()));
    let mut text = header.join(",");
    text.push_str("\r\n");
    for statistic in &report.statistics {
        for cell in &statistic.cells {
            let mut line = fields(report, statistic, cell)
                .map(|field| quoted(&field))
                .to_vec();
            line.extend(keys.iter().map(|key| {
                let place = statistic.by.iter().position(|other| other == *key);
                let label = place.and_then(|place| cell.group.get(place));
                quoted(&plain(label.map_or("", String::as_str)))
            }));
            line.extend([cell.value.is_none(), cell.too_noisy].map(|flag| flag.to_string()));
            line.push(quoted(&plain(rank_error(cell).unwrap_or_default())));
            line.extend(report.invented.then(|| "invented".to_owned()));
            text.push_str(&line.join(","));
            text.push_str("\r\n");
        }
    }
    text
}

fn fields(report: &Report, statistic: &PublishedStatistic, cell: &Cell) -> [String; COLUMNS.len()] {
    let receipt = &report.receipt;
    let (lower, upper) = interval(statistic, cell).unwrap_or_default();
    let error_unit = match cell.error_unit.as_str() {
        "" => &statistic.unit,
        unit => unit,
    };
    [
        plain(&statistic.name),
        plain(&statistic.kind),
        plain(&statistic.of.join(" / ")),
        plain(&statistic.by.join(" / ")),
        plain(&cell.group.join(" / ")),
        plain(&cell.label),
        plain(cell.value.as_deref().unwrap_or_default()),
        plain(cell.error.as_deref().unwrap_or_default()),
        plain(&statistic.unit),
        plain(error_unit),
        plain(&report.confidence),
        plain(&statistic.mechanism),
        plain(&statistic.loss),
        plain(&statistic.grid),
        plain(&receipt.certificate),
        plain(&receipt.plan),
        receipt.ledger_row.to_string(),
        plain(&receipt.ledger_hash),
        plain(&lower),
        plain(&upper),
        plain(&statistic.about.join("; ")),
    ]
}

/// A text that no spreadsheet runs: an apostrophe precedes whatever would begin a formula, at the
/// start of the cell or after a separator that some spreadsheets obey even between quotes. Numbers
/// stay numbers.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 1);
    let mut cells = text.split_inclusive([';', '\t', '\r', '\n']);
    // An empty text has no cell.
    let mut cell = cells.next().unwrap_or_default();
    let mut first = true;
    loop {
        if begins_formula(cell, first) {
            out.push('\'');
        }
        out.push_str(cell);
        first = false;
        match cells.next() {
            Some(next) => cell = next,
            None => return out,
        }
    }
}

/// `=`, `+`, `-` and `@` begin formulas, also in the wide forms of East Asia, after spaces, quotes
/// and hidden characters. So do a tab and a line break at the start of a text.
fn begins_formula(cell: &str, first: bool) -> bool {
    if first && cell.starts_with(['\t', '\r', '\n']) {
        return true;
    }
    let skipped = |c: char| c == ' ' || c == '"' || is_hidden(c);
    let start = cell.trim_start_matches(skipped);
    start.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']) && !is_number(cell)
}

/// A decimal, with an exponent or without.
fn is_number(text: &str) -> bool {
    let text = text.trim_end_matches([';', '\t', '\r', '\n']);
    text.bytes().any(|byte| byte.is_ascii_digit())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte))
        && text.parse::<f64>().is_ok()
}

fn quoted(field: &str) -> String {
    let special = |c: char| matches!(c, ',' | ';' | '"') || is_hidden(c);
    if field.contains(special) || field.starts_with(' ') || field.ends_with(' ') {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

#[cfg(test)]
mod tests;
