//! Decimals that keep the direction of a bound.

use core::fmt;

use crate::{IBig, Rational, UBig};

/// Writes a bound. With a precision the last decimal is rounded in the bound's direction, so that what is read is a bound
/// too; without, it is the shortest decimal that reads back to the same f64.
pub(super) fn write<const UP: bool>(value: f64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let (Some(places), Ok(exact)) = (f.precision(), Rational::try_from(value)) else {
        return fmt::Display::fmt(&value, f);
    };
    let scaled = &exact * &Rational::from(IBig::from(UBig::from(10u8).pow(places)));
    let steps = if UP { scaled.ceil() } else { scaled.floor() };
    let (negative, magnitude) = crate::rounding::split(&steps);
    let digits = format!("{:0>width$}", magnitude.to_string(), width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    let point = if places == 0 { "" } else { "." };
    f.pad_integral(!negative, "", &format!("{whole}{point}{fraction}"))
}
