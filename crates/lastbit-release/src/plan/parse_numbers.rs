//! Columns of numbers: bounds, bins and grids; also those of whole numbers, dates and times.

use lastbit::Bounds;
use lastbit_exact::{Integer, Rational};

use super::reader::{Table, Value};
use super::{Missing, NumberKind, Numbers, PlanError};
use crate::expression::{self, CalendarUnit};

/// Bounds are within ±2^300 and more than 2^-300 apart, so that squares of numbers neither overflow
/// nor underflow a double.
const LOG2_MOST_BOUND: i64 = 300;

/// Without a grid in the plan, rows are rounded to at most 2 to this power of steps between the
/// bounds.
const LOG2_STEPS: i64 = 30;

/// The most bins that `every` makes.
const MOST_BINS: usize = 10_000;

/// The scale of a column's numbers.
pub fn scale(table: &Table<'_>) -> Result<NumberKind, PlanError> {
    let mut found = NumberKind::Real;
    for (key, scale) in [
        ("integer", NumberKind::Whole),
        ("date", NumberKind::Days),
        ("time", NumberKind::Seconds),
    ] {
        if let Some(value) = table.get(key)
            && value.boolean()?
        {
            if found != NumberKind::Real {
                return Err(value.error(format!(
                    "{} has two of integer, date and time; keep one",
                    table.name()
                )));
            }
            found = scale;
        }
    }
    Ok(found)
}

/// A number in the column's scale; for a date its day, for a time its second, since 1970.
fn number(value: &Value<'_>, scale: NumberKind) -> Result<Rational, PlanError> {
    let calendar = |read: fn(&str) -> Option<i64>, example: &str| {
        let text = value.plain()?;
        let found = read(text.trim());
        found
            .map(|number| Rational::from(Integer::from(number)))
            .ok_or_else(|| value.error(format!("\"{text}\" is no {example}")))
    };
    match scale {
        NumberKind::Real => value.number(),
        NumberKind::Whole => {
            let number = value.number()?;
            match number.floor() == number.ceil() {
                true => Ok(number),
                false => Err(value.error(format!(
                    "a column of whole numbers has whole bounds, got {number}"
                ))),
            }
        }
        NumberKind::Days => calendar(expression::day_of, "date, such as 2024-01-31"),
        NumberKind::Seconds => calendar(
            expression::second_of,
            "time of whole seconds, such as 2024-01-31T23:59:59",
        ),
    }
}

/// The column, and how its bins are shown if not by their ends.
pub fn numbers(
    name: &str,
    table: &Table<'_>,
    scale: NumberKind,
) -> Result<(Numbers, Option<Vec<String>>), PlanError> {
    let mut edges = match table.get("edges") {
        None => None,
        Some(value) => Some(increasing(&value, scale)?),
    };
    let end = |key: &'static str, edge: Option<&Rational>| match (table.get(key), edge) {
        (Some(value), None) => number(&value, scale),
        (None, Some(edge)) => Ok(edge.clone()),
        (Some(value), Some(edge)) if number(&value, scale)? == *edge => Ok(edge.clone()),
        (Some(value), Some(edge)) => Err(value.error(format!(
            "`{key}` must be the outermost of the `edges`, {}; leave it out",
            scale.show(edge)
        ))),
        (None, None) => Err(table.error(format!(
            "{} lacks `{key}`; numbers are clamped to public bounds",
            table.name()
        ))),
    };
    let lower = end("lower", edges.as_ref().and_then(|e| e.first()))?;
    let upper = end("upper", edges.as_ref().and_then(|e| e.last()))?;
    let bounds = Bounds::new(lower, upper)
        .map_err(|error| table.error(format!("{}: {error}", table.name())))?;
    let width = bounds.upper() - bounds.lower();
    let Some(magnitude) = width.ceil_log2() else {
        return Err(table.error(format!(
            "{}: lower and upper are both {}, so every cell would be the same; widen the bounds",
            table.name(),
            scale.show(bounds.lower())
        )));
    };
    let most = bounds.lower().abs().max(bounds.upper().abs());
    if magnitude < -LOG2_MOST_BOUND || most.ceil_log2().is_some_and(|log2| log2 > LOG2_MOST_BOUND) {
        return Err(table.error(format!(
            "{}: bounds must be within ±2^{LOG2_MOST_BOUND}, and more than 2^-{LOG2_MOST_BOUND} \
             apart; measure in another unit",
            table.name()
        )));
    }
    if scale == NumberKind::Whole && most > Rational::from(1u64 << 51) {
        return Err(table.error(format!(
            "{}: whole numbers are counted one by one, up to 2^51 from zero; leave out `integer`, \
             or measure in a larger unit",
            table.name()
        )));
    }
    let missing = missing(table, &bounds, scale)?;
    let unit = match table.get("unit") {
        None => scale.unit(),
        Some(value) if scale.is_calendar() => {
            return Err(value.error("dates and times have a unit of their own; leave out `unit`"));
        }
        Some(value) => value.string()?,
    };
    let grid = match table.get("grid") {
        Some(value) if scale != NumberKind::Real => {
            return Err(
                value.error("whole numbers, dates and times have steps of one; leave out `grid`")
            );
        }
        Some(value) => value.integer()?,
        None => {
            // Numbers far from zero have a coarser grid: at most 2^51 steps from zero.
            let finest = most.ceil_log2().unwrap_or(0) - 51;
            i32::try_from((magnitude - LOG2_STEPS).max(finest))
                .map_err(|_| table.error("bounds are out of range; rescale the column"))?
        }
    };
    let typical = table
        .get("typical")
        .map(|value| value.positive())
        .transpose()?;
    let labels = match table.get("every") {
        None => None,
        Some(every) => {
            let (found, labels) = periods(&every, &bounds, scale, edges.is_some())?;
            edges = Some(found);
            Some(labels)
        }
    };
    let made = match scale {
        NumberKind::Real => Numbers::new(name, bounds, grid, missing),
        scale => Numbers::whole(name, bounds, missing, scale),
    };
    let mut numbers = made.map_err(|why| table.error(format!("column `{name}`: {why}")))?;
    numbers.unit = unit.to_owned();
    numbers.edges = edges;
    if let Some(typical) = typical {
        numbers.typical = typical;
    }
    Ok((numbers, labels))
}

