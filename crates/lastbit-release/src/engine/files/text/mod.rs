//! Text files, in pieces, as batches of text columns: CSV and one JSON object a line, plain or
//! compressed by gzip.
//!
//! Cells stay text here, so that a cell that is no number is a missing cell and not the end of the
//! scan.

mod csv;
mod cut;
mod json;
mod rows;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use flate2::read::MultiGzDecoder;

use self::csv::CsvReader;
use self::csv::marks::Dialect;
use self::json::JsonReader;
use super::EngineError;
use super::MOST_ROW_BYTES;
use crate::plan::FileFormat;

/// Bytes read at a time.
const BUFFER: usize = 1 << 17;

/// Bytes that tell what a file is.
const START: u64 = 256;

/// Files are cut into pieces of no less than this, for several threads.
const LEAST_PIECE: u64 = 1 << 20;

/// A text file and the columns that are read of it.
#[derive(Debug)]
pub(super) struct TextFile {
    path: PathBuf,
    format: FileFormat,
    wanted: Arc<Vec<String>>,
    /// The columns of a CSV file: how many, and where the wanted ones are.
    width: usize,
    places: Vec<usize>,
    /// The columns in the first lines of a JSON file.
    names: Vec<String>,
}

/// A part of a file: whole rows.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    file: Arc<TextFile>,
    start: u64,
    /// Where the next piece starts; the end of the file is `u64::MAX`.
    end: u64,
}

/// The columns wanted, as text.
pub(super) fn text_schema(columns: &[String]) -> SchemaRef {
    let field = |name: &String| Field::new(name, DataType::Utf8, true);
    Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()))
}

/// The names in the header of a CSV file, or in the first lines of JSON.
pub(super) fn names(path: &Path, format: &FileFormat) -> Result<Vec<String>, EngineError> {
    let file = TextFile::open(path, format, &Arc::default())?;
    match format {
        FileFormat::Csv { .. } => csv::header(&file),
        _ => Ok(file.names),
    }
}

impl TextFile {
    /// Finds the columns of a CSV file in its header. JSON has none: a column that occurs in no row
    /// is missing in every row. If it were refused, one row would decide whether there is a
    /// release.
    pub(super) fn open(
        path: &Path,
        format: &FileFormat,
        wanted: &Arc<Vec<String>>,
    ) -> Result<TextFile, EngineError> {
        let mut file = TextFile {
            path: path.to_owned(),
            format: format.clone(),
            wanted: Arc::clone(wanted),
            width: 0,
            places: Vec::new(),
            names: Vec::new(),
        };
        file.check_start()?;
        match format {
            FileFormat::Csv { .. } => {
                let header = csv::header(&file)?;
                file.width = header.len();
                file.places = places(path, &header, wanted)?;
            }
            _ => file.names = json::first_names(&file)?,
        }
        Ok(file)
    }

    /// Refuses what is not UTF-8 by its first bytes, and JSON that is not one object a line.
    fn check_start(&self) -> Result<(), EngineError> {
        let mut start = Vec::new();
        let reader = self.reader(0, u64::MAX, &Arc::default())?;
        // What cannot be decompressed is reported by who reads it all.
        let _ = reader.take(START).read_to_end(&mut start);
        // A mark, or letters of ASCII in two bytes each.
        let is_utf16 = match start.as_slice() {
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => true,
            [a, b, c, d, ..] => {
                let zeros = [a, b, c, d].map(|byte| *byte == 0);
                zeros == [true, false, true, false] || zeros == [false, true, false, true]
            }
            _ => false,
        };
        if is_utf16 {
            return Err(EngineError::Utf16(self.path.clone()));
        }
        let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&start);
        let first = text.iter().find(|byte| !byte.is_ascii_whitespace());
        match (&self.format, first) {
            (FileFormat::Json { .. }, Some(b'[')) => Err(EngineError::JsonArray(self.path.clone())),
            _ => Ok(()),
        }
    }

    /// Cuts the file into about four pieces for each thread.
    pub(super) fn pieces(self: &Arc<Self>, threads: usize) -> Result<Vec<Piece>, EngineError> {
        let fail = |source| self.read_error(source);
        let length = self.path.metadata().map_err(fail)?.len();
        let size = (length / (4 * threads.max(1)) as u64).max(LEAST_PIECE);
        let cuts = match self.is_gzip() || length < 2 * size {
            true => vec![],
            false => self.cuts(length, size, threads).map_err(fail)?,
        };
        Ok(self.between(&cuts))
    }

    /// The pieces between these starts of rows.
    fn between(self: &Arc<Self>, cuts: &[u64]) -> Vec<Piece> {
        let starts = [0].into_iter().chain(cuts.iter().copied());
        let ends = cuts.iter().copied().chain([u64::MAX]);
        let piece = |(start, end)| Piece {
            file: Arc::clone(self),
            start,
            end,
        };
        starts.zip(ends).map(piece).collect()
    }

    /// Where rows begin, about every `size` bytes.
    fn cuts(&self, length: u64, size: u64, threads: usize) -> io::Result<Vec<u64>> {
        match self.format {
            FileFormat::Csv { .. } if !self.dialect().is_plain() => Ok(vec![]),
            FileFormat::Csv { .. } => cut::cuts(&self.path, self.dialect(), length, size, threads),
            _ => self.cuts_of_lines(length, size),
        }
    }

    /// Where lines begin that are rows.
    fn cuts_of_lines(&self, length: u64, size: u64) -> io::Result<Vec<u64>> {
        let mut file = BufReader::new(File::open(&self.path)?);
        let mut cuts = Vec::new();
        let mut start = size;
        while start + size / 2 < length {
            file.seek(SeekFrom::Start(start))?;
            let mut line = Vec::new();
            let rest = (&mut file)
                .take(MOST_ROW_BYTES)
                .read_until(b'\n', &mut line)?;
            if line.last() != Some(&b'\n') {
                break;
            }
            let start_of_row = start + rest as u64;
            cuts.push(start_of_row);
            start = start_of_row + size;
        }
        Ok(cuts)
    }

    /// Of a CSV file.
    fn dialect(&self) -> Dialect {
        match self.format {
            FileFormat::Csv {
                delimiter, quote, ..
            } => Dialect { delimiter, quote },
            _ => Dialect {
                delimiter: b',',
                quote: b'"',
            },
        }
    }

    fn is_gzip(&self) -> bool {
        match self.format {
            FileFormat::Csv { gzip, .. } | FileFormat::Json { gzip } => gzip,
            FileFormat::Parquet => false,
        }
    }

    fn reader(&self, start: u64, end: u64, read: &Arc<AtomicU64>) -> Result<Reader, EngineError> {
        let bytes = self.bytes(start, end, read)?;
        Ok(BufReader::with_capacity(BUFFER, bytes))
    }

    /// What the file says from one byte to another.
    fn bytes(
        &self,
        start: u64,
        end: u64,
        read: &Arc<AtomicU64>,
    ) -> Result<Box<dyn Read + Send>, EngineError> {
        let fail = |source| self.read_error(source);
        let mut file = File::open(&self.path).map_err(fail)?;
        file.seek(SeekFrom::Start(start)).map_err(fail)?;
        let counted = Counted {
            file: file.take(end - start),
            read: Arc::clone(read),
        };
        Ok(match self.is_gzip() {
            true => Box::new(MultiGzDecoder::new(BufReader::with_capacity(
                BUFFER, counted,
            ))),
            false => Box::new(counted),
        })
    }

    fn read_error(&self, source: io::Error) -> EngineError {
        EngineError::Read {
            path: self.path.clone(),
            source,
        }
    }

    /// How many lines end before a byte of what the file says.
    fn lines_before(&self, at: u64) -> u64 {
        let Ok(bytes) = self.bytes(0, u64::MAX, &Arc::default()) else {
            return 0;
        };
        let mut bytes = bytes.take(at);
        let mut block = vec![0; 1 << 16];
        let mut lines = 0;
        while let Ok(read @ 1..) = bytes.read(&mut block) {
            lines += memchr::memchr_iter(b'\n', &block[..read]).count() as u64;
        }
        lines
    }
}

