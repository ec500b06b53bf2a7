//! Parquet files, as batches of the wanted columns.
//!
//! Every value comes from its page. Statistics, page indexes, Bloom filters and the schema that
//! Arrow's writers embed are not read: a type is what Parquet's own schema says. Footers and page
//! headers are not believed before they were checked.

mod codec;
mod pages;
#[cfg(any(test, feature = "test-entropy"))]
mod planted;
mod thrift;

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, cast::AsArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, RowGroups};
use parquet::arrow::{ProjectionMask, parquet_to_arrow_field_levels, parquet_to_arrow_schema};
use parquet::basic::{ConvertedType, Type};
use parquet::column::page::PageIterator;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};

#[cfg(any(test, feature = "test-entropy"))]
pub use self::planted::plant_belief_in_statistics;

use self::pages::{Chunk, OneChunk, Pages};
use super::EngineError;

/// Rows of a batch, if they fit into memory.
const BATCH: usize = 8192;

/// A footer takes up to so many times its length in memory.
const FOOTER_GROWTH: usize = 16;

/// A file whose footer was read.
#[derive(Debug)]
pub(super) struct ParquetFile {
    path: PathBuf,
    metadata: Arc<ParquetMetaData>,
    /// The types of all columns: Parquet's own, with texts as views into their pages.
    fields: Vec<Field>,
    /// The wanted columns, by their place in `fields`.
    places: Vec<usize>,
    /// The wanted columns, and one to count rows by if there are none, in the order of the file.
    read: Vec<usize>,
}

/// One row group of a file.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    file: Arc<ParquetFile>,
    row_group: usize,
    chunks: Vec<Arc<Chunk>>,
    batch: usize,
}

impl ParquetFile {
    /// Reads the footer and finds the columns. `memory` bounds what the footer may take.
    pub(super) fn open(
        path: &Path,
        columns: &[String],
        memory: usize,
    ) -> Result<ParquetFile, EngineError> {
        guarded(path, || {
            let Some(bytes) = footer(path, memory / FOOTER_GROWTH)? else {
                return Ok(Err(EngineError::Memory {
                    what: "the footer of a Parquet file",
                    limit: memory,
                }));
            };
            let metadata = ParquetMetaDataReader::decode_metadata(&bytes)?;
            ParquetFile::find(path, metadata, columns)
        })?
    }

    fn find(
        path: &Path,
        metadata: ParquetMetaData,
        columns: &[String],
    ) -> ParquetResult<Result<ParquetFile, EngineError>> {
        let description = metadata.file_metadata().schema_descr();
        let fields: Vec<Field> = parquet_to_arrow_schema(description, None)?
            .fields()
            .iter()
            .map(|field| match field.data_type() {
                DataType::Utf8 => Field::new(field.name(), DataType::Utf8View, field.is_nullable()),
                _ => field.as_ref().clone(),
            })
            .collect();
        let mut places = Vec::with_capacity(columns.len());
        for column in columns {
            let mut found = (0..fields.len()).filter(|place| fields[*place].name() == column);
            match (found.next(), found.next()) {
                (Some(place), None) => places.push(place),
                (None, _) => {
                    return Ok(Err(EngineError::UnknownColumn {
                        file: path.to_owned(),
                        column: column.clone(),
                        columns: fields.iter().map(|field| field.name().clone()).collect(),
                    }));
                }
                (Some(_), Some(_)) => {
                    return Ok(Err(EngineError::TwiceInHeader {
                        file: path.to_owned(),
                        column: column.clone(),
                    }));
                }
            }
        }
        let mut read = places.clone();
        if read.is_empty() {
            // Rows are counted in a column's pages, and not in the footer: in one of numbers, if
            // there is one.
            let flat = (0..fields.len()).filter(|place| leaf(&metadata, *place).is_some());
            let texts = |place: &usize| fields[*place].data_type() == &DataType::Utf8View;
            read.extend(flat.min_by_key(texts));
            if read.is_empty() {
                let message = "it has no column of single values".to_owned();
                return Ok(Err(damaged(path, message)));
            }
        }
        read.sort_unstable();
        read.dedup();
        Ok(Ok(ParquetFile {
            path: path.to_owned(),
            metadata: Arc::new(metadata),
            fields,
            places,
            read,
        }))
    }

    /// The names and types of all columns.
    pub(super) fn declared(&self) -> impl Iterator<Item = (&str, &DataType)> {
        self.fields
            .iter()
            .map(|one| (one.name().as_str(), one.data_type()))
    }

