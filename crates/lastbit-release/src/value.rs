//! One text for each value: units, categories and discovered keys are compared by meaning, not by
//! spelling.
//!
//! A plain decimal number (a sign, digits without leading zeros, a fraction, an exponent) is its
//! exact value: `7`, `7.0`, `7e0` and `+7` are one value, and so are `0` and `-0.0`. `07` is text,
//! as are numbers whose exponent has more than 17 digits. `true` and `false` may be in capitals.
//! Anything else is its text without the spaces around it. An empty text, or one of spaces alone,
//! is a missing value.

use core::fmt::Write;
#[cfg(feature = "engine")]
use std::collections::BTreeSet;

/// What a text says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    /// Nothing.
    Missing,
    /// A whole number.
    Whole(i64),
    /// Any other value, as its one text; never the text of a [`Value::Whole`].
    Text(&'a str),
}

/// The value of a text. `buffer` holds the one text of a value that is spelled differently.
pub(crate) fn value<'a>(text: &'a str, buffer: &'a mut String) -> Value<'a> {
    let text = trimmed(text);
    match text.as_bytes() {
        [] => Value::Missing,
        [b'0'..=b'9' | b'+' | b'-', ..] => number(text, buffer),
        [b't' | b'T', ..] if text.eq_ignore_ascii_case("true") => Value::Text("true"),
        [b'f' | b'F', ..] if text.eq_ignore_ascii_case("false") => Value::Text("false"),
        _ => Value::Text(text),
    }
}

/// Without Unicode's white space at both ends. Most texts begin and end with visible ASCII, which
/// shows that they have none.
fn trimmed(text: &str) -> &str {
    let is_visible = |byte: &u8| byte.is_ascii_graphic();
    let bytes = text.as_bytes();
    match bytes.first().is_some_and(is_visible) && bytes.last().is_some_and(is_visible) {
        true => text,
        false => text.trim(),
    }
}

impl Value<'_> {
    /// The one text of the value; empty if it is missing.
    pub(crate) fn to_text(self) -> String {
        match self {
            Value::Missing => String::new(),
            Value::Whole(number) => number.to_string(),
            Value::Text(text) => text.to_owned(),
        }
    }
}

/// A set of values.
#[cfg(feature = "engine")]
#[derive(Debug, Default)]
pub(crate) struct Values {
    numbers: BTreeSet<i64>,
    texts: BTreeSet<String>,
}

#[cfg(feature = "engine")]
impl Values {
    /// The values of these texts.
    pub(crate) fn of(texts: &[String]) -> Values {
        let mut values = Values::default();
        for text in texts {
            match value(text, &mut String::new()) {
                Value::Missing => {}
                Value::Whole(number) => {
                    values.numbers.insert(number);
                }
                Value::Text(text) => {
                    values.texts.insert(text.to_owned());
                }
            }
        }
        values
    }

    /// Whether a value is one of them; a missing value never is.
    pub(crate) fn contains(&self, value: Value<'_>) -> bool {
        match value {
            Value::Missing => false,
            Value::Whole(number) => self.numbers.contains(&number),
            Value::Text(text) => self.texts.contains(text),
        }
    }
}

/// The one text of the value of a text; `None` if it is missing.
pub(crate) fn canonical(text: &str) -> Option<String> {
    match value(text, &mut String::new()) {
        Value::Missing => None,
        value => Some(value.to_text()),
    }
}

/// Numbers with more digits before the point are written with an exponent.
const MOST_DIGITS: i64 = 40;

/// So are numbers with more zeros after the point.
const MOST_ZEROS: i64 = 6;

fn number<'a>(text: &'a str, buffer: &'a mut String) -> Value<'a> {
    let (negative, unsigned) = match text.as_bytes()[0] {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let bytes = unsigned.as_bytes();
    let whole = bytes
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    if whole == 0 || (whole > 1 && bytes[0] == b'0') {
        return Value::Text(text);
    }
    if whole == bytes.len() && whole <= 18 {
        // Below 10^18.
        let magnitude = bytes
            .iter()
            .fold(0, |sum, digit| 10 * sum + i64::from(digit - b'0'));
        return Value::Whole(if negative { -magnitude } else { magnitude });
    }
    let Some((fraction, exponent)) = fraction_and_exponent(&unsigned[whole..]) else {
        return Value::Text(text);
    };
    // The value is `digits · 10^exponent`, with no zero at either end of the digits. An exponent is
    // below 10^17 and a text shorter than 2^62 bytes, so nothing here overflows.
    let mut digits = String::with_capacity(whole + fraction.len());
    digits.push_str(&unsigned[..whole]);
    digits.push_str(fraction);
    let exponent = exponent - fraction.len() as i64;
    let ended = digits.trim_end_matches('0');
    let exponent = exponent + (digits.len() - ended.len()) as i64;
    let digits = ended.trim_start_matches('0');
    if digits.is_empty() {
        return Value::Whole(0);
    }
    let before = digits.len() as i64 + exponent;
    if exponent >= 0 && before <= 19 {
        let power = 10i128.pow(exponent as u32);
        let magnitude = digits.parse::<i128>().unwrap_or(i128::MAX / power) * power;
        if let Ok(number) = i64::try_from(if negative { -magnitude } else { magnitude }) {
            return Value::Whole(number);
        }
    }
    buffer.clear();
    if negative {
        buffer.push('-');
    }
    // Writing to a string does not fail.
    let _ = if exponent >= 0 && before <= MOST_DIGITS {
        write!(buffer, "{digits}{}", "0".repeat(exponent as usize))
    } else if exponent < 0 && before > 0 {
        let (whole, fraction) = digits.split_at(before as usize);
        write!(buffer, "{whole}.{fraction}")
    } else if exponent < 0 && before > -MOST_ZEROS {
        write!(buffer, "0.{}{digits}", "0".repeat(-before as usize))
    } else {
        let (first, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        write!(buffer, "{first}{point}{rest}e{}", before - 1)
    };
    Value::Text(buffer)
}

/// What follows the digits before the point, if it belongs to a number: the digits after the point,
/// and the exponent.
fn fraction_and_exponent(rest: &str) -> Option<(&str, i64)> {
    let (fraction, rest) = match rest.strip_prefix('.') {
        None => ("", rest),
        Some(rest) => {
            let end = rest
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(rest.len());
            (end > 0).then(|| rest.split_at(end))?
        }
    };
    let Some(exponent) = rest.strip_prefix(['e', 'E']) else {
        return rest.is_empty().then_some((fraction, 0));
    };
    let (negative, digits) = match exponent.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, exponent.strip_prefix('+').unwrap_or(exponent)),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let significant = digits.trim_start_matches('0');
    let exponent = match significant.len() {
        0 => 0,
        1..=17 => significant.parse::<i64>().ok()?,
        _ => return None,
    };
    Some((fraction, if negative { -exponent } else { exponent }))
}

#[cfg(test)]
mod tests;
