//! Decimals that keep the direction of a bound.
//!
//! The shortest decimal of an f64 is the nearest one, so it may lie on the wrong side of a bound by
//! less than half a last bit. What is written here lies on the right side, and still reads back to
//! the same f64.

use core::fmt;

use crate::{Dyadic, Natural, Rational, Rounding};

/// `d₁.d₂d₃… · 10^exponent` of the given sign; no zeros at the end.
#[derive(PartialEq)]
struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

/// Writes a bound without an exponent. With a precision the last place is rounded in the bound's
/// direction; without, it is the shortest decimal on the bound's side that reads back to the same
/// f64.
pub(super) fn write<const UP: bool>(value: f64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if value == 0.0 || !value.is_finite() {
        return fmt::Display::fmt(&value, f);
    }
    let (negative, text) = match f.precision() {
        None => {
            let decimal = shortest::<UP>(value);
            let point = decimal.exponent + 1;
            (decimal.negative, place_point(&decimal.digits, point))
        }
        Some(places) => {
            let steps = scaled::<UP>(value, places as i64);
            let digits = format!("{:0>width$}", steps.to_string(), width = places + 1);
            let point = (digits.len() - places) as i64;
            // A negative bound that rounds to zero is zero.
            (
                value < 0.0 && steps != Natural::ZERO,
                place_point(&digits, point),
            )
        }
    };
    f.pad_integral(!negative, "", &text)
}

/// Writes a bound with an exponent, under the same contract; a precision counts the digits after
/// the point.
pub(super) fn write_exponent<const UP: bool>(
    value: f64,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    if value == 0.0 || !value.is_finite() {
        return fmt::LowerExp::fmt(&value, f);
    }
    let decimal = match f.precision() {
        None => shortest::<UP>(value),
        Some(places) => {
            let mut decimal = rounded::<UP>(value, places + 1);
            let width = places + 1;
            decimal.digits = format!("{:0<width$}", decimal.digits);
            decimal
        }
    };
    let text = format!("{}e{}", place_point(&decimal.digits, 1), decimal.exponent);
    f.pad_integral(!decimal.negative, "", &text)
}

/// The f64 nearest to `x` in the direction whose shortest decimal, as every writer of f64 prints
/// it, is a bound of `x` too.
pub(crate) fn printable<const UP: bool>(x: &Rational) -> f64 {
    let rounding = if UP { Rounding::Up } else { Rounding::Down };
    let value = x.to_f64(rounding);
    if !value.is_finite() {
        return value;
    }
    let printed: Result<Rational, _> = format!("{value:e}").parse();
    let safe = printed.is_ok_and(|printed| if UP { printed >= *x } else { printed <= *x });
    match (safe, UP) {
        (true, _) => value,
        // The decimals that read back to a neighbour lie beyond the midpoint, so beyond x.
        (false, true) => value.next_up(),
        (false, false) => value.next_down(),
    }
}

/// The shortest decimal in the direction of a finite `value ≠ 0` that reads back to it.
fn shortest<const UP: bool>(value: f64) -> Decimal {
    // No shorter decimal reads back. Of each length, the candidate is the one nearest to the value
    // on its side, and so reads back if any does; at 18 digits their distance is below half a last
    // bit, so the search ends.
    let least = parts(&format!("{value:e}")).digits.len();
    (least..)
        .map(|length| rounded::<UP>(value, length))
        .find(|decimal| decimal.read() == value)
        .unwrap_or_else(|| parts(&format!("{value:e}")))
}

/// `value ≠ 0` to `length` significant digits, in the direction.
fn rounded<const UP: bool>(value: f64, length: usize) -> Decimal {
    // The exponent of 17 digits is that of the value, or one more where those digits round up to a
    // power of ten.
    let guess = parts(&format!("{value:.16e}")).exponent;
    let at = |exponent: i64| {
        let places = length as i64 - 1 - exponent;
        let digits = scaled::<UP>(value, places).to_string();
        (digits.len() as i64 - 1 - places, digits)
    };
    let (exponent, digits) = match at(guess) {
        (exponent, _) if exponent < guess => at(guess - 1),
        found => found,
    };
    let trimmed = digits.trim_end_matches('0');
    Decimal {
        negative: value < 0.0,
        digits: if trimmed.is_empty() { "0" } else { trimmed }.to_owned(),
        exponent,
    }
}

/// `|value|·10^places` as an integer: rounded away from zero if the direction is, else toward it.
fn scaled<const UP: bool>(value: f64, places: i64) -> Natural {
    let Ok(exact) = Dyadic::try_from(value) else {
        return Natural::ZERO;
    };
    let (negative, mut numerator) = exact.mantissa().clone().into_parts();
    let mut denominator = Natural::ONE;
    let power = |n: u64| Natural::from(10u8).pow(n as usize);
    if places >= 0 {
        numerator *= power(places.unsigned_abs());
    } else {
        denominator *= power(places.unsigned_abs());
    }
    let shift = exact.exponent().unsigned_abs() as usize;
    if exact.exponent() >= 0 {
        numerator = numerator << shift;
    } else {
        denominator = denominator << shift;
    }
    let (floor, rest) = numerator.div_rem(denominator);
    if UP != negative && !rest.is_zero() {
        floor + Natural::ONE
    } else {
        floor
    }
}

impl Decimal {
    fn read(&self) -> f64 {
        let sign = if self.negative { "-" } else { "" };
        let mantissa = place_point(&self.digits, 1);
        format!("{sign}{mantissa}e{}", self.exponent)
            .parse()
            .unwrap_or(f64::NAN)
    }
}

/// The parts of what `{:e}` writes.
fn parts(text: &str) -> Decimal {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    Decimal {
        negative: text.starts_with('-'),
        digits,
        exponent: exponent.parse().unwrap_or(0),
    }
}

/// The digits with a point after the first `point` of them, and zeros where there are none.
fn place_point(digits: &str, point: i64) -> String {
    let length = digits.len() as i64;
    if point <= 0 {
        let zeros = "0".repeat(point.unsigned_abs() as usize);
        format!("0.{zeros}{digits}")
    } else if point >= length {
        let zeros = "0".repeat((point - length) as usize);
        format!("{digits}{zeros}")
    } else {
        let (whole, fraction) = digits.split_at(point as usize);
        format!("{whole}.{fraction}")
    }
}
