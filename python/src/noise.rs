//! Noise for numbers: Laplace, Gaussian and geometric, prepared once and drawn from many times.

use lastbit::domains::{AtomDomain, VectorDomain};
use lastbit::measures::Measure;
use lastbit::mechanisms::{Scale, Variance, gaussian, geometric, laplace};
use lastbit::metrics::{Contribution, Metric};
use lastbit::tables::Noise as Size;
use lastbit::{Error, Measurement, MetricSpace, Rational, Up, parse_number};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::error::parameter;

/// A release of a number, or of numbers, with noise; or why there is none.
type Release<T> = Result<Box<dyn Fn(&T) -> Result<T, Error> + Send + Sync>, String>;

/// The loss at a distance.
type LossAt = Box<dyn Fn(&Rational) -> Result<Up, Error> + Send + Sync>;

/// Noise of one kind and size.
#[pyclass(frozen, module = "lastbit._lastbit")]
pub struct Noise {
    float: Release<f64>,
    floats: Release<Vec<f64>>,
    integer: Release<i64>,
    integers: Release<Vec<i64>>,
    loss: LossAt,
}

#[pymethods]
impl Noise {
    /// Laplace noise; without a grid, on one much finer than the scale, and on whole numbers for
    /// integers.
    #[staticmethod]
    fn laplace(scale: &str, grid: Option<i64>) -> PyResult<Noise> {
        let scale: Scale = scale.parse().map_err(parameter)?;
        let fine = grid.unwrap_or_else(|| Size::Laplace(scale.clone()).fine_grid().get());
        let whole = grid.unwrap_or(0);
        let float = laplace(AtomDomain::<f64>::new(), &scale, fine);
        let map = float.as_ref().map_err(parameter)?.privacy_map().clone();
        Ok(Noise {
            float: boxed(float),
            floats: boxed(laplace(floats(), &scale, fine)),
            integer: boxed(laplace(AtomDomain::<i64>::new(), &scale, whole)),
            integers: boxed(laplace(integers(), &scale, whole)),
            loss: Box::new(move |distance| map.eval(distance)),
        })
    }

    /// Gaussian noise; grids as for Laplace noise.
    #[staticmethod]
    fn gaussian(variance: &str, grid: Option<i64>) -> PyResult<Noise> {
        let variance: Variance = variance.parse().map_err(parameter)?;
        let fine = grid.unwrap_or_else(|| Size::Gaussian(variance.clone()).fine_grid().get());
        let whole = grid.unwrap_or(0);
        let float = gaussian(AtomDomain::<f64>::new(), &variance, fine);
        let map = float.as_ref().map_err(parameter)?.privacy_map().clone();
        Ok(Noise {
            float: boxed(float),
            floats: boxed(gaussian(floats(), &variance, fine)),
            integer: boxed(gaussian(AtomDomain::<i64>::new(), &variance, whole)),
            integers: boxed(gaussian(integers(), &variance, whole)),
            loss: Box::new(move |distance| map.eval(distance)),
        })
    }

    /// Two-sided geometric noise, for integers.
    #[staticmethod]
    fn geometric(scale: &str) -> PyResult<Noise> {
        let scale: Scale = scale.parse().map_err(parameter)?;
        let integer = geometric(AtomDomain::<i64>::new(), &scale);
        let map = integer.as_ref().map_err(parameter)?.privacy_map().clone();
        let why = || "geometric noise is for integers; use laplace for floats".to_owned();
        Ok(Noise {
            float: Err(why()),
            floats: Err(why()),
            integer: boxed(integer),
            integers: boxed(geometric(integers(), &scale)),
            loss: Box::new(move |distance| map.eval(distance)),
        })
    }

    /// A float with noise.
    fn float(&self, value: f64) -> PyResult<f64> {
        draw(&self.float, &value)
    }

    /// An integer with noise.
    fn integer(&self, value: i64) -> PyResult<i64> {
        draw(&self.integer, &value)
    }

    /// Floats, each with noise of its own.
    fn floats<'py>(
        &self,
        py: Python<'py>,
        values: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let values = values.as_array().to_vec();
        let noisy = py.detach(|| draw(&self.floats, &values))?;
        Ok(PyArray1::from_vec(py, noisy))
    }

    /// Integers, each with noise of its own.
    fn integers<'py>(
        &self,
        py: Python<'py>,
        values: PyReadonlyArray1<'py, i64>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let values = values.as_array().to_vec();
        let noisy = py.detach(|| draw(&self.integers, &values))?;
        Ok(PyArray1::from_vec(py, noisy))
    }

    /// The loss for numbers that move by at most this, rounded up.
    fn loss(&self, sensitivity: &str) -> PyResult<f64> {
        let distance = parse_number("sensitivity", sensitivity).map_err(parameter)?;
        Ok((self.loss)(&distance).map_err(parameter)?.get())
    }
}

/// The scale at which Laplace and geometric noise have the loss ε.
#[pyfunction]
pub fn scale_for_epsilon(epsilon: &str, sensitivity: &str) -> PyResult<String> {
    let epsilon = epsilon.parse().map_err(parameter)?;
    let scale = Scale::for_epsilon(&sensitivity.parse().map_err(parameter)?, &epsilon);
    Ok(fraction(scale.get()))
}

/// The variance at which Gaussian noise has the loss ρ.
#[pyfunction]
pub fn variance_for_rho(rho: &str, sensitivity: &str) -> PyResult<String> {
    let rho = rho.parse().map_err(parameter)?;
    let variance = Variance::for_rho(&sensitivity.parse().map_err(parameter)?, &rho);
    Ok(fraction(variance.get()))
}

/// As `_exact.py` writes numbers: a decimal may have many more digits.
fn fraction(number: &Rational) -> String {
    format!("{}/{}", number.numerator(), number.denominator())
}

/// The noise with the loss ε or ρ for counts to which one person adds this much.
pub fn for_counts(
    one_person: &Contribution,
    epsilon: Option<&str>,
    rho: Option<&str>,
) -> PyResult<Size> {
    let norms = one_person.norms();
    let noise = match (epsilon, rho) {
        (Some(epsilon), None) => Size::laplace(&norms, &epsilon.parse().map_err(parameter)?),
        (None, Some(rho)) => Size::gaussian(&norms, &rho.parse().map_err(parameter)?),
        _ => return Err(parameter("give one of epsilon and rho")),
    };
    noise.map_err(parameter)
}

fn floats() -> VectorDomain<AtomDomain<f64>> {
    VectorDomain::new(AtomDomain::new())
}

fn integers() -> VectorDomain<AtomDomain<i64>> {
    VectorDomain::new(AtomDomain::new())
}

fn draw<T>(release: &Release<T>, value: &T) -> PyResult<T> {
    match release {
        Ok(release) => release(value).map_err(parameter),
        Err(why) => Err(parameter(why)),
    }
}

fn boxed<D, MI, MO>(built: Result<Measurement<D, MI, MO, D::Carrier>, Error>) -> Release<D::Carrier>
where
    D: MetricSpace<MI> + 'static,
    D::Carrier: Sized,
    MI: Metric,
    MO: Measure,
{
    match built {
        Ok(measurement) => Ok(Box::new(move |value: &D::Carrier| {
            measurement.invoke(value)
        })),
        Err(error) => Err(error.to_string()),
    }
}
