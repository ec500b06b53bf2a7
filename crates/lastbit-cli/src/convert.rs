//! `lastbit convert`: the same privacy loss in other measures, and the price of many releases.

mod price_list;

use std::io::Write;

use anyhow::{Result, bail};
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, ValueEnum};
use lastbit::conversions::{
    Release, approximate_to_profile, bounded_range_to_zcdp_classical, pure_to_approximate,
    zcdp_to_approximate_delta, zcdp_to_approximate_epsilon,
};
use lastbit::{ParameterError, parse_number};
use lastbit_exact::{Down, Rational, Rounding, Up};
use serde_json::{Value, json};

use crate::number::{json as number, readable, shortest};
use crate::picture::rows;

/// Measures of a privacy loss, for the long help.
const TEACH: &str = "\
A privacy loss can be stated in several measures, from the strictest to the mildest:

  pure:E     ε-DP: no event becomes more than e^ε times as likely when one person's data
             changes
  range:H    bounded range: the log-likelihood ratios of outputs lie within η of each other,
             as for the exponential mechanism at ε = η; implies η-DP, and is far cheaper than
             that under zCDP
  laplace:E  ε-DP by Laplace noise or exact snapping, whose law is known
  zcdp:R     zero-concentrated: every Rényi divergence, of order α, is at most αρ, as for
             Gaussian noise with ρ = Δ²/(2σ²)
  approx     (ε, δ): ε-DP but for events of probability δ; choose δ far below one over the
             number of people

Every number printed is rounded up: it is safe to claim. The number after the colon is read
exactly: 0.1 is one tenth.

Pure losses of many releases add up; under zCDP and Rényi divergence they add up to less.
--releases K shows what K such releases cost under each way of adding up. All of them hold
when a release is chosen with earlier results in sight.";

const EXAMPLES: &str = "\
Examples:
  What Laplace noise at ε = 1 costs in every measure:
    lastbit convert --from laplace:1 --delta 1e-9
  The ε of Gaussian noise with ρ = 0.1 at δ = 1e-6, and the δ at ε = 2:
    lastbit convert --from zcdp:0.1 --to approx --delta 1e-6
    lastbit convert --from zcdp:0.1 --to approx --epsilon 2
  A hundred selections by the exponential mechanism at ε = 0.1, under each accountant:
    lastbit convert --from range:0.1 --releases 100 --delta 1e-6";

#[derive(Args)]
#[command(before_long_help = TEACH, after_long_help = EXAMPLES)]
pub struct Convert {
    /// The loss that is known: pure:E, range:H, laplace:E or zcdp:R
    #[arg(long, value_name = "KIND:X", value_parser = source)]
    from: Source,

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
        conflicts_with_all = ["delta", "releases"]
    )]
    epsilon: Option<Rational>,

    /// The price of K such releases under each accountant
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    releases: Option<u64>,

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

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Pure,
    Laplace,
    Range,
    Zcdp,
}

/// A loss as it was given.
#[derive(Clone)]
struct Source {
    kind: Kind,
    value: Rational,
}

impl Source {
    fn release(&self) -> Release {
        let loss = Up::from_rational(&self.value);
        match self.kind {
            Kind::Pure => Release::Pure(loss),
            Kind::Laplace => Release::Laplace(loss),
            Kind::Range => Release::BoundedRange(loss),
            Kind::Zcdp => Release::Zcdp(loss),
        }
    }

    /// What stands after "a release" or "releases".
    fn describe(&self) -> String {
        let value = readable(&self.value);
        match self.kind {
            Kind::Pure => format!("that cost ε = {value} each"),
            Kind::Laplace => format!("by Laplace noise or exact snapping at ε = {value}"),
            Kind::Range => format!("of bounded range η = {value}"),
            Kind::Zcdp => format!("that cost ρ = {value} each"),
        }
    }

    fn is_zcdp(&self) -> bool {
        self.kind == Kind::Zcdp
    }
}

/// A loss in one measure.
enum Loss {
    Epsilon(Up),
    Eta(Up),
    Rho(Up),
    EpsilonDelta(Up, Up),
}

impl Loss {
    fn json(&self) -> Value {
        match *self {
            Loss::Epsilon(epsilon) => json!({"epsilon": number(epsilon.get())}),
            Loss::Eta(eta) => json!({"eta": number(eta.get())}),
            Loss::Rho(rho) => json!({"rho": number(rho.get())}),
            Loss::EpsilonDelta(epsilon, delta) => {
                json!({"epsilon": number(epsilon.get()), "delta": number(delta.get())})
            }
        }
    }

