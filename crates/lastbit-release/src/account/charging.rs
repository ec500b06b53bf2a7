//! How a ledger charges a release.

use lastbit_exact::Rational;

use crate::ledger::{Account, Composed, Ledger, Terms};
use crate::loss::{Loss, LossMeasure};
use crate::plan::Plan;

/// How a ledger charges a release of a plan.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Charging {
    /// Plainly, in the measure of the budget: the release is private to its own ε and δ, by
    /// whatever bound, and these are subtracted. Under a budget in (ε, δ), only before any release
    /// was composed: see [`Account`].
    Plainly,
    /// In the currency of a ledger that composes.
    Composed {
        /// Its terms.
        terms: Terms,
        /// The most that the release may take, of ρ or μ² and of the δ of thresholds.
        limit: Loss,
    },
}

impl Charging {
    /// How the ledger with this account charges it, or a new ledger if there is none.
    pub fn new(plan: &Plan, account: Option<&Account>) -> Charging {
        let plain = plan.budget.measure != LossMeasure::Approximate;
        let (left, composed) = match account {
            _ if plain => return Charging::Plainly,
            None => (plan.budget.clone(), None),
            Some(account) => (account.remaining(), account.composed.as_ref()),
        };
        let (terms, limit) = match (account, composed) {
            (None, _) => match plan.terms() {
                None => return Charging::Plainly,
                Some(terms) => (terms.clone(), terms.limit(&left)),
            },
            (Some(_), None) => return Charging::Plainly,
            (Some(_), Some(composed)) => (composed.terms.clone(), composed.limit.clone()),
        };
        // Plainly if it spends all that is left, or more, which will be refused; or if it states ε
        // and δ, does not ask to compose, and no release was composed.
        let all = !plan.spend.fits(&left) || plan.spend == left;
        match composed.is_some_and(Composed::is_touched) {
            false if all || !plan.composes => Charging::Plainly,
            _ => Charging::Composed { terms, limit },
        }
    }

    /// Other ways in which the same plan may have been released: before another release, and from
    /// an earlier budget.
    pub(crate) fn otherwise(&self, plan: &Plan, ledger: &Ledger) -> Vec<Charging> {
        let Some(composed) = ledger.account().composed.as_ref() else {
            return vec![];
        };
        let terms = &composed.terms;
        let plainly = [Charging::Plainly].into_iter();
        let budgets = ledger.budgets().iter().chain([&plan.budget]);
        let others = budgets.map(|budget| Charging::Composed {
            terms: terms.clone(),
            limit: terms.limit(budget),
        });
        let mut ways: Vec<Charging> = Vec::new();
        for way in plainly.chain(others) {
            if way != *self && !ways.contains(&way) {
                ways.push(way);
            }
        }
        ways
    }

    /// The most δ that the thresholds of a composed release may take: its part of what is set
    /// aside.
    pub(super) fn thresholds(&self, plan: &Plan) -> Option<Rational> {
        let Charging::Composed { limit, .. } = self else {
            return None;
        };
        let part = match &plan.part {
            Some(part) => part.clone(),
            None => &plan.spend.delta / &plan.budget.delta,
        };
        Some(&limit.delta * &part)
    }
}

impl Plan {
    /// The terms on which the releases of a new ledger of this plan add up; `None` if plainly.
    pub fn terms(&self) -> Option<Terms> {
        let usual = Terms::usual(&self.budget)?;
        Some(Terms {
            currency: self.currency.unwrap_or(usual.currency),
            thresholds: self.thresholds.clone().unwrap_or(usual.thresholds),
        })
    }

    /// The terms that this plan states, filled in from those of the ledger; `None` if it states
    /// none.
    pub fn stated_terms(&self, of_ledger: Option<&Terms>) -> Option<Terms> {
        let own = of_ledger.cloned().or_else(|| self.terms())?;
        (self.currency.is_some() || self.thresholds.is_some()).then(|| Terms {
            currency: self.currency.unwrap_or(own.currency),
            thresholds: self.thresholds.clone().unwrap_or(own.thresholds),
        })
    }
}
