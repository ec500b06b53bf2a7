//! `lastbit mechanism quantiles draw|law|price`.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use clap::{Args, Subcommand};
use lastbit::domains::{AtomDomain, VectorDomain};
use lastbit::selection::{
    EqualNumbers, Key, QuantileLaw, QuantilesMethod, quantiles, quantiles_law, quantiles_offers,
    rank_of,
};
use lastbit::{Beta, Confidence, Epsilon, Share, parse_number};
use lastbit_exact::{Rational, Rounding};
use serde_json::{Value, json};

use super::candidates::{Likelihood, likeliest};
use super::exponential::BITS;
use super::lines;
use crate::number::{
    json as number, json_lower, json_nearest, json_up, json_upper, named, readable, readable_up,
    shortest, upper,
};
use crate::picture::rows;

const TEACH: &str = "\
Publishes several quantiles of numbers for one loss of ε together. The number of values is public: \
neighbours are data in which one value is another.

  --values  a file with one number per line, or `-` for standard input
  --at      which quantiles, from 0 to 1, with commas between them: 0.25,0.5,0.75
  --lower, --upper  public bounds; values beyond them are moved to them

Values and answers are doubles between the bounds; a larger quantile never has a smaller answer. \
An answer's rank error is how many values lie between it and the true quantile.";

/// The commands of quantiles.
#[derive(Subcommand)]
pub enum Quantiles {
    /// Publish quantiles of values, one per line in the order of --at
    #[command(after_long_help = concat!(
        "Example:\n",
        "  seq 1 10000 | lastbit mechanism quantiles draw --values - --at 0.25,0.5,0.75 --lower 0 \
         --upper 20000 --epsilon 1"
    ))]
    Draw(Draw),
    /// The exact probability of every answer, for guessed values
    #[command(after_long_help = concat!(
        "One law for each selection, before the answers are sorted: numbers beside each other that \
         are as\n",
        "many ranks off have the same probability, and one line. Where the answers are found by \
         bisection\n",
        "there is no such law: each is selected among rows that depend on another answer.\n\n",
        "Example:\n",
        "  seq 1 20 | lastbit mechanism quantiles law --values - --at 0.5 --lower 0 --upper 40 \
         --epsilon 1"
    ))]
    Law(LawArgs),
    /// What they cost and how many ranks off they may be, before any data is read
    #[command(after_long_help = concat!(
        "Example:\n",
        "  lastbit mechanism quantiles price --rows 10000 --at 0.25,0.5,0.75 --lower 0 --upper \
         20000 --epsilon 1"
    ))]
    Price(PriceArgs),
}

impl Quantiles {
    /// Runs the command.
    pub fn run(self, out: &mut impl Write) -> Result<()> {
        match self {
            Quantiles::Draw(command) => command.run(out),
            Quantiles::Law(command) => command.run(out),
            Quantiles::Price(command) => command.run(out),
        }
    }
}

#[derive(Args)]
#[command(before_long_help = TEACH)]
struct Common {
    /// Which quantiles, from 0 to 1, with commas between them
    #[arg(
        long,
        value_name = "Q,Q,…",
        required = true,
        value_delimiter = ',',
        allow_hyphen_values = true,
        value_parser = at,
    )]
    at: Vec<Share>,

    /// Public lower bound of the values
    #[arg(long, value_name = "L", allow_hyphen_values = true, value_parser = named("lower"))]
    lower: Rational,

    /// Public upper bound of the values
    #[arg(long, value_name = "U", allow_hyphen_values = true, value_parser = named("upper"))]
    upper: Rational,

    /// Privacy loss to pay for all of them: ε > 0
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    epsilon: Epsilon,

    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

impl Common {
    /// The bounds as doubles that lie within them.
    fn bounds(&self) -> Result<(f64, f64)> {
        let ends = (
            self.lower.to_f64(Rounding::Up) + 0.0,
            self.upper.to_f64(Rounding::Down) + 0.0,
        );
        if self.lower > self.upper {
            bail!(
                "bounds [{}, {}]: lower is above upper; swap them?",
                self.lower,
                self.upper
            );
        }
        if ends.0 > ends.1 || !ends.0.is_finite() || !ends.1.is_finite() {
            bail!("there is no double between the bounds; widen them");
        }
        Ok(ends)
    }

