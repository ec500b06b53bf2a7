//! Selection from candidates by their scores: what the exponential mechanism and permute-and-flip
//! ask for and show alike.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail, ensure};
use clap::Args;
use lastbit::mechanisms::exponential::Exponential as Mechanism;
use lastbit::{Alpha, Beta, Epsilon, Sensitivity, parse_number};
use lastbit_exact::{Down, Enclosure, Rational, Rounding, Up};
use serde_json::{Value, json};

use super::draws::Draws;
use super::lines;
use crate::number::{
    json as number, json_lower, json_nearest, json_up, json_upper, readable, readable_up, shortest,
};
use crate::picture::{Bar, bars};

/// The largest magnitude of the exponent of ε/Δ.
const RATE_LIMIT: i64 = 998;

/// Lines of the picture.
const MOST_BARS: usize = 32;

/// What every use of such a mechanism needs.
#[derive(Args)]
pub struct Common {
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
    pub json: bool,
}

impl Common {
    pub fn mechanism(&self) -> Result<Mechanism> {
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
pub struct DrawArgs {
    /// File of scores, one per line; `-` for standard input
    #[arg(long, value_name = "FILE")]
    pub scores: PathBuf,

    #[command(flatten)]
    pub common: Common,

    /// How many independent selections; each costs the whole loss
    #[arg(long, value_name = "N", default_value_t = 1)]
    draws: u64,
}

impl DrawArgs {
    /// Writes the selected indices.
    pub fn write(
        &self,
        out: &mut impl Write,
        mechanism: &Mechanism,
        draw: impl FnMut() -> Result<usize>,
    ) -> Result<()> {
        let epsilon = || ("epsilon", json_up(mechanism.epsilon().get()));
        let draws = Draws {
            number: self.draws,
            of: "selections from the same scores",
            json: self.common.json.then(epsilon),
        };
        draws.write(out, draw)
    }
}

#[derive(Args)]
pub struct LawArgs {
    /// File of scores, one per line; `-` for standard input. Guesses, as the law of the true scores
    /// would disclose them
    #[arg(long, value_name = "FILE")]
    pub scores: PathBuf,

    #[command(flatten)]
    pub common: Common,

    /// Ignored: every draw has the same law
    #[arg(long, value_name = "N", hide = true)]
    draws: Option<u64>,
}

/// The probability of one candidate.
pub struct Likelihood {
    pub low: Down,
    pub high: Up,
    /// Between them; not a bound.
    pub nearest: f64,
}

impl From<&Enclosure> for Likelihood {
    fn from(probability: &Enclosure) -> Likelihood {
        Likelihood {
            low: Down::from_dyadic(probability.lo()),
            high: Up::from_dyadic(probability.hi()),
            nearest: probability.hi().to_f64(Rounding::NearestEven),
        }
    }
}

/// The likeliest of several answers, in their order, and the others together.
pub fn likeliest(
    out: &mut impl Write,
    law: &[Likelihood],
    label: impl Fn(usize) -> String,
) -> io::Result<()> {
    let mut order: Vec<usize> = (0..law.len()).collect();
    order.sort_by(|&a, &b| law[b].nearest.total_cmp(&law[a].nearest));
    let left = order.split_off(order.len().min(MOST_BARS));
    order.sort_unstable();
    let shown = order.iter();
    let mut picture: Vec<Bar> = shown
        .map(|&i| Bar::probability(label(i), law[i].nearest))
        .collect();
    if !left.is_empty() {
        let rest = left.iter().map(|&i| law[i].nearest).sum();
        let label = format!("{} less likely", left.len());
        picture.push(Bar::probability(label, rest));
    }
    bars(out, &picture)
}

impl LawArgs {
    /// Writes the law of these scores: as JSON, or as bars below a heading that begins with `what`.
    pub fn write(
        &self,
        out: &mut impl Write,
        what: &str,
        scores: &[Rational],
        law: &[Likelihood],
    ) -> Result<()> {
        let mechanism = self.common.mechanism()?;
        if self.common.json {
            let pairs = law.iter().zip(scores).enumerate();
            let candidates = pairs.map(|(index, (likelihood, score))| {
                json!({
                    "index": index,
                    "score": json_nearest(score),
                    "low": json_lower(likelihood.low),
                    "high": json_upper(likelihood.high),
                })
            });
            let candidates: Vec<Value> = candidates.collect();
            let epsilon = json_up(mechanism.epsilon().get());
            let value = json!({"epsilon": epsilon, "candidates": candidates});
            writeln!(out, "{value}")?;
            return Ok(());
        }
        writeln!(
            out,
            "{what} {} candidates: loss ε {}, sensitivity Δ {}, {} scores",
            scores.len(),
            readable_up(mechanism.epsilon().get()),
            readable(mechanism.sensitivity().get()),
            if mechanism.is_monotone() {
                "monotone"
            } else {
                "general"
            },
        )?;
        likeliest(out, law, |i| {
            format!("{i} (score {})", readable(&scores[i]))
        })?;
        Ok(())
    }
}

#[derive(Args)]
pub struct PriceArgs {
    #[command(flatten)]
    among: Among,

    #[command(flatten)]
    pub common: Common,

    /// A score below (1 − A)·best is bad
    #[arg(
        long,
        value_name = "A",
        default_value = "0.1",
        allow_hyphen_values = true
    )]
    pub alpha: Alpha,

