//! A small engine over rows in memory, written for clarity: it shows what every engine must
//! compute.

use std::collections::BTreeMap;

use lastbit::statistics::Grid;
use lastbit_exact::{Integer, Rounding};

use crate::engine::{Engine, EngineFailure, Progress};
use crate::query::{
    Aggregate, Aggregated, Answer, Group, Key, KeyValue, LOG2_SHARE, Query, Sealed, Table,
};
use crate::schema::{Categories, Missing, Numbers, Unit};

/// Cells by column name; an absent one is null.
pub type Row = BTreeMap<&'static str, String>;

pub struct Memory {
    pub rows: Vec<Row>,
    pub fails: bool,
}

impl Memory {
    pub fn new(rows: Vec<Row>) -> Memory {
        Memory { rows, fails: false }
    }

    pub fn answer(&self, query: &Query) -> Answer {
        Answer {
            rows: self.rows.len() as u64,
            tables: query
                .tables
                .iter()
                .map(|table| match &table.aggregates[..] {
                    [Aggregate::Kept] => vec![of_units(query, table, &self.rows)],
                    _ => groups(table, &kept(query, table, &self.rows)),
                })
                .collect(),
        }
    }
}

impl Engine for Memory {
    fn fingerprint(&self, _: &Query) -> Result<String, EngineFailure> {
        Ok(blake3::hash(format!("{:?}", self.rows).as_bytes())
            .to_hex()
            .to_string())
    }

    fn check(&self, _: &Query) -> Result<(), EngineFailure> {
        Ok(())
    }

    fn scan(&self, query: &Query, progress: Progress) -> Result<Sealed<Answer>, EngineFailure> {
        if self.fails {
            return Err("the disk is gone".into());
        }
        progress(self.rows.len() as u64, Some(1.0));
        Ok(Sealed::new(self.answer(query)))
    }
}

/// The rows of a unit in each of its groups.
type Placed<'a> = BTreeMap<Vec<KeyValue>, Vec<&'a Row>>;

/// The rows of a table, by unit.
fn by_unit<'a>(table: &Table, unit: &str, rows: &'a [Row]) -> BTreeMap<&'a str, Placed<'a>> {
    let mut units: BTreeMap<&str, Placed<'_>> = BTreeMap::new();
    for row in rows {
        if let (Some(key), Some(unit)) = (key(table, row), row.get(unit)) {
            let groups = units.entry(unit).or_default();
            groups.entry(key).or_default().push(row);
        }
    }
    units
}

/// The rows that count in a table: each unit's first groups and rows, in the order of their
/// contents.
fn kept<'a>(query: &Query, table: &Table, rows: &'a [Row]) -> Vec<(Vec<KeyValue>, &'a Row)> {
    let (Unit::Column { name, .. }, Some((most_rows, most_groups))) =
        (&query.unit, table.scope.limits(&query.unit))
    else {
        let placed = rows.iter().filter_map(|row| Some((key(table, row)?, row)));
        return placed.collect();
    };
    let mut kept = Vec::new();
    for groups in by_unit(table, name, rows).into_values() {
        for (key, mut rows) in groups.into_iter().take(most_groups as usize) {
            rows.sort();
            rows.truncate(most_rows as usize);
            kept.extend(rows.into_iter().map(|row| (key.clone(), row)));
        }
    }
    kept
}

/// What the limits leave out of each unit, summed over the units.
fn of_units(query: &Query, table: &Table, rows: &[Row]) -> Group {
    let Unit::Column { name, .. } = &query.unit else {
        unreachable!("every row is a unit");
    };
    let (mut units, mut cut, mut left_out) = (0, 0, 0u64);
    let counted = kept(query, table, rows);
    for (unit, groups) in by_unit(table, name, rows) {
        let all = groups.values().map(Vec::len).sum::<usize>() as u64;
        let is_of = |(_, row): &&(Vec<KeyValue>, &Row)| row.get(name.as_str()).unwrap() == unit;
        let kept = counted.iter().filter(is_of).count() as u64;
        units += 1;
        cut += u64::from(kept < all);
        left_out += ((all - kept) << LOG2_SHARE) / all;
    }
    Group {
        key: Default::default(),
        values: vec![Aggregated::Kept {
            units,
            cut,
            left_out: Integer::from(left_out),
        }],
    }
}

fn key(table: &Table, row: &Row) -> Option<Vec<KeyValue>> {
    table
        .keys
        .iter()
        .map(|key| match key {
            Key::Categories(categories) => category(categories, row).map(KeyValue::Public),
            Key::Bins(bins) => bin(bins, row).map(KeyValue::Public),
            Key::Discovered { column } => {
                row.get(column.as_str()).cloned().map(KeyValue::Discovered)
            }
        })
        .collect()
}

fn category(categories: &Categories, row: &Row) -> Option<usize> {
    let cell = row.get(categories.column.as_str());
    cell.and_then(|cell| categories.names.iter().position(|name| name == cell))
        .or(categories.other)
}

