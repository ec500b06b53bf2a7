//! `lastbit verify check FILE`.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use lastbit::{Epsilon, Sensitivity};
use lastbit_exact::{Rational, Rounding, Up};
use lastbit_verify::certificate::{
    Accepted, Claim, Factor, Operation, Stated, check_json, prove_program,
};
use serde_json::{Value, json};

use super::source::{self, Source};
use crate::number::{at_least, json_up, named, upper};
use lastbit_release::clean::{path, shown};

#[derive(Args)]
#[command(
    before_long_help = "\
Reads a certificate that `lastbit verify snapping --certificate FILE` wrote, and establishes every \
one of its statements anew, with directed rounding and without the prover. It is accepted, or its \
first bad step is named. What was accepted is printed: a certificate says nothing about another \
program, other numbers, or queries that it does not speak of. A certificate with any number \
changed is refused; other spellings of the same numbers are not (0.5 for 1/2, other white space, \
another order of the fields).

A certificate that `lastbit verify snapping --coq FILE` wrote is for Coq, which checks it without \
any code of this project.

To tie it to what you run, say what it must be about: the text of the program, or its numbers. \
Everything given must match.",
    after_long_help = "\
Examples:
  lastbit verify check loss.json
  lastbit verify check loss.json --precision 53 --sensitivity 1 --bound 1000 --loss 0.11
  lastbit verify check loss.json --program mechanism.lb"
)]
pub struct Check {
    /// The certificate; `-` reads it from standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The program that it must be about; `-` reads it from standard input
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,

    /// Significant bits of the arithmetic
    #[arg(long, value_name = "P")]
    precision: Option<u32>,

    /// How far one person moves the query; with --program also its parameter `Delta`
    #[arg(long, value_name = "D", allow_hyphen_values = true)]
    sensitivity: Option<Sensitivity>,

    /// Scale of the noise, λ; a number that P bits cannot hold stands for those next to it
    #[arg(long, value_name = "L", allow_hyphen_values = true, value_parser = named("scale"))]
    scale: Option<Rational>,

    /// The grid, Λ
    #[arg(long, value_name = "G", allow_hyphen_values = true, value_parser = named("grid"))]
    grid: Option<Rational>,

    /// Bound of inputs and outputs, as --scale; with --program also its parameter `B`
    #[arg(long, value_name = "B", allow_hyphen_values = true, value_parser = named("bound"))]
    bound: Option<Rational>,

    /// The loss of the same noise over the real numbers must be at most this; with --program also
    /// its parameter `epsilon`
    #[arg(long, value_name = "E'", allow_hyphen_values = true)]
    epsilon: Option<Epsilon>,

    /// The certified loss must be at most this
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    loss: Option<Epsilon>,

    /// Refuse a certificate that asks for a bound on the query
    #[arg(long)]
    clamped: bool,

    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

impl Check {
    /// Runs the command.
    pub fn run(self, out: &mut impl Write) -> Result<()> {
        if self
            .file
            .extension()
            .is_some_and(|extension| extension == "v")
        {
            bail!(
                "{} is a certificate for Coq: build the proofs with `cargo xtask proofs`, then \
                 check it with `coqc -Q target/proofs Lastbit {}`",
                path(&self.file),
                path(&self.file)
            );
        }
        let name = path(&self.file);
        if self.program.as_ref() == Some(&self.file) && self.file.as_os_str() == "-" {
            bail!("certificate and program cannot both be read from standard input");
        }
        let text = source::certificate(&self.file)?;
        let accepted = match check_json(&text) {
            Ok(accepted) => accepted,
            Err(bad) => {
                let (step, problem) = (shown(&bad.step), shown(&bad.problem));
                if self.json {
                    let value = json!({ "accepted": false, "step": step, "problem": problem });
                    writeln!(out, "{value}")?;
                }
                return Err(anyhow!("{name} is refused at {step}: {problem}"));
            }
        };
        let differences = self.differences(&accepted)?;
        if self.json {
            let value = in_json(&accepted, &differences);
            writeln!(out, "{value}")?;
        } else {
            in_text(&accepted, differences.is_empty(), out)?;
        }
        if differences.is_empty() {
            return Ok(());
        }
        Err(anyhow!(
            "{name} is a valid certificate of something else: {}",
            differences.join("; ")
        ))
    }

