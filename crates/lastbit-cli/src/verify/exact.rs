//! `lastbit verify exact`: the law of the compiled code, to the last bit.

use std::io::Write;

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use lastbit::mechanisms::snapping::{self, Bound, Snapping};
use lastbit::{Bounds, Epsilon, Sensitivity};
use lastbit_exact::{Dyadic, Rational, Rounding, Up};
use lastbit_verify::exact::divergence::{log_ratio, losses};
use lastbit_verify::exact::pairs::{self, InputPair, certified, formula, loss_between};
use lastbit_verify::exact::{Divergence, ExactLaw, exact_law};
use serde_json::{Value, json};

use crate::number::{
    json as number, json_lower, json_nearest, json_up, json_upper, named, readable, shortest,
};
use crate::picture::rows;

/// The most lines of the list for people.
const MOST_LINES: usize = 64;

#[derive(Args)]
#[command(
    before_long_help = "\
Runs the shipped `release` on chosen random bits. For one sign the output moves one way as U* \
falls, so bisection over the bit \
patterns of U* finds where each output begins and ends, and its exact probability: a dyadic \
number, no statistics. With --other, \
the exact loss between the two values, between the ideal loss |f − f'|/λ and what a release is \
charged.",
    after_long_help = "\
Examples:
  lastbit verify exact --value 0 --other 1 --sensitivity 1 --epsilon 1 --lower -8 --upper 8 \
--bound 16
  lastbit verify exact --table"
)]
pub struct ExactArgs {
    /// The value f; taken as the nearest double
    #[arg(
        long,
        value_name = "F",
        allow_hyphen_values = true,
        value_parser = named("value"),
        required_unless_present = "table",
    )]
    value: Option<Rational>,

    /// A second value f', to see the loss between the two
    #[arg(long, value_name = "F2", allow_hyphen_values = true, value_parser = named("value"))]
    other: Option<Rational>,

    /// How far one person can move the query: Δ > 0
    #[arg(
        long,
        value_name = "D",
        allow_hyphen_values = true,
        required_unless_present = "table"
    )]
    sensitivity: Option<Sensitivity>,

    /// Privacy loss that a release is charged: ε > 0
    #[arg(
        long,
        value_name = "E",
        allow_hyphen_values = true,
        required_unless_present = "table"
    )]
    epsilon: Option<Epsilon>,

    /// Public lower bound of the query
    #[arg(
        long,
        value_name = "L",
        allow_hyphen_values = true,
        value_parser = named("lower"),
        required_unless_present = "table",
    )]
    lower: Option<Rational>,

    /// Public upper bound of the query
    #[arg(
        long,
        value_name = "U",
        allow_hyphen_values = true,
        value_parser = named("upper"),
        required_unless_present = "table",
    )]
    upper: Option<Rational>,

    /// Clamp outputs to within B of the centre [default: so that it binds with probability 0.05]
    #[arg(long, value_name = "B", allow_hyphen_values = true, value_parser = named("bound"))]
    bound: Option<Rational>,

    /// The code to examine
    #[arg(long, value_enum, default_value_t = Arithmetic::Binary64)]
    arithmetic: Arithmetic,

    /// Exact losses of 56 pairs of neighbours in 8 settings, instead of one
    #[arg(
        long,
        conflicts_with_all = [
            "value", "other", "sensitivity", "epsilon", "lower", "upper", "bound",
        ],
    )]
    table: bool,

    /// Machine-readable output; probabilities as mantissa · 2^exponent
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Arithmetic {
    /// IEEE doubles
    Binary64,
    /// 118 bits or more
    Multi,
}

