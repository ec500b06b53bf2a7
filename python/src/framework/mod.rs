//! The framework's transformations and measurements with their types erased: what Python chains
//! with `>>`. Every stage is one of crate `lastbit`, with its own stability or privacy map; a chain
//! is refused unless the domain and the metric on both sides are equal, as there.

mod erased;
mod release;
mod stage;

use std::sync::Arc;

use lastbit::domains::{AtomDomain, VectorDomain};
use pyo3::prelude::*;

use crate::error::parameter;
pub use erased::{AnyDomain, AnyMetric, Distance, Value};
use erased::{Loss, Published, ToPython};
pub use release::{
    chain_gaussian, chain_geometric, chain_laplace, chain_quantiles, chain_threshold,
};
pub use stage::{
    chain_clamp, chain_count, chain_count_by_key, chain_histogram, chain_mean, chain_resize,
    chain_sum, chain_variance,
};

/// A domain with a metric on it.
#[pyclass(frozen, eq, module = "lastbit._lastbit")]
#[derive(Clone, PartialEq)]
pub struct NativeSpace {
    pub domain: AnyDomain,
    pub metric: AnyMetric,
}

#[pymethods]
impl NativeSpace {
    /// Rows of `float`, `int` or `str`, of a public size or not, between bounds or not; neighbours
    /// by added and removed rows, or by changed ones.
    #[staticmethod]
    #[pyo3(signature = (element, size=None, change_one=false))]
    fn rows(element: &str, size: Option<usize>, change_one: bool) -> PyResult<NativeSpace> {
        let domain = match element {
            "float" => AnyDomain::Floats(sized(VectorDomain::new(AtomDomain::new()), size)),
            "int" => AnyDomain::Integers(sized(VectorDomain::new(AtomDomain::new()), size)),
            "str" => AnyDomain::Texts(sized(VectorDomain::new(AtomDomain::new()), size)),
            other => {
                return Err(parameter(format!(
                    "rows are of float, int or str, got {other}"
                )));
            }
        };
        if change_one && size.is_none() {
            return Err(parameter(
                "changed rows keep the number of rows, so that it is public: give size",
            ));
        }
        let metric = match change_one {
            true => AnyMetric::ChangeOne,
            false => AnyMetric::Symmetric,
        };
        Ok(NativeSpace { domain, metric })
    }

    /// The domain in words.
    #[getter]
    fn domain(&self) -> String {
        self.domain.to_string()
    }

    /// The metric in words.
    #[getter]
    fn metric(&self) -> String {
        self.metric.to_string()
    }
}

fn sized<D: lastbit::domains::Domain>(
    domain: VectorDomain<D>,
    size: Option<usize>,
) -> VectorDomain<D> {
    match size {
        Some(size) => domain.with_size(size),
        None => domain,
    }
}

type Apply<T> = Arc<dyn Fn(&Value) -> Result<T, lastbit::Error> + Send + Sync>;
type Bound<T> = Arc<dyn Fn(&Distance) -> Result<T, lastbit::Error> + Send + Sync>;

/// What a transformation and a release have alike: what they are applied to, what they give (`T`),
/// and how far that is for inputs so far apart (`D`).
struct Stage<T, D> {
    input: NativeSpace,
    apply: Apply<T>,
    map: Bound<D>,
}

impl<T: 'static, D: 'static> Stage<T, D> {
    /// First a transformation, then this.
    fn after(&self, first: &NativeTransformation) -> PyResult<Stage<T, D>> {
        meet(&first.output, &self.input)?;
        let (apply, then) = (Arc::clone(&first.stage.apply), Arc::clone(&self.apply));
        let (near, far) = (Arc::clone(&first.stage.map), Arc::clone(&self.map));
        Ok(Stage {
            input: first.stage.input.clone(),
            apply: Arc::new(move |value| then(&apply(value)?)),
            map: Arc::new(move |distance| far(&near(distance)?)),
        })
    }
}

impl<T: ToPython + Send, D> Stage<T, D> {
    /// The result for a value of Python.
    fn invoke<'py>(
        &self,
        py: Python<'py>,
        value: &pyo3::Bound<'py, PyAny>,
    ) -> PyResult<pyo3::Bound<'py, PyAny>> {
        let value = self.input.domain.read(value)?;
        let result = py.detach(|| (self.apply)(&value)).map_err(parameter)?;
        result.to_python(py)
    }

    /// How far apart results are for inputs at most this far apart.
    fn map(&self, distance: &str) -> PyResult<D> {
        let distance = self.input.metric.read(distance)?;
        (self.map)(&distance).map_err(parameter)
    }
}

/// As the framework chains: only what is equal.
fn meet(left: &NativeSpace, right: &NativeSpace) -> PyResult<()> {
    if left == right {
        return Ok(());
    }
    Err(parameter(format!(
        "cannot chain: on the left is {} with {}, on the right {} with {}; make them equal, or put \
         a transformation between them",
        left.domain, left.metric, right.domain, right.metric
    )))
}

/// A transformation: neighbours stay as near as its stability map says.
#[pyclass(frozen, module = "lastbit._lastbit")]
pub struct NativeTransformation {
    stage: Stage<Value, Distance>,
    output: NativeSpace,
}

#[pymethods]
impl NativeTransformation {
    /// What it is applied to.
    #[getter]
    fn input(&self) -> NativeSpace {
        self.stage.input.clone()
    }

    /// What it gives.
    #[getter]
    fn output(&self) -> NativeSpace {
        self.output.clone()
    }

    /// The exact result, which is not private.
    fn invoke<'py>(
        &self,
        py: Python<'py>,
        value: &pyo3::Bound<'py, PyAny>,
    ) -> PyResult<pyo3::Bound<'py, PyAny>> {
        self.stage.invoke(py, value)
    }

    /// How far apart results can be if the inputs are at most this far apart: exact text.
    fn map(&self, distance: &str) -> PyResult<String> {
        Ok(self.stage.map(distance)?.to_string())
    }

    /// First this, then the other.
    fn then(&self, right: &NativeTransformation) -> PyResult<NativeTransformation> {
        Ok(NativeTransformation {
            stage: right.stage.after(self)?,
            output: right.output.clone(),
        })
    }

    /// First this, then a release.
    fn then_release(&self, right: &NativeMeasurement) -> PyResult<NativeMeasurement> {
        Ok(NativeMeasurement {
            stage: right.stage.after(self)?,
            measure: right.measure,
        })
    }
}

/// A release: neighbours are as hard to tell apart as its privacy map says.
#[pyclass(frozen, module = "lastbit._lastbit")]
pub struct NativeMeasurement {
    stage: Stage<Published, Loss>,
    /// What losses are measured in.
    #[pyo3(get)]
    measure: &'static str,
}

#[pymethods]
impl NativeMeasurement {
    /// What it is applied to.
    #[getter]
    fn input(&self) -> NativeSpace {
        self.stage.input.clone()
    }

    /// One release, which costs the loss again.
    fn invoke<'py>(
        &self,
        py: Python<'py>,
        value: &pyo3::Bound<'py, PyAny>,
    ) -> PyResult<pyo3::Bound<'py, PyAny>> {
        self.stage.invoke(py, value)
    }

    /// The loss for inputs at most this far apart, rounded up, and δ.
    fn map(&self, distance: &str) -> PyResult<(f64, f64)> {
        let loss = self.stage.map(distance)?;
        Ok((loss.main.get(), loss.delta.get()))
    }
}
