//! Batches of rows to words.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::arrow::array::{Array, RecordBatch};
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use super::EngineError;
use super::cells::{self, Text, numbers, texts};
use super::layout::{Feature, Layout, NONE, Offset, TableLayout};

/// The unit of a row: different for different units, see [`unit_of`]. All ones for a row without a unit.
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

/// Turns batches whose columns are [`Layout::columns`], in that order, into words.
pub(super) struct Encoder {
    layout: Arc<Layout>,
    interner: Arc<Interner>,
    /// Codes of this encoder's tables, so that it seldom asks the interner.
    known: Vec<HashMap<Box<str>, u64>>,
    encoded: Encoded,
}

impl Encoder {
    pub(super) fn new(layout: Arc<Layout>, interner: Arc<Interner>) -> Encoder {
        let known = layout.tables.iter().map(|_| HashMap::new()).collect();
        Encoder {
            layout,
            interner,
            known,
            encoded: Encoded::default(),
        }
    }

    pub(super) fn encode(&mut self, batch: &RecordBatch) -> Result<&Encoded, EngineError> {
        let layout = Arc::clone(&self.layout);
        let encoded = &mut self.encoded;
        encoded.rows = batch.num_rows();
        encoded.words.resize_with(layout.features.len(), Vec::new);
        encoded.groups.resize_with(layout.tables.len(), Vec::new);
        if let Some(unit) = &layout.unit {
            encoded.units.clear();
            let name = &layout.columns[unit.column];
            texts(batch.column(unit.column), name, |text| {
                encoded.units.push(unit_of(text, &layout.hash_key));
            })?;
        }
        let mut read: Vec<Option<Cow<[f64]>>> = vec![None; layout.columns.len()];
        for (feature, words) in layout.features.iter().zip(&mut encoded.words) {
            match feature {
                Feature::Offset(offset) => offsets(&layout, offset, batch, &mut read, words)?,
                Feature::Bin { offset, inner } => {
                    offsets(&layout, offset, batch, &mut read, words)?;
                    for word in words.iter_mut().filter(|word| **word != NONE) {
                        *word = inner.partition_point(|edge| edge <= word) as u64;
                    }
                }
                Feature::Category {
                    column,
                    names,
                    numbers,
                    other,
                } => {
                    words.clear();
                    texts(batch.column(*column), &layout.columns[*column], |text| {
                        let code = match text {
                            Text::Missing => None,
                            Text::Whole(number) => numbers.get(&number),
                            Text::Other(name) => names.get(name),
                        };
                        words.push(code.copied().unwrap_or(*other));
                    })?;
                }
            }
        }
        for (index, table) in layout.tables.iter().enumerate() {
            let groups = &mut encoded.groups[index];
            groups.clear();
            groups.resize(encoded.rows, 0);
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
    let column = offset.column;
    if read[column].is_none() {
        read[column] = Some(numbers(batch.column(column), &layout.columns[column])?);
    }
    let numbers = read[column].as_deref().unwrap_or_default();
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

/// Different texts have different ids: whole numbers by their value and short texts by their bytes, whatever the format. Texts over 15
/// bytes are told apart by 119 bits of a keyed BLAKE3: among 2^32 of them, two are taken for one unit with probability below 2^-56.
fn unit_of(text: Text, key: &[u8; 32]) -> UnitId {
    const WHOLE: u64 = 0xfe << 56;
    const HASHED: u64 = 0xff << 56;
    match text {
        Text::Missing => NO_UNIT,
        Text::Whole(number) => [number as u64, WHOLE],
        Text::Other(text) => {
            if let Some(number) = cells::whole_number(text) {
                return [number as u64, WHOLE];
            }
            let mut bytes = [0; 16];
            if text.len() <= 15 {
                bytes[..text.len()].copy_from_slice(text.as_bytes());
                // The top byte of the second word.
                bytes[15] = text.len() as u8;
                return halves(&bytes);
            }
            let hash = blake3::keyed_hash(key, text.as_bytes());
            bytes.copy_from_slice(&hash.as_bytes()[..16]);
            // The last bit keeps the id apart from NO_UNIT.
            let [low, high] = halves(&bytes);
            [low & (u64::MAX >> 1), high | HASHED]
        }
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
    values: Vec<Value>,
    bytes: usize,
}

/// The discovered part of a group's key.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub texts: Vec<String>,
    /// The same in every run, as codes are not.
    pub hash: u64,
}

impl Interner {
    pub(super) fn new(tables: usize, limit: usize) -> Interner {
        Interner {
            tables: (0..tables).map(|_| Mutex::default()).collect(),
            limit,
        }
    }

    /// By code.
    pub(super) fn values(&self, table: usize) -> Vec<Value> {
        let interned = self.tables[table].lock();
        interned
            .unwrap_or_else(PoisonError::into_inner)
            .values
            .clone()
    }

    fn codes(
        &self,
        layout: &Layout,
        index: usize,
        batch: &RecordBatch,
        known: &mut HashMap<Box<str>, u64>,
    ) -> Result<Vec<u64>, EngineError> {
        let table = &layout.tables[index];
        let joined = joined(layout, table, batch)?;
        let mut codes = Vec::with_capacity(joined.len());
        for cell in joined {
            let Some((text, lengths)) = cell else {
                codes.push(NONE);
                continue;
            };
            let code = match known.get(text.as_str()) {
                Some(code) => *code,
                None => {
                    let code = self.code(layout, index, &text, &lengths)?;
                    known.insert(text.into_boxed_str(), code);
                    code
                }
            };
            codes.push(code);
        }
        Ok(codes)
    }

    fn code(
        &self,
        layout: &Layout,
        index: usize,
        text: &str,
        lengths: &[usize],
    ) -> Result<u64, EngineError> {
        let mut interned = self.tables[index]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let interned = &mut *interned;
        let next = interned.values.len() as u64;
        let Entry::Vacant(entry) = interned.codes.entry(text.into()) else {
            return Ok(interned.codes[text]);
        };
        // The text is held here, in the values, and by each encoder.
        interned.bytes += 4 * text.len() + 200;
        if interned.bytes > self.limit || next >= u64::from(u32::MAX) {
            return Err(EngineError::Memory {
                what: "the list of discovered keys",
                limit: self.limit,
            });
        }
        entry.insert(next);
        let mut rest = &text[text.len() - lengths.iter().sum::<usize>()..];
        let mut texts = Vec::with_capacity(lengths.len());
        for length in lengths {
            let (part, others) = rest.split_at(*length);
            texts.push(part.to_owned());
            rest = others;
        }
        let hash = blake3::keyed_hash(&layout.hash_key, text.as_bytes());
        let [hash, _] = halves(&std::array::from_fn(|i| hash.as_bytes()[i]));
        interned.values.push(Value { texts, hash });
        Ok(next)
    }
}

/// The discovered keys of each row as one text that says which ones: the lengths of all but the last, then the texts.
type Joined = Option<(String, Vec<usize>)>;

fn joined(
    layout: &Layout,
    table: &TableLayout,
    batch: &RecordBatch,
) -> Result<Vec<Joined>, EngineError> {
    let mut parts: Vec<Option<Vec<String>>> = vec![Some(Vec::new()); batch.num_rows()];
    for column in &table.discovered {
        let array = batch.column(*column);
        debug_assert_eq!(array.len(), parts.len());
        let mut rows = parts.iter_mut();
        texts(array, &layout.columns[*column], |text| {
            let Some(row) = rows.next() else { return };
            match (text, &mut *row) {
                (Text::Missing, _) => *row = None,
                (Text::Whole(number), Some(parts)) => parts.push(number.to_string()),
                (Text::Other(text), Some(parts)) => parts.push(text.to_owned()),
                (_, None) => {}
            }
        })?;
    }
    let join = |parts: Vec<String>| {
        let lengths: Vec<usize> = parts.iter().map(String::len).collect();
        let mut text = String::new();
        for length in &lengths[..lengths.len() - 1] {
            text += &format!("{length}:");
        }
        parts.iter().for_each(|part| text += part);
        (text, lengths)
    };
    Ok(parts.into_iter().map(|row| row.map(join)).collect())
}
