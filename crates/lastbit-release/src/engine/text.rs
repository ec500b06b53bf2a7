//! Text files, in pieces, as batches of text columns: CSV and one JSON object a line, plain or compressed by gzip.
//!
//! Cells stay text here, so that a cell that is no number is a missing cell and not the end of the scan.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::csv::ReaderBuilder as CsvBuilder;
use datafusion::arrow::csv::reader::{Decoder as CsvDecoder, Format};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::json::ReaderBuilder as JsonBuilder;
use datafusion::arrow::json::reader::Decoder as JsonDecoder;
use flate2::read::MultiGzDecoder;

use super::EngineError;
use super::MOST_ROW_BYTES;
use crate::query::FileFormat;

/// Rows of a batch.
const BATCH: usize = 8192;

/// Bytes read at a time.
const BUFFER: usize = 1 << 17;

/// Files are cut into pieces of no less than this, for several threads.
const LEAST_PIECE: u64 = 1 << 20;

/// How many lines of a JSON file tell its columns.
const SAMPLE_LINES: usize = 1000;

/// A part of a file: whole rows.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    path: Arc<PathBuf>,
    format: FileFormat,
    start: u64,
    /// Where the next piece starts; the end of the file is `u64::MAX`.
    end: u64,
    /// All columns of a CSV file.
    columns: Arc<Vec<String>>,
}

/// The columns wanted, as text.
pub(super) fn text_schema(columns: &[String]) -> SchemaRef {
    let field = |name: &String| Field::new(name, DataType::Utf8, true);
    Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()))
}

/// Checks that a file has the columns and cuts it into about `count` pieces.
pub(super) fn pieces(
    path: &Path,
    format: &FileFormat,
    wanted: &[String],
    count: usize,
) -> Result<Vec<Piece>, EngineError> {
    let fail = |source| read_error(path, source);
    let (columns, gzip) = match format {
        FileFormat::Csv { gzip, .. } => (header(path, format)?, *gzip),
        FileFormat::Json { gzip } => (json_columns(path, format)?, *gzip),
        FileFormat::Parquet => (Vec::new(), true),
    };
    let rows_unknown = matches!(format, FileFormat::Json { .. }) && columns.is_empty();
    for column in wanted.iter().filter(|_| !rows_unknown) {
        match columns.iter().filter(|name| *name == column).count() {
            0 => {
                return Err(EngineError::UnknownColumn {
                    file: path.to_owned(),
                    column: column.clone(),
                    columns,
                });
            }
            1 => {}
            _ => {
                return Err(EngineError::TwiceInHeader {
                    file: path.to_owned(),
                    column: column.clone(),
                });
            }
        }
    }
    let whole = Piece {
        path: Arc::new(path.to_owned()),
        format: format.clone(),
        start: 0,
        end: u64::MAX,
        columns: Arc::new(columns),
    };
    let length = path.metadata().map_err(fail)?.len();
    let size = (length / count.max(1) as u64).max(LEAST_PIECE);
    if gzip || length < 2 * size || may_quote_newlines(path, format).map_err(fail)? {
        return Ok(vec![whole]);
    }
    let mut file = BufReader::new(File::open(path).map_err(fail)?);
    let mut pieces = vec![whole.clone()];
    let mut start = size;
    while start + size / 2 < length {
        file.seek(SeekFrom::Start(start)).map_err(fail)?;
        let mut line = Vec::new();
        let rest = (&mut file)
            .take(MOST_ROW_BYTES)
            .read_until(b'\n', &mut line);
        let start_of_row = start + rest.map_err(fail)? as u64;
        if line.last() != Some(&b'\n') {
            break;
        }
        if let Some(last) = pieces.last_mut() {
            last.end = start_of_row;
        }
        pieces.push(Piece {
            start: start_of_row,
            ..whole.clone()
        });
        start = start_of_row + size;
    }
    Ok(pieces)
}

/// Whether a line break may be inside a row: only a CSV file without any quote is cut at line breaks.
fn may_quote_newlines(path: &Path, format: &FileFormat) -> io::Result<bool> {
    let FileFormat::Csv { quote, .. } = format else {
        return Ok(false);
    };
    let mut file = File::open(path)?;
    let mut block = vec![0; 1 << 20];
    loop {
        let read = file.read(&mut block)?;
        if read == 0 {
            return Ok(false);
        }
        if memchr::memchr(*quote, &block[..read]).is_some() {
            return Ok(true);
        }
    }
}