    /// The points in which the certificate is not about what was asked for.
    fn differences(&self, accepted: &Accepted) -> Result<Vec<String>> {
        let stated = &accepted.claim;
        let mut found = Differences::default();
        if let Some(precision) = self.precision {
            found.compare(
                "precision",
                stated.precision == precision,
                &stated.precision,
                &precision,
            );
        }
        if let Some(sensitivity) = &self.sensitivity {
            let asked = sensitivity.get();
            found.numbers(
                "Delta",
                &stated.sensitivity,
                asked,
                stated.sensitivity == *asked,
            );
        }
        for (what, stated_value, asked) in [
            ("lambda", &stated.scale, &self.scale),
            ("B", &stated.bound, &self.bound),
        ] {
            if let Some(asked) = asked {
                let holds = held_as(asked, stated_value, stated.precision);
                found.numbers(what, stated_value, asked, holds);
            }
        }
        if let Some(asked) = &self.grid {
            found.numbers("Lambda", &stated.grid, asked, stated.grid == *asked);
        }
        for (what, value, asked) in [
            ("the ideal loss", &accepted.epsilon, &self.epsilon),
            ("the certified loss", &accepted.certified, &self.loss),
        ] {
            if let Some(asked) = asked.as_ref().map(Epsilon::get)
                && value > asked
            {
                let (value, asked) = (at_least(value), short(asked));
                found.0.push(format!("{what} is {value}, above {asked}"));
            }
        }
        if let (true, Some(most)) = (self.clamped, &stated.query_within) {
            found.0.push(format!("it asks for |f| ≤ {}", short(most)));
        }
        if let Some(file) = &self.program {
            let claim = self.claim_of(&Source::read(file)?, stated.precision)?;
            found.program(stated, &claim);
        }
        Ok(found.0)
    }

    /// What a certificate of the program would be about.
    fn claim_of(&self, source: &Source, precision: u32) -> Result<Claim> {
        let mut values = BTreeMap::new();
        for (parameter, value) in [
            ("epsilon", self.epsilon.as_ref().map(Epsilon::get)),
            ("B", self.bound.as_ref()),
            ("Delta", self.sensitivity.as_ref().map(Sensitivity::get)),
        ] {
            if let Some(value) = value {
                values.insert(parameter.to_owned(), value.clone());
            }
        }
        let instance = source.instance(source.checked()?, &values)?;
        match prove_program(&instance, precision) {
            Ok((claim, _)) => Ok(claim),
            Err(gap) => Err(source.error(&format!("no certificate is about this program. {gap}"))),
        }
    }
}

#[derive(Default)]
struct Differences(Vec<String>);

impl Differences {
    fn compare(&mut self, what: &str, same: bool, stated: &dyn ToString, asked: &dyn ToString) {
        if !same {
            let (stated, asked) = (shown(&stated.to_string()), shown(&asked.to_string()));
            self.0.push(format!("{what} is {stated}, not {asked}"));
        }
    }

    fn numbers(&mut self, what: &str, stated: &Rational, asked: &Rational, same: bool) {
        self.compare(what, same, &short(stated), &short(asked));
    }

