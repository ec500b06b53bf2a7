//! From a plan to the query that its statistics need.

use crate::plan::{ColumnKind, Plan, Statistic};
use crate::query::{Aggregate, Aggregated, Derive, Group, Key, Query, Table};

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

/// The query of a plan, and for each statistic where its values are. Statistics of the same rows in
/// the same groups share a table, and those that need the same integers share them. `hash_key`
/// chooses which rows of a unit count.
pub fn query(plan: &Plan, hash_key: [u8; 32]) -> (Query, Vec<Slot>) {
    let mut tables: Vec<Table> = Vec::new();
    let mut firsts: Vec<&Statistic> = Vec::new();
    let mut slots = Vec::new();
    for (index, statistic) in plan.statistics.iter().enumerate() {
        // A margin is summed from the groups of another statistic.
        let grouped = &plan.statistics[plan.finest(index).unwrap_or(index)];
        let known = firsts
            .iter()
            .position(|first| Plan::is_same_table(first, grouped));
        let table = known.unwrap_or_else(|| {
            firsts.push(grouped);
            tables.push(Table {
                scope: grouped.scope.clone(),
                keys: keys(plan, grouped.kind.limited_by().unwrap_or(&grouped.by)),
                aggregates: vec![],
            });
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
