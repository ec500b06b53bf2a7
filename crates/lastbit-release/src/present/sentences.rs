//! What a report says about itself, as text and as a page.

use lastbit_exact::Rational;

use super::method::{capitalised, definition, percent};
use super::noisy::bound;
use super::{Cell, PublishedStatistic, Report};
use crate::statistic::Word;

/// Printed at both ends of a rehearsal.
pub(crate) const INVENTED: &str = "INVENTED: a rehearsal. These numbers are about rows that the \
                                   plan alone made up, and about nobody; no data were read and \
                                   nothing was spent.";

/// What an empty table of discovered groups means.
pub(crate) const NO_GROUP: &str = "No group was large enough to be shown, with the noise. That \
                                   does not say that there is none: smaller groups are not shown.";

/// What bars of bins show that differ in width.
pub(crate) const UNEVEN: &str = "Bins are of different widths: a bar shows how many are in its \
                                 bin, not how close together they lie.";

/// What every error is, and is not.
pub(crate) const ERRORS: &str = "± is the error of noise and rounding, over the rows that count; \
                                 it does not cover rows that are left out, nor cells cut to their \
                                 bounds.";

/// Shown instead of a number that says nothing; the number itself is shown beside it.
pub(crate) const TOO_NOISY: &str = "too noisy to say";

/// What everybody should know who reads the numbers.
pub(super) fn lead(report: &Report) -> String {
    format!(
        "Noise was added to these numbers on purpose, so that they give away little about any \
         single one of those that they are about. ± says how far noise and rounding may have moved \
         a number: {} of the time no further, for each number by itself. It does not cover rows \
         that are left out, nor cells cut to their bounds.",
        percent(&report.confidence)
    )
}

/// The guarantee, in the words of the field.
pub(super) fn guarantee(report: &Report) -> String {
    format!(
        "{} with {}{}; losses added up by {}.",
        capitalised(definition(&report.loss)),
        report.loss,
        of_budget(report),
        report.accountant
    )
}

/// `, of a budget of ε = 2 for all releases about these data`; empty if the report does not say.
pub(super) fn of_budget(report: &Report) -> String {
    match report.budget.as_str() {
        "" => String::new(),
        budget if budget == report.loss => ", which is the whole budget of these data".to_owned(),
        budget => format!(", of a budget of {budget} for all releases about these data"),
    }
}

/// The meaning of the words that replace numbers in a statistic.
pub(super) fn terms(statistic: &PublishedStatistic, confidence: &str) -> Vec<String> {
    let any = |is: fn(&Cell) -> bool| statistic.cells.iter().any(is);
    let mut terms = Vec::new();
    if any(|cell| cell.too_noisy) {
        let than_a_tenth = match (&statistic.least, &statistic.most) {
            (Some(_), Some(_)) => " and than a tenth of what it could be",
            _ => "",
        };
        let mut term = format!(
            "Too noisy to say: the error is larger than the number{than_a_tenth}, or allows \
             everything that it could be."
        );
        let mut bounds = statistic
            .cells
            .iter()
            .filter_map(|cell| bound(statistic, cell));
        if let Some(bound) = bounds.next() {
            term += &format!(" It is still a bound, such as: {bound}.");
        }
        terms.push(term);
    }
    terms.extend(by_chance(statistic, confidence));
    let word = Word::of(&statistic.kind);
    let at_end = |cell: &Cell| is_at_end(statistic, cell, word.is_average());
    if word.is_within_bounds() && statistic.cells.iter().any(at_end) {
        terms.push(match word.is_average() {
            // Of numbers from 0 to 1 with a mean of at most 1/20, at most half are above 1/10.
            true => "A mean this close to a bound of its column is one of cells most of which are \
                     close to that bound, or beyond it and cut there: if many are cut, the mean \
                     without cuts may be far from this one."
                .to_owned(),
            false => "A value at a bound of its column may lie beyond it: cells are cut there, \
                      here perhaps most of them."
                .to_owned(),
        });
    }
    let is_negative = |cell: &Cell| {
        let number = cell.value.as_deref().map(str::parse::<Rational>);
        number.is_some_and(|number| number.is_ok_and(|number| number.is_negative()))
    };
    if word.is_count() && any(is_negative) {
        terms.push("A count below 0 is noise: the exact one is at least 0.".to_owned());
    }
    if any(|cell| cell.value.is_none()) {
        let why = Word::of(&statistic.kind).withheld();
        terms.push(format!("Withheld: {why}."));
    }
    terms
}

/// Whether a number is a bound of its column, or as near to one as its error, which is small: at
/// most a twentieth of what the bounds allow. An average is, if it is as near as that twentieth.
fn is_at_end(statistic: &PublishedStatistic, cell: &Cell, is_average: bool) -> bool {
    let number = |text: &Option<String>| text.as_deref()?.parse::<Rational>().ok();
    let (Some(value), false) = (&cell.value, cell.too_noisy) else {
        return false;
    };
    let mut ends = [&statistic.least, &statistic.most].into_iter().flatten();
    let (least, most) = (number(&statistic.least), number(&statistic.most));
    let (Some(value), Some(least), Some(most)) = (number(&cell.value), least, most) else {
        // Dates and times are compared as they are written.
        return ends.any(|end| end == value);
    };
    let distance = (&value - &least).min(&most - &value);
    let error = match cell.error_unit.is_empty() {
        true => number(&cell.error).unwrap_or(Rational::ZERO),
        false => Rational::ZERO,
    };
    let near = &(&most - &least) * &Rational::new(1, 20);
    error <= near && distance <= if is_average { near } else { error }
}

/// Where most numbers are too noisy to say: the others may be so by chance alone. A number is shown
/// if noise carried it away from what says nothing, so that a wrong one is shown more often.
fn by_chance(statistic: &PublishedStatistic, confidence: &str) -> Option<String> {
    let all = statistic.cells.len();
    let is_said = |cell: &&Cell| cell.value.is_some() && !cell.too_noisy;
    let said = statistic.cells.iter().filter(is_said).count();
    let confidence: Rational = confidence.parse().ok()?;
    let chance = &(Rational::ONE - confidence) * &Rational::from(all as u64);
    // So many may be wrong as are a fifth of those that are said.
    let is_doubtful = &chance * &Rational::from(5u64) >= Rational::from(said as u64);
    (all > 1 && said > 0 && said < all && is_doubtful).then(|| {
        format!(
            "Of {all} numbers only {said} {}. Do not take that for a finding: of so many, some \
             are further off than their ± by chance, and just those stand out.",
            match said {
                1 => "is not too noisy to say",
                _ => "are not too noisy to say",
            }
        )
    })
}
