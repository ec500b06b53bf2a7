//! What entries add up to.

use lastbit::accounting::{gaussian_epsilon, zcdp_epsilon};
use lastbit::solve;
use lastbit_exact::decimal::{self, DIGITS};
use lastbit_exact::{Down, Rational, Up};

use super::entry::Event;
use super::terms::{Currency, Limit, Terms};
use crate::loss::{Loss, LossMeasure};

/// A budget and what was spent of it.
///
/// Losses in the measure of the budget add up plainly. A ledger that [composes](Composed) adds up
/// the ρ or μ² of releases, from the first such release on; after it, nothing is taken plainly.
///
/// **Proof** that all releases together stay within the budget (the largest, if it was changed
/// after a release), even if each is chosen, with its loss, after seeing all results before it. By
/// induction from the end: what follows an entry is private to the (ε, δ) that is left of the
/// budget there.
/// - *No composed release yet, and a plain one of (e, d) comes.* What follows it is private to (ε −
///   e, δ − d), whatever its result; together (ε, δ).
/// - *The first composed release comes.* The limits are those of an
///   [`AdaptiveFilter`](lastbit::accounting::AdaptiveFilter) for (ε, δ), and fixed from here on:
///   everything that follows passes the filter. ∎
///
/// A plain release may take all that is left. Then nothing follows on that budget, so a bound for
/// losses that are fixed beforehand may price it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Account {
    /// The budget in force.
    pub budget: Loss,
    /// The sum of all reservations, settled or not, in the measure of the budget: never above it.
    pub spent: Loss,
    /// If losses compose: the terms, and what was spent under them.
    pub composed: Option<Composed>,
    /// Every budget that was in force since the first release.
    promised: Vec<Loss>,
}

/// What was spent in a currency that composes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Composed {
    /// The terms, fixed from the first release on.
    pub terms: Terms,
    /// What may be spent in all: of ρ or μ², and of the δ of thresholds.
    pub limit: Loss,
    /// What was spent.
    pub spent: Loss,
    /// Every limit that was in force since the first release.
    in_force: Vec<Loss>,
}

impl Composed {
    /// Whether a release was taken in the currency, so that the terms are fixed.
    pub fn is_touched(&self) -> bool {
        !self.in_force.is_empty()
    }

    /// What is left in the currency.
    pub fn remaining(&self) -> Loss {
        self.limit.minus(&self.spent)
    }
}

impl Account {
    /// The account after its first entry, a budget.
    pub fn new(budget: &Loss, limit: Option<&Limit>) -> Result<Account, String> {
        let mut account = Account {
            budget: budget.clone(),
            spent: Loss::zero(budget.measure),
            composed: None,
            promised: vec![],
        };
        account.set_limit(limit)?;
        Ok(account)
    }

    /// What is left of the budget, exactly; or in the currency that composes, once something was
    /// taken in it.
    pub fn remaining(&self) -> Loss {
        match &self.composed {
            Some(composed) if composed.is_touched() => composed.remaining(),
            _ => self.budget.minus(&self.spent),
        }
    }

    /// What is left for a release whose loss is in this measure; `None` if the ledger has no sum of
    /// such losses.
    pub fn remaining_in(&self, measure: LossMeasure) -> Option<Loss> {
        if measure == self.budget.measure {
            let plain = self.budget.minus(&self.spent);
            return match &self.composed {
                Some(composed) if composed.is_touched() => Some(Loss::zero(measure)),
                _ => Some(plain),
            };
        }
        self.composed
            .as_ref()
            .filter(|composed| composed.terms.measure() == measure)
            .map(Composed::remaining)
    }

    /// How many more releases of this loss fit; `u64::MAX` if there is no limit.
    pub fn admits(&self, loss: &Loss) -> u64 {
        let Some(left) = self.remaining_in(loss.measure) else {
            return 0;
        };
        let times = |left: &Rational, each: &Rational| match each.is_zero() {
            true => u64::MAX,
            false => u64::try_from((left / each).floor()).unwrap_or(u64::MAX),
        };
        times(&left.main, &loss.main).min(times(&left.delta, &loss.delta))
    }

