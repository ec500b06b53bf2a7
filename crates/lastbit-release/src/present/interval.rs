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
mod tests;
