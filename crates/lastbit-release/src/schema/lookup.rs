//! Public tables that complete rows.

use std::collections::BTreeMap;

#[cfg(feature = "engine")]
use crate::value::Value;
use crate::value::canonical;

/// A public table: for each value of a key, at most one row of texts. It is as public as the plan,
/// and part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookup {
    key: String,
    columns: Vec<String>,
    /// Rows by the one text of their key.
    rows: BTreeMap<String, Vec<Option<String>>>,
}

/// The cells of a row, and which one it is.
type Numbered = (u64, Vec<Option<String>>);

/// Why a table cannot be used for look-ups.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LookupError {
    /// These two rows have one key. They are counted from 1; the key itself may be a cell of a file
    /// that was named by mistake, and is not told.
    Twice(u64, u64),
    /// This row has no key.
    NoKey(u64),
}

impl Lookup {
    /// Each row is a key and its cells, in the order of the columns. Empty texts are missing cells.
    pub fn new(
        key: &str,
        columns: &[String],
        rows: impl IntoIterator<Item = (String, Vec<String>)>,
    ) -> Result<Lookup, LookupError> {
        let mut all: BTreeMap<String, Numbered> = BTreeMap::new();
        for (row, (key, cells)) in (1..).zip(rows) {
            let key = canonical(&key).ok_or(LookupError::NoKey(row))?;
            let cells = cells.iter().map(|cell| canonical(cell)).collect();
            if let Some((first, _)) = all.insert(key, (row, cells)) {
                return Err(LookupError::Twice(first, row));
            }
        }
        Ok(Lookup {
            key: key.to_owned(),
            columns: columns.to_vec(),
            rows: all
                .into_iter()
                .map(|(key, (_, cells))| (key, cells))
                .collect(),
        })
    }

    /// The column of the data that holds the key.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The columns that rows get from the table.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The cell of a column for a key.
    #[cfg(feature = "engine")]
    pub(crate) fn find(&self, key: Value<'_>, column: usize) -> Option<&str> {
        let row = match key {
            Value::Missing => None,
            Value::Whole(number) => self.rows.get(&number.to_string()),
            Value::Text(text) => self.rows.get(text),
        };
        row?.get(column)?.as_deref()
    }

    /// The one texts of keys, and what a column has for each, in the order of keys.
    #[cfg(feature = "engine")]
    pub(crate) fn found(&self, column: usize) -> impl Iterator<Item = (&str, &str)> {
        let rows = self.rows.iter();
        rows.filter_map(move |(key, cells)| Some((key.as_str(), cells.get(column)?.as_deref()?)))
    }

    /// BLAKE3, in hexadecimal, of one column of the table: in the order of keys, the lengths and
    /// bytes of each key and its cell, if there is one. The layout of the file does not matter.
    pub fn hash(&self, column: usize) -> String {
        let mut hasher = blake3::Hasher::new_derive_key("lastbit look-up table 1");
        let mut text = |text: &str| {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        };
        for (key, cells) in &self.rows {
            if let Some(Some(cell)) = cells.get(column) {
                text(key);
                text(cell);
            }
        }
        hasher.finalize().to_hex().to_string()
    }
}
