//! Batches of rows to words.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_buffer::BooleanBuffer;

use super::EngineError;
use super::cells::{numbers, texts};
use super::intern::{Interner, Known};
use super::memo::Memo;
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
