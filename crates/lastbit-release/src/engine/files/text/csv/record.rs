//! One row of CSV, byte by byte: what reads headers, the last row, and rows with odd quotes.

use csv_core::{ReadRecordResult, Reader as Parser, ReaderBuilder};

use super::marks::Dialect;

/// A row: its cells one after the other, and where each ends.
pub(super) struct Record {
    parser: Parser,
    text: Vec<u8>,
    ends: Vec<usize>,
    cells: usize,
    /// Bytes of `text` that are the row.
    length: usize,
}

/// What a text begins with.
pub(super) enum Found {
    /// A row of so many bytes.
    Row(usize),
    /// A part of a row.
    Part,
    /// A row with more cells than asked for.
    Wide,
}

impl Record {
    pub(super) fn new(dialect: Dialect) -> Record {
        Record {
            parser: ReaderBuilder::new()
                .delimiter(dialect.delimiter)
                .quote(dialect.quote)
                .build(),
            text: vec![0; 1 << 12],
            ends: vec![0; 1 << 6],
            cells: 0,
            length: 0,
        }
    }

    /// Reads the row that a text begins with, of at most `width` cells. At the end of the file a
    /// line break ends it, unless a quote is open.
    pub(super) fn read(&mut self, text: &[u8], is_end: bool, width: usize) -> Found {
        self.parser.reset();
        // The parser would take the bytes of a mark out of its first input, also in the middle of a
        // file.
        self.parser.read_record(b"\n", &mut [0], &mut [0]);
        (self.cells, self.length) = (0, 0);
        let mut read = 0;
        let mut ended = false;
        loop {
            let input = match &text[read..] {
                [] if is_end && !ended => {
                    ended = true;
                    b"\n"
                }
                [] => return Found::Part,
                input => input,
            };
            let (result, taken, written, cells) = self.parser.read_record(
                input,
                &mut self.text[self.length..],
                &mut self.ends[self.cells..],
            );
            self.length += written;
            self.cells += cells;
            if !ended {
                read += taken;
            }
            match result {
                ReadRecordResult::Record => return Found::Row(read),
                ReadRecordResult::InputEmpty | ReadRecordResult::End => {}
                ReadRecordResult::OutputFull => {
                    self.text.resize(2 * self.text.len(), 0);
                    // The break was not taken.
                    ended = ended && taken > 0;
                }
                ReadRecordResult::OutputEndsFull if self.cells > width => return Found::Wide,
                ReadRecordResult::OutputEndsFull => {
                    self.ends.resize(2 * self.ends.len(), 0);
                    ended = ended && taken > 0;
                }
            }
        }
    }

    pub(super) fn cells(&self) -> usize {
        self.cells
    }

    /// The cells, if each is UTF-8 by itself.
    pub(super) fn text(&self) -> Option<&str> {
        let text = str::from_utf8(&self.text[..self.length]).ok()?;
        let mut ends = self.ends[..self.cells].iter();
        ends.all(|end| text.is_char_boundary(*end)).then_some(text)
    }

    pub(super) fn range(&self, place: usize) -> std::ops::Range<usize> {
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[place]
    }
}
