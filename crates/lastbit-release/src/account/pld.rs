//! Accounting by the laws of all losses of a release.

use lastbit::accounting::{Currency, FixedLosses};
use lastbit::solve;
use lastbit_exact::{Rational, Up};

use super::item::Way;
use super::pricer::{Assigned, KnownEpsilon, Pricer, Split};
use super::sums::finite;
use super::{Infeasible, PriceError};
use crate::loss::Loss;
use crate::statistic::Mechanism;

impl Pricer<'_> {
    /// Shares of ρ, by weight, as large as the laws of all losses together allow, and the loss of
    /// all.
    pub fn by_laws(&self, split: &Split) -> Result<(Loss, Vec<Assigned>), PriceError> {
        let spend = &self.plan.spend;
        let targets = self.targets(Way::Zcdp)?;
        let priced = |rest: &Rational| -> Result<(Vec<Assigned>, Rational), PriceError> {
            let dealt = self.deal(Way::Zcdp, &targets, rest)?;
            let mechanisms = dealt.choices.iter().map(|(mechanism, _)| mechanism);
            let epsilon = self.epsilon_of(self.losses(mechanisms)?, &split.converted)?;
            Ok((dealt.choices, epsilon))
        };
        let infeasible = |needed: Rational| {
            PriceError::Infeasible(Box::new(Infeasible {
                targets: targets.words.clone(),
                needed: Loss {
                    main: needed,
                    ..spend.clone()
                },
                available: spend.clone(),
                sharing: targets.sharing,
            }))
        };
        if targets.sharing == 0 {
            let (choices, needed) = priced(&Rational::ZERO)?;
            return match needed <= spend.main {
                true => {
                    let loss = Loss {
                        main: needed,
                        ..spend.clone()
                    };
                    Ok((loss, choices))
                }
                false => Err(infeasible(needed)),
            };
        }
        // A start: about what sums of ρ allow.
        let total = Currency::Zcdp.limit(&spend.main, &split.converted)?;
        let total = total.to_rational().unwrap_or(Rational::ZERO);
        let least = &total * &Rational::new(1, 1000);
        let start = (&total - &targets.fixed).max(least);
        let mut best: Option<(Rational, Vec<Assigned>)> = None;
        let found = solve::near_largest(&start, &spend.main, |rest| {
            let (choices, epsilon) = priced(rest)?;
            if epsilon <= spend.main && best.as_ref().is_none_or(|(most, _)| rest > most) {
                best = Some((rest.clone(), choices));
            }
            Ok::<_, PriceError>(Up::from_rational(&epsilon))
        })?;
        match (found, best) {
            (Some(_), Some((_, choices))) => Ok((spend.clone(), choices)),
            _ => Err(infeasible(priced(&start)?.1)),
        }
    }

    /// The ε of losses at δ. What was solved for is asked for once more when the prices are
    /// checked, and is the same if nothing is wrong.
    pub fn epsilon_of(
        &self,
        losses: FixedLosses,
        delta: &Rational,
    ) -> Result<Rational, PriceError> {
        let is_same = |known: &&KnownEpsilon| known.0 == losses && known.1 == *delta;
        if let Some(known) = self.composed_laws.borrow().iter().find(is_same) {
            return Ok(known.2.clone());
        }
        let epsilon = finite(losses.epsilon(delta)?)?;
        let found = (losses, delta.clone(), epsilon.clone());
        self.composed_laws.borrow_mut().push(found);
        Ok(epsilon)
    }

    /// The losses of all statistics that are drawn.
    fn losses<'b>(
        &self,
        mechanisms: impl Iterator<Item = &'b Mechanism>,
    ) -> Result<FixedLosses, PriceError> {
        let mut all = FixedLosses::default();
        for (item, mechanism) in self.items.iter().zip(mechanisms) {
            if item.shared.is_none() {
                all.add(&item.chain.losses(mechanism, None)?);
            }
        }
        Ok(all)
    }
}
