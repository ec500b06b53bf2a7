//! How many digits a number has: those that its grid carries, and no more.

use lastbit_exact::{IBig, Rational};

/// A number on the grid of multiples of 2^`grid_exponent`, with the fewest digits that tell it from its neighbours: rounded to a multiple of the largest
/// `10^p ≤ 2^grid_exponent`, ties toward +∞. The nearest number of the grid to the text is the number itself.
///
/// ```
/// use lastbit_exact::Rational;
/// use lastbit_release::report::on_grid;
/// assert_eq!(on_grid(&Rational::new(1234, 1), 0), "1234");
/// assert_eq!(on_grid(&Rational::new(5, 1024), -10), "0.0049");   // 0.0048828125
/// assert_eq!(on_grid(&Rational::new(3 << 20, 1), 20), "3000000"); // 3145728
/// ```
pub fn on_grid(value: &Rational, grid_exponent: i64) -> String {
    let place = place_of(&Rational::ONE.scale(grid_exponent));
    write(&nearest(value, place), place)
}

/// A number on a grid as by [`on_grid`], and its error to two digits, rounded up. What the text of the number differs from the number is
/// added to the error before, so that an interval around the number stays inside the one that is written.
///
/// ```
/// use lastbit_exact::Rational;
/// use lastbit_release::report::value_and_error;
/// let (value, error) = value_and_error(&"12.125".parse()?, &"0.301".parse()?, -3);
/// assert_eq!((value.as_str(), error.as_str()), ("12.1", "0.33")); // 0.301 + 0.025, up
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn value_and_error(value: &Rational, error: &Rational, grid_exponent: i64) -> (String, String) {
    let place = place_of(&Rational::ONE.scale(grid_exponent));
    let steps = nearest(value, place);
    let shown = &Rational::from(steps.clone()) * &power_of_ten(place);
    let error = error + &(&shown - value).abs();
    (write(&steps, place), two_digits_up(&error))
}

/// The exponent of a grid as fine as a number with this error deserves: the largest `2^e ≤ error / 10`; for numbers that are on no grid of
/// their own, such as quotients. 0 for an error of zero.
pub fn grid_for_error(error: &Rational) -> i64 {
    match (error / &Rational::from(10i64)).ceil_log2() {
        // 2^e ≥ error / 10 for the smallest such e, so 2^(e − 1) is below, and 2^e is not above only if they are equal.
        Some(e) if Rational::ONE.scale(e) <= error / &Rational::from(10i64) => e,
        Some(e) => e - 1,
        None => 0,
    }
}

/// Rounded up to two significant digits.
fn two_digits_up(error: &Rational) -> String {
    if !error.is_positive() {
        return "0".into();
    }
    let place = place_of(error) - 1;
    let steps = (error / &power_of_ten(place)).ceil();
    // Trailing zeros after the point say nothing about an upper bound.
    let text = write(&steps, place);
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// The largest `p` with `10^p ≤ value`; `value` must be positive.
fn place_of(value: &Rational) -> i64 {
    // 2^(e − 1) < value ≤ 2^e. The estimate is within one of the answer for |e| < 2^31, and the loops make it right.
    let e = value.ceil_log2().unwrap_or(0);
    let mut place = (e as f64 * std::f64::consts::LOG10_2).floor() as i64;
    while power_of_ten(place) > *value {
        place -= 1;
    }
    while power_of_ten(place + 1) <= *value {
        place += 1;
    }
    place
}

fn power_of_ten(place: i64) -> Rational {
    let power = IBig::from(10u8).pow(place.unsigned_abs() as usize);
    if place >= 0 {
        Rational::from(power)
    } else {
        Rational::new(1, power)
    }
}

fn nearest(value: &Rational, place: i64) -> IBig {
    (value / &power_of_ten(place)).round_ties_up()
}

/// `steps · 10^place` in plain digits, with all places down to `place`.
fn write(steps: &IBig, place: i64) -> String {
    let text = steps.to_string();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.as_str()),
    };
    if place >= 0 {
        let zeros = if digits == "0" { 0 } else { place as usize };
        return format!("{sign}{digits}{}", "0".repeat(zeros));
    }
    let places = place.unsigned_abs() as usize;
    let digits = format!("{digits:0>width$}", width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    format!("{sign}{whole}.{fraction}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number(text: &str) -> Rational {
        text.parse().unwrap()
    }

    #[test]
    fn whole_numbers_are_whole() {
        for k in -300i64..300 {
            assert_eq!(on_grid(&Rational::from(k), 0), k.to_string());
            assert_eq!(on_grid(&Rational::from(2 * k), 1), (2 * k).to_string());
        }
        assert_eq!(on_grid(&Rational::ZERO, 40), "0");
        assert_eq!(on_grid(&Rational::ZERO, -2), "0.0");
        assert_eq!(on_grid(&number("-0.5"), -1), "-0.5");
    }

    #[test]
    fn errors_have_two_digits_and_are_never_too_small() {
        for (error, text) in [
            ("0", "0"),
            ("0.301", "0.31"),
            ("0.3", "0.3"),
            ("1/3", "0.34"),
            ("99.01", "100"),
            ("1234", "1300"),
            ("0.000999", "0.001"),
            ("7", "7"),
            ("1e-30", "0.000000000000000000000000000001"),
        ] {
            assert_eq!(two_digits_up(&number(error)), text);
        }
    }

    proptest! {
        /// The nearest number of the grid to the text is the number, and a digit less would not do for all numbers of the grid.
        #[test]
        fn the_text_names_one_number_of_the_grid(steps in any::<i64>(), exponent in -90i64..90) {
            let value = Rational::from(steps).scale(exponent);
            let text = on_grid(&value, exponent);
            let back = number(&text).scale(-exponent).round_ties_up();
            prop_assert_eq!(back, IBig::from(steps));
            let place = place_of(&Rational::ONE.scale(exponent));
            prop_assert!(power_of_ten(place + 1) > Rational::ONE.scale(exponent));
            let decimals = text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
            prop_assert_eq!(decimals, place.min(0).unsigned_abs() as usize);
        }

        /// `[value − error, value + error]` lies in the written interval.
        #[test]
        fn the_written_interval_holds_the_true_one(
            steps in -100_000i64..100_000,
            exponent in -20i64..20,
            numerator in 0u64..10_000,
            denominator in 1u64..10_000,
        ) {
            let value = Rational::from(steps).scale(exponent);
            let error = Rational::new(numerator, denominator);
            let (shown, wide) = value_and_error(&value, &error, exponent);
            let (shown, wide) = (number(&shown), number(&wide));
            prop_assert!(&shown - &wide <= &value - &error);
            prop_assert!(&shown + &wide >= &value + &error);
        }

        /// `2^e ≤ error / 10 < 2^(e + 1)`.
        #[test]
        fn a_deserved_grid_is_a_tenth_of_the_error(numerator in 1u64.., denominator in 1u64..) {
            let tenth = &Rational::new(numerator, denominator) / &Rational::from(10i64);
            let e = grid_for_error(&Rational::new(numerator, denominator));
            prop_assert!(Rational::ONE.scale(e) <= tenth && tenth < Rational::ONE.scale(e + 1));
        }
    }
}
