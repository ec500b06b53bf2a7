//! Losses in other measures, and under every accountant.

use lastbit::conversions::{LossBound, Losses, gaussian_to_zcdp};
use lastbit::{Down, Rational, Up, parse_number};
use pyo3::prelude::*;

use crate::error::{parameter, unknown};

fn bound(kind: &str, loss: &str) -> PyResult<LossBound> {
    let loss: Rational = parse_number("loss", loss).map_err(parameter)?;
    if loss.is_negative() {
        return Err(parameter(
            "a loss is zero or more; give one that is not negative",
        ));
    }
    let bound = Up::from_rational(&loss);
    Ok(match kind {
        "epsilon" => LossBound::Pure(bound),
        "laplace" => LossBound::Laplace(bound),
        "bounded_range" => LossBound::BoundedRange(bound),
        "rho" => LossBound::Zcdp(bound),
        // By μ, the sensitivity divided by σ.
        "gaussian" => LossBound::Zcdp(Up::from_rational(&gaussian_to_zcdp(&(&loss * &loss)))),
        _ => return Err(unknown("loss", kind)),
    })
}

/// ε, ρ and η of a loss, rounded up; `None` where there is no bound.
#[pyfunction]
pub fn convert_loss(kind: &str, loss: &str) -> PyResult<(Option<f64>, f64, Option<f64>)> {
    let bound = bound(kind, loss)?;
    Ok((
        bound.epsilon().map(Up::get),
        bound.rho().map_err(parameter)?.get(),
        bound.eta().map_err(parameter)?.map(Up::get),
    ))
}

/// What each accountant charges for so many releases at δ: ε, rounded up.
#[pyfunction]
pub fn accountants(
    py: Python<'_>,
    releases: Vec<(String, String, u64)>,
    delta: &str,
) -> PyResult<Vec<(String, Option<f64>)>> {
    let delta = parse_number("delta", delta).map_err(parameter)?;
    if delta.is_negative() || delta >= Rational::ONE {
        return Err(parameter("delta must be from 0 to below 1"));
    }
    let releases: Vec<(LossBound, u64)> = releases
        .iter()
        .map(|(kind, loss, count)| Ok((bound(kind, loss)?, *count)))
        .collect::<PyResult<_>>()?;
    py.detach(|| {
        let losses = Losses::new(releases).map_err(parameter)?;
        let charges = losses
            .charges(Down::from_rational(&delta))
            .map_err(parameter)?;
        Ok(charges
            .charges()
            .iter()
            .map(|charge| {
                let name = charge.rule.name().to_owned();
                (name, charge.epsilon.map(Up::get))
            })
            .collect())
    })
}
