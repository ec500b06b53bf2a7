//! The rows that a statistic is about: its error does not cover those left out.

use std::collections::HashSet;

use super::guess::WARNING;
use crate::account::Price;
use crate::expression::{Expression, Node, Type, quoted};
use crate::plan::{Plan, Statistic};
use crate::schema::{Column, ColumnKind, Missing, NumberKind, Unit};

/// One phrase each, at least one: which rows a statistic is of, what missing, unlisted or
/// out-of-bounds cells count as, and which groups are shown.
pub fn about(plan: &Plan, statistic: &Statistic, price: &Price) -> Vec<String> {
    let mut left_out = Vec::new();
    let mut counts_as = Vec::new();
    if let Unit::Column { name, .. } = &plan.unit {
        left_out.push(format!("rows without a `{name}`"));
        derived(plan, name, &mut counts_as);
    }
    let mut seen: Vec<&str> = Vec::new();
    let by = statistic.by.iter().map(String::as_str);
    for name in by.chain(statistic.kind.needs()) {
        if !seen.contains(&name)
            && let Some(column) = plan.column(name)
        {
            seen.push(name);
            derived(plan, name, &mut counts_as);
            cells(plan, column, &mut left_out, &mut counts_as);
        }
    }
    let mut rows = limit(plan, statistic);
    let filters = [&plan.derive.filter, &statistic.scope.filter];
    let filters: Vec<String> = filters
        .into_iter()
        .flatten()
        .map(|filter| format!("where `{}`", filter.written()))
        .collect();
    if !filters.is_empty() {
        rows += match plan.unit {
            Unit::Row => " ",
            Unit::Column { .. } => ", of rows ",
        };
        rows += &filters.join(" and ");
    }
    // A condition is SQL's: it may be neither.
    let conditions = statistic.kind.derives();
    for (_, condition) in &conditions {
        let written = condition.written();
        left_out.push(format!(
            "rows for which `{written}` is neither true nor false"
        ));
    }
    // The meaning of the names in a filter. That of a statistic sees derived columns; the
    // others see the cells of the file.
    for name in statistic.scope.filter.iter().flat_map(Expression::columns) {
        if !seen.contains(&name.as_str()) {
            derived(plan, name, &mut counts_as);
        }
        codes(plan, name, &mut counts_as);
    }
    let of_cells = conditions.iter().map(|(_, condition)| *condition);
    for expression in plan.derive.filter.iter().chain(of_cells) {
        for name in expression.columns() {
            if derived_as(plan, name).is_some() {
                let written = expression.written();
                let phrase = format!("`{name}` in `{written}` is the cell of the file");
                counts_as.push(phrase);
            }
            codes(plan, name, &mut counts_as);
        }
    }
    // A unit may be a key, too.
    let mut told = HashSet::new();
    left_out.retain(|phrase: &String| told.insert(phrase.clone()));
    if !left_out.is_empty() {
        rows += &format!(", except {}", left_out.join(" and "));
    }
    let mut phrases = vec![rows];
    if let Some(weights) = statistic.kind.weights() {
        phrases.push(format!("each row counts as often as its `{weights}` says"));
    }
    if let Some(by) = statistic.kind.limited_by() {
        phrases.push(format!(
            "left out by the limits of statistics {}, and of no others; units with many rows lose \
             more of them, so the share of all rows that is left out can be larger",
            grouped(by)
        ));
    }
    phrases.extend(counts_as);
    phrases.extend(groups(plan, statistic, price));
    phrases.extend(statistic.kind.caution().map(str::to_owned));
    if let Some(tied) = &price.tied {
        let names: Vec<String> = tied.with.iter().map(|name| format!("\"{name}\"")).collect();
        phrases.push(match names.is_empty() {
            true => "made to add up to the public number of rows".to_owned(),
            false => format!("made to add up with {}", names.join(" and ")),
        });
    }
    phrases
}

