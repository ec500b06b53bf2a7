//! `lastbit mechanism flat-concave draw|price`.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail, ensure};
use clap::{Args, Subcommand};
use lastbit::mechanisms::flat_concave::{
    IntervalSelection, Method, Problem, RecConcave, Split, loss_of_quality, needed_promise,
};
use lastbit::quality::StepFunction;
use lastbit::selection::{Need, Wanted, needed, rank_of};
use lastbit::{Alpha, Confidence, Delta, Epsilon, ParameterError, Share};
use lastbit_exact::{Rational, Up};
use lastbit_noise::entropy::System;
use serde_json::{Value, json};

use super::lines;
use crate::number::{at_least, json_upper, named, readable, upper};

const TEACH: &str = "\
The mechanism selects a point x of 0, 1, …, 2^N − 1 by its quality, n minus its rank error, where \
n is the number of data points: first the length of an interval of good points, then two such \
intervals, then a point. Its loss of quality hardly depends on N.

  --promise is a quality that the best point surely has: for a quantile, up to n. It is public: do \
not take it from the data.
  --alpha is the share of the promise that may be lost: the rank error is alpha·promise, if the \
promise is n.
  --epsilon and --delta are what you pay in all. Without --delta intervals are selected by the \
exponential mechanism, else by stability,
  which may answer `none`.";

/// The commands of Flat-Concave.
#[derive(Subcommand)]
pub enum FlatConcave {
    /// Draw a quantile of integers, or `none`
    #[command(after_long_help = concat!(
        "Example:\n",
        "  seq 1 10000 | lastbit mechanism flat-concave draw --data - --domain-bits 64 --quantile \
         0.5 --promise 10000 --alpha 0.1 --epsilon 1 --delta 1e-6"
    ))]
    Draw(Draw),
    /// The promise needed and the rank error, before any data is read
    #[command(after_long_help = concat!(
        "Examples:\n",
        "  lastbit mechanism flat-concave price --domain-bits 64 --epsilon 1 --delta 1e-6 \
         --rank-error 100\n",
        "  lastbit mechanism flat-concave price --domain-bits 64 --quantile 0.5 --promise 10000 \
         --alpha 0.1 --epsilon 1 --delta 1e-6"
    ))]
    Price(PriceArgs),
}

impl FlatConcave {
    /// Runs the command.
    pub fn run(self, out: &mut impl Write) -> Result<()> {
        match self {
            FlatConcave::Draw(command) => command.run(out),
            FlatConcave::Price(command) => command.run(out),
        }
    }
}

#[derive(Args)]
#[command(before_long_help = TEACH)]
struct Common {
    /// The domain is 0, 1, …, 2^N − 1; N from 0 to 127
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=127))]
    domain_bits: u32,

    /// Which quantile, from 0 to 1
    #[arg(
        long,
        value_name = "Q",
        default_value = "0.5",
        allow_hyphen_values = true,
        value_parser = named("quantile"),
    )]
    quantile: Rational,

    /// Privacy loss to pay in all: ε > 0
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    epsilon: Epsilon,

    /// δ to pay in all: intervals are then selected by stability
    #[arg(long, value_name = "D", allow_hyphen_values = true, value_parser = named("delta"))]
    delta: Option<Rational>,

    /// How many levels: 2 is Flat-Concave, more RecConcave
    #[arg(
        long,
        value_name = "N",
        default_value_t = 2,
        value_parser = clap::value_parser!(u32).range(1..=8),
    )]
    levels: u32,

    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

impl Common {
    fn size(&self) -> u128 {
        1 << self.domain_bits
    }

    /// ε of each selection.
    fn each(&self) -> Result<Epsilon> {
        Ok(Split::new(self.levels)?.epsilon(&self.epsilon)?)
    }

    /// How intervals are selected, with δ of each if by stability.
    fn selection(&self) -> Result<IntervalSelection> {
        let split = Split::new(self.levels)?;
        let delta = match self.levels {
            1 => None,
            _ => self.total_delta()?,
        };
        Ok(split.selection(delta.as_ref()))
    }

    fn total_delta(&self) -> Result<Option<Delta>> {
        let Some(delta) = &self.delta else {
            return Ok(None);
        };
        let total = Delta::new(delta.clone());
        let total = total.map_err(|_| {
            anyhow!(
                "selection by stability needs a delta above 0, got {delta}; give one, or select by \
                 the exponential mechanism"
            )
        })?;
        Ok(Some(total))
    }

    fn share(&self) -> Result<Share, ParameterError> {
        Share::new(self.quantile.clone())
    }

