//! Rows that a plan alone makes up: for rehearsals.

use std::collections::BTreeMap;

use lastbit_exact::{Integer, Rounding};

use super::{Engine, EngineFailure, Progress};
use crate::plan::{Neighbours, Plan, Statistic};
use crate::query::{
    Aggregate, Aggregated, Answer, Group, GroupKey, Key, KeyValue, Query, Sealed, Table,
};
use crate::schema::Numbers;
use crate::statistic::query;

/// How many rows are invented where the plan expects no number.
const ROWS: u64 = 10_000;

/// The most rows that are invented.
const MOST_ROWS: u64 = 1 << 32;

/// The most rows that are made one by one; beyond, each stands for several.
const MOST_MADE: u64 = 20_000;

/// The most values of a discovered key. The first has half of the rows, the next a quarter, and so
/// on.
const MOST_DISCOVERED: u32 = 6;

/// An engine that opens no file: its rows come from the bounds, bins and categories of a plan, and
/// are the same whenever they are made.
///
/// Every row is a different unit, has all cells, and passes the plan's filter. Derived columns are
/// invented within their bounds, as others are. Each statistic has as many rows as its planned
/// error assumes, so those in few groups and those in many have different numbers of rows.
#[derive(Clone, Debug)]
pub(crate) struct InventedEngine {
    /// The rows of each table of the plan's query.
    of_tables: Vec<u64>,
    /// Those of the whole table, and of what the plan's query does not ask.
    rows: u64,
}

impl InventedEngine {
    /// As many rows in each group as the plan says or expects.
    pub fn new(plan: &Plan) -> InventedEngine {
        if let Neighbours::ChangeOne { rows: Some(rows) } = plan.neighbours {
            return InventedEngine {
                of_tables: vec![],
                rows,
            };
        }
        let expected = |statistic: &Statistic| {
            let each = statistic.expected_rows.or(plan.expected_rows);
            let groups = match plan.is_discovered(statistic) {
                // The first has half of the rows.
                true => 2,
                false => plan.public_groups(statistic).unwrap_or(1),
            };
            let rows = each.map(|each| each.saturating_mul(groups));
            rows.unwrap_or(ROWS).min(MOST_ROWS)
        };
        let own: Vec<u64> = plan.statistics.iter().map(expected).collect();
        // Statistics that are made to add up are about the same rows.
        let rows_of = |index: usize| match plan.family(index) {
            None => own[index],
            Some(family) => {
                let members = family.members.iter();
                members.map(|m| own[m.statistic]).max().unwrap_or(ROWS)
            }
        };
        let (query, slots) = query(plan, [0; 32]);
        let mut of_tables = vec![0; query.tables.len()];
        for (index, slot) in slots.iter().enumerate() {
            if let Some(rows) = of_tables.get_mut(slot.table) {
                *rows = rows_of(index).max(*rows);
            }
        }
        InventedEngine {
            rows: own.into_iter().max().unwrap_or(ROWS),
            of_tables,
        }
    }

    fn table(all: u64, table: &Table) -> Vec<Group> {
        // What limits keep is told of all units together, whatever the keys.
        let is_kept = |aggregate: &Aggregate| matches!(aggregate, Aggregate::Kept);
        if table.aggregates.iter().any(is_kept) && !table.keys.is_empty() {
            let whole = Table {
                keys: vec![],
                ..table.clone()
            };
            return InventedEngine::table(all, &whole);
        }
        let empty = || -> Vec<Aggregated> { table.aggregates.iter().map(nothing).collect() };
        let mut groups: BTreeMap<GroupKey, Vec<Aggregated>> = public_keys(&table.keys)
            .into_iter()
            .map(|key| (key.into(), empty()))
            .collect();
        for (row, weight) in made(all) {
            let key = table.keys.iter().map(|key| key_value(key, row)).collect();
            let values = groups.entry(key).or_insert_with(empty);
            for (aggregate, exact) in table.aggregates.iter().zip(values) {
                add(aggregate, exact, row, weight);
            }
        }
        groups
            .into_iter()
            .map(|(key, values)| Group { key, values })
            .collect()
    }
}

