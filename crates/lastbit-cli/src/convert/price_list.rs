//! The price of many releases, side by side.

use std::io::Write;

use anyhow::{Result, bail};
use lastbit::conversions::{Charge, CompositionRule, Losses};
use lastbit_exact::{Down, Interval, Rational, Up};
use serde_json::{Map, Value, json};

use super::amount::{Amount, Loss};
use super::known::Known;
use super::mixture::Mixture;
use super::source::Kind;
use super::{Convert, Target, missing, print_rows};
use crate::number::{at_least, json_given, json_lower, json_upper, lower, upper};

/// What one way of adding up charges.
struct Offer {
    name: &'static str,
    epsilon: Option<Amount>,
    /// A lower bound for any accounting by the same laws.
    least: Option<Interval>,
    why: String,
}

impl Offer {
    fn json(&self) -> Value {
        let mut object = Map::new();
        object.insert("accountant".into(), json!(self.name));
        object.insert(
            "epsilon".into(),
            self.epsilon.as_ref().map_or(Value::Null, Amount::json),
        );
        if let Some(least) = self.least {
            object.insert("lower".into(), json_lower(least.lower()));
        }
        Value::Object(object)
    }

    fn bound(&self) -> Option<Up> {
        self.epsilon.as_ref().map(Amount::bound)
    }
}

/// The name of the smallest; the first of equals.
fn best(offers: &[Offer]) -> Option<&'static str> {
    let mut best: Option<(Up, &'static str)> = None;
    for offer in offers {
        if let Some(bound) = offer.bound()
            && best.is_none_or(|(least, _)| bound < least)
        {
            best = Some((bound, offer.name));
        }
    }
    best.map(|(_, name)| name)
}

fn print(out: &mut impl Write, offers: &[Offer]) -> Result<()> {
    let best = best(offers);
    let lines: Vec<_> = offers
        .iter()
        .map(|offer| {
            let value = offer
                .epsilon
                .as_ref()
                .map_or("none".to_owned(), Amount::text);
            let mark = match best {
                Some(name) if name == offer.name => "← smallest; ",
                _ => "",
            };
            (offer.name, value, format!("{mark}{}", offer.why))
        })
        .collect();
    print_rows(out, &lines)
}

/// How Rényi divergences add up.
const RENYI: &str = "a bound of each release's Rényi divergence, at the best order";

/// How the laws of losses add up.
const LAWS: &str = "the laws of the losses, convolved exactly";

/// By Rényi divergences, if they are known.
fn by_renyi(mixture: &Mixture, delta: &Rational) -> Option<Offer> {
    let epsilon = mixture.divergences()?.epsilon(delta).ok()?;
    epsilon.is_finite().then(|| Offer {
        name: "renyi",
        epsilon: Some(Amount::Bound(epsilon)),
        least: None,
        why: RENYI.to_owned(),
    })
}

/// By the laws of the losses, and in closed form if all noise is Gaussian.
fn by_laws(mixture: &Mixture, delta: &Rational) -> Vec<Offer> {
    let mut offers = Vec::new();
    if let Some(epsilon) = mixture.gaussian(delta) {
        offers.push(Offer {
            name: "gaussian",
            epsilon: Some(Amount::Bound(epsilon)),
            least: None,
            why: "the exact profile of Gaussian noise".to_owned(),
        });
    }
    if mixture.0.iter().all(|(source, _)| source.pair().is_some()) {
        offers.push(match mixture.epsilon(delta) {
            Ok(epsilon) => Offer {
                name: "pld",
                epsilon: Some(Amount::Bound(epsilon.upper())),
                least: Some(epsilon),
                why: format!("{LAWS}; at least {}", lower(epsilon.lower())),
            },
            Err(error) => Offer {
                name: "pld",
                epsilon: None,
                least: None,
                why: error.to_string(),
            },
        });
    }
    offers
}

impl Convert {
    /// The price of releases whose laws alone are known.
    pub(super) fn together(&self, out: &mut impl Write, mixture: &Mixture) -> Result<()> {
        if self.to.is_some_and(|to| to != Target::Approx) {
            bail!("of these releases only (ε, δ) is known; use --to approx, or leave --to out");
        }
        if let Some(epsilon) = &self.epsilon {
            return self.delta_of_all(out, mixture, epsilon);
        }
        let Some(delta) = &self.delta else {
            missing("give the δ to spend, --delta D, or the ε to claim, --epsilon E")
        };
        let mut offers: Vec<Offer> = by_renyi(mixture, delta).into_iter().collect();
        offers.extend(by_laws(mixture, delta));
        if offers.is_empty() {
            // The error says why there is none.
            mixture.by_laws(Down::from_rational(delta))?;
        }
        if self.json {
            let value = json!({
                "releases": mixture.count(),
                "delta": json_given(delta),
                "accountants": offers.iter().map(Offer::json).collect::<Vec<_>>(),
                "best": best(&offers),
            });
            writeln!(out, "{value}")?;
            return Ok(());
        }
        mixture.print(out)?;
        writeln!(out, "The smallest ε at δ = {}:", at_least(delta))?;
        print(out, &offers)
    }

