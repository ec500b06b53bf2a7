//! Accountants: how a budget is shared out, and what the whole costs.

use lastbit::conversions::{
    optimal_composition, zcdp_for_approximate, zcdp_to_approximate_epsilon,
};
use lastbit_exact::{Down, Rational, Up};

use super::decimal::{self, DIGITS};
use super::error_bound::rows_for_tenth;
use super::solve::Item;
use super::threshold::threshold;
use super::{
    Currency, Errors, Form, Infeasible, Mechanism, Offer, Price, PriceError, Prices, Reach, Tails,
    typical_value,
};
use crate::loss::{Loss, Measure};
use crate::plan::{Accountant, Kind, Neighbours, Plan, Share};

/// The price of a plan, under the accountant that it names or else the one under which errors are smallest. Reads no data.
pub fn price(plan: &Plan) -> Result<Prices, PriceError> {
    let tails = Tails::default();
    let alpha = plan.confidence.alpha();
    let pricer = Pricer::new(
        plan,
        Errors {
            tails: &tails,
            alpha: &alpha,
        },
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
            match outcome {
                // What is wrong with the plan itself is wrong under every accountant.
                Err(error @ (PriceError::Grid { .. } | PriceError::TooFewRows { .. })) => {
                    return Err(error);
                }
                outcome => assignments.push((accountant, outcome)),
            }
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

/// Mechanisms and losses under one accountant.
struct Assignment {
    currency: Currency,
    loss: Loss,
    /// For each statistic.
    choices: Vec<(Mechanism, Rational)>,
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
    fn new(plan: &'a Plan, errors: Errors<'a>) -> Result<Pricer<'a>, PriceError> {
        let items = plan
            .statistics
            .iter()
            .map(|statistic| {
                let form = Form::new(plan, statistic)?;
                let reach = Reach::new(plan, statistic);
                let public = match plan.neighbours {
                    Neighbours::ChangeOne { rows } if statistic.by.is_empty() => rows,
                    _ => None,
                };
                Ok(Item {
                    sensitivity: form.sensitivity(reach),
                    form,
                    reach,
                    rows: statistic.expected_rows.or(public).or(plan.expected_rows),
                })
            })
            .collect::<Result<_, PriceError>>()?;
        let thresholds = plan
            .statistics
            .iter()
            .filter(|statistic| statistic.kind == Kind::Count && plan.is_discovered(statistic))
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
            spend.delta.scale(-1)
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
        let (currency, total) = match (accountant, spend.measure) {
            (Accountant::Pure, _) => (Currency::Epsilon, spend.main.clone()),
            (_, Measure::Zcdp) => (Currency::Rho, spend.main.clone()),
            _ => {
                let rho = zcdp_for_approximate(
                    Down::from_rational(&spend.main),
                    Down::from_rational(&converted),
                )?;
                let rho = Rational::try_from(rho.get()).unwrap_or(Rational::ZERO);
                (Currency::Rho, decimal::down(&rho, DIGITS))
            }
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
        let mut choices: Vec<Option<(Mechanism, Rational)>> = vec![None; self.items.len()];
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
                needed: whole(fixed)?,
                available: spend.clone(),
                sharing,
            })));
        }
        let mut spent = fixed;
        let mut done = Vec::with_capacity(choices.len());
        for (index, choice) in choices.into_iter().enumerate() {
            done.push(match (choice, &self.plan.statistics[index].share) {
                (None, Share::Weight(weight)) => {
                    let loss = &rest * &(weight / &weights);
                    spent = &spent + &loss;
                    (
                        self.items[index].mechanism(currency, &loss, self.errors)?,
                        loss,
                    )
                }
                (Some(choice), _) => choice,
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
        self.finish(currency, loss, done, threshold)
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
        let count = shares.len() as u64;
        let delta = Down::from_rational(converted);
        let enough = |each: &Rational| -> Result<bool, PriceError> {
            let all = optimal_composition(Up::from_rational(each), count, delta)?;
            Ok(Rational::try_from(all.get()).is_ok_and(|all| all <= spend.main))
        };
        // The sum is always sound, and no loss is more than the whole.
        let mut low = &spend.main / &Rational::from(count);
        let mut high = spend.main.clone();
        for _ in 0..40 {
            let middle = decimal::down(&(&low + &high).scale(-1), DIGITS);
            if middle <= low || middle >= high {
                break;
            }
            if enough(&middle)? {
                low = middle;
            } else {
                high = middle;
            }
        }
        let choices = self
            .items
            .iter()
            .map(|item| {
                Ok((
                    item.mechanism(Currency::Epsilon, &low, self.errors)?,
                    low.clone(),
                ))
            })
            .collect::<Result<_, PriceError>>()?;
        self.finish(Currency::Epsilon, spend.clone(), choices, threshold)
    }

    fn finish(
        &self,
        currency: Currency,
        loss: Loss,
        choices: Vec<(Mechanism, Rational)>,
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
        let needs_rows = self.items[index].rows.is_none()
            && matches!(self.items[index].form, Form::Shared { .. });
        PriceError::Unreachable {
            statistic: self.plan.statistics[index].name.clone(),
            target: target.clone(),
            remedy: if needs_rows {
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
        let bound = |rows| self.errors.bound(&item.form, item.reach, mechanism, rows);
        let discovered = self.plan.is_discovered(statistic);
        let bias = match (&item.form, mechanism) {
            (Form::Counts { .. } | Form::Fixed { .. }, Mechanism::Noise { noise, .. }) => {
                Some(noise.clamping_bias())
            }
            _ => None,
        };
        Ok(Price {
            threshold: match (&statistic.kind, discovered) {
                (Kind::Count, true) => Some(threshold(item, mechanism, &assignment.threshold)?),
                _ => None,
            },
            groups: self.plan.public_groups(statistic),
            error: bound(item.rows)?,
            bias,
            rows_for_tenth: match item.form {
                // The number of rows is what it is.
                Form::Fixed { .. } => None,
                _ => rows_for_tenth(
                    |rows| typical_value(self.plan, index, rows),
                    |rows| bound(Some(rows)),
                )?,
            },
            form: item.form.clone(),
            reach: item.reach,
            sensitivity: item.sensitivity.clone(),
            rows: item.rows,
            mechanism: mechanism.clone(),
            currency: assignment.currency,
            loss: loss.clone(),
        })
    }
}
