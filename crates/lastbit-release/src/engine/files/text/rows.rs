//! Rows of text, gathered into batches of bounded size.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, StringArray};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::SchemaRef;

use super::super::EngineError;
use super::text_schema;

/// Rows of a batch.
const BATCH_ROWS: usize = 8192;

/// A batch is handed on when its texts have so many bytes, however few its rows are. With a row of
/// at most 16 MiB more, an offset has room in 32 bits.
const BATCH_BYTES: usize = 4 << 20;

/// The wanted columns of some rows.
pub(super) struct Rows {
    schema: SchemaRef,
    columns: Vec<Texts>,
    rows: usize,
    bytes: usize,
}

/// The cells of a column, one after the other.
struct Texts {
    bytes: Vec<u8>,
    ends: Vec<i32>,
    is_text: Vec<bool>,
}

impl Texts {
    fn new(bytes: usize) -> Texts {
        let mut ends = Vec::with_capacity(BATCH_ROWS + 1);
        ends.push(0);
        Texts {
            bytes: Vec::with_capacity(bytes),
            ends,
            is_text: Vec::with_capacity(BATCH_ROWS),
        }
    }

    /// Checks again that all cells are UTF-8.
    fn finish(self) -> Result<ArrayRef, EngineError> {
        let ends = OffsetBuffer::new(ScalarBuffer::from(self.ends));
        let nulls = Some(NullBuffer::from(self.is_text)).filter(|nulls| nulls.null_count() > 0);
        let array = StringArray::try_new(ends, Buffer::from_vec(self.bytes), nulls);
        let array = array.map_err(|error| EngineError::Engine(error.to_string()))?;
        Ok(Arc::new(array))
    }
}

impl Rows {
    pub(super) fn new(wanted: &[String]) -> Rows {
        Rows {
            schema: text_schema(wanted),
            columns: wanted.iter().map(|_| Texts::new(0)).collect(),
            rows: 0,
            bytes: 0,
        }
    }

    /// A cell of the row that is being read, in UTF-8; every column has one in each row.
    pub(super) fn cell(&mut self, column: usize, text: Option<&[u8]>) {
        let column = &mut self.columns[column];
        let cell = text.unwrap_or_default();
        column.bytes.extend_from_slice(cell);
        column.ends.push(column.bytes.len() as i32);
        column.is_text.push(text.is_some());
        self.bytes += cell.len();
    }

    /// Ends a row, and hands on a full batch.
    pub(super) fn end_row(&mut self, see: &mut See) -> Result<(), EngineError> {
        self.rows += 1;
        if self.rows < BATCH_ROWS && self.bytes < BATCH_BYTES {
            return Ok(());
        }
        self.finish(see)
    }

    /// Hands on what there is.
    pub(super) fn finish(&mut self, see: &mut See) -> Result<(), EngineError> {
        if self.rows == 0 {
            return Ok(());
        }
        let mut columns = Vec::with_capacity(self.columns.len());
        for column in &mut self.columns {
            // The next batch will be about as long.
            let next = Texts::new(column.bytes.len());
            columns.push(std::mem::replace(column, next).finish()?);
        }
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows));
        let schema = Arc::clone(&self.schema);
        let batch = RecordBatch::try_new_with_options(schema, columns, &options)
            .map_err(|error| EngineError::Engine(error.to_string()))?;
        (self.rows, self.bytes) = (0, 0);
        see(&batch)
    }
}

/// Takes batches.
pub(super) type See<'a> = dyn FnMut(&RecordBatch) -> Result<(), EngineError> + 'a;
