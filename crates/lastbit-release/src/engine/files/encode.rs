//! Batches of rows to words.

use std::borrow::Cow;
use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatch;
use arrow_buffer::BooleanBuffer;
use hashbrown::HashMap;

use super::EngineError;
use super::cells::{numbers, texts};
use super::memo::{Memo, short};
use crate::engine::choice::{MOST_UNIT_BYTES, hex, unit_hash, unit_name};
use crate::engine::layout::{Feature, Layout, NONE, Offset};
use crate::value::Value;

/// The unit of a row: different for different units, see [`unit_of`]. All ones for a row without a
/// unit.
pub(super) type UnitId = [u64; 2];

pub(super) const NO_UNIT: UnitId = [u64::MAX; 2];

/// A batch of rows as words.
#[derive(Debug, Default)]
pub(super) struct Encoded {
    pub rows: usize,
    /// Empty if every row is a unit.
    pub units: Vec<UnitId>,
    /// For each table the group of each row.
    pub groups: Vec<Vec<u64>>,
    /// For each feature the word of each row.
    pub words: Vec<Vec<u64>>,
}

/// Turns batches whose columns are [`Layout::columns`], in that order, into words, with the rows
/// that pass each of [`Layout::filters`].
pub(super) struct Encoder {
    layout: Arc<Layout>,
    interner: Arc<Interner>,
    /// Codes of this encoder's tables, so that it seldom asks the interner.
    known: Vec<Known>,
    /// Of each feature, what its texts became.
    memos: Vec<Memo>,
    encoded: Encoded,
}

impl Encoder {
    pub(super) fn new(layout: Arc<Layout>, interner: Arc<Interner>) -> Encoder {
        let known = layout.tables.iter().map(|_| Known::default()).collect();
        let memos = layout.features.iter().map(|_| Memo::default()).collect();
        Encoder {
            layout,
            interner,
            known,
            memos,
            encoded: Encoded::default(),
        }
    }

    pub(super) fn encode(
        &mut self,
        batch: &RecordBatch,
        passes: &[Option<BooleanBuffer>],
    ) -> Result<&Encoded, EngineError> {
        let layout = Arc::clone(&self.layout);
        let encoded = &mut self.encoded;
        encoded.rows = batch.num_rows();
        encoded.words.resize_with(layout.features.len(), Vec::new);
        encoded.groups.resize_with(layout.tables.len(), Vec::new);
        if let Some(unit) = &layout.unit {
            encoded.units.clear();
            let name = &layout.columns[*unit];
            texts(batch.column(*unit), name, |cell| {
                encoded.units.push(unit_of(cell));
            })?;
        }
        let mut read: Vec<Option<Cow<[f64]>>> = vec![None; layout.columns.len()];
        for (index, feature) in layout.features.iter().enumerate() {
            // Features are made of those before them.
            let (before, words) = encoded.words.split_at_mut(index);
            let words = &mut words[0];
            match feature {
                Feature::NumberState {
                    column,
                    lower,
                    upper,
                } => {
                    words.clear();
                    let numbers = numbers_of(&layout, *column, batch, &mut read)?;
                    words.extend(numbers.iter().map(|number| match number {
                        number if number.is_nan() => 2,
                        number if number < lower => 0,
                        number if number > upper => 1,
                        _ => 3,
                    }));
                }
                Feature::TextState { column, listed } => {
                    words.clear();
                    // After the states of cells that are missing or not listed.
                    let sound = if listed.is_some() { 2 } else { 1 };
                    texts(batch.column(*column), &layout.columns[*column], |cell| {
                        let unlisted =
                            listed.is_some_and(|listed| before[listed][words.len()] == NONE);
                        words.push(match cell {
                            Value::Missing => 0,
                            _ if unlisted => 1,
                            _ => sound,
                        });
                    })?;
                }
                Feature::Offset(offset) => offsets(&layout, offset, batch, &mut read, words)?,
                Feature::Bin {
                    column,
                    bins,
                    missing,
                } => {
                    words.clear();
                    let numbers = numbers_of(&layout, *column, batch, &mut read)?;
                    words.extend(numbers.iter().map(|number| match number.is_nan() {
                        true => *missing,
                        false => bins.bin(*number) as u64,
                    }));
                }
                Feature::Category {
                    column,
                    names,
                    numbers,
                    other,
                } => {
                    words.clear();
                    let word = |cell: Value| {
                        let code = match cell {
                            Value::Missing => None,
                            Value::Whole(number) => numbers.get(&number),
                            Value::Text(name) => names.get(name),
                        };
                        code.copied().unwrap_or(*other)
                    };
                    let name = &layout.columns[*column];
                    self.memos[index].words(batch.column(*column), name, words, word)?;
                }
            }
        }
        for (index, table) in layout.tables.iter().enumerate() {
            let groups = &mut encoded.groups[index];
            groups.clear();
            groups.resize(encoded.rows, 0);
            if let Some(passed) = table.filter.and_then(|filter| passes[filter].as_ref()) {
                for (group, passed) in groups.iter_mut().zip(passed) {
                    *group = if passed { 0 } else { NONE };
                }
            }
            for (feature, values) in &table.publics {
                let values = *values as u64;
                for (group, word) in groups.iter_mut().zip(&encoded.words[*feature]) {
                    // Public groups are at most 2^24, so neither operation overflows.
                    let missing = *group == NONE || *word == NONE;
                    *group = if missing {
                        NONE
                    } else {
                        *group * values + word
                    };
                }
            }
            if !table.discovered.is_empty() {
                let codes = self
                    .interner
                    .codes(&layout, index, batch, &mut self.known[index])?;
                for (group, code) in groups.iter_mut().zip(codes) {
                    let missing = *group == NONE || code == NONE;
                    *group = if missing {
                        NONE
                    } else {
                        // Codes are below 2^32 and public groups at most 2^24.
                        code * table.public_groups as u64 + *group
                    };
                }
            }
        }
        Ok(&self.encoded)
    }
}