/// Whether what stands in the place of names may be a row of cells: a name is empty, there twice,
/// or like a cell. A row of nothing but words is not known by this.
pub(super) fn may_be_a_row(names: &[String]) -> bool {
    names.iter().enumerate().any(|(index, name)| {
        name.trim().is_empty() || is_like_a_cell(name.trim()) || names[..index].contains(name)
    })
}

/// Whether a text is what cells hold and names hardly are: a number, a date or a time, whatever has
/// digits and no letter, an address of mail, or a word for what is true, false or missing.
fn is_like_a_cell(text: &str) -> bool {
    const WORDS: [&str; 9] = [
        "true", "false", "yes", "no", "na", "n/a", "nan", "null", "none",
    ];
    let has_digit = text.contains(|c: char| c.is_ascii_digit());
    let is_date = || {
        let mut parts = text.splitn(3, '-');
        let digits = |part: Option<&str>, many: usize| {
            part.and_then(|part| part.get(..many))
                .is_some_and(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
        };
        digits(parts.next(), 4) && digits(parts.next(), 2) && digits(parts.next(), 2)
    };
    text.parse::<f64>().is_ok()
        || (has_digit && !text.contains(char::is_alphabetic))
        || is_date()
        || text
            .split_once('@')
            .is_some_and(|(_, host)| host.contains('.'))
        || WORDS.iter().any(|word| word.eq_ignore_ascii_case(text))
}

/// Where the wanted columns are in the header.
fn places(path: &Path, header: &[String], wanted: &[String]) -> Result<Vec<usize>, EngineError> {
    let place = |column: &String| {
        let mut found = (0..header.len()).filter(|place| header[*place] == *column);
        match (found.next(), found.next()) {
            (Some(place), None) => Ok(place),
            (None, _) if may_be_a_row(header) => Err(EngineError::UnknownAndNoNames {
                file: path.to_owned(),
                column: column.clone(),
            }),
            (None, _) => Err(EngineError::UnknownColumn {
                file: path.to_owned(),
                column: column.clone(),
                columns: header.to_vec(),
            }),
            (Some(_), Some(_)) => Err(EngineError::TwiceInHeader {
                file: path.to_owned(),
                column: column.clone(),
            }),
        }
    };
    wanted.iter().map(place).collect()
}

type Reader = BufReader<Box<dyn Read + Send>>;

/// Counts the bytes of files that were read.
struct Counted {
    file: io::Take<File>,
    read: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(into)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

impl Piece {
    /// Calls `see` with each batch of the wanted columns; `read` counts the bytes of the file.
    pub(super) fn read(
        &self,
        read: &Arc<AtomicU64>,
        mut see: impl FnMut(&RecordBatch) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        match self.file.format {
            FileFormat::Csv { .. } => CsvReader::new(self, read)?.read(&mut see),
            _ => JsonReader::new(self, read)?.read(&mut see),
        }
    }
}
