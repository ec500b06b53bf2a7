//! `lastbit mechanism permute-and-flip draw|law|price`.

use std::io::Write;

use anyhow::{Result, ensure};
use clap::Subcommand;
use lastbit::conversions::pure_to_zcdp;
use lastbit_exact::{Interval, Rational, Up};
use lastbit_noise::entropy::System;
use serde_json::json;

use super::candidates::{
    Common, DrawArgs, Guessed, LawArgs, Likelihood, PriceArgs, Scores, mean, read,
};
use crate::number::{json_nearest, json_up, json_upper, readable_up, upper};
use crate::picture::rows;

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

/// The commands of permute-and-flip.
#[derive(Subcommand)]
pub enum PermuteAndFlip {
    /// Select candidates by their scores, one index per line
    #[command(before_long_help = TEACH, after_long_help = concat!(
        "Example:\n",
        "  lastbit mechanism permute-and-flip draw --scores counts.txt --sensitivity 1 --epsilon \
         0.5 --monotone"
    ))]
    Draw(DrawArgs),
    /// The exact probability of every candidate, for guessed scores
    #[command(before_long_help = TEACH, after_long_help = concat!(
        "Example:\n",
        "  lastbit mechanism permute-and-flip law --scores guess.txt --sensitivity 1 --epsilon 0.5"
    ))]
    Law(LawArgs),
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
            PermuteAndFlip::Draw(arguments) => draw(&arguments, out),
            PermuteAndFlip::Law(arguments) => law(&arguments, out),
            PermuteAndFlip::Price(arguments) => price(&arguments, out),
        }
    }
}

fn draw(arguments: &DrawArgs, out: &mut impl Write) -> Result<()> {
    let mechanism = arguments.common.mechanism()?;
    let scores = read(&arguments.scores)?;
    let mut entropy = System::default();
    arguments.write(out, &mechanism, || {
        Ok(match &scores {
            Scores::Integers(scores) => mechanism.permute_and_flip(scores, &mut entropy)?,
            Scores::Rationals(scores) => mechanism.permute_and_flip(scores, &mut entropy)?,
        })
    })
}

fn law(arguments: &LawArgs, out: &mut impl Write) -> Result<()> {
    let scores = read(&arguments.scores)?.rationals();
    let law = flipped(&arguments.common, &scores)?;
    let law: Vec<Likelihood> = law
        .iter()
        .map(|probability| Likelihood {
            low: probability.lower(),
            high: probability.upper(),
            nearest: probability.midpoint(),
        })
        .collect();
    arguments.write(out, "Permute-and-flip over", &scores, &law)
}

/// The probability of every candidate.
fn flipped(common: &Common, scores: &[Rational]) -> Result<Vec<Interval>> {
    let mechanism = common.mechanism()?;
    ensure!(
        scores.len() <= MOST_CANDIDATES,
        "the law of more than {MOST_CANDIDATES} candidates takes too long; leave out those with \
         the lowest scores"
    );
    Ok(mechanism.permute_and_flip_law(scores)?)
}

fn price(arguments: &PriceArgs, out: &mut impl Write) -> Result<()> {
    let mechanism = arguments.common.mechanism()?;
    let (candidates, guess) = arguments.candidates()?;
    let rho = pure_to_zcdp(Up::from_rational(mechanism.epsilon().get()))?;
    // A bad candidate's coin falls on heads with probability at most e^(-rate·α·best), and all
    // but one may be bad: β covers any of them from best = ln(bad/β)/(rate·α) on.
    let bad = &Rational::from(candidates - 1) / arguments.beta.get();
    let promise = match bad > Rational::ONE {
        false => Up::ZERO,
        true => {
            let needed = mechanism.rate() * arguments.alpha.get();
            (Interval::from_rational(&bad).ln() / Interval::from_rational(&needed)).upper()
        }
    };
    let guessed = match &guess {
        Some(scores) => Some(guessed(arguments, scores)?),
        None => None,
    };
    if arguments.common.json {
        let mut value = json!({
            "epsilon": json_up(mechanism.epsilon().get()),
            "rho": json_upper(rho),
            "candidates": candidates,
            "alpha": json_nearest(arguments.alpha.get()),
            "beta": json_nearest(arguments.beta.get()),
            "promise": json_upper(promise),
        });
        if let Some(guessed) = &guessed {
            value["guess"] = guessed.json();
        }
        writeln!(out, "{value}")?;
        return Ok(());
    }
    let at = arguments.promised();
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
    table.extend(guessed.iter().flat_map(Guessed::rows));
    rows(out, &table)?;
    Ok(())
}

fn guessed(arguments: &PriceArgs, scores: &[Rational]) -> Result<Guessed> {
    let law = flipped(&arguments.common, scores)?;
    let best = scores.iter().max().cloned().unwrap_or(Rational::ZERO);
    let least = &(&Rational::ONE - arguments.alpha.get()) * &best;
    let bad = law
        .iter()
        .zip(scores)
        .filter(|(_, score)| **score < least)
        .map(|(probability, _)| probability.upper())
        .sum();
    let mean = mean(law.iter().map(|probability| probability.midpoint()), scores);
    Ok(Guessed { best, bad, mean })
}