    /// What releases of these losses would cost if the losses had been fixed beforehand, as an ε at
    /// the δ of the budget, rounded up; `None` if the budget has no δ, or no ε is known.
    ///
    /// This is for comparison. It is no bound for losses that were chosen, or for an end that was
    /// chosen, after seeing results: only the budget is. With δ = 0.01, an analyst who stops after
    /// the first of two releases if its loss is large exceeds it by more than a tenth of δ.
    pub fn epsilon_spent(&self) -> Option<Rational> {
        if self.budget.measure != LossMeasure::Approximate {
            return None;
        }
        let Some(composed) = &self.composed else {
            return Some(self.spent.main.clone());
        };
        let spent = &composed.spent.main;
        let epsilon = match spent.is_zero() {
            true => Rational::ZERO,
            false => self.epsilon_of(composed, spent)?,
        };
        let together = Loss {
            main: epsilon,
            ..Loss::zero(LossMeasure::Approximate)
        };
        Some(self.spent.plus(&together).ok()?.main)
    }

    /// The largest ε, at the δ of the budget, that one more release may have by itself, rounded
    /// down to four digits; `None` if the budget has no δ.
    pub fn epsilon_left(&self) -> Option<Rational> {
        if self.budget.measure != LossMeasure::Approximate {
            return None;
        }
        let Some(composed) = self.composed.as_ref().filter(|c| c.is_touched()) else {
            return Some(self.remaining().main);
        };
        let left = composed.remaining().main;
        if left.is_zero() {
            return Some(Rational::ZERO);
        }
        let noise = self.of_noise(composed);
        let most = decimal::down(&self.epsilon_of(composed, &left)?, 4);
        // The conversion is rounded up, so ε is lowered, a thousandth at a time, until it fits.
        let lowered = |steps: u64| {
            let factor = &Rational::ONE - &Rational::new(steps, 1000);
            decimal::down(&(&most * &factor), 4)
        };
        let found = solve::smallest_where(0..=1000, |steps: u64| {
            let epsilon = lowered(steps);
            if epsilon.is_zero() {
                return Ok(true);
            }
            let needs = composed.terms.currency.limit(&epsilon, &noise)?;
            Ok(needs.to_rational().is_some_and(|needs| needs <= left))
        });
        found.ok().map(lowered)
    }

    /// The δ that is left plainly and not set aside for thresholds.
    fn of_noise(&self, composed: &Composed) -> Rational {
        &(&self.budget.delta - &self.spent.delta) - &composed.terms.thresholds
    }

    fn epsilon_of(&self, composed: &Composed, amount: &Rational) -> Option<Rational> {
        let noise = self.of_noise(composed);
        let epsilon = match composed.terms.currency {
            Currency::Zcdp => zcdp_epsilon(Up::from_rational(amount), Down::from_rational(&noise)),
            Currency::Gaussian => gaussian_epsilon(amount, &noise),
        };
        let epsilon = epsilon.ok()?.to_rational()?;
        Some(decimal::up(&epsilon, DIGITS))
    }

    /// Adds an entry, or says what is wrong with it; then the account continues as if it were
    /// right.
    pub fn add(&mut self, event: &Event, limit: Option<&Limit>) -> Result<(), String> {
        match event {
            Event::Budget { budget, .. } => self.set_budget(budget, limit),
            Event::Reserve { loss, .. } => self.spend(loss, limit),
            Event::Settle { .. } if limit.is_some() => Err("a settlement has no limit".into()),
            Event::Settle { .. } => Ok(()),
        }
    }

    fn set_budget(&mut self, budget: &Loss, limit: Option<&Limit>) -> Result<(), String> {
        if budget.measure != self.budget.measure {
            return Err("the budget is in another measure than the first one".into());
        }
        self.budget = budget.clone();
        if !self.promised.is_empty() {
            self.promised.push(budget.clone());
        }
        if !self.spent.fits(budget) {
            return Err(format!(
                "the budget is {budget}, and {} was spent",
                self.spent
            ));
        }
        self.set_limit(limit)
    }