    /// The values of a file, as doubles between the bounds.
    fn rows(&self, values: &Path) -> Result<Vec<f64>> {
        let (lower, upper) = self.bounds()?;
        let rows = read(values)?;
        // One zero, and no value beyond the bounds.
        let row = |value: &Rational| value.to_f64(Rounding::NearestEven).clamp(lower, upper) + 0.0;
        Ok(rows.iter().map(row).collect())
    }

    /// How many doubles lie between the bounds.
    fn size(&self) -> Result<u128> {
        let (least, largest) = self.bounds()?;
        Ok(u128::from(largest.key() - least.key()) + 1)
    }

    /// The way that `draw` takes among so many values: it chooses at 95 %, by public numbers alone.
    fn way(&self, rows: usize) -> Result<QuantilesMethod> {
        let usual = Beta::new(Rational::new(1, 20))?;
        let offers = quantiles_offers(self.size()?, rows, &self.at, &self.epsilon, &usual)?;
        Ok(offers[0].method)
    }
}

#[derive(Args)]
pub struct Draw {
    /// File of numbers, one per line; `-` for standard input
    #[arg(long, value_name = "FILE")]
    values: PathBuf,

    #[command(flatten)]
    common: Common,
}

impl Draw {
    fn run(self, out: &mut impl Write) -> Result<()> {
        let (lower, upper) = self.common.bounds()?;
        let rows = self.common.rows(&self.values)?;
        let element = AtomDomain::<f64>::bounded(lower, upper)?;
        let domain = VectorDomain::new(element).with_size(rows.len());
        let selection = quantiles(domain, &self.common.at, &self.common.epsilon)?;
        let answers = selection.invoke(&rows)?;
        if self.common.json {
            let value = json!({
                "epsilon": json_up(self.common.epsilon.get()),
                "quantiles": answers.iter().map(|&answer| number(answer)).collect::<Vec<_>>(),
            });
            writeln!(out, "{value}")?;
            return Ok(());
        }
        for answer in answers {
            writeln!(out, "{}", shortest(answer))?;
        }
        Ok(())
    }
}

#[derive(Args)]
pub struct LawArgs {
    /// File of numbers, one per line; `-` for standard input. Guesses, as the law of the true
    /// values would disclose them
    #[arg(long, value_name = "FILE")]
    values: PathBuf,

    #[command(flatten)]
    common: Common,
}

impl LawArgs {
    fn run(self, out: &mut impl Write) -> Result<()> {
        let (lower, upper) = self.common.bounds()?;
        let rows = self.common.rows(&self.values)?;
        if self.common.way(rows.len())? == QuantilesMethod::Bisection {
            bail!(
                "so many quantiles are found by bisection, where each answer depends on others \
                 that are drawn before it: none has a law of its own; ask for fewer, and see \
                 `quantiles price` for their error"
            );
        }
        let (at, epsilon) = (&self.common.at, &self.common.epsilon);
        let element = AtomDomain::<f64>::bounded(lower, upper)?;
        let laws = quantiles_law(&element, at, epsilon, &rows, BITS)?;
        let each = epsilon.get() / &Rational::from(laws.len() as u64);
        if self.common.json {
            let selections = laws.iter().map(|law| {
                let at = self.at(law, rows.len())?;
                let at: Vec<Value> = at.map(|at| json_nearest(at.get())).collect();
                Ok(json!({
                    "at": at,
                    "rank": law.rank,
                    "epsilon": json_up(&each),
                    "runs": law.runs.iter().map(run_json).collect::<Vec<_>>(),
                }))
            });
            let value = json!({
                "epsilon": json_up(epsilon.get()),
                "rows": rows.len(),
                "method": "split",
                "selections": selections.collect::<Result<Vec<Value>>>()?,
            });
            writeln!(out, "{value}")?;
            return Ok(());
        }
        for (place, law) in laws.iter().enumerate() {
            if place > 0 {
                writeln!(out)?;
            }
            let at: Vec<String> = self
                .at(law, rows.len())?
                .map(|at| readable(at.get()))
                .collect();
            writeln!(
                out,
                "Quantile {}, rank {} of {} values: loss ε {}",
                at.join(", "),
                law.rank,
                rows.len(),
                readable_up(&each),
            )?;
            let likelihoods: Vec<Likelihood> = law
                .runs
                .iter()
                .map(|run| Likelihood::from(&run.probability))
                .collect();
            likeliest(out, &likelihoods, |i| {
                let run = &law.runs[i];
                format!("{} (rank error {})", numbers(run), run.rank_error)
            })?;
        }
        Ok(())
    }

