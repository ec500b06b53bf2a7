//! Reports as comma separated values: one line for each published number, with its receipt.

use super::clean::visible;
use super::{Cell, Report, Statistic};

const COLUMNS: [&str; 18] = [
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
];

/// The report as CSV (RFC 4180): a header, then one line a number. Several columns or keys are joined by ` / `. Texts that a spreadsheet would run
/// as a formula begin with an apostrophe.
pub fn csv(report: &Report) -> String {
    let mut text = COLUMNS.join(",");
    text.push_str("\r\n");
    for statistic in &report.statistics {
        for cell in &statistic.cells {
            let line = fields(report, statistic, cell).map(|field| quoted(&field));
            text.push_str(&line.join(","));
            text.push_str("\r\n");
        }
    }
    text
}

fn fields(report: &Report, statistic: &Statistic, cell: &Cell) -> [String; COLUMNS.len()] {
    let receipt = &report.receipt;
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
        cell.value.clone().unwrap_or_default(),
        cell.error.clone().unwrap_or_default(),
        plain(&statistic.unit),
        plain(error_unit),
        report.confidence.clone(),
        plain(&statistic.mechanism),
        plain(&statistic.loss),
        plain(&statistic.grid),
        plain(&receipt.certificate),
        plain(&receipt.plan),
        receipt.ledger_row.to_string(),
        plain(&receipt.ledger_hash),
    ]
}

/// A text that no spreadsheet runs. `=` and `@` begin formulas; `+` and `-` begin numbers as often, so those count only with a call or a
/// reference to another program behind them.
fn plain(text: &str) -> String {
    let text = visible(text);
    let formula = match text.trim_start().chars().next() {
        Some('=' | '@') => true,
        Some('+' | '-') => text.contains(['(', '|', '!']),
        _ => false,
    };
    if formula {
        format!("'{text}")
    } else {
        text.into_owned()
    }
}

fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\r', '\n']) || field.starts_with(' ') || field.ends_with(' ') {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}
