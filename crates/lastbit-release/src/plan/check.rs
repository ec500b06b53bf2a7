//! Whether the parts of a plan fit together.

use super::reader::Value;
use super::{ColumnKind, Plan, PlanError, Statistic, Unit};
use crate::loss::LossMeasure;
use crate::statistic::known;

/// The most published numbers of one statistic.
const MOST_CELLS: u64 = 10_000_000;

/// Checks a plan; `places` are those of its statistics.
pub fn check(plan: &Plan, places: &[Value<'_>]) -> Result<(), PlanError> {
    for (statistic, place) in plan.statistics.iter().zip(places) {
        check_statistic(plan, statistic).map_err(|message| {
            place.error(format!("statistic \"{}\": {message}", statistic.name))
        })?;
    }
    Ok(())
}

/// Refuses joins by a key that is not a column of the files.
pub fn check_joins(plan: &Plan) -> Result<(), PlanError> {
    let Unit::Column { name, .. } = &plan.unit else {
        return Ok(());
    };
    let is_derived = plan.derive.columns.iter().any(|(other, _)| other == name);
    if is_derived && !plan.derive.joins.is_empty() {
        return Err(PlanError::new(format!(
            "private tables are joined by a column that both have, but the unit `{name}` is \
             computed; name a column of the files as `unit`"
        )));
    }
    Ok(())
}

fn check_statistic(plan: &Plan, statistic: &Statistic) -> Result<(), String> {
    let limited = statistic.kind.limited_by().unwrap_or_default();
    for key in statistic.by.iter().chain(limited) {
        let column = known(&plan.columns, &plan.unit, key)?;
        if let ColumnKind::Numbers(numbers) = &column.kind
            && numbers.edges.is_none()
        {
            return Err(format!(
                "`{key}` is a column of numbers without bins; add `edges` to [columns.{key}] to \
                 group by it"
            ));
        }
    }
    if plan.is_discovered(statistic) {
        check_discovered(plan, statistic)?;
    } else {
        let bins = statistic.kind.cells_of_group();
        match plan
            .public_groups(statistic)
            .and_then(|groups| groups.checked_mul(bins))
        {
            Some(cells) if cells <= MOST_CELLS => {}
            _ => {
                return Err(format!(
                    "its groups make more than {MOST_CELLS} numbers; group by fewer columns, or \
                     wider bins"
                ));
            }
        }
    }
    Ok(())
}

/// The groups themselves are published, by a count with a threshold.
fn check_discovered(plan: &Plan, statistic: &Statistic) -> Result<(), String> {
    if plan.budget.measure != LossMeasure::Approximate {
        return Err(
            "discovered keys are published above a threshold, which takes a budget of `epsilon` \
             and `delta`; add `delta` to [budget], or list the categories"
                .to_owned(),
        );
    }
    let counted = plan
        .statistics
        .iter()
        .any(|other| other.kind.counts_rows() && Plan::is_same_table(other, statistic));
    if counted {
        return Ok(());
    }
    // A group that the count shows and this statistic lacks would be a fact about the data without
    // noise.
    let by_the_same = |other: &Statistic| other.kind.counts_rows() && other.by == statistic.by;
    let same = match plan.statistics.iter().any(by_the_same) {
        true => ", with the same `where` and limits",
        false => "",
    };
    Err(format!(
        "which groups of discovered keys there are is published by a count; add a statistic of \
         kind = \"count\" by {:?}{same}",
        statistic.by
    ))
}