    fn mechanism(&self, optimum: i64, promise: &Rational, alpha: &Rational) -> Result<RecConcave> {
        let alpha = Alpha::new(alpha.clone())?;
        let problem = Problem::new(self.size(), optimum, promise.clone(), alpha)?;
        Ok(RecConcave::new(
            problem,
            self.levels,
            &self.each()?,
            self.selection()?,
        )?)
    }
}

#[derive(Args)]
pub struct Draw {
    /// A file of integers, one per line; `-` for standard input
    #[arg(long, value_name = "FILE")]
    data: PathBuf,

    #[command(flatten)]
    common: Common,

    /// A quality that the best point surely has, at most the number of data points
    #[arg(long, value_name = "R", allow_hyphen_values = true, value_parser = named("promise"))]
    promise: Rational,

    /// The share of the promise that may be lost, between 0 and 1
    #[arg(long, value_name = "A", allow_hyphen_values = true, value_parser = named("alpha"))]
    alpha: Rational,
}

impl Draw {
    fn run(self, out: &mut impl Write) -> Result<()> {
        let points = read(&self.data, self.common.size())?;
        let optimum = points.len() as i64;
        let mechanism = self.common.mechanism(optimum, &self.promise, &self.alpha)?;
        let rank = rank_of(&self.common.share()?, points.len())?;
        let quality = StepFunction::quantile(&points, self.common.size(), rank)?;
        let point = mechanism.draw(&quality, &mut System::default())?;
        if self.common.json {
            let loss = mechanism.loss()?;
            // Points may be above what JSON readers hold exactly: text.
            let point = point.map(|point| point.to_string());
            let value = json!({
                "point": point,
                "epsilon": json_upper(*loss.loss()),
                "delta": json_upper(loss.delta()),
            });
            writeln!(out, "{value}")?;
        } else {
            let point = point.map_or("none".to_owned(), |point| point.to_string());
            writeln!(out, "{point}")?;
        }
        Ok(())
    }
}

#[derive(Args)]
pub struct PriceArgs {
    /// Accepted for symmetry with `draw`, and never read
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,

    #[command(flatten)]
    common: Common,

