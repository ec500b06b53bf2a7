//! Transformations of rows, for whatever comes before them.

use lastbit::domains::{AtomDomain, VectorDomain};
use lastbit::metrics::{
    ChangeOneDistance, ContributionDistance, L1Distance, L2Distance, SymmetricDistance,
};
use lastbit::statistics::{Grid, NonFinite};
use lastbit::transformations::{
    CategoryBins, Edges, Keep, clamp, count, count_by_key, histogram, mean, mean_on_grid, resize,
    sum, sum_on_grid, variance, variance_on_grid,
};
use lastbit::{Bounds, Rational};
use pyo3::prelude::*;

use super::erased::transformation;
use super::{AnyDomain, AnyMetric, NativeSpace, NativeTransformation};
use crate::error::{double, parameter, taken};

/// The most rows that a chain makes up.
const MOST_ROWS: usize = 1_000_000_000;

/// What bounds and constants of integers are.
const WHOLE: &str = "a whole number of up to 64 bits, as the rows are";

/// The stage for either row metric.
macro_rules! by_metric {
    ($space:expr, $metric:ident => $stage:expr) => {
        match $space.metric {
            AnyMetric::Symmetric => {
                let $metric = SymmetricDistance;
                transformation($stage)
            }
            AnyMetric::ChangeOne => {
                let $metric = ChangeOneDistance;
                transformation($stage)
            }
            _ => Err(not_for($space)),
        }
    };
}

pub(super) fn not_for(space: &NativeSpace) -> PyErr {
    parameter(format!(
        "this stage is not for {} with {}",
        space.domain, space.metric
    ))
}

/// Rows moved to public bounds.
#[pyfunction]
pub fn chain_clamp(
    space: &NativeSpace,
    lower: &Bound<'_, PyAny>,
    upper: &Bound<'_, PyAny>,
) -> PyResult<NativeTransformation> {
    match space.domain.clone() {
        AnyDomain::Floats(domain) => {
            let (lower, upper) = (double("lower", lower)?, double("upper", upper)?);
            by_metric!(space, metric => clamp(domain.clone(), metric, lower, upper))
        }
        AnyDomain::Integers(domain) => {
            let (lower, upper): (i64, i64) =
                (taken("lower", WHOLE, lower)?, taken("upper", WHOLE, upper)?);
            by_metric!(space, metric => clamp(domain.clone(), metric, lower, upper))
        }
        _ => Err(not_for(space)),
    }
}

/// Exactly so many rows: too many are cut in an order that does not depend on theirs, too few are
/// filled up with a public constant.
#[pyfunction]
pub fn chain_resize(
    space: &NativeSpace,
    size: usize,
    constant: &Bound<'_, PyAny>,
) -> PyResult<NativeTransformation> {
    if size > MOST_ROWS {
        return Err(parameter(format!(
            "size is at most {MOST_ROWS} rows, got {size}; they are held in memory"
        )));
    }
    let keep = Keep::Scattered;
    match space.domain.clone() {
        AnyDomain::Floats(domain) => {
            let constant = double("constant", constant)?;
            by_metric!(space, metric => resize(domain.clone(), metric, size, keep, constant))
        }
        AnyDomain::Integers(domain) => {
            let constant: i64 = taken("constant", WHOLE, constant)?;
            by_metric!(space, metric => resize(domain.clone(), metric, size, keep, constant))
        }
        _ => Err(not_for(space)),
    }
}

/// The number of rows.
#[pyfunction]
pub fn chain_count(space: &NativeSpace) -> PyResult<NativeTransformation> {
    match space.domain.clone() {
        AnyDomain::Floats(domain) => by_metric!(space, metric => count(domain.clone(), metric)),
        AnyDomain::Integers(domain) => by_metric!(space, metric => count(domain.clone(), metric)),
        AnyDomain::Texts(domain) => by_metric!(space, metric => count(domain.clone(), metric)),
        _ => Err(not_for(space)),
    }
}