    /// The quantiles that a selection is for.
    fn at<'a>(
        &'a self,
        law: &QuantileLaw<f64>,
        rows: usize,
    ) -> Result<impl Iterator<Item = &'a Share>> {
        let ranks = self.common.at.iter().map(|at| rank_of(at, rows));
        let ranks = ranks.collect::<Result<Vec<u64>, _>>()?;
        let rank = law.rank;
        let pairs = self.common.at.iter().zip(ranks);
        Ok(pairs.filter(move |(_, one)| *one == rank).map(|(at, _)| at))
    }
}

fn run_json(run: &EqualNumbers<f64>) -> Value {
    let likelihood = Likelihood::from(&run.probability);
    json!({
        "first": number(run.first),
        "last": number(run.last),
        // There are fewer than 2^64 doubles.
        "points": run.points as u64,
        "rank_error": run.rank_error,
        "low": json_lower(likelihood.low),
        "high": json_upper(likelihood.high),
    })
}

/// Which numbers are meant, each end by itself or by the number beyond it, whichever is shorter.
fn numbers(run: &EqualNumbers<f64>) -> String {
    let (first, last) = (shortest(run.first), shortest(run.last));
    if run.points == 1 {
        return first;
    }
    // -0.0 + 0.0 is 0.0.
    let below = shortest(run.first.next_down() + 0.0);
    let above = shortest(run.last.next_up() + 0.0);
    match (below.len() < first.len(), above.len() < last.len()) {
        (false, false) => format!("{first} to {last}"),
        (false, true) => format!("{first} to below {above}"),
        (true, false) => format!("above {below} to {last}"),
        (true, true) => format!("between {below} and {above}"),
    }
}

#[derive(Args)]
pub struct PriceArgs {
    /// How many values there are
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    rows: u64,

    #[command(flatten)]
    common: Common,

    /// Probability with which the rank error is kept by all answers
    #[arg(
        long,
        value_name = "C",
        default_value = "0.95",
        allow_hyphen_values = true
    )]
    confidence: Confidence,
}

impl PriceArgs {
    fn run(self, out: &mut impl Write) -> Result<()> {
        let size = self.common.size()?;
        let beta = self.confidence.beta();
        let count = usize::try_from(self.rows)?;
        let at = &self.common.at;
        let epsilon = &self.common.epsilon;
        let way = self.common.way(count)?;
        let offers = quantiles_offers(size, count, at, epsilon, &beta)?;
        let offer = offers
            .iter()
            .find(|offer| offer.method == way)
            .ok_or_else(|| anyhow!("this is a fault of lastbit: no way is offered; report it"))?;
        let method = match way {
            QuantilesMethod::Split => "split",
            QuantilesMethod::Bisection => "bisection",
        };
        if self.common.json {
            let value = json!({
                "epsilon": json_up(epsilon.get()),
                "rows": self.rows,
                "method": method,
                "rank_error": json_upper(offer.rank_error),
                "confidence": json_nearest(self.confidence.get()),
            });
            writeln!(out, "{value}")?;
            return Ok(());
        }
        let kept = format!("of every answer, at confidence {}", self.confidence.get());
        let how = match way {
            QuantilesMethod::Split => "each on its own, at its part of the loss",
            QuantilesMethod::Bisection => "the middle one first, then those on either side",
        };
        rows(
            out,
            &[
                (
                    "loss ε",
                    readable_up(epsilon.get()),
                    "pure, of all together; exactly, no rounding term",
                ),
                ("way", method.to_owned(), how),
                ("rank error", upper(offer.rank_error), &kept),
            ],
        )?;
        Ok(())
    }
}

/// Messages name lines, and no value.
fn read(path: &Path) -> Result<Vec<Rational>> {
    let text = lines::read(path, "values")?;
    lines::numbered(&text)
        .map(|(place, line)| {
            parse_number("value", line)
                .map_err(|_| anyhow!("line {place} of the values is no number"))
        })
        .collect()
}

fn at(text: &str) -> Result<Share, String> {
    let at = parse_number("at", text).map_err(|error| error.to_string())?;
    Share::new(at.clone()).map_err(|_| format!("a quantile is from 0 to 1, got {at}"))
}
