//! The noise and errors of statistics that are made to add up.

use std::sync::Arc;

use lastbit::Beta;
use lastbit::tables::Term;
use lastbit_exact::decimal::power_of_ten;
use lastbit_exact::{Rational, Up};

use super::{Price, PriceError};
use crate::cell::digits_needed;
use crate::consistent::{Family, Member, Projection};
use crate::plan::{Allowance, Plan};
use crate::statistic::{Errors, Method, Noised};

/// A statistic that is made to add up with others.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Tied {
    /// The family, by its place in the plan.
    pub family: usize,
    /// Its place in the family.
    pub member: usize,
    /// The names of the others.
    pub with: Vec<String>,
    /// From noisy numbers to those that add up, for the whole family.
    pub projection: Arc<Projection>,
    /// How many decimals the numbers of the family have.
    pub decimals: i64,
    /// With the plan's confidence, each number is within this much of the exact one before
    /// rounding.
    pub off: Up,
}

impl Tied {
    /// How far off a number is, once it was moved by `rounding`.
    pub fn off_by(&self, rounding: &Rational) -> Up {
        self.off + Up::from_rational(rounding)
    }

    /// The most that it is off.
    fn most(&self) -> Up {
        let steps = self.projection.rounding(self.member);
        self.off_by(&(&steps * &power_of_ten(-self.decimals)))
    }

    /// The same noise, once numbers add up.
    pub(super) fn noised<'a>(&self, noised: Noised<'a>) -> Noised<'a> {
        Noised {
            made: Some(self.most()),
            ..noised
        }
    }
}

/// Ties the statistics of a plan that are made to add up. Their errors are what the projection
/// leaves of all their noise.
pub(super) fn tie(plan: &Plan, prices: &mut [Price], errors: Errors<'_>) -> Result<(), PriceError> {
    for (place, family) in plan.families.iter().enumerate() {
        let measured = measured(family, prices);
        let projection = Arc::new(projection(family, prices, &measured)?);
        let names = |member: usize| -> Vec<String> {
            let others = family.members.iter().enumerate();
            let others = others.filter(|(other, _)| *other != member);
            let name = |(_, other): (usize, &Member)| plan.statistics[other.statistic].name.clone();
            others.map(name).collect()
        };
        let bound = |member: usize, beta: &Beta| -> Result<Up, PriceError> {
            let terms = terms(&projection, family, prices, member)?;
            Ok(errors.tails.of_sum(&terms, beta))
        };
        let mut ties = Vec::new();
        for member in 0..family.members.len() {
            ties.push(Tied {
                family: place,
                member,
                with: names(member),
                projection: Arc::clone(&projection),
                decimals: 0,
                off: bound(member, errors.beta)?,
            });
        }
        let is_fine = |member: &Member| match prices[member.statistic].chain.kind.method() {
            Method::Noise(noisy) => !noisy.is_whole(),
            Method::Selection(_) => false,
        };
        if family.members.iter().any(is_fine) {
            // As many decimals as the most exact of them needs.
            let each = family.members.iter().zip(&ties).map(|(member, tied)| {
                let grid = prices[member.statistic].noised();
                digits_needed(Some(tied.off), grid.map(|noised| noised.drawn.grid))
            });
            let decimals = each.max().unwrap_or(0);
            ties.iter_mut().for_each(|tied| tied.decimals = decimals);
        }
        let mut made = Vec::new();
        for (member, tied) in family.members.iter().zip(ties) {
            let statistic = &plan.statistics[member.statistic];
            if let Allowance::Error { target, confidence } = &statistic.allowance {
                let beta = confidence.beta();
                let at_target = Tied {
                    off: bound(tied.member, &beta)?,
                    ..tied.clone()
                };
                let errors = Errors {
                    beta: &beta,
                    ..errors
                };
                let error = error(&prices[member.statistic], &at_target, errors);
                let error = error.and_then(Up::to_rational);
                if error.is_none_or(|error| error > *target) {
                    return Err(PriceError::Target {
                        statistic: statistic.name.clone(),
                        target: target.clone(),
                    });
                }
            }
            let error = error(&prices[member.statistic], &tied, errors);
            made.push((member.statistic, error, tied));
        }
        for (statistic, error, tied) in made {
            let price = &mut prices[statistic];
            price.error = error;
            // Nothing is clamped, because clamped numbers would not add up.
            price.bias = None;
            price.tied = Some(tied);
        }
    }
    Ok(())
}

/// The error of a statistic that is made to add up.
fn error(price: &Price, tied: &Tied, errors: Errors<'_>) -> Option<Up> {
    match (price.chain.kind.method(), price.noised()) {
        (Method::Noise(noisy), Some(noised)) => {
            noisy.error(&tied.noised(noised), price.rows, errors)
        }
        _ => None,
    }
}

/// For each member, whether it has noise of its own. Of those with the same noise, the one with the
/// most cells counts: the others are its sums.
fn measured(family: &Family, prices: &[Price]) -> Vec<bool> {
    let base = |member: &Member| match &prices[member.statistic].shared {
        Some(shared) => shared.host,
        None => member.statistic,
    };
    let members = family.members.iter().enumerate();
    members
        .map(|(place, member)| {
            let others = family.members.iter().enumerate();
            !others
                .filter(|(other, _)| *other != place)
                .any(|(other, m)| {
                    base(m) == base(member)
                        && (m.axes.len() > member.axes.len()
                            || m.axes.len() == member.axes.len() && other < place)
                })
        })
        .collect()
}

fn projection(
    family: &Family,
    prices: &[Price],
    measured: &[bool],
) -> Result<Projection, PriceError> {
    let axes: Vec<Vec<usize>> = family.members.iter().map(|m| m.axes.clone()).collect();
    let mut variances = Vec::new();
    for (member, &is_measured) in family.members.iter().zip(measured) {
        let noised = prices[member.statistic].noised().ok_or_else(unexpected)?;
        variances.push(match is_measured {
            true => noised.drawn.variance().ok_or_else(unexpected)?,
            // It adds nothing to another member.
            false => Rational::ZERO,
        });
    }
    let total = family.total.map(Rational::from);
    Ok(Projection::new(&family.sizes, &axes, &variances, total))
}

/// A cell of a member as a weighted sum of noises.
fn terms<'a>(
    projection: &Projection,
    family: &Family,
    prices: &'a [Price],
    member: usize,
) -> Result<Vec<Term<'a>>, PriceError> {
    let mut terms = Vec::new();
    let each = projection.coefficients(member).into_iter();
    for (coefficients, of) in each.zip(&family.members) {
        let noised = prices[of.statistic].noised().ok_or_else(unexpected)?;
        let mut counted = Vec::new();
        for (coefficient, count) in coefficients {
            counted.push((coefficient, u32::try_from(count).map_err(|_| unexpected())?));
        }
        let term = noised.drawn.term(&counted).ok_or_else(unexpected)?;
        if !term.weights.is_empty() {
            terms.push(term);
        }
    }
    Ok(terms)
}

fn unexpected() -> PriceError {
    PriceError::Library("these statistics cannot be made to add up; report this".to_owned())
}
