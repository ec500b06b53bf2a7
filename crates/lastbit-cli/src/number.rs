//! How numbers are written.

use lastbit_exact::{Rational, Rounding};
use serde_json::Value;

/// The shortest text that reads back as the same double, with an exponent where that is what a person would write.
pub fn shortest(value: f64) -> String {
    let magnitude = value.abs();
    if value == 0.0 || (1e-5..1e17).contains(&magnitude) {
        format!("{value}")
    } else {
        format!("{value:e}")
    }
}

/// A rational for people: the decimal if it is short, else the nearest double.
pub fn readable(value: &Rational) -> String {
    let exact = value.to_string();
    if exact.len() <= 20 && !exact.contains('/') {
        exact
    } else {
        format!("≈ {}", shortest(value.to_f64(Rounding::NearestEven)))
    }
}

/// A double for JSON; `null` for what JSON cannot hold.
pub fn json(value: f64) -> Value {
    serde_json::Number::from_f64(value).map_or(Value::Null, Value::Number)
}

/// A rational that may be stated too large but never too small, such as a loss, for JSON.
pub fn json_up(value: &Rational) -> Value {
    json(value.to_f64(Rounding::Up))
}

/// The nearest double of a rational for JSON.
pub fn json_nearest(value: &Rational) -> Value {
    json(value.to_f64(Rounding::NearestEven))
}
