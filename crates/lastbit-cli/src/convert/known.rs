//! One loss in other measures, and sums of it.

use std::io::Write;

use anyhow::{Result, bail};
use lastbit::accounting::{zcdp_delta, zcdp_epsilon};
use lastbit::conversions::bounded_range_to_zcdp_classical;
use lastbit_exact::{Down, Rational, Up};
use lastbit_release::present::{guess, guess_in_words, warning, wrapped};
use serde_json::Value;

use super::amount::{Amount, Loss};
use super::mixture::Mixture;
use super::source::{Kind, Source};
use super::{Convert, Target, missing, print_rows};
use crate::number::{json_upper, upper};

/// One release, or several of the same kind.
pub struct Known<'a> {
    pub command: &'a Convert,
    pub from: &'a Source,
}

impl Known<'_> {
    pub fn run(&self, out: &mut impl Write, mixture: &Mixture) -> Result<()> {
        match (self.command.releases, self.command.to) {
            (None, Some(to)) => {
                let loss = self.convert(to)?;
                self.print_one(out, to, &loss)
            }
            (None, None) => self.table(out),
            (Some(_), None | Some(Target::Approx)) if self.command.epsilon.is_some() => {
                self.command.together(out, mixture)
            }
            (Some(count), None | Some(Target::Approx)) => self.price_list(out, count, mixture),
            (Some(count), Some(to)) => {
                let loss = self.sum(to, count)?;
                self.print_one(out, to, &loss)
            }
        }
    }

    fn print_one(&self, out: &mut impl Write, to: Target, loss: &Loss) -> Result<()> {
        if self.command.json {
            writeln!(out, "{}", loss.json())?;
        } else {
            print_rows(out, &[(to.name(), loss.text(), self.meaning(to))])?;
        }
        Ok(())
    }

    /// The loss of one release in another measure.
    fn convert(&self, to: Target) -> Result<Loss> {
        if to == Target::Approx {
            return self.approximate();
        }
        self.sum(to, 1)
    }

    /// The loss of `count` releases in a measure in which losses add up.
    pub fn sum(&self, to: Target, count: u64) -> Result<Loss> {
        let times = Rational::from(count);
        let scaled =
            |factor: i64| Amount::Exact(&(&self.from.value * &times) * &Rational::from(factor));
        let loss = match (to, self.from.kind) {
            (Target::Approx, _) => return self.approximate(),
            (_, Kind::Approx) => bail!(
                "an (ε, δ) loss has no finite {} bound: {}; use --to approx",
                to.name(),
                self.from.lacks()
            ),
            (Target::Pure | Target::Range, Kind::Zcdp | Kind::Gaussian) => bail!(
                "a zCDP loss has no finite {} bound: Gaussian noise satisfies it, and can give any \
                 loss; \
                 use --to approx with --delta",
                to.name()
            ),
            (Target::Pure, _) => Loss::Epsilon(scaled(1)),
            (Target::Range, Kind::Range) => Loss::Eta(scaled(1)),
            (Target::Range, _) => Loss::Eta(scaled(2)),
            (Target::Zcdp, _) => Loss::Rho(match (self.from.rho(), self.from.release()) {
                (Some(rho), _) => Amount::Exact(&rho * &times),
                (None, Some(release)) => Amount::Bound(release.rho()? * Up::from_rational(&times)),
                (None, None) => bail!("no ρ is known of this release; use --to approx"),
            }),
        };
        let (Loss::Epsilon(number) | Loss::Eta(number) | Loss::Rho(number)) = &loss else {
            return Ok(loss);
        };
        if !number.is_finite() {
            bail!("the loss is beyond the largest double; use a smaller one, or fewer releases");
        }
        Ok(loss)
    }

    fn approximate(&self) -> Result<Loss> {
        let own = |delta: &Rational| {
            Loss::EpsilonDelta(
                Amount::Exact(self.from.value.clone()),
                Amount::Exact(delta.clone()),
            )
        };
        match (&self.command.delta, &self.command.epsilon) {
            (Some(delta), _) => {
                let epsilon = match self.from.pair() {
                    Some(Ok(pair)) => pair.epsilon(delta)?.ok_or_else(|| {
                        anyhow::anyhow!(match self.from.own_delta() < *delta {
                            true => "no ε is known at so small a δ; use a larger δ",
                            false => "no finite ε at this δ: the release spends more of it",
                        })
                    })?,
                    // The claim at the largest double below δ holds at δ too.
                    None => zcdp_epsilon(
                        Up::from_rational(&self.from.value),
                        Down::from_rational(delta),
                    )?,
                    Some(Err(_)) if self.from.is_pure() => return Ok(own(&Rational::ZERO)),
                    Some(Err(error)) => return Err(error.into()),
                };
                // The given loss, rounded once, if it is no worse.
                if self.from.is_pure() && Up::from_rational(&self.from.value) <= epsilon {
                    return Ok(own(&Rational::ZERO));
                }
                Ok(Loss::EpsilonDelta(
                    Amount::Bound(epsilon),
                    Amount::Exact(delta.clone()),
                ))
            }
            (None, Some(epsilon)) => {
                let delta = match self.from.pair() {
                    Some(Ok(pair)) => pair.delta(epsilon)?.upper(),
                    None => zcdp_delta(
                        Up::from_rational(&self.from.value),
                        Down::from_rational(epsilon),
                    )?,
                    Some(Err(error)) => return Err(error.into()),
                };
                Ok(Loss::EpsilonDelta(
                    Amount::Exact(epsilon.clone()),
                    Amount::Bound(delta),
                ))
            }
            (None, None) => Ok(match self.from.kind {
                Kind::Zcdp => missing(
                    "from zcdp to approx needs the δ to spend, --delta D, or the ε to claim, \
                     --epsilon E",
                ),
                Kind::Gaussian => missing(
                    "from gaussian to approx needs the δ to spend, --delta D, or the ε to claim, \
                     --epsilon E",
                ),
                Kind::Approx => own(&self.from.second),
                _ => own(&Rational::ZERO),
            }),
        }
    }

    /// Why the number holds.
    fn meaning(&self, to: Target) -> String {
        if let Some(count) = self.command.releases {
            let fixed = match to {
                Target::Range => ", if all are fixed in advance",
                _ => "",
            };
            return format!("the sum of {count}{fixed}");
        }
        let asked = self.command.delta.is_some() || self.command.epsilon.is_some();
        let text = match (to, self.from.kind) {
            (Target::Pure, Kind::Range) => {
                "losses within η of each other, of either sign, are at most η"
            }
            (Target::Range, Kind::Range) | (Target::Zcdp, Kind::Zcdp) | (Target::Pure, _) => {
                "as given"
            }
            (Target::Range, _) => "the loss is at most ε in both directions: a range of 2ε",
            (Target::Zcdp, Kind::Gaussian) => "(Δ/σ)²/2, attained by Gaussian noise",
            (Target::Zcdp, Kind::Laplace) => "ε + e^-ε − 1, attained by Laplace noise",
            (Target::Zcdp, Kind::Range) => {
                let classical =
                    bounded_range_to_zcdp_classical(Up::from_rational(&self.from.value));
                let classical = classical.map_or("too large".to_owned(), upper);
                return format!("x − 1 − ln x, x = η/(e^η − 1); the classical η²/8 is {classical}");
            }
            (Target::Zcdp, Kind::Pure) => "ε·tanh(ε/2), attained by randomized response",
            (Target::Zcdp, _) => "ε·tanh(ε/2), the most that a pure loss has",
            (Target::Approx, Kind::Zcdp) => "the best over all Rényi orders, and total variation",
            (Target::Approx, Kind::Approx) if !asked => "as given",
            (Target::Approx, _) if !asked => "a pure loss spends no δ",
            (Target::Approx, Kind::Pure) => "the most that a release with this pure loss has",
            (Target::Approx, Kind::Range) => "the most that a release of this range has",
            (Target::Approx, Kind::Approx) => "the most that a release with this loss has",
            (Target::Approx, _) => "of the noise itself: exact but for rounding up",
        };
        text.to_owned()
    }

    /// Every target, or why it has no bound.
    fn table(&self, out: &mut impl Write) -> Result<()> {
        let mut cells = Vec::new();
        for to in Target::ALL {
            let unknown = self.command.delta.is_none() && self.command.epsilon.is_none();
            let gaussian = matches!(self.from.kind, Kind::Zcdp | Kind::Gaussian);
            let cell = if to == Target::Approx && gaussian && unknown {
                Err("give --delta D for the ε, or --epsilon E for the δ".to_owned())
            } else {
                self.convert(to).map_err(|error| match to {
                    Target::Approx => error.to_string(),
                    _ if self.from.is_pure() => error.to_string(),
                    _ => format!("no bound: {}", self.from.lacks()),
                })
            };
            cells.push((to, cell));
        }
        if self.command.json {
            let mut object = serde_json::Map::new();
            for (to, cell) in &cells {
                let value = cell.as_ref().map_or(Value::Null, Loss::json);
                object.insert(to.name().to_owned(), value);
            }
            if let Some(loss) = self.from.loss() {
                object.insert("guess".to_owned(), json_upper(guess(&loss)));
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
        print_rows(out, &lines)?;
        let Some(loss) = self.from.loss() else {
            return Ok(());
        };
        writeln!(out)?;
        let who = "who knows all else and was evenly unsure about one person";
        let words = format!("In words: {}.", guess_in_words(&loss, who));
        for sentence in [Some(words), warning(&loss)].into_iter().flatten() {
            for line in wrapped(&sentence, 2) {
                writeln!(out, "{line}")?;
            }
        }
        Ok(())
    }
}
