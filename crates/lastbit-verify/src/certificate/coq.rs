//! A certificate as a Coq file: compiling it against `proofs/` proves the loss, without our checker
//! and our exponentials.
//!
//! The file states the program and its loss, and hands Coq the numbers of the certificate;
//! `proofs/Certificate.v` says what they must satisfy. A second theorem says that every number is
//! the least with its digits, so that a changed one is refused.

use core::fmt::Write;

use lastbit_exact::{Integer, Rational};

use super::claim::{Claim, Factor};
use super::document::{BoundedBox, Case, Certificate, InputPlace};

/// The Coq file of a certificate that [`super::check`] accepts for this claim; `None` if it is no
/// such certificate.
///
/// ```
/// use lastbit_verify::certificate::{Claim, coq, prove};
/// let claim = Claim::shipped(&"1".parse()?, &"1".parse()?, &"1000".parse()?, 53);
/// let file = coq(&claim, &prove(&claim)?).unwrap();
/// assert!(file.contains("Theorem loss : private program Delta E."));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn coq(claim: &Claim, certificate: &Certificate) -> Option<String> {
    let facts = Facts::of(claim, certificate)?;
    let mut file = String::new();
    // Writing to a string does not fail.
    facts.write(&mut file).ok()?;
    Some(file)
}

/// A case of the output: the worst bounds over its boxes, and the places that attain them.
struct Worst {
    up: (Rational, InputPlace),
    down: (Rational, InputPlace),
    excess: Rational,
}

impl Worst {
    fn of(case: &Case, boxes: &[BoundedBox]) -> Option<Worst> {
        let visited: Vec<_> = [InputPlace::Inside, InputPlace::Outside, InputPlace::Tail]
            .into_iter()
            .zip(case.boxes)
            .flat_map(|(place, count)| boxes.iter().filter(move |b| b.place == place).take(count))
            .collect();
        let worst = |bound: fn(&BoundedBox) -> &str| {
            visited
                .iter()
                .filter_map(|b| Some((bound(b).parse::<Rational>().ok()?, b.place)))
                .max_by(|a, b| a.0.cmp(&b.0))
        };
        Some(Worst {
            up: worst(|b| &b.up)?,
            down: worst(|b| &b.down)?,
            excess: case.excess.parse().ok()?,
        })
    }
}

struct Facts<'a> {
    claim: &'a Claim,
    lambda: Rational,
    grid: Rational,
    /// Δ of what enters the sum.
    moved: Rational,
    /// The first multiple of Λ at or above B.
    multiples: Integer,
    /// How far an input can be from a cell that holds its neighbour, over λ; and, if that is not
    /// the farthest of all, in cells.
    nearby: Rational,
    cells: Option<Rational>,
    /// An output with one edge, one that holds neither input, one that holds an input.
    cases: [Worst; 3],
    excess: Rational,
    certified: Rational,
}

