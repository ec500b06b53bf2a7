//! Whether the parts of a plan fit together.

use super::reader::{Value, suggestion};
use super::{ColumnKind, Kind, Neighbours, Plan, PlanError, Statistic};
use crate::loss::Measure;
use crate::query::Unit;

/// The most published numbers of one statistic.
const MOST_CELLS: u64 = 10_000_000;

/// `places` are those of the statistics.
pub fn check(plan: &Plan, places: &[Value<'_>]) -> Result<(), PlanError> {
    for (statistic, place) in plan.statistics.iter().zip(places) {
        check_statistic(plan, statistic).map_err(|message| {
            place.error(format!("statistic \"{}\": {message}", statistic.name))
        })?;
    }
    Ok(())
}

fn check_statistic(plan: &Plan, statistic: &Statistic) -> Result<(), String> {
    for name in statistic.kind.columns() {
        check_column(plan, statistic, name)?;
    }
    if let Kind::Covariance(x, y) = &statistic.kind
        && x == y
    {
        return Err(format!(
            "the covariance of `{x}` with itself is its variance; use kind = \"variance\""
        ));
    }
    for key in &statistic.by {
        let column = known(plan, key)?;
        if let ColumnKind::Numeric(numeric) = column
            && numeric.edges.is_none()
        {
            return Err(format!(
                "`{key}` is a column of numbers without bins; add `edges` to [columns.{key}] to group by it"
            ));
        }
    }
    if plan.is_discovered(statistic) {
        check_discovered(plan, statistic)?;
    } else {
        let bins = cells_of_group(plan, statistic);
        match plan
            .public_groups(statistic)
            .and_then(|groups| groups.checked_mul(bins))
        {
            Some(cells) if cells <= MOST_CELLS => {}
            _ => {
                return Err(format!(
                    "its groups make more than {MOST_CELLS} numbers; group by fewer columns, or wider bins"
                ));
            }
        }
    }
    if statistic.kind == Kind::Count
        && statistic.by.is_empty()
        && matches!(plan.neighbours, Neighbours::ChangeOne { rows: Some(_) })
    {
        return Err("the number of rows is public under neighbours = \"change-one\"; leave the count out, or group it".to_owned());
    }
    Ok(())
}

/// How many numbers are published of each group.
fn cells_of_group(plan: &Plan, statistic: &Statistic) -> u64 {
    match &statistic.kind {
        Kind::Histogram(column) => match plan.column(column).map(|column| &column.kind) {
            Some(ColumnKind::Categories { names, .. }) => names.len() as u64,
            Some(ColumnKind::Numeric(numeric)) => numeric
                .edges
                .as_ref()
                .map_or(1, |edges| edges.len() as u64 - 1),
            _ => 1,
        },
        Kind::Quantiles { at, .. } => at.len() as u64,
        _ => 1,
    }
}

fn check_column(plan: &Plan, statistic: &Statistic, name: &str) -> Result<(), String> {
    match (known(plan, name)?, &statistic.kind) {
        (ColumnKind::Numeric(numeric), Kind::Histogram(_)) if numeric.edges.is_none() => Err(
            format!("a histogram of `{name}` needs bins; add `edges` to [columns.{name}]"),
        ),
        (ColumnKind::Numeric(_), _) | (ColumnKind::Categories { .. }, Kind::Histogram(_)) => Ok(()),
        (ColumnKind::Categories { .. }, kind) => Err(format!(
            "`{name}` has categories, and a {} is of numbers; use a histogram, or give the column `lower` and `upper`",
            kind.name()
        )),
        (ColumnKind::Discovered, Kind::Histogram(_)) => Err(format!(
            "the values of `{name}` are not public; use a count by `{name}` instead"
        )),
        (ColumnKind::Discovered, kind) => Err(format!(
            "`{name}` is discovered text, and a {} is of numbers; give the column `lower` and `upper`",
            kind.name()
        )),
    }
}

/// Which groups there are is itself published, by a count with a threshold.
fn check_discovered(plan: &Plan, statistic: &Statistic) -> Result<(), String> {
    if plan.budget.measure != Measure::Approximate {
        return Err("discovered keys are published above a threshold, which takes a budget of `epsilon` and `delta`; add `delta` to [budget], or list the categories".to_owned());
    }
    let counted = plan
        .statistics
        .iter()
        .any(|other| other.kind == Kind::Count && other.by == statistic.by);
    if counted {
        return Ok(());
    }
    Err(format!(
        "which groups of discovered keys there are is published by a count; add a statistic of kind = \"count\" by {:?}",
        statistic.by
    ))
}

fn known<'a>(plan: &'a Plan, name: &str) -> Result<&'a ColumnKind, String> {
    if let Some(column) = plan.column(name) {
        return Ok(&column.kind);
    }
    let names: Vec<&str> = plan.columns.iter().map(|c| c.name.as_str()).collect();
    if let Unit::Column { name: unit, .. } = &plan.unit
        && unit == name
    {
        return Err(format!(
            "`{name}` is the unit; a statistic of it needs a table [columns.{name}]"
        ));
    }
    Err(format!(
        "there is no column `{name}` in the plan; add [columns.{name}], or: {}",
        suggestion(name, &names)
    ))
}