macro_rules! of_numbers {
    ($(#[$doc:meta])* $name:ident, $stage:ident, $on_grid:ident, $what:literal) => {
        $(#[$doc])*
        #[pyfunction]
        pub fn $name(space: &NativeSpace) -> PyResult<NativeTransformation> {
            match space.domain.clone() {
                AnyDomain::Floats(domain) => {
                    let grid = finest(&domain, $what)?;
                    by_metric!(space, metric => $on_grid(domain.clone(), metric, &grid))
                }
                AnyDomain::Integers(domain) => {
                    by_metric!(space, metric => $stage(domain.clone(), metric))
                }
                _ => Err(not_for(space)),
            }
        }
    };
}
of_numbers!(
    /// The exact sum of rows between bounds; floats are rounded to the finest grid there first.
    chain_sum,
    sum,
    sum_on_grid,
    "a sum"
);
of_numbers!(
    /// The exact mean of a public number of rows between bounds, as `chain_sum`.
    chain_mean,
    mean,
    mean_on_grid,
    "a mean"
);
of_numbers!(
    /// The exact variance of a public number of rows between bounds, as `chain_sum`.
    chain_variance,
    variance,
    variance_on_grid,
    "a variance"
);

/// The finest grid that the bounds of the rows allow: 2^51 steps from zero to the farther one.
fn finest(domain: &VectorDomain<AtomDomain<f64>>, what: &str) -> PyResult<Grid> {
    let (lower, upper) = domain.element().bounds().ok_or_else(|| {
        parameter(format!(
            "{what} needs bounds, and these are {domain}; clamp them first"
        ))
    })?;
    let exact = |end: &f64| Rational::try_from(*end).map_err(parameter);
    let bounds = Bounds::new(exact(lower)?, exact(upper)?).map_err(parameter)?;
    Grid::finest(&bounds, NonFinite::Refuse).map_err(parameter)
}

/// Counts of public categories and of the rest, or of what is between edges, below and above them.
/// `norm` is 1 for Laplace and 2 for Gaussian noise.
#[pyfunction]
pub fn chain_histogram(
    space: &NativeSpace,
    bins: &Bound<'_, PyAny>,
    norm: u8,
) -> PyResult<NativeTransformation> {
    match (space.domain.clone(), norm) {
        (AnyDomain::Texts(domain), 1) => {
            let bins = CategoryBins::new(taken::<Vec<String>>("bins", "a list of texts", bins)?)
                .map_err(parameter)?;
            by_metric!(space, metric => histogram(domain.clone(), metric, &bins, L1Distance))
        }
        (AnyDomain::Texts(domain), _) => {
            let bins = CategoryBins::new(taken::<Vec<String>>("bins", "a list of texts", bins)?)
                .map_err(parameter)?;
            by_metric!(space, metric => histogram(domain.clone(), metric, &bins, L2Distance))
        }
        (AnyDomain::Floats(domain), 1) => {
            let bins = Edges::new(taken::<Vec<f64>>("bins", "a list of numbers", bins)?)
                .map_err(parameter)?;
            by_metric!(space, metric => histogram(domain.clone(), metric, &bins, L1Distance))
        }
        (AnyDomain::Floats(domain), _) => {
            let bins = Edges::new(taken::<Vec<f64>>("bins", "a list of numbers", bins)?)
                .map_err(parameter)?;
            by_metric!(space, metric => histogram(domain.clone(), metric, &bins, L2Distance))
        }
        (AnyDomain::Integers(domain), 1) => {
            let bins = Edges::new(taken::<Vec<i64>>("bins", "a list of whole numbers", bins)?)
                .map_err(parameter)?;
            by_metric!(space, metric => histogram(domain.clone(), metric, &bins, L1Distance))
        }
        (AnyDomain::Integers(domain), _) => {
            let bins = Edges::new(taken::<Vec<i64>>("bins", "a list of whole numbers", bins)?)
                .map_err(parameter)?;
            by_metric!(space, metric => histogram(domain.clone(), metric, &bins, L2Distance))
        }
        _ => Err(not_for(space)),
    }
}

/// Counts by keys that are not public: for a threshold.
#[pyfunction]
pub fn chain_count_by_key(space: &NativeSpace) -> PyResult<NativeTransformation> {
    type Texts = VectorDomain<AtomDomain<String>>;
    match space.domain.clone() {
        AnyDomain::Texts(domain) => {
            let domain: Texts = domain;
            by_metric!(space, metric => count_by_key(domain.clone(), metric, ContributionDistance))
        }
        _ => Err(not_for(space)),
    }
}
