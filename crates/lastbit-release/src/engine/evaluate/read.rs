//! Cells of a file as values, each column read once a batch.
//!
//! Numbers and texts are read as everywhere else in the engine. Dates and timestamps are those of
//! the file, or texts in ISO 8601; other texts are null.

use std::borrow::Cow;
use std::cell::OnceCell;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType,
};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray, RecordBatch};
use arrow_schema::{DataType, TimeUnit};

use super::cells::{Scalar, truth};
use crate::engine::EngineError;
use crate::engine::files::cells::{numbers, texts};
use crate::expression::calendar::{DAY, read_date, read_timestamp, valid_day, valid_time};
use crate::value::Value;

/// The rows of a batch. Expressions over the same rows share what is read.
pub(crate) struct Rows<'a> {
    batch: &'a RecordBatch,
    numbers: Vec<OnceCell<Cow<'a, [f64]>>>,
    dates: Vec<OnceCell<Vec<i32>>>,
    times: Vec<OnceCell<Vec<i64>>>,
}

impl<'a> Rows<'a> {
    pub(crate) fn new(batch: &'a RecordBatch) -> Rows<'a> {
        let columns = batch.num_columns();
        Rows {
            batch,
            numbers: vec![OnceCell::new(); columns],
            dates: vec![OnceCell::new(); columns],
            times: vec![OnceCell::new(); columns],
        }
    }

    pub(super) fn count(&self) -> usize {
        self.batch.num_rows()
    }

    fn column(&self, name: &str) -> Result<(usize, &'a ArrayRef), EngineError> {
        let schema = self.batch.schema_ref();
        match schema.index_of(name) {
            Ok(place) => Ok((place, self.batch.column(place))),
            Err(_) => Err(EngineError::UnknownColumn {
                file: "memory".into(),
                column: name.to_owned(),
                columns: schema.fields().iter().map(|f| f.name().clone()).collect(),
            }),
        }
    }

    pub(super) fn numbers(&self, name: &str) -> Result<&[f64], EngineError> {
        let (place, array) = self.column(name)?;
        if self.numbers[place].get().is_none() {
            // It was empty.
            let _ = self.numbers[place].set(numbers(array, name)?);
        }
        Ok(self.numbers[place].get().map_or(&[], |cells| cells))
    }

    pub(super) fn dates(&self, name: &str) -> Result<&[i32], EngineError> {
        let (place, array) = self.column(name)?;
        if self.dates[place].get().is_none() {
            let _ = self.dates[place].set(dates(array, name)?);
        }
        Ok(self.dates[place].get().map_or(&[], |cells| cells))
    }

    pub(super) fn times(&self, name: &str) -> Result<&[i64], EngineError> {
        let (place, array) = self.column(name)?;
        if self.times[place].get().is_none() {
            let _ = self.times[place].set(times(array, name)?);
        }
        Ok(self.times[place].get().map_or(&[], |cells| cells))
    }

    /// Calls `see` with the value of each cell.
    pub(super) fn texts(&self, name: &str, see: impl FnMut(Value)) -> Result<(), EngineError> {
        texts(self.column(name)?.1, name, see)
    }

    /// Whether each cell is empty.
    pub(super) fn missing(&self, name: &str) -> Result<Vec<u8>, EngineError> {
        let (_, array) = self.column(name)?;
        let mut missing = Vec::with_capacity(array.len());
        match array.data_type() {
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
                texts(array, name, |cell| {
                    missing.push(truth(cell == Value::Missing))
                })?;
            }
            // In a column that is not text, a cell is missing if and only if it has no number.
            _ => {
                let cells = self.numbers(name)?;
                missing.extend(cells.iter().map(|cell| truth(cell.is_nan())));
            }
        }
        Ok(missing)
    }

    pub(super) fn truths(&self, name: &str) -> Result<Vec<u8>, EngineError> {
        let mut truths = Vec::with_capacity(self.count());
        self.texts(name, |cell| truths.push(read_truth(cell)))?;
        Ok(truths)
    }
}

/// `true` and 1, `false` and 0.
pub(super) fn read_truth(cell: Value) -> u8 {
    match cell {
        Value::Text("true") | Value::Whole(1) => truth(true),
        Value::Text("false") | Value::Whole(0) => truth(false),
        _ => u8::NULL,
    }
}

fn dates(array: &ArrayRef, name: &str) -> Result<Vec<i32>, EngineError> {
    let day = |day: i64| valid_day(day).unwrap_or(i32::NULL);
    let of_text = |text: Option<&str>| {
        text.and_then(|text| read_date(text.trim()))
            .unwrap_or(i32::NULL)
    };
    Ok(match array.data_type() {
        DataType::Date32 => each(array.as_primitive::<Date32Type>(), |x| day(i64::from(x))),
        DataType::Date64 => each(array.as_primitive::<Date64Type>(), |x| {
            day(x.div_euclid(86_400_000))
        }),
        DataType::Timestamp(..) => times(array, name)?
            .into_iter()
            .map(|time| match time.is_null() {
                true => i32::NULL,
                false => day(time.div_euclid(DAY)),
            })
            .collect(),
        DataType::Utf8 => array.as_string::<i32>().iter().map(of_text).collect(),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().map(of_text).collect(),
        DataType::Utf8View => array.as_string_view().iter().map(of_text).collect(),
        DataType::Null => vec![i32::NULL; array.len()],
        _ => return Err(wrong(array, name, "a date")),
    })
}

fn times(array: &ArrayRef, name: &str) -> Result<Vec<i64>, EngineError> {
    let time = |time: Option<i64>| time.and_then(valid_time).unwrap_or(i64::NULL);
    let of_text = |text: Option<&str>| {
        text.and_then(|text| read_timestamp(text.trim()))
            .unwrap_or(i64::NULL)
    };
    Ok(match array.data_type() {
        DataType::Date32 => each(array.as_primitive::<Date32Type>(), |x| {
            time(i64::from(x).checked_mul(DAY))
        }),
        DataType::Date64 => each(array.as_primitive::<Date64Type>(), |x| {
            time(x.div_euclid(86_400_000).checked_mul(DAY))
        }),
        DataType::Timestamp(TimeUnit::Second, _) => {
            each(array.as_primitive::<TimestampSecondType>(), |x| {
                time(x.checked_mul(1_000_000))
            })
        }
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            each(array.as_primitive::<TimestampMillisecondType>(), |x| {
                time(x.checked_mul(1000))
            })
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            each(array.as_primitive::<TimestampMicrosecondType>(), |x| {
                time(Some(x))
            })
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            each(array.as_primitive::<TimestampNanosecondType>(), |x| {
                time(Some(x.div_euclid(1000)))
            })
        }
        DataType::Utf8 => array.as_string::<i32>().iter().map(of_text).collect(),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().map(of_text).collect(),
        DataType::Utf8View => array.as_string_view().iter().map(of_text).collect(),
        DataType::Null => vec![i64::NULL; array.len()],
        _ => return Err(wrong(array, name, "a timestamp")),
    })
}

fn each<T: ArrowPrimitiveType, U: Scalar>(
    array: &PrimitiveArray<T>,
    read: impl Fn(T::Native) -> U,
) -> Vec<U> {
    match array.nulls() {
        None => array.values().iter().map(|x| read(*x)).collect(),
        Some(_) => array
            .iter()
            .map(|cell| cell.map_or(U::NULL, &read))
            .collect(),
    }
}

fn wrong(array: &ArrayRef, column: &str, wanted: &'static str) -> EngineError {
    EngineError::Type {
        column: column.to_owned(),
        found: array.data_type().to_string(),
        wanted,
    }
}