    /// The wanted columns.
    pub(super) fn schema(&self) -> SchemaRef {
        let field = |place: &usize| self.fields[*place].clone().with_nullable(true);
        Arc::new(Schema::new(
            self.places.iter().map(field).collect::<Vec<_>>(),
        ))
    }

    /// How many rows the footer speaks of.
    pub(super) fn rows(&self) -> u64 {
        let rows = self.metadata.row_groups().iter().map(|g| g.num_rows());
        rows.map(|rows| rows.max(0) as u64).sum()
    }

    /// The row groups, after the headers of all pages were read. The columns must be single values,
    /// as [`schema`](Self::schema) shows.
    pub(super) fn pieces(self: &Arc<Self>) -> Result<Vec<Piece>, EngineError> {
        guarded(&self.path, || {
            let mut file = File::open(&self.path)?;
            let mut pieces = Vec::new();
            for (row_group, group) in self.metadata.row_groups().iter().enumerate() {
                let mut chunks = Vec::with_capacity(self.read.len());
                for place in &self.read {
                    let leaf = leaf(&self.metadata, *place)
                        .ok_or_else(|| ParquetError::General("a column is nested".into()))?;
                    chunks.push(Arc::new(Chunk::open(&mut file, group.column(leaf))?));
                }
                pieces.push(Piece {
                    file: Arc::clone(self),
                    row_group,
                    chunks,
                    batch: BATCH,
                });
            }
            Ok(pieces)
        })
    }
}

/// Makes batches small enough that `threads` threads, or fewer, fit into the memory together; the
/// number of threads that do.
pub(super) fn fit(
    pieces: &mut [Piece],
    threads: usize,
    memory: usize,
) -> Result<usize, EngineError> {
    let mut threads = threads;
    loop {
        let limit = memory / threads.max(1);
        if pieces.iter_mut().all(|piece| piece.fit(limit)) {
            return Ok(threads);
        }
        if threads <= 1 {
            return Err(EngineError::Memory {
                what: "reading the pages of a Parquet file",
                limit: memory,
            });
        }
        threads /= 2;
    }
}

impl Piece {
    fn fit(&mut self, limit: usize) -> bool {
        let mut rows = BATCH;
        while rows > 0 {
            let bytes = self.chunks.iter().map(|chunk| chunk.bytes(rows));
            if bytes.sum::<usize>() <= limit {
                self.batch = rows;
                return true;
            }
            rows /= 8;
        }
        false
    }

    /// Calls `see` with each batch of the wanted columns.
    pub(super) fn read(
        &self,
        mut see: impl FnMut(&RecordBatch) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        let file = &self.file;
        let mut reader = guarded(&file.path, || self.reader())?;
        let schema = file.schema();
        let mut rows = 0;
        while let Some(batch) = guarded(&file.path, || Ok(reader.next().transpose()?))? {
            rows += batch.num_rows() as u64;
            let mut columns: Vec<ArrayRef> = Vec::with_capacity(file.places.len());
            for place in &file.places {
                // The reader gives the columns in the order of the file.
                let index = file.read.partition_point(|read| read < place);
                self.check_text(index, batch.column(index))?;
                let column = Arc::clone(batch.column(index));
                #[cfg(any(test, feature = "test-entropy"))]
                let column = leaf(&file.metadata, *place)
                    .and_then(|leaf| planted::constant(&file.metadata, leaf, batch.num_rows()))
                    .unwrap_or(column);
                columns.push(column);
            }
            let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
            let batch = RecordBatch::try_new_with_options(Arc::clone(&schema), columns, &options)
                .map_err(|error| damaged(&file.path, error.to_string()))?;
            see(&batch)?;
        }
        let claimed = file.metadata.row_group(self.row_group).num_rows();
        if u64::try_from(claimed) != Ok(rows) {
            let message = format!("a row group claims {claimed} rows, and has {rows}");
            return Err(damaged(&file.path, message));
        }
        Ok(())
    }

    fn reader(&self) -> ParquetResult<ParquetRecordBatchReader> {
        let description = self.file.metadata.file_metadata().schema_descr();
        let mask = ProjectionMask::roots(description, self.file.read.iter().copied());
        let hint = self.file.fields.clone().into();
        let levels = parquet_to_arrow_field_levels(description, mask, Some(&hint))?;
        ParquetRecordBatchReader::try_new_with_row_groups(&levels, self, self.batch, None)
    }

