//! From cells of text to the answer.

use std::collections::BTreeMap;

use lastbit_exact::Integer;

use super::table::{InResult, Sum, TableStatement};
use super::{Rows, SqlError};
use crate::engine::layout::{AggregateLayout, TableLayout};
use crate::query::{Aggregated, Group, GroupKey, KeyValue, LOG2_MOST_ROWS};

const SHAPE: SqlError = SqlError::Result("a table");

/// The one number of a result.
pub(super) fn one_count(rows: &[Vec<Option<String>>]) -> Result<u64, SqlError> {
    match rows {
        [row] => match row.as_slice() {
            [Some(count)] => count.parse().map_err(|_| SqlError::Result("a count")),
            _ => Err(SqlError::Result("a count")),
        },
        _ => Err(SqlError::Result("a count")),
    }
}

/// What part 0 and the others say of one group.
#[derive(Default)]
struct Found {
    cells: Vec<Integer>,
    /// By part: words and counts.
    counts: BTreeMap<usize, BTreeMap<u64, u64>>,
}

/// The groups of a table, in the order of the file engine.
pub(super) fn groups(
    statement: &TableStatement,
    table: &TableLayout,
    rows: &Rows,
) -> Result<Vec<Group>, SqlError> {
    let mut found: BTreeMap<(u64, Vec<String>), Found> = BTreeMap::new();
    let publics = if table.is_of_units {
        1
    } else {
        table.public_groups as u64
    };
    if statement.discovered == 0 {
        found.extend((0..publics).map(|group| ((group, Vec::new()), Found::default())));
    }
    let counts = |place: &&InResult| matches!(place, InResult::Counts(_));
    let parts = statement.places.iter().filter(counts).count();
    for row in rows {
        let [Some(part), Some(group), rest @ ..] = row.as_slice() else {
            return Err(SHAPE);
        };
        if rest.len() != statement.discovered + 1 + statement.values {
            return Err(SHAPE);
        }
        let (texts, rest) = rest.split_at(statement.discovered);
        let texts: Option<Vec<String>> = texts.iter().cloned().collect();
        let group: u64 = group.parse().map_err(|_| SHAPE)?;
        let part: usize = part.parse().map_err(|_| SHAPE)?;
        if group >= publics {
            return Err(SHAPE);
        }
        let entry = found.entry((group, texts.ok_or(SHAPE)?)).or_default();
        match (part, rest) {
            (0, [_, values @ ..]) => {
                if !entry.cells.is_empty() {
                    return Err(SHAPE);
                }
                let values = values.iter().map(|cell| integer(cell.as_deref()));
                entry.cells = values.collect::<Result<_, _>>()?;
            }
            (part, [Some(word), Some(count), ..]) if part <= parts => {
                let word = word.parse().map_err(|_| SHAPE)?;
                let count = count.parse().map_err(|_| SHAPE)?;
                let counts = entry.counts.entry(part).or_default();
                if counts.insert(word, count).is_some() {
                    return Err(SHAPE);
                }
            }
            _ => return Err(SHAPE),
        }
    }
    let mut groups = found
        .into_iter()
        .map(|((group, texts), found)| {
            let places = statement.places.iter().zip(&table.aggregates);
            let values = places.map(|(place, aggregate)| exact(place, aggregate, &found));
            let discovered: GroupKey = texts.into_iter().map(KeyValue::Discovered).collect();
            Ok(Group {
                key: table.key(group, &discovered),
                values: values.collect::<Result<_, SqlError>>()?,
            })
        })
        .collect::<Result<Vec<Group>, SqlError>>()?;
    // Public keys are in their order already; with discovered ones all keys are sorted together.
    if statement.discovered > 0 {
        groups.sort_unstable_by(|a, b| a.key.cmp(&b.key));
    }
    Ok(groups)
}

/// A whole number that is not negative; nothing at all was summed where there is none.
fn integer(cell: Option<&str>) -> Result<Integer, SqlError> {
    let text = cell.unwrap_or("0");
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match plain {
        // The sum of 2^40 numbers of 62 bits has 102.
        true => text.parse::<u128>().map(Integer::from).map_err(|_| SHAPE),
        false => Err(SHAPE),
    }
}

fn exact(
    place: &InResult,
    aggregate: &AggregateLayout,
    found: &Found,
) -> Result<Aggregated, SqlError> {
    let sums = match place {
        InResult::Counts(part) => {
            let none = BTreeMap::new();
            let counts = found.counts.get(part).unwrap_or(&none);
            return match aggregate {
                AggregateLayout::Counts { values, .. } => {
                    let mut all = vec![0; *values];
                    for (word, count) in counts {
                        let place = usize::try_from(*word).ok();
                        *place.and_then(|word| all.get_mut(word)).ok_or(SHAPE)? = *count;
                    }
                    Ok(Aggregated::Counts(all))
                }
                _ => Ok(Aggregated::Offsets(
                    counts.iter().map(|(word, count)| (*word, *count)).collect(),
                )),
            };
        }
        InResult::Sums(sums) => sums,
    };
    let sum = |sum: &Sum| {
        sum.iter().fold(Integer::ZERO, |all, (cell, shift)| {
            // A group without rows has no cells.
            let cell = found.cells.get(*cell).cloned().unwrap_or(Integer::ZERO);
            all + (cell << *shift as usize)
        })
    };
    let all: Vec<Integer> = sums.iter().map(sum).collect();
    let count = |number: &Integer| -> Result<u64, SqlError> {
        let count = u64::try_from(number.clone()).map_err(|_| SHAPE)?;
        match count > 1 << LOG2_MOST_ROWS {
            true => Err(SqlError::TooManyRows),
            false => Ok(count),
        }
    };
    Ok(match (aggregate, all.as_slice()) {
        (AggregateLayout::Rows, [rows]) => Aggregated::Rows(count(rows)?),
        (AggregateLayout::Kept, [units, cut, left_out]) => Aggregated::Kept {
            units: count(units)?,
            cut: count(cut)?,
            left_out: left_out.clone(),
        },
        (AggregateLayout::Sum(_), [rows, sum]) => Aggregated::Sum {
            rows: count(rows)?,
            sum: sum.clone(),
        },
        (AggregateLayout::Moments(_), [rows, sum, squares]) => Aggregated::Moments {
            rows: count(rows)?,
            sum: sum.clone(),
            squares: squares.clone(),
        },
        (
            AggregateLayout::Products(..) | AggregateLayout::FineProducts(..),
            [rows, sum_x, sum_y, products],
        ) => Aggregated::Products {
            rows: count(rows)?,
            sum_x: sum_x.clone(),
            sum_y: sum_y.clone(),
            products: products.clone(),
        },
        (AggregateLayout::Gram(columns), [rows, rest @ ..]) if rest.len() >= columns.len() => {
            let (sums, products) = rest.split_at(columns.len());
            Aggregated::Gram {
                rows: count(rows)?,
                sums: sums.to_vec(),
                products: products.to_vec(),
            }
        }
        _ => return Err(SHAPE),
    })
}
