//! Losses that add up, and the loss of their sum in the measure of the budget.

use lastbit::accounting::{Currency, gaussian_epsilon};
use lastbit::conversions::{gaussian_for_zcdp, zcdp_to_approximate_epsilon};
use lastbit::solve;
use lastbit::tables::Noise;
use lastbit_exact::decimal::{self, DIGITS};
use lastbit_exact::{Down, Rational, Up};

use super::item::Way;
use super::pricer::{Assigned, Pricer, Split};
use super::{Charging, Infeasible, PriceError};
use crate::ledger::Terms;
use crate::loss::{Loss, LossMeasure};
use crate::plan::Accountant;
use crate::statistic::{LossUnit, Mechanism};

impl Pricer<'_> {
    /// What the choices cost in the currency of a ledger.
    pub fn composed(
        &self,
        terms: &Terms,
        way: Way,
        choices: &[Assigned],
        split: &Split,
    ) -> Result<Loss, PriceError> {
        let mut losses = Vec::new();
        for (item, (mechanism, loss)) in self.items.iter().zip(choices) {
            if loss.is_zero() {
                continue;
            }
            let gaussian = matches!(
                mechanism,
                Mechanism::Noise {
                    noise: Noise::Gaussian(_),
                    ..
                }
            );
            if terms.currency == Currency::Gaussian && !gaussian {
                return Err(PriceError::Accountant {
                    accountant: Accountant::Gaussian.name(),
                    why: "the ledger adds up Gaussian noise alone".to_owned(),
                });
            }
            losses.push(match way.loss_unit() {
                LossUnit::Rho => loss.clone(),
                LossUnit::Epsilon => item.rho(mechanism, self.errors)?,
            });
        }
        let rho = LossUnit::Rho.compose(&losses)?;
        Ok(Loss {
            measure: terms.measure(),
            main: terms.currency.of_rho(&rho),
            delta: split.of_thresholds.clone(),
        })
    }

    /// Losses that add up, and the loss of their sum.
    pub fn by_sums(
        &self,
        accountant: Accountant,
        way: Way,
        split: &Split,
    ) -> Result<(Loss, Vec<Assigned>), PriceError> {
        let spend = &self.plan.spend;
        let Split {
            converted,
            of_thresholds,
        } = split;
        let plain = accountant == Accountant::Pure || spend.measure == LossMeasure::Zcdp;
        // A budget of this ε or ρ, in the currency.
        let total_of = |main: &Rational| -> Result<Rational, PriceError> {
            if plain {
                return Ok(main.clone());
            }
            let currency = match way {
                Way::Gaussian => Currency::Gaussian,
                _ => Currency::Zcdp,
            };
            let limit = currency.limit(main, converted)?;
            let limit = limit.to_rational().unwrap_or(Rational::ZERO);
            Ok(decimal::down(&currency.to_rho(&limit), DIGITS))
        };
        let total = match (self.charging, &self.plan.part) {
            (Charging::Composed { terms, limit }, Some(part)) if !plain => {
                terms.currency.to_rho(&(&limit.main * part))
            }
            _ => total_of(&spend.main)?,
        };
        let whole = |main: Rational| -> Result<Loss, PriceError> {
            Ok(match (accountant, spend.measure) {
                (Accountant::Pure, measure) => Loss {
                    measure,
                    main,
                    delta: of_thresholds.clone(),
                },
                (_, LossMeasure::Zcdp) => Loss {
                    measure: LossMeasure::Zcdp,
                    main,
                    delta: Rational::ZERO,
                },
                _ => {
                    let epsilon = match way {
                        Way::Gaussian => gaussian_epsilon(&gaussian_for_zcdp(&main), converted)?,
                        _ => zcdp_to_approximate_epsilon(
                            Up::from_rational(&main),
                            Down::from_rational(converted),
                        )?,
                    };
                    let epsilon = finite(epsilon)?;
                    Loss {
                        measure: LossMeasure::Approximate,
                        // A ρ within the total is within the ε from which the total was computed.
                        main: if main <= total {
                            epsilon.min(spend.main.clone())
                        } else {
                            epsilon
                        },
                        delta: spend.delta.clone(),
                    }
                }
            })
        };
        let targets = self.targets(way)?;
        let rest = &total - &targets.fixed;
        if rest.is_negative() || (targets.sharing > 0 && rest.is_zero()) {
            let fixed = &targets.fixed;
            return Err(PriceError::Infeasible(Box::new(Infeasible {
                needed: Loss {
                    main: sufficient(&whole(fixed.clone())?.main, |main| {
                        Ok(total_of(main)? >= *fixed)
                    })?,
                    ..spend.clone()
                },
                targets: targets.words.clone(),
                available: spend.clone(),
                sharing: targets.sharing,
            })));
        }
        let dealt = self.deal(way, &targets, &rest)?;
        // Shares of the whole budget add up to it exactly.
        let loss = if dealt.sharing > 0
            && accountant != Accountant::Pure
            && spend.measure == LossMeasure::Approximate
        {
            spend.clone()
        } else {
            whole(dealt.spent)?
        };
        Ok((loss, dealt.choices))
    }
}

/// A bound as a number of 12 digits, if it is finite.
pub(super) fn finite(bound: Up) -> Result<Rational, PriceError> {
    let exact = bound.to_rational().ok_or_else(|| PriceError::OutOfRange {
        what: "the loss is out of range".to_owned(),
    })?;
    Ok(decimal::up(&exact, DIGITS))
}

/// The first number of 12 digits that is enough: `least`, or from 1e-12 more to five times as much.
/// A loss converted to ε and back, both rounded to the safe side, may come out a little smaller, so
/// `least` itself may be too small.
fn sufficient(
    least: &Rational,
    enough: impl Fn(&Rational) -> Result<bool, PriceError>,
) -> Result<Rational, PriceError> {
    let at = |step: u64| match i64::try_from(step) {
        Ok(step @ 1..) => {
            let more = &Rational::ONE + &Rational::ONE.times_power_of_two(step - 41);
            decimal::up(&(least * &more), DIGITS)
        }
        _ => least.clone(),
    };
    let found = solve::find_smallest(0..=43, |step: u64| enough(&at(step)))?;
    found.map(at).ok_or_else(|| PriceError::OutOfRange {
        what: "no budget is enough for the targets".to_owned(),
    })
}