impl ExactArgs {
    /// Runs the command.
    pub fn run(self, out: &mut impl Write) -> Result<()> {
        if self.table {
            let pairs = pairs::table(self.arithmetic())?;
            return table(out, &pairs, self.json);
        }
        let mechanism = self.mechanism()?;
        let value = double(self.value.as_ref().context("give --value")?);
        let law = exact_law(&mechanism, value)?;
        let Some(other) = self.other.as_ref().map(double) else {
            return if self.json {
                writeln!(out, "{}", json!({"law": masses(&law)})).map_err(Into::into)
            } else {
                list_law(out, &mechanism, value, &law)
            };
        };
        let other_law = exact_law(&mechanism, other)?;
        let (ideal, exact) = loss_between(&mechanism, [value, other])?;
        let charged = mechanism.epsilon();
        let published = formula(&mechanism, snapping::PUBLISHED);
        let certified = certified(&mechanism);
        if self.json {
            let text = json!({
                "value": number(value),
                "other": number(other),
                "arithmetic": mechanism.arithmetic().name(),
                "precision": mechanism.precision(),
                "lambda": json_nearest(mechanism.scale()),
                "loss": json_upper(exact.loss().upper()),
                "loss_low": json_lower(exact.loss().lower()),
                "output": number(exact.output),
                "larger": dyadic(&exact.larger),
                "smaller": dyadic(&exact.smaller),
                "ideal": json_nearest(&ideal),
                "excess": excess(&exact, &ideal).map(json_upper),
                "published": json_up(&published),
                "certified": certified.as_ref().map(json_up),
                "charged": json_up(charged),
                "within_charge": exact.is_at_most(charged),
                "law": masses(&law),
                "law_other": masses(&other_law),
            });
            writeln!(out, "{text}")?;
            return Ok(());
        }
        list_losses(out, value, other, &law, &other_law)?;
        let beyond = |x: &Rational| format!("ideal + {}", scientific(&(x - &ideal)));
        rows(
            out,
            &[
                ("ideal loss", readable(&ideal), "|f − f'|/λ"),
                (
                    "exact loss",
                    excess(&exact, &ideal).map_or("infinite".to_owned(), |x| {
                        let text = format!("{x:+.3e}");
                        let (sign, size) = text.split_at(1);
                        format!("ideal {} {size}", if sign == "-" { "−" } else { "+" })
                    }),
                    "of the compiled code, the largest over all outputs",
                ),
                ("at output", shortest(exact.output), ""),
                ("published", beyond(&published), "ε'(1 + 12(B/Δ)η) + 2η"),
                (
                    "certified",
                    certified.as_ref().map_or("none".to_owned(), beyond),
                    "proved for all values within Δ, and checked",
                ),
                ("charged", beyond(charged), "what a release pays"),
            ],
        )?;
        let verdict = if exact.is_at_most(charged) {
            "The exact loss is within the charge."
        } else {
            "The exact loss EXCEEDS the charge; are f and f' within the sensitivity of each other?"
        };
        writeln!(out, "{verdict}")?;
        Ok(())
    }

    fn arithmetic(&self) -> snapping::Arithmetic {
        match self.arithmetic {
            Arithmetic::Binary64 => snapping::Arithmetic::Binary64,
            Arithmetic::Multi => snapping::Arithmetic::Multi,
        }
    }

    fn mechanism(&self) -> Result<Snapping> {
        let bounds = Bounds::new(
            self.lower.clone().context("give --lower")?,
            self.upper.clone().context("give --upper")?,
        )?;
        let sensitivity = self.sensitivity.clone().context("give --sensitivity")?;
        let builder = Snapping::builder(bounds, sensitivity)
            .epsilon(self.epsilon.clone().context("give --epsilon")?)
            .bound(self.bound.clone().map_or_else(Bound::default, Bound::Value))
            .arithmetic(self.arithmetic());
        Ok(builder.build()?)
    }
}

