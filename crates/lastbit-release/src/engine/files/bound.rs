//! Which rows of a unit count: at most `most_rows` in each of at most `most_groups` groups of a
//! table, of those that pass its filter.
//!
//! All rows of a unit are brought together by radix partitioning, on disk if they do not fit into
//! memory. Then the hashes of [`crate::engine::choice`] choose groups and rows of those units that
//! have too many; others are never hashed.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::EngineError;
use super::encode::{Encoded, NO_UNIT, UnitId, unit_text};
use super::fold::{Fold, TableFold};
use super::intern::Interner;
use crate::engine::choice::{Rank, Ranking, group_text};
use crate::engine::layout::{Layout, NONE, TableLayout};
use crate::query::{GroupKey, KeyValue};

/// A unit is in the bucket that its hash says.
const BUCKETS: usize = 256;

/// How many words of a record are the unit.
const UNIT: usize = 2;

/// What is kept of a row: its unit, its group in each table, and the words that aggregates use.
struct Records {
    tables: usize,
    /// The features whose words are kept, in increasing order.
    features: Vec<usize>,
    /// For each table, where the words of [`TableLayout::used`] are in a record.
    places: Vec<Vec<usize>>,
}

impl Records {
    fn new(layout: &Layout) -> Records {
        let tables = layout.tables.len();
        let used = layout.tables.iter().flat_map(|table| &table.used);
        let features: BTreeSet<usize> = used.copied().collect();
        let features: Vec<usize> = features.into_iter().collect();
        let place = |feature: &usize| {
            let before = features.partition_point(|other| other < feature);
            UNIT + tables + before
        };
        let places = layout.tables.iter();
        let places = places.map(|table| table.used.iter().map(place).collect());
        Records {
            tables,
            places: places.collect(),
            features,
        }
    }

    /// How many words a record has.
    fn width(&self) -> usize {
        UNIT + self.tables + self.features.len()
    }
}

/// Rows that wait until all rows of their unit were read.
pub(super) struct Buckets {
    records: Records,
    buckets: Vec<Vec<u64>>,
    /// Bytes in `buckets`.
    bytes: usize,
    /// Bytes in the buckets of all threads.
    shared: Arc<AtomicUsize>,
    limit: usize,
    spilled: Option<Spilled>,
}

struct Spilled {
    file: Mutex<File>,
    length: u64,
    /// For each bucket, where its parts start and how many words they have.
    parts: Vec<Vec<(u64, usize)>>,
}

impl Buckets {
    /// Spills to disk when all that share the count hold more than `limit` bytes.
    pub(super) fn new(layout: &Arc<Layout>, shared: &Arc<AtomicUsize>, limit: usize) -> Buckets {
        Buckets {
            records: Records::new(layout),
            buckets: vec![Vec::new(); BUCKETS],
            bytes: 0,
            shared: Arc::clone(shared),
            limit,
            spilled: None,
        }
    }

    pub(super) fn add(&mut self, encoded: &Encoded) -> Result<(), EngineError> {
        let before: usize = self.bytes;
        let bytes = 8 * self.records.width();
        let words = self.records.features.iter();
        let words = words.map(|feature| &encoded.words[*feature]);
        let columns: Vec<&Vec<u64>> = encoded.groups.iter().chain(words).collect();
        for (row, unit) in encoded.units.iter().enumerate() {
            let nowhere = encoded.groups.iter().all(|groups| groups[row] == NONE);
            if *unit == NO_UNIT || nowhere {
                continue;
            }
            let bucket = &mut self.buckets[bucket_of(unit)];
            bucket.extend_from_slice(unit);
            bucket.extend(columns.iter().map(|column| column[row]));
            self.bytes += bytes;
        }
        let added = self.bytes - before;
        let all = self.shared.fetch_add(added, Ordering::Relaxed) + added;
        // A thread with little of its own leaves spilling to the others.
        if all > self.limit && self.bytes > self.limit / 64 {
            self.spill().map_err(spill_error)?;
        }
        Ok(())
    }

