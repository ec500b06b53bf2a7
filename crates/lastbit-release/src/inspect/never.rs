//! Columns of JSON that no row has. They count as missing, so nothing else tells a misspelled name.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{count, counts, rows};
use crate::plan::Plan;
use crate::query::{Aggregate, Answer, States, Table};
use crate::release::ReleaseError;
use crate::schema::{FileFormat, Source, Unit};
use crate::statistic::query;

/// Answers questions about all rows of a source, in which every row is a unit.
pub(super) type Ask<'a> = dyn Fn(&Source, Vec<Table>) -> Result<Arc<Answer>, ReleaseError> + 'a;

/// The columns that a plan reads from JSON and in which no row has a value; none of a source
/// without rows.
pub(super) fn never(plan: &Plan, ask: &Ask<'_>) -> Result<Vec<String>, ReleaseError> {
    let (asked, _) = query(plan, [0; 32]);
    let derive = &asked.derive;
    let mut read: BTreeSet<&str> = plan.used_columns().collect();
    if let Unit::Column { name, .. } = &plan.unit {
        read.insert(name);
    }
    let filters = plan.statistics.iter();
    let filters = filters.filter_map(|statistic| statistic.scope.filter.as_ref());
    read.extend(
        filters
            .flat_map(|filter| filter.columns())
            .map(String::as_str),
    );
    let mut sources: BTreeSet<&str> = BTreeSet::new();
    for name in read {
        match derive.columns.iter().find(|(other, _)| other == name) {
            Some((_, expression)) => {
                sources.extend(expression.columns().iter().map(String::as_str));
            }
            None => {
                sources.insert(name);
            }
        }
    }
    let filter = derive.filter.iter().flat_map(|filter| filter.columns());
    sources.extend(filter.map(String::as_str));
    for lookup in derive.lookups.iter().rev() {
        let columns = lookup.columns().iter();
        // Every column is taken out, so that `any` would leave some in.
        let taken = columns.filter(|name| sources.remove(name.as_str())).count();
        if taken > 0 {
            sources.insert(lookup.key());
        }
    }
    let mut found = Vec::new();
    for join in &derive.joins {
        let columns = join.columns.iter();
        let mut taken: Vec<&str> = columns
            .filter_map(|name| sources.take(name.as_str()))
            .collect();
        taken.push(&join.unit);
        found.extend(without_values(&join.source, &taken, ask)?);
    }
    let sources: Vec<&str> = sources.into_iter().collect();
    found.extend(without_values(&plan.source, &sources, ask)?);
    found.sort();
    found.dedup();
    Ok(found)
}

fn without_values(
    source: &Source,
    names: &[&str],
    ask: &Ask<'_>,
) -> Result<Vec<String>, ReleaseError> {
    let format = source.files().map(|files| &files.format);
    if !matches!(format, Some(FileFormat::Json { .. })) {
        return Ok(vec![]);
    }
    let mut tables = vec![rows(vec![])];
    tables.extend(names.iter().map(|&name| Table {
        aggregates: vec![Aggregate::States(States::Discovered(name.to_owned()))],
        ..Table::default()
    }));
    let answer = ask(source, tables)?;
    let all = count(&answer, 0);
    let mut found = Vec::new();
    for (index, &name) in names.iter().enumerate() {
        let [missing] = counts(&answer, index + 1)?;
        if all > 0 && missing == all {
            found.push(name.to_owned());
        }
    }
    Ok(found)
}
