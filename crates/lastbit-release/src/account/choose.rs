//! Chooses the accountant of a plan: the one with the smallest errors.

use lastbit::tables::Tails;

use super::pricer::{Assignment, Pricer};
use super::{Charging, Offer, PriceError, Prices};
use crate::ledger::Currency;
use crate::loss::Measure;
use crate::plan::{Accountant, Allowance, Plan, Statistic};
use crate::statistic::Errors;

/// The price of a plan as a new ledger charges it, under the accountant that it names, or else the
/// one with the smallest errors. Reads no data.
pub fn price(plan: &Plan) -> Result<Prices, PriceError> {
    price_in(plan, &Charging::new(plan, None))
}

/// The price of a plan as a ledger charges it.
pub fn price_in(plan: &Plan, charging: &Charging) -> Result<Prices, PriceError> {
    price_as(plan, charging, Offered::All)
}

/// The ways to price a plan, now and in earlier versions, which stored releases under theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offered {
    /// All.
    All,
    /// Those from before the laws of losses were added up.
    Sums,
    /// Those from before statistics shared noise, too.
    Apart,
}

pub(crate) fn price_as(
    plan: &Plan,
    charging: &Charging,
    offered: Offered,
) -> Result<Prices, PriceError> {
    let tails = Tails::default();
    let alpha = plan.confidence.alpha();
    let pricer = Pricer::new(
        plan,
        charging,
        Errors {
            tails: &tails,
            alpha: &alpha,
        },
        offered != Offered::Apart,
    )?;
    let sums = [Accountant::Pure, Accountant::Zcdp, Accountant::Optimal];
    let accountants = match (plan.accountant, charging) {
        (Some(accountant), _) => vec![accountant],
        (None, Charging::Composed { terms, .. }) => vec![match terms.currency {
            Currency::Zcdp => Accountant::Zcdp,
            Currency::Gaussian => Accountant::Gaussian,
        }],
        (None, Charging::Plainly) => match plan.spend.measure {
            Measure::Pure => vec![Accountant::Pure],
            Measure::Zcdp => vec![Accountant::Zcdp],
            _ if offered == Offered::All => {
                [&sums[..], &[Accountant::Gaussian, Accountant::Pld]].concat()
            }
            _ => sums.to_vec(),
        },
    };
    let mut assignments = Vec::new();
    for accountant in accountants {
        let outcome = pricer.assign(accountant);
        if plan.accountant.is_some() {
            assignments.push((accountant, Ok(outcome?)));
        } else {
            assignments.push((accountant, outcome));
        }
    }
    // If every statistic has a fixed loss or error, only the price is left to choose by.
    let is_fixed = |statistic: &Statistic| !matches!(statistic.allowance, Allowance::Weight(_));
    let by_loss = offered == Offered::All && plan.statistics.iter().all(is_fixed);
    // The first of those that are about as good: no δ is spent to improve the fourth digit of an
    // error.
    let count = plan.statistics.len() as f64;
    let margin = match offered {
        Offered::All => 1e-3 * count,
        Offered::Sums | Offered::Apart => 0.0,
    };
    let is_better = |a: &Assignment, b: &Assignment| match by_loss {
        true => a.loss.main < b.loss.main,
        false => a.score < b.score - margin,
    };
    let best = assignments
        .iter()
        .filter_map(|(accountant, outcome)| Some((*accountant, outcome.as_ref().ok()?)))
        .reduce(|best, next| match is_better(next.1, best.1) {
            true => next,
            false => best,
        });
    let Some((accountant, best)) = best else {
        return Err(least_infeasible(
            assignments
                .into_iter()
                .filter_map(|(_, outcome)| outcome.err()),
        ));
    };
    let mut comparison: Vec<Offer> = assignments
        .iter()
        .map(|(accountant, outcome)| Offer {
            accountant: *accountant,
            relative_error: outcome
                .as_ref()
                .ok()
                .map(|assignment| ((assignment.score - best.score) / count).exp())
                // Without errors there is nothing to compare.
                .filter(|ratio| ratio.is_finite()),
            outcome: match outcome {
                Ok(assignment) => Ok(assignment.loss.clone()),
                Err(PriceError::Accountant { why, .. }) => Err(why.clone()),
                Err(PriceError::Infeasible(infeasible)) => {
                    Err(format!("the targets take {}", infeasible.needed))
                }
                Err(error) => Err(error.to_string()),
            },
        })
        .collect();
    if plan.accountant.is_none() && matches!(charging, Charging::Composed { .. }) {
        comparison.push(Offer {
            accountant: Accountant::Pld,
            outcome: Err("for a release that does not compose".to_owned()),
            relative_error: None,
        });
    }
    let statistics = pricer.prices(best)?;
    pricer.check(accountant, &best.loss, &statistics)?;
    Ok(Prices {
        accountant,
        loss: best.loss.clone(),
        statistics,
        comparison,
    })
}

/// The error with the smallest remedy: an infeasible plan if there is one.
fn least_infeasible(errors: impl Iterator<Item = PriceError>) -> PriceError {
    let mut best: Option<PriceError> = None;
    for error in errors {
        best = Some(match (best, error) {
            (Some(PriceError::Infeasible(a)), PriceError::Infeasible(b)) => {
                PriceError::Infeasible(if b.needed.main < a.needed.main { b } else { a })
            }
            (Some(infeasible @ PriceError::Infeasible(_)), _) => infeasible,
            (_, error @ PriceError::Infeasible(_)) => error,
            (Some(PriceError::Accountant { .. }) | None, error) => error,
            (Some(first), _) => first,
        });
    }
    best.unwrap_or(PriceError::OutOfRange {
        what: "no accountant applies".to_owned(),
    })
}
