//! The native part of the Python package `lastbit`: plans, releases and mechanisms. What Python
//! programs see is in `lastbit/*.py`.
#![deny(unsafe_code)]

mod audit;
mod convert;
mod error;
mod framework;
mod mechanisms;
mod noise;
mod plan;
mod profile;
mod release;
mod report;
mod selection;
mod session;
mod verify;

use pyo3::prelude::*;

/// Runs the `lastbit` command with these arguments, of which the first is the name of the program,
/// and gives its exit status.
#[pyfunction]
fn run_command(py: Python<'_>, arguments: Vec<std::ffi::OsString>) -> u8 {
    py.detach(|| lastbit_cli::run(arguments))
}

#[pymodule]
mod _lastbit {
    #[pymodule_export]
    use super::audit::{audit_outputs, least_bits};
    #[pymodule_export]
    use super::convert::{accountants, convert_loss};
    #[pymodule_export]
    use super::error::{
        BudgetError, DataError, LastbitError, LedgerError, ParameterError, PlanError, SpentError,
    };
    #[pymodule_export]
    use super::framework::{
        NativeMeasurement, NativeSpace, NativeTransformation, chain_clamp, chain_count,
        chain_count_by_key, chain_gaussian, chain_geometric, chain_histogram, chain_laplace,
        chain_mean, chain_quantiles, chain_resize, chain_sum, chain_threshold, chain_variance,
    };
    #[pymodule_export]
    use super::mechanisms::{
        Snapping, randomized_response, randomized_responses, threshold_counts,
    };
    #[pymodule_export]
    use super::noise::{Noise, scale_for_epsilon, variance_for_rho};
    #[pymodule_export]
    use super::plan::{NativePlan, select_statistics};
    #[pymodule_export]
    use super::profile::NativeProfile;
    #[pymodule_export]
    use super::release::{NativeTable, ledger_state, release};
    #[pymodule_export]
    use super::report::NativeReport;
    #[pymodule_export]
    use super::run_command;
    #[pymodule_export]
    use super::selection::{quantiles, select};
    #[pymodule_export]
    use super::verify::verify_program;
}
