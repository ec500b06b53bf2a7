//! `lastbit convert`: the same privacy loss in other measures, and the price of many releases.

mod amount;
mod calibrate;
mod curve;
mod known;
mod mixture;
mod price_list;
mod source;

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, ValueEnum};
use lastbit::{ParameterError, parse_number};
use lastbit_exact::Rational;
use lastbit_release::loss::decimal;

use crate::Usage;
use crate::picture::rows;
use crate::streams::Stdout;
use known::Known;
use mixture::Mixture;
use source::{Source, not_negative};

/// Measures of a privacy loss, for the long help.
const TEACH: &str = "\
A privacy loss can be stated in several measures, from the strictest to the mildest:

  pure:E         ε-DP: no event becomes more than e^ε times as likely when one person's data
                 changes
  range:H        bounded range: the log-likelihood ratios of outputs lie within η of each
                 other, as for the exponential mechanism at ε = η; implies η-DP, and is far
                 cheaper than that under zCDP
  laplace:E      ε-DP by Laplace noise or exact snapping on one number, whose law is known
  geometric:E,D  ε-DP by geometric noise on an integer that moves by D; by 1 if D is left out
  response:K,E   ε-DP by randomized response among K categories
  zcdp:R         zero-concentrated: every Rényi divergence, of order α, is at most αρ, as for
                 Gaussian noise with ρ = Δ²/(2σ²)
  gaussian:M     Gaussian noise, M = Δ/σ, whose law is known: cheaper than zcdp:M²/2
  approx:E,D     (ε, δ): ε-DP but for events of probability δ; choose δ far below one over the
                 number of people

Every bound printed is rounded up, unless it is said to be a lower bound: it is safe to \
claim. Numbers that you give are read exactly, 0.1 is one tenth, and are printed after ≈ if \
they are long.

Pure losses of many releases add up; under zCDP and Rényi divergence they add up to less, and \
least if the whole law of each loss is known (pld: privacy-loss distributions, added up \
exactly; between an upper and a lower bound). --releases K shows what K such releases cost \
under each way of adding up. All of them hold when a release is chosen with earlier results in \
sight, as long as its kind and loss were fixed beforehand.";

const EXAMPLES: &str = "\
Examples:
  What Laplace noise at ε = 1 costs in every measure:
    lastbit convert --from laplace:1 --delta 1e-9
  The ε of Gaussian noise with ρ = 0.1 at δ = 1e-6, and the δ at ε = 2:
    lastbit convert --from zcdp:0.1 --to approx --delta 1e-6
    lastbit convert --from zcdp:0.1 --to approx --epsilon 2
  A hundred selections by the exponential mechanism at ε = 0.1, under each accountant:
    lastbit convert --from range:0.1 --releases 100 --delta 1e-6
  A thousand steps of Gaussian noise, σ = Δ, each on a secret hundredth of the rows:
    lastbit convert --from gaussian:1 --sampled 0.01 --releases 1000 --delta 1e-6
  The largest ε that each of 100 releases by Laplace noise may have, for ε = 1 in all:
    lastbit convert --calibrate laplace:1 --releases 100 --delta 1e-6
  What an attacker can find out who accuses at most one in a hundred wrongly:
    lastbit convert --from gaussian:0.5 --power 0.01
  Releases of several kinds, a line each (such as: 10 laplace:0.1 delta 1e-9), drawn:
    lastbit convert --list releases.txt --picture";

#[derive(Args)]
#[command(before_long_help = TEACH, after_long_help = EXAMPLES)]
pub struct Convert {
    /// The loss that is known: pure:E, range:H, laplace:E, gaussian:M, zcdp:R, geometric:E,
    /// response:K,E or approx:E,D
    #[arg(long, value_name = "KIND:X", value_parser = Source::parse)]
    from: Option<Source>,

    /// The measure to convert to; every one if left out
    #[arg(long, value_enum)]
    to: Option<Target>,

    /// δ to spend, between 0 and 1: gives the ε of approx
    #[arg(long, value_name = "D", value_parser = delta, allow_hyphen_values = true)]
    delta: Option<Rational>,