/// How many rows of a unit count.
fn limit(plan: &Plan, statistic: &Statistic) -> String {
    let (Unit::Column { name, .. }, Some((most_rows, most_groups))) =
        (&plan.unit, plan.limits(statistic))
    else {
        return "every row".to_owned();
    };
    if statistic.kind.limited_by().is_some() {
        return format!("every `{name}`, each counted once");
    }
    let index = plan
        .statistics
        .iter()
        .position(|other| other.name == statistic.name);
    if let Some(finest) = index.and_then(|index| plan.finest(index)) {
        let finest = &plan.statistics[finest];
        return format!("{}, as in \"{}\"", limit(plan, finest), finest.name);
    }
    let rows = format!("at most {} of each `{name}`", many(most_rows, "row"));
    match plan.public_groups(statistic) {
        _ if statistic.by.is_empty() => rows,
        _ if statistic.groups_of_unit == Some(1) => {
            // Of another key with one value a unit may have several, of which one is listed.
            let of_unit = statistic.by.iter();
            let of_unit = of_unit.filter(|by| plan.derive.is_of_unit(by, name));
            let names: Vec<String> = of_unit.map(|by| format!("`{by}`")).collect();
            format!("{rows}, which has one {}", names.join(" and one "))
        }
        Some(groups) if groups <= most_groups => format!("{rows} in a group"),
        _ => format!(
            "{rows} in a group, in at most {}",
            many(most_groups, "group")
        ),
    }
}

/// By which columns statistics are grouped.
fn grouped(by: &[String]) -> String {
    let names: Vec<String> = by.iter().map(|name| format!("`{name}`")).collect();
    match names.is_empty() {
        true => "without groups".to_owned(),
        false => format!("by {}", names.join(" and ")),
    }
}

/// What a plan should make its author think of before it spends, a sentence each.
pub fn plan_warnings(plan: &Plan) -> Vec<String> {
    in_other_units(plan)
        .into_iter()
        .chain(unvouched(plan))
        .collect()
}

/// Where a plan publishes what the limits leave out, but not for the groups of all its statistics:
/// which ones nothing vouches for, in a sentence.
fn unvouched(plan: &Plan) -> Option<String> {
    if plan.unit == Unit::Row {
        return None;
    }
    let sorted = |by: &[String]| {
        let mut by = by.to_vec();
        by.sort();
        by
    };
    let limits = |s: &Statistic| s.kind.limited_by().map(sorted);
    let told: Vec<Vec<String>> = plan.statistics.iter().filter_map(limits).collect();
    if told.is_empty() {
        return None;
    }
    let mut lacks: Vec<Vec<String>> = Vec::new();
    for statistic in &plan.statistics {
        let by = sorted(&statistic.by);
        let is_limited = statistic.kind.limited_by().is_none();
        if is_limited && !by.is_empty() && !told.contains(&by) && !lacks.contains(&by) {
            lacks.push(by);
        }
    }
    let what: Vec<String> = lacks.iter().map(|by| grouped(by)).collect();
    (!what.is_empty()).then(|| {
        format!(
            "This plan publishes what limits leave out, but not for statistics {}: of those more \
             may be left out than it says. Add a left-out with their columns in `limits_by`.",
            what.join(", nor for those ")
        )
    })
}

/// Columns that are computed in seconds, as a difference of timestamps is, and said to be in
/// another unit: a sentence for each.
fn in_other_units(plan: &Plan) -> Vec<String> {
    let sentence = |column: &Column| {
        let ColumnKind::Numbers(numbers) = &column.kind else {
            return None;
        };
        let (_, expression) =
            (plan.derive.columns.iter()).find(|(name, _)| *name == column.name)?;
        let Node::Difference { to, .. } = expression.node() else {
            return None;
        };
        let unit = numbers.unit.trim().to_lowercase();
        let (each, name) = match (to.kind(), unit.as_str()) {
            (Type::Timestamp, "day" | "days" | "d") => ("86400", "days"),
            (Type::Timestamp, "hour" | "hours" | "h") => ("3600", "hours"),
            (Type::Timestamp, "minute" | "minutes" | "min") => ("60", "minutes"),
            (Type::Timestamp, "week" | "weeks") => ("604800", "weeks"),
            _ => return None,
        };
        let days = match name {
            "days" => ", or subtract dates, as date(a) - date(b), whose difference is in days",
            _ => "",
        };
        Some(format!(
            "{WARNING}`{}` is a difference of timestamps, which is in seconds, and its unit says \
             {name}. Divide by {each}, as in (a - b) / {each}{days}.",
            column.name
        ))
    };
    plan.columns.iter().filter_map(sentence).collect()
}