/// Offsets of a numeric column.
fn offsets<'a>(
    layout: &Layout,
    offset: &Offset,
    batch: &'a RecordBatch,
    read: &mut [Option<Cow<'a, [f64]>>],
    words: &mut Vec<u64>,
) -> Result<(), EngineError> {
    let numbers = numbers_of(layout, offset.column, batch, read)?;
    offset
        .grid
        .offsets(numbers, words)
        .map_err(|error| EngineError::Query(error.to_string()))?;
    for (word, number) in words.iter_mut().zip(numbers) {
        if number.is_nan() {
            *word = offset.missing;
        }
    }
    Ok(())
}

/// The numbers of a column, read once a batch; NaN where there is none.
fn numbers_of<'a, 'b>(
    layout: &Layout,
    column: usize,
    batch: &'a RecordBatch,
    read: &'b mut [Option<Cow<'a, [f64]>>],
) -> Result<&'b [f64], EngineError> {
    if read[column].is_none() {
        read[column] = Some(numbers(batch.column(column), &layout.columns[column])?);
    }
    Ok(read[column].as_deref().unwrap_or_default())
}

const WHOLE: u64 = 0xfe << 56;
const HASHED: u64 = 0xfd << 56;

/// Different values have different ids: whole numbers by their value and short texts by their
/// bytes, whatever the format. Texts over 15 bytes are told apart by 120 bits of their SHA-256:
/// among 2^32 of them, two are taken for one unit with probability below 2^-56.
fn unit_of(cell: Value) -> UnitId {
    match cell {
        Value::Missing => NO_UNIT,
        Value::Whole(number) => [number as u64, WHOLE],
        Value::Text(text) => {
            let mut bytes = [0; 16];
            if text.len() <= MOST_UNIT_BYTES {
                bytes[..text.len()].copy_from_slice(text.as_bytes());
                // The top byte of the second word.
                bytes[15] = text.len() as u8;
                return halves(&bytes);
            }
            bytes[..15].copy_from_slice(&unit_hash(text));
            let [low, high] = halves(&bytes);
            [low, high | HASHED]
        }
    }
}