    fn spill(&mut self) -> std::io::Result<()> {
        let spilled = match &mut self.spilled {
            Some(spilled) => spilled,
            none => none.insert(Spilled {
                file: Mutex::new(tempfile::tempfile()?),
                length: 0,
                parts: vec![Vec::new(); BUCKETS],
            }),
        };
        let mut bytes = Vec::new();
        for (bucket, parts) in self.buckets.iter_mut().zip(&mut spilled.parts) {
            if bucket.is_empty() {
                continue;
            }
            bytes.clear();
            bytes.extend(bucket.iter().flat_map(|word| word.to_le_bytes()));
            let file = spilled.file.get_mut();
            file.unwrap_or_else(PoisonError::into_inner)
                .write_all(&bytes)?;
            parts.push((spilled.length, bucket.len()));
            spilled.length += bytes.len() as u64;
            *bucket = Vec::new();
        }
        self.shared.fetch_sub(self.bytes, Ordering::Relaxed);
        self.bytes = 0;
        Ok(())
    }

    /// The bytes of a bucket, wherever they are.
    fn size(&self, index: usize) -> usize {
        let spilled = self
            .spilled
            .iter()
            .flat_map(|spilled| &spilled.parts[index]);
        8 * (self.buckets[index].len() + spilled.map(|(_, words)| words).sum::<usize>())
    }

    /// Appends a bucket to `records`.
    fn take(&self, index: usize, records: &mut Vec<u64>) -> std::io::Result<()> {
        records.extend_from_slice(&self.buckets[index]);
        let Some(spilled) = &self.spilled else {
            return Ok(());
        };
        let mut file = spilled.file.lock().unwrap_or_else(PoisonError::into_inner);
        let mut bytes = Vec::new();
        for (start, words) in &spilled.parts[index] {
            bytes.resize(8 * words, 0);
            file.seek(SeekFrom::Start(*start))?;
            file.read_exact(&mut bytes)?;
            let words = bytes.as_chunks::<8>().0;
            records.extend(words.iter().map(|word| u64::from_le_bytes(*word)));
        }
        Ok(())
    }
}

fn bucket_of(unit: &UnitId) -> usize {
    // Odd multipliers spread whole numbers and short texts over the high bits.
    let mixed =
        unit[0].wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ unit[1].wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
    (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize
}

fn spill_error(source: std::io::Error) -> EngineError {
    EngineError::Temporary {
        directory: std::env::temp_dir(),
        source,
    }
}

/// The sums over the rows that stay, by up to `threads` threads; nothing if every row is a unit.
pub(super) fn bounded(
    layout: &Arc<Layout>,
    interner: &Interner,
    buckets: Vec<Buckets>,
    threads: usize,
    limit: usize,
) -> Result<Fold, EngineError> {
    if layout.unit.is_none() {
        return Ok(Fold::new(layout));
    }
    let values: Vec<Vec<GroupKey>> = (0..layout.tables.len())
        .map(|table| interner.values(table))
        .collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut chooser = Chooser::new(layout, &values);
        let mut records = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= BUCKETS {
                return Ok(chooser.finish());
            }
            if buckets.iter().map(|part| part.size(index)).sum::<usize>() > limit {
                return Err(EngineError::Memory {
                    what: "bringing the rows of each unit together",
                    limit,
                });
            }
            records.clear();
            for part in &buckets {
                part.take(index, &mut records).map_err(spill_error)?;
            }
            chooser.bucket(&records);
        }
    };
    let held: usize = buckets.iter().map(|part| part.bytes).sum();
    let few = held < 1 << 16 && buckets.iter().all(|part| part.spilled.is_none());
    if threads <= 1 || few {
        return work();
    }
    let mut all = Fold::new(layout);
    let parts: Vec<Result<Fold, EngineError>> = thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        running
            .into_iter()
            .map(|thread| thread.join())
            .map(|part| part.unwrap_or_else(|_| Err(EngineError::Engine("a thread failed".into()))))
            .collect()
    });
    for part in parts {
        all.merge(part?)?;
    }
    Ok(all)
}

