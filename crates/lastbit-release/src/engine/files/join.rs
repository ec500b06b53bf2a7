//! Private tables that are joined by the unit's key.
//!
//! Every unit gets at most one row of such a table, chosen by that unit's own rows there: so what
//! is known of a unit is a function of that unit's rows in all tables, and one unit changes what is
//! read of no other. What was chosen is looked up like a public table, by the unit of a row.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::RecordBatch;

use super::cells::texts;
use super::table::ScanTable;
use super::worker::Shared;
use super::{EngineError, Options};
use crate::clean::shown;
use crate::engine::choice::{Rank, Ranking, group_text, unit_name};
use crate::plan::{Lookup, Unit};
use crate::query::{Aggregate, Derive, Join, Key, Query, Table};
use crate::value::{Value, Values};

/// The query with its joined tables among those that are looked up in. They are empty if they are
/// not to be read: then only their files and columns are looked for.
pub(super) fn joined<'a>(
    query: &'a Query,
    options: &Options,
    is_read: bool,
) -> Result<Cow<'a, Query>, EngineError> {
    if query.derive.joins.is_empty() {
        return Ok(Cow::Borrowed(query));
    }
    let mut lookups = Vec::new();
    for join in &query.derive.joins {
        lookups.push(Arc::new(lookup(query, join, options, is_read)?));
    }
    lookups.extend(query.derive.lookups.iter().cloned());
    Ok(Cow::Owned(Query {
        derive: Derive {
            joins: vec![],
            lookups,
            ..query.derive.clone()
        },
        ..query.clone()
    }))
}

fn lookup(
    query: &Query,
    join: &Join,
    options: &Options,
    is_read: bool,
) -> Result<Lookup, EngineError> {
    let keys = join.columns.iter().map(|column| Key::Discovered {
        column: column.clone(),
    });
    let run = Shared::new(
        &Query {
            source: join.source.clone(),
            derive: Derive::default(),
            unit: Unit::Column {
                name: join.unit.clone(),
                most_rows: 1,
                most_groups: 1,
            },
            tables: vec![Table {
                keys: keys.collect(),
                aggregates: vec![Aggregate::Rows],
                ..Table::default()
            }],
            hash_key: query.hash_key,
        },
        options,
    )?;
    let table = ScanTable::open(&join.source, &run, options);
    let table = table.map_err(|error| unknown_unit(error, join))?;
    let mut rows = Rows {
        query,
        choice: Ranking::new(&query.hash_key),
        join,
        chosen: BTreeMap::new(),
        bytes: 0,
        limit: options.memory,
    };
    if is_read {
        let (pieces, _) = table.pieces()?;
        for piece in &pieces {
            table.read(piece, |batch| rows.add(batch))?;
        }
    }
    rows.lookup()
}

/// Says what a join is by where a table lacks the column of the unit.
fn unknown_unit(error: EngineError, join: &Join) -> EngineError {
    if error.unknown_column() != Some(&join.unit) {
        return error;
    }
    let words = format!(
        "a private table is joined by the unit, `{}`: if that column has another name there, write \
         it as `unit` in [[source.join]], such as unit = \"ID\"",
        shown(&join.key)
    );
    error.explained(words)
}

/// The one row of each unit so far.
struct Rows<'a> {
    query: &'a Query,
    choice: Ranking,
    join: &'a Join,
    /// By the one text of the unit: the hash of the row, and its cells.
    chosen: BTreeMap<String, (Rank, Vec<String>)>,
    bytes: usize,
    limit: usize,
}

impl Rows<'_> {
    fn add(&mut self, batch: &RecordBatch) -> Result<(), EngineError> {
        let units = self.cells(batch, &self.join.unit, &self.join.key)?;
        let columns = self.join.columns.iter();
        let columns = columns.map(|name| self.cells(batch, name, name));
        let mut columns = columns.collect::<Result<Vec<_>, _>>()?;
        for (row, unit) in units.into_iter().enumerate() {
            // Rows without a unit are nobody's.
            if unit.is_empty() {
                continue;
            }
            let cells = columns.iter_mut().map(|of| std::mem::take(&mut of[row]));
            let cells: Vec<String> = cells.collect();
            let rank = (self.rank(&unit, &cells), cells);
            match self.chosen.get_mut(&unit) {
                // Equal hashes are those of equal rows, or else the cells decide: never their
                // order.
                Some(chosen) if *chosen <= rank => {}
                Some(chosen) => *chosen = rank,
                None => {
                    self.bytes += unit.len() + rank.1.iter().map(String::len).sum::<usize>() + 200;
                    self.chosen.insert(unit, rank);
                }
            }
        }
        if self.bytes > self.limit {
            return Err(EngineError::Memory {
                what: "the rows of a joined table",
                limit: self.limit,
            });
        }
        Ok(())
    }

    /// The one text of each cell; empty where it is missing, or says a code of missing cells of
    /// the column that the plan knows by a name.
    fn cells(
        &self,
        batch: &RecordBatch,
        name: &str,
        in_plan: &str,
    ) -> Result<Vec<String>, EngineError> {
        let codes = self.query.derive.codes.iter();
        let codes = codes.filter(|(other, _)| other == in_plan);
        let codes: Vec<Values> = codes.map(|(_, codes)| Values::of(codes)).collect();
        let column = batch.column_by_name(name);
        let column =
            column.ok_or_else(|| EngineError::Engine("a column was not read".to_owned()))?;
        let mut all = Vec::with_capacity(batch.num_rows());
        texts(column, name, |cell| {
            all.push(match cell {
                Value::Missing => String::new(),
                cell if codes.iter().any(|codes| codes.contains(cell)) => String::new(),
                cell => cell.to_text(),
            });
        })?;
        Ok(all)
    }

    /// Of several rows of a unit, one stays, as one group of it would whose discovered keys are the
    /// cells.
    fn rank(&mut self, unit: &str, cells: &[String]) -> Rank {
        self.choice.group(&unit_name(unit), &group_text(0, cells))
    }

    fn lookup(self) -> Result<Lookup, EngineError> {
        let rows = self.chosen.into_iter();
        let rows = rows.map(|(unit, (_, cells))| (unit, cells));
        Lookup::new(&self.join.key, &self.join.columns, rows)
            .map_err(|_| EngineError::Engine("a unit was joined twice".to_owned()))
    }
}
