//! Plans: read, priced and rehearsed.

use std::path::PathBuf;

use lastbit_release::left::{account, price_from};
use lastbit_release::plan::Plan;
use lastbit_release::present::{price_html, price_json};
use lastbit_release::release::{Identity, rehearse, remember};
use pyo3::prelude::*;

use crate::error::{self, PlanError};
use crate::report::NativeReport;

/// A checked plan.
#[pyclass(frozen, module = "lastbit._lastbit")]
pub struct NativePlan {
    pub plan: Plan,
}

#[pymethods]
impl NativePlan {
    /// Reads the text of a plan; relative paths in it start at `base`.
    #[staticmethod]
    fn parse(py: Python<'_>, text: &str, base: PathBuf) -> PyResult<NativePlan> {
        let plan = Plan::parse_in(text, &base).map_err(|error| error::plan(py, &error))?;
        Ok(NativePlan { plan })
    }

    /// Reads the file of a plan, and gives its text, too; relative paths in it start at its
    /// directory.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<(NativePlan, String)> {
        let read = Plan::read_with_text(&path).map_err(|error| error::plan(py, &error));
        read.map(|(plan, text)| (NativePlan { plan }, text))
    }

    /// What it is called.
    #[getter]
    fn title(&self) -> &str {
        &self.plan.title
    }

    /// The names of its statistics.
    #[getter]
    fn statistics(&self) -> Vec<String> {
        let statistics = self.plan.statistics.iter();
        statistics.map(|statistic| statistic.name.clone()).collect()
    }

    /// The price in JSON, and as a page. With a ledger, as it is there: its budget composes in its
    /// own way, and what is left is told. There may be none yet at that path.
    #[pyo3(signature = (ledger=None))]
    fn price(&self, py: Python<'_>, ledger: Option<PathBuf>) -> PyResult<(String, String)> {
        py.detach(|| {
            let account = match &ledger {
                Some(path) => account(path).map_err(|error| error::ledger(&error))?,
                None => None,
            };
            let known = ledger.as_deref().zip(account.as_ref());
            let (prices, mut left) = price_from(&self.plan, known)
                .map_err(|error| PlanError::new_err(error.to_string()))?;
            if let Some((path, _)) = known {
                remember(&self.plan, path, &mut left);
            }
            let left = ledger.is_some().then_some(left);
            let hash = Identity::new(&self.plan, &prices).hex();
            let json = price_json(&self.plan, &prices, &hash, left.as_ref());
            Ok((
                json.to_string(),
                price_html(&self.plan, &prices, left.as_ref()),
            ))
        })
    }

    /// A release of rows that the plan makes up.
    fn rehearse(&self, py: Python<'_>) -> PyResult<NativeReport> {
        let report = py.detach(|| rehearse(&self.plan));
        let report = report.map_err(|error| error::release(py, &error))?;
        Ok(NativeReport { report })
    }
}

/// The statistics of a `select` statement, in the TOML of plans.
#[pyfunction]
pub fn select_statistics(statement: &str) -> PyResult<String> {
    lastbit_release::select::statistics(statement)
        .map_err(|error| PlanError::new_err(error.to_string()))
}
