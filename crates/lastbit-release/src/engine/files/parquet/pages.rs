//! The pages of a column chunk, found by their own headers and decompressed within bounds.
//!
//! Nothing but pages is read: no statistics, no page index, no Bloom filter. What a header claims
//! is checked against the bytes that there are before anything is allocated for it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Compression, Encoding, Type};
use parquet::column::page::{Page, PageIterator, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;

use super::codec::{decompress, is_known};
use super::thrift::{
    DATA_PAGE, DATA_PAGE_V2, DELTA_BYTE_ARRAY, DICTIONARY_PAGE, INDEX_PAGE, PageHeader, is_delta,
    varint,
};

/// A header holds the bounds of its page; longer ones are refused.
const MOST_HEADER: usize = 1 << 20;

/// The pages of one column in one row group.
#[derive(Debug)]
pub(super) struct Chunk {
    kind: Type,
    /// Bytes of a value of fixed length.
    width: usize,
    /// Whether cells may be null.
    optional: bool,
    codec: Compression,
    pages: Vec<PlacedPage>,
}

#[derive(Clone, Copy, Debug)]
struct PlacedPage {
    header: PageHeader,
    /// Where its bytes begin.
    start: u64,
}

impl Chunk {
    /// Reads the headers of all pages.
    pub(super) fn open(file: &mut File, column: &ColumnChunkMetaData) -> Result<Chunk> {
        let codec = column.compression();
        if !is_known(codec) {
            return Err(ParquetError::NYI(format!(
                "the codec {codec:?} is not known; write the file with snappy, gzip, zstd, lz4 or \
                 brotli"
            )));
        }
        let description = column.column_descr();
        let kind = description.physical_type();
        let width = match kind {
            Type::BOOLEAN => 0,
            Type::INT32 | Type::FLOAT => 4,
            Type::INT64 | Type::DOUBLE => 8,
            Type::INT96 => 12,
            // Each has its length before it.
            Type::BYTE_ARRAY => 4,
            Type::FIXED_LEN_BYTE_ARRAY => {
                usize::try_from(description.type_length()).map_err(|_| damaged("a length"))?
            }
        };
        // Without rows there is no page of data, and its place is 0.
        let data = column.data_page_offset();
        let first = column
            .dictionary_page_offset()
            .filter(|offset| *offset > 0 && (data == 0 || *offset < data))
            .unwrap_or(data);
        let first = u64::try_from(first).map_err(|_| damaged("the place of a column"))?;
        let length = u64::try_from(column.compressed_size())
            .map_err(|_| damaged("the length of a column"))?;
        let end = first
            .checked_add(length)
            .filter(|end| file.metadata().is_ok_and(|data| *end <= data.len()))
            .ok_or_else(|| damaged("the end of a column"))?;
        let mut chunk = Chunk {
            kind,
            width,
            optional: description.max_def_level() > 0,
            codec,
            pages: Vec::new(),
        };
        let mut place = first;
        while place < end {
            let (header, length) = header(file, place, end)?;
            let start = place + length as u64;
            place = start + header.compressed as u64;
            if place > end {
                return Err(damaged("the length of a page"));
            }
            if header.kind != INDEX_PAGE {
                chunk.check(&header)?;
                chunk.pages.push(PlacedPage { header, start });
            }
        }
        Ok(chunk)
    }

    fn check(&self, header: &PageHeader) -> Result<()> {
        let levels = i64::from(header.definition_bytes) + i64::from(header.repetition_bytes);
        let fits = match header.kind {
            DICTIONARY_PAGE => {
                header.values as u64 * self.width as u64 <= header.uncompressed as u64
                    && (self.width > 0 || header.values == 0)
            }
            DATA_PAGE => true,
            DATA_PAGE_V2 => {
                header.nulls <= header.values
                    && levels <= i64::from(header.uncompressed)
                    && levels <= i64::from(header.compressed)
            }
            _ => false,
        };
        let plain = self.codec == Compression::UNCOMPRESSED || !header.is_compressed;
        if !fits || plain && header.uncompressed != header.compressed {
            return Err(damaged("the header of a page"));
        }
        encoding(header.encoding)?;
        Ok(())
    }

    /// An upper bound for the bytes that are held while batches of so many rows are read.
    pub(super) fn bytes(&self, rows: usize) -> usize {
        let size = |page: &PlacedPage| page.header.uncompressed as usize;
        let (dictionaries, data): (Vec<&PlacedPage>, Vec<&PlacedPage>) = self
            .pages
            .iter()
            .partition(|page| page.header.kind == DICTIONARY_PAGE);
        // Entries of a text dictionary have four bytes or more, and sixteen more beside them.
        let dictionary = 5 * dictionaries
            .iter()
            .map(|page| size(page))
            .max()
            .unwrap_or(0);
        let largest = data.iter().map(|page| size(page)).max().unwrap_or(0);
        let compressed = self
            .pages
            .iter()
            .map(|page| page.header.compressed as usize);
        let page = largest + compressed.max().unwrap_or(0);
        if self.kind != Type::BYTE_ARRAY {
            return dictionary + page + rows * (self.width.max(1) + 2);
        }
        let values = data.iter().map(|page| page.header.values as usize);
        let lengths = match self.has_delta() {
            true => 8 * values.max().unwrap_or(0),
            false => 0,
        };
        let prefixed = |page: &&PlacedPage| page.header.encoding == DELTA_BYTE_ARRAY;
        if data.iter().any(prefixed) {
            // Each value may be as long as its page.
            return dictionary + page + lengths + rows * (largest + 18);
        }
        dictionary + page + lengths + window(&data, rows) + rows * 18
    }

    /// Whether values are written as differences.
    pub(super) fn has_delta(&self) -> bool {
        self.pages.iter().any(|page| is_delta(page.header.encoding))
    }
}

/// The most bytes of pages that so many rows in a row lie in: a batch of texts holds all of them.
fn window(pages: &[&PlacedPage], rows: usize) -> usize {
    let size = |page: usize| pages[page].header.uncompressed as usize;
    let values = |page: usize| pages[page].header.values as usize;
    // The rows of the pages between the first and the last.
    let (mut most, mut bytes, mut between, mut first) = (0, 0, 0, 0);
    for last in 0..pages.len() {
        bytes += size(last);
        if last > first + 1 {
            between += values(last - 1);
        }
        while first < last && between + 2 > rows {
            bytes -= size(first);
            first += 1;
            if first < last {
                between -= values(first);
            }
        }
        most = most.max(bytes);
    }
    most
}

/// The header at a place, however long its bounds are.
fn header(file: &mut File, place: u64, end: u64) -> Result<(PageHeader, usize)> {
    let mut most = 256;
    loop {
        let length = usize::try_from(end - place).map_or(most, |rest| rest.min(most));
        let mut bytes = vec![0; length];
        file.seek(SeekFrom::Start(place))?;
        file.read_exact(&mut bytes)?;
        match PageHeader::read(&bytes) {
            Some(header) => return Ok(header),
            None if length < most || most >= MOST_HEADER => {
                return Err(damaged("the header of a page"));
            }
            None => most *= 16,
        }
    }
}

/// One chunk, for the reader of arrays.
pub(super) struct OneChunk(pub Option<Pages>);

impl Iterator for OneChunk {
    type Item = Result<Box<dyn PageReader>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.take().map(|pages| Ok(Box::new(pages) as _))
    }
}

