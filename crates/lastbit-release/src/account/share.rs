//! Accountants: how a budget is shared out, and what the whole costs.

use lastbit::Error;
use lastbit::accounting::{gaussian_epsilon, gaussian_mu_squared};
use lastbit::conversions::{
    optimal_composition, zcdp_for_approximate, zcdp_to_approximate_epsilon,
};
use lastbit::solve::{self, Decimal};
use lastbit::tables::{Noise, Tails};
use lastbit_exact::decimal::{self, DIGITS};
use lastbit_exact::{Down, Rational, Up};

use super::item::{Item, Way};
use super::sharing::shared;
use super::tie::tie;
use super::{Adds, Infeasible, Offer, Price, PriceError, Prices};
use crate::ledger::{self as composing, Terms};
use crate::loss::{Loss, Measure};
use crate::plan::{Accountant, Plan, Scope, Share, Statistic};
use crate::statistic::{Chain, Currency, Errors, Mechanism, Method, table};

/// The price of a plan, under the accountant that it names or else the one under which errors are smallest, as a new ledger takes it. Reads no data.
pub fn price(plan: &Plan) -> Result<Prices, PriceError> {
    price_in(plan, &Adds::new(plan, None))
}

/// The price of a plan as a ledger takes it.
pub fn price_in(plan: &Plan, adds: &Adds) -> Result<Prices, PriceError> {
    price_as(plan, adds, Offered::All)
}

/// Which ways to price a plan there were: earlier versions stored releases under theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offered {
    /// All.
    All,
    /// Those before the laws of losses were added up.
    Sums,
    /// And before statistics shared noise.
    Apart,
}