/// Goes through units one by one and adds the rows that stay.
struct Chooser<'a> {
    layout: &'a Layout,
    /// For each table the values of discovered keys by code.
    values: &'a [Vec<GroupKey>],
    choice: Ranking,
    fold: Fold,
    pending: Vec<Pending>,
    records: Records,
    /// Unit and place of each record of a bucket.
    order: Vec<(UnitId, u32)>,
    /// The same for a bucket of units that differ in their first word alone.
    short_order: Vec<(u64, u32)>,
    /// Group and place of each row of a unit in a table.
    rows: Vec<(u64, u32)>,
}

/// Rows that stay, until there are enough to add.
struct Pending {
    groups: Vec<u64>,
    words: Vec<Vec<u64>>,
}

const MOST_PENDING: usize = 4096;

impl<'a> Chooser<'a> {
    fn new(layout: &'a Arc<Layout>, values: &'a [Vec<GroupKey>]) -> Self {
        Chooser {
            layout,
            values,
            choice: Ranking::new(&layout.hash_key),
            fold: Fold::new(layout),
            pending: layout
                .tables
                .iter()
                .map(|table| Pending {
                    groups: Vec::new(),
                    words: vec![Vec::new(); table.used.len()],
                })
                .collect(),
            records: Records::new(layout),
            order: Vec::new(),
            short_order: Vec::new(),
            rows: Vec::new(),
        }
    }

    fn finish(mut self) -> Fold {
        for (pending, table) in self.pending.iter_mut().zip(&mut self.fold.tables) {
            pending.flush(table);
        }
        self.fold
    }

    fn bucket(&mut self, records: &[u64]) {
        let each = records.chunks_exact(self.records.width());
        // A bucket is smaller than the memory limit; its rows are numbered by 32 bits.
        let units = each.map(|record| [record[0], record[1]]).zip(0..);
        let Some(([_, second], _)) = units.clone().next() else {
            return;
        };
        // Units that are whole numbers have the same second word, and so have many texts.
        if units.clone().all(|(unit, _)| unit[1] == second) {
            let mut order = std::mem::take(&mut self.short_order);
            order.clear();
            order.extend(units.map(|(unit, place)| (unit[0], place)));
            order.sort_unstable();
            self.runs(records, &order, |first| [first, second]);
            self.short_order = order;
        } else {
            let mut order = std::mem::take(&mut self.order);
            order.clear();
            order.extend(units);
            order.sort_unstable();
            self.runs(records, &order, |unit| unit);
            self.order = order;
        }
    }

    /// The units of a bucket one by one, of records in the order of their units and places.
    fn runs<K: Copy + PartialEq>(
        &mut self,
        records: &[u64],
        order: &[(K, u32)],
        unit: impl Fn(K) -> UnitId,
    ) {
        for run in order.chunk_by(|a, b| a.0 == b.0) {
            let places = run.iter().map(|(_, place)| *place);
            for table in 0..self.layout.tables.len() {
                self.unit(records, unit(run[0].0), places.clone(), table);
            }
        }
    }

    /// The rows of one unit in one table.
    fn unit(
        &mut self,
        records: &[u64],
        unit: UnitId,
        places: impl Iterator<Item = u32>,
        table: usize,
    ) {
        let width = self.records.width();
        let record = |place: u32| &records[place as usize * width..][..width];
        let mut rows = std::mem::take(&mut self.rows);
        rows.clear();
        rows.extend(
            places
                .map(|place| (record(place)[UNIT + table], place))
                .filter(|(group, _)| *group != NONE),
        );
        let TableLayout {
            most_rows,
            most_groups,
            ..
        } = self.layout.tables[table];
        let fit = rows.len() as u64 <= most_rows.min(most_groups);
        if self.layout.tables[table].is_of_units {
            rows.sort_unstable();
            let kept = self.kept(unit, table, &rows);
            self.fold.tables[table].add_unit(rows.len() as u64, kept);
        } else if fit {
            rows.iter()
                .for_each(|row| self.keep(table, row.0, record(row.1)));
        } else {
            rows.sort_unstable();
            let groups = self.choose_groups(unit, table, &rows);
            for rows in groups {
                if rows.len() as u64 <= most_rows {
                    rows.iter()
                        .for_each(|row| self.keep(table, row.0, record(row.1)));
                } else {
                    let places = rows.iter().map(|row| row.1).collect();
                    for place in self.choose_rows(unit, table, rows[0].0, places, &record) {
                        self.keep(table, rows[0].0, record(place));
                    }
                }
            }
        }
        self.rows = rows;
    }

