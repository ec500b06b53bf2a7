//! Exact sums over groups, merged in any order.

mod accumulator;

use std::sync::Arc;

use hashbrown::HashMap;

use super::EngineError;
use super::encode::{Encoded, Interner};
use crate::engine::layout::{Layout, NONE, TableLayout};
use crate::query::{Group, KeyValue, LOG2_MOST_ROWS};
use accumulator::Accumulator;

/// The sums of all tables so far.
#[derive(Debug)]
pub(super) struct Fold {
    layout: Arc<Layout>,
    pub tables: Vec<TableFold>,
    /// Rows read, whether they count or not.
    pub rows: u64,
}

impl Fold {
    pub(super) fn new(layout: &Arc<Layout>) -> Fold {
        Fold {
            layout: Arc::clone(layout),
            tables: layout.tables.iter().map(TableFold::new).collect(),
            rows: 0,
        }
    }

    pub(super) fn read(&mut self, rows: usize) -> Result<(), EngineError> {
        self.rows += rows as u64;
        if self.rows > 1 << LOG2_MOST_ROWS {
            return Err(EngineError::TooManyRows);
        }
        Ok(())
    }

    /// Every row counts.
    pub(super) fn add(&mut self, encoded: &Encoded) {
        let tables = self.layout.tables.iter().zip(&mut self.tables);
        for ((table, fold), groups) in tables.zip(&encoded.groups) {
            fold.add(groups, |place| &encoded.words[table.used[place]]);
        }
    }

    pub(super) fn merge(&mut self, other: Fold) -> Result<(), EngineError> {
        // At most 2^41 before the check.
        self.read(0)?;
        self.rows += other.rows;
        self.read(0)?;
        for (mine, theirs) in self.tables.iter_mut().zip(other.tables) {
            mine.merge(theirs);
        }
        Ok(())
    }

    pub(super) fn bytes(&self) -> usize {
        self.tables.iter().map(TableFold::bytes).sum()
    }

    pub(super) fn finish(self, interner: &Interner) -> Vec<Vec<Group>> {
        let tables = self.layout.tables.iter().zip(self.tables);
        tables
            .enumerate()
            .map(|(index, (table, fold))| fold.finish(table, index, interner))
            .collect()
    }
}

/// The sums of one table so far.
#[derive(Debug)]
pub(super) struct TableFold {
    /// With discovered keys, the place of each group that occurred; without, every group has its
    /// place.
    places: Option<HashMap<u64, u32>>,
    groups: usize,
    accumulators: Vec<Accumulator>,
    ids: Vec<u32>,
}

const NO_PLACE: u32 = u32::MAX;

impl TableFold {
    pub(super) fn new(table: &TableLayout) -> TableFold {
        let dense = table.discovered.is_empty() || table.is_of_units;
        let groups = match dense {
            true if table.is_of_units => 1,
            true => table.public_groups,
            false => 0,
        };
        let mut fold = TableFold {
            places: (!dense).then(HashMap::new),
            groups,
            accumulators: table.aggregates.iter().map(Accumulator::new).collect(),
            ids: Vec::new(),
        };
        fold.grow();
        fold
    }

    /// Adds rows, given the group of each and, by place in [`TableLayout::used`], the words of
    /// each.
    pub(super) fn add<'a>(&mut self, groups: &[u64], words: impl Fn(usize) -> &'a [u64]) {
        let mut ids = std::mem::take(&mut self.ids);
        ids.clear();
        match &mut self.places {
            // Public groups are below 2^24, and NONE becomes NO_PLACE.
            None => ids.extend(groups.iter().map(|group| *group as u32)),
            Some(places) => ids.extend(groups.iter().map(|group| {
                if *group == NONE {
                    return NO_PLACE;
                }
                let next = places.len() as u32;
                *places.entry(*group).or_insert(next)
            })),
        }
        self.grow();
        for accumulator in &mut self.accumulators {
            accumulator.add(&ids, &words);
        }
        self.ids = ids;
    }

    /// Adds a unit with so many rows in the groups of the table, of which the limits keep so many.
    pub(super) fn add_unit(&mut self, rows: u64, kept: u64) {
        for accumulator in &mut self.accumulators {
            accumulator.add_unit(rows, kept);
        }
    }

    fn grow(&mut self) {
        if let Some(places) = &self.places {
            self.groups = places.len();
        }
        for accumulator in &mut self.accumulators {
            accumulator.grow(self.groups);
        }
    }

    fn merge(&mut self, other: TableFold) {
        let ids: Vec<u32> = match (&mut self.places, &other.places) {
            (Some(places), Some(theirs)) => {
                let mut ids = vec![NO_PLACE; other.groups];
                for (group, id) in theirs {
                    let next = places.len() as u32;
                    ids[*id as usize] = *places.entry(*group).or_insert(next);
                }
                ids
            }
            _ => (0..other.groups as u32).collect(),
        };
        self.grow();
        for (mine, theirs) in self.accumulators.iter_mut().zip(other.accumulators) {
            mine.merge(theirs, &ids);
        }
    }

    fn bytes(&self) -> usize {
        let places = self
            .places
            .as_ref()
            .map_or(0, |places| places.capacity() * 24);
        places
            + self
                .accumulators
                .iter()
                .map(Accumulator::bytes)
                .sum::<usize>()
    }

    fn finish(mut self, table: &TableLayout, index: usize, interner: &Interner) -> Vec<Group> {
        let keyed: Vec<(Vec<KeyValue>, usize)> = match self.places.take() {
            None => (0..self.groups)
                .map(|group| (table.key(group as u64, &[]), group))
                .collect(),
            Some(places) => {
                let values = interner.values(index);
                let publics = table.public_groups as u64;
                let mut keyed: Vec<_> = places
                    .into_iter()
                    .map(|(group, id)| {
                        let texts = &values[(group / publics) as usize].texts;
                        (table.key(group % publics, texts), id as usize)
                    })
                    .collect();
                keyed.sort_unstable();
                keyed
            }
        };
        keyed
            .into_iter()
            .map(|(key, id)| Group {
                key,
                values: self.accumulators.iter_mut().map(|a| a.value(id)).collect(),
            })
            .collect()
    }
}