pub(crate) fn price_as(plan: &Plan, adds: &Adds, offered: Offered) -> Result<Prices, PriceError> {
    let tails = Tails::default();
    let alpha = plan.confidence.alpha();
    let pricer = Pricer::new(
        plan,
        adds,
        Errors {
            tails: &tails,
            alpha: &alpha,
        },
        offered != Offered::Apart,
    )?;
    let sums = [Accountant::Pure, Accountant::Zcdp, Accountant::Optimal];
    let accountants = match (plan.accountant, adds) {
        (Some(accountant), _) => vec![accountant],
        (None, Adds::Composed { terms, .. }) => vec![match terms.currency {
            composing::Currency::Zcdp => Accountant::Zcdp,
            composing::Currency::Gaussian => Accountant::Gaussian,
        }],
        (None, Adds::Plainly) => match plan.spend.measure {
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
    // Where every statistic has its loss or error, what is left to choose is the price.
    let is_fixed = |statistic: &Statistic| !matches!(statistic.share, Share::Weight(_));
    let by_loss = offered == Offered::All && plan.statistics.iter().all(is_fixed);
    // The first of those that are about as good: a δ is not spent for the fourth digit of an error.
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
    if plan.accountant.is_none() && matches!(adds, Adds::Composed { .. }) {
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

/// A bound that is a number, of 12 digits.
pub(super) fn finite(bound: Up) -> Result<Rational, PriceError> {
    let exact = Rational::try_from(bound.get()).map_err(|_| PriceError::OutOfRange {
        what: "the loss is out of range".to_owned(),
    })?;
    Ok(decimal::up(&exact, DIGITS))
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
pub(super) type Choice = (Mechanism, Rational);

/// Mechanisms and losses under one accountant.
pub(super) struct Assignment {
    currency: Currency,
    loss: Loss,
    /// For each statistic.
    choices: Vec<Choice>,
    /// δ of each threshold.
    threshold: Rational,
    /// Σ ln error.
    score: f64,
}

pub(super) struct Pricer<'a> {
    pub plan: &'a Plan,
    pub adds: &'a Adds,
    pub errors: Errors<'a>,
    pub items: Vec<Item>,
    /// How many counts of discovered keys there are.
    thresholds: u64,
}

/// How δ is split.
pub(super) struct Split {
    /// For the conversion of what noise costs.
    pub converted: Rational,
    /// For all thresholds.
    pub of_thresholds: Rational,
}

/// Statistics with what each takes of a total.
pub(super) struct Dealt {
    pub choices: Vec<Choice>,
    /// What all take together.
    pub spent: Rational,
    /// How many share what fixed losses and error targets leave.
    pub sharing: usize,
}

/// What fixed losses and error targets take.
pub(super) struct Targets {
    choices: Vec<Option<Choice>>,
    /// Each in words.
    pub words: Vec<(String, String)>,
    /// All together.
    pub fixed: Rational,
    weights: Rational,
    pub sharing: usize,
}

impl<'a> Pricer<'a> {
    fn new(
        plan: &'a Plan,
        adds: &'a Adds,
        errors: Errors<'a>,
        together: bool,
    ) -> Result<Pricer<'a>, PriceError> {
        let mut items: Vec<Item> = plan
            .statistics
            .iter()
            .enumerate()
            .map(|(index, statistic)| {
                let chain = Chain {
                    kind: statistic.kind.clone(),
                    // What one unit reaches after the scan.
                    reach: table(plan, &reach(statistic))?.map(&1)?,
                    groups: plan.public_groups(statistic),
                    margin: plan.margin(index),
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
            adds,
            errors,
            items,
            thresholds,
        })
    }

    /// How δ is split under an accountant.
    pub fn split(&self, accountant: Accountant) -> Split {
        let delta = &self.plan.spend.delta;
        let of_thresholds = match (self.thresholds, self.adds.thresholds(self.plan)) {
            (0, _) => Rational::ZERO,
            (_, Some(part)) => part,
            // Thresholds take half of δ where a conversion takes the other, and all of it where nothing else does.
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

    fn assign(&self, accountant: Accountant) -> Result<Assignment, PriceError> {
        let split = self.split(accountant);
        let way = match accountant {
            Accountant::Pure | Accountant::Optimal => Way::Pure,
            Accountant::Zcdp | Accountant::Pld => Way::Zcdp,
            Accountant::Gaussian => Way::Gaussian,
        };
        let (loss, choices) = match accountant {
            Accountant::Optimal => (self.plan.spend.clone(), self.optimal(&split.converted)?),
            Accountant::Pld => self.by_laws(&split)?,
            _ => self.by_sums(accountant, way, &split)?,
        };
        let loss = match self.adds {
            Adds::Plainly => loss,
            Adds::Composed { terms, .. } => self.composed(terms, way, &choices, &split)?,
        };
        let threshold = match self.thresholds {
            0 => Rational::ZERO,
            thresholds => &split.of_thresholds / &Rational::from(thresholds),
        };
        self.finish(way.currency(), loss, choices, threshold)
    }

    /// What the choices are in the currency of a ledger.
    fn composed(
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

    /// Losses that add up, and what the sum is worth.
    fn by_sums(
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
        // What a budget of this ε or ρ is in the currency.
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

    /// What fixed losses and error targets take.
    pub fn targets(&self, way: Way) -> Result<Targets, PriceError> {
        let spend = &self.plan.spend;
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
                    let mechanism = item.mechanism(Way::Zcdp, loss, self.errors)?;
                    ((mechanism, loss.clone()), "as its loss".to_owned())
                }
                Share::Loss(loss) => (
                    item.fixed_epsilon(loss, way, self.errors)?,
                    format!("for its loss of ε = {loss}"),
                ),
                Share::Error { target, confidence } => {
                    let alpha = confidence.alpha();
                    let errors = Errors {
                        alpha: &alpha,
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
                format!("takes {} = {} {words}", way.currency().symbol(), choice.1),
            ));
            fixed = &fixed + &choice.1;
            choices[index] = Some(choice);
        }
        Ok(Targets {
            sharing: choices.iter().filter(|choice| choice.is_none()).count(),
            choices,
            words: targets,
            fixed,
            weights,
        })
    }

    /// Shares out what targets leave, by weight.
    pub fn deal(&self, way: Way, targets: &Targets, rest: &Rational) -> Result<Dealt, PriceError> {
        let mut spent = targets.fixed.clone();
        let mut done = Vec::with_capacity(targets.choices.len());
        for (index, choice) in targets.choices.iter().enumerate() {
            done.push(match (choice, &self.plan.statistics[index].share) {
                // Its weight is that of its host.
                (None, Share::Weight(_)) if self.items[index].shared.is_some() => None,
                (None, Share::Weight(_)) => {
                    let loss = rest * &(&self.weight(index) / &targets.weights);
                    spent = &spent + &loss;
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
            spent,
            sharing: targets.sharing,
        })
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
    fn optimal(&self, converted: &Rational) -> Result<Vec<Choice>, PriceError> {
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
                    item.mechanism(Way::Pure, &low, self.errors)?,
                    low.clone(),
                ))),
            })
            .collect::<Result<_, PriceError>>()?;
        self.joined(choices)
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
        let mut prices: Vec<Price> = (0..self.items.len())
            .map(|index| self.price(index, assignment))
            .collect::<Result<_, _>>()?;
        tie(self.plan, &mut prices, self.errors)?;
        for (item, price) in self.items.iter().zip(&mut prices) {
            if price.tied.is_some() && item.chain.kind.public_rows().is_none() {
                // The error of a number that adds up does not depend on its rows.
                price.rows_for_tenth = item.rows_for_tenth(|_| Ok(price.error))?;
            }
        }
        Ok(prices)
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
                None => {
                    item.rows_for_tenth(|rows| item.error(&mechanism, Some(rows), self.errors))?
                }
            },
            sensitivity: match &item.shared {
                Some(shared) => self.items[shared.host].norms.clone(),
                None => item.norms.clone(),
            },
            shared: item.shared.clone(),
            tied: None,
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
