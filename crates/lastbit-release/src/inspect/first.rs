//! What to look at first in an inspection: what makes numbers say nothing, or something else.

use super::words::{category, percent};
use super::{InspectedCells, Inspection};
use crate::clean::{label, visible};
use crate::plan::{Neighbours, Plan};
use crate::schema::{ColumnKind, Unit};

/// The longest name, and the most categories that are named.
const LONGEST: usize = 100;
const MOST_NAMED: usize = 5;

/// So few units are a handful.
const HANDFUL: u64 = 10;

/// Whether a part is at least half of what there is.
fn is_most(part: u64, whole: u64) -> bool {
    whole > 0 && part >= whole.div_ceil(2)
}

/// Whether a part is so large that numbers are off by it: a twentieth of what there is.
fn is_much(part: u64, whole: u64) -> bool {
    whole > 0 && u128::from(part) * 20 >= u128::from(whole)
}

/// `ALL 12 cells` or `9 of 12 cells (75.0 %)`.
fn of_cells(part: u64, whole: u64) -> String {
    match part >= whole {
        true => format!("ALL {whole} cells"),
        false => format!("{part} of {whole} cells ({})", percent(part, whole)),
    }
}

/// What is most probably a mistake, a sentence each: columns whose cells are all or mostly cut,
/// missing or not listed, filters and conditions that decide nothing, units that are every row or a
/// handful. Each is a fact about the data, and not private.
pub fn look_first(plan: &Plan, inspection: &Inspection) -> Vec<String> {
    let mut found = Vec::new();
    if inspection.rows == 0 {
        return vec!["The data have no rows.".to_owned()];
    }
    if let Neighbours::ChangeOne { rows: Some(rows) } = plan.neighbours
        && rows != inspection.rows
    {
        found.push(format!(
            "The plan says rows = {rows}, and the data have {}.",
            inspection.rows
        ));
    }
    for name in &inspection.never {
        found.push(format!(
            "{} HAS A VALUE IN NO ROW, and counts as missing everywhere; is its name spelled as in \
             the data?",
            label(name, LONGEST)
        ));
    }
    if plan.derive.filter.is_some() {
        found.extend(filter("The filter", inspection.filtered, inspection.rows));
    }
    columns(plan, inspection, &mut found);
    units(plan, inspection, &mut found);
    for one in &inspection.filters {
        let name = format!("The filter of \"{}\"", label(&one.statistic, LONGEST));
        found.extend(filter(&name, one.filtered, one.rows));
    }
    for one in &inspection.conditions {
        let name = label(&one.statistic, LONGEST);
        let all = one.is_true + one.is_false + one.neither;
        let what = match () {
            () if all == 0 => continue,
            () if is_most(one.neither, all) => format!(
                "neither true nor false for {}",
                of_cells(one.neither, all).replace("cells", "rows")
            ),
            () if one.is_true == 0 => "true for no row".to_owned(),
            () if one.is_false == 0 => "false for no row".to_owned(),
            () => continue,
        };
        let condition = visible(&one.condition);
        found.push(format!("\"{name}\": `{condition}` is {what}."));
    }
    found
}

/// A filter that keeps nothing, or all.
fn filter(name: &str, filtered: u64, rows: u64) -> Option<String> {
    match filtered {
        _ if rows == 0 => None,
        0 => Some(format!(
            "{name} keeps all of {rows} rows: does it do anything?"
        )),
        filtered if filtered >= rows => Some(format!("{name} keeps NONE of {rows} rows.")),
        _ => None,
    }
}

fn columns(plan: &Plan, inspection: &Inspection, found: &mut Vec<String>) {
    let kept = inspection.kept();
    for column in &inspection.columns {
        let name = label(&column.name, LONGEST);
        match &column.cells {
            InspectedCells::Numbers {
                below,
                above,
                no_number,
                ..
            } => {
                let read = kept.saturating_sub(*no_number);
                let unit = match plan.column(&column.name).map(|column| &column.kind) {
                    Some(ColumnKind::Numbers(numbers)) if !numbers.unit.is_empty() => {
                        format!(", or is it not in {}", visible(&numbers.unit))
                    }
                    _ => ", or is it in another unit".to_owned(),
                };
                if is_most(*no_number, kept) {
                    found.push(format!(
                        "{} of `{name}` are missing or cannot be read.",
                        of_cells(*no_number, kept)
                    ));
                }
                if is_much(below + above, read) {
                    found.push(format!(
                        "{} of `{name}` are cut to its bounds: are they wrong{unit}?",
                        of_cells(below + above, read)
                    ));
                }
            }
            InspectedCells::Categories {
                absent,
                missing,
                unlisted,
                commonest,
            } => {
                if is_most(*missing, kept) {
                    let cells = of_cells(*missing, kept);
                    found.push(format!("{cells} of `{name}` are missing."));
                }
                let listed = kept.saturating_sub(*missing);
                let named = |names: &mut dyn Iterator<Item = String>| {
                    names.take(MOST_NAMED).collect::<Vec<_>>().join(", ")
                };
                let mut seen =
                    (commonest.iter()).map(|(value, _)| format!("\"{}\"", label(value, LONGEST)));
                let mut lost = absent.iter().map(|one| category(plan, &column.name, one));
                if is_much(*unlisted, listed) {
                    found.push(format!(
                        "{} of `{name}` are not listed, such as {}: are the categories spelt as \
                         in the data?",
                        of_cells(*unlisted, listed),
                        named(&mut seen)
                    ));
                } else if *unlisted > 0 && !absent.is_empty() {
                    found.push(format!(
                        "`{name}` has no cell of {}, and cells that are not listed, such as {}: \
                         are these the same?",
                        named(&mut lost),
                        named(&mut seen)
                    ));
                }
            }
            InspectedCells::Discovered { missing, .. } => {
                if is_most(*missing, kept) {
                    let cells = of_cells(*missing, kept);
                    found.push(format!("{cells} of `{name}` are missing."));
                }
            }
        }
    }
}

fn units(plan: &Plan, inspection: &Inspection, found: &mut Vec<String>) {
    let (Some(units), Unit::Column { name, .. }) = (&inspection.units, &plan.unit) else {
        return;
    };
    let name = label(name, LONGEST);
    let kept = inspection.kept();
    let owned = kept.saturating_sub(units.without);
    if is_most(units.without, kept) {
        let rows = of_cells(units.without, kept).replace("cells", "rows");
        found.push(format!("{rows} have no `{name}`, so they never count."));
    }
    // Nineteen in twenty rows have a unit of their own.
    if owned >= HANDFUL && u128::from(units.units) * 20 >= u128::from(owned) * 19 {
        found.push(format!(
            "There are {} different `{name}` in {owned} rows, almost one for each row: does it say \
             who somebody is, or which row it is?",
            units.units
        ));
    } else if units.units > 0 && units.units < HANDFUL && owned > units.units {
        found.push(format!(
            "There are only {} different `{name}` in {owned} rows: does it say who somebody is?",
            units.units
        ));
    }
    for one in &units.statistics {
        let name = label(&one.name, LONGEST);
        if let Some(filtered) = one.filtered {
            let filter_name = format!("The filter of \"{name}\"");
            found.extend(filter(&filter_name, filtered, one.rows + filtered));
        }
        if is_much(one.left_out, one.rows) {
            found.push(format!(
                "The limits leave out {} of {} rows of \"{name}\" ({}).",
                one.left_out,
                one.rows,
                percent(one.left_out, one.rows)
            ));
        }
    }
}
