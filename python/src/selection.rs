//! Selection by scores, and quantiles.

use lastbit::domains::{AtomDomain, VectorDomain};
use lastbit::mechanisms::exponential::{Exponential, Score, SelectionError};
use lastbit::{Rational, System, parse_number, selection};
use pyo3::prelude::*;

use crate::error::parameter;

/// Numbers, all of one type.
#[derive(FromPyObject)]
pub enum NumberList {
    Integers(Vec<i64>),
    Floats(Vec<f64>),
}

/// The index of a candidate, by the exponential mechanism, or by permute-and-flip.
#[pyfunction]
pub fn select(
    py: Python<'_>,
    scores: NumberList,
    epsilon: &str,
    sensitivity: &str,
    monotone: bool,
    permute_and_flip: bool,
) -> PyResult<usize> {
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

/// Quantiles of values, clamped to public bounds.
#[pyfunction]
pub fn quantiles(
    py: Python<'_>,
    values: NumberList,
    at: Vec<String>,
    lower: f64,
    upper: f64,
    epsilon: &str,
) -> PyResult<Vec<f64>> {
    let at: Vec<Rational> = at
        .iter()
        .map(|text| parse_number("at", text).map_err(parameter))
        .collect::<PyResult<_>>()?;
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
    let element = AtomDomain::<f64>::bounded(lower, upper).map_err(parameter)?;
    py.detach(|| {
        let rows: Vec<f64> = values
            .into_iter()
            // One zero, and no value beyond the bounds.
            .map(|value| value.clamp(lower, upper) + 0.0)
            .collect();
        let domain = VectorDomain::new(element).with_size(rows.len());
        let selection = selection::quantiles(domain, &at, &epsilon).map_err(parameter)?;
        selection.invoke(&rows).map_err(parameter)
    })
}
