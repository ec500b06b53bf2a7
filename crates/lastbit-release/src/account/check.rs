//! The whole release beside what is charged for it.
//!
//! A release is the composition of the chains that are drawn, each from the table to what it
//! publishes. Sharing a budget is arithmetic; this is the proof that it was done right. Every price
//! passes here before anybody sees it, whatever the accountant: what is charged is at least what
//! [`lastbit`] proves of the chains themselves, composed by its own types.
//!
//! A statistic of discovered groups is drawn for the groups that a count published, so after seeing
//! it: [`Whole`] is the composition of releases that are chosen like this, and what is drawn from.
//! The laws of losses add up for them as well, as long as they are fixed
//! beforehand, which [`Composition`](lastbit::accounting::Composition) says.

use lastbit::accounting::{Currency, FixedLosses};
use lastbit::conversions::{optimal_composition, zcdp_to_approximate_epsilon};
use lastbit::measures::WithDelta;
use lastbit_exact::{Down, Rational, Up};

use super::item::Way;
use super::pricer::Pricer;
use super::sums::finite;
use super::{Charging, Price, PriceError};
use crate::loss::{Loss, LossMeasure};
use crate::plan::Accountant;
use crate::statistic::{LossUnit, Pick, Slot, Whole};

#[cfg(test)]
mod tests;

impl Pricer<'_> {
    /// Refuses prices whose chains cost more than is charged: one of them above its own price, or
    /// all together above the loss of the release.
    pub fn check(
        &self,
        accountant: Accountant,
        loss: &Loss,
        prices: &[Price],
    ) -> Result<(), PriceError> {
        let drawn = ToDraw::new(prices);
        for (price, proved) in drawn.prices.iter().zip(drawn.costs_as_priced()?) {
            check_one(price, &proved)?;
        }
        let covered = match self.charging {
            Charging::Composed { terms, .. } => {
                let all = drawn.composed(LossUnit::Rho)?;
                let within = match terms.currency {
                    Currency::Gaussian => (drawn.laws()?.mu_squared()).is_some(),
                    _ => true,
                };
                within
                    && *all.loss() <= terms.currency.to_rho(&loss.main)
                    && all.delta().is_at_most(&loss.delta)
            }
            Charging::Plainly => self.covers(accountant, loss, &drawn)?,
        };
        match covered {
            true => Ok(()),
            false => Err(PriceError::Library(
                "the release would cost more than its price; report this".to_owned(),
            )),
        }
    }

    /// Whether the loss covers all chains together, by the bound of the accountant.
    fn covers(
        &self,
        accountant: Accountant,
        loss: &Loss,
        drawn: &ToDraw<'_>,
    ) -> Result<bool, PriceError> {
        let all = drawn.composed(Way::of(accountant).loss_unit())?;
        let (main, sum) = (&loss.main, all.loss());
        let is_plain = accountant == Accountant::Pure || loss.measure == LossMeasure::Zcdp;
        // Thresholds take part of δ; the rest pays for the conversion.
        let converted = match is_plain {
            true => Rational::ZERO,
            false => self.split(accountant).converted,
        };
        if !all.delta().is_at_most(&(&loss.delta - &converted)) {
            return Ok(false);
        }
        if is_plain {
            return Ok(sum <= main);
        }
        let delta = Down::from_rational(&converted);
        let allowed = |currency: Currency, amount: &Rational| -> Result<bool, PriceError> {
            let limit = currency.limit(main, &converted)?;
            Ok(limit.is_at_least(amount))
        };
        // Two conversions are proofs each, and rounded to the safe side: one of them is enough.
        Ok(match accountant {
            Accountant::Pure => false,
            Accountant::Zcdp => {
                allowed(Currency::Zcdp, sum)?
                    || finite(zcdp_to_approximate_epsilon(Up::from_rational(sum), delta)?)? <= *main
            }
            Accountant::Gaussian => {
                let laws = drawn.laws()?;
                match laws.mu_squared() {
                    Some(squared) if allowed(Currency::Gaussian, squared)? => true,
                    _ => finite(laws.epsilon(&converted)?)? <= *main,
                }
            }
            Accountant::Pld => self.epsilon_of(drawn.laws()?, &converted)? <= *main,
            Accountant::Optimal => {
                let costs = drawn.costs(LossUnit::Epsilon)?;
                let most = costs.iter().map(WithDelta::loss).max();
                let most = Up::from_rational(most.unwrap_or(&Rational::ZERO));
                let count = costs.len() as u64;
                sum <= main || optimal_composition(most, count, delta)?.is_at_most(main)
            }
        })
    }
}

/// The statistics of a release that are drawn; the others follow from their numbers.
struct ToDraw<'a> {
    prices: Vec<&'a Price>,
}

impl<'a> ToDraw<'a> {
    fn new(prices: &'a [Price]) -> ToDraw<'a> {
        let drawn = super::drawn(prices).into_iter();
        ToDraw {
            prices: drawn.map(|index| &prices[index]).collect(),
        }
    }

    /// The map at one unit of each chain, from the table to what is published.
    fn costs(&self, unit: LossUnit) -> Result<Vec<WithDelta<Rational>>, PriceError> {
        self.costs_in(|_| unit)
    }

    /// The same, each in the unit of its price.
    fn costs_as_priced(&self) -> Result<Vec<WithDelta<Rational>>, PriceError> {
        self.costs_in(|price| price.loss_unit)
    }

    fn costs_in(
        &self,
        unit: impl Fn(&Price) -> LossUnit,
    ) -> Result<Vec<WithDelta<Rational>>, PriceError> {
        let cost = |price: &&Price| {
            let paid = price.paid(&Slot::default());
            Ok(match unit(price) {
                LossUnit::Epsilon => paid.pure(Pick::All)?.map(&1)?,
                LossUnit::Rho => paid.zcdp(Pick::All)?.map(&1)?,
            })
        };
        self.prices.iter().map(cost).collect()
    }

    /// The loss of all chains, as losses that add up: the map of the release at one unit.
    fn composed(&self, unit: LossUnit) -> Result<WithDelta<Rational>, PriceError> {
        let paid = self.prices.iter().map(|price| price.paid(&Slot::default()));
        Ok(Whole::new(unit, &paid.collect::<Vec<_>>())?.loss()?)
    }

    /// The losses of all chains by their laws, without the δ of thresholds.
    fn laws(&self) -> Result<FixedLosses, PriceError> {
        let mut all = FixedLosses::default();
        for price in &self.prices {
            let least = price.threshold.as_ref().map(|threshold| &threshold.least);
            all.add(&price.chain.losses(&price.mechanism, least)?);
        }
        Ok(all)
    }
}

/// Refuses a price below the map of its chain at one unit.
fn check_one(price: &Price, proved: &WithDelta<Rational>) -> Result<(), PriceError> {
    let allowed = match &price.threshold {
        Some(threshold) => threshold.delta.clone(),
        None => Rational::ZERO,
    };
    if *proved.loss() <= price.loss && proved.delta().is_at_most(&allowed) {
        return Ok(());
    }
    Err(PriceError::Library(format!(
        "the {} would cost {proved}, which is more than its price; report this",
        price.chain.kind.word()
    )))
}
