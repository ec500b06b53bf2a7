//! `lastbit mechanism exponential draw|law|price`.

use std::io::Write;

use anyhow::Result;
use clap::Subcommand;
use lastbit::conversions::bounded_range_to_zcdp;
use lastbit::mechanisms::exponential::Target;
use lastbit_exact::{Natural, Up};
use lastbit_noise::entropy::System;
use serde_json::json;

use super::candidates::{DrawArgs, Guessed, LawArgs, Likelihood, PriceArgs, Scores, mean, read};
use crate::number::{json_nearest, json_up, json_upper, readable_up, upper};
use crate::picture::rows;

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
    #[command(before_long_help = TEACH, after_long_help = concat!(
        "Examples:\n",
        "  The most frequent of some diagnoses, their counts in a file, at a loss of 0.5:\n",
        "    lastbit mechanism exponential draw --scores counts.txt --sensitivity 1 --epsilon 0.5 \
         --monotone\n",
        "  From a pipe:\n",
        "    cut -f2 votes.tsv | lastbit mechanism exponential draw --scores - --sensitivity 1 \
         --epsilon 1"
    ))]
    Draw(DrawArgs),
    /// The exact probability of every candidate, for guessed scores
    #[command(before_long_help = TEACH, after_long_help = concat!(
        "Example:\n",
        "  lastbit mechanism exponential law --scores guess.txt --sensitivity 1 --epsilon 0.5 \
         --monotone"
    ))]
    Law(LawArgs),
    /// What a selection costs, and the best score it takes for a good answer
    #[command(before_long_help = TEACH, after_long_help = concat!(
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
            Exponential::Draw(arguments) => draw(&arguments, out),
            Exponential::Law(arguments) => law(&arguments, out),
            Exponential::Price(arguments) => price(&arguments, out),
        }
    }
}

/// Enough for every digit of a double.
pub(super) const BITS: u32 = 70;

fn draw(arguments: &DrawArgs, out: &mut impl Write) -> Result<()> {
    let mechanism = arguments.common.mechanism()?;
    let mut entropy = System::default();
    match read(&arguments.scores)? {
        Scores::Integers(scores) => {
            let choice = mechanism.over(&scores)?;
            arguments.write(out, &mechanism, || Ok(choice.draw(&mut entropy)?))
        }
        Scores::Rationals(scores) => {
            let choice = mechanism.over(&scores)?;
            arguments.write(out, &mechanism, || Ok(choice.draw(&mut entropy)?))
        }
    }
}

fn law(arguments: &LawArgs, out: &mut impl Write) -> Result<()> {
    let mechanism = arguments.common.mechanism()?;
    let scores = read(&arguments.scores)?.rationals();
    let law = mechanism.over(&scores)?.law(BITS);
    let law: Vec<Likelihood> = law.iter().map(Likelihood::from).collect();
    arguments.write(out, "Selection from", &scores, &law)
}

fn price(arguments: &PriceArgs, out: &mut impl Write) -> Result<()> {
    let mechanism = arguments.common.mechanism()?;
    let target = Target::new(arguments.alpha.clone(), arguments.beta.clone());
    let (candidates, guess) = arguments.candidates()?;
    // All except one may be bad.
    let [all, bad] = [candidates, candidates - 1].map(Natural::from);
    let promises = mechanism.promises(&all, &Natural::ONE, &bad, &target)?;
    let rho = bounded_range_to_zcdp(Up::from_rational(mechanism.epsilon().get()))?;
    let guessed = match &guess {
        Some(scores) => {
            let choice = mechanism.over(scores)?;
            // Useless if no score is positive: then no score is below a part of the best.
            let bad = choice.bad_probability(target.alpha(), 60)?;
            Some(Guessed {
                best: choice.largest().clone(),
                bad: Up::from_dyadic(bad.hi()),
                mean: mean(
                    choice
                        .law(BITS)
                        .iter()
                        .map(|one| Likelihood::from(one).nearest),
                    scores,
                ),
            })
        }
        None => None,
    };
    if arguments.common.json {
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
    table.extend(guessed.iter().flat_map(Guessed::rows));
    rows(out, &table)?;
    Ok(())
}