/// The name of a unit in the hash that chooses its rows: its text or, where that is long, digits of
/// its hash.
pub(super) fn unit_text(unit: UnitId) -> Vec<u8> {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&unit[0].to_le_bytes());
    bytes[8..].copy_from_slice(&unit[1].to_le_bytes());
    match unit[1] & (0xff << 56) {
        WHOLE => unit_name(&unit[0].cast_signed().to_string()),
        HASHED => hex(&bytes[..15]).into_bytes(),
        _ => bytes[..usize::from(bytes[15]).min(MOST_UNIT_BYTES)].to_vec(),
    }
}

fn halves(bytes: &[u8; 16]) -> [u64; 2] {
    let number = u128::from_le_bytes(*bytes);
    [number as u64, (number >> 64) as u64]
}

/// Numbers the values of discovered keys, the same ones for all threads.
#[derive(Debug)]
pub(super) struct Interner {
    tables: Vec<Mutex<Interned>>,
    /// The most bytes of values in one table.
    limit: usize,
}

#[derive(Debug, Default)]
struct Interned {
    codes: HashMap<Box<str>, u64>,
    values: Vec<DiscoveredKeys>,
    bytes: usize,
}

/// The discovered part of a group's key.
#[derive(Clone, Debug)]
pub(super) struct DiscoveredKeys {
    pub texts: Arc<[String]>,
}

impl Interner {
    pub(super) fn new(tables: usize, limit: usize) -> Interner {
        Interner {
            tables: (0..tables).map(|_| Mutex::default()).collect(),
            limit,
        }
    }

    /// By code.
    pub(super) fn values(&self, table: usize) -> Vec<DiscoveredKeys> {
        let interned = self.tables[table].lock();
        interned
            .unwrap_or_else(PoisonError::into_inner)
            .values
            .clone()
    }

    /// The code of the discovered keys of each row.
    fn codes(
        &self,
        layout: &Layout,
        index: usize,
        batch: &RecordBatch,
        known: &mut Known,
    ) -> Result<Vec<u64>, EngineError> {
        let keys = &layout.tables[index].discovered;
        known.read(layout, keys, batch)?;
        if known.bytes > self.limit {
            return Err(self.too_many());
        }
        let mut codes = Vec::with_capacity(batch.num_rows());
        for row in known.rows.chunks_exact(keys.len()) {
            let code = match known.codes.get(row) {
                Some(code) => code,
                None if row.contains(&NO_TEXT) => NONE,
                None => {
                    let texts = row.iter().zip(&known.texts);
                    let texts: Vec<&str> = texts
                        .map(|(code, texts)| texts.by_code[*code as usize].as_ref())
                        .collect();
                    let (text, lengths) = joined(&texts);
                    let code = self.code(index, &text, &lengths)?;
                    known.codes.insert(row, code);
                    code
                }
            };
            codes.push(code);
        }
        Ok(codes)
    }

    fn too_many(&self) -> EngineError {
        EngineError::Memory {
            what: "the list of discovered keys",
            limit: self.limit,
        }
    }

    fn code(&self, index: usize, text: &str, lengths: &[usize]) -> Result<u64, EngineError> {
        let mut interned = self.tables[index]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let interned = &mut *interned;
        let next = interned.values.len() as u64;
        if let Some(known) = interned.codes.get(text) {
            return Ok(*known);
        }
        // The text is held here, in the values, and by each encoder.
        interned.bytes += 4 * text.len() + 200;
        if interned.bytes > self.limit || next >= u64::from(u32::MAX) {
            return Err(self.too_many());
        }
        interned.codes.insert(text.into(), next);
        let mut rest = &text[text.len() - lengths.iter().sum::<usize>()..];
        let mut texts = Vec::with_capacity(lengths.len());
        for length in lengths {
            let (part, others) = rest.split_at(*length);
            texts.push(part.to_owned());
            rest = others;
        }
        let texts = texts.into();
        interned.values.push(DiscoveredKeys { texts });
        Ok(next)
    }
}

