//! Numbers that are too noisy to say anything.

use lastbit_exact::Rational;

use super::interval::interval;
use super::{Cell, PublishedStatistic};

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

/// What a number that is too noisy still says, if it cannot be below 0 and could be more by the
/// plan's bounds: `0 ± 92` is at most 92.
pub(super) fn bound(statistic: &PublishedStatistic, cell: &Cell) -> Option<String> {
    let (value, error) = (cell.value.as_deref()?, cell.error.as_deref()?);
    let least = statistic.least.as_deref()?.parse::<Rational>();
    if !cell.too_noisy || cell.lower.is_some() || least != Ok(Rational::ZERO) {
        return None;
    }
    let (_, most) = interval(statistic, cell)?;
    // What the plan's bounds say already is no news.
    let is_news = statistic.most.as_ref() != Some(&most);
    is_news.then(|| format!("{value} ± {error} is at most {most}"))
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
