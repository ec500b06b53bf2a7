//! Numbers that are too noisy to say anything.

use lastbit_exact::Rational;

use super::Cell;

/// Whether a published number is too noisy to say anything: its error is larger than the number, or
/// it is within its error of everything that the bounds of the plan allow. A number of which both
/// bounds are known says something if its error is at most a tenth of what they allow, even where
/// the number is 0. Dates and times are judged as numbers, before they are written as dates, and by
/// their bounds alone.
pub(crate) fn is_too_noisy(
    cell: &Cell,
    (least, most): (Option<&Rational>, Option<&Rational>),
    is_calendar: bool,
) -> bool {
    let number = |text: &Option<String>| text.as_ref()?.parse::<Rational>().ok();
    let is_all = |lower: &Rational, upper: &Rational| {
        least.is_some_and(|least| lower <= least) && most.is_some_and(|most| upper >= most)
    };
    if let (Some(lower), Some(upper)) = (number(&cell.lower), number(&cell.upper)) {
        return is_all(&lower, &upper);
    }
    match (number(&cell.error), number(&cell.value)) {
        (Some(error), Some(value)) if cell.error_unit.is_empty() => {
            let width = least.zip(most).map(|(least, most)| most - least);
            let is_fine = |width: &Rational| &error * &Rational::from(10i64) <= *width;
            is_all(&(&value - &error), &(&value + &error))
                || width.as_ref().is_some_and(|width| error >= *width)
                || !is_calendar && error > value.abs() && !width.as_ref().is_some_and(is_fine)
        }
        _ => false,
    }
}

/// What a number that is too noisy still says, if it cannot be below a least one: `0 ± 92` is at
/// most 92.
pub(super) fn bound(cell: &Cell, least: Option<&str>) -> Option<String> {
    let number = |text: &str| text.parse::<Rational>().ok();
    let (value, error) = (cell.value.as_deref()?, cell.error.as_deref()?);
    let is_bound = cell.too_noisy && cell.lower.is_none() && cell.error_unit.is_empty();
    if !is_bound || number(least?)? != Rational::ZERO {
        return None;
    }
    let decimals = |text: &str| text.split_once('.').map_or(0, |(_, digits)| digits.len());
    let places = decimals(value).max(decimals(error));
    let most = number(value)? + number(error)?;
    let ten = (0..places).fold(Rational::ONE, |power, _| power * Rational::from(10i64));
    // Both are decimals, so that nothing is left over.
    let units = (most * ten).ceil().to_string();
    let padded = format!("{units:0>width$}", width = places + 1);
    let (whole, rest) = padded.split_at(padded.len() - places);
    let most = match places {
        0 => whole.to_owned(),
        _ => format!("{whole}.{rest}"),
    };
    Some(format!("{value} ± {error} is at most {most}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(value: &str, error: &str) -> Cell {
        Cell {
            value: Some(value.to_owned()),
            error: Some(error.to_owned()),
            ..Cell::default()
        }
    }

    #[test]
    fn errors_beyond_the_number_or_its_range_say_nothing() {
        let (one, fourteen) = (Rational::from(1i64), Rational::from(14i64));
        let days = |cell: &Cell| is_too_noisy(cell, (Some(&one), Some(&fourteen)), false);
        assert!(days(&cell("1.0", "13.1")));
        assert!(days(&cell("14", "13")));
        assert!(!days(&cell("14", "12.9")));
        assert!(!days(&cell("3", "3")));
        assert!(days(&cell("3", "3.01")));
        // All of [1, 14] is within 7 of 7.5, and not all within 6.
        assert!(days(&cell("7.5", "7")) && !days(&cell("7.5", "6")));
        let zero = Rational::ZERO;
        let count = |cell: &Cell| is_too_noisy(cell, (Some(&zero), None), false);
        assert!(count(&cell("0", "13")) && count(&cell("12", "13")));
        assert!(!count(&cell("13", "13")) && !count(&cell("100000", "20000")));
        assert!(is_too_noisy(&cell("-2", "3"), (None, None), false));
        assert!(!is_too_noisy(&cell("-3", "2"), (None, None), false));
    }

    /// No cell of a thousand is left out: that is much, and no ignorance.
    #[test]
    fn a_precise_zero_says_something() {
        let (zero, one) = (Rational::ZERO, Rational::from(1i64));
        let share = |cell: &Cell| is_too_noisy(cell, (Some(&zero), Some(&one)), false);
        assert!(!share(&cell("0.000", "0.004")) && !share(&cell("0.05", "0.1")));
        assert!(share(&cell("0.05", "0.11")));
    }

    #[test]
    fn a_date_says_nothing_if_its_error_is_all_there_is() {
        let year = (Rational::from(19_723i64), Rational::from(20_088i64));
        let is_noisy = |cell: &Cell| is_too_noisy(cell, (Some(&year.0), Some(&year.1)), true);
        assert!(is_noisy(&cell("19906", "365")) && is_noisy(&cell("19906", "183")));
        assert!(!is_noisy(&cell("19906", "181")) && !is_noisy(&cell("19723", "364")));
        // Days are not counted from zero.
        let (before, after) = (Rational::from(-9i64), Rational::from(9i64));
        let about_zero = (Some(&before), Some(&after));
        assert!(!is_too_noisy(&cell("0", "8"), about_zero, true));
        assert!(!is_noisy(&Cell {
            value: None,
            ..cell("", "365")
        }));
    }

    #[test]
    fn a_quantile_says_nothing_if_its_interval_is_all_there_is() {
        let (zero, hundred) = (Rational::ZERO, Rational::from(100i64));
        let quantile = |lower: &str, upper: &str| Cell {
            error_unit: "rows in rank".to_owned(),
            lower: Some(lower.to_owned()),
            upper: Some(upper.to_owned()),
            ..cell("3", "500")
        };
        for is_calendar in [false, true] {
            let is_noisy =
                |cell: &Cell| is_too_noisy(cell, (Some(&zero), Some(&hundred)), is_calendar);
            assert!(is_noisy(&quantile("0", "100")));
            assert!(!is_noisy(&quantile("0", "99")));
        }
    }
}