fn missing(table: &Table<'_>, bounds: &Bounds, scale: NumberKind) -> Result<Missing, PlanError> {
    let Some(value) = table.get("missing") else {
        return Ok(Missing::Drop);
    };
    if value.string().is_ok_and(|text| text == "drop") {
        return Ok(Missing::Drop);
    }
    let number = match number(&value, scale) {
        Ok(number) => number,
        Err(error) => {
            if value.string().is_ok() {
                value.word(&[("drop", ())])?;
            }
            return Err(error);
        }
    };
    if number < *bounds.lower() || number > *bounds.upper() {
        return Err(value.error(format!(
            "`missing` is {}, outside the bounds [{}, {}]",
            scale.show(&number),
            scale.show(bounds.lower()),
            scale.show(bounds.upper())
        )));
    }
    Ok(Missing::Value(number))
}

fn increasing(value: &Value<'_>, scale: NumberKind) -> Result<Vec<Rational>, PlanError> {
    let items = value.list()?;
    let ends = [0, items.len().saturating_sub(1)];
    let edge = |(place, item): (usize, &Value<'_>)| match scale {
        // The outermost edges are bounds, and must be whole. Bins sort cells before rounding, so
        // other edges need not be.
        NumberKind::Whole if !ends.contains(&place) => item.number(),
        scale => number(item, scale),
    };
    let edges: Vec<Rational> = items
        .iter()
        .enumerate()
        .map(edge)
        .collect::<Result<_, _>>()?;
    if edges.len() < 2 {
        return Err(value.error("`edges` must list at least two numbers"));
    }
    match edges.windows(2).find(|pair| pair[0] >= pair[1]) {
        None => Ok(edges),
        Some(pair) => Err(value.error(format!(
            "`edges` must increase, but {} comes before {}",
            scale.show(&pair[0]),
            scale.show(&pair[1])
        ))),
    }
}

/// The bins that begin with each year, quarter, month, week or day between the bounds, and their
/// labels.
fn periods(
    every: &Value<'_>,
    bounds: &Bounds,
    scale: NumberKind,
    has_edges: bool,
) -> Result<(Vec<Rational>, Vec<String>), PlanError> {
    let unit = every.word(&[
        ("year", CalendarUnit::Year),
        ("quarter", CalendarUnit::Quarter),
        ("month", CalendarUnit::Month),
        ("week", CalendarUnit::Week),
        ("day", CalendarUnit::Day),
    ])?;
    if !scale.is_calendar() || has_edges {
        return Err(every.error(
            "`every` makes the bins of dates and times between `lower` and `upper`; use date = \
             true or time = true, and leave out `edges`",
        ));
    }
    // A day in the column's scale.
    let of_day = Rational::from(if scale == NumberKind::Days {
        1u64
    } else {
        86_400
    });
    let day = |bound: &Rational| i64::try_from((bound / &of_day).floor()).ok();
    let (Some(first), Some(last)) = (day(bounds.lower()), day(bounds.upper())) else {
        return Err(every.error("the bounds are out of range"));
    };
    let mut edges = vec![bounds.lower().clone()];
    let mut labels = Vec::new();
    for day in first..=last {
        let (starts, label) = expression::period(unit, day);
        let start = &Rational::from(Integer::from(day)) * &of_day;
        if !starts && day != first {
            continue;
        }
        // An upper bound that is the first moment of a period is part of the bin before; one that
        // is its first day has a bin of its own.
        let within = start > *bounds.lower()
            && (start < *bounds.upper() || scale == NumberKind::Days && start == *bounds.upper());
        match (day == first, within) {
            (true, _) => {}
            (false, true) => edges.push(start),
            (false, false) => continue,
        }
        labels.push(label);
        if labels.len() > MOST_BINS {
            return Err(every.error(format!(
                "`every` makes more than {MOST_BINS} bins; choose longer ones"
            )));
        }
    }
    edges.push(match edges.last() {
        Some(last) if last == bounds.upper() => bounds.upper() + &Rational::ONE,
        _ => bounds.upper().clone(),
    });
    Ok((edges, labels))
}
