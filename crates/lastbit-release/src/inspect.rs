//! What the data do to a plan, for the steward alone: **no noise, no ledger, no guarantee**.
//!
//! Whatever is shown here is a fact about the data. It helps to find mistakes: a misspelled
//! category, a wrong unit of measure, a limit far too low. It must not leave the steward's desk.
//! Bounds or categories chosen by it are facts about the data too, and no loss accounts for them.

mod first;
mod found;
mod never;
mod words;

use std::collections::HashMap;
use std::sync::Arc;

use crate::engine::{Engine, Progress};
use crate::expression::Expression;
use crate::plan::{Plan, Statistic};
use crate::present::is_reading;
use crate::query::{Aggregate, Aggregated, Answer, Derive, Key, KeyValue, Query, States, Table};
use crate::release::ReleaseError;
use crate::schema::{Categories, ColumnKind, Scope, Source, Unit};
use crate::statistic::query;
use crate::value::canonical;

pub use first::look_first;
pub use found::{
    InspectedCells, InspectedColumn, InspectedCondition, InspectedFilter, InspectedStatistic,
    InspectedUnits, Inspection,
};
pub use words::{NOT_PRIVATE, lines};

/// More rows and groups than a unit can have.
const NO_LIMIT: u64 = 1 << 40;

/// The most values that are not listed and shown.
const MOST_COMMON: usize = 5;

/// Looks at the data of a plan, without noise or loss: never for a report.
pub fn inspect_not_private(
    plan: &Plan,
    engine: &dyn Engine,
    progress: Progress,
) -> Result<Inspection, ReleaseError> {
    let ask_of = |source: &Source, unit, derive, tables| -> Result<Arc<Answer>, _> {
        let query = Query {
            source: source.clone(),
            derive,
            unit,
            tables,
            hash_key: [0; 32],
        };
        engine.check(&query).map_err(ReleaseError::Engine)?;
        let answer = engine.scan(&query, Arc::clone(&progress));
        answer
            .map(|answer| answer.not_private())
            .map_err(ReleaseError::Engine)
    };
    let ask =
        |unit: Unit, derive: Derive, tables: Vec<Table>| ask_of(&plan.source, unit, derive, tables);
    let all = count(&*ask(Unit::Row, Derive::default(), vec![rows(vec![])])?, 0);
    let columns: Vec<_> = plan
        .columns
        .iter()
        .filter(|column| plan.used_columns().any(|used| used == column.name))
        .collect();
    // Two tables for each column.
    let states = |states| Table {
        aggregates: vec![Aggregate::States(states)],
        ..Table::default()
    };
    let mut tables = vec![rows(vec![])];
    tables.extend(columns.iter().flat_map(|column| {
        let name = || column.name.clone();
        let found = || rows(vec![Key::Discovered { column: name() }]);
        match &column.kind {
            ColumnKind::Numbers(numbers) => {
                [states(States::Numbers(Arc::clone(numbers))), rows(vec![])]
            }
            ColumnKind::Categories(categories) => {
                [states(States::Categories(Arc::clone(categories))), found()]
            }
            ColumnKind::Discovered => [states(States::Discovered(name())), found()],
        }
    }));
    let answer = ask(Unit::Row, plan.derive.clone(), tables)?;
    // Numbers and dates as they are written: what cannot be read as one is not missing. A type that
    // has no reading as text leaves them untold.
    let mut as_written = plan.derive.clone();
    let derived = &mut as_written.columns;
    derived.retain(|(name, expression)| !is_reading(name, expression));
    let written: Vec<&str> = columns
        .iter()
        .filter(|column| matches!(column.kind, ColumnKind::Numbers(_)))
        .map(|column| column.name.as_str())
        .filter(|name| !is_computed(plan, name))
        .collect();
    let tables = written
        .iter()
        .map(|&name| states(States::Discovered(name.to_owned())));
    let missing = match written.is_empty() {
        true => None,
        false => ask(Unit::Row, as_written, tables.collect()).ok(),
    };
    let missing = |name: &str| -> Option<u64> {
        let table = written.iter().position(|other| *other == name)?;
        let [cells] = counts(missing.as_ref()?, table).ok()?;
        Some(cells)
    };
    let kept = count(&answer, 0);
    let inspected = columns.iter().enumerate().map(|(index, column)| {
        let [first, second] = [1, 2].map(|place| 2 * index + place);
        let cells = match &column.kind {
            ColumnKind::Numbers(_) => {
                let [below, above, no_number] = counts(&answer, first)?;
                InspectedCells::Numbers {
                    below,
                    above,
                    no_number,
                    missing: missing(&column.name),
                }
            }
            ColumnKind::Categories(categories) => {
                let [missing, unlisted] = counts(&answer, first)?;
                let (absent, commonest) = compared(categories, found(&answer, second));
                InspectedCells::Categories {
                    absent,
                    missing,
                    unlisted,
                    commonest,
                }
            }
            ColumnKind::Discovered => {
                let [missing] = counts(&answer, first)?;
                InspectedCells::Discovered {
                    values: found(&answer, second).count() as u64,
                    missing,
                }
            }
        };
        let name = column.name.clone();
        Ok::<_, ReleaseError>(InspectedColumn { name, cells })
    });
    let columns = inspected.collect::<Result<_, _>>()?;
    let units = match &plan.unit {
        Unit::Row => None,
        Unit::Column {
            name, most_rows, ..
        } => {
            let whole = |most_rows| {
                let name = name.clone();
                let unit = Unit::Column {
                    name,
                    most_rows,
                    most_groups: 1,
                };
                ask(unit, plan.derive.clone(), vec![rows(vec![])])
            };
            Some(InspectedUnits {
                units: count(&*whole(1)?, 0),
                without: kept.saturating_sub(count(&*whole(NO_LIMIT)?, 0)),
                // With one more row allowed, each unit that has more rows adds exactly one.
                beyond: count(&*whole(most_rows.saturating_add(1))?, 0)
                    .saturating_sub(count(&*whole(*most_rows)?, 0)),
                statistics: statistics(plan, &ask)?,
            })
        }
    };
    let filters = match &plan.unit {
        Unit::Row => filters(plan, &ask)?,
        Unit::Column { .. } => vec![],
    };
    Ok(Inspection {
        rows: all,
        filtered: all.saturating_sub(kept),
        never: never::never(plan, &|source, tables| {
            ask_of(source, Unit::Row, Derive::default(), tables)
        })?,
        columns,
        units,
        filters,
        conditions: conditions(plan, &ask)?,
    })
}

