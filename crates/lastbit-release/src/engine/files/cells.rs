//! What a cell says, the same in every format: a number, or a text.
//!
//! A cell is missing if it is null, an empty text, NaN or, where a number is asked for, a text that
//! is no number. A number is the double nearest to what is written: whole numbers up to 2^53 are
//! exact, larger ones and decimals are rounded once, whatever the format. True is 1 and false 0; a
//! date is its days, and a timestamp its seconds, since 1970.
//!
//! Where a text is asked for, cells are compared by their value (see [`crate::value`]): 7 in
//! Parquet, `7` in CSV and `7.0` in JSON are the same unit, key and category. A binary fraction is
//! the shortest decimal that reads back as it, which is what others write of it.

use std::borrow::Cow;
use std::fmt::Write;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Decimal128Type, Float16Type, Float32Type, Float64Type, Int8Type,
    Int16Type, Int32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray};
use arrow_schema::{DataType, TimeUnit};

use super::EngineError;
use super::written::{write_date, write_decimal, write_timestamp};
use crate::value::{Value, value};

/// The number in each cell; NaN where there is none.
pub(crate) fn numbers<'a>(
    array: &'a ArrayRef,
    column: &str,
) -> Result<Cow<'a, [f64]>, EngineError> {
    Ok(Cow::Owned(match array.data_type() {
        DataType::Float64 => {
            let array = array.as_primitive::<Float64Type>();
            if array.null_count() == 0 {
                return Ok(Cow::Borrowed(array.values()));
            }
            primitive(array, |x| x)
        }
        DataType::Float32 => primitive(array.as_primitive::<Float32Type>(), f64::from),
        DataType::Float16 => primitive(array.as_primitive::<Float16Type>(), f64::from),
        DataType::Int8 => primitive(array.as_primitive::<Int8Type>(), f64::from),
        DataType::Int16 => primitive(array.as_primitive::<Int16Type>(), f64::from),
        DataType::Int32 => primitive(array.as_primitive::<Int32Type>(), f64::from),
        // `as` rounds to the nearest double, ties to even, as reading the digits does.
        DataType::Int64 => primitive(array.as_primitive::<Int64Type>(), |x| x as f64),
        DataType::UInt8 => primitive(array.as_primitive::<UInt8Type>(), f64::from),
        DataType::UInt16 => primitive(array.as_primitive::<UInt16Type>(), f64::from),
        DataType::UInt32 => primitive(array.as_primitive::<UInt32Type>(), f64::from),
        DataType::UInt64 => primitive(array.as_primitive::<UInt64Type>(), |x| x as f64),
        DataType::Decimal128(_, scale) => primitive(array.as_primitive::<Decimal128Type>(), |x| {
            decimal(x, *scale)
        }),
        DataType::Date32 => primitive(array.as_primitive::<Date32Type>(), f64::from),
        DataType::Date64 => primitive(array.as_primitive::<Date64Type>(), |x| {
            x.div_euclid(86_400_000) as f64
        }),
        DataType::Timestamp(unit, _) => match unit {
            TimeUnit::Second => {
                primitive(array.as_primitive::<TimestampSecondType>(), |x| x as f64)
            }
            TimeUnit::Millisecond => {
                primitive(array.as_primitive::<TimestampMillisecondType>(), |x| {
                    x as f64 / 1e3
                })
            }
            TimeUnit::Microsecond => {
                primitive(array.as_primitive::<TimestampMicrosecondType>(), |x| {
                    x as f64 / 1e6
                })
            }
            TimeUnit::Nanosecond => {
                primitive(array.as_primitive::<TimestampNanosecondType>(), nanoseconds)
            }
        },
        DataType::Boolean => array
            .as_boolean()
            .iter()
            .map(|cell| cell.map_or(f64::NAN, |x| f64::from(u8::from(x))))
            .collect(),
        DataType::Utf8 => array.as_string::<i32>().iter().map(number).collect(),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().map(number).collect(),
        DataType::Utf8View => array.as_string_view().iter().map(number).collect(),
        DataType::Null => vec![f64::NAN; array.len()],
        _ => return Err(wrong(array, column, "a number")),
    }))
}

fn primitive<T: ArrowPrimitiveType>(
    array: &PrimitiveArray<T>,
    read: impl Fn(T::Native) -> f64,
) -> Vec<f64> {
    match array.nulls() {
        None => array.values().iter().map(|x| read(*x)).collect(),
        Some(_) => array
            .iter()
            .map(|cell| cell.map_or(f64::NAN, &read))
            .collect(),
    }
}

