//! `lastbit mechanism permute-and-flip draw|law|price`.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use anyhow::{Result, bail, ensure};
use clap::{Args, Subcommand};
use lastbit::conversions::pure_to_zcdp;
use lastbit::{Alpha, Beta};
use lastbit_exact::{Interval, Rational, Rounding, Up};
use lastbit_noise::entropy::System;
use serde_json::{Value, json};

use crate::exponential::{Common, Scores, read};
use crate::number::{
    json as number, json_lower, json_nearest, json_up, json_upper, readable, readable_up, shortest,
    upper,
};
use crate::picture::{Bar, bars, rows};

const TEACH: &str = "\
Goes through the candidates in random order, and publishes the first whose coin falls on heads: \
with probability exp(ε·(u(r) − best)/(2Δ)) for candidate r with score u(r), or \
exp(ε·(u(r) − best)/Δ) if --monotone. Its expected score is never below that of `exponential` at \
the same ε.

  --scores       a file with one score per line, or `-` for standard input; answers count from 0
  --sensitivity  how far one person can move any score; 1 if scores count people
  --monotone     one person moves all scores up, or all down, as counts do if a person is added
                 or removed. The same loss then buys twice the rate. If one person can raise
                 one score and lower another, leave it out.

Numbers are read exactly: 0.1 is one tenth; 1/3 and 2.5e-3 are numbers too.";

/// The law takes n³ steps.
const MOST_CANDIDATES: usize = 400;
/// Lines of the picture.
const MOST_BARS: usize = 32;

/// The commands of permute-and-flip.
#[derive(Subcommand)]
pub enum PermuteAndFlip {
    /// Select candidates by their scores, one index per line
    #[command(before_long_help = TEACH, after_long_help = concat!(
        "Example:\n",
        "  lastbit mechanism permute-and-flip draw --scores counts.txt --sensitivity 1 --epsilon \
         0.5 --monotone"
    ))]
    Draw(Draw),
    /// The exact probability of every candidate, for guessed scores
    #[command(before_long_help = TEACH, after_long_help = concat!(
        "Example:\n",
        "  lastbit mechanism permute-and-flip law --scores guess.txt --sensitivity 1 --epsilon 0.5"
    ))]
    Law(Law),
    /// What a selection costs, and the best score it takes for a good answer
    #[command(before_long_help = TEACH, after_long_help = concat!(
        "Examples:\n",
        "  lastbit mechanism permute-and-flip price --candidates 1000 --sensitivity 1 --epsilon \
         0.5 --alpha 0.2 --beta 0.05\n",
        "  lastbit mechanism permute-and-flip price --scores guess.txt --sensitivity 1 --epsilon \
         0.5"
    ))]
    Price(PriceArgs),
}

impl PermuteAndFlip {
    /// Runs the command.
    pub fn run(self, out: &mut impl Write) -> Result<()> {
        match self {
            PermuteAndFlip::Draw(command) => command.run(out),
            PermuteAndFlip::Law(command) => command.run(out),
            PermuteAndFlip::Price(command) => command.run(out),
        }
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
        let scores = read(&self.scores)?;
        let mut entropy = System::default();
        let mut indices = (0..self.draws).map(|_| match &scores {
            Scores::Integers(scores) => mechanism.permute_and_flip(scores, &mut entropy),
            Scores::Rationals(scores) => mechanism.permute_and_flip(scores, &mut entropy),
        });
        if self.common.json {
            let epsilon = json_up(mechanism.epsilon().get());
            let draws: Vec<usize> = indices.collect::<Result<_, _>>()?;
            writeln!(out, "{}", json!({"epsilon": epsilon, "draws": draws}))?;
            return Ok(());
        }
        indices.try_for_each(|index| Ok(writeln!(out, "{}", index?)?))
    }
}

#[derive(Args)]
pub struct Law {
    /// File of scores, one per line; `-` for standard input. Guesses, as the law of the true scores
    /// would disclose them
    #[arg(long, value_name = "FILE")]
    scores: PathBuf,

    #[command(flatten)]
    common: Common,
}

