//! The price of many releases, side by side.

use std::io::Write;

use anyhow::Result;
use lastbit::conversions::{Accountant, Plan, Price};
use lastbit_exact::{Down, Rational, Up};
use serde_json::{Value, json};

use super::{Convert, Kind, Loss, Target, as_claimed, missing, print_rows};
use crate::number::{json as number, readable, shortest};

impl Convert {
    /// The same plan under every accountant.
    pub(super) fn price_list(&self, out: &mut impl Write, count: u64) -> Result<()> {
        let plan = Plan::repeated(self.from.release(), count)?;
        let Some(delta) = &self.delta else {
            missing(
                "the price list needs the δ to spend, --delta D; the sum alone is --to pure or --to zcdp",
            )
        };
        let prices = plan.prices(Down::from_rational(delta))?;
        let best = prices.best().map(|price| price.accountant);
        // The sum of exact numbers, rounded once.
        let exact = match self.from.kind {
            Kind::Zcdp => None,
            _ => Some(Up::from_rational(
                &(&self.from.value * &Rational::from(count)),
            )),
        };
        let epsilon = |price: &Price| match price.accountant {
            Accountant::Basic => exact.filter(|epsilon| epsilon.is_finite()),
            _ => price.epsilon,
        };
        if self.json {
            let list: Vec<Value> = prices
                .prices()
                .iter()
                .map(|price| {
                    json!({
                        "accountant": price.accountant.name(),
                        "epsilon": epsilon(price).map(|epsilon| number(epsilon.get())),
                    })
                })
                .collect();
            let sum = self.sum(Target::Zcdp, count)?;
            let value = json!({
                "releases": count,
                "delta": number(as_claimed(delta).get()),
                "rho": sum.json()["rho"],
                "accountants": list,
                "best": best.map(Accountant::name),
            });
            writeln!(out, "{value}")?;
            return Ok(());
        }
        writeln!(
            out,
            "{count} {} {}: the smallest ε at δ = {}",
            if count == 1 { "release" } else { "releases" },
            self.from.describe(),
            readable(delta)
        )?;
        let lines: Vec<_> = prices
            .prices()
            .iter()
            .map(|price| {
                let accountant = price.accountant;
                let value = match epsilon(price) {
                    Some(epsilon) => shortest(epsilon.get()),
                    None => "none".to_owned(),
                };
                let mark = if Some(accountant) == best {
                    "← smallest; "
                } else {
                    ""
                };
                let why = if epsilon(price).is_some() {
                    self.explain(accountant)
                } else {
                    lacks(accountant)
                };
                (accountant.name(), value, format!("{mark}{why}"))
            })
            .collect();
        print_rows(out, &lines)?;
        if let Loss::Rho(rho) = self.sum(Target::Zcdp, count)? {
            writeln!(out, "In all, ρ = {}.", shortest(rho.get()))?;
        }
        if self.from.kind == Kind::Range
            && let Loss::Eta(eta) = self.sum(Target::Range, count)?
        {
            writeln!(
                out,
                "If all are fixed in advance, they have bounded range η = {} together.",
                shortest(eta.get())
            )?;
        }
        Ok(())
    }

    /// How an accountant adds up.
    fn explain(&self, accountant: Accountant) -> &'static str {
        match accountant {
            Accountant::Basic => "the sum of ε; spends no δ",
            Accountant::Advanced => "mean and range of a pure loss, by Azuma's inequality",
            Accountant::Optimal => "the least that holds for all releases with this pure loss",
            Accountant::Zcdp if self.from.is_zcdp() => "the sum of ρ, converted at the best order",
            Accountant::Zcdp => "the sum of ρ = ε·tanh(ε/2), converted at the best order",
            Accountant::BoundedRangeAdvanced => "mean and range of a bounded-range loss",
            Accountant::BoundedRangeZcdp => "the sum of ρ by the bounded range",
            Accountant::LaplaceAdvanced => "mean of the Laplace loss",
            Accountant::LaplaceZcdp => "the sum of ρ by the Laplace law",
            Accountant::Renyi => "the exact Rényi divergence of each release, at the best order",
        }
    }
}

/// Why an accountant has no price.
fn lacks(accountant: Accountant) -> &'static str {
    match accountant {
        Accountant::Basic | Accountant::Advanced => "needs a pure loss, and a finite sum",
        Accountant::Optimal => "needs equal pure losses, at most 2^36 of them",
        _ => "no finite sum",
    }
}
