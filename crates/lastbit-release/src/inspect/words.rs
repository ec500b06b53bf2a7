//! An inspection in words.

use super::{InspectedCells, Inspection, look_first};
use crate::clean::{label, visible};
use crate::plan::{Neighbours, Plan};
use crate::present::wrapped;
use crate::schema::{ColumnKind, NumberKind, Unit};

/// The longest name, and the most absent categories that are named.
const LONGEST: usize = 100;
const MOST_NAMED: usize = 20;

/// What stands before and after an inspection.
pub const NOT_PRIVATE: &str = "NOT PRIVATE: exact facts about the data, for the steward alone. \
                               Publish nothing of this, and choose no bounds, categories or \
                               limits by it: that is outside the guarantee.";

/// What the cells of a column of numbers are, and how they are written.
fn cells_of(plan: &Plan, name: &str) -> (&'static str, &'static str) {
    let scale = match plan.column(name).map(|column| &column.kind) {
        Some(ColumnKind::Numbers(numbers)) => numbers.scale,
        _ => NumberKind::Real,
    };
    match scale {
        NumberKind::Days => ("date", " (dates are written 2024-01-31)"),
        NumberKind::Seconds => ("time", " (times are written 2024-01-31T23:59:59)"),
        _ => (
            "number",
            " (numbers are written 1234.5: without signs between thousands, decimal commas, \
             percent signs or units)",
        ),
    }
}

/// What was seen, in words for a terminal or a page, with the warning before and after.
pub fn lines(plan: &Plan, inspection: &Inspection) -> Vec<String> {
    let mut lines = wrapped(NOT_PRIVATE, 0);
    lines.push(String::new());
    let first = look_first(plan, inspection);
    if !first.is_empty() {
        lines.push("Look at this first:".to_owned());
        for sentence in first {
            lines.extend(wrapped(&format!("! {sentence}"), 2));
        }
        lines.push(String::new());
    }
    let mut rows = format!("{} rows", inspection.rows);
    if plan.derive.filter.is_some() {
        rows += &format!("; the filter leaves out {}", inspection.filtered);
    }
    lines.extend(wrapped(&rows, 0));
    for sentence in expected(plan, inspection.rows) {
        lines.extend(wrapped(&sentence, 0));
    }
    let kept = inspection.kept();
    for column in &inspection.columns {
        let name = label(&column.name, LONGEST);
        let text = match &column.cells {
            InspectedCells::Numbers {
                below,
                above,
                no_number,
                missing,
            } => {
                let (what, hint) = cells_of(plan, &column.name);
                let unreadable = no_number.saturating_sub(missing.unwrap_or(0));
                let hint = if unreadable > 0 { hint } else { "" };
                let rest = match missing {
                    Some(missing) => format!("{missing} are missing, and {unreadable} are not"),
                    None => format!("{unreadable} are missing or not"),
                };
                let cut = match below + above {
                    0 => String::new(),
                    cut => format!(", {} of {kept}", percent(cut, kept)),
                };
                format!(
                    "{} below the lower bound and {above} above the upper one{cut}; {rest} a \
                     {what}{hint}",
                    cells(*below)
                )
            }
            InspectedCells::Categories {
                absent,
                missing,
                unlisted,
                commonest,
            } => {
                let named: Vec<_> = absent
                    .iter()
                    .take(MOST_NAMED)
                    .map(|name| category(plan, &column.name, name))
                    .collect();
                let absent = match absent.len() {
                    0 => "every listed category occurs".to_owned(),
                    many if many > MOST_NAMED => {
                        format!(
                            "{many} listed categories do not occur: {}, …",
                            named.join(", ")
                        )
                    }
                    _ => format!("listed and do not occur: {}", named.join(", ")),
                };
                format!(
                    "{absent}; {} missing, and {unlisted} {} not listed{}",
                    cells(*missing),
                    if *unlisted == 1 { "is" } else { "are" },
                    most_common(*unlisted, commonest)
                )
            }
            InspectedCells::Discovered { values, missing } => {
                format!("{values} values; {} missing", cells(*missing))
            }
        };
        lines.extend(wrapped(&format!("{name}: {text}"), 2));
    }
    if let (
        Some(units),
        Unit::Column {
            name, most_rows, ..
        },
    ) = (&inspection.units, &plan.unit)
    {
        let name = label(name, LONGEST);
        lines.push(String::new());
        lines.extend(wrapped(
            &format!(
                "{} different {name}; {} of them have more than most_rows = {most_rows} rows in \
                 all; {} rows have no {name}",
                units.units, units.beyond, units.without
            ),
            0,
        ));
        for one in &units.statistics {
            let statistic = label(&one.name, LONGEST);
            let filter = match one.filtered {
                Some(filtered) => format!("its own filter leaves out {filtered} rows; "),
                None => String::new(),
            };
            let text = format!(
                "{statistic}: {filter}the limits leave out {} of {} rows (most_rows = {}, \
                 most_groups = {})",
                one.left_out, one.rows, one.most_rows, one.most_groups
            );
            lines.extend(wrapped(&text, 2));
        }
    }
    if !inspection.filters.is_empty() {
        lines.push(String::new());
    }
    for one in &inspection.filters {
        let statistic = label(&one.statistic, LONGEST);
        let text = format!(
            "{statistic}: its own filter leaves out {} of {} rows",
            one.filtered, one.rows
        );
        lines.extend(wrapped(&text, 2));
    }
    if !inspection.conditions.is_empty() {
        lines.push(String::new());
    }
    for one in &inspection.conditions {
        let text = format!(
            "{}: `{}` is true for {} rows, false for {}, and neither for {}{}",
            label(&one.statistic, LONGEST),
            visible(&one.condition),
            one.is_true,
            one.is_false,
            one.neither,
            match one.neither {
                0 => "",
                _ => ", which do not count",
            }
        );
        lines.extend(wrapped(&text, 2));
    }
    lines.push(String::new());
    lines.extend(wrapped(NOT_PRIVATE, 0));
    lines
}

