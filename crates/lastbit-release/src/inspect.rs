//! What the data do to a plan, for the steward alone: **no noise, no ledger, no guarantee**.
//!
//! Whatever is shown here is a fact about the data. It helps to find mistakes: a misspelled
//! category, a wrong unit of measure, a limit far too low. It must not leave the steward's desk.
//! Bounds or categories chosen by it are facts about the data too, and no loss accounts for them.

mod words;

use std::sync::Arc;

use lastbit_exact::{Rational, Rounding};

use crate::engine::{Engine, Progress};
use crate::plan::{Categories, ColumnKind, Missing, Numbers, Plan, Scope, Unit};
use crate::query::{Aggregate, Answer, Derive, Exact, Key, Query, Table};
use crate::release::ReleaseError;
use crate::statistic::query;

pub use words::lines;

/// More rows and groups than a unit can have.
const NO_LIMIT: u64 = 1 << 40;

/// What the data do to a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// Rows in the files.
    pub rows: u64,
    /// Rows that the filter leaves out.
    pub filtered: u64,
    /// Columns that statistics use, in the order of the plan.
    pub columns: Vec<InspectedColumn>,
    /// What the limits of units leave out; nothing if every row is a unit.
    pub units: Option<InspectedUnits>,
    /// What the filter of each statistic that has one leaves out, if every row is a unit.
    pub filters: Vec<InspectedFilter>,
}

/// The filter of a statistic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InspectedFilter {
    /// The name of the statistic.
    pub statistic: String,
    /// The rows in its groups without the filter.
    pub rows: u64,
    /// How many of those it leaves out.
    pub filtered: u64,
}

/// A column, over the rows that the filter keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InspectedColumn {
    /// Its name.
    pub name: String,
    /// What was seen in it.
    pub cells: InspectedCells,
}

/// The cells of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InspectedCells {
    /// Of numbers.
    Numbers {
        /// Cells that are cut to the lower bound.
        below: u64,
        /// Cells that are cut to the upper bound.
        above: u64,
        /// Cells that are not numbers.
        missing: u64,
    },
    /// Of texts from a public list.
    Categories {
        /// Listed categories that no cell has, except the one that unlisted cells count as.
        absent: Vec<String>,
        /// Cells that are missing, or not on the list.
        unlisted: u64,
    },
    /// Of texts to be discovered.
    Discovered {
        /// How many there are.
        values: u64,
        /// Cells that are missing.
        missing: u64,
    },
}

/// What the limits of units leave out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InspectedUnits {
    /// How many units there are.
    pub units: u64,
    /// Rows without a unit.
    pub without: u64,
    /// Units that have more rows in all than count in one group.
    pub beyond: u64,
    /// What each statistic leaves out, by its own filter and limits.
    pub statistics: Vec<InspectedStatistic>,
}

/// What a statistic leaves out of the rows that have a unit and are in one of its groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InspectedStatistic {
    /// Its name.
    pub name: String,
    /// Rows that its own filter leaves out; nothing if it has none.
    pub filtered: Option<u64>,
    /// The rows that would count without limits.
    pub rows: u64,
    /// How many of those its limits leave out: its own, or those of the plan where it has none.
    pub left_out: u64,
    /// The most rows of a unit that count in a group.
    pub most_rows: u64,
    /// The most groups in which a unit counts.
    pub most_groups: u64,
}

/// Looks at the data of a plan, without noise or loss: never for a report.
pub fn inspect_not_private(
    plan: &Plan,
    engine: &dyn Engine,
    progress: Progress,
) -> Result<Inspection, ReleaseError> {
    let ask = |unit: Unit, derive: Derive, tables: Vec<Table>| -> Result<Arc<Answer>, _> {
        let query = Query {
            source: plan.source.clone(),
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
    let all = count(&*ask(Unit::Row, Derive::default(), vec![rows(vec![])])?, 0);
    let columns: Vec<_> = plan
        .columns
        .iter()
        .filter(|column| plan.used_columns().any(|used| used == column.name))
        .collect();
    let mut tables = vec![rows(vec![])];
    tables.extend(columns.iter().map(|column| match &column.kind {
        ColumnKind::Numbers(numbers) => Table {
            aggregates: vec![Aggregate::Bins(Arc::new(beyond(numbers)))],
            ..Table::default()
        },
        ColumnKind::Categories(categories) => rows(vec![Key::Categories(Arc::new(Categories {
            other: None,
            ..categories.as_ref().clone()
        }))]),
        ColumnKind::Discovered => rows(vec![Key::Discovered {
            column: column.name.clone(),
        }]),
    }));
    let answer = ask(Unit::Row, plan.derive.clone(), tables)?;
    let kept = count(&answer, 0);
    let inspected = columns.iter().enumerate().map(|(index, column)| {
        let groups = answer.tables.get(index + 1).map_or(&[][..], Vec::as_slice);
        let here = count(&answer, index + 1);
        let cells = match &column.kind {
            ColumnKind::Numbers(_) => match groups.first().and_then(|group| group.values.first()) {
                Some(Exact::Counts(counts)) => InspectedCells::Numbers {
                    below: counts.first().copied().unwrap_or(0),
                    above: counts.last().copied().unwrap_or(0),
                    missing: kept.saturating_sub(counts.iter().sum()),
                },
                _ => return Err(ReleaseError::unexpected()),
            },
            ColumnKind::Categories(categories) => InspectedCells::Categories {
                absent: (categories.names.iter().zip(groups).enumerate())
                    .filter(|(place, (_, group))| {
                        group.values == [Exact::Rows(0)] && categories.other != Some(*place)
                    })
                    .map(|(_, (name, _))| name.clone())
                    .collect(),
                unlisted: kept.saturating_sub(here),
            },
            ColumnKind::Discovered => InspectedCells::Discovered {
                values: groups.len() as u64,
                missing: kept.saturating_sub(here),
            },
        };
        let name = column.name.clone();
        Ok(InspectedColumn { name, cells })
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
        columns,
        units,
        filters,
    })
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
    let answer = ask(plan.unit.clone(), grouped.derive.clone(), tables)?;
    let inspected = plan.statistics.iter().zip(&slots).map(|(statistic, slot)| {
        let [bound, free, unfiltered] =
            [0, 1, 2].map(|part| count(&answer, part * all + slot.table));
        let (most_rows, most_groups) = statistic.scope.limits(&plan.unit).unwrap_or_default();
        let filter = statistic.scope.filter.as_ref();
        InspectedStatistic {
            name: statistic.name.clone(),
            filtered: filter.map(|_| unfiltered.saturating_sub(free)),
            rows: free,
            left_out: free.saturating_sub(bound),
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
        Some(Exact::Rows(rows)) => Some(*rows),
        _ => None,
    });
    rows.sum()
}

/// The column with three bins: below its bounds, within them, and above. A missing cell is in none.
fn beyond(numbers: &Numbers) -> Numbers {
    let (lower, upper) = (numbers.bounds.lower(), numbers.bounds.upper());
    // Cells are doubles: the least one above the bound.
    let above = upper.to_f64(Rounding::NearestEven).next_up();
    let above = Rational::try_from(above).unwrap_or_else(|_| upper.clone());
    let edges = vec![
        lower - &Rational::ONE,
        lower.clone(),
        above.clone(),
        &above + &Rational::ONE,
    ];
    Numbers {
        edges: Some(edges),
        missing: Missing::Drop,
        ..numbers.clone()
    }
}
