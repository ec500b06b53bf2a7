//! CSV, row by row: only the wanted cells are kept.

use std::io::BufRead;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use csv_core::{ReadRecordResult, Reader as Parser, ReaderBuilder};

use super::rows::{Rows, See};
use super::{Piece, Reader, TextFile};
use crate::engine::{EngineError, MOST_ROW_BYTES};
use crate::plan::FileFormat;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// More names than this are no header.
const MOST_COLUMNS: usize = 1 << 20;

/// The names in the first line.
pub(super) fn header(file: &TextFile) -> Result<Vec<String>, EngineError> {
    let mut records = Records::new(file, 0, u64::MAX, &Arc::default(), MOST_COLUMNS)?;
    if !records.next()? {
        return Err(EngineError::NoHeader(file.path.clone()));
    }
    let text = records.text()?;
    let mut names = Vec::with_capacity(records.cells);
    for place in 0..records.cells {
        names.push(text[records.range(place)].to_owned());
    }
    Ok(names)
}

/// Reads the rows of a piece.
pub(super) struct CsvReader<'a> {
    file: &'a TextFile,
    records: Records<'a>,
    rows: Rows,
}

impl<'a> CsvReader<'a> {
    pub(super) fn new(piece: &'a Piece, read: &Arc<AtomicU64>) -> Result<Self, EngineError> {
        let file = piece.file.as_ref();
        let mut records = Records::new(file, piece.start, piece.end, read, file.width)?;
        if piece.start == 0 {
            records.next()?;
        }
        Ok(CsvReader {
            file,
            records,
            rows: Rows::new(&file.wanted),
        })
    }

    pub(super) fn read(mut self, see: &mut See) -> Result<(), EngineError> {
        while self.records.next()? {
            if self.records.cells != self.file.width {
                return Err(self.records.ragged());
            }
            let text = self.records.bytes()?;
            for (column, place) in self.file.places.iter().enumerate() {
                let cell = &text[self.records.range(*place)];
                self.rows.cell(column, Some(cell));
            }
            self.rows.end_row(see)?;
        }
        self.rows.finish(see)
    }
}

/// The records of a part of a file, one at a time.
struct Records<'a> {
    file: &'a TextFile,
    reader: Reader,
    parser: Parser,
    start: u64,
    /// Bytes read of the part.
    read: u64,
    /// The line on which the record starts, from one, counted from the start of the part.
    line: u64,
    /// The cells of the record, one after the other, and where each ends.
    text: Vec<u8>,
    ends: Vec<usize>,
    cells: usize,
    /// Bytes of `text` that are the record.
    length: usize,
    /// More cells than this are one too many.
    width: usize,
    ended: bool,
}

impl<'a> Records<'a> {
    fn new(
        file: &'a TextFile,
        start: u64,
        end: u64,
        read: &Arc<AtomicU64>,
        width: usize,
    ) -> Result<Self, EngineError> {
        let (delimiter, quote) = match file.format {
            FileFormat::Csv {
                delimiter, quote, ..
            } => (delimiter, quote),
            _ => (b',', b'"'),
        };
        let mut records = Records {
            file,
            reader: file.reader(start, end, read)?,
            parser: ReaderBuilder::new()
                .delimiter(delimiter)
                .quote(quote)
                .build(),
            start,
            read: 0,
            line: 1,
            text: vec![0; 1 << 12],
            ends: vec![0; width.saturating_add(1).min(1 << 10)],
            cells: 0,
            length: 0,
            width,
            ended: false,
        };
        if start == 0 {
            records.pass_mark()?;
        }
        // The parser would take the bytes of a mark out of its first input, also in the middle of a
        // file.
        records.parser.read_record(b"\n", &mut [0], &mut [0]);
        records.parser.set_line(1);
        Ok(records)
    }

    fn pass_mark(&mut self) -> Result<(), EngineError> {
        let file = self.file;
        let start = self.reader.fill_buf().map_err(|e| file.read_error(e))?;
        if start.starts_with(BYTE_ORDER_MARK) {
            self.reader.consume(BYTE_ORDER_MARK.len());
        }
        Ok(())
    }