/// `"6" (Saturday)`: a category as the cells have it, and as reports show it.
pub(super) fn category(plan: &Plan, column: &str, name: &str) -> String {
    let of_column = plan.column(column);
    let shown = of_column.and_then(|column| match (&column.kind, &column.labels) {
        (ColumnKind::Categories(categories), Some(labels)) => {
            let place = categories.names.iter().position(|other| other == name)?;
            labels.get(place).filter(|label| *label != name)
        }
        _ => None,
    });
    let name = label(name, LONGEST);
    match shown {
        None => format!("\"{name}\""),
        Some(shown) => format!("\"{name}\" ({})", label(shown, LONGEST)),
    }
}

/// A part in percent: `100 %` is all, and `0 %` none.
pub(super) fn percent(part: u64, whole: u64) -> String {
    let thousandths = (2000 * u128::from(part) / u128::from(whole.max(1))).div_ceil(2);
    match thousandths {
        _ if part == 0 => "0 %".to_owned(),
        _ if part >= whole => "100 %".to_owned(),
        0 => "below 0.1 %".to_owned(),
        1000.. => "above 99.9 %".to_owned(),
        some => format!("{}.{} %", some / 10, some % 10),
    }
}

/// `1 cell is`, `2 cells are`.
fn cells(count: u64) -> String {
    match count {
        1 => "1 cell is".to_owned(),
        _ => format!("{count} cells are"),
    }
}

/// `: "nort" (3), "sout" (1)`; empty if every cell is listed.
fn most_common(unlisted: u64, commonest: &[(String, u64)]) -> String {
    if commonest.is_empty() {
        return String::new();
    }
    let shown: u64 = commonest.iter().map(|(_, cells)| cells).sum();
    let named: Vec<_> = commonest
        .iter()
        .map(|(value, cells)| format!("\"{}\" ({cells})", label(value, LONGEST)))
        .collect();
    let more = if shown < unlisted { ", …" } else { "" };
    format!(": {}{more}", named.join(", "))
}

/// The numbers of rows in the plan, beside the one of the files.
fn expected(plan: &Plan, rows: u64) -> Vec<String> {
    let mut sentences = Vec::new();
    if let Neighbours::ChangeOne {
        rows: Some(public), ..
    } = plan.neighbours
    {
        sentences.push(match public == rows {
            true => format!("rows = {public} in the plan, as in the data"),
            false => format!(
                "rows = {public} in the plan, and the data have {rows}: a release is refused \
                 until they agree"
            ),
        });
    }
    if let Some(expected) = plan.expected_rows {
        sentences.push(format!(
            "expected_rows = {expected} in the plan, for errors before the release, and for \
             the loss where a statistic asks for an `error`: a guess at the rows of a group, which \
             need not agree"
        ));
    }
    sentences
}