    /// Probability with which the selection may be bad
    #[arg(
        long,
        value_name = "B",
        default_value = "0.05",
        allow_hyphen_values = true
    )]
    pub beta: Beta,
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
    /// How many candidates there are, at least one, and their guessed scores.
    pub fn candidates(&self) -> Result<(u64, Option<Vec<Rational>>)> {
        let (candidates, guess) = match (&self.among.scores, self.among.candidates) {
            (Some(path), _) => {
                let scores = read(path)?.rationals();
                (scores.len() as u64, Some(scores))
            }
            (None, Some(candidates)) => (candidates, None),
            (None, None) => bail!("give --candidates or --scores"),
        };
        ensure!(
            candidates > 0,
            "there is no candidate to select from; give at least one"
        );
        Ok((candidates, guess))
    }

    /// What a best score as large as the promise is good for.
    pub fn promised(&self) -> String {
        format!(
            "or more as best score: at least {} of it with probability {}",
            readable(&(&Rational::ONE - self.alpha.get())),
            readable(&(&Rational::ONE - self.beta.get())),
        )
    }
}

/// How good a selection is if the guessed scores are right.
pub struct Guessed {
    pub best: Rational,
    /// The probability of a bad score, at most.
    pub bad: Up,
    /// The mean of the selected score, approximately.
    pub mean: f64,
}

impl Guessed {
    pub fn json(&self) -> Value {
        json!({
            "best": json_nearest(&self.best),
            "bad_probability": json_upper(self.bad),
            "mean_score": number(self.mean),
        })
    }

    /// Rows of the table of a price.
    pub fn rows<'a>(&self) -> [(&'a str, String, &'a str); 4] {
        let bad = format!("{:.3e}", self.bad);
        [
            ("if the guess is right", String::new(), ""),
            ("  best score", readable(&self.best), ""),
            (
                "  mean score",
                shortest(self.mean),
                "of the selected candidate",
            ),
            ("  P(bad)", bad, "exactly, from the law"),
        ]
    }
}

/// The mean of the selected score, approximately.
pub fn mean(law: impl IntoIterator<Item = f64>, scores: &[Rational]) -> f64 {
    law.into_iter()
        .zip(scores)
        .map(|(probability, score)| probability * score.to_f64(Rounding::NearestEven))
        .sum()
}

/// Scores as they were written: integers if all are.
pub enum Scores {
    Integers(Vec<i64>),
    Rationals(Vec<Rational>),
}

impl Scores {
    pub fn rationals(self) -> Vec<Rational> {
        match self {
            Scores::Integers(scores) => scores.into_iter().map(Rational::from).collect(),
            Scores::Rationals(scores) => scores,
        }
    }
}

pub fn read(path: &Path) -> Result<Scores> {
    let text = lines::read(path, "scores")?;
    let lines = lines::numbered(&text);
    let integers: Result<Vec<i64>, _> = lines.clone().map(|(_, line)| line.parse()).collect();
    if let Ok(integers) = integers {
        return Ok(Scores::Integers(integers));
    }
    let score = |(place, line): (usize, &str)| {
        parse_number("score", line).map_err(|error| anyhow!("line {place} of the scores: {error}"))
    };
    Ok(Scores::Rationals(lines.map(score).collect::<Result<_>>()?))
}
