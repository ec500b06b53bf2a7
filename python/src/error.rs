//! Exceptions. What went wrong, where, and what to do about it; never a cell of the data.

use lastbit_release::engine::EngineError;
use lastbit_release::ledger::LedgerError as LedgerRefusal;
use lastbit_release::plan::PlanError as BadPlan;
use lastbit_release::release::ReleaseError;
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

create_exception!(lastbit, LastbitError, PyException, "What lastbit refuses.");
create_exception!(
    lastbit,
    ParameterError,
    LastbitError,
    "A parameter that cannot be."
);
create_exception!(
    lastbit,
    PlanError,
    LastbitError,
    "A plan that cannot be; `place` is its line and column, or None."
);
create_exception!(
    lastbit,
    DataError,
    LastbitError,
    "Data that cannot be read; nothing was spent."
);
create_exception!(
    lastbit,
    BudgetError,
    LastbitError,
    "The budget does not cover the release; nothing was spent."
);
create_exception!(
    lastbit,
    LedgerError,
    LastbitError,
    "A ledger that cannot be used; nothing was spent."
);
create_exception!(
    lastbit,
    SpentError,
    LastbitError,
    "A failure after the loss was reserved; `spent` says what stays spent."
);

/// A parameter of Python in the type that is wanted, which the words name.
pub fn taken<'py, T: FromPyObjectOwned<'py>>(
    name: &str,
    wanted: &str,
    value: &Bound<'py, PyAny>,
) -> PyResult<T> {
    value
        .extract()
        .map_err(|_| parameter(format!("{name} must be {wanted}")))
}

/// A word that the Python side does not say.
pub fn unknown(what: &str, word: &str) -> PyErr {
    parameter(format!(
        "there is no {what} `{word}`; see the names in the documentation"
    ))
}

/// A double that is exactly this number.
pub fn double(name: &str, value: &Bound<'_, PyAny>) -> PyResult<f64> {
    let double: f64 = taken(name, "a number that a double is, such as 0.5", value)?;
    // Python compares its numbers with floats exactly.
    match double.is_finite() && value.eq(double)? {
        true => Ok(double),
        false => Err(parameter(format!(
            "{name}: no double is exactly this; write float(…) for the nearest one"
        ))),
    }
}

/// A parameter that cannot be.
pub fn parameter(error: impl std::fmt::Display) -> PyErr {
    ParameterError::new_err(error.to_string())
}

/// A plan that cannot be, with its place.
pub fn plan(py: Python<'_>, error: &BadPlan) -> PyErr {
    let raised = PlanError::new_err(error.to_string());
    let value = raised.value(py);
    let place = error.place().map(|place| (place.line, place.column));
    let told = value
        .setattr("place", place)
        .and_then(|()| value.setattr("message", error.message()));
    told.err().unwrap_or(raised)
}

/// A release that did not happen.
pub fn release(py: Python<'_>, error: &ReleaseError) -> PyErr {
    let text = error.to_string();
    match error {
        ReleaseError::Spent { loss, .. } => {
            let raised = SpentError::new_err(text);
            match raised.value(py).setattr("spent", loss.to_string()) {
                Ok(()) => raised,
                Err(error) => error,
            }
        }
        ReleaseError::Price(_) => PlanError::new_err(text),
        ReleaseError::Ledger(error) => ledger(error),
        ReleaseError::Engine(_) | ReleaseError::Rows { .. } | ReleaseError::Changed => {
            DataError::new_err(text)
        }
        _ => LastbitError::new_err(text),
    }
}

/// A ledger that refused or failed.
pub fn ledger(error: &LedgerRefusal) -> PyErr {
    match error {
        LedgerRefusal::Refused(_) => BudgetError::new_err(error.to_string()),
        _ => LedgerError::new_err(error.to_string()),
    }
}

/// Data that cannot be read.
pub fn data(error: &EngineError) -> PyErr {
    DataError::new_err(error.to_string())
}
