//! Chooses the accountant of a plan: the one with the smallest errors.

use std::rc::Rc;

use lastbit::tables::Tails;

use super::pricer::{Assignment, Pricer};
use super::sharing::Joins;
use super::{AccountantOffer, Charging, PriceError, Prices};
use crate::ledger::Currency;
use crate::loss::LossMeasure;
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

/// Errors that differ by no more than this part are about the same.
const MARGIN: f64 = 1e-3;

/// The ways to price a plan, now and in earlier versions, which stored releases under theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offered {
    /// As now.
    All,
    /// Noise is shared even where an error grows by it, and tails of many noises are bounded by
    /// their moments.
    Joined,
    /// As `Joined`, and losses are added up without their laws.
    Sums,
    /// As `Sums`, and no noise is shared.
    Apart,
}

pub(crate) fn price_as(
    plan: &Plan,
    charging: &Charging,
    offered: Offered,
) -> Result<Prices, PriceError> {
    let tails = match offered {
        Offered::All => Tails::default(),
        _ => Tails::by_moments(),
    };
    let beta = plan.confidence.beta();
    let errors = Errors {
        tails: &tails,
        beta: &beta,
    };
    let apart = Rc::new(Pricer::new(plan, charging, errors)?);
    let joins = match offered {
        Offered::Apart => None,
        _ => Some(Joins::new(plan, &apart.items)),
    };
    let sums = [Accountant::Pure, Accountant::Zcdp, Accountant::Optimal];
    let accountants = match (plan.accountant, charging) {
        (Some(accountant), _) => vec![accountant],
        (None, Charging::Composed { terms, .. }) => vec![match terms.currency {
            Currency::Zcdp => Accountant::Zcdp,
            Currency::Gaussian => Accountant::Gaussian,
        }],
        (None, Charging::Plainly) => match plan.spend.measure {
            LossMeasure::Pure => vec![Accountant::Pure],
            LossMeasure::Zcdp => vec![Accountant::Zcdp],
            _ if matches!(offered, Offered::All | Offered::Joined) => {
                [&sums[..], &[Accountant::Gaussian, Accountant::Pld]].concat()
            }
            _ => sums.to_vec(),
        },
    };
    let mut assignments = Vec::new();
    for accountant in accountants {
        let (pricer, outcome) = match &joins {
            None => (Rc::clone(&apart), apart.assign(accountant)),
            Some(joins) => assign(&apart, joins, accountant, offered),
        };
        let outcome = match plan.accountant {
            Some(_) => Ok(outcome?),
            None => outcome,
        };
        assignments.push((accountant, pricer, outcome));
    }
    // If every statistic has a fixed loss or error, only the price is left to choose by.
    let is_fixed = |statistic: &Statistic| !matches!(statistic.allowance, Allowance::Weight(_));
    let by_loss =
        matches!(offered, Offered::All | Offered::Joined) && plan.statistics.iter().all(is_fixed);
    // The first of those that are about as good: no δ is spent to improve the fourth digit of an
    // error.
    let count = plan.statistics.len() as f64;
    let margin = match offered {
        Offered::All | Offered::Joined => MARGIN * count,
        Offered::Sums | Offered::Apart => 0.0,
    };
    let is_better = |a: &Assignment, b: &Assignment| match by_loss {
        true => a.loss.main < b.loss.main,
        false => a.score < b.score - margin,
    };
    let best = assignments
        .iter()
        .filter_map(|(accountant, pricer, outcome)| {
            Some((*accountant, pricer, outcome.as_ref().ok()?))
        })
        .reduce(|best, next| match is_better(next.2, best.2) {
            true => next,
            false => best,
        });
    let Some((accountant, pricer, best)) = best else {
        return Err(least_infeasible(
            assignments
                .into_iter()
                .filter_map(|(_, _, outcome)| outcome.err()),
        ));
    };
    let mut comparison: Vec<AccountantOffer> = assignments
        .iter()
        .map(|(accountant, _, outcome)| AccountantOffer {
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
        comparison.push(AccountantOffer {
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

/// Mechanisms and losses under an accountant. Statistics share noise where no error is larger than
/// it would be apart.
///
/// The more join a host, the larger its loss and the smaller every error made of it. So whoever is
/// worse off with all of them is so with fewer, and what is left in the end is the most that can be
/// shared among the hosts that were chosen.
fn assign<'a>(
    apart: &Rc<Pricer<'a>>,
    joins: &Joins,
    accountant: Accountant,
    offered: Offered,
) -> (Rc<Pricer<'a>>, Result<Assignment, PriceError>) {
    let mut joins = joins.clone();
    let mut alone = None;
    loop {
        let chosen = joins.chosen(apart.plan);
        let hosts: Vec<Option<usize>> = chosen
            .iter()
            .map(|shared| shared.as_ref().map(|shared| shared.host))
            .collect();
        let is_apart = hosts.iter().all(Option::is_none);
        if !is_apart {
            let together = Rc::new(apart.sharing(chosen));
            let outcome = together.assign(accountant);
            if offered != Offered::All {
                return (together, outcome);
            }
            let alone = alone.get_or_insert_with(|| apart.assign(accountant));
            let worse = match (&*alone, &outcome) {
                (Ok(alone), Ok(outcome)) => worse(accountant, alone, outcome),
                _ => vec![],
            };
            if worse.is_empty() {
                return (together, outcome);
            }
            let mut is_changed = false;
            for index in worse {
                if let Some(host) = hosts[index] {
                    joins.forbid(index, host);
                    is_changed = true;
                }
            }
            if is_changed {
                continue;
            }
        }
        let alone = alone.unwrap_or_else(|| apart.assign(accountant));
        return (Rc::clone(apart), alone);
    }
}

/// The statistics that have a larger error together than alone.
fn worse(accountant: Accountant, alone: &Assignment, together: &Assignment) -> Vec<usize> {
    // What the laws of losses allow is found to four digits.
    let margin = match accountant {
        Accountant::Pld => 1.0 + MARGIN,
        _ => 1.0,
    };
    let errors = alone.errors.iter().zip(&together.errors).enumerate();
    errors
        .filter(|(_, (alone, together))| together.get() > alone.get() * margin)
        .map(|(index, _)| index)
        .collect()
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