/// What an encoder knows of the discovered keys of a table. A text is held once, however many rows
/// say it.
#[derive(Debug, Default)]
struct Known {
    /// Of each key.
    texts: Vec<Texts>,
    /// By the codes of the texts.
    codes: RowCodes,
    /// About how many bytes all of that takes.
    bytes: usize,
    /// The codes of the texts of a batch, row by row.
    rows: Vec<u32>,
}

/// The codes of rows, by the codes of their texts.
#[derive(Debug, Default)]
struct RowCodes {
    /// Of rows of one text, [`NONE`] where none is known: by far the most common.
    of_one: Vec<u64>,
    of_several: HashMap<Box<[u32]>, u64>,
}

impl RowCodes {
    #[inline]
    fn get(&self, row: &[u32]) -> Option<u64> {
        match row {
            [text] => {
                let code = self.of_one.get(*text as usize).copied();
                code.filter(|code| *code != NONE)
            }
            _ => self.of_several.get(row).copied(),
        }
    }

    /// Of a row whose texts all have codes, which are given in their order.
    fn insert(&mut self, row: &[u32], code: u64) {
        match row {
            [text] => {
                let place = *text as usize;
                let length = self.of_one.len().max(place + 1);
                self.of_one.resize(length, NONE);
                self.of_one[place] = code;
            }
            _ => {
                self.of_several.insert(row.into(), code);
            }
        }
    }
}

/// The code of no text.
const NO_TEXT: u32 = u32::MAX;

#[derive(Debug, Default)]
struct Texts {
    /// Of short texts, which are their own keys: one look at memory each.
    short: HashMap<u128, u32>,
    long: HashMap<Arc<str>, u32>,
    by_code: Vec<Arc<str>>,
}

impl Known {
    /// Fills `rows`.
    fn read(
        &mut self,
        layout: &Layout,
        keys: &[usize],
        batch: &RecordBatch,
    ) -> Result<(), EngineError> {
        self.texts.resize_with(keys.len(), Texts::default);
        self.rows.clear();
        self.rows.resize(batch.num_rows() * keys.len(), NO_TEXT);
        let mut digits = String::new();
        for (place, (column, known)) in keys.iter().zip(&mut self.texts).enumerate() {
            let mut rows = self.rows.iter_mut().skip(place).step_by(keys.len());
            texts(batch.column(*column), &layout.columns[*column], |cell| {
                let Some(row) = rows.next() else { return };
                let text = match cell {
                    Value::Missing => return,
                    Value::Whole(number) => {
                        digits.clear();
                        // Writing to a string does not fail.
                        let _ = write!(digits, "{number}");
                        digits.as_str()
                    }
                    Value::Text(text) => text,
                };
                *row = known.get(text).unwrap_or_else(|| {
                    self.bytes += text.len() + 150;
                    known.add(text)
                });
            })?;
        }
        Ok(())
    }
}

impl Texts {
    #[inline]
    fn get(&self, text: &str) -> Option<u32> {
        let code = match short(text) {
            Some(short) => self.short.get(&short),
            None => self.long.get(text),
        };
        code.copied()
    }

    fn add(&mut self, text: &str) -> u32 {
        let short = short(text);
        let text: Arc<str> = text.into();
        // Texts take 150 bytes each of a memory of at most 2^36 bytes, and one batch.
        let code = self.by_code.len() as u32;
        self.by_code.push(Arc::clone(&text));
        match short {
            Some(short) => self.short.insert(short, code),
            None => self.long.insert(text, code),
        };
        code
    }
}

/// Discovered keys as one text that says which ones: the lengths of all but the last, then the
/// texts. And the length of each.
fn joined(texts: &[&str]) -> (String, Vec<usize>) {
    let lengths: Vec<usize> = texts.iter().map(|text| text.len()).collect();
    let mut joined = String::new();
    for length in &lengths[..lengths.len() - 1] {
        joined += &format!("{length}:");
    }
    texts.iter().for_each(|text| joined += text);
    (joined, lengths)
}
