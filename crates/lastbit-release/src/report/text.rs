//! Reports for a terminal.

use comfy_table::{CellAlignment, Table, presets};

use super::clean::{shortened, visible};
use super::html::number;
use super::{Cell, Picture, Report, Statistic};

/// The most lines of one statistic; more are for programs.
const MOST_LINES: usize = 200;

/// The longest name, in characters.
const LONGEST: usize = 40;

/// The width of the longest bar.
const BAR: usize = 24;

/// The report as tables: value ± error, and a bar where one helps.
pub fn text(report: &Report) -> String {
    let mut lines = vec![name(&report.title)];
    lines.push(format!(
        "{}; errors hold with probability {} each; added up by {}",
        visible(&report.loss),
        visible(&report.confidence),
        visible(&report.accountant)
    ));
    lines.extend(report.notes.iter().map(|note| visible(note).into_owned()));
    for statistic in &report.statistics {
        lines.push(String::new());
        lines.push(heading(statistic));
        lines.push(table(statistic));
        let more = statistic.cells.len().saturating_sub(MOST_LINES);
        if more > 0 {
            lines.push(format!(
                "… and {more} more: write the report as JSON, CSV or HTML to see them"
            ));
        }
    }
    let receipt = &report.receipt;
    lines.push(String::new());
    lines.push(format!(
        "receipt: plan {}, ledger row {} ({}), {}",
        shortened(&visible(&receipt.plan), 16),
        receipt.ledger_row,
        shortened(&visible(&receipt.ledger_hash), 16),
        visible(&receipt.time)
    ));
    let mut text = lines.join("\n");
    text.push('\n');
    text
}

fn name(text: &str) -> String {
    shortened(&visible(text), LONGEST).into_owned()
}

fn names(texts: &[String]) -> String {
    texts
        .iter()
        .map(|text| name(text))
        .collect::<Vec<_>>()
        .join(", ")
}

/// `mean age: mean of age by ward, in years (snapping, ε = 0.1)`.
fn heading(statistic: &Statistic) -> String {
    let mut text = format!("{}: {}", name(&statistic.name), name(&statistic.kind));
    if !statistic.of.is_empty() {
        text += &format!(" of {}", names(&statistic.of));
    }
    if !statistic.by.is_empty() {
        text += &format!(" by {}", names(&statistic.by));
    }
    if !statistic.unit.is_empty() {
        text += &format!(", in {}", name(&statistic.unit));
    }
    text + &format!(
        " ({}, {})",
        visible(&statistic.mechanism),
        visible(&statistic.loss)
    )
}

fn table(statistic: &Statistic) -> String {
    let labelled = statistic.cells.iter().any(|cell| !cell.label.is_empty());
    let bars = statistic.picture == Picture::Bars && statistic.cells.len() > 1;
    let longest = statistic
        .cells
        .iter()
        .filter_map(|cell| number(cell.value.as_deref()))
        .fold(0.0, f64::max);
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let mut header: Vec<String> = statistic.by.iter().map(|key| name(key)).collect();
    if labelled {
        header.push(label_header(statistic).into());
    }
    let values = header.len();
    header.extend(["value".into(), "± error".into()]);
    if bars {
        header.push(String::new());
    }
    table.set_header(header);
    for cell in statistic.cells.iter().take(MOST_LINES) {
        let mut row: Vec<String> = (0..statistic.by.len())
            .map(|key| cell.group.get(key).map_or(String::new(), |one| name(one)))
            .collect();
        if labelled {
            row.push(name(&cell.label));
        }
        row.push(value(cell));
        row.push(error(cell));
        if bars {
            row.push(bar(number(cell.value.as_deref()), longest));
        }
        table.add_row(row);
    }
    for column in [values, values + 1] {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
        .to_string()
        .lines()
        .map(|line| format!(" {}", line.trim_end()))
        .collect::<Vec<_>>()
        .join("\n")
}

/// What the labels of a statistic are.
pub(super) fn label_header(statistic: &Statistic) -> &'static str {
    match statistic.kind.as_str() {
        "histogram" => "bin",
        "quantiles" => "quantile",
        _ => "of",
    }
}

fn value(cell: &Cell) -> String {
    match &cell.value {
        Some(value) => visible(value).into_owned(),
        None => "withheld".into(),
    }
}

/// `± 0.3`, `± 12 ranks`, or nothing.
pub(super) fn error(cell: &Cell) -> String {
    match &cell.error {
        Some(error) if cell.error_unit.is_empty() => format!("± {}", visible(error)),
        Some(error) => format!("± {} {}", visible(error), visible(&cell.error_unit)),
        None => String::new(),
    }
}

fn bar(value: Option<f64>, longest: f64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let share = match value {
        Some(value) if longest > 0.0 => (value / longest).clamp(0.0, 1.0),
        _ => 0.0,
    };
    let eighths = (share * (8 * BAR) as f64).round() as usize;
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}
