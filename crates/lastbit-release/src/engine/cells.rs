//! What a cell says, the same in every format: a number, or a text.
//!
//! A cell is missing if it is null, an empty text, NaN or, where a number is asked for, a text that is no number. A number is the double
//! nearest to what is written: whole numbers up to 2^53 are exact, larger ones and decimals are rounded once, whatever the format.
//! True is 1 and false 0; a date is its days, and a timestamp its seconds, since 1970. The text of a whole number is its decimal
//! digits, so that 7 in Parquet and 7 in CSV are the same unit, key and category.

use std::borrow::Cow;
use std::fmt::Write;

use datafusion::arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray, PrimitiveArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{
    DataType, Date32Type, Date64Type, Decimal128Type, Float16Type, Float32Type, Float64Type,
    Int8Type, Int16Type, Int32Type, Int64Type, TimeUnit, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};

use super::EngineError;

/// The number in each cell; NaN where there is none.
pub(super) fn numbers<'a>(
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
                primitive(array.as_primitive::<TimestampNanosecondType>(), |x| {
                    x as f64 / 1e9
                })
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
        DataType::Dictionary(_, value) => {
            let plain = cast(array, value).map_err(|_| wrong(array, column, "a number"))?;
            numbers(&plain, column)?.into_owned()
        }
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

fn number(cell: Option<&str>) -> f64 {
    let Some(text) = cell.map(str::trim) else {
        return f64::NAN;
    };
    match text.parse() {
        Ok(number) => number,
        Err(_) if text.eq_ignore_ascii_case("true") => 1.0,
        Err(_) if text.eq_ignore_ascii_case("false") => 0.0,
        Err(_) => f64::NAN,
    }
}

/// What a cell says where a text is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Text<'a> {
    Missing,
    /// A whole number, whose text is its digits.
    Whole(i64),
    /// Anything else, never empty. It may be the digits of a whole number too.
    Other(&'a str),
}

/// Calls `see` with each cell's text, in the order of rows.
pub(super) fn texts(
    array: &ArrayRef,
    column: &str,
    mut see: impl FnMut(Text),
) -> Result<(), EngineError> {
    match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().for_each(|x| see(text(x))),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().for_each(|x| see(text(x))),
        DataType::Utf8View => array.as_string_view().iter().for_each(|x| see(text(x))),
        DataType::Int8 => whole(array.as_primitive::<Int8Type>(), see),
        DataType::Int16 => whole(array.as_primitive::<Int16Type>(), see),
        DataType::Int32 => whole(array.as_primitive::<Int32Type>(), see),
        DataType::Int64 => whole(array.as_primitive::<Int64Type>(), see),
        DataType::UInt8 => whole(array.as_primitive::<UInt8Type>(), see),
        DataType::UInt16 => whole(array.as_primitive::<UInt16Type>(), see),
        DataType::UInt32 => whole(array.as_primitive::<UInt32Type>(), see),
        DataType::UInt64 => shown(array.as_primitive::<UInt64Type>(), see),
        DataType::Float32 => shown(array.as_primitive::<Float32Type>(), see),
        DataType::Float64 => shown(array.as_primitive::<Float64Type>(), see),
        DataType::Boolean => array.as_boolean().iter().for_each(|cell| {
            see(match cell {
                None => Text::Missing,
                Some(true) => Text::Other("true"),
                Some(false) => Text::Other("false"),
            });
        }),
        DataType::Null => (0..array.len()).for_each(|_| see(Text::Missing)),
        DataType::Dictionary(_, _)
        | DataType::Decimal128(_, _)
        | DataType::Date32
        | DataType::Date64
        | DataType::Timestamp(_, _) => {
            let plain = cast(array, &DataType::Utf8).map_err(|_| wrong(array, column, "text"))?;
            plain.as_string::<i32>().iter().for_each(|x| see(text(x)));
        }
        _ => return Err(wrong(array, column, "text")),
    }
    Ok(())
}

/// Without the spaces around it: a person whose id is written ` 7` here and `7` there is one person.
fn text(cell: Option<&str>) -> Text<'_> {
    match cell.map(str::trim) {
        None | Some("") => Text::Missing,
        Some(text) => Text::Other(text),
    }
}

fn whole<T: ArrowPrimitiveType>(array: &PrimitiveArray<T>, mut see: impl FnMut(Text))
where
    i64: From<T::Native>,
{
    for cell in array {
        see(cell.map_or(Text::Missing, |x| Text::Whole(i64::from(x))));
    }
}

/// As Rust prints the value: the shortest digits that say which number it is. NaN is missing.
fn shown<T: ArrowPrimitiveType>(array: &PrimitiveArray<T>, mut see: impl FnMut(Text))
where
    T::Native: std::fmt::Display,
{
    let mut digits = String::new();
    for cell in array {
        digits.clear();
        if let Some(cell) = cell {
            // Writing to a string does not fail.
            let _ = write!(digits, "{cell}");
        }
        see(match digits.as_str() {
            "" | "NaN" => Text::Missing,
            digits => Text::Other(digits),
        });
    }
}

/// The number of which a text is the digits, exactly as they are printed.
pub(super) fn whole_number(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text).as_bytes();
    let leading_zero = digits.first() == Some(&b'0') && text != "0";
    let all_digits = digits.iter().all(u8::is_ascii_digit);
    if digits.len() > 19 || leading_zero || !all_digits {
        return None;
    }
    text.parse().ok()
}

fn wrong(array: &ArrayRef, column: &str, wanted: &'static str) -> EngineError {
    EngineError::Type {
        column: column.to_owned(),
        found: array.data_type().to_string(),
        wanted,
    }
}