    /// How many of a unit's rows, in the order of their groups, the limits keep.
    fn kept(&mut self, unit: UnitId, table: usize, rows: &[(u64, u32)]) -> u64 {
        let most_rows = self.layout.tables[table].most_rows;
        let groups = self.choose_groups(unit, table, rows);
        let kept = groups.iter().map(|rows| most_rows.min(rows.len() as u64));
        kept.sum()
    }

    /// The groups of a unit's rows that stay, of rows in the order of their groups.
    fn choose_groups<'r>(
        &mut self,
        unit: UnitId,
        table: usize,
        rows: &'r [(u64, u32)],
    ) -> Vec<&'r [(u64, u32)]> {
        let most_groups = self.layout.tables[table].most_groups;
        let mut groups: Vec<&[(u64, u32)]> = rows.chunk_by(|a, b| a.0 == b.0).collect();
        if groups.len() as u64 > most_groups {
            let unit = unit_text(unit);
            groups.sort_by_cached_key(|rows| {
                let group = self.group_text(table, rows[0].0);
                self.choice.group(&unit, &group)
            });
            groups.truncate(most_groups as usize);
        }
        groups
    }

    /// A group as it is hashed.
    fn group_text(&self, table: usize, group: u64) -> Vec<u8> {
        let publics = self.layout.tables[table].public_groups as u64;
        match self.values[table].get((group / publics) as usize) {
            Some(key) => group_text(group % publics, key.iter().filter_map(KeyValue::discovered)),
            None => group_text(group, [""; 0]),
        }
    }

    /// The `most_rows` rows of a unit in a group that stay, of more.
    fn choose_rows<'r>(
        &mut self,
        unit: UnitId,
        table: usize,
        group: u64,
        mut places: Vec<u32>,
        record: &impl Fn(u32) -> &'r [u64],
    ) -> Vec<u32> {
        let of_words = &self.records.places[table];
        let words = |place: u32| {
            let record = record(place);
            of_words.iter().map(|word| record[*word])
        };
        places.sort_unstable_by(|a, b| words(*a).cmp(words(*b)));
        let group = self.group_text(table, group);
        let mut ranks = self.choice.rows(&unit_text(unit), &group);
        let mut copy = 0;
        let mut ranked: Vec<(Rank, u32)> = Vec::with_capacity(places.len());
        for (index, place) in places.iter().enumerate() {
            let again = index > 0 && words(places[index - 1]).eq(words(*place));
            copy = if again { copy + 1 } else { 0 };
            let words = words(*place).map(|word| (word != NONE).then_some(word));
            ranked.push((ranks.rank(words, copy), index as u32));
        }
        ranked.sort_unstable();
        ranked
            .iter()
            .take(self.layout.tables[table].most_rows as usize)
            .map(|(_, index)| places[*index as usize])
            .collect()
    }

    fn keep(&mut self, table: usize, group: u64, record: &[u64]) {
        let pending = &mut self.pending[table];
        pending.groups.push(group);
        let columns = pending.words.iter_mut();
        for (column, word) in columns.zip(&self.records.places[table]) {
            column.push(record[*word]);
        }
        if pending.groups.len() >= MOST_PENDING {
            pending.flush(&mut self.fold.tables[table]);
        }
    }
}

impl Pending {
    fn flush(&mut self, table: &mut TableFold) {
        table.add(&self.groups, |place| &self.words[place]);
        self.groups.clear();
        self.words.iter_mut().for_each(Vec::clear);
    }
}