/// The double nearest to so many nanoseconds in seconds. Most have no digit below the microsecond,
/// and then are the same microseconds.
fn nanoseconds(x: i64) -> f64 {
    match x % 1000 {
        0 => (x / 1000) as f64 / 1e6,
        _ => decimal(i128::from(x), 9),
    }
}

/// The double nearest to `value / 10^scale`.
fn decimal(value: i128, scale: i8) -> f64 {
    if (0..=22).contains(&scale) && value.unsigned_abs() <= 1 << 53 {
        // Both are doubles, so the one division rounds once.
        return value as f64 / 10f64.powi(i32::from(scale));
    }
    format!("{value}e{}", -i32::from(scale))
        .parse()
        .unwrap_or(f64::NAN)
}

/// The number that a text says; NaN if it says none.
pub(crate) fn number(cell: Option<&str>) -> f64 {
    let Some(text) = cell else {
        return f64::NAN;
    };
    if let Some(number) = short_decimal(text.as_bytes()) {
        return number;
    }
    let text = text.trim();
    match text.parse() {
        Ok(number) => number,
        Err(_) if text.eq_ignore_ascii_case("true") => 1.0,
        Err(_) if text.eq_ignore_ascii_case("false") => 0.0,
        Err(_) => f64::NAN,
    }
}

/// A decimal of at most 15 digits, without an exponent, as most are written; `None` for any other
/// text.
#[inline]
fn short_decimal(text: &[u8]) -> Option<f64> {
    const POWERS: [f64; 16] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ];
    let (is_negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if digits.len() > 16 {
        return None;
    }
    let mut number = 0u64;
    let mut point = None;
    for (place, byte) in digits.iter().enumerate() {
        match byte {
            b'0'..=b'9' => number = 10 * number + u64::from(byte - b'0'),
            b'.' if point.is_none() => point = Some(place),
            _ => return None,
        }
    }
    let (count, decimals) = match point {
        None => (digits.len(), 0),
        Some(place) => (digits.len() - 1, digits.len() - 1 - place),
    };
    if count == 0 || count > 15 {
        return None;
    }
    // Below 10^15 < 2^53, and powers up to 10^22 are doubles: the one division rounds once.
    let number = number as f64 / POWERS[decimals];
    Some(if is_negative { -number } else { number })
}

/// Calls `see` with what each cell says, in the order of rows.
pub(crate) fn texts(
    array: &ArrayRef,
    column: &str,
    see: impl FnMut(Value),
) -> Result<(), EngineError> {
    match array.data_type() {
        DataType::Utf8 => strings(array.as_string::<i32>().iter(), see),
        DataType::LargeUtf8 => strings(array.as_string::<i64>().iter(), see),
        DataType::Utf8View => strings(array.as_string_view().iter(), see),
        DataType::Int8 => whole(array.as_primitive::<Int8Type>(), see),
        DataType::Int16 => whole(array.as_primitive::<Int16Type>(), see),
        DataType::Int32 => whole(array.as_primitive::<Int32Type>(), see),
        DataType::Int64 => whole(array.as_primitive::<Int64Type>(), see),
        DataType::UInt8 => whole(array.as_primitive::<UInt8Type>(), see),
        DataType::UInt16 => whole(array.as_primitive::<UInt16Type>(), see),
        DataType::UInt32 => whole(array.as_primitive::<UInt32Type>(), see),
        DataType::UInt64 => written(array.as_primitive::<UInt64Type>(), shown, see),
        DataType::Float16 => written(
            array.as_primitive::<Float16Type>(),
            |x, text| float(f32::from(x), text),
            see,
        ),
        DataType::Float32 => floats(
            array.as_primitive::<Float32Type>(),
            |x| whole_below(f64::from(x), 1 << 24),
            see,
        ),
        DataType::Float64 => floats(
            array.as_primitive::<Float64Type>(),
            |x| whole_below(x, 1 << 53),
            see,
        ),
        DataType::Boolean => strings(
            array
                .as_boolean()
                .iter()
                .map(|cell| cell.map(|cell| if cell { "true" } else { "false" })),
            see,
        ),
        DataType::Null => strings((0..array.len()).map(|_| None), see),
        DataType::Decimal128(_, scale) => written(
            array.as_primitive::<Decimal128Type>(),
            |x, text| write_decimal(x, *scale, text),
            see,
        ),
        DataType::Date32 => written(
            array.as_primitive::<Date32Type>(),
            |x, text| write_date(i64::from(x), text),
            see,
        ),
        DataType::Date64 => written(
            array.as_primitive::<Date64Type>(),
            |x, text| write_date(x.div_euclid(86_400_000), text),
            see,
        ),
        DataType::Timestamp(unit, zone) => {
            let utc = zone.is_some();
            let write = |x: i64, per_second: i64, text: &mut String| {
                write_timestamp(x, per_second, utc, text);
            };
            match unit {
                TimeUnit::Second => written(
                    array.as_primitive::<TimestampSecondType>(),
                    |x, text| write(x, 1, text),
                    see,
                ),
                TimeUnit::Millisecond => written(
                    array.as_primitive::<TimestampMillisecondType>(),
                    |x, text| write(x, 1000, text),
                    see,
                ),
                TimeUnit::Microsecond => written(
                    array.as_primitive::<TimestampMicrosecondType>(),
                    |x, text| write(x, 1_000_000, text),
                    see,
                ),
                TimeUnit::Nanosecond => written(
                    array.as_primitive::<TimestampNanosecondType>(),
                    |x, text| write(x, 1_000_000_000, text),
                    see,
                ),
            }
        }
        _ => return Err(wrong(array, column, "text")),
    }
    Ok(())
}