impl PageIterator for OneChunk {}

/// Reads the pages of a chunk, one after the other.
pub(super) struct Pages {
    file: File,
    chunk: Arc<Chunk>,
    next: usize,
}

impl Pages {
    pub(super) fn new(file: File, chunk: Arc<Chunk>) -> Pages {
        Pages {
            file,
            chunk,
            next: 0,
        }
    }

    fn read(&mut self, page: PlacedPage) -> Result<Page> {
        let PlacedPage { header, start } = page;
        let mut bytes = vec![0; header.compressed as usize];
        self.file.seek(SeekFrom::Start(start))?;
        self.file.read_exact(&mut bytes)?;
        let size = header.uncompressed as usize;
        let codec = self.chunk.codec;
        if codec != Compression::UNCOMPRESSED && header.is_compressed {
            let levels = match header.kind {
                DATA_PAGE_V2 => (header.definition_bytes + header.repetition_bytes) as usize,
                _ => 0,
            };
            let mut whole = Vec::with_capacity(size + 1);
            whole.extend_from_slice(&bytes[..levels]);
            // A page without values may be stored as nothing.
            if size > levels {
                decompress(codec, &bytes[levels..], size - levels, &mut whole)
                    .map_err(unreadable)?;
            }
            bytes = whole;
        }
        if is_delta(header.encoding) && header.kind != DICTIONARY_PAGE {
            self.check_delta(&header, &bytes)?;
        }
        let values = header.values as u32;
        let encoding = encoding(header.encoding)?;
        let buf = Bytes::from(bytes);
        Ok(match header.kind {
            DICTIONARY_PAGE => Page::DictionaryPage {
                buf,
                num_values: values,
                encoding,
                is_sorted: false,
            },
            DATA_PAGE => Page::DataPage {
                buf,
                num_values: values,
                encoding,
                def_level_encoding: self::encoding(header.level_encoding)?,
                rep_level_encoding: Encoding::RLE,
                statistics: None,
            },
            _ => Page::DataPageV2 {
                buf,
                num_values: values,
                encoding,
                num_nulls: header.nulls as u32,
                num_rows: header.rows as u32,
                def_levels_byte_len: header.definition_bytes as u32,
                rep_levels_byte_len: header.repetition_bytes as u32,
                is_compressed: false,
                statistics: None,
            },
        })
    }

