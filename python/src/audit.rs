//! Audits and attacks of outputs that a Python callable gave.

use std::collections::HashMap;
use std::collections::VecDeque;

use lastbit::{Confidence, Rational, parse_number};
use lastbit_verify::attack::{Input, Target, TargetError, least_bits as attack};
use lastbit_verify::audit::{AuditClaim, AuditFinding, Feature, Output, Samples, audit_samples};
use pyo3::prelude::*;

use crate::error::parameter;

/// What a callable gave: a number, or the text of something else.
#[derive(FromPyObject)]
pub enum Given {
    Number(f64),
    Word(String),
}

/// A finding: the likelier side, the event, how often it occurred on both sides and of how many,
/// and the lower bound on ε.
type Found = (String, String, [u64; 2], u64, f64);

/// The findings for both orderings, the best lower bound, and whether the claim is refuted.
#[pyfunction]
pub fn audit_outputs(
    py: Python<'_>,
    a: Vec<Given>,
    b: Vec<Given>,
    epsilon: &str,
    delta: &str,
    confidence: &str,
) -> PyResult<(Vec<Found>, f64, bool)> {
    let claim = claim(epsilon, delta)?;
    let confidence: Confidence = confidence.parse().map_err(parameter)?;
    if a.len() < 4 || a.len() != b.len() {
        return Err(parameter("an audit needs four draws or more of each input"));
    }
    py.detach(|| {
        let mut words = Vec::new();
        let mut known = HashMap::new();
        let mut output = |given: Given| match given {
            Given::Number(number) => Output::Number(number),
            Given::Word(word) => Output::Word(*known.entry(word).or_insert_with_key(|word| {
                words.push(word.clone());
                words.len() as u32 - 1
            })),
        };
        let outputs = [a, b].map(|side| side.into_iter().map(&mut output).collect());
        let samples = Samples { outputs, words };
        let report = audit_samples(&samples, &claim, &confidence, true, &Feature::ALL);
        let found = |finding: &AuditFinding| {
            let event = finding.event.describe(&samples.words);
            let side = finding.likelier.name().to_owned();
            let bound = finding.lower_bound.get();
            (side, event, finding.counts, finding.trials, bound)
        };
        let findings = report.findings.iter().map(found).collect();
        let best = report.best().lower_bound.get();
        Ok((findings, best, report.refutes_claim()))
    })
}

/// How many outputs gave their input away by their last bits, of how many, how many of those
/// wrongly, the lower bound on ε from bits alone, and whether the attack succeeded.
#[pyfunction]
pub fn least_bits(
    py: Python<'_>,
    a: Vec<f64>,
    b: Vec<f64>,
    epsilon: &str,
    delta: &str,
    confidence: &str,
) -> PyResult<(u64, u64, u64, f64, bool)> {
    let claim = claim(epsilon, delta)?;
    let confidence: Confidence = confidence.parse().map_err(parameter)?;
    let draws = a.len();
    if draws < 4 || draws != b.len() {
        return Err(parameter(
            "an attack needs four draws or more of each input",
        ));
    }
    let (mut a, mut b) = (VecDeque::from(a), VecDeque::from(b));
    let draw = move |input| {
        let side = match input {
            Input::A => &mut a,
            _ => &mut b,
        };
        side.pop_front()
            .ok_or_else(|| TargetError::new("no draws are left"))
    };
    let found = py.detach(|| {
        let mut target = Target::new(claim, ["A", "B", "far"], None, draw);
        attack(&mut target, draws, &confidence)
    });
    let found = found.map_err(parameter)?;
    Ok((
        found.revealed.count,
        found.revealed.trials,
        found.wrong,
        found.loss.best().lower_bound.get(),
        found.succeeded(),
    ))
}

fn claim(epsilon: &str, delta: &str) -> PyResult<AuditClaim> {
    let epsilon: lastbit::Epsilon = epsilon.parse().map_err(parameter)?;
    let delta = parse_number("delta", delta).map_err(parameter)?;
    if delta.is_negative() || delta >= Rational::ONE {
        return Err(parameter("delta must be from 0 to below 1"));
    }
    Ok(AuditClaim {
        epsilon: epsilon.get().clone(),
        delta,
    })
}
