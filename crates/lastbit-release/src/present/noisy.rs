//! Numbers that are too noisy to say anything.

use lastbit_exact::Rational;

use super::Cell;

/// Whether a published number is too noisy to say anything: its error is larger than the number, or
/// allows everything that the bounds of the plan allow.
pub(crate) fn is_too_noisy(cell: &Cell, least: Option<&Rational>, most: Option<&Rational>) -> bool {
    let number = |text: &Option<String>| text.as_ref()?.parse::<Rational>().ok();
    let width = least.zip(most).map(|(least, most)| most - least);
    let is_all = |length: &Rational| width.as_ref().is_some_and(|width| length >= width);
    if let (Some(lower), Some(upper)) = (number(&cell.lower), number(&cell.upper)) {
        return is_all(&(&upper - &lower));
    }
    match (number(&cell.error), number(&cell.value)) {
        (Some(error), Some(value)) if cell.error_unit.is_empty() => {
            error > value.abs() || is_all(&error)
        }
        // Dates and times: their values are not decimals, and their bounds are in the unit of the
        // error.
        (Some(error), None) if cell.value.is_some() => is_all(&error),
        _ => false,
    }
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
        let days = |cell: &Cell| is_too_noisy(cell, Some(&one), Some(&fourteen));
        assert!(days(&cell("1.0", "13.1")));
        assert!(days(&cell("14", "13")));
        assert!(!days(&cell("14", "12.9")));
        assert!(!days(&cell("3", "3")));
        assert!(days(&cell("3", "3.01")));
        let count = |cell: &Cell| is_too_noisy(cell, Some(&Rational::ZERO), None);
        assert!(count(&cell("0", "13")) && count(&cell("12", "13")));
        assert!(!count(&cell("13", "13")) && !count(&cell("100000", "20000")));
        assert!(is_too_noisy(&cell("-2", "3"), None, None));
        assert!(!is_too_noisy(&cell("-3", "2"), None, None));
    }

    #[test]
    fn a_date_says_nothing_if_its_error_is_all_there_is() {
        let year = (Rational::from(19_723i64), Rational::from(20_088i64));
        let date = |error: &str| Cell {
            error_unit: "days".to_owned(),
            ..cell("2024-07-03", error)
        };
        let is_noisy = |cell: &Cell| is_too_noisy(cell, Some(&year.0), Some(&year.1));
        assert!(is_noisy(&date("365")) && !is_noisy(&date("364")));
        assert!(!is_noisy(&Cell {
            value: None,
            ..date("365")
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
        let is_noisy = |cell: &Cell| is_too_noisy(cell, Some(&zero), Some(&hundred));
        assert!(is_noisy(&quantile("0", "100")));
        assert!(!is_noisy(&quantile("0", "99")));
    }
}
