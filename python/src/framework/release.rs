//! Releases of numbers, for whatever comes before them.

use lastbit::domains::{AtomDomain, VectorDomain};
use lastbit::mechanisms::{
    Scale, Variance, gaussian, geometric, laplace, threshold_gaussian, threshold_laplace,
};
use lastbit::metrics::Contribution;
use lastbit::tables::Noise;
use lastbit::{Share, parse_number, selection};
use pyo3::prelude::*;

use super::erased::measurement;
use super::stage::not_for;
use super::{AnyDomain, AnyMetric, NativeMeasurement, NativeSpace};
use crate::error::parameter;
use crate::noise::for_counts;

/// Laplace noise. Without a grid, whole numbers for integers, and else one much finer than the
/// scale.
#[pyfunction]
#[pyo3(signature = (space, scale, grid=None))]
pub fn chain_laplace(
    space: &NativeSpace,
    scale: &str,
    grid: Option<i64>,
) -> PyResult<NativeMeasurement> {
    let scale: Scale = scale.parse().map_err(parameter)?;
    let fine = grid.unwrap_or_else(|| Noise::Laplace(scale.clone()).fine_grid().get());
    let whole = grid.unwrap_or(0);
    match (space.domain.clone(), space.metric) {
        (AnyDomain::Small(domain), AnyMetric::Absolute) => {
            measurement(laplace(domain, &scale, whole))
        }
        (AnyDomain::Whole(domain), AnyMetric::Absolute) => {
            measurement(laplace(domain, &scale, whole))
        }
        (AnyDomain::Number(domain), AnyMetric::Absolute) => {
            measurement(laplace(domain, &scale, fine))
        }
        (AnyDomain::Integers(domain), AnyMetric::L1) => measurement(laplace(domain, &scale, whole)),
        _ => Err(not_for(space)),
    }
}

/// Gaussian noise; grids as for Laplace noise.
#[pyfunction]
#[pyo3(signature = (space, variance, grid=None))]
pub fn chain_gaussian(
    space: &NativeSpace,
    variance: &str,
    grid: Option<i64>,
) -> PyResult<NativeMeasurement> {
    let variance: Variance = variance.parse().map_err(parameter)?;
    let fine = grid.unwrap_or_else(|| Noise::Gaussian(variance.clone()).fine_grid().get());
    let whole = grid.unwrap_or(0);
    match (space.domain.clone(), space.metric) {
        (AnyDomain::Small(domain), AnyMetric::Absolute) => {
            measurement(gaussian(domain, &variance, whole))
        }
        (AnyDomain::Whole(domain), AnyMetric::Absolute) => {
            measurement(gaussian(domain, &variance, whole))
        }
        (AnyDomain::Number(domain), AnyMetric::Absolute) => {
            measurement(gaussian(domain, &variance, fine))
        }
        (AnyDomain::Integers(domain), AnyMetric::L2) => {
            measurement(gaussian(domain, &variance, whole))
        }
        _ => Err(not_for(space)),
    }
}

/// Two-sided geometric noise on whole numbers.
#[pyfunction]
pub fn chain_geometric(space: &NativeSpace, scale: &str) -> PyResult<NativeMeasurement> {
    let scale: Scale = scale.parse().map_err(parameter)?;
    match (space.domain.clone(), space.metric) {
        (AnyDomain::Small(domain), AnyMetric::Absolute) => measurement(geometric(domain, &scale)),
        (AnyDomain::Whole(domain), AnyMetric::Absolute) => measurement(geometric(domain, &scale)),
        (AnyDomain::Integers(domain), AnyMetric::L1) => measurement(geometric(domain, &scale)),
        _ => Err(not_for(space)),
    }
}

/// Quantiles of a public number of rows.
#[pyfunction]
pub fn chain_quantiles(
    space: &NativeSpace,
    at: Vec<String>,
    epsilon: &str,
) -> PyResult<NativeMeasurement> {
    let at: Vec<Share> = at
        .iter()
        .map(|text| parse_number("at", text).and_then(Share::new))
        .collect::<Result<_, _>>()
        .map_err(parameter)?;
    let epsilon = epsilon.parse().map_err(parameter)?;
    match (space.domain.clone(), space.metric) {
        (AnyDomain::Floats(domain), AnyMetric::ChangeOne) => {
            let domain: VectorDomain<AtomDomain<f64>> = domain;
            measurement(selection::quantiles(domain, &at, &epsilon))
        }
        (AnyDomain::Integers(domain), AnyMetric::ChangeOne) => {
            measurement(selection::quantiles(domain, &at, &epsilon))
        }
        _ => Err(not_for(space)),
    }
}

/// The keys whose noisy count reaches the threshold for δ, if one person is in so many keys and
/// adds at most `each` to each.
#[pyfunction]
#[pyo3(signature = (space, delta, keys, each, epsilon=None, rho=None))]
pub fn chain_threshold(
    space: &NativeSpace,
    delta: &str,
    keys: u64,
    each: &str,
    epsilon: Option<&str>,
    rho: Option<&str>,
) -> PyResult<NativeMeasurement> {
    let each = parse_number("each", each).map_err(parameter)?;
    let one_person = Contribution::new(keys, each).map_err(parameter)?;
    let delta = delta.parse().map_err(parameter)?;
    let noise = for_counts(&one_person, epsilon, rho)?;
    let least = noise.threshold(0, &one_person, &delta).map_err(parameter)?;
    match (space.domain.clone(), space.metric, noise) {
        (AnyDomain::Counts(domain), AnyMetric::Contribution, Noise::Laplace(scale)) => {
            measurement(threshold_laplace(domain, &scale, 0, &least))
        }
        (AnyDomain::Counts(domain), AnyMetric::Contribution, Noise::Gaussian(variance)) => {
            measurement(threshold_gaussian(domain, &variance, 0, &least))
        }
        _ => Err(not_for(space)),
    }
}
