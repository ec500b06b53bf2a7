//! `lastbit verify program FILE`.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use lastbit::{ParameterError, parse_number};
use lastbit_exact::{Down, Dyadic, Enclosure, Format, Rational, Rounding, Up};
use lastbit_release::clean::shown;
use lastbit_verify::certificate::{CertificateReport, check, prove_program};
use lastbit_verify::language::{
    Checked, Direction, Distribution, Motion, OperationArithmetic, Program as Text,
};
use lastbit_verify::semantics::{Boxes, Instance, Judgement};
use serde_json::{Value, json};

use super::source::Source;
use crate::number::{json_lower, json_upper, lower, upper};
use crate::streams::write_wrapped;

const TEACH: &str = "\
A mechanism is written as a small program: parameters, samples, assignments, what is returned.

  parameters lambda = 1, Lambda = ceil2(lambda), B = 1024
  u <- unif; s <- sign              a uniform of (0, 1), and -1 or 1
  x = clamp(f, B)                   f is the value of the query
  y = lambda (*) ln~(u)             (+) (-) (*) (/) and ln~ round to the format, + - * / and ln do \
not
  return clamp(round(x (+) s (*) y, Lambda), B)

The command checks the program (names, arithmetics, divisions by zero, whether the output moves in \
one direction with each sample), and derives in which interval every value must lie, over the real \
numbers and in a format of P bits, for inputs that you choose. For a floating program it says \
which loss is certified, or where the proof fails. docs/language.md describes the whole language.";

const EXAMPLES: &str = "\
Examples:
  A program that ships with the command, at 24 bits, with its derivation:
    lastbit verify program snapping --precision 24 --derivation text
  Your own, for every query value from -10 to 10 and small uniforms:
    lastbit verify program mine.lb --set lambda=0.5 --query -10..10 --sample u=0.001..0.01";

#[derive(Args)]
#[command(before_long_help = TEACH, after_long_help = EXAMPLES)]
pub struct Program {
    /// The text of the program (`-`: standard input), or the name of one that ships with the
    /// command
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Bits of the format, 2 to 1000
    #[arg(long, value_name = "P", default_value = "53", value_parser = precision)]
    precision: Format,

    /// A value for a parameter; may be repeated
    #[arg(long = "set", value_name = "NAME=X", value_parser = setting)]
    settings: Vec<(String, Rational)>,

    /// The value of the query, or an interval of values LO..HI
    #[arg(
        long,
        value_name = "X",
        default_value = "1",
        allow_hyphen_values = true,
        value_parser = interval,
    )]
    query: (Rational, Rational),

    /// The value of a sample, or an interval LO..HI; without it uniforms are 0.5, signs 1 and
    /// Laplace draws 1
    #[arg(long = "sample", value_name = "NAME=X", value_parser = sample)]
    samples: Vec<(String, (Rational, Rational))>,

    /// Print the derivation of the intervals
    #[arg(long, value_name = "FORM", conflicts_with = "json")]
    derivation: Option<Form>,

    /// Machine-readable output, with the derivation
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Form {
    /// Premises indented below their conclusion
    Text,
    /// For the package mathpartir
    Latex,
    /// Exact ends, to be read by programs
    Json,
}

impl Program {
    /// Runs the command.
    pub fn run(self, out: &mut impl Write) -> Result<()> {
        let source = Source::read_or_shipped(&self.file)?;
        let checked = source.checked()?;
        let instance = source.instance(checked.clone(), &self.parameters()?)?;
        let boxes = self.boxes(&checked)?;
        let judgement = instance
            .judge(self.precision, &boxes)
            .map_err(|error| source.error(&error.to_string()))?;
        if self.json {
            let value = self.report(&checked, &instance, &boxes, &judgement);
            writeln!(out, "{}", serde_json::to_string_pretty(&value)?)?;
            if value["claim_is_false"] == true {
                out.flush()?;
                bail!("the program claims less than its noise gives");
            }
            return Ok(());
        }
        self.print(out, &checked, &instance, &boxes, &judgement)
    }

    fn parameters(&self) -> Result<BTreeMap<String, Rational>> {
        let mut values = BTreeMap::new();
        for (name, value) in &self.settings {
            if values.insert(name.clone(), value.clone()).is_some() {
                bail!("--set {name} is given twice; keep one of the values");
            }
        }
        Ok(values)
    }

    /// The inputs that were chosen, and defaults for the others.
    fn boxes(&self, checked: &Checked) -> Result<Boxes> {
        let mut boxes = Boxes::new(enclosure(&self.query));
        for (name, ends) in &self.samples {
            if boxes
                .samples
                .insert(name.clone(), enclosure(ends))
                .is_some()
            {
                bail!("--sample {name} is given twice; keep one of the values");
            }
        }
        for (name, distribution) in checked.program().samples() {
            let middle = match distribution {
                Distribution::Uniform(_) => Dyadic::new(1, -1),
                Distribution::Sign | Distribution::Laplace { .. } => Dyadic::ONE,
            };
            boxes
                .samples
                .entry(name.to_owned())
                .or_insert_with(|| Enclosure::exact(middle));
        }
        Ok(boxes)
    }

