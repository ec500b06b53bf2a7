//! `lastbit ledger budget`.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use lastbit::parse_number;
use lastbit_exact::Rational;
use lastbit_release::ledger::{self, Currency, Terms};
use lastbit_release::loss::{Loss, LossMeasure};

use super::show::print_account;

const BUDGET: &str = "\
Examples:
  lastbit ledger budget clinic.ledger --epsilon 2 --note \"the board agreed, 3 March\"
  lastbit ledger budget census.ledger --rho 0.5
  lastbit ledger budget old.ledger --epsilon 2 --currency zcdp";

#[derive(Args)]
#[command(after_long_help = BUDGET)]
pub struct Budget {
    /// The ledger
    pub file: PathBuf,

    /// The whole budget ε from now on
    #[arg(
        long,
        value_name = "E",
        value_parser = amount,
        allow_hyphen_values = true,
        required_unless_present = "rho",
    )]
    epsilon: Option<Rational>,

    /// The whole budget ρ from now on
    #[arg(
        long,
        value_name = "R",
        value_parser = amount,
        allow_hyphen_values = true,
        conflicts_with_all = ["epsilon", "delta"],
    )]
    rho: Option<Rational>,

    /// The whole budget δ from now on; as it was if left out
    #[arg(long, value_name = "D", value_parser = probability, allow_hyphen_values = true)]
    delta: Option<Rational>,

    /// The currency in which releases add up from now on, under a budget of ε and δ; fixed once
    /// something was released in it
    #[arg(long, value_name = "zcdp|gaussian", value_parser = currency, conflicts_with = "rho")]
    currency: Option<Currency>,

    /// How much of δ is set aside for thresholds of discovered keys; a tenth, or as it was, if left
    /// out
    #[arg(
        long,
        value_name = "D",
        value_parser = amount,
        allow_hyphen_values = true,
        conflicts_with = "rho",
    )]
    thresholds: Option<Rational>,

    /// Why, for people who read the ledger
    #[arg(long, value_name = "TEXT", default_value = "")]
    note: String,

    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

fn amount(text: &str) -> Result<Rational, String> {
    let value = parse_number("budget", text).map_err(|error| error.to_string())?;
    match value.is_negative() {
        true => Err(format!("a budget must not be negative, got {text}")),
        false => Ok(value),
    }
}

fn probability(text: &str) -> Result<Rational, String> {
    let value = amount(text)?;
    match value < Rational::ONE {
        true => Ok(value),
        false => Err(format!(
            "delta must be below 1, got {text}: with that probability nothing is promised"
        )),
    }
}

fn currency(word: &str) -> Result<Currency, String> {
    Terms::currency_of(word).ok_or_else(|| {
        format!(
            "releases add up in zcdp (any noise) or gaussian (Gaussian noise alone), not in {word}"
        )
    })
}

pub fn budget(change: &Budget, out: &mut impl Write) -> Result<()> {
    let mut ledger = ledger::Ledger::open_existing(&change.file)?;
    let own = ledger.account().budget.clone();
    let new = match (&change.epsilon, &change.rho) {
        (_, Some(rho)) => Loss::zcdp(rho.clone())?,
        (Some(epsilon), None) => match &change.delta {
            Some(delta) => Loss::approximate(epsilon.clone(), delta.clone())?,
            // In the ledger's measure of ε; a ledger of ρ refuses it.
            None if own.measure == LossMeasure::Approximate => {
                Loss::approximate(epsilon.clone(), own.delta.clone())?
            }
            None => Loss::pure(epsilon.clone())?,
        },
        (None, None) => bail!("give the budget as --epsilon or --rho"),
    };
    match (change.currency, &change.thresholds) {
        (None, None) => ledger.set_budget(&new, &change.note)?,
        (currency, thresholds) => {
            let usual = Terms {
                currency: Currency::Zcdp,
                thresholds: &new.delta / &Rational::from(10i64),
            };
            ledger.set_terms(
                &new,
                |own| {
                    let own = own.cloned().unwrap_or(usual);
                    Some(Terms {
                        currency: currency.unwrap_or(own.currency),
                        thresholds: thresholds.clone().unwrap_or(own.thresholds),
                    })
                },
                &change.note,
            )?;
        }
    }
    let entries = ledger.entries()?;
    print_account(&ledger, &entries, change.json, out)
}
