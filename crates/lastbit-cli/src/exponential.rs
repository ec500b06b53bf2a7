//! `lastbit mechanism exponential draw|law|price`.

use std::fs;
use std::io::{IsTerminal, Read, Write};
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::{Args, Subcommand};
use lastbit::conversions::bounded_range_to_zcdp;
use lastbit::mechanisms::exponential::{Exponential as Mechanism, Target};
use lastbit::{Alpha, Beta, Epsilon, ParameterError, Sensitivity, parse_number};
use lastbit_exact::{Down, Enclosure, Natural, Rational, Rounding, Up};
use lastbit_noise::entropy::System;
use lastbit_release::clean;
use serde_json::json;

use crate::number::{
    json as number, json_lower, json_nearest, json_up, json_upper, readable, readable_up, shortest,
    upper,
};
use crate::picture::{Bar, bars, rows};

const TEACH: &str = "\
Selects candidate r, with score u(r), with probability exactly proportional to
  exp(ε·u(r)/(2Δ)),  or to exp(ε·u(r)/Δ) if --monotone

  --scores       a file with one score per line, or `-` for standard input; answers count from 0
  --sensitivity  how far one person can move any score; 1 if scores count people
  --monotone     one person moves all scores up, or all down, as counts do if a person is added
                 or removed. The same loss then buys twice the rate. If one person can raise
                 one score and lower another, leave it out.

The answer has bounded range ε: its pure loss is ε, and its loss under zCDP at most ε²/8. \
Numbers are read exactly: 0.1 is one tenth; 1/3 and 2.5e-3 are numbers too.";

/// The commands of the exponential mechanism.
#[derive(Subcommand)]
pub enum Exponential {
    /// Select candidates by their scores, one index per line
    #[command(after_long_help = concat!(
        "Examples:\n",
        "  The most frequent of some diagnoses, their counts in a file, at a loss of 0.5:\n",
        "    lastbit mechanism exponential draw --scores counts.txt --sensitivity 1 --epsilon 0.5 \
         --monotone\n",
        "  From a pipe:\n",
        "    cut -f2 votes.tsv | lastbit mechanism exponential draw --scores - --sensitivity 1 \
         --epsilon 1"
    ))]
    Draw(Draw),
    /// The exact probability of every candidate, for guessed scores
    #[command(after_long_help = concat!(
        "Example:\n",
        "  lastbit mechanism exponential law --scores guess.txt --sensitivity 1 --epsilon 0.5 \
         --monotone"
    ))]
    Law(Law),
    /// What a selection costs, and the best score it takes for a good answer
    #[command(after_long_help = concat!(
        "A score below (1 − A)·best is bad. Whatever the scores, a bad one is selected with \
         probability\n",
        "at most B if the best score is at least the promise. The promise must be public: never \
         the\n",
        "best score of the data itself.\n\n",
        "Examples:\n",
        "  lastbit mechanism exponential price --candidates 1000 --sensitivity 1 --epsilon 0.5 \
         --alpha 0.2 --beta 0.05\n",
        "  lastbit mechanism exponential price --scores guess.txt --sensitivity 1 --epsilon 0.5"
    ))]
    Price(PriceArgs),
}

impl Exponential {
    /// Runs the command.
    pub fn run(self, out: &mut impl Write) -> Result<()> {
        match self {
            Exponential::Draw(command) => command.run(out),
            Exponential::Law(command) => command.run(out),
            Exponential::Price(command) => command.run(out),
        }
    }
}

/// What every use of the mechanism needs.
#[derive(Args)]
#[command(before_long_help = TEACH)]
pub(crate) struct Common {
    /// How far one person can move any score: Δ > 0
    #[arg(long, value_name = "D", allow_hyphen_values = true)]
    sensitivity: Sensitivity,

    /// Privacy loss to pay: ε > 0
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    epsilon: Epsilon,

    /// One person moves all scores in the same direction
    #[arg(long)]
    monotone: bool,

