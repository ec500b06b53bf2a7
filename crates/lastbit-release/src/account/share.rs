//! Accountants: how a budget is shared out, and what the whole costs.

use lastbit::Error;
use lastbit::conversions::{
    optimal_composition, zcdp_for_approximate, zcdp_to_approximate_epsilon,
};
use lastbit::solve::{self, Decimal};
use lastbit::tables::Tails;
use lastbit_exact::decimal::{self, DIGITS};
use lastbit_exact::{Down, Rational, Up};

use super::item::Item;
use super::sharing::shared;
use super::{Infeasible, Offer, Price, PriceError, Prices};
use crate::loss::{Loss, Measure};
use crate::plan::{Accountant, Plan, Scope, Share, Statistic};
use crate::statistic::{Chain, Currency, Errors, Mechanism, Method, table};

/// The price of a plan, under the accountant that it names or else the one under which errors are smallest. Reads no data.
pub fn price(plan: &Plan) -> Result<Prices, PriceError> {
    price_as(plan, true)
}

/// The price of a plan whose statistics all have noise of their own.
pub(crate) fn price_apart(plan: &Plan) -> Result<Prices, PriceError> {
    price_as(plan, false)
}

fn price_as(plan: &Plan, together: bool) -> Result<Prices, PriceError> {
    let tails = Tails::default();
    let alpha = plan.confidence.alpha();
    let pricer = Pricer::new(
        plan,
        Errors {
            tails: &tails,
            alpha: &alpha,
        },
        together,
    )?;
    let accountants = match plan.accountant {
        Some(accountant) => vec![accountant],
        None => match plan.spend.measure {
            Measure::Pure => vec![Accountant::Pure],
            Measure::Zcdp => vec![Accountant::Zcdp],
            Measure::Approximate => vec![Accountant::Pure, Accountant::Zcdp, Accountant::Optimal],
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
    let best = assignments
        .iter()
        .filter_map(|(accountant, outcome)| Some((*accountant, outcome.as_ref().ok()?)))
        .min_by(|a, b| a.1.score.total_cmp(&b.1.score));
    let Some((accountant, best)) = best else {
        return Err(least_infeasible(
            assignments
                .into_iter()
                .filter_map(|(_, outcome)| outcome.err()),
        ));
    };
    let count = plan.statistics.len() as f64;
    let comparison = assignments
        .iter()
        .map(|(accountant, outcome)| Offer {
            accountant: *accountant,
            relative_error: outcome
                .as_ref()
                .ok()
                .map(|assignment| ((assignment.score - best.score) / count).exp()),
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
    Ok(Prices {
        accountant,
        loss: best.loss.clone(),
        statistics: pricer.prices(best)?,
        comparison,
    })
}

/// The error that asks for the least: an infeasible plan if there is one.
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

/// The first of some numbers of 12 digits, from `least` on, that is enough. A loss converted to ε and back, both rounded to the safe side, may
/// be a little less.
fn sufficient(
    least: Rational,
    enough: impl Fn(&Rational) -> Result<bool, PriceError>,
) -> Result<Rational, PriceError> {
    if enough(&least)? {
        return Ok(least);
    }
    // From 1e-12 to 4 times as much.
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

/// Which rows of a unit reach a statistic: of one that is of units, what is said of the unit is one row in one group.
fn reach(statistic: &Statistic) -> Scope {
    let mut scope = statistic.scope.clone();
    if statistic.kind.limited_by().is_some() {
        (scope.most_rows, scope.most_groups) = (Some(1), Some(1));
    }
    scope
}

/// A mechanism and its loss.
type Choice = (Mechanism, Rational);

/// Mechanisms and losses under one accountant.
struct Assignment {
    currency: Currency,
    loss: Loss,
    /// For each statistic.
    choices: Vec<Choice>,
    /// δ of each threshold.
    threshold: Rational,
    /// Σ ln error.
    score: f64,
}

struct Pricer<'a> {
    plan: &'a Plan,
    errors: Errors<'a>,
    items: Vec<Item>,
    /// How many counts of discovered keys there are.
    thresholds: u64,
}

impl<'a> Pricer<'a> {
    fn new(plan: &'a Plan, errors: Errors<'a>, together: bool) -> Result<Pricer<'a>, PriceError> {
        let mut items: Vec<Item> = plan
            .statistics
            .iter()
            .map(|statistic| {
                let chain = Chain {
                    kind: statistic.kind.clone(),
                    // What one unit reaches after the scan.
                    reach: table(plan, &reach(statistic))?.map(&1)?,
                    groups: plan.public_groups(statistic),
                };
                Ok(Item {
                    norms: chain.norms()?,
                    // Where rows without a number are left out, fewer count than the public number.
                    rows: statistic
                        .kind
                        .public_rows()
                        .or(statistic.expected_rows)
                        .or(plan.expected_rows),
                    shared: None,
                    chain,
                })
            })
            .collect::<Result<_, PriceError>>()?;
        if together {
            let shared = shared(plan, &items);
            for (item, shared) in items.iter_mut().zip(shared) {
                item.shared = shared;
            }
        }
        let thresholds = plan
            .statistics
            .iter()
            .filter(|statistic| statistic.kind.counts_rows() && plan.is_discovered(statistic))
            .count() as u64;
        Ok(Pricer {
            plan,
            errors,
            items,
            thresholds,
        })
    }

    fn assign(&self, accountant: Accountant) -> Result<Assignment, PriceError> {
        let spend = &self.plan.spend;
        // Thresholds take half of δ where a conversion takes the other, and all of it where nothing else does.
        let converted = if self.thresholds == 0 {
            spend.delta.clone()
        } else {
            spend.delta.times_power_of_two(-1)
        };
        let of_thresholds = match (accountant, self.thresholds) {
            (_, 0) => Rational::ZERO,
            (Accountant::Pure, _) => spend.delta.clone(),
            _ => &spend.delta - &converted,
        };
        let threshold = match self.thresholds {
            0 => Rational::ZERO,
            thresholds => &of_thresholds / &Rational::from(thresholds),
        };
        if accountant == Accountant::Optimal {
            return self.optimal(&converted, threshold);
        }
        // What a budget of this ε or ρ is in the currency.
        let total_of = |main: &Rational| -> Result<Rational, PriceError> {
            if accountant == Accountant::Pure || spend.measure == Measure::Zcdp {
                return Ok(main.clone());
            }
            let rho =
                zcdp_for_approximate(Down::from_rational(main), Down::from_rational(&converted))?;
            let rho = Rational::try_from(rho.get()).unwrap_or(Rational::ZERO);
            Ok(decimal::down(&rho, DIGITS))
        };
        let currency = match accountant {
            Accountant::Pure => Currency::Epsilon,
            _ => Currency::Rho,
        };
        let total = total_of(&spend.main)?;
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
                    let epsilon = zcdp_to_approximate_epsilon(
                        Up::from_rational(&main),
                        Down::from_rational(&converted),
                    )?;
                    let epsilon =
                        Rational::try_from(epsilon.get()).map_err(|_| PriceError::OutOfRange {
                            what: "the loss is out of range".to_owned(),
                        })?;
                    let epsilon = decimal::up(&epsilon, DIGITS);
                    Loss {
                        measure: Measure::Approximate,
                        // A ρ within the total is within the ε that the total was made of.
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
        let mut choices: Vec<Option<Choice>> = vec![None; self.items.len()];
        let mut fixed = Rational::ZERO;
        let mut targets = Vec::new();
        let mut weights = Rational::ZERO;
        for (index, item) in self.items.iter().enumerate() {
            let statistic = &self.plan.statistics[index];
            let (choice, words) = match &statistic.share {
                Share::Weight(weight) => {
                    weights = &weights + weight;
                    continue;
                }
                Share::Loss(loss) if spend.measure == Measure::Zcdp => {
                    let mechanism = item.mechanism(Currency::Rho, loss, self.errors)?;
                    ((mechanism, loss.clone()), "as its loss".to_owned())
                }
                Share::Loss(loss) => (
                    item.fixed_epsilon(loss, currency, self.errors)?,
                    format!("for its loss of ε = {loss}"),
                ),
                Share::Error { target, confidence } => {
                    let alpha = confidence.alpha();
                    let errors = Errors {
                        alpha: &alpha,
                        ..self.errors
                    };
                    let loss = item
                        .loss_for_error(currency, target, errors)?
                        .ok_or_else(|| self.unreachable(index, target))?;
                    let mechanism = item.mechanism(currency, &loss, errors)?;
                    ((mechanism, loss), format!("for an error of {target}"))
                }
            };
            targets.push((
                statistic.name.clone(),
                format!("takes {} = {} {words}", currency.symbol(), choice.1),
            ));
            fixed = &fixed + &choice.1;
            choices[index] = Some(choice);
        }
        let rest = &total - &fixed;
        let sharing = choices.iter().filter(|choice| choice.is_none()).count();
        if rest.is_negative() || (sharing > 0 && rest.is_zero()) {
            return Err(PriceError::Infeasible(Box::new(Infeasible {
                targets,
                needed: Loss {
                    main: sufficient(whole(fixed.clone())?.main, |main| {
                        Ok(total_of(main)? >= fixed)
                    })?,
                    ..spend.clone()
                },
                available: spend.clone(),
                sharing,
            })));
        }
        let mut spent = fixed;
        let mut done = Vec::with_capacity(choices.len());
        for (index, choice) in choices.into_iter().enumerate() {
            done.push(match (choice, &self.plan.statistics[index].share) {
                // Its weight is that of its host.
                (None, Share::Weight(_)) if self.items[index].shared.is_some() => None,
                (None, Share::Weight(_)) => {
                    let loss = &rest * &(&self.weight(index) / &weights);
                    spent = &spent + &loss;
                    let mechanism = self.items[index].mechanism(currency, &loss, self.errors)?;
                    Some((mechanism, loss))
                }
                (Some(choice), _) => Some(choice),
                (None, _) => {
                    return Err(PriceError::OutOfRange {
                        what: "a share is missing".to_owned(),
                    });
                }
            });
        }
        // Shares of the whole budget add up to it exactly.
        let loss = if sharing > 0
            && accountant != Accountant::Pure
            && spend.measure == Measure::Approximate
        {
            spend.clone()
        } else {
            whole(spent)?
        };
        self.finish(currency, loss, self.joined(done)?, threshold)
    }

    /// The weight of a statistic, and of those that share its noise.
    fn weight(&self, index: usize) -> Rational {
        let items = self.items.iter().zip(&self.plan.statistics).enumerate();
        let weights = items.filter_map(|(other, (item, statistic))| {
            let host = item.shared.as_ref().map_or(other, |shared| shared.host);
            match &statistic.share {
                Share::Weight(weight) if host == index => Some(weight),
                _ => None,
            }
        });
        weights.fold(Rational::ZERO, |sum, weight| &sum + weight)
    }

    /// Where there is no choice yet, the mechanism of the host, at no loss.
    fn joined(&self, choices: Vec<Option<Choice>>) -> Result<Vec<Choice>, PriceError> {
        let of = |index: usize| match (&choices[index], &self.items[index].shared) {
            (Some(choice), _) => Some(choice.clone()),
            (None, Some(shared)) => {
                let (mechanism, _) = choices[shared.host].as_ref()?;
                Some((mechanism.clone(), Rational::ZERO))
            }
            (None, None) => None,
        };
        let all: Option<Vec<Choice>> = (0..choices.len()).map(of).collect();
        all.ok_or_else(|| PriceError::OutOfRange {
            what: "a share is missing".to_owned(),
        })
    }

    /// Equal pure losses, composed optimally.
    fn optimal(&self, converted: &Rational, threshold: Rational) -> Result<Assignment, PriceError> {
        let spend = &self.plan.spend;
        let shares: Vec<_> = self.plan.statistics.iter().map(|s| &s.share).collect();
        let equal = shares.windows(2).all(|pair| pair[0] == pair[1])
            && matches!(shares[0], Share::Weight(_));
        if !equal {
            return Err(PriceError::Accountant {
                accountant: Accountant::Optimal.name(),
                why: "it composes equal losses only; give every statistic the same weight"
                    .to_owned(),
            });
        }
        let drawn = self.items.iter().filter(|item| item.shared.is_none());
        let count = drawn.count() as u64;
        let delta = Down::from_rational(converted);
        let enough = |each: &Rational| -> Result<bool, PriceError> {
            let all = optimal_composition(Up::from_rational(each), count, delta)?;
            Ok(Rational::try_from(all.get()).is_ok_and(|all| all <= spend.main))
        };
        // The sum is always sound, and no loss is more than the whole.
        let sum = &spend.main / &Rational::from(count);
        let range = Decimal::at_most(&sum)..=Decimal::at_most(&spend.main);
        let found = solve::largest_where(range, |each| {
            enough(&each.get()).map_err(|error| Error::other(error.to_string()))
        });
        let low = found.map_or(sum.clone(), |found| found.get().max(sum));
        let choices = self
            .items
            .iter()
            .map(|item| match item.shared {
                Some(_) => Ok(None),
                None => Ok(Some((
                    item.mechanism(Currency::Epsilon, &low, self.errors)?,
                    low.clone(),
                ))),
            })
            .collect::<Result<_, PriceError>>()?;
        let choices = self.joined(choices)?;
        self.finish(Currency::Epsilon, spend.clone(), choices, threshold)
    }

    fn finish(
        &self,
        currency: Currency,
        loss: Loss,
        choices: Vec<Choice>,
        threshold: Rational,
    ) -> Result<Assignment, PriceError> {
        let mut score = 0.0;
        for (item, (mechanism, _)) in self.items.iter().zip(&choices) {
            score += item.measure(mechanism, self.errors)?.get().ln();
        }
        Ok(Assignment {
            currency,
            loss,
            choices,
            threshold,
            score,
        })
    }

    fn unreachable(&self, index: usize, target: &Rational) -> PriceError {
        let item = &self.items[index];
        let by_rows =
            matches!(item.chain.kind.method(), Method::Noise(noisy) if noisy.needs_rows());
        PriceError::Unreachable {
            statistic: self.plan.statistics[index].name.clone(),
            target: target.clone(),
            remedy: if by_rows && item.rows.is_none() {
                "its error depends on the number of rows, so add a guess, `expected_rows`"
            } else {
                "relax the target, or choose a finer `grid` for its column"
            },
        }
    }

    fn prices(&self, assignment: &Assignment) -> Result<Vec<Price>, PriceError> {
        (0..self.items.len())
            .map(|index| self.price(index, assignment))
            .collect()
    }

    fn price(&self, index: usize, assignment: &Assignment) -> Result<Price, PriceError> {
        let (item, statistic) = (&self.items[index], &self.plan.statistics[index]);
        let (mechanism, loss) = &assignment.choices[index];
        let mechanism = item.aimed(mechanism.clone(), self.errors)?;
        let kind = &item.chain.kind;
        let bias = match (kind.method(), &mechanism) {
            (Method::Noise(noisy), Mechanism::Noise { noise, grid }) if noisy.is_clamped() => {
                let factor = item.shared.as_ref().map(|shared| shared.mix.largest_sum());
                // E max(0, Σwη) ≤ Σ|w|·E max(0, η), as noise is symmetric.
                let factor = Up::from_rational(&factor.unwrap_or(Rational::ONE));
                Some(noise.clamping_bias(*grid) * factor)
            }
            _ => None,
        };
        let threshold = match kind.counts_rows() && self.plan.is_discovered(statistic) {
            true => Some(item.threshold(&mechanism, &assignment.threshold)?),
            false => None,
        };
        let price = Price {
            threshold,
            groups: item.chain.groups,
            error: item.error(&mechanism, item.rows, self.errors)?,
            bias,
            rows_for_tenth: match kind.public_rows() {
                // The number of rows is what it is.
                Some(_) => None,
                None => item.rows_for_tenth(&mechanism, self.errors)?,
            },
            sensitivity: match &item.shared {
                Some(shared) => self.items[shared.host].norms.clone(),
                None => item.norms.clone(),
            },
            shared: item.shared.clone(),
            rows: item.rows,
            chain: item.chain.clone(),
            mechanism,
            currency: assignment.currency,
            loss: loss.clone(),
        };
        price.check()?;
        Ok(price)
    }
}
