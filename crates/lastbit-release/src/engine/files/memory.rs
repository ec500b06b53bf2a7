//! Tables in memory: batches of Arrow arrays that somebody else made, as data frames hand them
//! over.
//!
//! Nothing about them is believed. Texts, offsets and codes are validated when the table is made,
//! and every cell then goes the way that cells of files go, so that the answer is the same.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal32Type, Decimal64Type};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, Decimal128Array, PrimitiveArray, RecordBatch,
    RecordBatchOptions,
};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrow_select::take::take;

use super::EngineError;

/// What an error calls the table.
const NAME: &str = "the data frame";

/// Rows of one piece, which one thread takes.
const PIECE: usize = 1 << 16;

/// Rows of a batch.
const BATCH: usize = 8192;

/// Batches of one table.
#[derive(Clone, Debug)]
pub struct MemoryTable {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
    rows: u64,
}

/// Some rows of one batch.
pub(super) struct Piece {
    batch: usize,
    start: usize,
    rows: usize,
}

impl MemoryTable {
    /// A table of batches with one schema. Arrays that break Arrow's rules are refused.
    pub fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Result<MemoryTable, EngineError> {
        let types = |schema: &Schema| -> Vec<(String, DataType)> {
            let fields = schema.fields().iter();
            fields
                .map(|field| (field.name().clone(), field.data_type().clone()))
                .collect()
        };
        let expected = types(&schema);
        let mut rows = 0;
        for batch in &batches {
            if types(&batch.schema()) != expected {
                let message = "the batches of the data frame have different columns; make it anew";
                return Err(EngineError::Query(message.to_owned()));
            }
            for (field, column) in schema.fields().iter().zip(batch.columns()) {
                // What is wrong could quote a cell.
                column.to_data().validate_full().map_err(|_| {
                    EngineError::Query(format!(
                        "column `{}` of the data frame breaks the rules of Arrow, such as text \
                         that is not UTF-8; make it anew",
                        field.name()
                    ))
                })?;
            }
            rows += batch.num_rows() as u64;
        }
        Ok(MemoryTable {
            schema,
            batches,
            rows,
        })
    }

    /// The names and types of the columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    pub(super) fn batches(&self) -> &[RecordBatch] {
        &self.batches
    }

    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    pub(super) fn pieces(&self) -> Vec<Piece> {
        let cut = |(batch, of): (usize, &RecordBatch)| {
            let rows = of.num_rows();
            let piece = move |start| Piece {
                batch,
                start,
                rows: PIECE.min(rows - start),
            };
            (0..rows).step_by(PIECE).map(piece)
        };
        self.batches.iter().enumerate().flat_map(cut).collect()
    }

    /// Where these columns are.
    pub(super) fn find(&self, columns: &[String]) -> Result<Vec<usize>, EngineError> {
        let fields = self.schema.fields();
        let place = |column: &String| {
            let mut found = (0..fields.len()).filter(|place| fields[*place].name() == column);
            match (found.next(), found.next()) {
                (Some(place), None) => Ok(place),
                (None, _) => Err(EngineError::UnknownColumn {
                    file: NAME.into(),
                    column: column.clone(),
                    columns: fields.iter().map(|field| field.name().clone()).collect(),
                }),
                (Some(_), Some(_)) => Err(EngineError::TwiceInHeader {
                    file: NAME.into(),
                    column: column.clone(),
                }),
            }
        };
        columns.iter().map(place).collect()
    }

    /// The columns as the engine reads them, without rows.
    pub(super) fn empty(&self, places: &[usize]) -> Result<RecordBatch, EngineError> {
        let none = RecordBatch::new_empty(Arc::clone(&self.schema));
        plain_batch(&none, places)
    }

    /// Calls `see` with each batch of the columns at these places.
    pub(super) fn read(
        &self,
        piece: &Piece,
        places: &[usize],
        mut see: impl FnMut(&RecordBatch) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        let batch = &self.batches[piece.batch];
        for start in (0..piece.rows).step_by(BATCH) {
            let rows = BATCH.min(piece.rows - start);
            see(&plain_batch(
                &batch.slice(piece.start + start, rows),
                places,
            )?)?;
        }
        Ok(())
    }
}

fn plain_batch(batch: &RecordBatch, places: &[usize]) -> Result<RecordBatch, EngineError> {
    let mut fields = Vec::with_capacity(places.len());
    let mut columns = Vec::with_capacity(places.len());
    for &place in places {
        let column = plain(batch.column(place))?;
        let name = batch.schema_ref().field(place).name();
        fields.push(Field::new(name, column.data_type().clone(), true));
        columns.push(column);
    }
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options)
        .map_err(|_| failed())
}

/// The same cells in a type that the engine reads: codes of a dictionary are looked up, and
/// decimals have 128 bits.
pub(super) fn plain(array: &ArrayRef) -> Result<ArrayRef, EngineError> {
    match array.data_type() {
        DataType::Dictionary(..) => {
            let coded = array.as_any_dictionary();
            let cells = take(coded.values(), coded.keys(), None).map_err(|_| failed())?;
            plain(&cells)
        }
        DataType::Decimal32(precision, scale) => {
            wide(array.as_primitive::<Decimal32Type>(), *precision, *scale)
        }
        DataType::Decimal64(precision, scale) => {
            wide(array.as_primitive::<Decimal64Type>(), *precision, *scale)
        }
        _ => Ok(Arc::clone(array)),
    }
}

fn wide<T: ArrowPrimitiveType>(
    array: &PrimitiveArray<T>,
    precision: u8,
    scale: i8,
) -> Result<ArrayRef, EngineError>
where
    i128: From<T::Native>,
{
    let cells: Decimal128Array = array.iter().map(|cell| cell.map(i128::from)).collect();
    let cells = cells.with_precision_and_scale(precision, scale);
    Ok(Arc::new(cells.map_err(|_| failed())?))
}

fn failed() -> EngineError {
    EngineError::Engine("a column of the data frame cannot be read".to_owned())
}
