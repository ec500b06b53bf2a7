//! `lastbit mechanism snapping draw|law|price`.

mod draw;
mod law;
mod price;

use std::io::Write;
use std::str::FromStr;

use anyhow::Result;
use clap::{Args, Subcommand, ValueEnum};
use lastbit::mechanisms::snapping::{self as mechanism, SnappingError};
use lastbit::{
    Accuracy, Bounds, Confidence, Epsilon, Gamma, GridExponent, ParameterError, Sensitivity,
    parse_number,
};
use lastbit_exact::Rational;

use crate::number::named;

const TEACH: &str = "\
The mechanism:
  out = c + clamp_B( round_to_grid( clamp(f, lower, upper) − c + Laplace(λ) ) ),   c = (lower + \
upper)/2,  λ = Δ/ε

  --lower and --upper are public bounds of the query, not of the data: choose them without looking.
  --sensitivity is how far one person can move the query. For the mean of n numbers in [a, b] it \
is (b − a)/n; for a count, 1.
  --epsilon is the privacy loss you pay; or give --accuracy, the error to stay within, and the \
loss is solved.

Numbers are read exactly: 0.1 is one tenth; 1/3 and 2.5e-3 are numbers too.";

/// The commands of the snapping mechanism.
#[derive(Subcommand)]
pub enum Snapping {
    /// Draw releases of a value, one number per line
    #[command(after_long_help = concat!(
        "Examples:\n",
        "  A mean age of 41.7 over 1000 people, ages in [0, 100], at a loss of 0.5:\n",
        "    lastbit mechanism snapping draw --value 41.7 --sensitivity 0.1 --epsilon 0.5 --lower \
         0 --upper 100\n",
        "  The same, with the error chosen (± 1 at 95 %) and the loss solved:\n",
        "    lastbit mechanism snapping draw --value 41.7 --sensitivity 0.1 --accuracy 1 --lower 0 \
         --upper 100\n",
        "  Ten million draws, to look at the distribution:\n",
        "    lastbit mechanism snapping draw --value 0 --sensitivity 1 --epsilon 1 --lower -10 \
         --upper 10 --draws 10000000"
    ))]
    Draw(draw::Draw),
    /// The exact distribution of a release of a guessed value, as a picture
    #[command(after_long_help = concat!(
        "Example:\n",
        "  lastbit mechanism snapping law --value 3 --sensitivity 1 --epsilon 1 --lower 0 --upper \
         10"
    ))]
    Law(law::Law),
    /// What a release costs and how far off it may be, before any data is read
    #[command(after_long_help = concat!(
        "Examples:\n",
        "  lastbit mechanism snapping price --sensitivity 0.1 --epsilon 0.5 --lower 0 --upper 100\n\
         ",
        "  lastbit mechanism snapping price --sensitivity 1 --accuracy 10 --confidence 0.99 \
         --lower 0 --upper 1000 --guess 400 --curve"
    ))]
    Price(price::PriceArgs),
}

impl Snapping {
    /// Runs the command.
    pub fn run(self, out: &mut impl Write) -> Result<()> {
        match self {
            Snapping::Draw(command) => command.run(out),
            Snapping::Law(command) => command.run(out),
            Snapping::Price(command) => command.run(out),
        }
    }
}

/// What every use of the mechanism needs.
#[derive(Args)]
#[command(before_long_help = TEACH)]
pub struct Common {
    /// How far one person can move the query: Δ > 0
    #[arg(long, value_name = "D", allow_hyphen_values = true)]
    sensitivity: Sensitivity,

    #[command(flatten)]
    loss: LossArgs,

    /// Public lower bound of the query
    #[arg(long, value_name = "L", allow_hyphen_values = true, value_parser = named("lower"))]
    lower: Rational,

    /// Public upper bound of the query
    #[arg(long, value_name = "U", allow_hyphen_values = true, value_parser = named("upper"))]
    upper: Rational,

    #[command(flatten)]
    bound: BoundArgs,

    /// How to compute
    #[arg(long, value_enum, default_value_t = Arithmetic::Exact)]
    arithmetic: Arithmetic,