impl Law {
    fn run(self, out: &mut impl Write) -> Result<()> {
        let mechanism = self.common.mechanism()?;
        let scores = read(&self.scores)?.rationals();
        let law = self.common.flipped(&scores)?;
        if self.common.json {
            let pairs = law.iter().zip(&scores).enumerate();
            let candidates: Vec<Value> = pairs
                .map(|(index, (probability, score))| {
                    json!({
                        "index": index,
                        "score": json_nearest(score),
                        "low": json_lower(probability.lower()),
                        "high": json_upper(probability.upper()),
                    })
                })
                .collect();
            let epsilon = json_up(mechanism.epsilon().get());
            let value = json!({"epsilon": epsilon, "candidates": candidates});
            writeln!(out, "{value}")?;
            return Ok(());
        }
        writeln!(
            out,
            "Permute-and-flip over {} candidates: loss ε {}, sensitivity Δ {}, {} scores",
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
        order.sort_by(|&a, &b| law[b].hi().total_cmp(&law[a].hi()));
        let left = order.split_off(order.len().min(MOST_BARS));
        order.sort_unstable();
        let bar = |label: String, weight: f64| Bar {
            label,
            weight,
            note: format!("{:.3} %", 100.0 * weight),
        };
        let label = |i: usize| format!("{i} (score {})", readable(&scores[i]));
        let drawn = order.iter().map(|&i| bar(label(i), law[i].midpoint()));
        let mut picture: Vec<Bar> = drawn.collect();
        if !left.is_empty() {
            let rest = left.iter().map(|&i| law[i].midpoint()).sum();
            picture.push(bar(format!("{} less likely", left.len()), rest));
        }
        bars(out, &picture)?;
        Ok(())
    }
}

impl Common {
    /// The probability of every candidate.
    fn flipped(&self, scores: &[Rational]) -> Result<Vec<Interval>> {
        ensure!(
            scores.len() <= MOST_CANDIDATES,
            "the law of more than {MOST_CANDIDATES} candidates takes too long; leave out those \
             with the lowest scores"
        );
        Ok(self.mechanism()?.permute_and_flip_law(scores)?)
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
        allow_hyphen_values = true
    )]
    alpha: Alpha,

    /// Probability with which the selection may be bad
    #[arg(
        long,
        value_name = "B",
        default_value = "0.05",
        allow_hyphen_values = true
    )]
    beta: Beta,
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
        let guess = match &self.among.scores {
            Some(path) => Some(read(path)?.rationals()),
            None => None,
        };
        let candidates = match (&guess, self.among.candidates) {
            (Some(scores), _) => scores.len() as u64,
            (None, Some(candidates)) => candidates,
            (None, None) => bail!("give --candidates or --scores"),
        };
        ensure!(
            candidates > 0,
            "there is no candidate to select from; give at least one"
        );
        let rho = pure_to_zcdp(Up::from_rational(mechanism.epsilon().get()))?;
        // A bad candidate's coin falls on heads with probability at most e^(-rate·α·best), and all
        // but one may be bad: β covers any of them from best = ln(bad/β)/(rate·α) on.
        let bad = &Rational::from(candidates - 1) / self.beta.get();
        let promise = match bad > Rational::ONE {
            false => Up::ZERO,
            true => {
                let needed = mechanism.rate() * self.alpha.get();
                (Interval::from_rational(&bad).ln() / Interval::from_rational(&needed)).upper()
            }
        };
        let guessed = match &guess {
            Some(scores) => Some(self.guessed(scores)?),
            None => None,
        };
        if self.common.json {
            let mut value = json!({
                "epsilon": json_up(mechanism.epsilon().get()),
                "rho": json_upper(rho),
                "candidates": candidates,
                "alpha": json_nearest(self.alpha.get()),
                "beta": json_nearest(self.beta.get()),
                "promise": json_upper(promise),
            });
            if let Some((best, bad, mean)) = &guessed {
                value["guess"] = json!({
                    "best": json_nearest(best),
                    "bad_probability": json_upper(*bad),
                    "mean_score": number(*mean),
                });
            }
            writeln!(out, "{value}")?;
            return Ok(());
        }
        let at = format!(
            "or more as best score: at least {} of it with probability {}",
            readable(&(&Rational::ONE - self.alpha.get())),
            readable(&(&Rational::ONE - self.beta.get())),
        );
        let mut table = vec![
            (
                "loss ε",
                readable_up(mechanism.epsilon().get()),
                "pure; exactly, no rounding term",
            ),
            (
                "  as zCDP ρ",
                upper(rho),
                "for many selections; `exponential` costs less there",
            ),
            ("candidates", candidates.to_string(), ""),
            ("promise", upper(promise), at.as_str()),
        ];
        if let Some((best, bad, mean)) = &guessed {
            table.push(("if the guess is right", String::new(), ""));
            table.push(("  best score", readable(best), ""));
            table.push(("  mean score", shortest(*mean), "of the selected candidate"));
            table.push(("  P(bad)", format!("{bad:.3e}"), "exactly, from the law"));
        }
        rows(out, &table)?;
        Ok(())
    }

    /// The best score, the probability of a bad one, and the mean of the selected one.
    fn guessed(&self, scores: &[Rational]) -> Result<(Rational, Up, f64)> {
        let law = self.common.flipped(scores)?;
        let best = scores.iter().max().cloned().unwrap_or(Rational::ZERO);
        let least = &(&Rational::ONE - self.alpha.get()) * &best;
        let pairs = || law.iter().zip(scores);
        let bad = pairs()
            .filter(|(_, score)| **score < least)
            .map(|(probability, _)| probability.upper())
            .sum();
        let mean = pairs()
            .map(|(p, score)| p.midpoint() * score.to_f64(Rounding::NearestEven))
            .sum();
        Ok((best, bad, mean))
    }
}