    fn text(&self) -> String {
        match *self {
            Loss::Epsilon(epsilon) => format!("ε = {}", shortest(epsilon.get())),
            Loss::Eta(eta) => format!("η = {}", shortest(eta.get())),
            Loss::Rho(rho) => format!("ρ = {}", shortest(rho.get())),
            Loss::EpsilonDelta(epsilon, delta) => format!(
                "ε = {}, δ = {}",
                shortest(epsilon.get()),
                shortest(delta.get())
            ),
        }
    }
}

impl Convert {
    /// Runs the command.
    pub fn run(self, out: &mut impl Write) -> Result<()> {
        match (self.releases, self.to) {
            (None, Some(to)) => {
                let loss = self.convert(to)?;
                self.print_one(out, to, &loss)
            }
            (None, None) => self.table(out),
            (Some(count), None | Some(Target::Approx)) => self.price_list(out, count),
            (Some(count), Some(to)) => {
                let loss = self.sum(to, count)?;
                self.print_one(out, to, &loss)
            }
        }
    }

    fn print_one(&self, out: &mut impl Write, to: Target, loss: &Loss) -> Result<()> {
        if self.json {
            writeln!(out, "{}", loss.json())?;
        } else {
            print_rows(out, &[(to.name(), loss.text(), self.meaning(to))])?;
        }
        Ok(())
    }

    /// The loss of one release in another measure.
    fn convert(&self, to: Target) -> Result<Loss> {
        if self.from.is_zcdp() && matches!(to, Target::Pure | Target::Range) {
            bail!(
                "a zCDP loss has no finite {} bound: Gaussian noise satisfies it, and can give any loss; \
                 use --to approx with --delta",
                to.name()
            );
        }
        if to == Target::Approx {
            return self.approximate();
        }
        self.sum(to, 1)
    }

    /// The loss of `count` releases in a measure in which losses add up.
    fn sum(&self, to: Target, count: u64) -> Result<Loss> {
        let release = self.from.release();
        let times = Rational::from(count);
        let scaled = |factor: i64| {
            Up::from_rational(&(&(&self.from.value * &times) * &Rational::from(factor)))
        };
        let loss = match to {
            _ if self.from.is_zcdp() && to != Target::Zcdp => return self.convert(to),
            Target::Pure => Loss::Epsilon(scaled(1)),
            Target::Range if self.from.kind == Kind::Range => Loss::Eta(scaled(1)),
            Target::Range => Loss::Eta(scaled(2)),
            Target::Zcdp if self.from.is_zcdp() => Loss::Rho(scaled(1)),
            Target::Zcdp => Loss::Rho(release.rho()? * Up::from_rational(&times)),
            Target::Approx => return self.approximate(),
        };
        let (Loss::Epsilon(number) | Loss::Eta(number) | Loss::Rho(number)) = loss else {
            return Ok(loss);
        };
        if !number.is_finite() {
            bail!("the loss is beyond the largest double; use a smaller one, or fewer releases");
        }
        Ok(loss)
    }

    fn approximate(&self) -> Result<Loss> {
        let release = self.from.release();
        let loss = match (&self.delta, &self.epsilon, release) {
            (Some(delta), _, Release::Zcdp(rho)) => {
                let spent = Down::from_rational(delta);
                let epsilon = zcdp_to_approximate_epsilon(rho, spent)?;
                Loss::EpsilonDelta(epsilon, as_claimed(delta))
            }
            (None, Some(epsilon), _) => {
                let at = Down::from_rational(epsilon);
                let delta = match release {
                    Release::Zcdp(rho) => zcdp_to_approximate_delta(rho, at)?,
                    Release::Pure(loss) | Release::Laplace(loss) | Release::BoundedRange(loss) => {
                        approximate_to_profile(&pure_to_approximate(loss)?)?.delta(at)?
                    }
                };
                Loss::EpsilonDelta(as_claimed(epsilon), delta)
            }
            (None, None, Release::Zcdp(_)) => missing(
                "from zcdp to approx needs the δ to spend, --delta D, or the ε to claim, --epsilon E",
            ),
            (
                _,
                None,
                Release::Pure(loss) | Release::Laplace(loss) | Release::BoundedRange(loss),
            ) => {
                let loss = pure_to_approximate(loss)?;
                Loss::EpsilonDelta(*loss.loss(), loss.delta())
            }
            (Some(_), Some(_), _) => missing("give --delta or --epsilon, not both"),
        };
        Ok(loss)
    }

