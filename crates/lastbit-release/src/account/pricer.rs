//! How an accountant shares a budget among the statistics.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use lastbit::accounting::FixedLosses;
use lastbit::conversions::optimal_composition;
use lastbit::solve::{self, Decimal};
use lastbit_exact::{Down, Rational, Up};

use super::item::{Item, Way};
use super::sharing::Shared;
use super::{Charging, PriceError};
use crate::loss::{Loss, LossMeasure};
use crate::plan::{Accountant, Allowance, Plan};
use crate::statistic::{Chain, Errors, LossUnit, Mechanism, Method};

/// The weight of each statistic, and of those that share its noise.
fn weights(plan: &Plan, items: &[Item]) -> Vec<Rational> {
    let mut weights = vec![Rational::ZERO; items.len()];
    for (index, (item, statistic)) in items.iter().zip(&plan.statistics).enumerate() {
        if let Allowance::Weight(weight) = &statistic.allowance {
            let host = item.shared.as_ref().map_or(index, |shared| shared.host);
            weights[host] = &weights[host] + weight;
        }
    }
    weights
}

/// A mechanism and its loss.
pub(super) type Assigned = (Mechanism, Rational);

/// Mechanisms and losses under one accountant.
pub(super) struct Assignment {
    pub loss_unit: LossUnit,
    pub loss: Loss,
    /// For each statistic.
    pub choices: Vec<Assigned>,
    /// δ of each threshold.
    pub threshold: Rational,
    /// The error of each statistic, or its noise if that is not known, for comparing assignments.
    pub errors: Vec<Up>,
    /// Σ ln error.
    pub score: f64,
}

pub(super) struct Pricer<'a> {
    pub plan: &'a Plan,
    pub charging: &'a Charging,
    pub errors: Errors<'a>,
    pub items: Vec<Item>,
    /// The weight of each statistic, and of those that share its noise.
    weights: Vec<Rational>,
    /// How many counts of discovered keys there are.
    thresholds: u64,
    /// Losses that were composed. A search composes at most ten.
    pub composed_laws: RefCell<Vec<KnownEpsilon>>,
    /// What targets take of ρ, by the best noise: two accountants ask for it.
    zcdp_targets: OnceCell<Result<Rc<Targets>, PriceError>>,
}

/// Losses, a δ, and the ε of all of them at it.
pub(super) type KnownEpsilon = (FixedLosses, Rational, Rational);

/// How δ is split.
pub(super) struct Split {
    /// For the conversion of the loss of noise.
    pub converted: Rational,
    /// For all thresholds.
    pub of_thresholds: Rational,
}

/// Statistics, with what each takes of a total.
pub(super) struct Dealt {
    pub choices: Vec<Assigned>,
    /// What all take together.
    pub spent: Rational,
    /// How many share the rest after fixed losses and error targets.
    pub sharing: usize,
}

/// What fixed losses and error targets take.
pub(super) struct Targets {
    choices: Vec<Option<Assigned>>,
    /// Each in words.
    pub words: Vec<(String, String)>,
    /// All together.
    pub fixed: Rational,
    weights: Rational,
    pub sharing: usize,
}