fn table(out: &mut impl Write, pairs: &[InputPair], as_json: bool) -> Result<()> {
    if as_json {
        let pairs: Vec<Value> = pairs
            .iter()
            .map(|pair| {
                json!({
                    "epsilon": pair.case.epsilon,
                    "sensitivity": pair.case.sensitivity,
                    "bounds": pair.case.bounds,
                    "bound": pair.case.bound,
                    "values": pair.case.values,
                    "ideal": json_nearest(&pair.ideal),
                    "loss": json_upper(pair.exact.loss().upper()),
                    "excess": json_upper(pair.excess()),
                    "published": json_up(&pair.published),
                    "certified": pair.certified.as_ref().map(json_up),
                    "charged": json_up(&pair.charged),
                    "between": pair.is_between(),
                })
            })
            .collect();
        writeln!(out, "{}", Value::Array(pairs))?;
        return Ok(());
    }
    writeln!(
        out,
        "{:>5} {:>6} {:>14} {:>6} {:>12}  {:>9}  {:>9} {:>9} {:>9} {:>9}  between",
        "ε", "Δ", "bounds", "B", "f", "ideal", "+ exact", "+ publ.", "+ cert.", "+ charge"
    )?;
    for pair in pairs {
        let case = &pair.case;
        writeln!(
            out,
            "{:>5} {:>6} {:>14} {:>6} {:>12.6}  {:>9.6}  {:>9} {:>9} {:>9} {:>9}  {}",
            case.epsilon,
            case.sensitivity,
            case.bounds.join(".."),
            case.bound.unwrap_or("γ"),
            case.values[0],
            pair.ideal.to_f64(Rounding::NearestEven),
            format!("{:.2e}", pair.excess()),
            scientific(&(&pair.published - &pair.ideal)),
            pair.certified
                .as_ref()
                .map_or("none".to_owned(), |x| scientific(&(x - &pair.ideal))),
            scientific(&(&pair.charged - &pair.ideal)),
            if pair.is_between() { "yes" } else { "NO" },
        )?;
    }
    let between = pairs.iter().filter(|pair| pair.is_between()).count();
    writeln!(
        out,
        "{between} of {} exact losses lie between the ideal loss and the charge; columns with + \
         are beyond the ideal.",
        pairs.len()
    )?;
    Ok(())
}

fn list_law(out: &mut impl Write, mechanism: &Snapping, value: f64, law: &ExactLaw) -> Result<()> {
    writeln!(
        out,
        "Release of {} in {} arithmetic: {} outputs",
        shortest(value),
        mechanism.arithmetic().name(),
        law.masses().len()
    )?;
    for mass in law.masses().iter().take(MOST_LINES) {
        let nearest = mass.probability.to_f64(Rounding::NearestEven);
        writeln!(
            out,
            "  {:>12}  {nearest:.6e}  {:?}",
            shortest(mass.output),
            mass.probability
        )?;
    }
    more(out, law.masses().len())
}

fn list_losses(
    out: &mut impl Write,
    value: f64,
    other: f64,
    law: &ExactLaw,
    other_law: &ExactLaw,
) -> Result<()> {
    writeln!(
        out,
        "{:>14}  {:>12}  {:>12}  loss",
        "output",
        format!("P from {}", shortest(value)),
        format!("P from {}", shortest(other)),
    )?;
    let all = losses(law, other_law);
    for (output, loss) in all.iter().take(MOST_LINES) {
        let p = |law: &ExactLaw| law.probability(*output).to_f64(Rounding::NearestEven);
        writeln!(
            out,
            "{:>14}  {:>12.5e}  {:>12.5e}  {:+.17}",
            shortest(*output),
            p(law),
            p(other_law),
            loss.midpoint()
        )?;
    }
    more(out, all.len())
}

fn more(out: &mut impl Write, count: usize) -> Result<()> {
    if count > MOST_LINES {
        writeln!(
            out,
            "  … and {} more outputs; all with --json",
            count - MOST_LINES
        )?;
    }
    Ok(())
}

/// The upper end of `exact − ideal`; `None` if infinite.
fn excess(exact: &Divergence, ideal: &Rational) -> Option<Up> {
    let enclosure = exact.enclosure()?;
    Some(Up::from_rational(
        &(&Rational::from(enclosure.hi()) - ideal),
    ))
}

fn masses(law: &ExactLaw) -> Vec<Value> {
    law.masses()
        .iter()
        .map(|mass| {
            let mut point = dyadic(&mass.probability);
            point["output"] = number(mass.output);
            point
        })
        .collect()
}

/// Exactly, and to the nearest double, with its logarithm if that underflows.
fn dyadic(x: &Dyadic) -> Value {
    json!({
        "probability": number(x.to_f64(Rounding::NearestEven)),
        "ln": number(log_ratio(x, &Dyadic::ONE).midpoint()),
        "mantissa": x.mantissa().to_string(),
        "exponent": x.exponent(),
    })
}

/// Rounded up.
fn scientific(x: &Rational) -> String {
    format!("{:.2e}", Up::from_rational(x))
}

fn double(x: &Rational) -> f64 {
    x.to_f64(Rounding::NearestEven)
}
