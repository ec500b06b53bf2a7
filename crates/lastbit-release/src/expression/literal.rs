//! Literals of an expression: numbers, texts, dates, names of types, patterns.

use sqlparser::ast::{DataType, Expr, TypedString, Value};

use super::MOST_TEXT;
use super::build::{Result, refuse};
use super::calendar::{read_date, read_timestamp};
use super::draft::{Draft, Shape};
use super::error::Place;
use super::node::{Node, Piece, Type};
use super::parse::start;
use crate::clean::shown;
use crate::value::canonical;

/// A number, a text, a Boolean or null.
pub(super) fn literal(value: &Value, at: Place) -> Result<Draft> {
    match value {
        Value::Number(digits, false) => {
            let number: f64 = digits.parse().unwrap_or(f64::NAN);
            if !number.is_finite() {
                return refuse(at, "this number is too large for a double (1.8e308)");
            }
            // By its digits: 2^53 + 1 reads as 2^53.
            let is_whole = digits.bytes().all(|digit| digit.is_ascii_digit());
            if is_whole && !digits.parse::<u64>().is_ok_and(|whole| whole <= 1 << 53) {
                return refuse(
                    at,
                    format!(
                        "whole numbers are exact up to 2^53 only; compare texts, as in x = '{}', \
                         or write the number with a point",
                        shown(digits)
                    ),
                );
            }
            // `.5` and `5.` and `007` are numbers too.
            let text = canonical(&format!("{number:e}")).unwrap_or_default();
            let text = match digits.starts_with('0') || digits.starts_with('.') {
                true => text,
                false => canonical(digits.trim_end_matches('.')).unwrap_or(text),
            };
            Ok(number_literal(number, text, at))
        }
        Value::SingleQuotedString(text) => {
            if text.len() > MOST_TEXT {
                return refuse(
                    at,
                    format!(
                        "a text has at most {MOST_TEXT} bytes, and this has {}",
                        text.len()
                    ),
                );
            }
            Ok(Draft::known(Node::Text(text.clone()), at))
        }
        Value::Boolean(truth) => Ok(Draft::known(Node::Boolean(*truth), at)),
        Value::Null => Ok(null(at)),
        _ => refuse(
            at,
            "numbers are written as 12 or 1.5e3, texts in single quotes, names of columns in \
             double quotes or none",
        ),
    }
}

/// Null, of any type.
pub(super) fn null(at: Place) -> Draft {
    Draft {
        shape: Shape::Null,
        kind: None,
        at,
    }
}

/// A number, and its digits if a text is wanted.
pub(super) fn number_literal(number: f64, text: String, at: Place) -> Draft {
    Draft {
        shape: Shape::Literal(number, text),
        kind: Some(Type::Number),
        at,
    }
}

/// `date '2024-01-31'` and `timestamp '2024-01-31 12:00'`.
pub(super) fn typed(literal: &TypedString, at: Place) -> Result<Node> {
    let Value::SingleQuotedString(text) = &literal.value.value else {
        return refuse(
            at,
            "write date '2024-01-31' or timestamp '2024-01-31 23:59:00'",
        );
    };
    match cast_type(&literal.data_type, at)? {
        Type::Date if text.len() == 10 => match read_date(text) {
            Some(day) => Ok(Node::Date(day)),
            None => refuse(
                at,
                format!(
                    "there is no day `{}` in the years 0001 to 9999",
                    shown(text)
                ),
            ),
        },
        Type::Timestamp => match read_timestamp(text) {
            Some(time) => Ok(Node::Timestamp(time)),
            None => refuse(
                at,
                format!(
                    "`{}` is no time; write timestamp '2024-01-31 23:59:00'",
                    shown(text)
                ),
            ),
        },
        _ => refuse(
            at,
            "write date '2024-01-31' or timestamp '2024-01-31 23:59:00'",
        ),
    }
}

/// A type by one of its names.
pub(super) fn cast_type(written: &DataType, at: Place) -> Result<Type> {
    Ok(match written {
        DataType::Double(_) | DataType::DoublePrecision | DataType::Float64 | DataType::Float8 => {
            Type::Number
        }
        DataType::Text | DataType::Varchar(None) | DataType::String(None) => Type::Text,
        DataType::Boolean | DataType::Bool => Type::Boolean,
        DataType::Date => Type::Date,
        DataType::Timestamp(None, zone) if !zone.to_string().contains("WITH TIME") => {
            Type::Timestamp
        }
        other => {
            let other = other.to_string();
            return refuse(
                at,
                format!(
                    "there is no type `{}`; cast to double, text, boolean, date or timestamp, and \
                     for whole numbers write round(x), floor(x) or trunc(x)",
                    shown(&other)
                ),
            );
        }
    })
}

/// A text literal in the expression.
pub(super) fn text_of(tree: &Expr) -> Result<String> {
    match tree {
        Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(text) if text.len() <= MOST_TEXT => Ok(text.clone()),
            _ => refuse(start(tree), "a text in single quotes is needed here"),
        },
        Expr::Nested(inner) => text_of(inner),
        _ => refuse(
            start(tree),
            "a text in single quotes is needed here, the same for every row",
        ),
    }
}

/// The character after `escape`.
pub(super) fn one_character(text: &str, at: Place) -> Result<char> {
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some(character), None) => Ok(character),
        _ => refuse(at, "after escape stands one character"),
    }
}

/// The pieces of a pattern, in one form: runs of text are joined, and several `%` become one.
pub(super) fn pieces(pattern: &str, escape: Option<char>, at: Place) -> Result<Vec<Piece>> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        let literal = if Some(character) == escape {
            match characters.next() {
                Some(next) => next,
                None => return refuse(at, "the pattern ends in its escape character"),
            }
        } else if character == '%' {
            if pieces.last() != Some(&Piece::Any) {
                pieces.push(Piece::Any);
            }
            continue;
        } else if character == '_' {
            pieces.push(Piece::One);
            continue;
        } else {
            character
        };
        match pieces.last_mut() {
            Some(Piece::Text(text)) => text.push(literal),
            _ => pieces.push(Piece::Text(literal.to_string())),
        }
    }
    Ok(pieces)
}