    /// ε to claim: gives the δ of approx
    #[arg(
        long,
        value_name = "E",
        value_parser = epsilon,
        allow_hyphen_values = true,
    )]
    epsilon: Option<Rational>,

    /// The price of K such releases under each accountant
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    releases: Option<u64>,

    /// Each release is of a secret Poisson sample, each row in it with probability Q
    #[arg(long, value_name = "Q", value_parser = source::rate)]
    sampled: Option<Rational>,

    /// Releases of several kinds from a file, a line each: COUNT KIND:X [sampled Q] [delta D]
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["from", "releases", "sampled", "calibrate"],
    )]
    list: Option<PathBuf>,

    /// The largest loss that each of K releases of this kind may have, if all may cost ε = X
    #[arg(long, value_name = "KIND:X", value_parser = Source::parse)]
    #[arg(conflicts_with_all = ["from", "epsilon", "to"])]
    calibrate: Option<Source>,

    /// The largest chance that the best test at this level finds a person who is in the data
    #[arg(
        long,
        value_name = "LEVEL",
        value_parser = level,
        conflicts_with_all = ["calibrate", "to"],
    )]
    power: Option<Rational>,

    /// Draw δ by ε in the terminal
    #[arg(long, conflicts_with_all = ["calibrate", "power", "json", "to", "epsilon"])]
    picture: bool,

    /// Write a page that draws δ by ε to this file; `-` is standard output
    #[arg(long, value_name = "FILE")]
    #[arg(conflicts_with_all = ["calibrate", "power", "json", "to", "epsilon"])]
    html: Option<PathBuf>,

    /// Replace a file that lastbit did not write
    #[arg(long, requires = "html")]
    force: bool,

    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Target {
    /// ε
    Pure,
    /// Bounded range η
    Range,
    /// Zero-concentrated ρ
    Zcdp,
    /// (ε, δ)
    Approx,
}

impl Target {
    const ALL: [Target; 4] = [Target::Pure, Target::Range, Target::Zcdp, Target::Approx];

    fn name(self) -> &'static str {
        match self {
            Target::Pure => "pure",
            Target::Range => "range",
            Target::Zcdp => "zcdp",
            Target::Approx => "approx",
        }
    }
}

impl Convert {
    /// Runs the command.
    pub fn run(mut self, out: &mut Stdout) -> Result<()> {
        if let Some(target) = &self.calibrate {
            return self.calibrate(out, target);
        }
        let mut from = self.from.take();
        if let (Some(from), Some(rate)) = (&mut from, &self.sampled) {
            from.sampled = Some(rate.clone());
            if let Some(why) = from.refusal() {
                bail!(Usage(why.to_owned()));
            }
            if let Some(Err(error)) = from.pair() {
                bail!(Usage(error.to_string()));
            }
        }
        let mixture = match (&self.list, &from) {
            (Some(path), _) => Mixture::read(path)?,
            (None, Some(from)) => Mixture(vec![(from.clone(), self.releases.unwrap_or(1))]),
            (None, None) => missing(&self.unknown()),
        };
        if self.epsilon.is_some() && self.delta.is_some() {
            bail!(Usage(
                "--epsilon gives a δ and --delta an ε; leave one of them out".into()
            ));
        }
        if let Some(level) = &self.power {
            return self.power(out, &mixture, level);
        }
        if self.picture || self.html.is_some() {
            return self.draw(out, &mixture);
        }
        match &from {
            Some(from)
                if from.release().is_some()
                    || (self.releases.is_none() && from.sampled.is_none()) =>
            {
                let command = &self;
                Known { command, from }.run(out, &mixture)
            }
            // Only the law of these is known.
            _ => self.together(out, &mixture),
        }
    }

    /// What to write where no loss is known: --epsilon and --delta are what to convert to.
    fn unknown(&self) -> String {
        let exact = |value: &Rational| decimal(value);
        let remedy = match (&self.epsilon, &self.delta) {
            (Some(epsilon), Some(delta)) => format!(
                "for ε = {0} and δ = {1} write --from approx:{0},{1}",
                exact(epsilon),
                exact(delta)
            ),
            (Some(epsilon), None) => format!(
                "for ε = {0} write --from pure:{0}, or with a δ --from approx:{0},1e-6",
                exact(epsilon)
            ),
            _ => "write for example --from pure:1, --from approx:1,1e-6 or --from zcdp:0.1; or \
                  give --list FILE or --calibrate KIND:X"
                .to_owned(),
        };
        format!("say which loss is known: {remedy}")
    }
}

/// Rows of a table: a name, a value, and what it means.
fn print_rows(out: &mut impl Write, lines: &[(&str, String, String)]) -> Result<()> {
    let lines: Vec<_> = lines
        .iter()
        .map(|(name, value, meaning)| (*name, value.clone(), meaning.as_str()))
        .collect();
    Ok(rows(out, &lines)?)
}

/// Ends with exit status 2, as for any missing argument.
fn missing<T>(message: &str) -> T {
    let mut cli = crate::Cli::command();
    cli.build();
    let command = cli.find_subcommand("convert").cloned();
    command
        .unwrap_or(cli)
        .error(ErrorKind::MissingRequiredArgument, message)
        .exit()
}

fn epsilon(text: &str) -> Result<Rational, String> {
    not_negative("epsilon", text)
}

fn level(text: &str) -> Result<Rational, String> {
    let level = not_negative("the level", text)?;
    if level > Rational::ONE {
        return Err(format!(
            "a level is a probability from 0 to 1, got {level}; it is the chance of a false alarm"
        ));
    }
    Ok(level)
}

fn delta(text: &str) -> Result<Rational, ParameterError> {
    lastbit::mechanisms::Delta::new(parse_number("delta", text)?).map(|delta| delta.get().clone())
}