    /// Whether the runs of differences in a page are as long as the page has values: memory is
    /// taken by what they claim.
    fn check_delta(&self, header: &PageHeader, bytes: &[u8]) -> Result<()> {
        let values = header.values as u64;
        let mut rest = match header.kind {
            DATA_PAGE_V2 => {
                bytes.get((header.definition_bytes + header.repetition_bytes) as usize..)
            }
            _ if !self.chunk.optional => Some(bytes),
            _ if encoding(header.level_encoding)? == Encoding::RLE => bytes
                .split_first_chunk::<4>()
                .and_then(|(length, rest)| rest.get(u32::from_le_bytes(*length) as usize..)),
            _ => bytes.get((values as usize).div_ceil(8)..),
        };
        let runs = match encoding(header.encoding)? {
            Encoding::DELTA_BYTE_ARRAY => 2,
            _ => 1,
        };
        for _ in 0..runs {
            // A page of nulls may have no values at all.
            if rest.is_some_and(<[u8]>::is_empty) {
                break;
            }
            rest = rest.and_then(|rest| rest.get(delta_length(rest, values)?..));
        }
        rest.map(|_| ())
            .ok_or_else(|| damaged("a page of differences"))
    }
}

/// How many bytes a run of at most so many differences takes.
fn delta_length(bytes: &[u8], most: u64) -> Option<usize> {
    let mut place = 0;
    let mut number = || {
        let (number, length) = varint(bytes.get(place..)?)?;
        place += length;
        Some((number, place))
    };
    let (block, blocks, count) = (number()?.0, number()?.0, number()?.0);
    let (_, mut place) = number()?;
    if count > most || block > 1 << 16 || blocks == 0 || block % blocks != 0 {
        return None;
    }
    let each = block / blocks;
    let mut left = count.saturating_sub(1);
    if left > 0 && (each == 0 || each % 8 != 0) {
        return None;
    }
    while left > 0 {
        place += varint(bytes.get(place..)?)?.1;
        let widths = bytes.get(place..place + blocks as usize)?;
        place += widths.len();
        for width in widths {
            if left == 0 {
                break;
            }
            place += usize::from(*width) * (each / 8) as usize;
            left = left.saturating_sub(each);
        }
    }
    // A writer may leave out the end of the last block.
    Some(place.min(bytes.len()))
}

impl Iterator for Pages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Pages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let Some(page) = self.chunk.pages.get(self.next).copied() else {
            return Ok(None);
        };
        self.next += 1;
        self.read(page).map(Some)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        Ok(self.chunk.pages.get(self.next).map(|page| PageMetadata {
            num_rows: (page.header.kind == DATA_PAGE_V2).then_some(page.header.rows as usize),
            num_levels: Some(page.header.values as usize),
            is_dict: page.header.kind == DICTIONARY_PAGE,
        }))
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.next += 1;
        Ok(())
    }
}

fn encoding(code: i32) -> Result<Encoding> {
    Ok(match code {
        0 => Encoding::PLAIN,
        2 => Encoding::PLAIN_DICTIONARY,
        3 => Encoding::RLE,
        #[allow(deprecated)]
        4 => Encoding::BIT_PACKED,
        5 => Encoding::DELTA_BINARY_PACKED,
        6 => Encoding::DELTA_LENGTH_BYTE_ARRAY,
        7 => Encoding::DELTA_BYTE_ARRAY,
        8 => Encoding::RLE_DICTIONARY,
        9 => Encoding::BYTE_STREAM_SPLIT,
        _ => return Err(damaged("the encoding of a page")),
    })
}

fn damaged(what: &str) -> ParquetError {
    ParquetError::General(format!("{what} is damaged"))
}

fn unreadable(error: io::Error) -> ParquetError {
    ParquetError::General(format!("a page cannot be decompressed: {error}"))
}