    fn print(
        &self,
        out: &mut impl Write,
        checked: &Checked,
        instance: &Instance,
        boxes: &Boxes,
        judgement: &Judgement,
    ) -> Result<()> {
        writeln!(out, "{}", checked.program())?;
        let precision = self.precision.precision();
        match checked.arithmetic() {
            OperationArithmetic::Real => writeln!(out, "arithmetic   the real numbers")?,
            OperationArithmetic::Rounded => writeln!(out, "arithmetic   {precision} bits")?,
        }
        let values: Vec<String> = instance
            .program()
            .parameters
            .iter()
            .map(|p| format!("{} = {}", p.name, instance.parameters()[&p.name]))
            .collect();
        if !values.is_empty() {
            writeln!(out, "parameters   {}", values.join(", "))?;
        }
        for (i, motion) in checked.motions().iter().enumerate() {
            let label = if i == 0 { "monotone" } else { "" };
            writeln!(out, "{label:<13}{}", sentence(motion))?;
        }
        if let Some(warning) = checked.unclamped_query() {
            writeln!(out, "warning      {warning}")?;
        }
        writeln!(out, "inputs       {}", inputs(boxes))?;
        let (lo, hi) = doubles(&judgement.result.enclosure);
        writeln!(out, "result       between {lo} and {hi}")?;
        let proved = self.proved(checked, instance);
        match &proved {
            None => {}
            Some(Ok(report)) => {
                let certified = upper(Up::from_rational(&report.certified));
                writeln!(out, "loss         certified to be at most {certified}")?
            }
            Some(Err(gap)) => {
                let text = format!("loss         not certified. {gap}");
                write_wrapped(out, &text, "             ")?;
            }
        }
        let claimed = broken_claim(proved.as_ref(), instance);
        if let Some((claimed, noise)) = &claimed {
            writeln!(
                out,
                "claim        epsilon = {claimed}, but the noise gives {noise}: it is false"
            )?;
        }
        match self.derivation {
            None => {}
            Some(Form::Text) => write!(out, "\n{judgement}")?,
            Some(Form::Latex) => write!(out, "\n{}", judgement.latex())?,
            Some(Form::Json) => {
                let record = serde_json::to_string_pretty(&judgement.record())?;
                writeln!(out, "\n{record}")?;
            }
        }
        match claimed {
            None => Ok(()),
            Some((claimed, noise)) => {
                out.flush()?;
                bail!("the program claims epsilon = {claimed}, but its noise gives {noise}")
            }
        }
    }

    /// A proved bound on the loss of a floating program, or where the proof fails; `lastbit verify
    /// snapping --program` says more about both.
    fn proved(
        &self,
        checked: &Checked,
        instance: &Instance,
    ) -> Option<Result<CertificateReport, String>> {
        if checked.arithmetic() == OperationArithmetic::Real {
            return None;
        }
        let proved = prove_program(instance, self.precision.precision());
        Some(match proved {
            Err(gap) => Err(gap.to_string()),
            Ok((claim, certificate)) => check(&certificate)
                .map(|accepted| CertificateReport::new(&claim, &accepted))
                .map_err(|bad| format!("the checker refuses: {bad}")),
        })
    }

    fn report(
        &self,
        checked: &Checked,
        instance: &Instance,
        boxes: &Boxes,
        judgement: &Judgement,
    ) -> Value {
        let exact = |x: &Dyadic| Rational::from(x).to_string();
        let ends = |x: &Enclosure| json!({ "lo": exact(x.lo()), "hi": exact(x.hi()) });
        let parameters: BTreeMap<_, _> = instance
            .parameters()
            .iter()
            .map(|(name, value)| (name, value.to_string()))
            .collect();
        let samples: BTreeMap<_, _> = boxes.samples.iter().map(|(n, x)| (n, ends(x))).collect();
        let motions: Vec<Value> = checked.motions().iter().map(motion_value).collect();
        let arithmetic = match checked.arithmetic() {
            OperationArithmetic::Real => "real",
            OperationArithmetic::Rounded => "rounded",
        };
        let result = &judgement.result.enclosure;
        let lines = |program: &Text| -> Vec<String> {
            program.to_string().lines().map(str::to_owned).collect()
        };
        let proved = self.proved(checked, instance);
        let certified = proved.as_ref().and_then(|proved| proved.as_ref().ok());
        let claimed = broken_claim(proved.as_ref(), instance);
        json!({
            "program": lines(checked.program()),
            "ideal": lines(&checked.program().ideal()),
            "arithmetic": arithmetic,
            "precision": self.precision.precision(),
            "parameters": parameters,
            "monotone": motions,
            "warning": checked.unclamped_query().map(|warning| warning.to_string()),
            "certified": certified.map(|report| upper(Up::from_rational(&report.certified))),
            "claim_is_false": certified.map(|_| claimed.is_some()),
            "query": ends(&boxes.query),
            "samples": samples,
            "result": {
                "lo": json_lower(Down::from_dyadic(result.lo())),
                "hi": json_upper(Up::from_dyadic(result.hi())),
            },
            "derivation": judgement.record(),
        })
    }
}