    /// Why the number is what it is.
    fn meaning(&self, to: Target) -> String {
        if let Some(count) = self.releases {
            let fixed = match to {
                Target::Range => ", if all are fixed in advance",
                _ => "",
            };
            return format!("the sum of {count}{fixed}");
        }
        let of_pure = "the loss is at most ε in both directions";
        match (to, self.from.kind) {
            (Target::Pure, Kind::Range) => {
                "losses within η of each other, of either sign, are at most η".to_owned()
            }
            (Target::Range, Kind::Range) | (Target::Zcdp, Kind::Zcdp) => "as given".to_owned(),
            (Target::Pure, _) => "as given".to_owned(),
            (Target::Range, _) => format!("{of_pure}: a range of 2ε"),
            (Target::Zcdp, Kind::Pure) => "ε·tanh(ε/2), attained by randomized response".to_owned(),
            (Target::Zcdp, Kind::Laplace) => "ε + e^-ε − 1, attained by Laplace noise".to_owned(),
            (Target::Zcdp, Kind::Range) => {
                let classical =
                    bounded_range_to_zcdp_classical(Up::from_rational(&self.from.value));
                let classical = classical.map_or("too large".to_owned(), |rho| shortest(rho.get()));
                format!("x − 1 − ln x, x = η/(e^η − 1); the classical η²/8 is {classical}")
            }
            (Target::Approx, Kind::Zcdp) => "the best over all Rényi orders".to_owned(),
            (Target::Approx, _) if self.epsilon.is_some() => {
                "of every release with this pure loss".to_owned()
            }
            (Target::Approx, _) => "a pure loss spends no δ".to_owned(),
        }
    }

    /// Every target; what cannot be had says why.
    fn table(&self, out: &mut impl Write) -> Result<()> {
        let mut cells = Vec::new();
        for to in Target::ALL {
            let unknown = self.delta.is_none() && self.epsilon.is_none();
            let cell = if to == Target::Approx && self.from.is_zcdp() && unknown {
                Err("give --delta D for the ε, or --epsilon E for the δ".to_owned())
            } else {
                self.convert(to).map_err(|_| {
                    "no bound: Gaussian noise is zCDP, and can give any loss".to_owned()
                })
            };
            cells.push((to, cell));
        }
        if self.json {
            let mut object = serde_json::Map::new();
            for (to, cell) in &cells {
                let value = cell.as_ref().map_or(Value::Null, Loss::json);
                object.insert(to.name().to_owned(), value);
            }
            writeln!(out, "{}", Value::Object(object))?;
            return Ok(());
        }
        let lines: Vec<_> = cells
            .into_iter()
            .map(|(to, cell)| match cell {
                Ok(loss) => (to.name(), loss.text(), self.meaning(to)),
                Err(why) => (to.name(), "none".to_owned(), why),
            })
            .collect();
        print_rows(out, &lines)
    }
}

/// The nearest double of a δ or ε that was given. A claim that was computed at the largest double below it holds at every number from
/// there on, so at this one.
fn as_claimed(given: &Rational) -> Up {
    Up::new(given.to_f64(Rounding::NearestEven)).unwrap_or(Up::INFINITY)
}

/// Rows of a table: a name, a value, and what it means.
fn print_rows(out: &mut impl Write, lines: &[(&str, String, String)]) -> Result<()> {
    let lines: Vec<_> = lines
        .iter()
        .map(|(name, value, meaning)| (*name, value.clone(), meaning.as_str()))
        .collect();
    Ok(rows(out, &lines)?)
}

/// Ends with exit status 2, as for any argument that is missing.
fn missing<T>(message: &str) -> T {
    let mut cli = crate::Cli::command();
    cli.build();
    let command = cli.find_subcommand("convert").cloned();
    command
        .unwrap_or(cli)
        .error(ErrorKind::MissingRequiredArgument, message)
        .exit()
}

fn source(text: &str) -> Result<Source, String> {
    let form = "write KIND:X, such as pure:1, range:0.5, laplace:1 or zcdp:0.1";
    let (kind, value) = text.split_once(':').ok_or(form)?;
    let (kind, name) = match kind {
        "pure" => (Kind::Pure, "epsilon"),
        "laplace" => (Kind::Laplace, "epsilon"),
        "range" => (Kind::Range, "eta"),
        "zcdp" => (Kind::Zcdp, "rho"),
        _ => return Err(form.to_owned()),
    };
    let value = not_negative(name, value)?;
    if !Up::from_rational(&value).is_finite() {
        return Err(format!(
            "{name} is beyond the largest double; use a smaller loss"
        ));
    }
    Ok(Source { kind, value })
}

fn epsilon(text: &str) -> Result<Rational, String> {
    not_negative("epsilon", text)
}

fn not_negative(name: &'static str, text: &str) -> Result<Rational, String> {
    let value = parse_number(name, text).map_err(|error| error.to_string())?;
    if value.is_negative() {
        return Err(format!("{name} must be zero or more, got {value}"));
    }
    Ok(value)
}

fn delta(text: &str) -> Result<Rational, ParameterError> {
    lastbit::mechanisms::Delta::new(parse_number("delta", text)?).map(|delta| delta.get().clone())
}