impl<'a> Pricer<'a> {
    /// Each statistic with noise of its own.
    pub fn new(
        plan: &'a Plan,
        charging: &'a Charging,
        errors: Errors<'a>,
    ) -> Result<Pricer<'a>, PriceError> {
        let items: Vec<Item> = plan
            .statistics
            .iter()
            .enumerate()
            .map(|(index, statistic)| {
                let chain = Chain::new(plan, index)?;
                Ok(Item {
                    norms: chain.norms()?,
                    // If rows without a number are left out, fewer rows count than the public
                    // number.
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
        let thresholds = plan
            .statistics
            .iter()
            .filter(|statistic| statistic.kind.counts_rows() && plan.is_discovered(statistic))
            .count() as u64;
        Ok(Pricer {
            plan,
            charging,
            errors,
            weights: weights(plan, &items),
            items,
            thresholds,
            composed_laws: RefCell::default(),
            zcdp_targets: OnceCell::new(),
        })
    }

    /// The same statistics, of which some share the noise of others. What targets take stays the
    /// same: such statistics share nothing.
    pub fn sharing(&self, shared: Vec<Option<Shared>>) -> Pricer<'a> {
        let items = self.items.iter().cloned().zip(shared);
        let items: Vec<Item> = items
            .map(|(item, shared)| Item { shared, ..item })
            .collect();
        Pricer {
            weights: weights(self.plan, &items),
            items,
            composed_laws: RefCell::default(),
            zcdp_targets: self.zcdp_targets.clone(),
            ..*self
        }
    }

    /// How δ is split under an accountant.
    pub fn split(&self, accountant: Accountant) -> Split {
        let delta = &self.plan.spend.delta;
        let of_thresholds = match (self.thresholds, self.charging.thresholds(self.plan)) {
            (0, _) => Rational::ZERO,
            (_, Some(part)) => part,
            // Thresholds take half of δ if a conversion takes the other half, and all of it if
            // nothing else does.
            (_, None) if accountant == Accountant::Pure => delta.clone(),
            (_, None) => delta.times_power_of_two(-1),
        };
        Split {
            converted: match (self.thresholds, accountant) {
                (0, _) | (_, Accountant::Pure) => delta.clone(),
                _ => delta - &of_thresholds,
            },
            of_thresholds,
        }
    }

    /// Mechanisms and losses under an accountant.
    pub fn assign(&self, accountant: Accountant) -> Result<Assignment, PriceError> {
        let split = self.split(accountant);
        let way = Way::of(accountant);
        let (loss, choices) = match accountant {
            Accountant::Optimal => (self.plan.spend.clone(), self.optimal(&split.converted)?),
            Accountant::Pld => self.by_laws(&split)?,
            _ => self.by_sums(accountant, way, &split)?,
        };
        let loss = match self.charging {
            Charging::Plainly => loss,
            Charging::Composed { terms, .. } => self.composed(terms, way, &choices, &split)?,
        };
        let threshold = match self.thresholds {
            0 => Rational::ZERO,
            thresholds => &split.of_thresholds / &Rational::from(thresholds),
        };
        self.finish(way.loss_unit(), loss, choices, threshold)
    }

    /// What fixed losses and error targets take.
    pub fn targets(&self, way: Way) -> Result<Rc<Targets>, PriceError> {
        match way {
            Way::Zcdp => {
                let found = || self.find_targets(way).map(Rc::new);
                self.zcdp_targets.get_or_init(found).clone()
            }
            _ => self.find_targets(way).map(Rc::new),
        }
    }

    fn find_targets(&self, way: Way) -> Result<Targets, PriceError> {
        let spend = &self.plan.spend;
        let mut choices: Vec<Option<Assigned>> = vec![None; self.items.len()];
        let mut targets = Vec::new();
        let mut weights = Rational::ZERO;
        for (index, item) in self.items.iter().enumerate() {
            let statistic = &self.plan.statistics[index];
            let (choice, words) = match &statistic.allowance {
                Allowance::Weight(weight) => {
                    weights = &weights + weight;
                    continue;
                }
                Allowance::Loss(loss) if spend.measure == LossMeasure::Zcdp => {
                    let mechanism = item.mechanism(Way::Zcdp, loss, self.errors)?;
                    ((mechanism, loss.clone()), "as its loss".to_owned())
                }
                Allowance::Loss(loss) => (
                    item.fixed_epsilon(loss, way, self.errors)?,
                    format!("for its loss of ε = {loss}"),
                ),
                Allowance::Error { target, confidence } => {
                    let beta = confidence.beta();
                    let errors = Errors {
                        beta: &beta,
                        ..self.errors
                    };
                    let loss = item
                        .loss_for_error(way, target, errors)?
                        .ok_or_else(|| self.unreachable(index, target))?;
                    let mechanism = item.mechanism(way, &loss, errors)?;
                    ((mechanism, loss), format!("for an error of {target}"))
                }
            };
            targets.push((
                statistic.name.clone(),
                format!("takes {} = {} {words}", way.loss_unit().symbol(), choice.1),
            ));
            choices[index] = Some(choice);
        }
        let fixed = choices.iter().flatten().map(|(_, loss)| loss);
        Ok(Targets {
            fixed: way.loss_unit().compose(fixed)?,
            sharing: choices.iter().filter(|choice| choice.is_none()).count(),
            choices,
            words: targets,
            weights,
        })
    }

    /// Shares what targets leave, by weight.
    pub fn deal(&self, way: Way, targets: &Targets, rest: &Rational) -> Result<Dealt, PriceError> {
        let mut losses = vec![targets.fixed.clone()];
        let mut done = Vec::with_capacity(targets.choices.len());
        for (index, choice) in targets.choices.iter().enumerate() {
            done.push(match (choice, &self.plan.statistics[index].allowance) {
                // Its host has its weight.
                (None, Allowance::Weight(_)) if self.items[index].shared.is_some() => None,
                (None, Allowance::Weight(_)) => {
                    let loss = rest * &(&self.weights[index] / &targets.weights);
                    losses.push(loss.clone());
                    let mechanism = self.items[index].mechanism(way, &loss, self.errors)?;
                    Some((mechanism, loss))
                }
                (Some(choice), _) => Some(choice.clone()),
                (None, _) => {
                    return Err(PriceError::OutOfRange {
                        what: "a share is missing".to_owned(),
                    });
                }
            });
        }
        Ok(Dealt {
            choices: self.joined(done)?,
            spent: way.loss_unit().compose(&losses)?,
            sharing: targets.sharing,
        })
    }

    /// Fills in missing choices with the mechanism of the host, at no loss.
    fn joined(&self, choices: Vec<Option<Assigned>>) -> Result<Vec<Assigned>, PriceError> {
        let of = |index: usize| match (&choices[index], &self.items[index].shared) {
            (Some(choice), _) => Some(choice.clone()),
            (None, Some(shared)) => {
                let (mechanism, _) = choices[shared.host].as_ref()?;
                Some((mechanism.clone(), Rational::ZERO))
            }
            (None, None) => None,
        };
        let all: Option<Vec<Assigned>> = (0..choices.len()).map(of).collect();
        all.ok_or_else(|| PriceError::OutOfRange {
            what: "a share is missing".to_owned(),
        })
    }

    /// Equal pure losses, composed optimally.
    fn optimal(&self, converted: &Rational) -> Result<Vec<Assigned>, PriceError> {
        let spend = &self.plan.spend;
        let shares: Vec<_> = self.plan.statistics.iter().map(|s| &s.allowance).collect();
        let equal = shares.windows(2).all(|pair| pair[0] == pair[1])
            && matches!(shares[0], Allowance::Weight(_));
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
            Ok(all.is_at_most(&spend.main))
        };
        // The sum is always sound, and no single loss exceeds the whole.
        let sum = &spend.main / &Rational::from(count);
        let range = Decimal::at_most(&sum)..=Decimal::at_most(&spend.main);
        let found = solve::find_largest(range, |each| enough(&each.get()))?;
        let low = found.map_or(sum.clone(), |found| found.get().max(sum));
        let choices = self
            .items
            .iter()
            .map(|item| match item.shared {
                Some(_) => Ok(None),
                None => Ok(Some((
                    item.mechanism(Way::Pure, &low, self.errors)?,
                    low.clone(),
                ))),
            })
            .collect::<Result<_, PriceError>>()?;
        self.joined(choices)
    }

    fn finish(
        &self,
        loss_unit: LossUnit,
        loss: Loss,
        choices: Vec<Assigned>,
        threshold: Rational,
    ) -> Result<Assignment, PriceError> {
        let items = self.items.iter().zip(&choices);
        let errors: Vec<Up> = items
            .map(|(item, (mechanism, _))| item.measure(mechanism, self.errors))
            .collect::<Result<_, _>>()?;
        Ok(Assignment {
            loss_unit,
            loss,
            choices,
            threshold,
            score: errors.iter().map(|error| error.get().ln()).sum(),
            errors,
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
}