impl Engine for InventedEngine {
    fn fingerprint(&self, _: &Query) -> Result<String, EngineFailure> {
        Ok("invented".to_owned())
    }

    fn check(&self, _: &Query) -> Result<(), EngineFailure> {
        Ok(())
    }

    fn scan(&self, query: &Query, _: Progress) -> Result<Sealed<Answer>, EngineFailure> {
        let tables = query.tables.iter().enumerate().map(|(place, table)| {
            let rows = self.of_tables.get(place).copied();
            InventedEngine::table(rows.unwrap_or(self.rows), table)
        });
        Ok(Sealed::new(Answer {
            rows: self.rows,
            tables: tables.collect(),
        }))
    }
}

/// The rows that are made one by one, with how many each stands for.
fn made(rows: u64) -> impl Iterator<Item = (u64, u64)> {
    let made = rows.min(MOST_MADE);
    let (each, more) = (rows / made.max(1), rows % made.max(1));
    (0..made).map(move |row| (row, each + u64::from(row < more)))
}

/// Every group of public keys; none where a key is discovered.
fn public_keys(keys: &[Key]) -> Vec<Vec<KeyValue>> {
    let mut groups = vec![vec![]];
    for key in keys {
        let values = match key {
            Key::Categories(categories) => categories.names.len(),
            Key::Bins(numbers) => numbers.bins(),
            Key::Discovered { .. } => 0,
        };
        let with = |group: &Vec<KeyValue>, value| {
            let mut group = group.clone();
            group.push(KeyValue::Public(value));
            group
        };
        groups = groups
            .iter()
            .flat_map(|group| (0..values).map(move |value| with(group, value)))
            .collect();
    }
    groups
}

fn key_value(key: &Key, row: u64) -> KeyValue {
    match key {
        Key::Categories(categories) => {
            let place = place(&categories.column, row);
            KeyValue::Public(part(place, categories.names.len() as u64) as usize)
        }
        Key::Bins(numbers) => KeyValue::Public(bin(numbers, row)),
        Key::Discovered { column } => {
            let number = place(column, row).leading_zeros().min(MOST_DISCOVERED - 1) + 1;
            KeyValue::Discovered(format!("invented {number}"))
        }
    }
}

/// The aggregate of no rows.
fn nothing(aggregate: &Aggregate) -> Aggregated {
    let zero = || Integer::ZERO;
    match aggregate {
        Aggregate::Rows => Aggregated::Rows(0),
        Aggregate::Sum(_) => Aggregated::Sum {
            rows: 0,
            sum: zero(),
        },
        Aggregate::Moments(_) => Aggregated::Moments {
            rows: 0,
            sum: zero(),
            squares: zero(),
        },
        Aggregate::Products(..) | Aggregate::FineProducts(..) => Aggregated::Products {
            rows: 0,
            sum_x: zero(),
            sum_y: zero(),
            products: zero(),
        },
        Aggregate::Bins(x) => Aggregated::Counts(vec![0; x.bins()]),
        Aggregate::Categories(x) => Aggregated::Counts(vec![0; x.names.len()]),
        Aggregate::States(states) => Aggregated::Counts(vec![0; states.labels().len() + 1]),
        Aggregate::Kept => Aggregated::Kept {
            units: 0,
            cut: 0,
            left_out: Integer::ZERO,
        },
        Aggregate::Gram(columns) => Aggregated::Gram {
            rows: 0,
            sums: vec![zero(); columns.len()],
            products: vec![zero(); columns.len() * (columns.len() + 1) / 2],
        },
        Aggregate::Offsets(_) => Aggregated::Offsets(vec![]),
    }
}