    /// The library checks texts that Parquet's schema calls UTF-8, and those that are written as
    /// differences only end to end.
    fn check_text(&self, index: usize, array: &ArrayRef) -> Result<(), EngineError> {
        let Some(texts) = array.as_string_view_opt() else {
            return Ok(());
        };
        let leaf = leaf(&self.file.metadata, self.file.read[index]);
        let group = self.file.metadata.row_group(self.row_group);
        let kind = leaf.map(|leaf| group.column(leaf).column_descr().converted_type());
        if kind == Some(ConvertedType::UTF8) && !self.chunks[index].has_delta() {
            return Ok(());
        }
        let bytes = texts.clone().to_binary_view();
        let valid = |text: Option<&[u8]>| text.is_none_or(|text| str::from_utf8(text).is_ok());
        if !bytes.iter().all(valid) {
            return Err(damaged(&self.file.path, "a text is not UTF-8".to_owned()));
        }
        Ok(())
    }
}

impl RowGroups for Piece {
    fn num_rows(&self) -> usize {
        usize::try_from(self.file.metadata.row_group(self.row_group).num_rows()).unwrap_or(0)
    }

    fn column_chunks(&self, leaf_index: usize) -> ParquetResult<Box<dyn PageIterator>> {
        let wanted = |place: &&usize| leaf(&self.file.metadata, **place) == Some(leaf_index);
        let index = self.file.read.iter().position(|place| wanted(&place));
        let chunk = index
            .map(|index| Arc::clone(&self.chunks[index]))
            .ok_or_else(|| ParquetError::General("a column is nested".into()))?;
        let file = File::open(&self.file.path)?;
        Ok(Box::new(OneChunk(Some(Pages::new(file, chunk)))))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(std::iter::once(
            self.file.metadata.row_group(self.row_group),
        ))
    }

    fn metadata(&self) -> &ParquetMetaData {
        &self.file.metadata
    }
}

/// The leaf of a column of single values: neither a list nor a structure.
fn leaf(metadata: &ParquetMetaData, place: usize) -> Option<usize> {
    let description = metadata.file_metadata().schema_descr();
    let root = description.root_schema().get_fields().get(place)?;
    if !root.is_primitive() {
        return None;
    }
    let leaf = (0..description.num_columns())
        .find(|leaf| description.get_column_root_idx(*leaf) == place)?;
    let column = description.column(leaf);
    let sized = column.physical_type() != Type::FIXED_LEN_BYTE_ARRAY || column.type_length() > 0;
    (column.max_rep_level() == 0 && sized).then_some(leaf)
}

/// The bytes of the footer's metadata; nothing if there are more than `most`.
fn footer(path: &Path, most: usize) -> ParquetResult<Option<Vec<u8>>> {
    let not_parquet = |what: &str| Err(ParquetError::General(what.to_owned()));
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    if length < 12 {
        return not_parquet("it is too short");
    }
    file.seek(SeekFrom::Start(length - 8))?;
    let mut tail = [0; 8];
    file.read_exact(&mut tail)?;
    let (size, mark) = (
        u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]),
        &tail[4..],
    );
    match mark {
        b"PAR1" => {}
        b"PARE" => return not_parquet("it is encrypted; decrypt it first"),
        _ => return not_parquet("it does not end as a Parquet file does"),
    }
    let size = u64::from(size);
    if size > length - 12 {
        return not_parquet("its footer is longer than the file");
    }
    if size > most as u64 {
        return Ok(None);
    }
    file.seek(SeekFrom::Start(length - 8 - size))?;
    let mut bytes = vec![0; size as usize];
    file.read_exact(&mut bytes)?;
    if !thrift::is_plausible(&bytes) {
        return not_parquet("its footer is damaged");
    }
    Ok(Some(bytes))
}

/// What the library does with a damaged file is not always an error: a panic becomes one here.
fn guarded<T>(path: &Path, read: impl FnOnce() -> ParquetResult<T>) -> Result<T, EngineError> {
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(ParquetError::External(error))) => match error.downcast::<std::io::Error>() {
            Ok(source) => Err(EngineError::Read {
                path: path.to_owned(),
                source: *source,
            }),
            Err(error) => Err(damaged(path, error.to_string())),
        },
        Ok(Err(ParquetError::General(message) | ParquetError::NYI(message))) => {
            Err(damaged(path, message))
        }
        Ok(Err(error)) => Err(damaged(path, error.to_string())),
        Err(_) => Err(damaged(path, "the file is damaged".to_owned())),
    }
}

fn damaged(path: &Path, message: String) -> EngineError {
    EngineError::Parquet {
        file: path.to_owned(),
        message,
    }
}
