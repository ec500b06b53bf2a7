//! What a program is run on: a query value and a value for each sample, or intervals of them.

use std::collections::BTreeMap;

use lastbit_exact::{Dyadic, Enclosure};

use super::Instance;
use crate::language::Distribution;

/// A query value and a value of each sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inputs {
    /// f.
    pub query: Dyadic,
    /// By name.
    pub samples: BTreeMap<String, Dyadic>,
}

/// An interval for the query value and one for each sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Boxes {
    /// Where f lies.
    pub query: Enclosure,
    /// Where each sample lies, by name.
    pub samples: BTreeMap<String, Enclosure>,
}

/// Why inputs do not fit a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// A sample without a value.
    #[error("the sample `{0}` has no value; give one")]
    Missing(String),
    /// A value for a name that is no sample.
    #[error("the program draws no sample `{0}`; remove its value")]
    Unknown(String),
    /// A sign that is not −1 or 1.
    #[error("the sign `{0}` must be -1 or 1")]
    Sign(String),
    /// A uniform outside (0, 1).
    #[error("the uniform `{0}` must lie strictly between 0 and 1")]
    Uniform(String),
    /// A number too large or too small to compute with.
    #[error(
        "`{0}` is beyond 2^±{limit} in size; give a number of moderate size",
        limit = super::interval::EXPONENT_LIMIT
    )]
    Size(String),
    /// The program divides by zero, takes a logarithm it must not, or leaves the numbers that can
    /// be computed with.
    #[error(transparent)]
    Evaluation(#[from] crate::language::Diagnostic),
}

impl Inputs {
    /// A query value and no samples yet.
    pub fn new(query: Dyadic) -> Inputs {
        Inputs {
            query,
            samples: BTreeMap::new(),
        }
    }

    /// With a value for a sample.
    pub fn with(mut self, sample: &str, value: Dyadic) -> Inputs {
        self.samples.insert(sample.to_owned(), value);
        self
    }
}

impl Boxes {
    /// An interval for the query value and none for samples yet.
    pub fn new(query: Enclosure) -> Boxes {
        Boxes {
            query,
            samples: BTreeMap::new(),
        }
    }

    /// With an interval for a sample.
    pub fn with(mut self, sample: &str, values: Enclosure) -> Boxes {
        self.samples.insert(sample.to_owned(), values);
        self
    }
}

impl From<&Inputs> for Boxes {
    /// The intervals of one point each.
    fn from(inputs: &Inputs) -> Boxes {
        let point = |value: &Dyadic| Enclosure::exact(value.clone());
        Boxes {
            query: point(&inputs.query),
            samples: inputs
                .samples
                .iter()
                .map(|(name, value)| (name.clone(), point(value)))
                .collect(),
        }
    }
}

impl Instance {
    /// Checks that there is an interval of possible values for each sample, and for nothing else.
    pub(super) fn check_inputs(&self, boxes: &Boxes) -> Result<(), InputError> {
        let program = self.program();
        if let Some(name) = boxes
            .samples
            .keys()
            .find(|name| program.distribution(name).is_none())
        {
            return Err(InputError::Unknown(name.clone()));
        }
        super::interval::check_size("f", &boxes.query)?;
        for (name, distribution) in program.samples() {
            let values = boxes
                .samples
                .get(name)
                .ok_or_else(|| InputError::Missing(name.to_owned()))?;
            super::interval::check_size(name, values)?;
            let one = Dyadic::ONE;
            match distribution {
                Distribution::Sign => {
                    let is_sign = |x: &Dyadic| x.abs() == one;
                    if !is_sign(values.lo()) || !is_sign(values.hi()) {
                        return Err(InputError::Sign(name.to_owned()));
                    }
                }
                Distribution::Uniform(_) => {
                    if !values.lo().is_positive() || *values.hi() >= one {
                        return Err(InputError::Uniform(name.to_owned()));
                    }
                }
                Distribution::Laplace { .. } => {}
            }
        }
        Ok(())
    }
}