/// Adds a row so many times.
fn add(aggregate: &Aggregate, exact: &mut Aggregated, row: u64, weight: u64) {
    let times = Integer::from(weight);
    let coarse = |x: &Numbers| part(place(&x.column, row), x.grid.count() + 1);
    match (aggregate, exact) {
        (Aggregate::Rows, Aggregated::Rows(rows)) => *rows += weight,
        (Aggregate::Sum(x), Aggregated::Sum { rows, sum }) => {
            *rows += weight;
            *sum += Integer::from(part(place(&x.column, row), x.fine.count() + 1)) * &times;
        }
        (Aggregate::Moments(x), Aggregated::Moments { rows, sum, squares }) => {
            let offset = Integer::from(coarse(x));
            *rows += weight;
            *squares += &offset * &offset * &times;
            *sum += offset * &times;
        }
        (
            Aggregate::Products(x, y),
            Aggregated::Products {
                rows,
                sum_x,
                sum_y,
                products,
            },
        ) => {
            let (x, y) = (Integer::from(coarse(x)), Integer::from(coarse(y)));
            *rows += weight;
            *products += &x * &y * &times;
            *sum_x += x * &times;
            *sum_y += y * &times;
        }
        (
            Aggregate::FineProducts(x, y),
            Aggregated::Products {
                rows,
                sum_x,
                sum_y,
                products,
            },
        ) => {
            let fine = |x: &Numbers| Integer::from(part(place(&x.column, row), x.fine.count() + 1));
            let (x, y) = (fine(x), fine(y));
            *rows += weight;
            *products += &x * &y * &times;
            *sum_x += x * &times;
            *sum_y += y * &times;
        }
        (
            Aggregate::Gram(columns),
            Aggregated::Gram {
                rows,
                sums,
                products,
            },
        ) => {
            let offsets: Vec<Integer> = columns.iter().map(|x| Integer::from(coarse(x))).collect();
            *rows += weight;
            let mut pairs = products.iter_mut();
            for (index, x) in offsets.iter().enumerate() {
                sums[index] += x * &times;
                for (y, product) in offsets[index..].iter().zip(pairs.by_ref()) {
                    *product += x * y * &times;
                }
            }
        }
        // Every row is a unit within its limits, and every cell as it should be.
        (Aggregate::Kept, Aggregated::Kept { units, .. }) => *units += weight,
        (Aggregate::States(_), Aggregated::Counts(counts)) => {
            if let Some(last) = counts.last_mut() {
                *last += weight;
            }
        }
        (Aggregate::Bins(x), Aggregated::Counts(counts)) => counts[bin(x, row)] += weight,
        (Aggregate::Categories(x), Aggregated::Counts(counts)) => {
            let category = part(place(&x.column, row), counts.len() as u64);
            counts[category as usize] += weight;
        }
        (Aggregate::Offsets(x), Aggregated::Offsets(offsets)) => {
            let offset = coarse(x);
            match offsets.binary_search_by_key(&offset, |(offset, _)| *offset) {
                Ok(place) => offsets[place].1 += weight,
                Err(place) => offsets.insert(place, (offset, weight)),
            }
        }
        // `nothing` made the value of the same aggregate.
        _ => {}
    }
}

/// Which bin the cell of a row falls into.
fn bin(x: &Numbers, row: u64) -> usize {
    let share = place(&x.column, row) as f64 / 2f64.powi(64);
    let lower = x.bounds.lower().to_f64(Rounding::NearestEven);
    let cell = lower + share * x.spread().to_f64(Rounding::NearestEven);
    x.inner_edges().iter().filter(|&&edge| edge <= cell).count()
}

/// Where between the ends of its column a cell is, as a part of 2^64: a hash of column and row.
/// Nothing secret hangs on it.
fn place(column: &str, row: u64) -> u64 {
    let mut hash = row.wrapping_add(1);
    for byte in column.bytes().chain([0, 1, 2]) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^= hash >> 29;
    }
    hash
}

/// Which of so many equal parts a place is in.
fn part(place: u64, parts: u64) -> u64 {
    ((u128::from(place) * u128::from(parts)) >> 64) as u64
}
