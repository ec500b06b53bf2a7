//! The values of a batch: one for all rows, or one for each row.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::types::{Date32Type, TimestampMicrosecondType};
use arrow_array::{ArrayRef, BooleanArray, Float64Array, LargeStringArray, PrimitiveArray};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};

use crate::engine::EngineError;

/// Values of any type.
#[derive(Debug)]
pub(super) enum Column<'a> {
    Number(Cells<'a, f64>),
    Boolean(Cells<'a, u8>),
    Date(Cells<'a, i32>),
    Timestamp(Cells<'a, i64>),
    Text(Texts),
}

/// A type of which one value stands for null.
pub(super) trait Scalar: Copy + PartialOrd + 'static {
    const NULL: Self;
    fn is_null(self) -> bool;
}

impl Scalar for f64 {
    const NULL: f64 = f64::NAN;
    fn is_null(self) -> bool {
        self.is_nan()
    }
}

/// False, null and true, in this order: `and` is the least, `or` the greatest.
pub(super) const FALSE: u8 = 0;
pub(super) const TRUE: u8 = 2;

impl Scalar for u8 {
    const NULL: u8 = 1;
    fn is_null(self) -> bool {
        self == u8::NULL
    }
}

impl Scalar for i32 {
    const NULL: i32 = i32::MIN;
    fn is_null(self) -> bool {
        self == i32::NULL
    }
}

impl Scalar for i64 {
    const NULL: i64 = i64::MIN;
    fn is_null(self) -> bool {
        self == i64::NULL
    }
}

/// True or false.
pub(super) fn truth(truth: bool) -> u8 {
    2 * u8::from(truth)
}

/// Values that are copied.
#[derive(Clone, Debug)]
pub(super) enum Cells<'a, T: Clone> {
    One(T),
    Many(Cow<'a, [T]>),
}

impl<'a, T: Scalar> Cells<'a, T> {
    pub(super) fn owned(values: Vec<T>) -> Cells<'a, T> {
        Cells::Many(Cow::Owned(values))
    }

    pub(super) fn get(&self, row: usize) -> T {
        match self {
            Cells::One(value) => *value,
            Cells::Many(values) => values[row],
        }
    }

    pub(super) fn into_vec(self, rows: usize) -> Vec<T> {
        match self {
            Cells::One(value) => vec![value; rows],
            Cells::Many(values) => values.into_owned(),
        }
    }

    pub(super) fn map<U: Scalar>(&self, f: impl Fn(T) -> U) -> Cells<'a, U> {
        match self {
            Cells::One(value) => Cells::One(f(*value)),
            Cells::Many(values) => Cells::owned(values.iter().map(|value| f(*value)).collect()),
        }
    }

    /// [`Cells::map`] where there is a value.
    pub(super) fn map_some<U: Scalar>(&self, f: impl Fn(T) -> U) -> Cells<'a, U> {
        self.map(|value| match value.is_null() {
            true => U::NULL,
            false => f(value),
        })
    }
}

/// A function of two values. The loops are separate so that each is simple.
pub(super) fn zip<'a, A: Scalar, B: Scalar, C: Scalar>(
    left: &Cells<A>,
    right: &Cells<B>,
    f: impl Fn(A, B) -> C,
) -> Cells<'a, C> {
    match (left, right) {
        (Cells::One(a), Cells::One(b)) => Cells::One(f(*a, *b)),
        (Cells::One(a), Cells::Many(b)) => Cells::owned(b.iter().map(|b| f(*a, *b)).collect()),
        (Cells::Many(a), Cells::One(b)) => Cells::owned(a.iter().map(|a| f(*a, *b)).collect()),
        (Cells::Many(a), Cells::Many(b)) => {
            Cells::owned(a.iter().zip(b.iter()).map(|(a, b)| f(*a, *b)).collect())
        }
    }
}

/// Texts, or none.
#[derive(Debug)]
pub(super) enum Texts {
    One(Option<String>),
    Many(TextRows),
}

/// Texts one after the other.
#[derive(Debug)]
pub(super) struct TextRows {
    bytes: String,
    /// Where each starts, and the last one ends.
    offsets: Vec<i64>,
    present: Vec<bool>,
}

impl TextRows {
    pub(super) fn new(rows: usize) -> TextRows {
        let mut offsets = Vec::with_capacity(rows + 1);
        offsets.push(0);
        TextRows {
            bytes: String::new(),
            offsets,
            present: Vec::with_capacity(rows),
        }
    }

    pub(super) fn push(&mut self, text: Option<&str>) {
        self.bytes.push_str(text.unwrap_or_default());
        self.end(text.is_some());
    }

    /// Adds the text that `write` appends; if it returns false, there is none, and what it wrote is
    /// removed.
    pub(super) fn push_with(&mut self, write: impl FnOnce(&mut String) -> bool) {
        let start = self.bytes.len();
        let present = write(&mut self.bytes);
        if !present {
            self.bytes.truncate(start);
        }
        self.end(present);
    }

    fn end(&mut self, present: bool) {
        self.offsets.push(self.bytes.len() as i64);
        self.present.push(present);
    }
}

impl Texts {
    pub(super) fn get(&self, row: usize) -> Option<&str> {
        match self {
            Texts::One(text) => text.as_deref(),
            Texts::Many(rows) => rows.present[row].then(|| {
                // Offsets are lengths of the text at some time.
                &rows.bytes[rows.offsets[row] as usize..rows.offsets[row + 1] as usize]
            }),
        }
    }
}

impl Column<'_> {
    /// The values as Arrow has them.
    pub(super) fn into_array(self, rows: usize) -> Result<ArrayRef, EngineError> {
        Ok(match self {
            Column::Number(cells) => {
                let values = cells.into_vec(rows);
                let nulls = nulls(&values);
                Arc::new(Float64Array::new(values.into(), nulls))
            }
            Column::Boolean(cells) => {
                let values = cells.into_vec(rows);
                let is_true = BooleanBuffer::collect_bool(rows, |row| values[row] == TRUE);
                Arc::new(BooleanArray::new(is_true, nulls(&values)))
            }
            Column::Date(cells) => {
                let values = cells.into_vec(rows);
                let nulls = nulls(&values);
                Arc::new(PrimitiveArray::<Date32Type>::new(values.into(), nulls))
            }
            Column::Timestamp(cells) => {
                let values = cells.into_vec(rows);
                let nulls = nulls(&values);
                Arc::new(PrimitiveArray::<TimestampMicrosecondType>::new(
                    values.into(),
                    nulls,
                ))
            }
            Column::Text(texts) => {
                let texts = match texts {
                    Texts::Many(texts) => texts,
                    Texts::One(text) => {
                        let mut all = TextRows::new(rows);
                        (0..rows).for_each(|_| all.push(text.as_deref()));
                        all
                    }
                };
                let nulls = NullBuffer::from(texts.present);
                let array = LargeStringArray::try_new(
                    OffsetBuffer::new(ScalarBuffer::from(texts.offsets)),
                    Buffer::from_vec(texts.bytes.into_bytes()),
                    (nulls.null_count() > 0).then_some(nulls),
                );
                Arc::new(array.map_err(|error| EngineError::Engine(error.to_string()))?)
            }
        })
    }
}

/// Which values are null, if any are.
fn nulls<T: Scalar>(values: &[T]) -> Option<NullBuffer> {
    let any = values.iter().any(|value| value.is_null());
    any.then(|| {
        NullBuffer::new(BooleanBuffer::collect_bool(values.len(), |row| {
            !values[row].is_null()
        }))
    })
}
