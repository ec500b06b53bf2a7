//! Decimals of few digits, rounded in a stated direction.

use crate::{Integer, Natural, Rational};

/// Parameters that are solved for have this many digits.
pub const DIGITS: u32 = 12;

/// The smallest number of at most `digits` significant digits that is at or above `value`;
/// `value ≥ 0`.
pub fn up(value: &Rational, digits: u32) -> Rational {
    round(value, digits, Rational::ceil)
}

/// The largest number of at most `digits` significant digits that is at or below `value`;
/// `value ≥ 0`.
pub fn down(value: &Rational, digits: u32) -> Rational {
    round(value, digits, Rational::floor)
}

fn round(value: &Rational, digits: u32, whole: impl Fn(&Rational) -> Integer) -> Rational {
    if !value.is_positive() {
        return Rational::ZERO;
    }
    let places = i64::from(digits) - digits_before_point(value);
    let power = power_of_ten(places);
    Rational::from(whole(&(value * &power))) / power
}

/// `10^exponent`, exactly.
pub fn power_of_ten(exponent: i64) -> Rational {
    let power = Integer::from(Natural::from(10u8).pow(exponent.unsigned_abs() as usize));
    if exponent >= 0 {
        Rational::from(power)
    } else {
        Rational::new(Integer::ONE, power)
    }
}

/// The `d` with `10^(d−1) ≤ value < 10^d`; `value > 0`.
pub fn digits_before_point(value: &Rational) -> i64 {
    // 2^(e−1) < value ≤ 2^e, and log10(2) is within [0.30102, 0.30103]: the guess is at most 2 off
    // for |e| below 100,000.
    let exponent = value.ceil_log2().unwrap_or(0);
    let mut digits = exponent * 30_103 / 100_000;
    while power_of_ten(digits) <= *value {
        digits += 1;
    }
    while power_of_ten(digits - 1) > *value {
        digits -= 1;
    }
    digits
}

#[cfg(test)]
mod tests;
