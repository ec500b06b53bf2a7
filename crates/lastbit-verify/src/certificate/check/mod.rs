//! The checker: reads a certificate, trusts nothing in it, and shares no code with the prover.
//!
//! Every number is either recomputed from the claim in exact rationals and compared, or a bound v
//! of 25 digits of a real κ, for which both `κ ≤ v` and `κ > v − 1 unit` are established as signs
//! of sums of exponentials, enclosed with directed rounding. So there is one certificate for a
//! claim, and any other is refused.

mod claim;
mod sign;

use lastbit_exact::Rational;

use super::document::{BoundedBox, CASES, Case, Certificate, FORMAT, InputPlace};
use claim::{Facts, number};
pub use claim::{Operation, Stated};
use sign::{Sum, sign, unit_of};

/// What a certificate that was accepted establishes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Accepted {
    /// The loss is at most this, for all inputs of the claim and all outputs.
    pub certified: Rational,
    /// The loss of the same mechanism in real arithmetic.
    pub epsilon: Rational,
    /// How many statements were established.
    pub steps: usize,
    /// What it is about.
    pub claim: Stated,
}

impl Accepted {
    /// What is asked of the query beyond the program: one sentence each.
    pub fn assumptions(&self) -> Vec<String> {
        let Stated {
            precision,
            sensitivity,
            ..
        } = &self.claim;
        let mut all = vec![
            format!(
                "f is a number of {precision} bits; one person moves it by at most {sensitivity}"
            ),
            format!("arithmetic of {precision} bits whose exponents have no limits"),
        ];
        if let Some(most) = &self.claim.query_within {
            all.insert(
                0,
                format!("|f| ≤ {most}, as the program does not clamp its input"),
            );
        }
        all
    }
}

/// The first step of a certificate that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{step}: {problem}")]
#[non_exhaustive]
pub struct BadStep {
    /// Which step: a field of the certificate.
    pub step: String,
    /// What is wrong with it.
    pub problem: String,
}

/// Accepts a certificate, or names its first bad step.
pub fn check(certificate: &Certificate) -> Result<Accepted, BadStep> {
    if certificate.format != FORMAT {
        return bad("format", format!("expected `{FORMAT}`"));
    }
    let facts = Facts::of(&certificate.claim)?;
    let epsilon = &facts.sensitivity / &facts.scale;
    equal("epsilon", &certificate.epsilon, &epsilon)?;

    let bounds = check_boxes(&facts, &certificate.boxes)?;
    let largest = check_cases(&facts, &bounds, &certificate.cases)?;
    equal("excess", &certificate.excess, &largest)?;

    // ε up to the unit of the excess, and the excess.
    let unit = unit_of(&largest).ok_or_else(|| step("excess", "not positive"))?;
    let whole = Rational::from((&epsilon / &unit).ceil());
    let certified = &(&whole * &unit) + &largest;
    equal("certified", &certificate.certified, &certified)?;
    Ok(Accepted {
        certified,
        epsilon,
        steps: 3 + claim::STEPS + 3 * certificate.boxes.len() + 2 * certificate.cases.len(),
        claim: facts.stated,
    })
}

/// Accepts a certificate in JSON, or names its first bad step.
pub fn check_json(text: &str) -> Result<Accepted, BadStep> {
    let certificate: Certificate = serde_json::from_str(text)
        .map_err(|error| step("certificate", &format!("not readable: {error}")))?;
    check(&certificate)
}

struct Bounds {
    place: InputPlace,
    to: Rational,
    up: Rational,
    down: Rational,
}

/// The boxes cover every distance of every place, and each of their bounds holds and is the least
/// of its digits.
fn check_boxes(facts: &Facts, boxes: &[BoundedBox]) -> Result<Vec<Bounds>, BadStep> {
    let expected = facts.ends();
    if boxes.len() != expected.len() {
        let problem = format!("{} boxes, expected {}", boxes.len(), expected.len());
        return bad("boxes", problem);
    }
    let mut bounds = Vec::with_capacity(boxes.len());
    for (i, (given, (place, to))) in boxes.iter().zip(expected).enumerate() {
        let name = |field: &str| format!("boxes[{i}].{field}");
        if given.place != place {
            return bad(&name("place"), format!("expected {place:?}"));
        }
        equal(&name("to"), &given.to, &to)?;
        let up = number(&name("up"), &given.up)?;
        let down = number(&name("down"), &given.down)?;
        tight(facts, &name("up"), &up, |v| facts.up(place, &to, v))?;
        tight(facts, &name("down"), &down, |v| facts.down(place, &to, v))?;
        bounds.push(Bounds {
            place,
            to,
            up,
            down,
        });
    }
    Ok(bounds)
}

