//! `lastbit mechanism threshold draw|law|price`.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::{Args, Subcommand};
use lastbit::metrics::Contribution;
use lastbit::tables::Noise;
use lastbit::{Confidence, Delta, Epsilon, Rho, Sensitivity, parse_number, solve};
use lastbit_exact::{Interval, Rational, Up};
use lastbit_release::clean;
use serde_json::{Map, Value, json};

use super::lines;
use crate::number::{json_lower, json_nearest, json_up, json_upper, readable, readable_up, upper};
use crate::picture::{Bar, bars, rows};

const TEACH: &str = "\
For counts by keys that are not public, such as words that people wrote: each count gets noise, \
and only the keys whose noisy count reaches a threshold are published. A key that one person alone \
has is published with probability at most δ.

  --counts   a file with one count and its key per line, as `uniq -c` writes them, or `-` for
             standard input
  --keys     in how many keys one person can be at most
  --each     how much one person adds to one key at most
  --epsilon  Laplace noise: the loss is (ε, δ)
  --rho      Gaussian noise: the loss is (ρ, δ), under zCDP but for δ";

/// The commands of thresholds.
#[derive(Subcommand)]
pub enum Threshold {
    /// Publish the keys that reach the threshold, with their noisy counts
    #[command(after_long_help = concat!(
        "Examples:\n",
        "  lastbit mechanism threshold draw --counts words.txt --keys 5 --epsilon 1 --delta 1e-9\n",
        "  sort towns.txt | uniq -c | lastbit mechanism threshold draw --counts - --epsilon 1 \
         --delta 1e-9"
    ))]
    Draw(Draw),
    /// The probability with which every key is published, for guessed counts
    #[command(after_long_help = concat!(
        "Example:\n",
        "  lastbit mechanism threshold law --counts guess.txt --epsilon 1 --delta 1e-9"
    ))]
    Law(LawArgs),
    /// The threshold, what it costs, and which counts are likely to be published
    #[command(after_long_help = concat!(
        "Example:\n",
        "  lastbit mechanism threshold price --keys 5 --epsilon 1 --delta 1e-9"
    ))]
    Price(PriceArgs),
}

impl Threshold {
    /// Runs the command.
    pub fn run(self, out: &mut impl Write) -> Result<()> {
        match self {
            Threshold::Draw(command) => command.run(out),
            Threshold::Law(command) => command.run(out),
            Threshold::Price(command) => command.run(out),
        }
    }
}

#[derive(Args)]
#[command(before_long_help = TEACH)]
struct Common {
    #[command(flatten)]
    loss: LossArgs,

    /// Probability of publishing a key that one person alone has: δ > 0
    #[arg(long, value_name = "D", allow_hyphen_values = true)]
    delta: Delta,

    /// In how many keys one person can be
    #[arg(
        long,
        value_name = "K",
        default_value_t = 1,
        value_parser = clap::value_parser!(u64).range(1..),
    )]
    keys: u64,

    /// How much one person adds to one key at most
    #[arg(
        long,
        value_name = "M",
        default_value = "1",
        allow_hyphen_values = true
    )]
    each: Sensitivity,

    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
#[group(required = true, multiple = false)]
struct LossArgs {
    /// Privacy loss to pay, with Laplace noise: ε > 0
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    epsilon: Option<Epsilon>,

    /// Privacy loss to pay, with Gaussian noise: ρ > 0
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    rho: Option<Rho>,
}

type Counts = BTreeMap<String, u64>;

/// Publishes the keys that reach the threshold.
type Release = Box<dyn Fn(&Counts) -> Result<BTreeMap<String, i64>>>;

/// The law of the noise on the whole numbers.
enum Law {
    Laplace(lastbit_noise::Laplace),
    Gaussian(lastbit_noise::Gaussian),
}

/// What was asked for.
struct Prepared {
    release: Release,
    law: Law,
    threshold: Rational,
    /// ε or ρ, exactly.
    loss: Rational,
    /// δ, as the privacy map states it.
    delta: Up,
    measure: &'static str,
    symbol: char,
}

