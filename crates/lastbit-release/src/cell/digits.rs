//! How the numbers of a report are written.

use std::sync::LazyLock;

use lastbit::GridExponent;
use lastbit_exact::decimal::{self, digits_before_point};
use lastbit_exact::{Integer, Rational, Up};

/// How many decimals a value is written with: enough for two or three digits of its error, and no
/// more than its grid carries.
pub fn places(error: Option<Up>, grid: Option<GridExponent>) -> i64 {
    // 10^-places ≥ 2^grid.
    let of_grid = grid.map(|grid| {
        let grid = grid.step();
        1 - digits_before_point(&grid) - i64::from(!is_power_of_ten(&grid))
    });
    let error = error.and_then(Up::to_rational);
    // The error is at least 10^(d−1): steps of 10^(d−3) are within a hundredth of it.
    let of_error = error
        .filter(Rational::is_positive)
        .map(|error| 3 - digits_before_point(&error));
    match (of_grid, of_error) {
        (Some(grid), Some(error)) => grid.min(error),
        (places, None) | (None, places) => places.unwrap_or(0),
    }
}

/// Powers with exponents up to this magnitude are kept: every cell needs some.
const KEPT: i64 = 32;

static POWERS: LazyLock<Vec<Rational>> =
    LazyLock::new(|| (-KEPT..=KEPT).map(decimal::power_of_ten).collect());

fn power_of_ten(exponent: i64) -> Rational {
    let kept = usize::try_from(exponent + KEPT).ok();
    let kept = kept.and_then(|place| POWERS.get(place));
    kept.cloned()
        .unwrap_or_else(|| decimal::power_of_ten(exponent))
}

fn is_power_of_ten(value: &Rational) -> bool {
    power_of_ten(digits_before_point(value) - 1) == *value
}

/// The nearest decimal with so many places, ties up; a negative number of places rounds to tens and
/// hundreds.
pub fn rounded(value: &Rational, places: i64) -> Rational {
    let power = power_of_ten(places);
    Rational::from((value * &power).round_ties_up()) / power
}

/// A decimal with exactly so many places.
pub fn fixed(value: &Rational, places: i64) -> String {
    let digits = places.max(0);
    written(
        &(value * &power_of_ten(digits)).round_ties_up(),
        digits as usize,
    )
}

/// A whole number over a power of ten.
fn written(scaled: &Integer, digits: usize) -> String {
    let text = scaled.to_string();
    let (sign, magnitude) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.as_str()),
    };
    if digits == 0 {
        return text;
    }
    let padded = format!("{magnitude:0>width$}", width = digits + 1);
    let (whole, fraction) = padded.split_at(padded.len() - digits);
    format!("{sign}{whole}.{fraction}")
}

/// The nearest decimal with so many places that is within bounds; a bound itself if there is none.
pub fn rounded_within(value: &Rational, places: i64, low: &Rational, high: &Rational) -> Rational {
    let power = power_of_ten(places);
    let nearest = rounded(value, places);
    let inward = if nearest > *high {
        Rational::from((high * &power).floor()) / power
    } else if nearest < *low {
        Rational::from((low * &power).ceil()) / power
    } else {
        return nearest;
    };
    inward.clamp_to(low, high)
}

/// A decimal with so many places at or below the value, or the bound if it is nearer.
pub fn rounded_down(value: &Rational, places: i64, low: &Rational) -> Rational {
    let power = power_of_ten(places);
    let down = Rational::from((value * &power).floor()) / power;
    if down < *low && is_decimal(low) {
        low.clone()
    } else {
        down
    }
}

/// A decimal with so many places at or above the value, or the bound if it is nearer.
pub fn rounded_up(value: &Rational, places: i64, high: &Rational) -> Rational {
    -rounded_down(&-value, places, &-high)
}

fn is_decimal(value: &Rational) -> bool {
    !value.to_string().contains('/')
}

/// A decimal with so many places, or with all of its own if they are more.
pub fn exactly(value: &Rational, places: i64) -> String {
    let digits = places.max(0);
    let scaled = value * &power_of_ten(digits);
    let whole = scaled.round_ties_up();
    match Rational::from(whole.clone()) == scaled {
        true => written(&whole, digits as usize),
        false => value.to_string(),
    }
}

/// An error with so many places, rounded up, including the rounding of the value.
pub fn error(bound: Up, rounding: &Rational, places: i64) -> Option<String> {
    let exact = bound.to_rational()?;
    let step = power_of_ten(-places);
    let steps = Rational::from((&(&exact + rounding) / &step).ceil());
    Some(fixed(&(&steps * &step), places))
}

/// A bound on a whole number: the largest whole number within it.
pub fn whole_error(bound: Up) -> Option<String> {
    let exact = bound.to_rational()?;
    Some(exact.floor().to_string())
}

/// A bound in ranks, rounded up to a whole number.
pub fn rank_error(bound: Up) -> Option<String> {
    bound.to_rational().map(|exact| exact.ceil().to_string())
}
