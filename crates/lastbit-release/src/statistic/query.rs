//! From a plan to the query that its statistics need.

use crate::plan::Plan;
use crate::query::{Aggregate, Aggregated, Derive, Group, Key, Query, Table};
use crate::schema::{ColumnKind, Scope};

/// Where in the answer the exact values of a statistic are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    /// Which table.
    pub table: usize,
    /// Which values of each of its groups.
    pub values: Vec<usize>,
}

impl Slot {
    /// The exact values in a group; `None` if it lacks one.
    pub fn of<'a>(&self, group: &'a Group) -> Option<Vec<&'a Aggregated>> {
        let values = self.values.iter();
        values.map(|&value| group.values.get(value)).collect()
    }
}

/// What is scanned for a statistic: the one place that says it to the engine, by [`query`], and to
/// the chain that bounds what a unit reaches, by [`Chain::new`](super::Chain::new).
#[derive(Clone, Debug, PartialEq)]
pub struct Scanned<'a> {
    /// Which rows count, and the limits of a unit, which are those of [`Plan::limits`].
    pub scope: Scope,
    /// The columns to whose groups the limits apply.
    pub by: &'a [String],
    /// Whether it counts units instead of rows.
    of_units: bool,
}

impl<'a> Scanned<'a> {
    /// For the statistic of a plan at this place. A margin is summed from the groups of another.
    pub fn new(plan: &'a Plan, index: usize) -> Scanned<'a> {
        let grouped = &plan.statistics[plan.finest(index).unwrap_or(index)];
        let limited_by = grouped.kind.limited_by();
        let mut scope = grouped.scope.clone();
        let limits = plan.limits(grouped);
        if limits != scope.limits(&plan.unit) {
            scope.most_groups = limits.map(|(_, most_groups)| most_groups);
        }
        Scanned {
            scope,
            by: limited_by.unwrap_or(&grouped.by),
            of_units: limited_by.is_some(),
        }
    }
}

/// The query of a plan, and for each statistic where its values are. Statistics of the same rows in
/// the same groups share a table, and those that need the same integers share them. `hash_key`
/// chooses which rows of a unit count.
pub fn query(plan: &Plan, hash_key: [u8; 32]) -> (Query, Vec<Slot>) {
    let mut tables: Vec<Table> = Vec::new();
    let mut scans: Vec<Scanned<'_>> = Vec::new();
    let mut slots = Vec::new();
    for (index, statistic) in plan.statistics.iter().enumerate() {
        let scanned = Scanned::new(plan, index);
        let known = scans.iter().position(|other| *other == scanned);
        let table = known.unwrap_or_else(|| {
            tables.push(Table {
                scope: scanned.scope.clone(),
                keys: keys(plan, scanned.by),
                aggregates: vec![],
            });
            scans.push(scanned);
            tables.len() - 1
        });
        let aggregates = &mut tables[table].aggregates;
        let mut place = |aggregate: Aggregate| {
            let known = aggregates
                .iter()
                .position(|other| other.is_same(&aggregate));
            known.unwrap_or_else(|| {
                aggregates.push(aggregate);
                aggregates.len() - 1
            })
        };
        let values = statistic.kind.aggregates();
        let values = values.into_iter().map(&mut place).collect();
        slots.push(Slot { table, values });
    }
    let query = Query {
        source: plan.source.clone(),
        derive: derive(plan),
        unit: plan.unit.clone(),
        tables,
        hash_key,
    };
    (query, slots)
}

/// The filter and derived columns of the plan, and the columns that statistics compute for
/// themselves.
fn derive(plan: &Plan) -> Derive {
    let mut derive = plan.derive.clone();
    for statistic in &plan.statistics {
        for (name, expression) in statistic.kind.derives() {
            if !derive.columns.iter().any(|(other, _)| other == name) {
                derive.columns.push((name.to_owned(), expression.clone()));
            }
        }
    }
    derive
}

fn keys(plan: &Plan, by: &[String]) -> Vec<Key> {
    by.iter()
        .map(|name| match plan.column(name).map(|column| &column.kind) {
            Some(ColumnKind::Categories(categories)) => Key::Categories(categories.clone()),
            Some(ColumnKind::Numbers(numbers)) => Key::Bins(numbers.clone()),
            _ => Key::Discovered {
                column: name.clone(),
            },
        })
        .collect()
}
