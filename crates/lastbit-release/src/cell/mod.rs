//! From noisy numbers to the cells of a report, with no more digits than their errors justify.

mod digits;

use lastbit::{GridExponent, Share};
use lastbit_exact::{Rational, Up};

use serde::{Deserialize, Serialize};

use crate::schema::{NumberKind, Numbers};
use digits::{
    error, exactly, places, rank_error, rounded, rounded_down, rounded_up, rounded_within,
    whole_error,
};

pub(crate) use digits::{fixed, places as digits_needed};

/// The unit of an error in ranks.
pub(crate) const RANKS: &str = "rows in rank";

/// One published number.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// The group: a label for each of the statistic's keys.
    pub group: Vec<String>,
    /// Which number of the statistic: a bin, a category, a quantile; empty if there is only one.
    pub label: String,
    /// The published number; `null` if the mechanism declined to give one. It has no more digits
    /// than its grid carries.
    pub value: Option<String>,
    /// With the report's confidence, the exact value over the rows that the statistic is about is
    /// within this much of the published one; `null` if no bound is known.
    pub error: Option<String>,
    /// The unit of the error, if it is not the value's own: quantiles have errors in rank.
    pub error_unit: String,
    /// For quantiles: with the report's confidence, the exact value is at least this, in the
    /// value's own unit.
    #[serde(default)]
    pub lower: Option<String>,
    /// For quantiles: with the report's confidence, which is for both ends together, the exact
    /// value is at most this.
    #[serde(default)]
    pub upper: Option<String>,
    /// Whether the error is larger than the value, or the value could be anything that the bounds
    /// allow: too noisy to say anything.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub too_noisy: bool,
}

/// A count, which is whole and not negative.
pub(crate) fn whole_cell(label: String, number: &Rational, bound: Option<Up>) -> Cell {
    let number = Rational::from(number.round_ties_up());
    Cell {
        label,
        value: Some(number.max(Rational::ZERO).to_string()),
        error: bound.and_then(whole_error),
        ..Cell::default()
    }
}

/// A number, clamped to the range of the exact one; an empty cell if there is none.
pub(crate) fn cell(
    value: Option<&Rational>,
    ends: (Option<Rational>, Option<Rational>),
    bound: Option<Up>,
    grid: Option<GridExponent>,
) -> Cell {
    let Some(value) = value else {
        return Cell::default();
    };
    // There may be an end on one side alone.
    let mut value = value.clone();
    if let Some(high) = &ends.1 {
        value = value.min(high.clone());
    }
    if let Some(low) = &ends.0 {
        value = value.max(low.clone());
    }
    let low = ends.0.as_ref().unwrap_or(&value);
    let high = ends.1.as_ref().unwrap_or(&value);
    let is_within = |number: &Rational| {
        ends.0.as_ref().is_none_or(|low| low <= number)
            && ends.1.as_ref().is_none_or(|high| number <= high)
    };
    let mut digits = places(bound, grid);
    if !is_within(&rounded(&value, digits)) {
        // An end is on no grid.
        digits = places(bound, None);
    }
    let nearest = rounded(&value, digits);
    let printed = match is_within(&nearest) {
        true => nearest,
        false => rounded_within(&value, digits, low, high),
    };
    let rounding = (&printed - &value).abs();
    Cell {
        value: Some(exactly(&printed, digits)),
        error: bound.and_then(|bound| error(bound, &rounding, digits)),
        ..Cell::default()
    }
}

/// A number that was made to add up with others: unclamped, with the decimals that all of them
/// have.
pub(crate) fn made_cell(
    label: String,
    number: &Rational,
    bound: Option<Up>,
    decimals: i64,
    is_whole: bool,
) -> Cell {
    Cell {
        label,
        value: Some(exactly(number, decimals)),
        error: bound.and_then(|bound| match is_whole {
            true => whole_error(bound),
            false => error(bound, &Rational::ZERO, decimals),
        }),
        ..Cell::default()
    }
}

/// A quantile; with its interval, if it has one, which is widened by the rounding of rows and holds
/// the value.
pub(crate) fn selected_cell(
    x: &Numbers,
    share: &Share,
    bound: Option<Up>,
    value: Rational,
    ends: Option<[Rational; 2]>,
) -> Cell {
    let (low, high) = (x.bounds.lower(), x.bounds.upper());
    let half_step = x.rounding();
    let value = value.clamp_to(low, high);
    let interval = ends.map(|[first, second]| {
        let lower = first.clone().min(second.clone()) - half_step.clone();
        let upper = first.max(second) + half_step;
        (
            lower.clamp_to(low, high).min(value.clone()),
            upper.clamp_to(low, high).max(value.clone()),
        )
    });
    // As many digits as the nearer end justifies: the other may be a bound, far away. Without an
    // interval, a few digits of the value itself.
    let sides = match &interval {
        Some((lower, upper)) => vec![&value - lower, upper - &value],
        None => vec![value.abs().times_power_of_two(-10)],
    };
    let nearer = sides
        .into_iter()
        .filter(Rational::is_positive)
        .min()
        .map(|side| Up::from_rational(&side));
    let digits = match x.scale {
        NumberKind::Real => places(nearer, Some(x.grid.exponent())).max(0),
        _ => 0,
    };
    let text = |number: Rational| exactly(&number, digits);
    Cell {
        label: share.to_string(),
        value: Some(text(rounded_within(&value, digits, low, high))),
        error: bound.and_then(rank_error),
        error_unit: RANKS.to_owned(),
        lower: (interval.as_ref()).map(|(lower, _)| text(rounded_down(lower, digits, low))),
        upper: (interval.as_ref()).map(|(_, upper)| text(rounded_up(upper, digits, high))),
        ..Cell::default()
    }
}

/// A cell whose numbers are days or seconds since 1970, as the nearest dates or times; the error
/// includes the distance to them.
pub(crate) fn on_scale(cell: Cell, scale: NumberKind) -> Cell {
    if !scale.is_calendar() {
        return cell;
    }
    let number = |text: &Option<String>| text.as_ref()?.parse::<Rational>().ok();
    let show = |text: &Option<String>| number(text).map(|number| scale.show(&number));
    let mut shown = Cell {
        value: show(&cell.value),
        lower: show(&cell.lower),
        upper: show(&cell.upper),
        ..cell.clone()
    };
    if cell.error_unit.is_empty()
        && let (Some(value), Some(bound)) = (number(&cell.value), number(&cell.error))
    {
        let nearest = Rational::from(value.round_ties_up());
        let bound = bound + (nearest - value).abs();
        let tenths = Rational::from((bound * Rational::from(10u64)).ceil());
        shown.error = Some((tenths / Rational::from(10u64)).to_string());
        shown.error_unit = scale.unit().to_owned();
    }
    shown
}
