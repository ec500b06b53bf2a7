//! `lastbit mechanism laplace|gaussian|geometric draw|law|price`.

mod draw;
mod law;
mod prepared;
mod price;

use std::io::Write;

use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use lastbit::mechanisms::{Scale, Variance};
use lastbit::tables::Noise;
use lastbit::{Epsilon, GridExponent, Rational, Rho, Sensitivity};

use crate::number::named;
use prepared::{Kind, Prepared};

const LAPLACE: &str = "\
Publishes the value plus real Laplace noise of scale s, rounded to a public grid: the loss is \
ε = Δ/s, exactly. The value is not clamped; `snapping` does that.

  --sensitivity  how far one person can move the value: Δ; 1 for a count of people
  --grid         which numbers can be published: `fine` (about a thousand in a scale), `whole` \
(whole numbers), or `fine:K` (multiples of 2^K). It is public: a finer one costs no privacy

Numbers are read exactly: 0.1 is one tenth; 1/3 and 2.5e-3 are numbers too.";

const GAUSSIAN: &str = "\
Publishes the value plus real Gaussian noise of standard deviation σ, rounded to a public grid: \
the loss is ρ = Δ²/(2σ²) under zCDP, exactly. `lastbit convert` states it as (ε, δ).

  --sensitivity  how far one person can move the value: Δ; 1 for a count of people
  --grid         which numbers can be published: `fine` (about a thousand in a standard \
deviation), `whole` (whole numbers), or `fine:K` (multiples of 2^K). It is public: a finer one \
costs no privacy

Numbers are read exactly: 0.1 is one tenth; 1/3 and 2.5e-3 are numbers too.";

const GEOMETRIC: &str = "\
Publishes a whole number plus two-sided geometric noise, also called discrete Laplace: the \
probability of k is proportional to e^(-|k|/s), and the loss is ε = Δ/s, exactly.

  --sensitivity  how far one person can move the value: Δ; 1 for a count of people

Numbers are read exactly: 0.1 is one tenth; 1/3 and 2.5e-3 are numbers too.";

macro_rules! commands {
    ($name:ident, $size:ty, $word:literal, $loss:literal) => {
        /// The commands of one kind of noise.
        #[derive(Subcommand)]
        pub enum $name {
            /// Release a number: one noisy value per line
            #[command(after_long_help = concat!(
                "Examples:\n",
                "  A count of people:\n",
                "    lastbit mechanism ", $word, " draw --value 417 --sensitivity 1 ", $loss, "\n",
                "  Ten thousand draws, to look at the distribution:\n",
                "    lastbit mechanism ", $word, " draw --value 0 --sensitivity 1 ", $loss,
                " --draws 10000"
            ))]
            Draw(draw::Draw<$size>),
            /// The exact distribution of a release of a guessed value, as a picture
            #[command(after_long_help = concat!(
                "Example:\n",
                "  lastbit mechanism ", $word, " law --value 3 --sensitivity 1 ", $loss
            ))]
            Law(law::Law<$size>),
            /// What a release costs and how far off it may be, before any data is read
            #[command(after_long_help = concat!(
                "Example:\n",
                "  lastbit mechanism ", $word, " price --sensitivity 1 ", $loss,
                " --confidence 0.99"
            ))]
            Price(price::PriceArgs<$size>),
        }

        impl $name {
            /// Runs the command.
            pub fn run(self, out: &mut impl Write) -> Result<()> {
                match self {
                    $name::Draw(command) => command.run(out),
                    $name::Law(command) => command.run(out),
                    $name::Price(command) => command.run(out),
                }
            }
        }
    };
}
commands!(Laplace, LaplaceSize, "laplace", "--epsilon 0.1");
commands!(Gaussian, GaussianSize, "gaussian", "--rho 0.01");
commands!(Geometric, GeometricSize, "geometric", "--epsilon 0.1");

/// Options that say which noise it is.
pub trait Size: Args {
    /// The noise.
    fn prepared(&self) -> Result<Prepared>;
}

#[derive(Args)]
#[command(before_long_help = LAPLACE)]
pub struct LaplaceSize {
    #[command(flatten)]
    moved: Moved,
    #[command(flatten)]
    size: ScaleOrEpsilon,
    #[command(flatten)]
    grid: OnGrid,
}