    /// A quality that the best point surely has, at most the number of data points
    #[arg(
        long,
        required_unless_present = "rank_error",
        requires = "alpha",
        value_name = "R",
        allow_hyphen_values = true,
        value_parser = named("promise"),
    )]
    promise: Option<Rational>,

    /// The share of the promise that may be lost, between 0 and 1
    #[arg(
        long,
        required_unless_present = "rank_error",
        requires = "promise",
        value_name = "A",
        allow_hyphen_values = true,
        value_parser = named("alpha"),
    )]
    alpha: Option<Rational>,

    /// A rank error to reach: shows what it needs, by each way to select
    #[arg(long, value_name = "E", allow_hyphen_values = true, value_parser = named("rank error"))]
    rank_error: Option<Rational>,

    /// Probability with which the rank error is kept
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
        self.common.share()?;
        let promised = match (&self.promise, &self.alpha) {
            (Some(promise), Some(alpha)) => Some(self.promised(promise, alpha)?),
            _ => None,
        };
        let wanted = match &self.rank_error {
            Some(error) => Some(self.wanted(error)?),
            None => None,
        };
        let (lines, values): (Vec<_>, Vec<_>) = promised.into_iter().chain(wanted).unzip();
        if self.common.json {
            // Each is an object; their keys differ.
            let objects = values.into_iter().filter_map(|value| match value {
                Value::Object(object) => Some(object),
                _ => None,
            });
            let all: serde_json::Map<String, Value> = objects.flatten().collect();
            writeln!(out, "{}", Value::Object(all))?;
        } else {
            write!(out, "{}", lines.concat())?;
        }
        Ok(())
    }

    /// What the promise buys, for people and for programs.
    fn promised(&self, promise: &Rational, alpha: &Rational) -> Result<(String, Value)> {
        let common = &self.common;
        // Any number of data points that allows the promise.
        let mechanism = common.mechanism(i64::MAX, promise, alpha)?;
        let (size, each) = (common.size(), common.each()?);
        let beta = self.confidence.beta();
        let method = Method::Concave {
            levels: common.levels,
            selection: common.selection()?,
        };
        let loss = mechanism.loss()?;
        let needed = needed_promise(size, &method, &each, &Alpha::new(alpha.clone())?, &beta)?;
        let smallest = loss_of_quality(size, &method, &each, &beta)?;
        let plain = loss_of_quality(size, &Method::Exponential, &common.epsilon, &beta)?;
        let allowed = Up::from_rational(&(alpha * promise));
        let enough = needed.is_at_most(promise);
        let value = json!({
            "epsilon": json_upper(*loss.loss()),
            "delta": json_upper(loss.delta()),
            "levels": mechanism.levels(),
            "promise_needed": json_upper(needed),
            "promise_is_enough": enough,
            "rank_error": if enough { json_upper(allowed) } else { Value::Null },
            "rank_error_smallest": json_upper(smallest),
            "rank_error_exponential": json_upper(plain),
        });
        let percent = self.percent();
        let mut lines = format!(
            "Flat-Concave over 2^{} points, levels {}: loss ε {}, δ {}\n",
            common.domain_bits,
            mechanism.levels(),
            upper(*loss.loss()),
            upper(loss.delta()),
        );
        let verdict = if enough { "enough" } else { "not enough" };
        lines += &format!(
            "  promise needed   {}, at alpha {}; {} is {verdict}\n",
            up(needed),
            readable(alpha),
            readable(promise),
        );
        if enough {
            lines += &format!(
                "  rank error       {} at {percent} %, if the promise is the number of data \
                 points\n",
                up(allowed)
            );
        }
        lines += &format!(
            "  smallest bound   {} at {percent} %, with alpha·promise as small as can be\n",
            up(smallest)
        );
        lines += &format!(
            "  for comparison   {} by the exponential mechanism alone, at the same ε\n",
            up(plain)
        );
        Ok((lines, value))
    }

    /// What a rank error needs, by each way to select.
    fn wanted(&self, error: &Rational) -> Result<(String, Value)> {
        let common = &self.common;
        let wanted = Wanted::RankError(error.clone());
        let delta = common.total_delta()?;
        let beta = self.confidence.beta();
        let needs = needed(
            common.size(),
            &common.epsilon,
            delta.as_ref(),
            &beta,
            &wanted,
        )?;
        let error = readable(error);
        let setting = format!(
            "with ε = {}{} and T = 2^{}",
            readable(common.epsilon.get()),
            common
                .delta
                .as_ref()
                .map_or(String::new(), |d| format!(", δ = {}", at_least(d))),
            common.domain_bits,
        );
        let percent = self.percent();
        let lines = needs.iter().map(|need| {
            let (name, bound) = (name(need), up(need.rank_error));
            match need.rows {
                Some(rows) => format!(
                    "{name}: {setting} you need at least {rows} points for rank error ≤ {error} at \
                     {percent} % (the bound is {bound} for any number of points; with fewer, every \
                     point keeps {error})\n"
                ),
                None => format!(
                    "{name}: {setting} no number of points is enough for rank error ≤ {error} at \
                     {percent} %; the bound is {bound}; you need {}\n",
                    epsilon_needed(need)
                ),
            }
        });
        let value = json!({ "needed": needs.iter().map(|need| json!({
            "method": name(need),
            "rank_error": json_upper(need.rank_error),
            "rows": need.rows,
            "epsilon": json_upper(need.epsilon),
        })).collect::<Vec<_>>() });
        Ok((lines.collect(), value))
    }

    fn percent(&self) -> String {
        readable(&(self.confidence.get() * &Rational::from(100i64)))
    }
}

/// Rounded up to one decimal.
fn up(x: Up) -> String {
    rounded_up(x, 1)
}

/// Rounded up to `places` decimals, without zeros at the end.
fn rounded_up(x: Up, places: usize) -> String {
    if x.get().is_nan() || x.get().abs() >= 1e15 {
        return upper(x);
    }
    let text = format!("{x:.places$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn epsilon_needed(need: &Need) -> String {
    if need.epsilon.is_finite() {
        format!("ε ≥ {}", rounded_up(need.epsilon, 3))
    } else {
        "a larger rank error".to_owned()
    }
}

fn name(need: &Need) -> &'static str {
    match need.method {
        Method::Exponential => "exponential",
        Method::Concave { levels: 2, .. } => "flat-concave",
        Method::Concave { .. } => "rec-concave",
    }
}

/// Sorted integers below `size`. Errors name lines, but not their contents.
fn read(path: &Path, size: u128) -> Result<Vec<u128>> {
    let text = lines::read(path, "data")?;
    let mut points = Vec::new();
    for (place, line) in lines::numbered(&text) {
        let Ok(point) = line.parse::<u128>() else {
            bail!("line {place}: not an integer of 0 or more; write one on each line");
        };
        ensure!(
            point < size,
            "line {place}: outside the domain; clamp the data, or raise --domain-bits"
        );
        points.push(point);
    }
    points.sort_unstable();
    Ok(points)
}