impl Common {
    fn prepared(&self) -> Result<Prepared> {
        let one_person = Contribution::new(self.keys, self.each.get().clone())?;
        let norms = one_person.norms();
        let (noise, loss) = match (&self.loss.epsilon, &self.loss.rho) {
            (Some(epsilon), _) => (Noise::laplace(&norms, epsilon)?, epsilon.get()),
            (None, Some(rho)) => (Noise::gaussian(&norms, rho)?, rho.get()),
            (None, None) => bail!("give --epsilon or --rho"),
        };
        let threshold = noise.threshold(0, &one_person, &self.delta)?;
        let (release, law, stated): (Release, _, _) = match &noise {
            Noise::Laplace(scale) => {
                let above = noise.above_pure(0, &threshold)?;
                let stated = above.map(&one_person)?;
                let law = Law::Laplace(lastbit_noise::Laplace::new(scale.get(), 0)?);
                let release = move |counts: &Counts| Ok(above.invoke(counts)?);
                (Box::new(release), law, stated)
            }
            Noise::Gaussian(variance) => {
                let above = noise.above_zcdp(0, &threshold)?;
                let stated = above.map(&one_person)?;
                let law = lastbit_noise::Gaussian::with_variance(variance.get(), 0)?;
                let law = Law::Gaussian(law);
                let release = move |counts: &Counts| Ok(above.invoke(counts)?);
                (Box::new(release), law, stated)
            }
        };
        // What is stated here is what the framework's privacy map says.
        let delta = stated.delta();
        let is_covered = stated.loss() <= loss && delta.is_at_most(self.delta.get());
        ensure!(
            is_covered,
            "this is a fault of lastbit: the loss is stated too small; report it"
        );
        let (measure, symbol) = match self.loss.epsilon {
            Some(_) => ("epsilon", 'ε'),
            None => ("rho", 'ρ'),
        };
        Ok(Prepared {
            release,
            law,
            threshold,
            loss: loss.clone(),
            delta,
            measure,
            symbol,
        })
    }
}

impl Prepared {
    /// The probability that a key with this count is published.
    fn published(&self, count: u64) -> Interval {
        if count == 0 {
            return Interval::ZERO;
        }
        // Whole counts and noise that is symmetric: P(count + noise ≥ threshold) is
        // P(−count + noise ≤ −threshold).
        let (location, cell) = (-Rational::from(count), -self.threshold.ceil());
        match &self.law {
            Law::Laplace(law) => law.cumulative_probability(&location, &cell),
            Law::Gaussian(law) => law.cumulative_probability(&location, &cell),
        }
    }

    fn head(&self) -> Map<String, Value> {
        let mut head = Map::new();
        head.insert(self.measure.to_owned(), json_up(&self.loss));
        head.insert("delta".to_owned(), json_upper(self.delta));
        head.insert("threshold".to_owned(), json_nearest(&self.threshold));
        head
    }
}

#[derive(Args)]
pub struct Draw {
    /// File of counts and keys, one of each per line; `-` for standard input
    #[arg(long, value_name = "FILE")]
    counts: PathBuf,

    #[command(flatten)]
    common: Common,
}

impl Draw {
    fn run(self, out: &mut impl Write) -> Result<()> {
        let prepared = self.common.prepared()?;
        let published = (prepared.release)(&read(&self.counts)?)?;
        if self.common.json {
            let mut value = prepared.head();
            value.insert("counts".to_owned(), json!(published));
            writeln!(out, "{}", Value::from(value))?;
            return Ok(());
        }
        for (key, count) in published {
            writeln!(out, "{count} {}", clean::shown(&key))?;
        }
        Ok(())
    }
}

#[derive(Args)]
pub struct LawArgs {
    /// File of guessed counts and keys, one of each per line; `-` for standard input. Guesses, as
    /// the law of the true counts would disclose them
    #[arg(long, value_name = "FILE")]
    counts: PathBuf,