    /// The δ of all releases at an ε: by plain sums, by Rényi divergences, and by their laws, as
    /// far as they are known.
    fn delta_of_all(
        &self,
        out: &mut impl Write,
        mixture: &Mixture,
        epsilon: &Rational,
    ) -> Result<()> {
        let plain = mixture.sums().filter(|(sum, _)| sum <= epsilon);
        let plain = plain.map(|(_, own)| Up::from_rational(&own).min(Up::ONE));
        let divergences = mixture.divergences();
        let by_renyi = divergences.and_then(|sum| sum.delta(epsilon).ok());
        let by_laws = match (mixture.by_laws(Down::exact(1e-15)), by_renyi) {
            (Ok(all), _) => Some(all.delta(epsilon)?),
            (Err(_), Some(_)) => None,
            (Err(error), None) => return Err(error),
        };
        let upper_by_laws = by_laws.map(|delta| delta.upper());
        let bounds = [plain, by_renyi, upper_by_laws].into_iter().flatten();
        let least = bounds.fold(Up::INFINITY, Up::min);
        if self.json {
            let value = json!({
                "epsilon": json_given(epsilon),
                "delta": json_upper(least),
                "lower": by_laws.map(|delta| json_lower(delta.lower())),
            });
            writeln!(out, "{value}")?;
            return Ok(());
        }
        mixture.print(out)?;
        let mark = |bound: Up| match bound == least {
            true => "← smallest; ",
            false => "",
        };
        let value = |bound| format!("ε = {}, δ = {}", at_least(epsilon), upper(bound));
        let mut rows = Vec::new();
        if let Some(bound) = plain {
            let why = "the sum of ε is at most this; the sum of the releases' own δ";
            rows.push(("basic", value(bound), format!("{}{why}", mark(bound))));
        }
        if let Some(bound) = by_renyi {
            let why = format!("{}{RENYI}", mark(bound));
            rows.push(("renyi", value(bound), why));
        }
        if let Some(delta) = by_laws {
            let (bound, least) = (delta.upper(), lower(delta.lower()));
            let why = format!("{}{LAWS}; at least {least}", mark(bound));
            rows.push(("pld", value(bound), why));
        }
        print_rows(out, &rows)
    }
}

impl Known<'_> {
    /// The same releases under every accountant.
    pub(super) fn price_list(
        &self,
        out: &mut impl Write,
        count: u64,
        mixture: &Mixture,
    ) -> Result<()> {
        let Some(release) = self.from.release() else {
            return self.command.together(out, mixture);
        };
        let plan = Losses::repeated(release, count)?;
        let Some(delta) = &self.command.delta else {
            missing(
                "the price list needs the δ to spend, --delta D; the sum alone is --to pure or \
                 --to zcdp",
            )
        };
        let prices = plan.charges(Down::from_rational(delta))?;
        // The sum of exact numbers, rounded once.
        let exact = self
            .from
            .is_pure()
            .then(|| Amount::Exact(&self.from.value * &Rational::from(count)));
        let epsilon = |price: &Charge| match price.rule {
            CompositionRule::Basic => exact.clone().filter(Amount::is_finite),
            _ => price.epsilon.map(Amount::Bound),
        };
        let mut offers: Vec<Offer> = prices
            .charges()
            .iter()
            .map(|price| {
                let rule = price.rule;
                let epsilon = epsilon(price);
                let why = if epsilon.is_some() {
                    self.explain(rule)
                } else {
                    lacks(rule)
                };
                Offer {
                    name: rule.name(),
                    epsilon,
                    least: None,
                    why: why.to_owned(),
                }
            })
            .collect();
        offers.extend(by_laws(mixture, delta));
        if self.command.json {
            let sum = self.sum(Target::Zcdp, count)?;
            let value = json!({
                "releases": count,
                "delta": json_given(delta),
                "rho": sum.json()["rho"],
                "accountants": offers.iter().map(Offer::json).collect::<Vec<_>>(),
                "best": best(&offers),
            });
            writeln!(out, "{value}")?;
            return Ok(());
        }
        writeln!(
            out,
            "{count} {} {}: the smallest ε at δ = {}",
            if count == 1 { "release" } else { "releases" },
            self.from.describe(),
            at_least(delta)
        )?;
        print(out, &offers)?;
        if let Loss::Rho(rho) = self.sum(Target::Zcdp, count)? {
            writeln!(out, "In all, ρ = {}.", rho.text())?;
        }
        if self.from.kind == Kind::Range
            && let Loss::Eta(eta) = self.sum(Target::Range, count)?
        {
            writeln!(
                out,
                "If all are fixed in advance, they have bounded range η = {} together.",
                eta.text()
            )?;
        }
        Ok(())
    }

    /// How a rule adds up.
    fn explain(&self, rule: CompositionRule) -> &'static str {
        match rule {
            CompositionRule::Basic => "the sum of ε; spends no δ",
            CompositionRule::Advanced => "mean and range of a pure loss, by Azuma's inequality",
            CompositionRule::Optimal => "the least that holds for all releases with this pure loss",
            CompositionRule::Zcdp if !self.from.is_pure() => {
                "the sum of ρ, converted at the best order"
            }
            CompositionRule::Zcdp => "the sum of ρ = ε·tanh(ε/2), converted at the best order",
            CompositionRule::BoundedRangeAdvanced => "mean and range of a bounded-range loss",
            CompositionRule::BoundedRangeZcdp => "the sum of ρ by the bounded range",
            CompositionRule::LaplaceAdvanced => "mean of the Laplace loss",
            CompositionRule::LaplaceZcdp => "the sum of ρ by the Laplace law",
            CompositionRule::Renyi => RENYI,
        }
    }
}

/// Why a rule has no price.
fn lacks(rule: CompositionRule) -> &'static str {
    match rule {
        CompositionRule::Basic | CompositionRule::Advanced => "needs a pure loss, and a finite sum",
        CompositionRule::Optimal => "needs equal pure losses, at most 2^36 of them",
        _ => "no finite sum",
    }
}