    /// Machine-readable output
    #[arg(long)]
    pub(crate) json: bool,
}

impl Common {
    pub(crate) fn mechanism(&self) -> Result<Mechanism> {
        // Beyond these limits every draw would compute all weights with big numbers.
        let rate = self.epsilon.get() / self.sensitivity.get();
        let size = rate.ceil_log2().unwrap_or(0);
        ensure!(
            (-RATE_LIMIT..=RATE_LIMIT).contains(&size),
            "epsilon divided by sensitivity must be between 2^-{RATE_LIMIT} and 2^{RATE_LIMIT}; \
             change epsilon, or measure scores in another unit"
        );
        Ok(if self.monotone {
            Mechanism::monotone(&self.epsilon, &self.sensitivity)
        } else {
            Mechanism::new(&self.epsilon, &self.sensitivity)
        })
    }
}

#[derive(Args)]
pub struct Draw {
    /// File of scores, one per line; `-` for standard input
    #[arg(long, value_name = "FILE")]
    scores: PathBuf,

    #[command(flatten)]
    common: Common,

    /// How many independent selections; each costs the whole loss
    #[arg(long, value_name = "N", default_value_t = 1)]
    draws: u64,
}

impl Draw {
    fn run(self, out: &mut impl Write) -> Result<()> {
        let mechanism = self.common.mechanism()?;
        if self.draws > 1 && std::io::stderr().is_terminal() {
            crate::streams::say(&format!(
                "note: {} selections from the same scores cost {} times the loss of one",
                self.draws, self.draws
            ));
        }
        let mut entropy = System::default();
        let mut print = |draw: &mut dyn FnMut() -> Result<usize>| -> Result<()> {
            if self.common.json {
                let epsilon = json_up(mechanism.epsilon().get());
                write!(out, "{{\"epsilon\":{epsilon},\"draws\":[")?;
            }
            for i in 0..self.draws {
                let index = draw()?;
                match (self.common.json, i) {
                    (false, _) => writeln!(out, "{index}")?,
                    (true, 0) => write!(out, "{index}")?,
                    (true, _) => write!(out, ",{index}")?,
                }
            }
            if self.common.json {
                writeln!(out, "]}}")?;
            }
            Ok(())
        };
        match read(&self.scores)? {
            Scores::Integers(scores) => {
                let choice = mechanism.over(&scores)?;
                print(&mut || Ok(choice.draw(&mut entropy)?))
            }
            Scores::Rationals(scores) => {
                let choice = mechanism.over(&scores)?;
                print(&mut || Ok(choice.draw(&mut entropy)?))
            }
        }
    }
}

/// The largest magnitude of the exponent of ε/Δ.
const RATE_LIMIT: i64 = 998;

/// Lines of the picture.
const MOST_BARS: usize = 32;
/// Enough for every digit of a double.
const BITS: u32 = 70;

#[derive(Args)]
pub struct Law {
    /// File of scores, one per line; `-` for standard input. Guesses, as the law of the true scores
    /// would disclose them
    #[arg(long, value_name = "FILE")]
    scores: PathBuf,

    #[command(flatten)]
    common: Common,

    /// Ignored: every draw has the same law
    #[arg(long, value_name = "N", hide = true)]
    draws: Option<u64>,
}

