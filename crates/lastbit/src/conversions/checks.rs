//! What a cast takes and gives: losses that say something, and probabilities.

use lastbit_exact::{Down, Up};

use crate::{Distance, Error};

/// The f64 of a loss that is zero or more and finite.
pub(super) fn loss(name: &'static str, value: Up) -> Result<f64, Error> {
    if value.get() < 0.0 {
        Err(negative(name, value.get()))
    } else if !value.is_finite() {
        Err(Error::unbounded(format!(
            "{name} is infinite and bounds nothing; use a release with a finite loss"
        )))
    } else {
        Ok(value.get())
    }
}

/// The f64 of a lower bound that is zero or more; it is never `+∞`.
pub(super) fn at_least_zero(name: &'static str, value: Down) -> Result<f64, Error> {
    if value.get() < 0.0 {
        Err(negative(name, value.get()))
    } else {
        Ok(value.get())
    }
}

/// The f64 of a δ to spend: positive and at most 1.
pub(super) fn delta_to_spend(value: Down) -> Result<f64, Error> {
    let delta = at_least_zero("delta", value)?;
    if delta == 0.0 {
        Err(Error::unbounded(
            "delta is 0, and no finite epsilon holds here with certainty; spend a small delta \
             such as 1e-9",
        ))
    } else if delta > 1.0 {
        Err(Error::distance(format!(
            "delta must be at most 1, got {value}; it is a probability"
        )))
    } else {
        Ok(delta)
    }
}

/// A result that says something.
pub(super) fn bounded(value: Up) -> Result<Up, Error> {
    value.check()?;
    Ok(value)
}

#[cold]
fn negative(name: &'static str, value: f64) -> Error {
    Error::distance(format!("{name} must be zero or more, got {value}"))
}
