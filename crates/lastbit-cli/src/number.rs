//! How numbers are written. Numbers about privacy or error are rounded to the safe side also as
//! text: the printed decimal is itself a bound.

use lastbit::{ParameterError, parse_number};
use lastbit_exact::{Down, Interval, Rational, Rounding, Up};
use serde_json::{Value, json};

/// A reader of exact numbers, which names what it reads in its errors.
pub fn named(
    what: &'static str,
) -> impl Fn(&str) -> Result<Rational, ParameterError> + Clone + Send + Sync + 'static {
    move |text| parse_number(what, text)
}

/// The shortest text that reads back as the same double, with an exponent where a person would
/// write one. For numbers that are not bounds.
pub fn shortest(value: f64) -> String {
    if is_plain(value) {
        format!("{value}")
    } else {
        format!("{value:e}")
    }
}

/// An upper bound; its decimal is one too.
pub fn upper(bound: Up) -> String {
    if is_plain(bound.get()) {
        format!("{bound}")
    } else {
        format!("{bound:e}")
    }
}

/// A lower bound; its decimal is one too.
pub fn lower(bound: Down) -> String {
    if is_plain(bound.get()) {
        format!("{bound}")
    } else {
        format!("{bound:e}")
    }
}

/// A number that may be stated too large in magnitude: the end of its interval farther from zero.
pub fn outer(x: Interval) -> String {
    if x.lo().abs() > x.hi().abs() {
        lower(x.lower())
    } else {
        upper(x.upper())
    }
}

/// Whether a person writes the number without an exponent.
fn is_plain(value: f64) -> bool {
    value == 0.0 || (1e-5..1e17).contains(&value.abs())
}

/// A rational for people: the decimal if it is short, else the nearest double.
pub fn readable(value: &Rational) -> String {
    short_decimal(value)
        .unwrap_or_else(|| format!("≈ {}", shortest(value.to_f64(Rounding::NearestEven))))
}

/// A rational that may be stated too large but never too small, such as a loss: its decimal if that
/// is short, else a decimal above it.
pub fn readable_up(value: &Rational) -> String {
    short_decimal(value).unwrap_or_else(|| format!("≤ {}", upper(Up::from_rational(value))))
}

/// As [`readable_up`], without a sign, and with an exponent where a person would write one.
pub fn at_least(value: &Rational) -> String {
    match given(value) {
        Some(double) => shortest(double),
        None => short_decimal(value).unwrap_or_else(|| upper(Up::from_rational(value))),
    }
}

/// A rational that may be stated too small but never too large, such as the level of a test, with
/// an exponent where a person would write one.
pub fn at_most(value: &Rational) -> String {
    match given(value) {
        Some(double) => shortest(double),
        None => short_decimal(value).unwrap_or_else(|| lower(Down::from_rational(value))),
    }
}

/// The double whose shortest decimal is the number itself.
fn given(value: &Rational) -> Option<f64> {
    let nearest = value.to_f64(Rounding::NearestEven);
    let printed = format!("{nearest:e}").parse::<Rational>();
    printed
        .is_ok_and(|printed| printed == *value)
        .then_some(nearest)
}

/// The exact decimal, if it has few digits.
fn short_decimal(value: &Rational) -> Option<String> {
    let exact = value.to_string();
    (exact.len() <= 20 && !exact.contains('/')).then_some(exact)
}

/// A double for JSON; `null` for what JSON cannot hold. For numbers that are not bounds.
pub fn json(value: f64) -> Value {
    serde_json::Number::from_f64(value).map_or(Value::Null, Value::Number)
}

/// An upper bound for JSON, as a double and as the decimal that is written.
pub fn json_upper(bound: Up) -> Value {
    json(bound.printable())
}

/// A lower bound for JSON, as a double and as the decimal that is written.
pub fn json_lower(bound: Down) -> Value {
    json(bound.printable())
}

/// Both ends of an interval for JSON.
pub fn json_interval(x: Interval) -> Value {
    json!({"low": json_lower(x.lower()), "high": json_upper(x.upper())})
}

/// A rational that may be stated too large but never too small, such as a loss, for JSON.
pub fn json_up(value: &Rational) -> Value {
    json(value.printable_up())
}

/// A given rational for JSON: the double whose decimal is the number itself, if there is one, else
/// a double above it.
pub fn json_given(value: &Rational) -> Value {
    given(value).map_or_else(|| json_up(value), json)
}

/// The nearest double of a rational for JSON. For numbers that are not bounds.
pub fn json_nearest(value: &Rational) -> Value {
    json(value.to_f64(Rounding::NearestEven))
}
