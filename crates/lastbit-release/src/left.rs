//! What is left in a ledger, and what a release takes of it.

use std::path::{Path, PathBuf};

use crate::account::{Charging, PriceError, Prices, price_in};
use crate::clean;
use crate::ledger::{Account, At, LedgerError, Limit};
use crate::loss::{Loss, LossMeasure, decimal};
use crate::plan::Plan;

/// What is left before a release, and what it takes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Left {
    /// The ledger, if there is one already.
    pub ledger: Option<PathBuf>,
    /// What is left before the release.
    pub left: Loss,
    /// What the release takes.
    pub loss: Loss,
    /// How many such releases fit.
    pub more: u64,
    /// Whether the plan says what this release may use, as other than everything.
    pub is_stated: bool,
    /// Whether that was said with a question, and not in the plan.
    pub is_asked: bool,
    /// The row and the time at which the same plan was released before, as far as that was asked:
    /// on the same data it costs nothing.
    pub before: Option<(i64, String)>,
    /// If the plan was not: what of it was released before, as far as that was asked.
    pub again: Option<Again>,
    /// Why the ledger refuses every release of the plan, whatever it takes, as far as that was
    /// asked: it is about something else than the plan protects.
    pub refused: Option<String>,
}

/// Statistics of a plan that another release published under the same names.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Again {
    /// The row of that release, and its time.
    pub row: i64,
    /// When.
    pub time: String,
    /// Their names, in the order of the plan.
    pub names: Vec<String>,
    /// How many statistics the plan has.
    pub all: usize,
}

impl Again {
    /// The most names that a sentence has.
    const MOST_NAMES: usize = 4;

    pub(crate) fn new(row: i64, time: String, names: Vec<String>, all: usize) -> Again {
        Again {
            row,
            time,
            names,
            all,
        }
    }

    /// That they are bought again, in words.
    pub fn words(&self) -> String {
        let (row, time, all) = (self.row, &self.time, self.all);
        let shown = self.names.iter().take(Again::MOST_NAMES);
        let mut names: Vec<_> = shown
            .map(|name| format!("`{}`", clean::visible(name)))
            .collect();
        if let more @ 1.. = self.names.len().saturating_sub(Again::MOST_NAMES) {
            names.push(format!("{more} more"));
        }
        let names = names.join(", ");
        let (some, were, them) = match (self.names.len(), all) {
            (1, 1) => ("The statistic of this plan".to_owned(), "was", "it"),
            (1, _) => (format!("1 of the {all} statistics"), "was", "it"),
            (many, _) if many == all => (format!("All {all} statistics"), "were", "them"),
            (many, _) => (format!("{many} of the {all} statistics"), "were", "them"),
        };
        let only_new = match self.names.len() == all {
            true => "",
            false => " To buy only what is new, leave only that in the plan.",
        };
        format!(
            "{some} {were} published under the same name in row {row} of the ledger, {time} \
             ({names}). The plan is another one since, so this release buys {them} again, with \
             new noise.{only_new}"
        )
    }
}

/// The account of a ledger, if it exists.
pub fn account(path: &Path) -> Result<Option<Account>, LedgerError> {
    At::File(path).account()
}

/// Why a plan has no price against a ledger. Nothing was spent.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LeftError {
    /// It has no price.
    #[error(transparent)]
    Price(#[from] PriceError),
    /// The ledger cannot be read.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

/// The price of a plan as the ledger at this path charges it, and what it leaves there; as a new
/// ledger does if there is none. Reads no data, and spends nothing.
///
/// A ledger decides the price of a release that composes: without it, the price is that of the
/// first release of a new ledger.
pub fn price_at(plan: &Plan, ledger: &Path) -> Result<(Prices, Left), LeftError> {
    let account = account(ledger)?;
    let known = account.as_ref().map(|account| (ledger, account));
    Ok(price_from(plan, known)?)
}

/// [`price_at`] a ledger whose account is known; `None` is a new ledger.
pub fn price_from(
    plan: &Plan,
    ledger: Option<(&Path, &Account)>,
) -> Result<(Prices, Left), PriceError> {
    let charging = Charging::new(plan, ledger.map(|(_, account)| account));
    let prices = price_in(plan, &charging)?;
    let left = Left::of(plan, &prices.loss, ledger);
    Ok((prices, left))
}

/// How much of what is left a release takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// At most half.
    Half,
    /// More than half.
    Most,
    /// Everything.
    Everything,
    /// More than there is.
    TooMuch,
}