impl<'a> Facts<'a> {
    fn of(claim: &'a Claim, certificate: &Certificate) -> Option<Facts<'a>> {
        let lambda = claim.scale();
        let grid = Rational::ONE.times_power_of_two(claim.grid_exponent);
        let boxes = &certificate.boxes;
        let case = |index: usize| certificate.cases.get(index);
        let outside: Vec<_> = boxes
            .iter()
            .filter(|b| b.place == InputPlace::Outside)
            .collect();
        let visited = case(2)?.boxes[1];
        let end: Rational = outside.get(visited.checked_sub(1)?)?.to.parse().ok()?;
        let epsilon: Rational = certificate.epsilon.parse().ok()?;
        Some(Facts {
            moved: &epsilon * &lambda,
            multiples: (&claim.bound / &grid).ceil(),
            nearby: &end / &lambda,
            cells: (visited < outside.len()).then(|| &end / &grid),
            cases: [
                Worst::of(case(0)?, boxes)?,
                Worst::of(case(1)?, boxes)?,
                Worst::of(case(2)?, boxes)?,
            ],
            excess: certificate.excess.parse().ok()?,
            certified: certificate.certified.parse().ok()?,
            claim,
            lambda,
            grid,
        })
    }

    fn write(&self, file: &mut String) -> core::fmt::Result {
        let claim = self.claim;
        let list = |factors: &[Factor]| {
            let items: Vec<_> = factors.iter().map(operation).collect();
            format!("[{}]", items.join("; "))
        };
        file.push_str(HEADER);
        writeln!(
            file,
            "Definition program : claim := {{|\n  precision := {}; input := {}; clamped := {};\n  \
             chain := {};\n  grid := {}; bound := {} |}}.",
            claim.precision,
            list(&claim.input),
            claim.clamped,
            list(&claim.noise),
            claim.grid_exponent,
            number(&claim.bound),
        )?;
        let sensitivity = number(&claim.sensitivity);
        writeln!(file, "Definition Delta : R := {sensitivity}.")?;
        let loss = decimal(&self.certified);
        writeln!(
            file,
            "Definition loss_digits : decimal :=\n  {loss}.\nDefinition E : R := real \
             loss_digits.\n"
        )?;
        self.write_numbers(file)?;
        self.write_loss(file)?;
        self.write_digits(file)
    }

    fn write_numbers(&self, file: &mut String) -> core::fmt::Result {
        let [edge, away, held] = &self.cases;
        let roundings = self.claim.noise.iter().filter(|f| power(f).is_none());
        let eta = Rational::ONE.times_power_of_two(-i64::from(self.claim.precision));
        file.push_str(
            "(** The numbers of the certificate. *)\nDefinition numbers : evidence := {|\n",
        );
        for (name, value) in [
            ("small", number(&eta)),
            ("cell_width", number(&self.grid)),
            ("scale", number(&self.lambda)),
            ("multiples", self.multiples.to_string()),
            ("rounded", roundings.count().to_string()),
            ("moved", number(&self.moved)),
            ("nearby", number(&self.nearby)),
            ("up_edge", decimal(&edge.up.0)),
            ("down_edge", decimal(&edge.down.0)),
            ("up_away", decimal(&away.up.0)),
            ("down_away", decimal(&away.down.0)),
            ("up_held", decimal(&held.up.0)),
            ("down_held", decimal(&held.down.0)),
        ] {
            writeln!(file, "  {name} := {value};")?;
        }
        let excess = decimal(&self.excess);
        writeln!(file, "  excess := {excess} |}}.\n")
    }

    fn write_loss(&self, file: &mut String) -> core::fmt::Result {
        file.push_str(
            "Theorem loss : private program Delta E.\nProof.\n  apply certify with numbers. unfold \
             program, numbers, Delta, E, loss_digits. constructor; plain.\n  - lia.\n  - \
             reflexivity.\n  - reflexivity.\n  - ",
        );
        for factor in &self.claim.noise {
            match power(factor) {
                Some(k) => write!(file, "apply exact_operation; [power_of_two ({k})%Z|]. ")?,
                None => file.push_str("apply rounded_operation; [numbers|]. "),
            }
        }
        file.push_str(
            "apply no_operation.\n  - unfold product; cbn; numbers.\n  - bounded.\n  - numbers.\n  \
             - ",
        );
        match self.claim.input.first() {
            None => file.push_str("apply moves_alone; numbers.\n"),
            Some(factor) => match power(factor) {
                Some(k) => writeln!(file, "apply moves_exactly; [power_of_two ({k})%Z|numbers].")?,
                None => {
                    let p = self.claim.precision;
                    let eta = number(&Rational::ONE.times_power_of_two(-i64::from(p)));
                    writeln!(
                        file,
                        "apply moves_rounded; [numbers|change (eta {p}) with ({eta}); numbers]."
                    )?;
                }
            },
        }
        file.push_str(match self.cells {
            Some(_) => "  - left; numbers.\n",
            None => "  - right; numbers.\n",
        });
        file.push_str("  all: numbers.\nQed.\n\n");
        Ok(())
    }

    /// One unit less in any place would not do, and what is copied from the claim is copied
    /// exactly.
    fn write_digits(&self, file: &mut String) -> core::fmt::Result {
        let mut facts = Vec::new();
        for (name, reach, worst) in [
            ("edge", "", &self.cases[0]),
            ("away", " (reach_away program numbers)", &self.cases[1]),
            ("held", " (nearby numbers)", &self.cases[2]),
        ] {
            let bound = |place| match place {
                InputPlace::Inside => "inside numbers".to_owned(),
                InputPlace::Outside => format!("outside numbers{reach}"),
                InputPlace::Tail => "beyond program numbers".to_owned(),
            };
            facts.push(format!(
                "least_up (up_{name} numbers) (up_{})",
                bound(worst.up.1)
            ));
            facts.push(format!(
                "least_down (down_{name} numbers) (down_{})",
                bound(worst.down.1)
            ));
            if worst.excess == self.excess
                && !facts.iter().any(|fact| fact.starts_with("least_excess"))
            {
                facts.push(format!(
                    "least_excess (excess numbers) (up_{name} numbers) (down_{name} numbers)"
                ));
            }
        }
        facts.push(
            "before loss_digits < moved numbers / scale numbers + real (excess numbers)".to_owned(),
        );
        // The bounds have 25 digits, and B may have more.
        let bound = number(&self.claim.bound);
        facts.push(format!("bound program = {bound}"));
        facts.push(match self.claim.input.first() {
            None => "moved numbers = Delta".to_owned(),
            Some(factor) => {
                let exact = format!("moved numbers = value ({}) * Delta", operation(factor));
                match power(factor) {
                    Some(_) => exact,
                    None => format!("{exact} + 2 * small numbers * bound program"),
                }
            }
        });
        facts.push(match &self.cells {
            Some(cells) => format!(
                "nearby numbers = {} * cell_width numbers / scale numbers",
                number(cells)
            ),
            None => "nearby numbers = reach_away program numbers".to_owned(),
        });
        writeln!(
            file,
            "(** Every number is the least with its digits, so that a changed one is a wrong one. \
             *)\nTheorem every_digit :\n  {}.\n\
             Proof. unfold program, numbers, Delta, E, loss_digits. numbers. Qed.",
            facts.join(" /\\\n  ")
        )
    }
}

/// The file says what it proves and how to have it proved.
const HEADER: &str = "(** A certificate of the loss of floating-point snapping, for Coq.

