//! Snapping, thresholds and randomized response.

use std::collections::BTreeMap;

use lastbit::domains::{AtomDomain, MapDomain};
use lastbit::mechanisms::snapping::{GridRule, Snapping as Mechanism};
use lastbit::mechanisms::{
    gaussian_threshold, laplace_threshold, randomized_response as respond, threshold_gaussian,
    threshold_laplace, truth_for_epsilon,
};
use lastbit::metrics::Contribution;
use lastbit::{Bounds, Confidence, System, parse_number};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::error::parameter;

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
            Some(exponent) => builder.grid(GridRule::Fixed(exponent)),
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
                .draw_slice(&values, &mut noisy, &mut System::default())
                .map(|()| noisy)
        });
        Ok(PyArray1::from_vec(py, noisy.map_err(without_value)?))
    }

    /// The loss of one draw, exactly.
    #[getter]
    fn epsilon(&self) -> String {
        self.mechanism.epsilon().to_string()
    }

    /// The exponent of the grid.
    #[getter]
    fn grid_exponent(&self) -> i64 {
        self.mechanism.grid_exponent()
    }

    /// The error that a draw stays within, rounded up.
    fn accuracy(&self, confidence: &str) -> PyResult<f64> {
        let confidence: Confidence = confidence.parse().map_err(parameter)?;
        Ok(self.mechanism.accuracy(&confidence).get())
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

/// The keys whose noisy count reaches the threshold for δ, with these counts, and the threshold.
#[pyfunction]
pub fn threshold_counts(
    py: Python<'_>,
    counts: BTreeMap<String, i64>,
    noise: &str,
    size: &str,
    delta: &str,
    keys: u64,
    each: &str,
) -> PyResult<(BTreeMap<String, i64>, String)> {
    let each = parse_number("each", each).map_err(parameter)?;
    let contribution = Contribution::new(keys, each).map_err(parameter)?;
    let delta = delta.parse().map_err(parameter)?;
    let domain = MapDomain::new(AtomDomain::<String>::new(), AtomDomain::<i64>::new());
    py.detach(|| match noise {
        "laplace" => {
            let scale = size.parse().map_err(parameter)?;
            let least = laplace_threshold(&scale, 0, &contribution, &delta).map_err(parameter)?;
            let release = threshold_laplace(domain, &scale, 0, &least).map_err(parameter)?;
            Ok((
                release.invoke(&counts).map_err(parameter)?,
                least.to_string(),
            ))
        }
        _ => {
            let variance = size.parse().map_err(parameter)?;
            let least =
                gaussian_threshold(&variance, 0, &contribution, &delta).map_err(parameter)?;
            let release = threshold_gaussian(domain, &variance, 0, &least).map_err(parameter)?;
            Ok((
                release.invoke(&counts).map_err(parameter)?,
                least.to_string(),
            ))
        }
    })
}

/// One of so many categories, by its number. A number that is none of them is answered by any, with
/// equal probabilities.
#[pyfunction]
pub fn randomized_response(value: u64, categories: u64, epsilon: &str) -> PyResult<u64> {
    let truth = truth_for_epsilon(categories, &epsilon.parse().map_err(parameter)?);
    let all: Vec<u64> = (0..categories).collect();
    let release = respond(AtomDomain::<u64>::new(), all, &truth.map_err(parameter)?);
    release
        .map_err(parameter)?
        .invoke(&value)
        .map_err(parameter)
}
