//! The budget of a ledger: its first row, and how it may change.

use std::path::Path;
use std::time::SystemTime;

use lastbit_exact::Rational;
use lastbit_noise::entropy::{Entropy, System};

use super::entry::{self, Raw};
use super::transact::{Decision, account};
use super::{
    Account, Event, Ledger, LedgerError, Limit, MOST_DIGITS, Terms, account as accounts, clock,
};
use crate::loss::Loss;

impl Ledger {
    /// Replaces the budget from here on, recorded with a note. It cannot be lowered below what was
    /// spent, nor trade ε for δ once something was released. Losses continue to add up as before.
    pub fn set_budget(&mut self, budget: &Loss, note: &str) -> Result<(), LedgerError> {
        self.set_terms(budget, |terms| terms.cloned(), note)
    }

    /// [`Ledger::set_budget`] with new terms, made from those in force. What was spent plainly
    /// stays spent plainly, and the rest composes from here on. Terms are fixed once something was
    /// released under them: a new limit must contain every earlier one, or be contained in it.
    pub fn set_terms(
        &mut self,
        budget: &Loss,
        terms: impl FnOnce(Option<&Terms>) -> Option<Terms>,
        note: &str,
    ) -> Result<(), LedgerError> {
        check_loss(budget)?;
        self.append(|path, state| {
            let account = account(state);
            if budget.measure != account.budget.measure {
                return Err(LedgerError::MeasureDiffers {
                    path: path.to_owned(),
                    ledger: account.budget.measure,
                    asked: budget.measure,
                });
            }
            if !account.spent.fits(budget) {
                return Err(LedgerError::BudgetBelowSpent {
                    path: path.to_owned(),
                    asked: Box::new(budget.clone()),
                    spent: Box::new(account.spent.clone()),
                });
            }
            account
                .check_trade(budget)
                .map_err(|why| LedgerError::TermsRefused {
                    path: path.to_owned(),
                    why,
                })?;
            let terms = terms(account.composed.as_ref().map(|composed| &composed.terms));
            let limit = terms.map(|terms| Limit::new(&terms, &budget.minus(&account.spent)));
            if let Some(limit) = &limit {
                check_limit(path, account, budget, limit)?;
            }
            let event = Event::Budget {
                budget: budget.clone(),
                note: note.to_owned(),
            };
            Ok(Decision::Append(Box::new(event), limit))
        })
        .map(|_| ())
    }
}

/// Checks that a loss can be kept: it is valid, and reads back from its text.
pub(super) fn check_loss(loss: &Loss) -> Result<(), LedgerError> {
    loss.validate()?;
    for number in [&loss.main, &loss.delta] {
        let digits = number.to_string().len();
        if digits > MOST_DIGITS {
            return Err(LedgerError::TooManyDigits(digits));
        }
    }
    Ok(())
}

/// Checks that the limit of a new budget can be kept: it allows something, what was spent is within
/// it, and fixed terms stay.
pub(super) fn check_limit(
    path: &Path,
    account: &Account,
    budget: &Loss,
    limit: &Limit,
) -> Result<(), LedgerError> {
    let refused = |why: String| LedgerError::TermsRefused {
        path: path.to_owned(),
        why,
    };
    check_terms(&limit.terms)?;
    let left = budget.minus(&account.spent);
    if limit.most.is_zero() && left.main.is_positive() && left.delta.is_positive() {
        return Err(refused(nothing_left(&limit.terms, &left)));
    }
    let Some(composed) = account.composed.as_ref().filter(|own| own.is_touched()) else {
        return Ok(());
    };
    let next = limit.terms.limited(&limit.most);
    accounts::fixed(composed, &limit.terms, &next).map_err(refused)?;
    if !composed.spent.fits(&next) {
        return Err(refused(format!(
            "the budget cannot be lowered to {budget}: {} is already spent, and it allows {next}",
            composed.spent
        )));
    }
    Ok(())
}

pub(super) fn nothing_left(terms: &Terms, left: &Loss) -> String {
    format!("{terms} leave nothing of {left} for noise; set aside less for thresholds")
}

/// Checks that terms can be kept.
pub(super) fn check_terms(terms: &Terms) -> Result<(), LedgerError> {
    check_loss(&Loss::new(
        terms.measure(),
        Rational::ZERO,
        terms.thresholds.clone(),
    )?)
}

/// Row 1: the budget, chained to a random number that no other ledger has.
pub(super) fn first_entry(
    path: &Path,
    budget: &Loss,
    terms: Option<&Terms>,
    note: &str,
) -> Result<Raw, LedgerError> {
    check_loss(budget)?;
    let limit = terms.map(|terms| Limit::new(terms, budget));
    if let Some(limit) = &limit {
        check_terms(&limit.terms)?;
        if limit.most.is_zero() {
            return Err(LedgerError::TermsRefused {
                path: path.to_owned(),
                why: nothing_left(&limit.terms, budget),
            });
        }
    }
    let mut words = [0; 4];
    System::default().fill(&mut words)?;
    let identity: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
    let event = Event::Budget {
        budget: budget.clone(),
        note: note.into(),
    };
    let time = clock::utc(SystemTime::now());
    Ok(Raw::new(
        1,
        time,
        &event,
        limit.as_ref(),
        entry::hex(&identity),
    ))
}