    If \
    it compiles, then [program], the program and its numbers below, loses at most [E] between any \
    two query values of its format that
    differ by at most [Delta] and keep to what [program] \
    assumes of them. The model and the general theorem are in the directory proofs of the Lastbit \
    project; build it
    with [cargo xtask proofs], then compile this file with [coqc -Q \
    target/proofs Lastbit FILE]. *)
From Coq Require Import Reals ZArith List Lra Lia.
From Flocq \
    Require Import Core.
From Interval Require Import Tactic.
From Lastbit Require Import Format \
    Noise Compare Certificate.
Import ListNotations.
Open Scope R_scope.

";

/// The exponent of what an operation multiplies by, if that is a power of two.
fn power(factor: &Factor) -> Option<i64> {
    let constant = factor.constant().to_dyadic()?;
    let exponent = constant.exponent();
    (*constant.mantissa() == Integer::ONE).then_some(match factor {
        Factor::Times(_) => exponent,
        Factor::Over(_) => -exponent,
    })
}

fn operation(factor: &Factor) -> String {
    match factor {
        Factor::Times(c) => format!("Times ({})", number(c)),
        Factor::Over(c) => format!("Over ({})", number(c)),
    }
}

/// A fraction in lowest terms; `/ d` for 1/d, as Coq writes powers of two.
fn number(x: &Rational) -> String {
    let (numerator, denominator) = (x.numerator().to_string(), x.denominator().to_string());
    match (numerator.as_str(), denominator.as_str()) {
        (_, "1") => numerator,
        ("1", _) => format!("/ {denominator}"),
        _ => format!("{numerator} / {denominator}"),
    }
}

/// A number whose decimal ends: its digits, and how many of them are behind the point.
fn decimal(x: &Rational) -> String {
    let text = x.to_string();
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    let zeros = fraction.len();
    format!("{{| digits := {digits}; zeros := {zeros} |}}")
}

#[cfg(test)]
mod tests;
