//! Losses that add up, and the loss of their sum in the measure of the budget.

use lastbit::accounting::{gaussian_epsilon, gaussian_mu_squared};
use lastbit::conversions::{zcdp_for_approximate, zcdp_to_approximate_epsilon};
use lastbit::tables::Noise;
use lastbit_exact::decimal::{self, DIGITS};
use lastbit_exact::{Down, Rational, Up};

use super::item::Way;
use super::share::{Choice, Pricer, Split};
use super::{Adds, Infeasible, PriceError};
use crate::ledger::{self as composing, Terms};
use crate::loss::{Loss, Measure};
use crate::plan::Accountant;
use crate::statistic::{Currency, Mechanism};

impl Pricer<'_> {
    /// What the choices cost in the currency of a ledger.
    pub fn composed(
        &self,
        terms: &Terms,
        way: Way,
        choices: &[Choice],
        split: &Split,
    ) -> Result<Loss, PriceError> {
        let mut sum = Rational::ZERO;
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
            if terms.currency == composing::Currency::Gaussian && !gaussian {
                return Err(PriceError::Accountant {
                    accountant: Accountant::Gaussian.name(),
                    why: "the ledger adds up Gaussian noise alone".to_owned(),
                });
            }
            sum = match way.currency() {
                Currency::Rho => &sum + loss,
                Currency::Epsilon => &sum + &item.rho(mechanism, self.errors)?,
            };
        }
        Ok(Loss {
            measure: terms.measure(),
            main: match terms.currency {
                composing::Currency::Zcdp => sum,
                // ρ = μ²/2.
                composing::Currency::Gaussian => sum.times_power_of_two(1),
            },
            delta: split.of_thresholds.clone(),
        })
    }

    /// Losses that add up, and the loss of their sum.
    pub fn by_sums(
        &self,
        accountant: Accountant,
        way: Way,
        split: &Split,
    ) -> Result<(Loss, Vec<Choice>), PriceError> {
        let spend = &self.plan.spend;
        let Split {
            converted,
            of_thresholds,
        } = split;
        let plain = accountant == Accountant::Pure || spend.measure == Measure::Zcdp;
        // A budget of this ε or ρ, in the currency.
        let total_of = |main: &Rational| -> Result<Rational, PriceError> {
            if plain {
                return Ok(main.clone());
            }
            let rho = match way {
                Way::Gaussian => {
                    let squared = gaussian_mu_squared(main, converted)?;
                    Down::exact(squared.get() / 2.0)
                }
                _ => {
                    zcdp_for_approximate(Down::from_rational(main), Down::from_rational(converted))?
                }
            };
            let rho = Rational::try_from(rho.get()).unwrap_or(Rational::ZERO);
            Ok(decimal::down(&rho, DIGITS))
        };
        let total = match (self.adds, &self.plan.part) {
            (Adds::Composed { terms, limit }, Some(part)) if !plain => {
                let whole = &limit.main * part;
                match terms.currency {
                    composing::Currency::Zcdp => whole,
                    composing::Currency::Gaussian => whole.times_power_of_two(-1),
                }
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
                (_, Measure::Zcdp) => Loss {
                    measure: Measure::Zcdp,
                    main,
                    delta: Rational::ZERO,
                },
                _ => {
                    let epsilon = match way {
                        Way::Gaussian => gaussian_epsilon(&main.times_power_of_two(1), converted)?,
                        _ => zcdp_to_approximate_epsilon(
                            Up::from_rational(&main),
                            Down::from_rational(converted),
                        )?,
                    };
                    let epsilon = finite(epsilon)?;
                    Loss {
                        measure: Measure::Approximate,
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
                    main: sufficient(whole(fixed.clone())?.main, |main| {
                        Ok(total_of(main)? >= *fixed)
                    })?,
                    ..spend.clone()
                },
                targets: targets.words,
                available: spend.clone(),
                sharing: targets.sharing,
            })));
        }
        let dealt = self.deal(way, &targets, &rest)?;
        // Shares of the whole budget add up to it exactly.
        let loss = if dealt.sharing > 0
            && accountant != Accountant::Pure
            && spend.measure == Measure::Approximate
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
    let exact = Rational::try_from(bound.get()).map_err(|_| PriceError::OutOfRange {
        what: "the loss is out of range".to_owned(),
    })?;
    Ok(decimal::up(&exact, DIGITS))
}

/// The first number of 12 digits, from `least` upward, that is enough. A loss converted to ε and
/// back, both rounded to the safe side, may come out a little smaller, so `least` itself may be too
/// small.
fn sufficient(
    least: Rational,
    enough: impl Fn(&Rational) -> Result<bool, PriceError>,
) -> Result<Rational, PriceError> {
    if enough(&least)? {
        return Ok(least);
    }
    // From 1e-12 more to five times as much.
    for exponent in -40..=2 {
        let more = &Rational::ONE + &Rational::ONE.times_power_of_two(exponent);
        let more = decimal::up(&(&least * &more), DIGITS);
        if enough(&more)? {
            return Ok(more);
        }
    }
    Err(PriceError::OutOfRange {
        what: "no budget is enough for the targets".to_owned(),
    })
}
