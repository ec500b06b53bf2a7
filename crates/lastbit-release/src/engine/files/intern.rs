//! Numbers for the values of discovered keys.

use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatch;
use hashbrown::HashMap;

use super::EngineError;
use super::cells::texts;
use super::memo::short;
use crate::engine::layout::{Layout, NONE};
use crate::query::{GroupKey, KeyValue};
use crate::value::Value;

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
    /// The discovered part of a group's key, by code.
    values: Vec<GroupKey>,
    bytes: usize,
}

impl Interner {
    pub(super) fn new(tables: usize, limit: usize) -> Interner {
        Interner {
            tables: (0..tables).map(|_| Mutex::default()).collect(),
            limit,
        }
    }

    /// The discovered parts of keys, by code.
    pub(super) fn values(&self, table: usize) -> Vec<GroupKey> {
        let interned = self.tables[table].lock();
        let interned = interned.unwrap_or_else(PoisonError::into_inner);
        interned.values.clone()
    }

    /// The code of the discovered keys of each row.
    pub(super) fn codes(
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
            texts.push(KeyValue::Discovered(part.to_owned()));
            rest = others;
        }
        interned.values.push(texts.into());
        Ok(next)
    }
}

/// What an encoder knows of the discovered keys of a table. A text is held once, however many rows
/// say it.
#[derive(Debug, Default)]
pub(super) struct Known {
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