/// `1 row`, `2 rows`.
pub(super) fn many(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// How a derived column is computed. The bounds already show that the cells of a column are dates.
fn derived_as<'a>(plan: &'a Plan, name: &str) -> Option<&'a Expression> {
    let mut columns = plan.derive.columns.iter();
    let (_, expression) = columns.find(|(other, _)| other == name)?;
    (!is_reading(name, expression)).then_some(expression)
}

/// Whether a derived column is that column of the file, read as dates or times.
pub(crate) fn is_reading(name: &str, expression: &Expression) -> bool {
    ["date", "timestamp"]
        .into_iter()
        .any(|function| format!("{function}({})", quoted(name)) == expression.written())
}

/// How a derived column is computed and which cells in it are missing, or where it is looked up.
fn derived(plan: &Plan, name: &str, phrases: &mut Vec<String>) {
    if let Some(expression) = derived_as(plan, name) {
        phrases.push(format!("`{name}` is `{}`", expression.written()));
        for name in expression.columns() {
            codes(plan, name, phrases);
        }
    }
    if let Unit::Column { name: unit, .. } = &plan.unit
        && plan
            .derive
            .joins
            .iter()
            .any(|join| join.columns.iter().any(|other| other == name))
    {
        phrases.push(format!(
            "`{name}` is joined by `{unit}`, from one row of each"
        ));
    }
    let tables = plan.derive.lookups.iter();
    for lookup in tables.filter(|lookup| lookup.columns().iter().any(|other| other == name)) {
        phrases.push(format!("`{name}` is looked up by `{}`", lookup.key()));
    }
}

/// The codes that make a cell missing.
fn codes(plan: &Plan, name: &str, phrases: &mut Vec<String>) {
    let found = plan.derive.codes.iter().find(|(other, _)| other == name);
    if let Some((_, codes)) = found {
        let phrase = format!("`{name}` of {} is missing", codes.join(" or "));
        if !phrases.contains(&phrase) {
            phrases.push(phrase);
        }
    }
}

/// What becomes of the cells of a column.
fn cells(plan: &Plan, column: &Column, left_out: &mut Vec<String>, counts_as: &mut Vec<String>) {
    let name = &column.name;
    codes(plan, name, counts_as);
    match &column.kind {
        ColumnKind::Discovered => left_out.push(format!("rows without a `{name}`")),
        ColumnKind::Categories(categories) => match categories.other {
            None => left_out.push(format!("rows whose `{name}` is missing or not listed")),
            Some(other) => counts_as.push(format!(
                "`{name}` that is missing or not listed counts as `{}`",
                column.labels()[other]
            )),
        },
        ColumnKind::Numbers(numbers) => {
            let what = match numbers.scale {
                NumberKind::Real | NumberKind::Whole => "number",
                NumberKind::Days => "date",
                NumberKind::Seconds => "time",
            };
            match &numbers.missing {
                Missing::Drop => left_out.push(format!("rows whose `{name}` is no {what}")),
                Missing::Value(value) => counts_as.push(format!(
                    "`{name}` that is no {what} counts as {}",
                    numbers.scale.show(value)
                )),
            }
            let (lower, upper) = (numbers.bounds.lower(), numbers.bounds.upper());
            let [lower, upper] = [lower, upper].map(|bound| numbers.scale.show(bound));
            counts_as.push(format!(
                "`{name}` below {lower} counts as {lower}, above {upper} as {upper}"
            ));
        }
    }
}

/// Which groups of discovered keys are shown.
fn groups(plan: &Plan, statistic: &Statistic, price: &Price) -> Option<String> {
    if !plan.is_discovered(statistic) {
        return None;
    }
    if let Some(threshold) = &price.threshold {
        return Some(format!(
            "groups of fewer than {} rows, noise included, are not shown; among groups of about \
             that size the noise decides which are, so their numbers tend to be too large",
            threshold.least
        ));
    }
    let counted = plan
        .statistics
        .iter()
        .find(|other| other.kind.counts_rows() && Plan::is_same_table(other, statistic))?;
    Some(format!("only groups that \"{}\" shows", counted.name))
}