fn strings<'a>(cells: impl Iterator<Item = Option<&'a str>>, mut see: impl FnMut(Value)) {
    let mut buffer = String::new();
    for cell in cells {
        see(cell.map_or(Value::Missing, |text| value(text, &mut buffer)));
    }
}

fn whole<T: ArrowPrimitiveType>(array: &PrimitiveArray<T>, mut see: impl FnMut(Value))
where
    i64: From<T::Native>,
{
    for cell in array {
        see(cell.map_or(Value::Missing, |x| Value::Whole(i64::from(x))));
    }
}

/// Whole numbers without writing them. Where neighbouring numbers are at most 1 apart, the shortest
/// digits of a whole one are all of its digits: no number of fewer digits is within ½ of it.
fn floats<T: ArrowPrimitiveType>(
    array: &PrimitiveArray<T>,
    whole: impl Fn(T::Native) -> Option<i64>,
    mut see: impl FnMut(Value),
) where
    T::Native: std::fmt::LowerExp + PartialEq,
{
    let (mut text, mut buffer) = (String::new(), String::new());
    for cell in array {
        let Some(cell) = cell else {
            see(Value::Missing);
            continue;
        };
        match whole(cell) {
            Some(number) => see(Value::Whole(number)),
            None => {
                text.clear();
                float(cell, &mut text);
                see(value(&text, &mut buffer));
            }
        }
    }
}

/// A number that is whole and of a magnitude below this. Both zeros are 0.
fn whole_below(number: f64, limit: i64) -> Option<i64> {
    // Out of range and NaN become numbers that are not equal to it, or not below the limit.
    let whole = number as i64;
    (whole as f64 == number && whole.unsigned_abs() < limit.unsigned_abs()).then_some(whole)
}

/// The value of what is written of a cell.
fn written<T: ArrowPrimitiveType>(
    array: &PrimitiveArray<T>,
    write: impl Fn(T::Native, &mut String),
    mut see: impl FnMut(Value),
) {
    let (mut text, mut buffer) = (String::new(), String::new());
    for cell in array {
        text.clear();
        if let Some(cell) = cell {
            write(cell, &mut text);
        }
        see(value(&text, &mut buffer));
    }
}

fn shown(number: impl std::fmt::Display, text: &mut String) {
    // Writing to a string does not fail.
    let _ = write!(text, "{number}");
}

/// The shortest digits that say which number it is, with an exponent; nothing for NaN, which is
/// missing.
fn float<F: std::fmt::LowerExp + PartialEq>(number: F, text: &mut String) {
    #[allow(clippy::eq_op)]
    if number == number {
        let _ = write!(text, "{number:e}");
    }
}

fn wrong(array: &ArrayRef, column: &str, wanted: &'static str) -> EngineError {
    EngineError::Type {
        column: column.to_owned(),
        found: array.data_type().to_string(),
        wanted,
    }
}

#[cfg(test)]
mod tests;