impl Size for LaplaceSize {
    fn prepared(&self) -> Result<Prepared> {
        let scale = self.size.scale(&self.moved.sensitivity)?;
        let grid = self.grid.of(&Noise::Laplace(scale.clone()))?;
        Prepared::new(Kind::Laplace(scale), grid, &self.moved.sensitivity)
    }
}

#[derive(Args)]
#[command(before_long_help = GAUSSIAN)]
pub struct GaussianSize {
    #[command(flatten)]
    moved: Moved,
    #[command(flatten)]
    size: SigmaOrRho,
    #[command(flatten)]
    grid: OnGrid,
}

impl Size for GaussianSize {
    fn prepared(&self) -> Result<Prepared> {
        let variance = match (&self.size.rho, &self.size.sigma) {
            (Some(rho), _) => Variance::for_rho(&self.moved.sensitivity, rho),
            (None, Some(sigma)) => Variance::of_sigma(sigma.clone())?,
            (None, None) => bail!("give --rho or --sigma"),
        };
        let grid = self.grid.of(&Noise::Gaussian(variance.clone()))?;
        Prepared::new(Kind::Gaussian(variance), grid, &self.moved.sensitivity)
    }
}

#[derive(Args)]
#[command(before_long_help = GEOMETRIC)]
pub struct GeometricSize {
    #[command(flatten)]
    moved: Moved,
    #[command(flatten)]
    size: ScaleOrEpsilon,
}

impl Size for GeometricSize {
    fn prepared(&self) -> Result<Prepared> {
        let scale = self.size.scale(&self.moved.sensitivity)?;
        let whole = GridExponent::new(0)?;
        Prepared::new(Kind::Geometric(scale), whole, &self.moved.sensitivity)
    }
}

#[derive(Args)]
struct Moved {
    /// How far one person can move the value: Δ > 0
    #[arg(long, value_name = "D", allow_hyphen_values = true)]
    sensitivity: Sensitivity,
}

#[derive(Args)]
#[group(required = true, multiple = false)]
struct ScaleOrEpsilon {
    /// Privacy loss to pay: ε > 0
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    epsilon: Option<Epsilon>,

    /// Scale of the noise; the loss is Δ/S
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    scale: Option<Scale>,
}

impl ScaleOrEpsilon {
    fn scale(&self, sensitivity: &Sensitivity) -> Result<Scale> {
        match (&self.epsilon, &self.scale) {
            (Some(epsilon), _) => Ok(Scale::for_epsilon(sensitivity, epsilon)),
            (None, Some(scale)) => Ok(scale.clone()),
            (None, None) => bail!("give --epsilon or --scale"),
        }
    }
}

#[derive(Args)]
#[group(required = true, multiple = false)]
struct SigmaOrRho {
    /// Privacy loss to pay under zCDP: ρ > 0
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    rho: Option<Rho>,

    /// Standard deviation of the noise; the loss is Δ²/(2S²)
    #[arg(long, value_name = "S", allow_hyphen_values = true, value_parser = named("sigma"))]
    sigma: Option<Rational>,
}

#[derive(Args)]
struct OnGrid {
    /// Grid of the outputs: `fine`, `whole`, or `fine:K` (multiples of 2^K)
    #[arg(long, value_name = "GRID", default_value = "fine", value_parser = grid)]
    grid: GridChoice,
}

impl OnGrid {
    fn of(&self, noise: &Noise) -> Result<GridExponent> {
        Ok(match self.grid {
            GridChoice::Fine => noise.fine_grid(),
            GridChoice::Fixed(exponent) => GridExponent::new(exponent)?,
        })
    }
}

#[derive(Clone, Copy)]
enum GridChoice {
    Fine,
    Fixed(i64),
}

fn grid(text: &str) -> Result<GridChoice, String> {
    let exponent = match (text, text.strip_prefix("fine:")) {
        ("fine", _) => return Ok(GridChoice::Fine),
        ("whole", _) => Some(0),
        (_, Some(exponent)) => exponent.parse().ok(),
        _ => None,
    };
    exponent.map(GridChoice::Fixed).ok_or_else(|| {
        "write `fine`, `whole`, or `fine:K` for a grid of 2^K, such as fine:-10".to_owned()
    })
}