/// The number of a cell, or what a missing one becomes.
fn number(numbers: &Numbers, row: &Row) -> Option<f64> {
    let cell = row
        .get(numbers.column.as_str())
        .and_then(|cell| cell.parse::<f64>().ok())
        .filter(|number| !number.is_nan());
    cell.or(match &numbers.missing {
        Missing::Drop => None,
        Missing::Value(value) => Some(value.to_f64(Rounding::NearestEven)),
    })
}

/// The row's step, counted from the lower bound.
fn offset(numbers: &Numbers, row: &Row) -> Option<u64> {
    offset_on(&numbers.grid, number(numbers, row)?)
}

fn offset_on(grid: &Grid, number: f64) -> Option<u64> {
    let steps = grid.steps(number).unwrap();
    let lower = grid
        .bounds()
        .lower()
        .times_power_of_two(-i64::from(grid.exponent()));
    Some((steps - i64::try_from(lower.floor()).unwrap()) as u64)
}

fn bin(numbers: &Numbers, row: &Row) -> Option<usize> {
    let number = number(numbers, row)?;
    let inner = numbers.inner_edges();
    Some(inner.iter().filter(|edge| **edge <= number).count())
}

fn groups(table: &Table, kept: &[(Vec<KeyValue>, &Row)]) -> Vec<Group> {
    let mut groups: BTreeMap<Vec<KeyValue>, Vec<&Row>> = BTreeMap::new();
    if let Some(all) = public_keys(table) {
        for key in all {
            groups.entry(key).or_default();
        }
    }
    for (key, row) in kept {
        groups.entry(key.clone()).or_default().push(row);
    }
    groups
        .into_iter()
        .map(|(key, rows)| Group {
            key: key.into(),
            values: table
                .aggregates
                .iter()
                .map(|aggregate| value(aggregate, &rows))
                .collect(),
        })
        .collect()
}

fn public_keys(table: &Table) -> Option<Vec<Vec<KeyValue>>> {
    let mut all = vec![vec![]];
    for key in &table.keys {
        let count = match key {
            Key::Categories(categories) => categories.names.len(),
            Key::Bins(bins) => bins.bins(),
            Key::Discovered { .. } => return None,
        };
        all = all
            .into_iter()
            .flat_map(|prefix: Vec<KeyValue>| {
                (0..count).map(move |index| {
                    let mut key = prefix.clone();
                    key.push(KeyValue::Public(index));
                    key
                })
            })
            .collect();
    }
    Some(all)
}

fn value(aggregate: &Aggregate, rows: &[&Row]) -> Aggregated {
    let sum = |numbers: &[u64]| numbers.iter().map(|&n| Integer::from(n)).sum::<Integer>();
    match aggregate {
        Aggregate::FineProducts(..)
        | Aggregate::States(_)
        | Aggregate::Kept
        | Aggregate::Gram(_) => unreachable!("no {aggregate:?} is asked for here"),
        Aggregate::Rows => Aggregated::Rows(rows.len() as u64),
        Aggregate::Sum(x) => {
            let fine = |row: &&Row| offset_on(&x.fine, number(x, row)?);
            let x: Vec<u64> = rows.iter().filter_map(fine).collect();
            Aggregated::Sum {
                rows: x.len() as u64,
                sum: sum(&x),
            }
        }
        Aggregate::Moments(x) => {
            let x: Vec<u64> = rows.iter().filter_map(|row| offset(x, row)).collect();
            Aggregated::Moments {
                rows: x.len() as u64,
                sum: sum(&x),
                squares: x.iter().map(|&x| Integer::from(x) * Integer::from(x)).sum(),
            }
        }
        Aggregate::Products(x, y) => {
            let (x, y): (Vec<u64>, Vec<u64>) = rows
                .iter()
                .filter_map(|row| Some((offset(x, row)?, offset(y, row)?)))
                .unzip();
            Aggregated::Products {
                rows: x.len() as u64,
                sum_x: sum(&x),
                sum_y: sum(&y),
                products: x
                    .iter()
                    .zip(&y)
                    .map(|(&x, &y)| Integer::from(x) * Integer::from(y))
                    .sum(),
            }
        }
        Aggregate::Bins(bins) => counts(bins.bins(), rows.iter().map(|row| bin(bins, row))),
        Aggregate::Categories(categories) => counts(
            categories.names.len(),
            rows.iter().map(|row| category(categories, row)),
        ),
        Aggregate::Offsets(x) => {
            let mut offsets = BTreeMap::new();
            for offset in rows.iter().filter_map(|row| offset(x, row)) {
                *offsets.entry(offset).or_insert(0) += 1;
            }
            Aggregated::Offsets(offsets.into_iter().collect())
        }
    }
}

fn counts(length: usize, places: impl Iterator<Item = Option<usize>>) -> Aggregated {
    let mut counts = vec![0; length];
    for place in places.flatten() {
        counts[place] += 1;
    }
    Aggregated::Counts(counts)
}