impl Law {
    fn run(self, out: &mut impl Write) -> Result<()> {
        let mechanism = self.common.mechanism()?;
        let scores = read(&self.scores)?.rationals();
        let law = mechanism.over(&scores)?.law(BITS);
        if self.common.json {
            let candidates = law
                .iter()
                .zip(&scores)
                .enumerate()
                .map(|(index, (p, score))| {
                    json!({
                        "index": index,
                        "score": json_nearest(score),
                        "low": json_lower(Down::from_dyadic(p.lo())),
                        "high": json_upper(Up::from_dyadic(p.hi())),
                    })
                });
            let value = json!({
                "epsilon": json_up(mechanism.epsilon().get()),
                "candidates": candidates.collect::<Vec<_>>(),
            });
            writeln!(out, "{value}")?;
            return Ok(());
        }
        writeln!(
            out,
            "Selection from {} candidates: loss ε {}, sensitivity Δ {}, {} scores",
            scores.len(),
            readable_up(mechanism.epsilon().get()),
            readable(mechanism.sensitivity().get()),
            if mechanism.is_monotone() {
                "monotone"
            } else {
                "general"
            },
        )?;
        let mut order: Vec<usize> = (0..law.len()).collect();
        order.sort_by(|&a, &b| law[b].hi().cmp(law[a].hi()));
        let left = order.split_off(order.len().min(MOST_BARS));
        order.sort_unstable();
        let bar = |label: String, weight: f64| Bar {
            label,
            weight,
            note: format!("{:.3} %", 100.0 * weight),
        };
        let mut picture: Vec<Bar> = order
            .iter()
            .map(|&i| {
                bar(
                    format!("{i} (score {})", readable(&scores[i])),
                    nearest(&law[i]),
                )
            })
            .collect();
        if !left.is_empty() {
            let rest = left.iter().map(|&i| nearest(&law[i])).sum();
            picture.push(bar(format!("{} less likely", left.len()), rest));
        }
        bars(out, &picture)?;
        Ok(())
    }
}

#[derive(Args)]
pub struct PriceArgs {
    #[command(flatten)]
    among: Among,

    #[command(flatten)]
    common: Common,

    /// A score below (1 − A)·best is bad
    #[arg(
        long,
        value_name = "A",
        default_value = "0.1",
        allow_hyphen_values = true,
        value_parser = alpha,
    )]
    alpha: Rational,

    /// Probability with which the selection may be bad
    #[arg(
        long,
        value_name = "B",
        default_value = "0.05",
        allow_hyphen_values = true,
        value_parser = beta,
    )]
    beta: Rational,
}

#[derive(Args)]
#[group(required = true, multiple = false)]
struct Among {
    /// How many candidates there are
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    candidates: Option<u64>,

    /// File of guessed scores, one per line, or `-`: also shows how good the selection is if they
    /// are right
    #[arg(long, value_name = "FILE")]
    scores: Option<PathBuf>,
}

impl PriceArgs {
    fn run(self, out: &mut impl Write) -> Result<()> {
        let mechanism = self.common.mechanism()?;
        let target = Target::new(
            Alpha::new(self.alpha.clone())?,
            Beta::new(self.beta.clone())?,
        );
        let guess = match &self.among.scores {
            Some(path) => Some(read(path)?.rationals()),
            None => None,
        };
        let candidates = match (&guess, self.among.candidates) {
            (Some(scores), _) => scores.len() as u64,
            (None, Some(candidates)) => candidates,
            (None, None) => bail!("give --candidates or --scores"),
        };
        if candidates == 0 {
            bail!("there is no candidate to select from; give at least one");
        }
        // All except one may be bad.
        let [all, bad] = [candidates, candidates - 1].map(Natural::from);
        let promises = mechanism.promises(&all, &Natural::ONE, &bad, &target)?;
        let rho = bounded_range_to_zcdp(Up::from_rational(mechanism.epsilon().get()))?;
        let guessed = match &guess {
            Some(scores) => {
                let choice = mechanism.over(scores)?;
                // Useless if no score is positive: then no score is below a part of the best.
                let bad = choice.bad_probability(target.alpha(), 60)?;
                Some((
                    choice.largest().clone(),
                    bad,
                    mean(&choice.law(BITS), scores),
                ))
            }
            None => None,
        };
        if self.common.json {
            let mut value = json!({
                "epsilon": json_up(mechanism.epsilon().get()),
                "range": json_up(mechanism.epsilon().get()),
                "rho": json_upper(rho),
                "candidates": candidates,
                "alpha": json_nearest(target.alpha().get()),
                "beta": json_nearest(target.beta().get()),
                "promise": json_upper(promises.smaller()),
                "promise_corrected": json_upper(promises.corrected),
                "promise_classical": json_upper(promises.classical),
            });
            if let Some((best, bad, mean)) = &guessed {
                value["guess"] = json!({
                    "best": json_nearest(best),
                    "bad_probability": json_upper(Up::from_dyadic(bad.hi())),
                    "mean_score": number(*mean),
                });
            }
            writeln!(out, "{value}")?;
            return Ok(());
        }
        let at = format!(
            "or more as best score: at least {} of it with probability {}",
            readable(&(&Rational::ONE - target.alpha().get())),
            readable(&(&Rational::ONE - target.beta().get())),
        );
        let mut table = vec![
            (
                "loss ε",
                readable_up(mechanism.epsilon().get()),
                "pure; exactly, no rounding term",
            ),
            (
                "  as range η",
                readable_up(mechanism.epsilon().get()),
                "bounded range",
            ),
            ("  as zCDP ρ", upper(rho), "for many selections"),
            ("candidates", candidates.to_string(), ""),
            ("promise", upper(promises.smaller()), at.as_str()),
            (
                "  classical",
                upper(promises.classical),
                "the same by ln(candidates/β)",
            ),
        ];
        if let Some((best, bad, mean)) = &guessed {
            let bad = format!("{:.3e}", Up::from_dyadic(bad.hi()));
            table.push(("if the guess is right", String::new(), ""));
            table.push(("  best score", readable(best), ""));
            table.push(("  mean score", shortest(*mean), "of the selected candidate"));
            table.push(("  P(bad)", bad, "exactly, from the law"));
        }
        rows(out, &table)?;
        Ok(())
    }
}