/// Whether a column is computed from others.
fn is_computed(plan: &Plan, name: &str) -> bool {
    let mut columns = plan.derive.columns.iter();
    columns.any(|(other, expression)| other == name && !is_reading(name, expression))
}

/// The listed categories that do not occur, and the commonest values that are not listed.
fn compared<'a>(
    categories: &Categories,
    found: impl Iterator<Item = (&'a str, u64)>,
) -> (Vec<String>, Vec<(String, u64)>) {
    let names = categories.names.iter().enumerate();
    let listed: HashMap<String, usize> = names
        .filter_map(|(place, name)| Some((canonical(name)?, place)))
        .collect();
    let mut occurs = vec![false; categories.names.len()];
    let mut unlisted: Vec<(String, u64)> = Vec::new();
    for (value, cells) in found {
        match listed.get(value) {
            Some(&place) => occurs[place] = true,
            None => unlisted.push((value.to_owned(), cells)),
        }
    }
    // The most frequent first, and values in order where that says nothing.
    unlisted.sort_by(|(a, more), (b, less)| less.cmp(more).then_with(|| a.cmp(b)));
    unlisted.truncate(MOST_COMMON);
    let absent = (categories.names.iter().zip(&occurs).enumerate())
        .filter(|(place, (_, occurs))| !**occurs && categories.other != Some(*place))
        .map(|(_, (name, _))| name.clone());
    (absent.collect(), unlisted)
}

/// How often the conditions of shares are met, over rows and not units.
fn conditions(
    plan: &Plan,
    ask: &dyn Fn(Unit, Derive, Vec<Table>) -> Result<Arc<Answer>, ReleaseError>,
) -> Result<Vec<InspectedCondition>, ReleaseError> {
    let of_conditions: Vec<(&Statistic, &Expression)> = plan
        .statistics
        .iter()
        .flat_map(|statistic| {
            let conditions = statistic.kind.derives();
            conditions.into_iter().map(move |(_, one)| (statistic, one))
        })
        .collect();
    if of_conditions.is_empty() {
        return Ok(vec![]);
    }
    let (grouped, _) = query(plan, [0; 32]);
    let tables = of_conditions.iter().map(|(statistic, condition)| {
        let outcomes = Categories {
            column: condition.to_string(),
            names: vec!["true".to_owned(), "false".to_owned()],
            other: None,
        };
        Table {
            scope: Scope {
                filter: statistic.scope.filter.clone(),
                ..Scope::default()
            },
            keys: vec![],
            aggregates: vec![Aggregate::Rows, Aggregate::Categories(Arc::new(outcomes))],
        }
    });
    let answer = ask(Unit::Row, grouped.derive.clone(), tables.collect())?;
    let inspected = of_conditions.iter().enumerate().map(|(table, one)| {
        let (statistic, condition) = one;
        let group = answer.tables.get(table).and_then(|groups| groups.first());
        let values = group.map_or(&[][..], |group| &group.values);
        let [Aggregated::Rows(rows), Aggregated::Counts(counts)] = values else {
            return Err(ReleaseError::unexpected());
        };
        let [is_true, is_false] = counts[..] else {
            return Err(ReleaseError::unexpected());
        };
        Ok(InspectedCondition {
            statistic: statistic.name.clone(),
            condition: condition.written().to_owned(),
            is_true,
            is_false,
            neither: rows.saturating_sub(is_true).saturating_sub(is_false),
        })
    });
    inspected.collect()
}

