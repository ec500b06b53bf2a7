//! Snapping, thresholds and randomized response.

use std::collections::BTreeMap;

use lastbit::domains::{AtomDomain, MapDomain};
use lastbit::measures::MaxDivergence;
use lastbit::mechanisms::snapping::{GridRule, Snapping as Mechanism, SnappingError};
use lastbit::mechanisms::{
    randomized_response as respond, threshold_gaussian, threshold_laplace, truth_for_epsilon,
};
use lastbit::metrics::{Contribution, DiscreteDistance};
use lastbit::tables::Noise;
use lastbit::{Bounds, Error, GridExponent, Measurement, System, parse_number};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::error::{parameter, taken};
use crate::noise::for_counts;

/// The snapping mechanism in exact arithmetic.
#[pyclass(frozen, module = "lastbit._lastbit")]
pub struct Snapping {
    mechanism: Mechanism,
}

#[pymethods]
impl Snapping {
    /// From a loss, or from an error and the confidence with which it holds.
    #[new]
    #[pyo3(signature = (
        lower, upper, sensitivity, epsilon=None, accuracy=None, confidence="0.95", grid=None
    ))]
    fn new(
        lower: &str,
        upper: &str,
        sensitivity: &str,
        epsilon: Option<&str>,
        accuracy: Option<&str>,
        confidence: &str,
        grid: Option<i64>,
    ) -> PyResult<Snapping> {
        let bounds = Bounds::parse(lower, upper).map_err(parameter)?;
        let builder = Mechanism::builder(bounds, sensitivity.parse().map_err(parameter)?);
        let builder = match (epsilon, accuracy) {
            (Some(epsilon), None) => builder.epsilon(epsilon.parse().map_err(parameter)?),
            (None, Some(accuracy)) => builder.accuracy(
                accuracy.parse().map_err(parameter)?,
                confidence.parse().map_err(parameter)?,
            ),
            _ => return Err(parameter("give one of epsilon and accuracy")),
        };
        let builder = match grid {
            Some(exponent) => {
                let grid = GridExponent::new(exponent)
                    .map_err(|_| parameter(SnappingError::GridOutOfRange { exponent }))?;
                builder.grid(GridRule::Fixed(grid))
            }
            None => builder,
        };
        let mechanism = builder.build().map_err(parameter)?;
        Ok(Snapping { mechanism })
    }

    /// A float, clamped to the bounds, with noise.
    fn float(&self, value: f64) -> PyResult<f64> {
        let drawn = self.mechanism.draw(value, &mut System::default());
        drawn.map_err(without_value)
    }

    /// Floats, each with noise of its own.
    fn floats<'py>(
        &self,
        py: Python<'py>,
        values: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let values = values.as_array().to_vec();
        let noisy = py.detach(|| {
            let mut noisy = vec![0.0; values.len()];
            self.mechanism
                .draw_slice_on_all_cores(&values, &mut noisy)
                .map(|()| noisy)
        });
        Ok(PyArray1::from_vec(py, noisy.map_err(without_value)?))
    }
}

/// The message of an error without the value, which is data.
fn without_value(error: lastbit::mechanisms::snapping::SnappingError) -> PyErr {
    use lastbit::mechanisms::snapping::SnappingError;
    match error {
        SnappingError::ValueNotFinite { .. } => {
            parameter("a value is NaN or infinite; replace it with a number first")
        }
        other => parameter(other),
    }
}

/// The keys whose noisy count reaches the threshold for δ, with these counts, if one person is in
/// so many keys and adds at most `each` to each.
#[pyfunction]
#[pyo3(signature = (counts, delta, keys, each, epsilon=None, rho=None))]
pub fn threshold_counts(
    py: Python<'_>,
    counts: &Bound<'_, PyAny>,
    delta: &str,
    keys: u64,
    each: &str,
    epsilon: Option<&str>,
    rho: Option<&str>,
) -> PyResult<BTreeMap<String, i64>> {
    let wanted = "whole numbers of up to 64 bits by texts; clamp them first";
    let counts: BTreeMap<String, i64> = taken("counts", wanted, counts)?;
    let each = parse_number("each", each).map_err(parameter)?;
    let contribution = Contribution::new(keys, each).map_err(parameter)?;
    let delta = delta.parse().map_err(parameter)?;
    let domain = MapDomain::new(AtomDomain::<String>::new(), AtomDomain::<i64>::new());
    let noise = for_counts(&contribution, epsilon, rho)?;
    let published = py.detach(|| {
        let least = noise.threshold(0, &contribution, &delta)?;
        match &noise {
            Noise::Laplace(scale) => threshold_laplace(domain, scale, 0, &least)?.invoke(&counts),
            Noise::Gaussian(variance) => {
                threshold_gaussian(domain, variance, 0, &least)?.invoke(&counts)
            }
        }
    });
    published.map_err(parameter)
}

/// One of so many categories, by its number. A number that is none of them is answered by any, with
/// equal probabilities.
#[pyfunction]
pub fn randomized_response(value: u64, categories: u64, epsilon: &str) -> PyResult<u64> {
    response(categories, epsilon)?
        .invoke(&value)
        .map_err(parameter)
}

/// The same of each number of an array, each by itself.
#[pyfunction]
pub fn randomized_responses<'py>(
    py: Python<'py>,
    values: PyReadonlyArray1<'py, u64>,
    categories: u64,
    epsilon: &str,
) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let response = response(categories, epsilon)?;
    let values = values.as_array().to_vec();
    let answers = py.detach(|| {
        let answers = values.iter().map(|value| response.invoke(value));
        answers.collect::<Result<Vec<u64>, Error>>()
    });
    Ok(PyArray1::from_vec(py, answers.map_err(parameter)?))
}

/// Randomized response about the numbers of categories.
type Response = Measurement<AtomDomain<u64>, DiscreteDistance, MaxDivergence, u64>;

fn response(categories: u64, epsilon: &str) -> PyResult<Response> {
    let truth = truth_for_epsilon(categories, &epsilon.parse().map_err(parameter)?);
    let all: Vec<u64> = (0..categories).collect();
    respond(AtomDomain::<u64>::new(), all, &truth.map_err(parameter)?).map_err(parameter)
}
