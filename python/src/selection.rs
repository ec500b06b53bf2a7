//! Selection by scores, and quantiles.

use lastbit::domains::{AtomDomain, VectorDomain};
use lastbit::mechanisms::exponential::{Exponential, Score, SelectionError};
use lastbit::{Rational, Share, System, parse_number, selection};
use pyo3::prelude::*;

use crate::error::{double, parameter, taken};

/// Numbers, all of one type.
#[derive(FromPyObject)]
pub enum NumberList {
    Integers(Vec<i64>),
    Floats(Vec<f64>),
}

fn numbers(name: &str, values: &Bound<'_, PyAny>) -> PyResult<NumberList> {
    taken(
        name,
        "numbers of up to 64 bits; clamp or convert them first",
        values,
    )
}

/// The index of a candidate, by the exponential mechanism, or by permute-and-flip.
#[pyfunction]
pub fn select(
    py: Python<'_>,
    scores: &Bound<'_, PyAny>,
    epsilon: &str,
    sensitivity: &str,
    monotone: bool,
    permute_and_flip: bool,
) -> PyResult<usize> {
    let given = scores;
    let scores = numbers("scores", given)?;
    if let NumberList::Floats(doubles) = &scores {
        // Rounded, neighbours could be farther apart than the sensitivity.
        for (one, double) in given.try_iter()?.zip(doubles) {
            if double.is_finite() && !one?.eq(double)? {
                return Err(parameter(
                    "a score is no 64-bit integer, and no double exactly; clamp or round it first",
                ));
            }
        }
    }
    let epsilon = epsilon.parse().map_err(parameter)?;
    let sensitivity = sensitivity.parse().map_err(parameter)?;
    let mechanism = match monotone {
        true => Exponential::monotone(&epsilon, &sensitivity),
        false => Exponential::new(&epsilon, &sensitivity),
    };
    py.detach(|| match scores {
        NumberList::Integers(scores) => choose(&mechanism, &scores, permute_and_flip),
        NumberList::Floats(scores) => choose(&mechanism, &scores, permute_and_flip),
    })
}

fn choose<S: Score>(
    mechanism: &Exponential,
    scores: &[S],
    permute_and_flip: bool,
) -> PyResult<usize> {
    let entropy = &mut System::default();
    match permute_and_flip {
        true => mechanism.permute_and_flip(scores, entropy),
        false => mechanism.draw(scores, entropy),
    }
    .map_err(|error| match error {
        SelectionError::Empty => parameter("there are no candidates; give at least one score"),
        SelectionError::NotFinite { .. } => {
            parameter("a score is NaN or infinite; replace it with a number first")
        }
        other => parameter(other),
    })
}

/// Quantiles of values, clamped to public bounds and rounded to a grid; without one, to the finest
/// that has at most 2^52 points from zero to the farther bound.
///
/// Among all doubles nearly all candidates would be close to zero.
#[pyfunction]
#[pyo3(signature = (values, at, lower, upper, epsilon, grid=None))]
pub fn quantiles(
    py: Python<'_>,
    values: &Bound<'_, PyAny>,
    at: Vec<String>,
    lower: &Bound<'_, PyAny>,
    upper: &Bound<'_, PyAny>,
    epsilon: &str,
    grid: Option<i64>,
) -> PyResult<Vec<f64>> {
    let values = numbers("values", values)?;
    let (lower, upper) = (double("lower", lower)?, double("upper", upper)?);
    let at: Vec<Share> = at
        .iter()
        .map(|text| parse_number("at", text).and_then(Share::new))
        .collect::<Result<_, _>>()
        .map_err(parameter)?;
    let epsilon = epsilon.parse().map_err(parameter)?;
    let values: Vec<f64> = match values {
        // Whole numbers beyond 2^53 are rounded, each row by itself.
        NumberList::Integers(values) => values.into_iter().map(|value| value as f64).collect(),
        NumberList::Floats(values) => values,
    };
    if values.iter().any(|value| value.is_nan()) {
        return Err(parameter(
            "a value is NaN; leave such rows out, or replace them",
        ));
    }
    // Says what is wrong with the bounds.
    AtomDomain::<f64>::bounded(lower, upper).map_err(parameter)?;
    let step = step(lower, upper, grid)?;
    // A division by a power of two is exact, and the quotients are below 2^53.
    let (first, last) = ((lower / step).ceil(), (upper / step).floor());
    if first > last {
        return Err(parameter(
            "no point of the grid is between the bounds; take a finer one",
        ));
    }
    let element = AtomDomain::<i64>::bounded(first as i64, last as i64).map_err(parameter)?;
    py.detach(|| {
        let place = |value: f64| (value.clamp(lower, upper) / step).round_ties_even();
        let rows: Vec<i64> = values
            .into_iter()
            .map(|value| place(value).clamp(first, last) as i64)
            .collect();
        let domain = VectorDomain::new(element).with_size(rows.len());
        let selection = selection::quantiles(domain, &at, &epsilon).map_err(parameter)?;
        let chosen = selection.invoke(&rows).map_err(parameter)?;
        // Exact, as the quotients are.
        Ok(chosen
            .into_iter()
            .map(|place| place as f64 * step)
            .collect())
    })
}

/// The grid between two bounds, a power of two from 2^-1022.
fn step(lower: f64, upper: f64, grid: Option<i64>) -> PyResult<f64> {
    let farther = lower.abs().max(upper.abs());
    let magnitude = Rational::try_from(farther).map_err(parameter)?.ceil_log2();
    let finest = (magnitude.unwrap_or(0) - 52).clamp(-1022, 971);
    let exponent = grid.unwrap_or(finest);
    if exponent < finest || exponent > 1023 {
        return Err(parameter(format!(
            "a grid between these bounds is from 2^{finest} to 2^1023, got 2^{exponent}"
        )));
    }
    // A whole number in this range, so that it is the exponent of a normal double.
    Ok(f64::from_bits(((exponent + 1023) as u64) << 52))
}