impl Left {
    /// What is left for this loss in the account of a ledger, or in the plan's budget if there is
    /// no ledger yet.
    pub fn of(plan: &Plan, loss: &Loss, ledger: Option<(&Path, &Account)>) -> Left {
        let fresh = || {
            let limit = plan.terms().map(|terms| Limit::new(&terms, &plan.budget));
            Account::new(&plan.budget, limit.as_ref()).ok()
        };
        let account = ledger.map(|(_, account)| account.clone()).or_else(fresh);
        let left = account
            .as_ref()
            .and_then(|account| account.remaining_in(loss.measure));
        // A ledger in another measure refuses the release.
        let own = || account.as_ref().map(Account::remaining);
        Left {
            ledger: ledger.map(|(path, _)| path.to_owned()),
            left: left.or_else(own).unwrap_or_else(|| plan.budget.clone()),
            more: account.as_ref().map_or(0, |account| account.admits(loss)),
            loss: loss.clone(),
            is_stated: plan.states_spending(),
            is_asked: false,
            before: None,
            again: None,
            refused: None,
        }
    }

    /// How much it takes.
    pub fn part(&self) -> Part {
        let (loss, left) = (&self.loss, &self.left);
        if !loss.fits(left) {
            return Part::TooMuch;
        }
        let fits_twice = loss.plus(loss).is_ok_and(|twice| twice.fits(left));
        match () {
            () if loss.main == left.main => Part::Everything,
            () if !fits_twice => Part::Most,
            () => Part::Half,
        }
    }

    /// What the release takes, in a sentence; `None` if that is little. If the plan was released
    /// before, the sentence says so.
    pub fn warning(&self) -> Option<String> {
        if let Some(why) = &self.refused {
            return Some(format!("This will be refused: {why}."));
        }
        let takes = self.takes();
        let Some((row, time)) = &self.before else {
            let again = self.again.as_ref().map(Again::words);
            let takes = takes.map(|takes| format!("This {takes}"));
            let sentences: Vec<_> = [again, takes].into_iter().flatten().collect();
            return (!sentences.is_empty()).then(|| sentences.join(" "));
        };
        let free = format!(
            "Released before, in row {row} of the ledger, {time}: on the same data, the same \
             numbers come from there, at no cost."
        );
        Some(match takes {
            None => free,
            Some(takes) => format!("{free} On data that changed since, it {takes}"),
        })
    }

    /// What the release does to what is left, as a sentence goes on; `None` if that is little.
    fn takes(&self) -> Option<String> {
        let (loss, left) = (&self.loss, &self.left);
        match self.part() {
            Part::Half => None,
            Part::Most => Some(format!(
                "spends more than half of what is left: {loss} of {left}."
            )),
            Part::Everything => {
                let keep = self.less();
                Some(format!(
                    "spends everything that is left, {left}: nothing can be released about \
                     these data afterwards. To keep some, {keep}."
                ))
            }
            Part::TooMuch if loss.measure != left.measure => Some(format!(
                "will be refused: it would spend {loss}, and the ledger counts otherwise; \
                 {left} is left in it."
            )),
            Part::TooMuch if loss.main <= left.main => Some(format!(
                "will be refused: it would spend δ = {}, and δ = {} is left for it.",
                decimal(&loss.delta),
                decimal(&left.delta)
            )),
            Part::TooMuch => Some(format!(
                "will be refused: it would spend {loss}, and {left} is left. To take less, {}.",
                self.less()
            )),
        }
    }

    /// How to take less.
    fn less(&self) -> &'static str {
        match (self.is_asked, self.is_stated, self.loss.measure) {
            (true, _, LossMeasure::Zcdp) => "say less with --rho",
            (true, ..) => "say less with --epsilon",
            (false, true, _) => "lower what [spend] says",
            (false, false, _) => "say in [spend] what this release may use",
        }
    }

    /// What the release took and what it left, in a sentence, once it is done; `None` if it took
    /// little. The ledger and what is left in it now are given: others may spend too.
    pub fn spent(&self, ledger: &Path, now: &Loss) -> Option<String> {
        let part = match self.part() {
            Part::Half => return None,
            Part::Most => ", more than half of what was left",
            Part::Everything => ", everything that was left",
            // It was done all the same, so the budget was raised meanwhile.
            Part::TooMuch => "",
        };
        let (place, loss) = (clean::path(ledger), &self.loss);
        // It is too late to keep some of these data; other data have another ledger.
        Some(match now.main.is_zero() {
            true => format!(
                "This release spent {loss}{part}. Nothing is left in {place}: nothing more can \
                 be released about these data."
            ),
            false => format!("This release spent {loss}{part}. {now} is left in {place}."),
        })
    }

    /// What is left before and after.
    pub fn meaning(&self) -> String {
        let name = match &self.ledger {
            None => "no ledger yet; the first release makes it".to_owned(),
            Some(path) => format!("in {}", clean::path(path)),
        };
        match self.part() {
            Part::TooMuch => name,
            _ if self.refused.is_some() => name,
            _ => {
                let after = self.left.minus(&self.loss);
                let more = match self.more {
                    0 | 1 | u64::MAX => String::new(),
                    2 => ", enough for one more like it".to_owned(),
                    times => format!(", enough for {} more like it", times - 1),
                };
                format!("{name}; after this release {after}{more}")
            }
        }
    }
}

#[cfg(test)]
mod tests;