/// The loss that a program claims in a parameter `epsilon`, and what its noise gives, if that is
/// more.
fn broken_claim(
    proved: Option<&Result<CertificateReport, String>>,
    instance: &Instance,
) -> Option<(String, String)> {
    let report = proved?.as_ref().ok()?;
    let claimed = instance.parameters().get("epsilon")?;
    report.exceeds(claimed).then(|| {
        let noise = upper(Up::from_rational(&report.epsilon));
        (shown(&claimed.to_string()), noise)
    })
}

/// `s = -1: u decreasing, f increasing`.
fn sentence(motion: &Motion) -> String {
    let signs: Vec<String> = motion
        .signs
        .iter()
        .map(|(name, negative)| format!("{name} = {}", if *negative { -1 } else { 1 }))
        .collect();
    let query = ("f", motion.query);
    let moves: Vec<String> = motion
        .samples
        .iter()
        .map(|(name, direction)| (name.as_str(), *direction))
        .chain([query])
        .map(|(name, direction)| format!("{} in {name}", word(direction)))
        .collect();
    if signs.is_empty() {
        moves.join(", ")
    } else {
        format!("{}: {}", signs.join(", "), moves.join(", "))
    }
}

fn word(direction: Direction) -> &'static str {
    match direction {
        Direction::Constant => "constant",
        Direction::Increasing => "increasing",
        Direction::Decreasing => "decreasing",
        Direction::Unknown(_) => "not monotone",
    }
}

fn motion_value(motion: &Motion) -> Value {
    let sign = |negative: &bool| if *negative { -1 } else { 1 };
    let signs: BTreeMap<_, _> = motion.signs.iter().map(|(n, x)| (n, sign(x))).collect();
    let samples: BTreeMap<_, _> = motion.samples.iter().map(|(n, x)| (n, word(*x))).collect();
    json!({ "signs": signs, "query": word(motion.query), "samples": samples })
}

/// `f = 1, s = 1, u = 0.5`.
fn inputs(boxes: &Boxes) -> String {
    let samples = boxes.samples.iter().map(|(name, x)| (name.as_str(), x));
    let texts: Vec<String> = [("f", &boxes.query)]
        .into_iter()
        .chain(samples)
        .map(|(name, x)| match doubles(x) {
            (lo, hi) if lo == hi => format!("{name} = {lo}"),
            (lo, hi) => format!("{name} in [{lo}, {hi}]"),
        })
        .collect();
    texts.join(", ")
}

/// The ends, rounded outward.
fn doubles(x: &Enclosure) -> (String, String) {
    (
        lower(Down::from_dyadic(x.lo())),
        upper(Up::from_dyadic(x.hi())),
    )
}

/// The interval between two rationals, its ends rounded outward to 256 bits.
fn enclosure((lo, hi): &(Rational, Rational)) -> Enclosure {
    Enclosure::new(lo.round(256, Rounding::Down), hi.round(256, Rounding::Up))
        .expect("the lower end was checked to be the lower")
}

fn precision(text: &str) -> Result<Format, String> {
    let wrong = || format!("a format has 2 to 1000 bits, got {text}");
    let bits = text.parse().map_err(|_| wrong())?;
    Format::new(bits).map_err(|_| wrong())
}

fn setting(text: &str) -> Result<(String, Rational), String> {
    let (name, value) = named(text)?;
    let value =
        parse_number("the value", value).map_err(|error: ParameterError| error.to_string())?;
    Ok((name, value))
}

fn sample(text: &str) -> Result<(String, (Rational, Rational)), String> {
    let (name, value) = named(text)?;
    Ok((name, interval(value)?))
}

fn named(text: &str) -> Result<(String, &str), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or_else(|| format!("write NAME=X, such as lambda=0.5; got `{text}`"))?;
    Ok((name.trim().to_owned(), value))
}

/// A number, or two with `..` between them.
fn interval(text: &str) -> Result<(Rational, Rational), String> {
    let number =
        |text| parse_number("the value", text).map_err(|error: ParameterError| error.to_string());
    let Some((lo, hi)) = text.split_once("..") else {
        let value = number(text)?;
        return Ok((value.clone(), value));
    };
    let (lo, hi) = (number(lo)?, number(hi)?);
    if lo > hi {
        return Err(format!("{lo} is above {hi}; swap them?"));
    }
    Ok((lo, hi))
}
