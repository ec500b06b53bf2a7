//! Domains, metrics, values and distances, whichever they are.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use lastbit::domains::{AtomDomain, Domain, MapDomain, VectorDomain};
use lastbit::measures::{MaxDivergence, Measure, ZeroConcentratedDivergence};
use lastbit::metrics::{
    AbsoluteDistance, ChangeOneDistance, Contribution, ContributionDistance, L1Distance,
    L2Distance, Metric, SymmetricDistance,
};
use lastbit::{
    Error, Integer, Measurement, MetricSpace, Rational, Rounding, Transformation, Up, parse_number,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::{NativeMeasurement, NativeSpace, NativeTransformation, Stage};
use crate::error::{DataError, parameter};

macro_rules! erased {
    ($($variant:ident: $domain:ty),* $(,)?) => {
        /// A domain.
        #[derive(Clone, PartialEq)]
        pub enum AnyDomain { $($variant($domain)),* }

        /// A member of a domain.
        pub enum Value { $($variant(<$domain as Domain>::Carrier)),* }

        impl fmt::Display for AnyDomain {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self { $(AnyDomain::$variant(domain) => write!(f, "{domain}")),* }
            }
        }

        $(impl Erased for $domain {
            fn erase(self) -> AnyDomain {
                AnyDomain::$variant(self)
            }

            fn take(value: &Value) -> Option<&Self::Carrier> {
                match value {
                    Value::$variant(value) => Some(value),
                    _ => None,
                }
            }

            fn give(value: Self::Carrier) -> Value {
                Value::$variant(value)
            }
        })*
    };
}

/// A domain whose type can be forgotten.
pub trait Erased: Domain<Carrier: Sized> {
    fn erase(self) -> AnyDomain;
    fn take(value: &Value) -> Option<&Self::Carrier>;
    fn give(value: Self::Carrier) -> Value;
}

erased! {
    Floats: VectorDomain<AtomDomain<f64>>,
    Integers: VectorDomain<AtomDomain<i64>>,
    Texts: VectorDomain<AtomDomain<String>>,
    Small: AtomDomain<i64>,
    Whole: AtomDomain<Integer>,
    Number: AtomDomain<Rational>,
    Counts: MapDomain<AtomDomain<String>, AtomDomain<i64>>,
}

impl AnyDomain {
    /// A value of Python, if it has the type of this domain; whether it is a member, the stage
    /// checks. No message has the value.
    pub fn read(&self, value: &Bound<'_, PyAny>) -> PyResult<Value> {
        // Arrays give their numbers as a list; a list of numpy's numbers is read one by one.
        let listed = match value.hasattr("tolist")? {
            true => value.call_method0("tolist")?,
            false => value.clone(),
        };
        let read = match self {
            AnyDomain::Floats(_) => listed.extract().map(Value::Floats),
            AnyDomain::Integers(_) => listed.extract().map(Value::Integers),
            AnyDomain::Texts(_) => listed.extract().map(Value::Texts),
            AnyDomain::Small(_) => listed.extract().map(Value::Small),
            AnyDomain::Counts(_) => listed.extract().map(Value::Counts),
            AnyDomain::Whole(_) | AnyDomain::Number(_) => listed
                .str()
                .and_then(|text| Ok(text.to_str()?.to_owned()))
                .and_then(|text| parse_number("value", &text).map_err(parameter))
                .map(|number| match self {
                    AnyDomain::Whole(_) => Value::Whole(number.floor()),
                    _ => Value::Number(number),
                }),
        };
        read.map_err(|_| DataError::new_err(format!("the data are not {self}")))
    }
}

/// What Python can hold.
pub trait ToPython {
    /// As Python has it.
    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>>;
}

impl ToPython for Value {
    /// Exactly.
    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(match self {
            Value::Floats(values) => PyList::new(py, values)?.into_any(),
            Value::Integers(values) => PyList::new(py, values)?.into_any(),
            Value::Texts(values) => PyList::new(py, values)?.into_any(),
            Value::Small(value) => value.into_pyobject(py)?.into_any(),
            Value::Whole(value) => whole(py, value)?,
            Value::Number(value) => py
                .import("fractions")?
                .getattr("Fraction")?
                .call1((value.to_string(),))?,
            Value::Counts(counts) => counts.into_pyobject(py)?.into_any(),
        })
    }
}