    /// Refuses a budget that trades ε for δ once something was released. If one result led to
    /// spending by the one budget, and another by the other, neither would hold: the promise would
    /// be the larger ε with the larger δ. A budget that contains all others is the promise for
    /// everything. Ledgers in which this happened before it was refused still open.
    pub(super) fn check_trade(&self, budget: &Loss) -> Result<(), String> {
        let comparable = |other: &Loss| other.fits(budget) || budget.fits(other);
        match self.promised.iter().find(|other| !comparable(other)) {
            None => Ok(()),
            Some(other) => Err(format!(
                "the budget was {other} when something was released, and {budget} trades ε for δ: \
                 raise both or lower both"
            )),
        }
    }

    fn spend(&mut self, loss: &Loss, limit: Option<&Limit>) -> Result<(), String> {
        if self.promised.is_empty() {
            self.promised.push(self.budget.clone());
        }
        if loss.measure == self.budget.measure {
            self.spent = sum(&self.spent, loss)?;
            if !self.spent.fits(&self.budget) {
                return Err(format!(
                    "with it {} is spent of the budget {}",
                    self.spent, self.budget
                ));
            }
            if self.composed.as_ref().is_some_and(Composed::is_touched) {
                return Err(
                    "it is taken plainly from the budget, after releases that compose".into(),
                );
            }
            let before = self.composed.as_ref().map(|composed| &composed.terms);
            if before != limit.map(|limit| &limit.terms) {
                return Err("its terms are not those of the budget".into());
            }
            return self.set_limit(limit);
        }
        match &mut self.composed {
            Some(composed) if composed.terms.measure() == loss.measure => {
                if !composed.is_touched() {
                    composed.in_force.push(composed.limit.clone());
                }
                composed.spent = sum(&composed.spent, loss)?;
                if !composed.spent.fits(&composed.limit) {
                    return Err(format!(
                        "with it {} is spent of {}",
                        composed.spent, composed.limit
                    ));
                }
                match limit {
                    None => Ok(()),
                    Some(_) => Err("a release that composes has no limit of its own".into()),
                }
            }
            _ => Err("the loss is in another measure than the budget".into()),
        }
    }

    /// Takes the terms and the limit of an entry, if they are sound.
    fn set_limit(&mut self, limit: Option<&Limit>) -> Result<(), String> {
        let Some(limit) = limit else {
            return match self.composed {
                None => Ok(()),
                Some(_) => Err("it has no limit, and losses compose".into()),
            };
        };
        if self.budget.measure != LossMeasure::Approximate {
            return Err("losses compose under a budget in ε and δ only".into());
        }
        let next = limit.terms.limited(&limit.most);
        let sound = limit.terms.limit(&self.budget.minus(&self.spent));
        let composed = self.composed.get_or_insert_with(|| Composed {
            terms: limit.terms.clone(),
            limit: next.clone(),
            spent: Loss::zero(next.measure),
            in_force: vec![],
        });
        if composed.is_touched() {
            fixed(composed, &limit.terms, &next)?;
            composed.in_force.push(next.clone());
        } else {
            composed.spent = Loss::zero(next.measure);
        }
        composed.terms = limit.terms.clone();
        composed.limit = next;
        if limit.most.is_negative() || limit.most > sound.main {
            return Err(format!(
                "its limit is {}, and {sound} is the most that is known to be private",
                composed.limit
            ));
        }
        if !composed.spent.fits(&composed.limit) {
            return Err(format!(
                "its limit is {}, and {} was spent",
                composed.limit, composed.spent
            ));
        }
        Ok(())
    }
}

fn sum(spent: &Loss, loss: &Loss) -> Result<Loss, String> {
    spent.plus(loss).map_err(|error| error.to_string())
}

/// Whether terms may change after a release. The currency may not. A new limit must contain every
/// limit that was in force, or be contained in it. Otherwise one result could lead to spending by
/// one limit, and another result by the other, and no budget covers both.
pub(super) fn fixed(composed: &Composed, terms: &Terms, next: &Loss) -> Result<(), String> {
    if composed.terms.currency != terms.currency {
        return Err("the currency is fixed once something was released".into());
    }
    let comparable = |other: &Loss| other.fits(next) || next.fits(other);
    match composed.in_force.iter().all(comparable) {
        true => Ok(()),
        false => Err(
            "it moves δ between noise and thresholds, which is fixed once something was released"
                .into(),
        ),
    }
}