/// Each case visits the boxes that it must, and its excess is right; gives the largest.
fn check_cases(facts: &Facts, boxes: &[Bounds], cases: &[Case]) -> Result<Rational, BadStep> {
    if cases.len() != CASES.len() {
        return bad("cases", format!("{} cases, expected 7", cases.len()));
    }
    let all = |place: InputPlace| boxes.iter().filter(move |b| b.place == place);
    // Every box that begins within Δ of the cell.
    let near = 1 + all(InputPlace::Outside)
        .take_while(|b| b.to < facts.sensitivity)
        .count();
    let near = near.min(all(InputPlace::Outside).count());
    let far = all(InputPlace::Outside).count();
    let tail = all(InputPlace::Tail).count();
    let mut largest = Rational::ZERO;
    for (i, case) in cases.iter().enumerate() {
        let name = |field: &str| format!("cases[{i}].{field}");
        if case.output != CASES[i] {
            return bad(&name("output"), format!("expected `{}`", CASES[i]));
        }
        let visited = match i {
            0 | 6 => [1, 0, tail],
            1 | 5 => [0, far, 0],
            2 | 4 => [1, near, 0],
            _ => [0, near, 0],
        };
        if case.boxes != visited {
            return bad(&name("boxes"), format!("expected {visited:?}"));
        }
        let places = [InputPlace::Inside, InputPlace::Outside, InputPlace::Tail];
        let reached = || {
            places
                .iter()
                .zip(visited)
                .flat_map(|(&place, n)| all(place).take(n))
        };
        let up = reached().map(|b| &b.up).max();
        let down = reached().map(|b| &b.down).max();
        let (Some(up), Some(down)) = (up, down) else {
            return bad(&name("boxes"), "no box".to_owned());
        };
        // v ≥ ln((1 + up)/(1 − down)) if and only if e^v (1 − down) ≥ 1 + up.
        let rest = &Rational::ONE - down;
        if !rest.is_positive() {
            return bad(&name("boxes"), "a probability may vanish".to_owned());
        }
        let excess = number(&name("excess"), &case.excess)?;
        tight(facts, &name("excess"), &excess, |v| {
            Sum::new()
                .term(rest.clone(), v.clone())
                .constant(-&(&Rational::ONE + up))
        })?;
        largest = largest.max(excess);
    }
    Ok(largest)
}

/// `slack(v) ≥ 0 > slack(v − unit)`, where slack is increasing: v is the least bound of 25 digits.
fn tight(
    facts: &Facts,
    name: &str,
    v: &Rational,
    slack: impl Fn(&Rational) -> Sum,
) -> Result<(), BadStep> {
    let Some(unit) = unit_of(v) else {
        return bad(name, "not positive".to_owned());
    };
    let digits = v / &unit;
    if digits != Rational::from(digits.floor()) {
        return bad(name, "more than 25 digits".to_owned());
    }
    let decide = |v: &Rational| {
        sign(&slack(v), facts.precision + 128)
            .ok_or_else(|| step(name, "could not be decided in 2^15 bits"))
    };
    if decide(v)? < 0 {
        return bad(name, "the bound does not hold".to_owned());
    }
    if decide(&(v - &unit))? >= 0 {
        return bad(name, "not the least bound of 25 digits".to_owned());
    }
    Ok(())
}

fn equal(name: &str, text: &str, expected: &Rational) -> Result<(), BadStep> {
    if number(name, text)? == *expected {
        Ok(())
    } else {
        bad(name, "not the number that the claim gives".to_owned())
    }
}

fn step(name: &str, problem: &str) -> BadStep {
    BadStep {
        step: name.to_owned(),
        problem: problem.to_owned(),
    }
}

fn bad<T>(name: &str, problem: String) -> Result<T, BadStep> {
    Err(step(name, &problem))
}
