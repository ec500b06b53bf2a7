//! Proofs about mechanisms that are written as programs.

use std::collections::BTreeMap;

use lastbit::{Rational, Up, parse_number};
use lastbit_verify::certificate::prove_program;
use lastbit_verify::language::{Checked, OperationArithmetic, library, parse};
use lastbit_verify::semantics::Instance;
use pyo3::prelude::*;

use crate::error::parameter;

/// A bound on the loss, where the proof fails, and the largest query that it is about.
type Proved = (Option<f64>, Option<String>, Option<String>);

/// The loss that is certified for a program, or one that ships with the package by its name, in a
/// format of so many bits, and the largest query that the proof is about if the program does not
/// clamp; or where the proof fails.
#[pyfunction]
pub fn verify_program(
    py: Python<'_>,
    program: &str,
    precision: u32,
    parameters: BTreeMap<String, String>,
) -> PyResult<Proved> {
    if !(2..=1000).contains(&precision) {
        return Err(parameter("precision must be from 2 to 1000 bits"));
    }
    let values = parameters
        .into_iter()
        .map(|(name, text)| {
            let value = parse_number("parameter", &text).map_err(parameter)?;
            Ok((name, value))
        })
        .collect::<PyResult<BTreeMap<String, Rational>>>()?;
    let text = library(program).unwrap_or(program);
    py.detach(|| {
        let parsed = parse(text).map_err(|error| parameter(error.to_string()))?;
        let checked = Checked::new(parsed).map_err(|errors| {
            let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
            parameter(errors.join("\n"))
        })?;
        if checked.arithmetic() == OperationArithmetic::Real {
            let why = "the program computes with real numbers: nothing rounds, so that there is \
                       nothing to certify";
            return Ok((None, Some(why.to_owned()), None));
        }
        let instance = Instance::new(checked, &values).map_err(parameter)?;
        match prove_program(&instance, precision) {
            Err(gap) => Ok((None, Some(gap.to_string()), None)),
            Ok((claim, certificate)) => {
                let loss: Rational = certificate.certified.parse().map_err(parameter)?;
                let within = claim.query_within().map(|within| within.to_string());
                Ok((Some(Up::from_rational(&loss).get()), None, within))
            }
        }
    })
}
