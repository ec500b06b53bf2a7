//! CSV, row by row: only the wanted cells are kept.
//!
//! Rows are found by [`marks`], many at a time; those that it does not understand are read byte by
//! byte, by [`record`], with the same result.

pub(super) mod marks;
mod record;

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use self::marks::{Dialect, Marks};
use self::record::{Found, Record};
use super::rows::{Rows, See};
use super::{Piece, TextFile};
use crate::engine::{EngineError, MOST_ROW_BYTES};

pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// More names than this are no header.
const MOST_COLUMNS: usize = 1 << 20;

/// Bytes that are held at once, unless a row is longer.
pub(super) const HELD: usize = 1 << 18;

/// The names in the first line.
pub(super) fn header(file: &TextFile) -> Result<Vec<String>, EngineError> {
    let mut part = Part::new(file, (0, u64::MAX), &Arc::default(), HELD)?;
    if !part.next(MOST_COLUMNS)? {
        return Err(EngineError::NoHeader(file.path.clone()));
    }
    let (record, text) = (&part.record, part.text()?);
    let names = (0..record.cells()).map(|place| text[record.range(place)].to_owned());
    Ok(names.collect())
}

/// Reads the rows of a piece.
pub(super) struct CsvReader<'a> {
    part: Part<'a>,
    /// Without them, every row is read byte by byte.
    marks: Option<Marks>,
    rows: Rows,
    /// A cell without the doubling of its quotes.
    cell: Vec<u8>,
}

impl<'a> CsvReader<'a> {
    pub(super) fn new(piece: &'a Piece, read: &Arc<AtomicU64>) -> Result<Self, EngineError> {
        let is_plain = piece.file.dialect().is_plain();
        CsvReader::with(piece, read, HELD, is_plain.then(Marks::default))
    }

    /// Holding so many bytes, with marks or without; neither changes what is read.
    fn with(
        piece: &'a Piece,
        read: &Arc<AtomicU64>,
        held: usize,
        marks: Option<Marks>,
    ) -> Result<Self, EngineError> {
        let file = piece.file.as_ref();
        let mut part = Part::new(file, (piece.start, piece.end), read, held)?;
        if piece.start == 0 {
            part.next(MOST_COLUMNS)?;
        }
        Ok(CsvReader {
            part,
            marks,
            rows: Rows::new(&file.wanted),
            cell: Vec::new(),
        })
    }

    pub(super) fn read(mut self, see: &mut See) -> Result<(), EngineError> {
        loop {
            let is_odd = self.marked(see)?;
            if !is_odd && !self.part.is_end {
                self.part.more()?;
            } else if !self.one(see)? {
                return self.rows.finish(see);
            }
        }
    }

    /// Reads the whole rows that are held, up to one that is odd, and says whether there is one.
    fn marked(&mut self, see: &mut See) -> Result<bool, EngineError> {
        let CsvReader {
            part,
            marks,
            rows,
            cell,
        } = self;
        let Some(marks) = marks else { return Ok(true) };
        let (file, dialect) = (part.file, part.file.dialect());
        let text = part.held();
        let is_odd = marks.find(text, dialect);
        let ends = marks.ends();
        let last = marks.rows.last().map(|row| ends[*row as usize] as usize);
        let is_ascii = last.is_none_or(|last| text[..last].is_ascii());
        let (mut start, mut first) = (0, 0);
        for &row in &marks.rows {
            let (from, until) = (first, row as usize);
            let (row_start, row_end) = (start, ends[until] as usize);
            (start, first) = (row_end + 1, until + 1);
            // Nothing, and no quotes around it: an empty line, or the second byte of a line break.
            if row_start == row_end {
                continue;
            }
            let fail = |error: fn(&Part<'_>, u64, usize) -> EngineError| {
                Err(error(part, part.at(row_start), until - from + 1))
            };
            if (row_end - row_start) as u64 > MOST_ROW_BYTES {
                return fail(|part, at, _| part.long(at));
            }
            if until - from + 1 != file.width {
                return fail(|part, at, cells| part.ragged(at, cells, part.file.width));
            }
            // Delimiters and quotes are ASCII: each cell is UTF-8 by itself if the row is.
            if !is_ascii && str::from_utf8(&text[row_start..row_end]).is_err() {
                return fail(|part, at, _| part.not_utf8(at));
            }
            for (column, &place) in file.places.iter().enumerate() {
                let cell_start = match place {
                    0 => row_start,
                    _ => ends[from + place - 1] as usize + 1,
                };
                let raw = &text[cell_start..ends[from + place] as usize];
                let said = match raw {
                    // No byte is odd, so the last one closes, and quotes between are doubled.
                    [open, said @ .., _] if *open == dialect.quote => {
                        undoubled(said, dialect, cell)
                    }
                    _ => raw,
                };
                rows.cell(column, Some(said));
            }
            rows.end_row(see)?;
        }
        part.consume(start);
        Ok(is_odd)
    }

    /// Reads one row byte by byte; false at the end.
    fn one(&mut self, see: &mut See) -> Result<bool, EngineError> {
        let width = self.part.file.width;
        if !self.part.next(width)? {
            return Ok(false);
        }
        let record = &self.part.record;
        if record.cells() != width {
            return Err(self.part.ragged(self.part.row, record.cells(), width));
        }
        let text = self.part.text()?;
        for (column, place) in self.part.file.places.iter().enumerate() {
            let cell = &text[record.range(*place)];
            self.rows.cell(column, Some(cell.as_bytes()));
        }
        self.rows.end_row(see)?;
        Ok(true)
    }
}