/// What filters leave out, from two tables each: with and without it.
fn filters(
    plan: &Plan,
    ask: &dyn Fn(Unit, Derive, Vec<Table>) -> Result<Arc<Answer>, ReleaseError>,
) -> Result<Vec<InspectedFilter>, ReleaseError> {
    let (grouped, slots) = query(plan, [0; 32]);
    let all = grouped.tables.len();
    let tables = grouped.tables.iter().map(|table| Table {
        scope: table.scope.clone(),
        ..rows(table.keys.clone())
    });
    let unfiltered = grouped.tables.iter().map(|table| rows(table.keys.clone()));
    let tables = tables.chain(unfiltered).collect();
    let answer = ask(Unit::Row, grouped.derive.clone(), tables)?;
    let with_filter = plan.statistics.iter().zip(&slots);
    let with_filter = with_filter.filter(|(statistic, _)| statistic.scope.filter.is_some());
    let inspected = with_filter.map(|(statistic, slot)| {
        let [kept, rows] = [0, 1].map(|part| count(&answer, part * all + slot.table));
        InspectedFilter {
            statistic: statistic.name.clone(),
            rows,
            filtered: rows.saturating_sub(kept),
        }
    });
    Ok(inspected.collect())
}

/// What each statistic leaves out, from three tables: as it is, without its limits, and also
/// without its filter.
fn statistics(
    plan: &Plan,
    ask: &dyn Fn(Unit, Derive, Vec<Table>) -> Result<Arc<Answer>, ReleaseError>,
) -> Result<Vec<InspectedStatistic>, ReleaseError> {
    let (grouped, slots) = query(plan, [0; 32]);
    let all = grouped.tables.len();
    let variant = |change: fn(&mut Scope)| {
        let tables = grouped.tables.iter().map(move |table| {
            let mut scope = table.scope.clone();
            change(&mut scope);
            Table {
                scope,
                ..rows(table.keys.clone())
            }
        });
        tables.collect::<Vec<_>>()
    };
    let free = |scope: &mut Scope| {
        scope.most_rows = Some(NO_LIMIT);
        scope.most_groups = Some(NO_LIMIT);
    };
    let mut tables = variant(|_| {});
    tables.extend(variant(free));
    tables.extend(variant(|scope| {
        *scope = Scope {
            most_rows: Some(NO_LIMIT),
            most_groups: Some(NO_LIMIT),
            ..Scope::default()
        };
    }));
    tables.extend(variant(|scope| scope.most_groups = Some(NO_LIMIT)));
    let answer = ask(plan.unit.clone(), grouped.derive.clone(), tables)?;
    let inspected = plan.statistics.iter().zip(&slots).map(|(statistic, slot)| {
        let [bound, free, unfiltered, once] =
            [0, 1, 2, 3].map(|part| count(&answer, part * all + slot.table));
        // Where units are counted, more rows of one are nothing that is left out.
        let all = match statistic.kind.most_rows().is_some() {
            true => once,
            false => free,
        };
        let (most_rows, most_groups) = plan.limits(statistic).unwrap_or_default();
        let filter = statistic.scope.filter.as_ref();
        InspectedStatistic {
            name: statistic.name.clone(),
            filtered: filter.map(|_| unfiltered.saturating_sub(free)),
            rows: all,
            left_out: all.saturating_sub(bound),
            most_rows,
            most_groups,
        }
    });
    Ok(inspected.collect())
}

fn rows(keys: Vec<Key>) -> Table {
    Table {
        keys,
        aggregates: vec![Aggregate::Rows],
        ..Table::default()
    }
}

/// The rows in all groups of a table.
fn count(answer: &Answer, table: usize) -> u64 {
    let groups = answer.tables.get(table).into_iter().flatten();
    let rows = groups.filter_map(|group| match group.values.first() {
        Some(Aggregated::Rows(rows)) => Some(*rows),
        _ => None,
    });
    rows.sum()
}

/// The first counts of the one group of a table.
fn counts<const N: usize>(answer: &Answer, table: usize) -> Result<[u64; N], ReleaseError> {
    let group = answer.tables.get(table).and_then(|groups| groups.first());
    match group.and_then(|group| group.values.first()) {
        Some(Aggregated::Counts(counts)) => {
            let first = counts.get(..N).and_then(|first| first.try_into().ok());
            first.ok_or_else(ReleaseError::unexpected)
        }
        _ => Err(ReleaseError::unexpected()),
    }
}

/// The values that occur in a table of one discovered key, each with its number of rows.
fn found(answer: &Answer, table: usize) -> impl Iterator<Item = (&str, u64)> {
    let groups = answer.tables.get(table).into_iter().flatten();
    groups.filter_map(|group| match (&group.key[..], &group.values[..]) {
        ([KeyValue::Discovered(value)], [Aggregated::Rows(rows)]) => Some((value.as_str(), *rows)),
        _ => None,
    })
}
