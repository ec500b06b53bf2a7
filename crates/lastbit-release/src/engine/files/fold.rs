//! Exact sums over groups, merged in any order.

mod accumulator;

use std::sync::Arc;

use hashbrown::HashMap;

use super::EngineError;
use super::encode::Encoded;
use super::intern::Interner;
use crate::engine::layout::{Layout, NONE, TableLayout};
use crate::query::{Group, GroupKey, KeyValue, LOG2_MOST_ROWS};
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
    places: Option<Places>,
    groups: usize,
    accumulators: Vec<Accumulator>,
    ids: Vec<u32>,
}

const NO_PLACE: u32 = u32::MAX;

/// The places of groups that occurred.
#[derive(Debug)]
struct Places {
    known: Known,
    count: u32,
}

#[derive(Debug)]
enum Known {
    /// By group, [`NO_PLACE`] for those that did not occur. Discovered keys are numbered one after
    /// the other, so that with few public groups for each there are hardly more numbers than
    /// groups.
    Dense(Vec<u32>),
    Sparse(HashMap<u64, u32>),
}

/// With more public groups for each discovered key, most of them may be empty.
const FEW_PUBLIC: usize = 8;

impl Places {
    fn new(public_groups: usize) -> Places {
        let known = match public_groups <= FEW_PUBLIC {
            true => Known::Dense(Vec::new()),
            false => Known::Sparse(HashMap::new()),
        };
        Places { known, count: 0 }
    }

    /// The place of a group, which is the next one if it had none.
    #[inline]
    fn of(&mut self, group: u64) -> u32 {
        let next = self.count;
        let place = match &mut self.known {
            Known::Dense(places) => {
                // Fewer than 2^32 discovered keys, each in memory.
                let index = group as usize;
                if index >= places.len() {
                    places.resize(index + 1, NO_PLACE);
                }
                let place = &mut places[index];
                if *place == NO_PLACE {
                    *place = next;
                }
                *place
            }
            Known::Sparse(places) => *places.entry(group).or_insert(next),
        };
        self.count += u32::from(place == next);
        place
    }

    /// Calls `see` with each group and its place.
    fn each(&self, mut see: impl FnMut(u64, u32)) {
        match &self.known {
            Known::Dense(places) => {
                let occurred = places.iter().zip(0..).filter(|(id, _)| **id != NO_PLACE);
                occurred.for_each(|(id, group)| see(group, *id));
            }
            Known::Sparse(places) => places.iter().for_each(|(group, id)| see(*group, *id)),
        }
    }

    fn bytes(&self) -> usize {
        match &self.known {
            Known::Dense(places) => 4 * places.capacity(),
            Known::Sparse(places) => 24 * places.capacity(),
        }
    }
}

/// Keys in increasing order. Most are told apart by a few bytes beside them.
fn in_order(mut keyed: Vec<(GroupKey, usize)>) -> Vec<(GroupKey, usize)> {
    let beginning = |key: &[KeyValue]| match key.first() {
        None => 0,
        Some(KeyValue::Public(index)) => *index as u128,
        Some(KeyValue::Discovered(text)) => {
            let mut bytes = [0; 16];
            let length = text.len().min(16);
            bytes[..length].copy_from_slice(&text.as_bytes()[..length]);
            u128::from_be_bytes(bytes)
        }
    };
    // A first key is of the same sort in all groups of a table, and the texts of two keys are in
    // the order of their first bytes, if these differ.
    let mut order: Vec<(u128, usize)> = keyed
        .iter()
        .enumerate()
        .map(|(place, (key, _))| (beginning(key), place))
        .collect();
    order.sort_unstable_by(|(a, i), (b, j)| a.cmp(b).then_with(|| keyed[*i].0.cmp(&keyed[*j].0)));
    let taken = order
        .iter()
        .map(|(_, place)| std::mem::take(&mut keyed[*place]));
    taken.collect()
}

impl TableFold {
    pub(super) fn new(table: &TableLayout) -> TableFold {
        let dense = table.discovered.is_empty() || table.is_of_units;
        let groups = match dense {
            true if table.is_of_units => 1,
            true => table.public_groups,
            false => 0,
        };
        let mut fold = TableFold {
            places: (!dense).then(|| Places::new(table.public_groups)),
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
            Some(places) => ids.extend(groups.iter().map(|group| match *group {
                NONE => NO_PLACE,
                group => places.of(group),
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
            self.groups = places.count as usize;
        }
        for accumulator in &mut self.accumulators {
            accumulator.grow(self.groups);
        }
    }

    fn merge(&mut self, other: TableFold) {
        let ids: Vec<u32> = match (&mut self.places, &other.places) {
            (Some(places), Some(theirs)) => {
                let mut ids = vec![NO_PLACE; other.groups];
                theirs.each(|group, id| ids[id as usize] = places.of(group));
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
        let places = self.places.as_ref().map_or(0, Places::bytes);
        places
            + self
                .accumulators
                .iter()
                .map(Accumulator::bytes)
                .sum::<usize>()
    }

    fn finish(mut self, table: &TableLayout, index: usize, interner: &Interner) -> Vec<Group> {
        let keyed: Vec<(GroupKey, usize)> = match self.places.take() {
            None => {
                let nothing = GroupKey::default();
                (0..self.groups)
                    .map(|group| (table.key(group as u64, &nothing), group))
                    .collect()
            }
            Some(places) => {
                let values = interner.values(index);
                let publics = table.public_groups as u64;
                let mut keyed = Vec::with_capacity(self.groups);
                places.each(|group, id| {
                    let discovered = &values[(group / publics) as usize];
                    keyed.push((table.key(group % publics, discovered), id as usize));
                });
                in_order(keyed)
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
