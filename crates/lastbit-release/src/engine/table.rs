//! The source as a table of Apache DataFusion, and its rows as streams of batches.

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use datafusion::arrow::datatypes::{Field, Schema, SchemaRef};
use datafusion::catalog::TableProvider;
use datafusion::catalog::streaming::StreamingTable;
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::{
    ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl,
};
use datafusion::error::DataFusionError;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::PartitionStream;
use datafusion::prelude::{DataFrame, SessionConfig, SessionContext, ident};
use futures::stream;
use url::Url;

use super::EngineError;
use super::files::files;
use super::text::{Piece, PieceReader, pieces, text_schema};
use crate::query::{FileFormat, Source};

/// The wanted columns of a source, in the wanted order.
pub(super) struct ScanTable {
    pub frame: DataFrame,
    /// How many bytes the files have, if `read` counts the bytes that were read of them.
    pub bytes: Option<u64>,
    pub read: Arc<AtomicU64>,
}

/// Opens the files of a source, for about `threads` threads.
pub(super) async fn table(
    source: &Source,
    columns: &[String],
    threads: usize,
) -> Result<ScanTable, EngineError> {
    let files = files(source)?;
    let config = SessionConfig::new().with_target_partitions(threads);
    let context = SessionContext::new_with_config(config);
    let read = Arc::<AtomicU64>::default();
    let (provider, bytes): (Arc<dyn TableProvider>, _) = match &source.format {
        FileFormat::Parquet => (parquet(&context, &files, columns).await?, None),
        format => {
            let length = |path: &PathBuf| path.metadata().map_or(0, |data| data.len());
            let bytes = files.iter().map(length).sum();
            let table = text(&files, format, columns, threads, &read)?;
            (Arc::new(table), Some(bytes))
        }
    };
    let frame = context.read_table(provider).map_err(engine_error)?;
    let wanted = columns.iter().map(ident).collect::<Vec<_>>();
    Ok(ScanTable {
        frame: frame.select(wanted).map_err(engine_error)?,
        bytes,
        read,
    })
}

/// The typed error inside one of the engine's.
pub(super) fn engine_error(error: DataFusionError) -> EngineError {
    match error {
        DataFusionError::External(error) => match error.downcast::<EngineError>() {
            Ok(error) => *error,
            Err(error) => EngineError::Engine(error.to_string()),
        },
        DataFusionError::Context(_, error) => engine_error(*error),
        DataFusionError::ParquetError(error) => EngineError::Parquet(error.to_string()),
        error => EngineError::Engine(error.strip_backtrace()),
    }
}

async fn parquet(
    context: &SessionContext,
    files: &[PathBuf],
    columns: &[String],
) -> Result<Arc<dyn TableProvider>, EngineError> {
    let options = ListingOptions::new(Arc::new(ParquetFormat::default())).with_file_extension("");
    let parquet_error = |error| match engine_error(error) {
        EngineError::Engine(message) => EngineError::Parquet(message),
        error => error,
    };
    let mut urls = Vec::with_capacity(files.len());
    let mut fields: Vec<Field> = Vec::with_capacity(columns.len());
    for file in files {
        let url = file_url(file)?;
        let schema = options
            .infer_schema(&context.state(), &url)
            .await
            .map_err(parquet_error)?;
        urls.push(url);
        for (place, column) in columns.iter().enumerate() {
            let Ok(field) = schema.field_with_name(column) else {
                return Err(EngineError::UnknownColumn {
                    file: file.clone(),
                    column: column.clone(),
                    columns: schema.fields().iter().map(|f| f.name().clone()).collect(),
                });
            };
            match fields.get(place) {
                None => fields.push(Field::new(column, field.data_type().clone(), true)),
                Some(first) if first.data_type() == field.data_type() => {}
                Some(first) => {
                    return Err(EngineError::TwoTypes {
                        column: column.clone(),
                        first: first.data_type().to_string(),
                        file: file.clone(),
                        found: field.data_type().to_string(),
                    });
                }
            }
        }
    }
    let config = ListingTableConfig::new_with_multi_paths(urls)
        .with_listing_options(options)
        .with_schema(Arc::new(Schema::new(fields)));
    let table = ListingTable::try_new(config).map_err(parquet_error)?;
    Ok(Arc::new(table))
}

fn file_url(path: &Path) -> Result<ListingTableUrl, EngineError> {
    let path = path.canonicalize().map_err(|source| EngineError::Read {
        path: path.to_owned(),
        source,
    })?;
    let url =
        Url::from_file_path(&path).map_err(|()| EngineError::NoFile(path.display().to_string()))?;
    ListingTableUrl::try_new(url, None).map_err(engine_error)
}

fn text(
    files: &[PathBuf],
    format: &FileFormat,
    columns: &[String],
    threads: usize,
    read: &Arc<AtomicU64>,
) -> Result<StreamingTable, EngineError> {
    let schema = text_schema(columns);
    let mut parts: Vec<Vec<Piece>> = vec![Vec::new(); threads.max(1)];
    let mut next = 0;
    for path in files {
        for piece in pieces(path, format, columns, 4 * threads)? {
            parts[next % threads.max(1)].push(piece);
            next += 1;
        }
    }
    parts.retain(|pieces| !pieces.is_empty());
    let partitions = parts.into_iter().map(|pieces| {
        Arc::new(TextPartition {
            schema: Arc::clone(&schema),
            pieces,
            read: Arc::clone(read),
        }) as Arc<dyn PartitionStream>
    });
    StreamingTable::try_new(Arc::clone(&schema), partitions.collect()).map_err(engine_error)
}

/// Pieces of text files that one thread reads, one after the other.
#[derive(Debug)]
struct TextPartition {
    schema: SchemaRef,
    pieces: Vec<Piece>,
    read: Arc<AtomicU64>,
}

impl PartitionStream for TextPartition {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _context: Arc<TaskContext>) -> SendableRecordBatchStream {
        let schema = Arc::clone(&self.schema);
        let read = Arc::clone(&self.read);
        let batches = self.pieces.clone().into_iter().flat_map(move |piece| {
            let (reader, error) = match PieceReader::open(piece, &schema, &read) {
                Ok(reader) => (Some(reader), None),
                Err(error) => (None, Some(Err(error))),
            };
            reader.into_iter().flatten().chain(error)
        });
        let batches = batches.map(|batch| {
            batch.map_err(|error: EngineError| DataFusionError::External(Box::new(error)))
        });
        Box::pin(RecordBatchStreamAdapter::new(
            Arc::clone(&self.schema),
            stream::iter(batches),
        ))
    }
}
