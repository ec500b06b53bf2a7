//! Words of texts that were seen before.
//!
//! Columns of categories hold few different texts, most of them short. What a short text becomes is
//! kept beside the text itself, so that it need not be read as a value and looked up again.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;

use super::EngineError;
use super::cells::texts;
use crate::value::{Value, value};

/// Texts of more bytes are not kept: with their length they have 16.
const MOST_BYTES: usize = 15;

/// So many texts are kept; one that falls on the place of another takes it.
const PLACES: usize = 1 << 8;

/// Short texts, and the word of each.
#[derive(Debug)]
pub(super) struct Memo {
    places: Box<[(u128, u64); PLACES]>,
}

/// No text: its length would be 255.
const NOTHING: u128 = u128::MAX;

impl Default for Memo {
    fn default() -> Memo {
        Memo {
            places: Box::new([(NOTHING, 0); PLACES]),
        }
    }
}

impl Memo {
    /// Appends the word of each cell, which `word` tells of its value: always the same one for one
    /// value, whatever was seen before.
    pub(super) fn words(
        &mut self,
        array: &ArrayRef,
        column: &str,
        words: &mut Vec<u64>,
        word: impl Fn(Value) -> u64,
    ) -> Result<(), EngineError> {
        let mut buffer = String::new();
        match array.data_type() {
            DataType::Utf8View => {
                let array = array.as_string_view();
                words.extend(array.views().iter().enumerate().map(|(row, view)| {
                    if array.is_null(row) {
                        return word(Value::Missing);
                    }
                    let mut read = || word(value(array.value(row), &mut buffer));
                    // Texts of at most twelve bytes are in their view, after their length.
                    match *view as u32 {
                        length @ 0..=12 => self.of(view >> 32 | u128::from(length) << 120, read),
                        _ => read(),
                    }
                }));
            }
            DataType::Utf8 => {
                let array = array.as_string::<i32>();
                words.extend((0..array.len()).map(|row| {
                    if array.is_null(row) {
                        return word(Value::Missing);
                    }
                    let text = array.value(row);
                    let mut read = || word(value(text, &mut buffer));
                    match short(text) {
                        Some(short) => self.of(short, read),
                        None => read(),
                    }
                }));
            }
            _ => texts(array, column, |cell| words.push(word(cell)))?,
        }
        Ok(())
    }

    #[inline]
    fn of(&mut self, short: u128, read: impl FnOnce() -> u64) -> u64 {
        let mixed = (short as u64 ^ (short >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        // The top eight bits.
        let place = &mut self.places[(mixed >> 56) as usize];
        if place.0 != short {
            *place = (short, read());
        }
        place.1
    }
}

/// A short text as a number: different for different texts.
#[inline]
pub(super) fn short(text: &str) -> Option<u128> {
    let text = text.as_bytes();
    if text.len() > MOST_BYTES {
        return None;
    }
    let mut bytes = [0; 16];
    bytes[..text.len()].copy_from_slice(text);
    // At most 15.
    bytes[15] = text.len() as u8;
    Some(u128::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests;