    /// Grid of the outputs: `snapped` (the smallest power of two ≥ λ) or `fine:K` (2^K; exact
    /// arithmetic)
    #[arg(long, value_name = "GRID", default_value = "snapped", value_parser = grid)]
    grid: Grid,

    /// Confidence of statements about the error, and of --accuracy
    #[arg(
        long,
        value_name = "C",
        default_value = "0.95",
        allow_hyphen_values = true
    )]
    confidence: Confidence,

    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
#[group(required = true, multiple = false)]
struct LossArgs {
    /// Privacy loss to pay: ε > 0
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    epsilon: Option<Epsilon>,

    /// Error to stay within at --confidence; the loss is solved
    #[arg(long, value_name = "A", allow_hyphen_values = true)]
    accuracy: Option<Accuracy>,
}

#[derive(Args)]
#[group(multiple = false)]
struct BoundArgs {
    /// Clamp outputs to within B of the centre; `inf` for no clamp (exact arithmetic)
    #[arg(long, value_name = "B", allow_hyphen_values = true, value_parser = bound)]
    bound: Option<mechanism::Bound>,

    /// Choose B so that it binds with probability at most G, in (0, 1] [default: 0.05]
    #[arg(long, value_name = "G", allow_hyphen_values = true)]
    gamma: Option<Gamma>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Arithmetic {
    /// Real Laplace noise, sampled exactly
    Exact,
    /// Mironov's mechanism in IEEE doubles
    Binary64,
    /// The same at 118 bits or more
    Multi,
}

impl Common {
    /// The mechanism, with this bound, if given, instead of the one asked for.
    fn mechanism(&self, bound: Option<mechanism::Bound>) -> Result<mechanism::Snapping> {
        let bounds = Bounds::new(self.lower.clone(), self.upper.clone())?;
        let builder = mechanism::Snapping::builder(bounds, self.sensitivity.clone());
        let builder = match (&self.loss.epsilon, &self.loss.accuracy) {
            (Some(epsilon), _) => builder.epsilon(epsilon.clone()),
            (None, Some(accuracy)) => builder.accuracy(accuracy.clone(), self.confidence.clone()),
            (None, None) => builder,
        };
        let asked = self
            .bound
            .bound
            .clone()
            .or_else(|| self.bound.gamma.clone().map(mechanism::Bound::Gamma));
        Ok(builder
            .bound(bound.or(asked).unwrap_or_default())
            .arithmetic(match self.arithmetic {
                Arithmetic::Exact => mechanism::Arithmetic::Exact,
                Arithmetic::Binary64 => mechanism::Arithmetic::Binary64,
                Arithmetic::Multi => mechanism::Arithmetic::Multi,
            })
            .grid(self.grid.rule()?)
            .build()?)
    }
}

fn bound(text: &str) -> Result<mechanism::Bound, ParameterError> {
    if matches!(text, "inf" | "infinity" | "∞") {
        return Ok(mechanism::Bound::Infinite);
    }
    parse_number("bound", text).map(mechanism::Bound::Value)
}

/// The grid, as it was written.
#[derive(Clone, Copy)]
enum Grid {
    Snapped,
    Fine(i64),
}

impl Grid {
    fn rule(self) -> Result<mechanism::GridRule, SnappingError> {
        match self {
            Grid::Snapped => Ok(mechanism::GridRule::Snapped),
            Grid::Fine(exponent) => GridExponent::new(exponent)
                .map(mechanism::GridRule::Fixed)
                .map_err(|_| SnappingError::GridOutOfRange { exponent }),
        }
    }
}

fn grid(text: &str) -> Result<Grid, String> {
    let exponent = match (text, text.strip_prefix("fine:")) {
        ("snapped", _) => return Ok(Grid::Snapped),
        (_, Some(exponent)) => i64::from_str(exponent).ok(),
        _ => None,
    };
    exponent.map(Grid::Fine).ok_or_else(|| {
        "write `snapped`, or `fine:K` for a grid of 2^K, such as fine:-10".to_owned()
    })
}
