//! One JSON object a line: only the wanted values are looked at.

use std::borrow::Cow;
use std::fmt;
use std::io::{BufRead, Read};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::rows::{Rows, See};
use super::{Piece, Reader, TextFile};
use crate::engine::{EngineError, MOST_ROW_BYTES};

/// Lines whose names are told when a column is not found.
const FIRST_LINES: usize = 1000;

/// And no more names than this.
const FIRST_NAMES: usize = 1000;

/// The names in the first lines.
pub(super) fn first_names(file: &TextFile) -> Result<Vec<String>, EngineError> {
    let mut lines = Lines::new(file, 0, u64::MAX, &Arc::default())?;
    let mut names: Vec<String> = Vec::new();
    for _ in 0..FIRST_LINES {
        let Some(line) = lines.next()? else { break };
        let mut see = |name: &str, _: &RawValue| {
            if names.len() < FIRST_NAMES && !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
            Ok(())
        };
        let every = |_: &str| true;
        object(line, &every, &mut see).map_err(|error| lines.error(&error))?;
    }
    Ok(names)
}

/// Reads the rows of a piece.
pub(super) struct JsonReader<'a> {
    file: &'a TextFile,
    lines: Lines<'a>,
    rows: Rows,
}

impl<'a> JsonReader<'a> {
    pub(super) fn new(piece: &'a Piece, read: &Arc<AtomicU64>) -> Result<Self, EngineError> {
        let file = piece.file.as_ref();
        Ok(JsonReader {
            file,
            lines: Lines::new(file, piece.start, piece.end, read)?,
            rows: Rows::new(&file.wanted),
        })
    }

    pub(super) fn read(mut self, see: &mut See) -> Result<(), EngineError> {
        let wanted = &self.file.wanted;
        let place = |name: &str| wanted.iter().position(|column| column == name);
        let mut cells: Vec<Option<Option<String>>> = vec![None; wanted.len()];
        while let Some(line) = self.lines.next()? {
            cells.fill(None);
            let mut take = |name: &str, value: &RawValue| {
                let Some(place) = place(name) else {
                    return Ok(());
                };
                // Which of two would count is nobody's choice.
                match cells[place].replace(text(value.get())?) {
                    None => Ok(()),
                    Some(_) => Err(serde_json::Error::custom("a name occurs twice")),
                }
            };
            let is_wanted = |name: &str| place(name).is_some();
            object(line, &is_wanted, &mut take).map_err(|error| self.lines.error(&error))?;
            for (column, cell) in cells.iter().enumerate() {
                self.rows.cell(
                    column,
                    cell.as_ref().and_then(Option::as_ref).map(String::as_bytes),
                );
            }
            self.rows.end_row(see)?;
        }
        self.rows.finish(see)
    }
}

/// What a value says as a text: a number as it is written, a text, true or false. Nothing else is a
/// single value.
fn text(value: &str) -> Result<Option<String>, serde_json::Error> {
    Ok(match value.as_bytes().first() {
        Some(b'"') => Some(serde_json::from_str(value)?),
        Some(b'{' | b'[' | b'n') | None => None,
        Some(_) => Some(value.to_owned()),
    })
}

type Take<'a> = dyn FnMut(&str, &RawValue) -> Result<(), serde_json::Error> + 'a;

/// Calls `take` with each wanted member of the object that a line is.
fn object(
    line: &str,
    is_wanted: &dyn Fn(&str) -> bool,
    take: &mut Take,
) -> Result<(), serde_json::Error> {
    let mut parser = serde_json::Deserializer::from_str(line);
    Members { is_wanted, take }.deserialize(&mut parser)?;
    parser.end()
}

struct Members<'a, 'b> {
    is_wanted: &'a dyn Fn(&str) -> bool,
    take: &'a mut Take<'b>,
}

impl<'de> DeserializeSeed<'de> for Members<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Members<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(Name(name)) = map.next_key()? {
            if (self.is_wanted)(&name) {
                let value: &RawValue = map.next_value()?;
                (self.take)(&name, value).map_err(A::Error::custom)?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

/// A name, borrowed from the line where it has no escapes.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// The lines of a part of a file that are not empty.
struct Lines<'a> {
    file: &'a TextFile,
    reader: Reader,
    start: u64,
    /// Bytes read of the part.
    read: u64,
    /// Lines read of the part.
    line: u64,
    bytes: Vec<u8>,
}

impl<'a> Lines<'a> {
    fn new(
        file: &'a TextFile,
        start: u64,
        end: u64,
        read: &Arc<AtomicU64>,
    ) -> Result<Self, EngineError> {
        Ok(Lines {
            file,
            reader: file.reader(start, end, read)?,
            start,
            read: 0,
            line: 0,
            bytes: Vec::new(),
        })
    }

    fn next(&mut self) -> Result<Option<&str>, EngineError> {
        loop {
            self.bytes.clear();
            let length = (&mut self.reader)
                .take(MOST_ROW_BYTES + 1)
                .read_until(b'\n', &mut self.bytes)
                .map_err(|source| self.file.read_error(source))?;
            if length == 0 {
                return Ok(None);
            }
            if length as u64 > MOST_ROW_BYTES {
                return Err(EngineError::LongRow {
                    file: self.file.path.clone(),
                    byte: self.start + self.read,
                });
            }
            self.line += 1;
            if self.start == 0 && self.read == 0 && self.bytes.starts_with(b"\xef\xbb\xbf") {
                self.bytes.drain(..3);
            }
            self.read += length as u64;
            if !self.bytes.trim_ascii().is_empty() {
                break;
            }
        }
        match str::from_utf8(&self.bytes) {
            Ok(line) => Ok(Some(line)),
            Err(_) => Err(EngineError::NotUtf8 {
                file: self.file.path.clone(),
                line: self.line_in_file(),
            }),
        }
    }

    fn line_in_file(&self) -> u64 {
        self.line + self.file.lines_before(self.start)
    }

    /// Where a line is wrong, without a word of what it says.
    fn error(&self, error: &serde_json::Error) -> EngineError {
        EngineError::Json {
            file: self.file.path.clone(),
            line: self.line_in_file(),
            column: error.column(),
        }
    }
}