fn whole<'py>(py: Python<'py>, value: &Integer) -> PyResult<Bound<'py, PyAny>> {
    py.import("builtins")?
        .getattr("int")?
        .call1((value.to_string(),))
}

/// A metric.
#[derive(Clone, Copy, PartialEq)]
pub enum AnyMetric {
    Symmetric,
    ChangeOne,
    Absolute,
    L1,
    L2,
    Contribution,
}

/// How far apart two inputs are.
pub enum Distance {
    Rows(u64),
    Exact(Rational),
    Rounded(Up),
    Keys(Contribution),
}

impl fmt::Display for Distance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Distance::Rows(rows) => write!(f, "{rows}"),
            Distance::Exact(number) => write!(f, "{number}"),
            Distance::Rounded(number) => write!(f, "{number}"),
            Distance::Keys(keys) => write!(f, "{} {}", keys.keys(), keys.each()),
        }
    }
}

/// A metric whose type can be forgotten.
pub trait ErasedMetric: Metric {
    const ANY: AnyMetric;
    fn take(distance: &Distance) -> Option<&Self::Distance>;
    fn give(distance: Self::Distance) -> Distance;
}

macro_rules! metrics {
    ($($metric:ident, $any:ident, $variant:ident);* $(;)?) => {
        $(impl ErasedMetric for $metric {
            const ANY: AnyMetric = AnyMetric::$any;

            fn take(distance: &Distance) -> Option<&Self::Distance> {
                match distance {
                    Distance::$variant(distance) => Some(distance),
                    _ => None,
                }
            }

            fn give(distance: Self::Distance) -> Distance {
                Distance::$variant(distance)
            }
        })*

        impl fmt::Display for AnyMetric {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self { $(AnyMetric::$any => write!(f, "{}", $metric)),* }
            }
        }

        impl AnyMetric {
            /// A distance in this metric: a number of rows, an exact number, or keys and the most
            /// of each with a space between them.
            pub fn read(self, text: &str) -> PyResult<Distance> {
                let number = |text: &str| parse_number("distance", text).map_err(parameter);
                match self {
                    AnyMetric::Symmetric | AnyMetric::ChangeOne => match text.parse() {
                        Ok(rows) => Ok(Distance::Rows(rows)),
                        Err(_) => Err(parameter("this distance is a whole number of rows")),
                    },
                    AnyMetric::Absolute | AnyMetric::L1 => number(text).map(Distance::Exact),
                    AnyMetric::L2 => {
                        Ok(Distance::Rounded(Up::from_rational(&number(text)?)))
                    }
                    AnyMetric::Contribution => {
                        let (keys, each) = text.split_once(' ').unwrap_or((text, "1"));
                        let keys = keys.parse().map_err(|_| {
                            parameter("this distance is a number of keys and the most of each")
                        })?;
                        let keys = Contribution::new(keys, number(each)?).map_err(parameter)?;
                        Ok(Distance::Keys(keys))
                    }
                }
            }
        }
    };
}
metrics! {
    SymmetricDistance, Symmetric, Rows;
    ChangeOneDistance, ChangeOne, Rows;
    AbsoluteDistance, Absolute, Exact;
    L1Distance, L1, Exact;
    L2Distance, L2, Rounded;
    ContributionDistance, Contribution, Keys;
}

/// A fault of this crate: a chain has checked the spaces.
fn mixed() -> Error {
    Error::other("this is a fault of lastbit: a stage was given another type; report it")
}

