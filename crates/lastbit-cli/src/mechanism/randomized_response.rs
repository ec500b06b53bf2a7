//! `lastbit mechanism randomized-response draw|law|price`.

use std::io::Write;

use anyhow::{Result, ensure};
use clap::{Args, Subcommand};
use lastbit::conversions::pure_to_zcdp;
use lastbit::domains::AtomDomain;
use lastbit::measures::MaxDivergence;
use lastbit::mechanisms::{randomized_response, truth_for_epsilon};
use lastbit::metrics::DiscreteDistance;
use lastbit::{Epsilon, Measurement};
use lastbit_exact::{Rational, Rounding, Up};
use lastbit_release::clean;
use serde_json::{Value, json};

use super::draws::Draws;
use crate::number::{json_nearest, json_upper, upper};
use crate::picture::{self, Bar, bars, rows};

const TEACH: &str = "\
One person answers with one of k public categories: the true one with probability p, each other \
one with probability (1 − p)/(k − 1), where p is the largest that the loss ε allows. A value that \
is none of the categories is answered by any of them, each with probability 1/k.

The answers of many people give shares: if a share y of the answers is a category, its true share \
is estimated without bias by (y − r)/(p − r), r = (1 − p)/(k − 1).";

/// The commands of randomized response.
#[derive(Subcommand)]
pub enum RandomizedResponse {
    /// Answer for one person: one category per line
    #[command(after_long_help = concat!(
        "Example:\n",
        "  lastbit mechanism randomized-response draw --value yes --categories yes,no --epsilon 1"
    ))]
    Draw(Draw),
    /// The exact probability of every answer, for a guessed value
    #[command(after_long_help = concat!(
        "Example:\n",
        "  lastbit mechanism randomized-response law --value red --categories red,green,blue \
         --epsilon 1"
    ))]
    Law(Law),
    /// What an answer costs, and how often it is true
    #[command(after_long_help = concat!(
        "Example:\n",
        "  lastbit mechanism randomized-response price --categories red,green,blue --epsilon 1"
    ))]
    Price(PriceArgs),
}

impl RandomizedResponse {
    /// Runs the command.
    pub fn run(self, out: &mut impl Write) -> Result<()> {
        match self {
            RandomizedResponse::Draw(command) => command.run(out),
            RandomizedResponse::Law(command) => command.run(out),
            RandomizedResponse::Price(command) => command.run(out),
        }
    }
}

#[derive(Args)]
#[command(before_long_help = TEACH)]
struct Common {
    /// The public categories, two or more, with commas between them
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', required = true)]
    categories: Vec<String>,

    /// Privacy loss to pay: ε > 0
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    epsilon: Epsilon,

    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

/// Randomized response on texts.
type Answer = Measurement<AtomDomain<String>, DiscreteDistance, MaxDivergence, String>;

impl Common {
    fn truth(&self) -> Result<Rational> {
        Ok(truth_for_epsilon(
            self.categories.len() as u64,
            &self.epsilon,
        )?)
    }

    fn answer(&self) -> Result<Answer> {
        let domain = AtomDomain::<String>::new();
        let truth = self.truth()?;
        Ok(randomized_response(
            domain,
            self.categories.clone(),
            &truth,
        )?)
    }

    /// The loss that the privacy map states.
    fn loss(&self) -> Result<Up> {
        Ok(self.answer()?.map(&1)?)
    }

    /// The probability of the true category and of each other one, exactly.
    fn probabilities(&self) -> Result<(Rational, Rational)> {
        let truth = self.truth()?;
        let others = Rational::from(self.categories.len() as u64 - 1);
        let other = &(&Rational::ONE - &truth) / &others;
        Ok((truth, other))
    }
}

#[derive(Args)]
pub struct Draw {
    /// The person's true category
    #[arg(long, value_name = "V", allow_hyphen_values = true)]
    value: String,

    #[command(flatten)]
    common: Common,

    /// How many independent answers; each costs the whole loss
    #[arg(long, value_name = "N", default_value_t = 1)]
    draws: u64,
}

impl Draw {
    fn run(self, out: &mut impl Write) -> Result<()> {
        let answer = self.common.answer()?;
        let json = match self.common.json {
            true => Some(("epsilon", json_upper(self.common.loss()?))),
            false => None,
        };
        let is_json = json.is_some();
        let draws = Draws {
            number: self.draws,
            of: "answers for one value",
            json,
        };
        draws.write(out, || {
            let drawn = answer.invoke(&self.value)?;
            Ok(match is_json {
                true => Value::from(drawn).to_string(),
                false => clean::shown(&drawn),
            })
        })
    }
}

#[derive(Args)]
pub struct Law {
    /// The category whose answers are described; a guess
    #[arg(long, value_name = "V", allow_hyphen_values = true)]
    value: String,

    #[command(flatten)]
    common: Common,
}

impl Law {
    fn run(self, out: &mut impl Write) -> Result<()> {
        // Refuses what cannot be drawn from.
        let loss = self.common.loss()?;
        let (truth, other) = self.common.probabilities()?;
        let categories = &self.common.categories;
        let equal = Rational::new(1, categories.len() as i64);
        let is_known = categories.contains(&self.value);
        let law = categories.iter().map(|category| {
            let probability = match (is_known, *category == self.value) {
                (false, _) => &equal,
                (true, true) => &truth,
                (true, false) => &other,
            };
            (category, probability)
        });
        if self.common.json {
            let answers: Vec<Value> = law
                .map(|(category, p)| json!({"category": category, "probability": json_nearest(p)}))
                .collect();
            let value = json!({"epsilon": json_upper(loss), "answers": answers});
            writeln!(out, "{value}")?;
            return Ok(());
        }
        let picture: Vec<Bar> = law
            .map(|(category, probability)| {
                let weight = probability.to_f64(Rounding::NearestEven);
                Bar::probability(clean::shown(category), weight)
            })
            .collect();
        bars(out, &picture)?;
        Ok(())
    }
}

#[derive(Args)]
pub struct PriceArgs {
    /// Accepted for symmetry with `draw`, and ignored: the price is the same for every value
    #[arg(long, value_name = "V", allow_hyphen_values = true)]
    value: Option<String>,

    #[command(flatten)]
    common: Common,
}

impl PriceArgs {
    fn run(self, out: &mut impl Write) -> Result<()> {
        let loss = self.common.loss()?;
        ensure!(
            loss.is_at_most(self.common.epsilon.get()),
            "this is a fault of lastbit: an answer costs more than was asked for; report it"
        );
        let rho = pure_to_zcdp(loss)?;
        let (truth, other) = self.common.probabilities()?;
        if self.common.json {
            let value = json!({
                "epsilon": json_upper(loss),
                "rho": json_upper(rho),
                "categories": self.common.categories.len(),
                "truth": json_nearest(&truth),
                "other": json_nearest(&other),
                "truth_exact": truth.to_string(),
            });
            writeln!(out, "{value}")?;
            return Ok(());
        }
        let percent = |p: &Rational| picture::percent(p.to_f64(Rounding::NearestEven));
        let table = [
            ("loss ε", upper(loss), "pure; at most what was asked for"),
            ("  as zCDP ρ", upper(rho), "for many answers"),
            ("categories", self.common.categories.len().to_string(), ""),
            ("true answer", percent(&truth), "with this probability"),
            ("each other one", percent(&other), "with this probability"),
        ];
        rows(out, &table)?;
        Ok(())
    }
}
