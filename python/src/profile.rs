//! What releases cost together, by the best of what is known of them.

use lastbit::accounting::{BestBounds, Pair};
use lastbit::{Down, Interval, Rational, parse_number};
use pyo3::prelude::*;

use crate::error::{parameter, unknown};

/// What releases cost together whose losses are fixed beforehand.
#[pyclass(frozen, module = "lastbit._lastbit")]
pub struct NativeProfile {
    bounds: BestBounds,
}

#[pymethods]
impl NativeProfile {
    /// Of releases, each a kind, a size and how often it is made; tight for δ down to `smallest`.
    #[new]
    fn new(
        py: Python<'_>,
        releases: Vec<(String, String, u64)>,
        smallest: &str,
    ) -> PyResult<NativeProfile> {
        let smallest = parse_number("delta", smallest).map_err(parameter)?;
        let pairs = releases
            .iter()
            .map(|(kind, size, times)| Ok((pair(kind, size)?, *times)))
            .collect::<PyResult<Vec<_>>>()?;
        let bounds = py.detach(|| BestBounds::new(&pairs, Down::from_rational(&smallest)));
        let bounds = bounds.map_err(parameter)?;
        Ok(NativeProfile { bounds })
    }

    /// A lower and an upper bound of δ at ε.
    fn delta(&self, py: Python<'_>, epsilon: &str) -> PyResult<(f64, f64)> {
        let epsilon = parse_number("epsilon", epsilon).map_err(parameter)?;
        let delta = py.detach(|| self.bounds.delta(&epsilon));
        Ok(ends(delta.map_err(parameter)?))
    }

    /// A lower and an upper bound of ε at δ.
    fn epsilon(&self, py: Python<'_>, delta: &str) -> PyResult<(f64, f64)> {
        let delta = parse_number("delta", delta).map_err(parameter)?;
        let epsilon = py.detach(|| self.bounds.epsilon(&delta));
        Ok(ends(epsilon.map_err(parameter)?))
    }
}

fn ends(bounds: Interval) -> (f64, f64) {
    (bounds.lo(), bounds.hi())
}

fn pair(kind: &str, size: &str) -> PyResult<Pair> {
    let size: Rational = parse_number("loss", size).map_err(parameter)?;
    let pair = match kind {
        "epsilon" => Pair::pure(&size),
        "laplace" => Pair::laplace(&size),
        "gaussian" => Pair::gaussian(&size),
        "bounded_range" => Pair::bounded_range(&size),
        "rho" => {
            return Err(parameter(
                "zCDP alone is no distribution of losses; give epsilon, laplace, gaussian or \
                 bounded_range",
            ));
        }
        _ => return Err(unknown("loss", kind)),
    };
    pair.map_err(parameter)
}
