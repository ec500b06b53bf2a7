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
mod tests;
