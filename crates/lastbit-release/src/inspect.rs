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
use crate::statistic::{Slot, query};
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
    let first_filter = tables.len();
    // Its derived columns are those of the plan, and the conditions of shares.
    let (grouped, slots) = query(plan, [0; 32]);
    let has_filter = |statistic: &Statistic| statistic.scope.filter.is_some();
    if plan.unit == Unit::Row && plan.statistics.iter().any(has_filter) {
        tables.extend(of_filters(&grouped));
    }
    let first_condition = tables.len();
    let conditions = conditions(plan);
    tables.extend(conditions.iter().map(of_condition));
    let answer = ask(Unit::Row, grouped.derive.clone(), tables)?;
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
        unit @ Unit::Column { most_rows, .. } => {
            // With one row more allowed, each unit that has more rows adds exactly one.
            let limits = [1, NO_LIMIT, *most_rows, most_rows.saturating_add(1)];
            let mut tables = of_limits(&grouped);
            let first = tables.len();
            tables.extend(limits.map(|most_rows| Table {
                scope: Scope {
                    most_rows: Some(most_rows),
                    ..Scope::default()
                },
                ..rows(vec![])
            }));
            let answer = ask(unit.clone(), grouped.derive.clone(), tables)?;
            let [units, all, within, one_more] =
                [0, 1, 2, 3].map(|place| count(&answer, first + place));
            Some(InspectedUnits {
                units,
                without: kept.saturating_sub(all),
                beyond: one_more.saturating_sub(within),
                statistics: statistics(plan, &slots, &answer, grouped.tables.len()),
            })
        }
    };
    let filters = match &plan.unit {
        Unit::Row => filters(plan, &slots, &answer, first_filter, grouped.tables.len()),
        Unit::Column { .. } => vec![],
    };
    let conditions = conditions.iter().enumerate();
    let conditions = conditions.map(|(place, one)| met(&answer, first_condition + place, one));
    Ok(Inspection {
        rows: all,
        filtered: all.saturating_sub(kept),
        never: never::never(plan, &|source, tables| {
            ask_of(source, Unit::Row, Derive::default(), tables)
        })?,
        columns,
        units,
        filters,
        conditions: conditions.collect::<Result<_, _>>()?,
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

/// The conditions of shares, each with its statistic.
fn conditions(plan: &Plan) -> Vec<(&Statistic, &Expression)> {
    let statistics = plan.statistics.iter();
    let conditions = statistics.flat_map(|statistic| {
        let conditions = statistic.kind.derives();
        conditions.into_iter().map(move |(_, one)| (statistic, one))
    });
    conditions.collect()
}

/// A table of how often a condition is met, over rows and not units.
fn of_condition((statistic, condition): &(&Statistic, &Expression)) -> Table {
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
}

/// How often a condition is met, from its table.
fn met(
    answer: &Answer,
    table: usize,
    (statistic, condition): &(&Statistic, &Expression),
) -> Result<InspectedCondition, ReleaseError> {
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
}

/// Two tables for each table of a query: with its filter and without.
fn of_filters(grouped: &Query) -> Vec<Table> {
    let filtered = grouped.tables.iter().map(|table| Table {
        scope: table.scope.clone(),
        ..rows(table.keys.clone())
    });
    let unfiltered = grouped.tables.iter().map(|table| rows(table.keys.clone()));
    filtered.chain(unfiltered).collect()
}

/// What filters leave out, from the tables of [`of_filters`], which begin at `first`.
fn filters(
    plan: &Plan,
    slots: &[Slot],
    answer: &Answer,
    first: usize,
    all: usize,
) -> Vec<InspectedFilter> {
    let with_filter = plan.statistics.iter().zip(slots);
    let with_filter = with_filter.filter(|(statistic, _)| statistic.scope.filter.is_some());
    let inspected = with_filter.map(|(statistic, slot)| {
        let [kept, rows] = [0, 1].map(|part| count(answer, first + part * all + slot.table));
        InspectedFilter {
            statistic: statistic.name.clone(),
            rows,
            filtered: rows.saturating_sub(kept),
        }
    });
    inspected.collect()
}

/// Four tables for each table of a query: as it is, without its limits, also without its filter,
/// and with its limit of rows alone.
fn of_limits(grouped: &Query) -> Vec<Table> {
    let variants: [fn(&mut Scope); 4] = [
        |_| {},
        |scope| {
            scope.most_rows = Some(NO_LIMIT);
            scope.most_groups = Some(NO_LIMIT);
        },
        |scope| {
            *scope = Scope {
                most_rows: Some(NO_LIMIT),
                most_groups: Some(NO_LIMIT),
                ..Scope::default()
            };
        },
        |scope| scope.most_groups = Some(NO_LIMIT),
    ];
    let tables = variants.iter().flat_map(|change| {
        grouped.tables.iter().map(move |table| {
            let mut scope = table.scope.clone();
            change(&mut scope);
            Table {
                scope,
                ..rows(table.keys.clone())
            }
        })
    });
    tables.collect()
}

/// What each statistic leaves out, from the tables of [`of_limits`].
fn statistics(plan: &Plan, slots: &[Slot], answer: &Answer, all: usize) -> Vec<InspectedStatistic> {
    let inspected = plan.statistics.iter().zip(slots).map(|(statistic, slot)| {
        let [bound, free, unfiltered, once] =
            [0, 1, 2, 3].map(|part| count(answer, part * all + slot.table));
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
    inspected.collect()
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
