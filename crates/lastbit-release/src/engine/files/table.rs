//! The files of a source as one table, in pieces for threads.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use super::memory::{self, MemoryTable};
use super::parquet::{self, ParquetFile};
use super::paths::listed;
use super::text::{self, TextFile, text_schema};
use super::worker::Shared;
use super::{EngineError, Options};
use crate::plan::{FileFormat, Source};

/// The files of a source, whose wanted columns were found.
pub(super) struct ScanTable {
    files: Files,
    threads: usize,
    memory: usize,
    /// How many bytes text files have, or rows Parquet files.
    size: u64,
    /// How many bytes of text files were read.
    read: Arc<AtomicU64>,
}

enum Files {
    Text(Vec<Arc<TextFile>>),
    Parquet(Vec<Arc<ParquetFile>>),
    /// In memory, with the places of the wanted columns.
    Memory(MemoryTable, Vec<usize>),
}

/// A part of a table that one thread reads.
pub(super) enum Piece {
    Text(text::Piece),
    Parquet(parquet::Piece),
    Memory(memory::Piece),
}

impl ScanTable {
    /// Opens the files, and refuses columns that the query cannot read.
    pub(super) fn open(
        source: &Source,
        run: &Shared,
        options: &Options,
    ) -> Result<ScanTable, EngineError> {
        let Source::Files(source) = source else {
            return Err(EngineError::Database);
        };
        let paths = listed(source)?;
        let (files, size) = match &source.format {
            FileFormat::Parquet => {
                let files = open_parquet(&paths, run, options.memory)?;
                let rows = files.iter().map(|file| file.rows()).sum();
                (Files::Parquet(files), rows)
            }
            format => {
                let wanted = Arc::new(run.columns().to_vec());
                let open = |path: &PathBuf| TextFile::open(path, format, &wanted).map(Arc::new);
                let files = paths.iter().map(open).collect::<Result<_, _>>()?;
                try_types(run, text_schema(&wanted))?;
                let length = |path: &PathBuf| path.metadata().map_or(0, |data| data.len());
                (Files::Text(files), paths.iter().map(length).sum())
            }
        };
        Ok(ScanTable {
            files,
            threads: run.threads,
            memory: options.memory,
            size,
            read: Arc::default(),
        })
    }

    /// A table in memory, if it has the columns.
    pub(super) fn of_memory(
        table: &MemoryTable,
        run: &Shared,
        options: &Options,
    ) -> Result<ScanTable, EngineError> {
        let places = table.find(run.columns())?;
        run.worker().add(&table.empty(&places)?)?;
        Ok(ScanTable {
            size: table.rows(),
            files: Files::Memory(table.clone(), places),
            threads: run.threads,
            memory: options.memory,
            read: Arc::default(),
        })
    }

    /// The pieces, and how many threads may read them.
    pub(super) fn pieces(&self) -> Result<(Vec<Piece>, usize), EngineError> {
        match &self.files {
            Files::Text(files) => {
                let mut pieces = Vec::new();
                for file in files {
                    pieces.extend(file.pieces(self.threads)?.into_iter().map(Piece::Text));
                }
                Ok((pieces, self.threads))
            }
            Files::Parquet(files) => {
                let mut pieces = Vec::new();
                for file in files {
                    pieces.extend(file.pieces()?);
                }
                let threads = parquet::fit(&mut pieces, self.threads, self.memory)?;
                Ok((pieces.into_iter().map(Piece::Parquet).collect(), threads))
            }
            Files::Memory(table, _) => {
                let pieces = table.pieces().into_iter().map(Piece::Memory).collect();
                Ok((pieces, self.threads))
            }
        }
    }

    /// Calls `see` with the batches of a piece.
    pub(super) fn read(
        &self,
        piece: &Piece,
        see: impl FnMut(&RecordBatch) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        match (piece, &self.files) {
            (Piece::Text(piece), _) => piece.read(&self.read, see),
            (Piece::Parquet(piece), _) => piece.read(see),
            (Piece::Memory(piece), Files::Memory(table, places)) => table.read(piece, places, see),
            (Piece::Memory(_), _) => Err(EngineError::Engine("a piece of another table".into())),
        }
    }

    /// About which part of the table was read, after so many rows.
    pub(super) fn fraction(&self, rows: u64) -> Option<f64> {
        let done = match &self.files {
            Files::Text(_) => self.read.load(Ordering::Relaxed),
            Files::Parquet(_) | Files::Memory(..) => rows,
        };
        Some((done as f64 / self.size.max(1) as f64).min(1.0))
    }
}

fn open_parquet(
    paths: &[PathBuf],
    run: &Shared,
    memory: usize,
) -> Result<Vec<Arc<ParquetFile>>, EngineError> {
    let mut files = Vec::with_capacity(paths.len());
    let mut first: Option<SchemaRef> = None;
    for path in paths {
        let file = ParquetFile::open(path, run.columns(), memory)?;
        let schema = file.schema();
        let first = first.get_or_insert_with(|| Arc::clone(&schema));
        for (mine, theirs) in schema.fields().iter().zip(first.fields()) {
            if mine.data_type() != theirs.data_type() {
                return Err(EngineError::TwoTypes {
                    column: mine.name().clone(),
                    first: theirs.data_type().to_string(),
                    file: path.clone(),
                    found: mine.data_type().to_string(),
                });
            }
        }
        try_types(run, schema)?;
        files.push(Arc::new(file));
    }
    Ok(files)
}

/// Refuses columns of types that the query cannot read, by a batch without rows.
fn try_types(run: &Shared, schema: SchemaRef) -> Result<(), EngineError> {
    run.worker().add(&RecordBatch::new_empty(schema))
}