/// Scores as they were written: integers if all are.
pub(crate) enum Scores {
    Integers(Vec<i64>),
    Rationals(Vec<Rational>),
}

impl Scores {
    pub(crate) fn rationals(self) -> Vec<Rational> {
        match self {
            Scores::Integers(scores) => scores.into_iter().map(Rational::from).collect(),
            Scores::Rationals(scores) => scores,
        }
    }
}

pub(crate) fn read(path: &PathBuf) -> Result<Scores> {
    let text = if path.as_os_str() == "-" {
        let mut text = String::new();
        std::io::stdin()
            .read_to_string(&mut text)
            .context("reading scores from standard input")?;
        text
    } else {
        fs::read_to_string(path).with_context(|| {
            format!(
                "reading scores from {}; `-` is standard input",
                clean::path(path)
            )
        })?
    };
    let lines = text.lines().map(str::trim).enumerate();
    let lines = lines.filter(|(_, line)| !line.is_empty());
    let integers: Result<Vec<i64>, _> = lines.clone().map(|(_, line)| line.parse()).collect();
    if let Ok(integers) = integers {
        return Ok(Scores::Integers(integers));
    }
    let score = |(i, line): (usize, &str)| {
        parse_number("score", line)
            .map_err(|error| anyhow!("line {} of the scores: {error}", i + 1))
    };
    Ok(Scores::Rationals(lines.map(score).collect::<Result<_>>()?))
}

fn nearest(probability: &Enclosure) -> f64 {
    probability.hi().to_f64(Rounding::NearestEven)
}

/// The mean of the selected score, approximately.
fn mean(law: &[Enclosure], scores: &[Rational]) -> f64 {
    let terms = law.iter().zip(scores);
    terms
        .map(|(p, score)| nearest(p) * score.to_f64(Rounding::NearestEven))
        .sum()
}

fn alpha(text: &str) -> Result<Rational, ParameterError> {
    probability("alpha", text)
}

fn beta(text: &str) -> Result<Rational, ParameterError> {
    probability("beta", text)
}

fn probability(name: &'static str, text: &str) -> Result<Rational, ParameterError> {
    let value = parse_number(name, text)?;
    if value.is_positive() && value < Rational::ONE {
        Ok(value)
    } else {
        Err(ParameterError::NotAProbability { name, value })
    }
}
