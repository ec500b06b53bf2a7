//! An inspection in words.

use super::{InspectedCells, Inspection};
use crate::clean::label;
use crate::plan::{ColumnKind, Plan, Scale, Unit};
use crate::present::wrapped;

/// The longest name, and the most absent categories that are named.
const LONGEST: usize = 40;
const MOST_NAMED: usize = 20;

const WARNING: &str = "NOT PRIVATE: exact facts about the data, for the steward alone. Publish \
                       nothing of this, and choose no bounds, categories or limits by it: that is \
                       outside the guarantee.";

/// What the cells of a column of numbers are, and how they are written.
fn cells_of(plan: &Plan, name: &str) -> (&'static str, &'static str) {
    let scale = match plan.column(name).map(|column| &column.kind) {
        Some(ColumnKind::Numbers(numbers)) => numbers.scale,
        _ => Scale::Real,
    };
    match scale {
        Scale::Days => ("date", " (dates are written 2024-01-31)"),
        Scale::Seconds => ("time", " (times are written 2024-01-31T23:59:59)"),
        _ => (
            "number",
            " (numbers are written 1234.5, without signs between thousands)",
        ),
    }
}

/// What was seen, in words for a terminal or a page, with the warning before and after.
pub fn lines(plan: &Plan, inspection: &Inspection) -> Vec<String> {
    let mut lines = wrapped(WARNING, 0);
    lines.push(String::new());
    lines.extend(wrapped(
        &format!(
            "{} rows; the filter leaves out {}",
            inspection.rows, inspection.filtered
        ),
        0,
    ));
    for column in &inspection.columns {
        let name = label(&column.name, LONGEST);
        let text = match &column.cells {
            InspectedCells::Numbers {
                below,
                above,
                missing,
            } => {
                let (what, hint) = cells_of(plan, &column.name);
                let hint = if *missing > 0 { hint } else { "" };
                format!(
                    "{below} cells are below the lower bound and {above} above the upper one; \
                     {missing} are not a {what}{hint}"
                )
            }
            InspectedCells::Categories { absent, unlisted } => {
                let named: Vec<_> = absent
                    .iter()
                    .take(MOST_NAMED)
                    .map(|name| format!("\"{}\"", label(name, LONGEST)))
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
                format!("{absent}; {unlisted} cells are missing or not listed")
            }
            InspectedCells::Discovered { values, missing } => {
                format!("{values} values; {missing} cells are missing")
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
    lines.push(String::new());
    lines.extend(wrapped(WARNING, 0));
    lines
}
