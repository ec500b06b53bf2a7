//! What SQLite lacks, as functions of a session: cells are read by the same code that reads files.

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::{Value as SqlValue, ValueRef};
use rusqlite::{Connection, Error, Result};
use sha2::{Digest, Sha256};

use crate::engine::choice::hex;
use crate::engine::files::cells::number;
use crate::expression::calendar::{read_date, read_timestamp};
use crate::value::{Value, value};

/// Registers the functions that statements of the dialect `sqlite` call: `lastbit_number` and
/// others.
pub fn register(connection: &Connection) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    type Call = fn(&Context<'_>) -> Result<SqlValue>;
    let functions: [(&str, Call); 10] = [
        ("lastbit_number", |call| {
            Ok(match call.get_raw(0) {
                ValueRef::Null => SqlValue::Null,
                // As reading the digits rounds it.
                ValueRef::Integer(whole) => SqlValue::Real(whole as f64),
                ValueRef::Real(real) => real_or_null(real),
                ValueRef::Text(_) => real_or_null(number(text(call)?.as_deref())),
                ValueRef::Blob(_) => return Err(blob()),
            })
        }),
        ("lastbit_text", |call| {
            said(call, |said| match said {
                Value::Missing => SqlValue::Null,
                said => SqlValue::Text(said.to_text()),
            })
        }),
        ("lastbit_condition", |call| {
            said(call, |said| match said {
                Value::Text("true") | Value::Whole(1) => SqlValue::Integer(1),
                Value::Text("false") | Value::Whole(0) => SqlValue::Integer(0),
                _ => SqlValue::Null,
            })
        }),
        ("lastbit_date", |call| {
            of_text(call, |text| read_date(text.trim()).map(i64::from))
        }),
        ("lastbit_timestamp", |call| {
            of_text(call, |text| read_timestamp(text.trim()))
        }),
        ("lastbit_trim", |call| {
            let text = text(call)?;
            Ok(text.map_or(SqlValue::Null, |text| {
                SqlValue::Text(text.trim().to_owned())
            }))
        }),
        ("lastbit_length", |call| {
            of_text(call, |text| i64::try_from(text.chars().count()).ok())
        }),
        ("lastbit_sqrt", |call| {
            let number: Option<f64> = call.get(0)?;
            Ok(number.map_or(SqlValue::Null, |x| real_or_null(x.sqrt())))
        }),
        ("lastbit_sha256", |call| {
            let text = text(call)?;
            let hash = |text: String| SqlValue::Text(hex(&Sha256::digest(text.as_bytes())));
            Ok(text.map_or(SqlValue::Null, hash))
        }),
        ("lastbit_60_bits", |call| {
            of_text(call, |hash| {
                hash.get(..15)
                    .and_then(|digits| i64::from_str_radix(digits, 16).ok())
            })
        }),
    ];
    for (name, function) in functions {
        connection.create_scalar_function(name, 1, flags, function)?;
    }
    Ok(())
}

fn blob() -> Error {
    Error::UserFunctionError("a cell is a blob, which is neither a number nor a text".into())
}

fn real_or_null(number: f64) -> SqlValue {
    match number.is_nan() {
        true => SqlValue::Null,
        false => SqlValue::Real(number),
    }
}

/// The text of a cell that is one.
fn text(call: &Context<'_>) -> Result<Option<String>> {
    match call.get_raw(0) {
        ValueRef::Null => Ok(None),
        ValueRef::Integer(whole) => Ok(Some(whole.to_string())),
        ValueRef::Text(text) => match core::str::from_utf8(text) {
            Ok(text) => Ok(Some(text.to_owned())),
            Err(_) => Err(Error::UserFunctionError(
                "a cell is no text in UTF-8".into(),
            )),
        },
        ValueRef::Real(_) | ValueRef::Blob(_) => Err(blob()),
    }
}

/// A function of what a cell says.
fn said(call: &Context<'_>, f: impl Fn(Value) -> SqlValue) -> Result<SqlValue> {
    let mut buffer = String::new();
    Ok(match call.get_raw(0) {
        ValueRef::Null => f(Value::Missing),
        ValueRef::Integer(whole) => f(Value::Whole(whole)),
        ValueRef::Real(real) if real.is_nan() => f(Value::Missing),
        ValueRef::Real(real) => f(value(&format!("{real:e}"), &mut buffer)),
        ValueRef::Text(_) => f(value(&text(call)?.unwrap_or_default(), &mut buffer)),
        ValueRef::Blob(_) => return Err(blob()),
    })
}

/// A function of a text that gives a whole number; null of what is no text.
fn of_text(call: &Context<'_>, f: impl Fn(&str) -> Option<i64>) -> Result<SqlValue> {
    let text = match call.get_raw(0) {
        ValueRef::Text(_) => text(call)?,
        ValueRef::Blob(_) => return Err(blob()),
        _ => None,
    };
    let whole = text.and_then(|text| f(&text));
    Ok(whole.map_or(SqlValue::Null, SqlValue::Integer))
}