    fn program(&mut self, stated: &Stated, claim: &Claim) {
        let operations = |factors: &[Factor]| -> Vec<Operation> {
            let operation = |factor: &Factor| Operation {
                divides: matches!(factor, Factor::Over(_)),
                constant: factor.constant().clone(),
            };
            factors.iter().map(operation).collect()
        };
        let grid = Rational::ONE.times_power_of_two(claim.grid_exponent);
        let of_program = Stated {
            precision: claim.precision,
            sensitivity: claim.sensitivity.clone(),
            input: operations(&claim.input),
            input_sensitivity: stated.input_sensitivity.clone(),
            clamped: claim.clamped,
            query_within: claim.query_within(),
            noise: operations(&claim.noise),
            scale: claim.scale(),
            grid,
            bound: claim.bound.clone(),
        };
        if of_program == *stated {
            return;
        }
        for (what, one, other) in [
            ("Delta", &stated.sensitivity, &of_program.sensitivity),
            ("Lambda", &stated.grid, &of_program.grid),
            ("B", &stated.bound, &of_program.bound),
        ] {
            self.numbers(what, one, other, one == other);
        }
        let same = stated.to_string() == of_program.to_string();
        self.compare("the program", same, stated, &of_program);
    }
}

fn in_text(accepted: &Accepted, as_asked: bool, out: &mut impl Write) -> Result<()> {
    let claim = &accepted.claim;
    let verdict = if as_asked {
        "Accepted"
    } else {
        "Not what was asked for, but valid"
    };
    writeln!(
        out,
        "{verdict}: the loss is at most {} ({} statements hold), of",
        upper(Up::from_rational(&accepted.certified)),
        accepted.steps
    )?;
    let row = |out: &mut dyn Write, name: &str, value: &str| writeln!(out, "  {name:<13}{value}");
    row(out, "program", &shown(&claim.to_string()))?;
    row(out, "arithmetic", &format!("{} bits", claim.precision))?;
    let moves = if claim.input.is_empty() {
        String::new()
    } else {
        format!("; what enters the sum: {}", short(&claim.input_sensitivity))
    };
    row(
        out,
        "Delta",
        &format!("{}{moves}", short(&claim.sensitivity)),
    )?;
    row(out, "lambda", &short(&claim.scale))?;
    row(out, "Lambda", &short(&claim.grid))?;
    row(out, "B", &short(&claim.bound))?;
    row(out, "ideal loss", &at_least(&accepted.epsilon))?;
    for (i, assumption) in accepted.assumptions().iter().enumerate() {
        row(out, if i == 0 { "assumed" } else { "" }, assumption)?;
    }
    Ok(())
}

fn in_json(accepted: &Accepted, differences: &[String]) -> Value {
    let claim = &accepted.claim;
    let texts = |operations: &[Operation]| -> Vec<String> {
        operations.iter().map(Operation::to_string).collect()
    };
    json!({
        "accepted": differences.is_empty(),
        "differences": differences,
        "certified": json_up(&accepted.certified),
        "certified_exactly": accepted.certified.to_string(),
        "epsilon": json_up(&accepted.epsilon),
        "claim": {
            "program": claim.to_string(),
            "precision": claim.precision,
            "sensitivity": claim.sensitivity.to_string(),
            "input": texts(&claim.input),
            "input_sensitivity": claim.input_sensitivity.to_string(),
            "clamped": claim.clamped,
            "query_within": claim.query_within.as_ref().map(Rational::to_string),
            "noise": texts(&claim.noise),
            "scale": claim.scale.to_string(),
            "grid": claim.grid.to_string(),
            "bound": claim.bound.to_string(),
        },
        "assumptions": accepted.assumptions(),
        "assumes_bounded_input": claim.query_within.is_some(),
        "checked_statements": accepted.steps,
    })
}

/// Whether a format of so many bits holds the number asked for as the one stated: itself, or one
/// next to it.
fn held_as(asked: &Rational, stated: &Rational, precision: u32) -> bool {
    asked == stated
        || [Rounding::Up, Rounding::Down]
            .iter()
            .any(|direction| Rational::from(asked.round(precision as usize, *direction)) == *stated)
}

/// A number exactly, or the beginning of a long one.
fn short(value: &Rational) -> String {
    shown(&value.to_string())
}