/// What a cell says between its quotes.
fn undoubled<'a>(said: &'a [u8], dialect: Dialect, into: &'a mut Vec<u8>) -> &'a [u8] {
    if memchr::memchr(dialect.quote, said).is_none() {
        return said;
    }
    into.clear();
    let mut rest = said;
    while let Some(place) = memchr::memchr(dialect.quote, rest) {
        into.extend_from_slice(&rest[..=place]);
        rest = rest.get(place + 2..).unwrap_or_default();
    }
    into.extend_from_slice(rest);
    into
}

/// A part of a file, of which some bytes are held.
struct Part<'a> {
    file: &'a TextFile,
    reader: Box<dyn Read + Send>,
    bytes: Vec<u8>,
    /// The bytes that were not read yet, of those that are held.
    start: usize,
    end: usize,
    /// Where in the file the first of `bytes` is.
    base: u64,
    is_end: bool,
    /// The row that was read last, and where it starts.
    record: Record,
    row: u64,
}

impl<'a> Part<'a> {
    fn new(
        file: &'a TextFile,
        (start, end): (u64, u64),
        read: &Arc<AtomicU64>,
        held: usize,
    ) -> Result<Self, EngineError> {
        let mut part = Part {
            file,
            reader: file.bytes(start, end, read)?,
            bytes: vec![0; held],
            start: 0,
            end: 0,
            base: start,
            is_end: false,
            record: Record::new(file.dialect()),
            row: start,
        };
        if start == 0 {
            while part.held().len() < BYTE_ORDER_MARK.len() && !part.is_end {
                part.more()?;
            }
            if part.held().starts_with(BYTE_ORDER_MARK) {
                part.consume(BYTE_ORDER_MARK.len());
            }
        }
        Ok(part)
    }

    fn held(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    fn consume(&mut self, bytes: usize) {
        self.start += bytes;
    }

    /// Where in the file a byte is of those that are held.
    fn at(&self, place: usize) -> u64 {
        self.base + (self.start + place) as u64
    }

    /// Holds more bytes: twice as many, if nothing could be read of those that are held.
    fn more(&mut self) -> Result<(), EngineError> {
        if self.end - self.start > MOST_ROW_BYTES as usize {
            return Err(self.long(self.at(0)));
        }
        self.bytes.copy_within(self.start..self.end, 0);
        self.base += self.start as u64;
        (self.start, self.end) = (0, self.end - self.start);
        if 2 * self.end > self.bytes.len() {
            self.bytes.resize(2 * self.bytes.len(), 0);
        }
        while self.end < self.bytes.len() && !self.is_end {
            let read = self.reader.read(&mut self.bytes[self.end..]);
            match read {
                Ok(read) => {
                    self.end += read;
                    self.is_end = read == 0;
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.file.read_error(error)),
            }
        }
        Ok(())
    }

    /// Reads the next row byte by byte; false at the end.
    fn next(&mut self, width: usize) -> Result<bool, EngineError> {
        loop {
            // The parser would pass over empty lines too, without telling where the row starts.
            let breaks = |byte: &&u8| matches!(**byte, b'\r' | b'\n');
            let empty = self.held().iter().take_while(breaks).count();
            self.consume(empty);
            self.row = self.at(0);
            if self.start == self.end {
                if self.is_end {
                    return Ok(false);
                }
                self.more()?;
                continue;
            }
            let held = &self.bytes[self.start..self.end];
            match self.record.read(held, self.is_end, width) {
                Found::Row(bytes) if bytes as u64 > MOST_ROW_BYTES + 1 => {
                    return Err(self.long(self.row));
                }
                Found::Row(bytes) => {
                    self.consume(bytes);
                    return Ok(true);
                }
                Found::Wide => return Err(self.ragged(self.row, self.record.cells(), width)),
                Found::Part if !self.is_end => self.more()?,
                Found::Part if held.len() as u64 > MOST_ROW_BYTES => {
                    return Err(self.long(self.row));
                }
                Found::Part => {
                    return Err(EngineError::OpenQuote {
                        file: self.file.path.clone(),
                        line: self.line(self.row),
                    });
                }
            }
        }
    }

    /// The cells of the row that was read last.
    fn text(&self) -> Result<&str, EngineError> {
        self.record.text().ok_or_else(|| self.not_utf8(self.row))
    }

    /// The line of a byte of the file, from one.
    fn line(&self, at: u64) -> u64 {
        self.file.lines_before(at) + 1
    }

    fn long(&self, at: u64) -> EngineError {
        EngineError::LongRow {
            file: self.file.path.clone(),
            byte: at,
        }
    }

    fn not_utf8(&self, at: u64) -> EngineError {
        EngineError::NotUtf8 {
            file: self.file.path.clone(),
            line: self.line(at),
        }
    }

    fn ragged(&self, at: u64, cells: usize, width: usize) -> EngineError {
        EngineError::Ragged {
            file: self.file.path.clone(),
            line: self.line(at),
            message: match cells > width {
                true if width == MOST_COLUMNS => format!("more than {width} cells"),
                true => format!("more than {width} cells, which the header has"),
                false => format!("{cells} cells, and the header has {width}"),
            },
        }
    }
}

#[cfg(test)]
mod tests;