    /// The parser would pass over them too, without telling on which line the record starts.
    fn pass_empty_lines(&mut self) -> Result<(), EngineError> {
        let file = self.file;
        loop {
            let input = self.reader.fill_buf().map_err(|e| file.read_error(e))?;
            let breaks = |byte: &u8| matches!(byte, b'\r' | b'\n');
            if !input.first().is_some_and(breaks) {
                return Ok(());
            }
            let empty = input.iter().take_while(|byte| breaks(byte)).count();
            let lines = memchr::memchr_iter(b'\n', &input[..empty]).count();
            self.reader.consume(empty);
            self.read += empty as u64;
            self.parser.set_line(self.parser.line() + lines as u64);
        }
    }

    /// Goes to the next record; false at the end.
    fn next(&mut self) -> Result<bool, EngineError> {
        let file = self.file;
        (self.cells, self.length) = (0, 0);
        self.pass_empty_lines()?;
        self.line = self.parser.line();
        let before = self.read;
        while !self.ended {
            let input = self.reader.fill_buf().map_err(|e| file.read_error(e))?;
            // At the end, a line break ends the last record, unless a quote is open.
            let is_end = input.is_empty();
            let input = if is_end { b"\n" } else { input };
            let (result, read, written, ended) = self.parser.read_record(
                input,
                &mut self.text[self.length..],
                &mut self.ends[self.cells..],
            );
            self.length += written;
            self.cells += ended;
            if !is_end {
                self.reader.consume(read);
                self.read += read as u64;
            }
            match result {
                ReadRecordResult::Record => {
                    self.ended = is_end;
                    return Ok(true);
                }
                ReadRecordResult::InputEmpty | ReadRecordResult::End if is_end => {
                    if self.length > 0 || self.cells > 0 {
                        return Err(EngineError::OpenQuote {
                            file: file.path.clone(),
                            line: self.line_in_file(),
                        });
                    }
                    self.ended = true;
                }
                ReadRecordResult::InputEmpty | ReadRecordResult::End => {}
                ReadRecordResult::OutputFull => self.text.resize(2 * self.text.len(), 0),
                ReadRecordResult::OutputEndsFull if self.cells > self.width => {
                    return Err(self.ragged());
                }
                ReadRecordResult::OutputEndsFull => {
                    let most = self.width.saturating_add(1);
                    self.ends.resize((2 * self.ends.len()).min(most), 0);
                }
            }
            if self.read - before > MOST_ROW_BYTES {
                return Err(EngineError::LongRow {
                    file: file.path.clone(),
                    byte: self.start + before,
                });
            }
        }
        Ok(false)
    }

    /// The cells of the record, of which each is UTF-8 by itself.
    fn bytes(&self) -> Result<&[u8], EngineError> {
        let bytes = &self.text[..self.length];
        match bytes.is_ascii() {
            true => Ok(bytes),
            false => self.text().map(str::as_bytes),
        }
    }

    fn text(&self) -> Result<&str, EngineError> {
        let text = str::from_utf8(&self.text[..self.length]);
        let ends = &self.ends[..self.cells];
        match text {
            Ok(text) if ends.iter().all(|end| text.is_char_boundary(*end)) => Ok(text),
            _ => Err(EngineError::NotUtf8 {
                file: self.file.path.clone(),
                line: self.line_in_file(),
            }),
        }
    }

    fn range(&self, place: usize) -> std::ops::Range<usize> {
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[place]
    }

    fn ragged(&self) -> EngineError {
        let (cells, width) = (self.cells, self.width);
        EngineError::Ragged {
            file: self.file.path.clone(),
            line: self.line_in_file(),
            message: match cells > width {
                true if self.width == MOST_COLUMNS => format!("more than {width} cells"),
                true => format!("more than {width} cells, which the header has"),
                false => format!("{cells} cells, and the header has {width}"),
            },
        }
    }

    /// Rows before a piece are lines, as no quote is before it.
    fn line_in_file(&self) -> u64 {
        self.line + self.file.lines_before(self.start)
    }
}
