//! Between which numbers an exact one lies, in its own unit.

use lastbit_exact::Rational;

use super::{Cell, PublishedStatistic};
use crate::cell::{RANKS, fixed};

/// The interval that holds the exact number with the report's confidence: that of a quantile, or
/// else the published number less and plus its error, as far as the plan's bounds allow both.
/// `None` if the error is in another unit, as those of dates and ranks are.
pub(super) fn interval(statistic: &PublishedStatistic, cell: &Cell) -> Option<(String, String)> {
    if let (Some(lower), Some(upper)) = (&cell.lower, &cell.upper) {
        return Some((lower.clone(), upper.clone()));
    }
    let number = |text: &str| text.parse::<Rational>().ok();
    let end = |end: &Option<String>| end.as_deref().and_then(number);
    let lower = moved(cell, |value, error| value - error)?;
    let upper = moved(cell, |value, error| value + error)?;
    let below = end(&statistic.least).is_some_and(|least| number(&lower) < Some(least));
    let above = end(&statistic.most).is_some_and(|most| number(&upper) > Some(most));
    let or = |beyond, end: &Option<String>, own| match (beyond, end) {
        (true, Some(end)) => end.clone(),
        _ => own,
    };
    Some((
        or(below, &statistic.least, lower),
        or(above, &statistic.most, upper),
    ))
}

/// The error, if it is that of a rank and not in the unit of the number.
pub(super) fn rank_error(cell: &Cell) -> Option<&str> {
    let is_rank = cell.error_unit == RANKS;
    cell.error.as_deref().filter(|_| is_rank)
}

/// The published number, moved by its error.
fn moved(cell: &Cell, to: fn(Rational, Rational) -> Rational) -> Option<String> {
    if !cell.error_unit.is_empty() {
        return None;
    }
    let (value, error) = (cell.value.as_deref()?, cell.error.as_deref()?);
    let decimals = |text: &str| text.split_once('.').map_or(0, |(_, digits)| digits.len());
    let places = decimals(value).max(decimals(error));
    let to = to(value.parse().ok()?, error.parse().ok()?);
    // Both are decimals with at most so many places, so that nothing is rounded.
    Some(fixed(&to, places as i64))
}

#[cfg(test)]
mod tests {
    use super::super::Picture;
    use super::super::noisy::bound;
    use super::*;

    #[test]
    fn intervals_are_in_the_unit_of_the_number_and_within_its_bounds() {
        let statistic = PublishedStatistic {
            name: String::new(),
            kind: "mean".into(),
            of: vec![],
            unit: "years".into(),
            by: vec![],
            about: vec![],
            mechanism: String::new(),
            loss: String::new(),
            grid: String::new(),
            adds_up_with: vec![],
            picture: Picture::Table,
            bins: None,
            least: Some("0".into()),
            most: Some("7/3".into()),
            cells: vec![],
        };
        let of = |value: &str, error: &str| {
            let cell = Cell {
                value: Some(value.into()),
                error: Some(error.into()),
                ..Cell::default()
            };
            interval(&statistic, &cell)
        };
        let pair = |a: &str, b: &str| Some((a.to_owned(), b.to_owned()));
        assert_eq!(of("1.25", "0.5"), pair("0.75", "1.75"));
        assert_eq!(of("0.25", "0.5"), pair("0", "0.75"));
        assert_eq!(of("2", "0.50"), pair("1.50", "7/3"));
        assert_eq!(of("2016-05-01", "3"), None);
        // A bound that the plan has already is not told as one of the number.
        let noisy = |value: &str, error: &str| Cell {
            value: Some(value.into()),
            error: Some(error.into()),
            too_noisy: true,
            ..Cell::default()
        };
        let told = bound(&statistic, &noisy("0.5", "0.75"));
        assert_eq!(told.unwrap(), "0.5 ± 0.75 is at most 1.25");
        assert_eq!(bound(&statistic, &noisy("1.5", "1.6")), None);
        let quantile = Cell {
            value: Some("4".into()),
            error: Some("513".into()),
            error_unit: RANKS.into(),
            ..Cell::default()
        };
        assert_eq!(interval(&statistic, &quantile), None);
        let known = Cell {
            lower: Some("3".into()),
            upper: Some("6".into()),
            ..quantile
        };
        assert_eq!(interval(&statistic, &known), pair("3", "6"));
    }
}