    #[command(flatten)]
    common: Common,
}

impl LawArgs {
    fn run(self, out: &mut impl Write) -> Result<()> {
        let prepared = self.common.prepared()?;
        let counts = read(&self.counts)?;
        if self.common.json {
            let keys = counts.iter().map(|(key, &count)| {
                let probability = prepared.published(count);
                json!({
                    "key": key,
                    "count": count,
                    "low": json_lower(probability.lower()),
                    "high": json_upper(probability.upper()),
                })
            });
            let keys: Vec<Value> = keys.collect();
            let mut value = prepared.head();
            value.insert("keys".to_owned(), Value::from(keys));
            writeln!(out, "{}", Value::from(value))?;
            return Ok(());
        }
        writeln!(
            out,
            "Published if the noisy count is {} or more: loss {} {}, δ ≤ {}",
            readable(&prepared.threshold),
            prepared.symbol,
            readable_up(&prepared.loss),
            upper(prepared.delta),
        )?;
        let picture: Vec<Bar> = counts
            .iter()
            .map(|(key, &count)| {
                let weight = prepared.published(count).midpoint();
                Bar::probability(format!("{} ({count})", clean::shown(key)), weight)
            })
            .collect();
        bars(out, &picture)?;
        Ok(())
    }
}

#[derive(Args)]
pub struct PriceArgs {
    /// Accepted for symmetry with `draw`, and never read
    #[arg(long, value_name = "FILE")]
    counts: Option<PathBuf>,

    #[command(flatten)]
    common: Common,

    /// Probability with which a key is to be published
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
        let prepared = self.common.prepared()?;
        let enough = |count: u64| {
            let least = prepared.published(count).lower();
            let least = least.to_rational().unwrap_or(Rational::ZERO);
            Ok(least >= *self.confidence.get())
        };
        let likely = solve::smallest_where(1..=i64::MAX as u64, enough)
            .map_err(|_| anyhow!("no count is published with that confidence; lower it"))?;
        if self.common.json {
            let mut value = prepared.head();
            value.insert("published_from".to_owned(), json!(likely));
            value.insert("confidence".to_owned(), json_nearest(self.confidence.get()));
            writeln!(out, "{}", Value::from(value))?;
            return Ok(());
        }
        let at = format!(
            "or more is published with probability {}",
            readable(self.confidence.get())
        );
        let loss = format!("loss {}", prepared.symbol);
        let means = match prepared.symbol {
            'ε' => "exactly, no rounding term; but for δ",
            _ => "zCDP; exactly, no rounding term; but for δ",
        };
        let table = [
            (loss.as_str(), readable_up(&prepared.loss), means),
            (
                "δ",
                upper(prepared.delta),
                "at most: keys of one person alone",
            ),
            (
                "threshold",
                readable(&prepared.threshold),
                "noisy counts below it are not published",
            ),
            ("a count of", likely.to_string(), &at),
        ];
        rows(out, &table)?;
        Ok(())
    }
}

/// Keys and their counts. Messages name lines, and no key.
fn read(path: &Path) -> Result<Counts> {
    let text = lines::read(path, "counts")?;
    let mut counts = BTreeMap::new();
    for (line, place) in text.lines().zip(1usize..) {
        if line.trim().is_empty() {
            continue;
        }
        let (count, key) = line
            .trim_start()
            .split_once(char::is_whitespace)
            .with_context(|| format!("line {place} has no key; write the count and its key"))?;
        let count = parse_number("count", count)
            .ok()
            .filter(|count| Rational::from(count.floor()) == *count)
            .and_then(|count| i64::try_from(&count.floor()).ok())
            .and_then(|count| u64::try_from(count).ok())
            .with_context(|| {
                format!("line {place} of the counts: the count is no whole number from 0")
            })?;
        ensure!(
            counts.insert(key.to_owned(), count).is_none(),
            "line {place} of the counts has the key of an earlier line; add their counts up"
        );
    }
    // An empty map is data like any other.
    Ok(counts)
}