/// The names in the first line of a CSV file.
fn header(path: &Path, format: &FileFormat) -> Result<Vec<String>, EngineError> {
    let reader = open(path, format, 0, u64::MAX, &Arc::default())?;
    let (delimiter, quote) = marks(format);
    let names = Format::default()
        .with_header(true)
        .with_delimiter(delimiter)
        .with_quote(quote)
        .infer_schema(reader.take(MOST_ROW_BYTES), Some(0))
        .map_err(|error| csv_error(path, &error, 0))?;
    let names: Vec<String> = names.0.fields().iter().map(|f| f.name().clone()).collect();
    if names.is_empty() {
        return Err(EngineError::NoHeader(path.to_owned()));
    }
    Ok(names)
}

/// The names that occur in the first lines of a JSON file.
fn json_columns(path: &Path, format: &FileFormat) -> Result<Vec<String>, EngineError> {
    let mut reader = open(path, format, 0, u64::MAX, &Arc::default())?;
    let mut names: Vec<String> = Vec::new();
    let mut line = Vec::new();
    for number in 1..=SAMPLE_LINES {
        line.clear();
        let read = (&mut reader)
            .take(MOST_ROW_BYTES + 1)
            .read_until(b'\n', &mut line)
            .map_err(|source| read_error(path, source))?;
        if read as u64 > MOST_ROW_BYTES {
            return Err(EngineError::LongRow {
                file: path.to_owned(),
                byte: 0,
            });
        }
        if read == 0 {
            break;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let row: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(&line)
            .map_err(|error| EngineError::Json {
                file: path.to_owned(),
                message: format!("line {number}: {error}"),
            })?;
        for name in row.keys() {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
    }
    Ok(names)
}

/// Delimiter and quote.
fn marks(format: &FileFormat) -> (u8, u8) {
    match format {
        FileFormat::Csv {
            delimiter, quote, ..
        } => (*delimiter, *quote),
        _ => (b',', b'"'),
    }
}

type Reader = BufReader<Box<dyn Read + Send>>;

fn open(
    path: &Path,
    format: &FileFormat,
    start: u64,
    end: u64,
    read: &Arc<AtomicU64>,
) -> Result<Reader, EngineError> {
    let fail = |source| read_error(path, source);
    let mut file = File::open(path).map_err(fail)?;
    file.seek(SeekFrom::Start(start)).map_err(fail)?;
    let counted = Counted {
        file: file.take(end - start),
        read: Arc::clone(read),
    };
    let gzip = match format {
        FileFormat::Csv { gzip, .. } | FileFormat::Json { gzip } => *gzip,
        FileFormat::Parquet => false,
    };
    let reader: Box<dyn Read + Send> = if gzip {
        Box::new(MultiGzDecoder::new(counted))
    } else {
        Box::new(counted)
    };
    Ok(BufReader::with_capacity(BUFFER, reader))
}

/// Counts the bytes of files that were read.
struct Counted {
    file: io::Take<File>,
    read: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// Batches of one piece, with the wanted columns in the wanted order.
pub(super) struct PieceReader {
    piece: Piece,
    reader: Reader,
    decoder: Decoder,
    /// Bytes decoded in this piece, and those of them since the last whole row.
    decoded: u64,
    unfinished: u64,
    failed: bool,
}

enum Decoder {
    Csv(Box<CsvDecoder>),
    Json(Box<JsonDecoder>),
}

impl PieceReader {
    pub(super) fn open(
        piece: Piece,
        wanted: &SchemaRef,
        read: &Arc<AtomicU64>,
    ) -> Result<PieceReader, EngineError> {
        let reader = open(&piece.path, &piece.format, piece.start, piece.end, read)?;
        let decoder = match piece.format {
            FileFormat::Csv { .. } => {
                let place = |field: &Arc<Field>| {
                    let name = field.name();
                    piece.columns.iter().position(|column| column == name)
                };
                // `pieces` found every wanted column.
                let projection = wanted.fields().iter().filter_map(place).collect();
                let (delimiter, quote) = marks(&piece.format);
                let decoder = CsvBuilder::new(text_schema(&piece.columns))
                    .with_header(piece.start == 0)
                    .with_delimiter(delimiter)
                    .with_quote(quote)
                    .with_batch_size(BATCH)
                    .with_projection(projection)
                    .build_decoder();
                Decoder::Csv(Box::new(decoder))
            }
            _ => {
                let decoder = JsonBuilder::new(Arc::clone(wanted))
                    .with_batch_size(BATCH)
                    .with_coerce_primitive(true)
                    .with_ignore_type_conflicts(true)
                    .build_decoder()
                    .map_err(|error| EngineError::Engine(error.to_string()))?;
                Decoder::Json(Box::new(decoder))
            }
        };
        Ok(PieceReader {
            piece,
            reader,
            decoder,
            decoded: 0,
            unfinished: 0,
            failed: false,
        })
    }

    fn batch(&mut self) -> Result<Option<RecordBatch>, EngineError> {
        let path = Arc::clone(&self.piece.path);
        loop {
            let buffer = self.reader.fill_buf();
            let buffer = buffer.map_err(|source| read_error(&path, source))?;
            let rows = self.decoder.rows();
            let decoded = self.decoder.decode(buffer);
            let decoded = decoded.map_err(|error| self.decode_error(&error))?;
            let full = decoded == 0 || self.decoder.is_full();
            self.reader.consume(decoded);
            self.decoded += decoded as u64;
            let finished_a_row = self.decoder.rows() != rows;
            self.unfinished = if finished_a_row {
                0
            } else {
                self.unfinished + decoded as u64
            };
            if self.unfinished > MOST_ROW_BYTES {
                return Err(EngineError::LongRow {
                    file: path.to_path_buf(),
                    byte: self.piece.start + self.decoded - self.unfinished,
                });
            }
            if full {
                break;
            }
        }
        let batch = self.decoder.flush();
        batch.map_err(|error| self.decode_error(&error))
    }

    fn decode_error(&self, error: &ArrowError) -> EngineError {
        let path = &self.piece.path;
        match &self.decoder {
            // A piece that does not start the file has no quotes before it: rows are lines.
            Decoder::Csv(_) => csv_error(path, error, lines_before(path, self.piece.start)),
            Decoder::Json(_) => EngineError::Json {
                file: path.to_path_buf(),
                message: match error {
                    ArrowError::JsonError(message) => message.clone(),
                    other => other.to_string(),
                },
            },
        }
    }
}

impl Iterator for PieceReader {
    type Item = Result<RecordBatch, EngineError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let batch = self.batch().transpose();
        self.failed = matches!(batch, Some(Err(_)));
        batch
    }
}

impl Decoder {
    fn decode(&mut self, bytes: &[u8]) -> Result<usize, ArrowError> {
        match self {
            Decoder::Csv(decoder) => decoder.decode(bytes),
            Decoder::Json(decoder) => decoder.decode(bytes),
        }
    }

    fn flush(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        match self {
            Decoder::Csv(decoder) => decoder.flush(),
            Decoder::Json(decoder) => decoder.flush(),
        }
    }

    /// Whole rows since the last batch.
    fn rows(&self) -> usize {
        match self {
            Decoder::Csv(decoder) => BATCH - decoder.capacity(),
            Decoder::Json(decoder) => decoder.len(),
        }
    }

    fn is_full(&self) -> bool {
        self.rows() >= BATCH
    }
}

fn lines_before(path: &Path, start: u64) -> u64 {
    let Ok(file) = File::open(path) else { return 0 };
    let mut file = file.take(start);
    let mut block = vec![0; 1 << 16];
    let mut lines = 0;
    while let Ok(read @ 1..) = file.read(&mut block) {
        lines += memchr::memchr_iter(b'\n', &block[..read]).count() as u64;
    }
    lines
}

fn csv_error(path: &Path, error: &ArrowError, lines_before: u64) -> EngineError {
    let file = path.to_owned();
    let message = match error {
        ArrowError::CsvError(message) => message.clone(),
        other => other.to_string(),
    };
    let line = number_after(&message, "line ").unwrap_or(0) + lines_before;
    if message.contains("UTF-8") || message.contains("UTF8") || message.contains("utf-8") {
        return EngineError::NotUtf8 { file, line };
    }
    let expected = number_after(&message, "expected ");
    let got = number_after(&message, "got ");
    let message = match (expected, got) {
        (Some(expected), Some(got)) => format!("{got} cells, and the header has {expected}"),
        (Some(expected), None) => format!("more than {expected} cells, which the header has"),
        _ => message,
    };
    EngineError::Ragged {
        file,
        line,
        message,
    }
}

fn number_after(message: &str, word: &str) -> Option<u64> {
    let rest = message.split_once(word)?.1;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

fn read_error(path: &Path, source: io::Error) -> EngineError {
    EngineError::Read {
        path: path.to_owned(),
        source,
    }
}