/// A transformation without its type.
pub fn transformation<DI, MI, DO, MO>(
    built: Result<Transformation<DI, MI, DO, MO>, Error>,
) -> PyResult<NativeTransformation>
where
    DI: Erased + MetricSpace<MI>,
    MI: ErasedMetric,
    DO: Erased + MetricSpace<MO>,
    MO: ErasedMetric,
{
    let built = built.map_err(parameter)?;
    let map = built.stability_map().clone();
    let output = NativeSpace {
        domain: built.output_domain().clone().erase(),
        metric: MO::ANY,
    };
    let stage = Stage {
        input: NativeSpace {
            domain: built.input_domain().clone().erase(),
            metric: MI::ANY,
        },
        apply: Arc::new(move |value| {
            let value = DI::take(value).ok_or_else(mixed)?;
            built.invoke(value).map(DO::give)
        }),
        map: Arc::new(move |distance| {
            map.eval(MI::take(distance).ok_or_else(mixed)?)
                .map(MO::give)
        }),
    };
    Ok(NativeTransformation { stage, output })
}

/// What a release published.
pub enum Published {
    Small(i64),
    Whole(Integer),
    Number(Rational),
    Integers(Vec<i64>),
    Floats(Vec<f64>),
    Counts(BTreeMap<String, i64>),
}

impl ToPython for Published {
    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(match self {
            Published::Small(value) => value.into_pyobject(py)?.into_any(),
            Published::Whole(value) => whole(py, value)?,
            // What is published may be rounded.
            Published::Number(value) => value
                .to_f64(Rounding::NearestEven)
                .into_pyobject(py)?
                .into_any(),
            Published::Integers(values) => PyList::new(py, values)?.into_any(),
            Published::Floats(values) => PyList::new(py, values)?.into_any(),
            Published::Counts(counts) => {
                let published = PyDict::new(py);
                for (key, count) in counts {
                    published.set_item(key, count)?;
                }
                published.into_any()
            }
        })
    }
}

macro_rules! published {
    ($($variant:ident: $type:ty),* $(,)?) => {
        $(impl From<$type> for Published {
            fn from(value: $type) -> Published {
                Published::$variant(value)
            }
        })*
    };
}
published! {
    Small: i64,
    Whole: Integer,
    Number: Rational,
    Integers: Vec<i64>,
    Floats: Vec<f64>,
    Counts: BTreeMap<String, i64>,
}

/// What a release costs.
pub struct Loss {
    pub main: Up,
    pub delta: Up,
}

impl From<Up> for Loss {
    fn from(main: Up) -> Loss {
        Loss {
            main,
            delta: Up::ZERO,
        }
    }
}

impl From<lastbit::measures::WithDelta<Up>> for Loss {
    fn from(loss: lastbit::measures::WithDelta<Up>) -> Loss {
        Loss {
            main: *loss.loss(),
            delta: loss.delta(),
        }
    }
}

/// A measure with a name for Python.
pub trait Named: Measure<Distance: Into<Loss>> {
    const NAME: &'static str;
}

impl Named for MaxDivergence {
    const NAME: &'static str = "epsilon";
}

impl Named for ZeroConcentratedDivergence {
    const NAME: &'static str = "rho";
}

impl Named for lastbit::measures::Approximate<MaxDivergence> {
    const NAME: &'static str = "epsilon";
}

impl Named for lastbit::measures::Approximate<ZeroConcentratedDivergence> {
    const NAME: &'static str = "rho";
}

/// A release without its type.
pub fn measurement<DI, MI, M, T>(
    built: Result<Measurement<DI, MI, M, T>, Error>,
) -> PyResult<NativeMeasurement>
where
    DI: Erased + MetricSpace<MI>,
    MI: ErasedMetric,
    M: Named,
    T: Into<Published> + 'static,
{
    let built = built.map_err(parameter)?;
    let map = built.privacy_map().clone();
    let stage = Stage {
        input: NativeSpace {
            domain: built.input_domain().clone().erase(),
            metric: MI::ANY,
        },
        apply: Arc::new(move |value| {
            let value = DI::take(value).ok_or_else(mixed)?;
            built.invoke(value).map(Into::into)
        }),
        map: Arc::new(move |distance| {
            map.eval(MI::take(distance).ok_or_else(mixed)?)
                .map(Into::into)
        }),
    };
    Ok(NativeMeasurement {
        stage,
        measure: M::NAME,
    })
}
