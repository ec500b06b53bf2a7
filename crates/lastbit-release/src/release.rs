//! A release: query, reserve, noise, settle, and only then show.
//!
//! The order keeps the promise, and wastes no budget. The data are fingerprinted and read, and the
//! engine seals its answer; whatever can fail on the data has failed by then. The ledger durably
//! spends the loss and returns a [`Reserved`](crate::ledger::Reserved). Only that opens the answer
//! and lets noise be drawn. The report is stored in the ledger, and handed out once it is on the
//! disk.

mod error;
mod identity;
mod kept;
mod known;
mod outcome;
mod priced;
mod rehearse;
mod report;
mod size;
#[cfg(test)]
mod tests;

use std::path::Path;

use lastbit_noise::entropy::{Entropy, System};

use crate::account::{Charging, price_in};
use crate::engine::{Engine, Progress};
use crate::ledger::{Asked, Ledger, LedgerError, Outcome, Request, Stored};
use crate::loss::Loss;
use crate::plan::Plan;
use crate::present::to_stored;
use kept::Kept;
use known::known;
use priced::Priced;

pub use crate::ledger::At;
pub use error::ReleaseError;
pub use identity::Identity;
pub use known::{released_before, remember};
pub use outcome::{Changed, Released};
pub use rehearse::rehearse;
pub use size::{MOST_REPORT_BYTES, report_bytes};

/// Releases a plan through a ledger. A ledger that does not exist is made, with the plan's budget.
///
/// Numbers that this returns are in the ledger. A failure that the data cause comes before anything
/// is spent; an error after the reservation says what was spent.
pub fn release(
    plan: &Plan,
    ledger: &Path,
    engine: &dyn Engine,
    progress: Progress,
) -> Result<Released, ReleaseError> {
    release_asking(plan, At::File(ledger), engine, progress, &mut |_| true)
}

/// [`release`] through the one ledger of a directory, see
/// [`in_directory`](crate::ledger::in_directory).
pub fn release_in(
    plan: &Plan,
    directory: &Path,
    engine: &dyn Engine,
    progress: Progress,
) -> Result<Released, ReleaseError> {
    release_asking(
        plan,
        At::Directory(directory),
        engine,
        progress,
        &mut |_| true,
    )
}

/// [`release`] or [`release_in`] that asks before it spends again: if the same was released before,
/// and the data have changed since. The answer `false` ends it, and nothing is spent.
pub fn release_asking(
    plan: &Plan,
    at: At<'_>,
    engine: &dyn Engine,
    progress: Progress,
    go_on: &mut dyn FnMut(&Changed) -> bool,
) -> Result<Released, ReleaseError> {
    let confirm = Confirm { seen: None, go_on };
    let entropy = &mut System::default();
    run(plan, Kept::At(at), engine, progress, entropy, confirm)
}

/// [`release_asking`] for somebody who saw the price before. If another release came first, and
/// this one has another price or other noise since, it ends with [`ReleaseError::Repriced`], and
/// nothing is spent. What was released before is returned, whatever was seen.
pub fn release_as_seen(
    plan: &Plan,
    at: At<'_>,
    engine: &dyn Engine,
    progress: Progress,
    seen: (&Identity, &Loss),
    go_on: &mut dyn FnMut(&Changed) -> bool,
) -> Result<Released, ReleaseError> {
    let confirm = Confirm {
        seen: Some(seen),
        go_on,
    };
    let entropy = &mut System::default();
    run(plan, Kept::At(at), engine, progress, entropy, confirm)
}

/// [`release`] with noise from a source of entropy that the caller chooses: for tests only.
#[cfg(any(test, feature = "test-entropy"))]
pub fn release_with(
    plan: &Plan,
    ledger: &Path,
    engine: &dyn Engine,
    entropy: &mut dyn Entropy,
) -> Result<Released, ReleaseError> {
    let kept = Kept::At(At::File(ledger));
    let go_on = &mut |_: &Changed| true;
    let confirm = Confirm { seen: None, go_on };
    let quiet = std::sync::Arc::new(|_, _| {});
    run(plan, kept, engine, quiet, entropy, confirm)
}

/// What must be so for a release to spend.
struct Confirm<'a> {
    /// What was seen to be released, and to be spent.
    seen: Option<(&'a Identity, &'a Loss)>,
    /// Whether it may spend again on data that changed.
    go_on: &'a mut dyn FnMut(&Changed) -> bool,
}

fn run(
    plan: &Plan,
    kept: Kept<'_>,
    engine: &dyn Engine,
    progress: Progress,
    entropy: &mut dyn Entropy,
    confirm: Confirm<'_>,
) -> Result<Released, ReleaseError> {
    lastbit_exact::environment::check()?;
    // Errors of a ledger wait until it is opened: those of the plan and the data come first.
    let account = kept.account().unwrap_or(None);
    let mut charging = Charging::new(plan, account.as_ref());
    let mut priced = Priced::new(plan, &charging)?;
    engine.check(&priced.query).map_err(ReleaseError::Engine)?;
    let data = engine
        .fingerprint(&priced.query)
        .map_err(ReleaseError::Engine)?;
    let (terms, protects) = (plan.terms(), plan.protects());
    let asked = Asked {
        budget: &plan.budget,
        terms: terms.as_ref(),
        protects: &protects,
    };
    let mut ledger = kept.look(asked)?;
    // Another release may have spent since.
    let now = Charging::new(plan, Some(ledger.account()));
    if now != charging {
        charging = now;
        priced = Priced::new(plan, &charging)?;
    }
    let Priced {
        prices,
        identity,
        query,
        slots,
    } = priced;
    if let Some(stored) = ledger.recall(&[identity.hex()], &data)? {
        return Released::recalled(plan, stored, data);
    }
    let known = known(plan, &charging, &identity, &ledger);
    let rows = ledger.head().0;
    if let Some(stored) = ledger.recall(&known, &data)? {
        return Released::recalled(plan, stored, data);
    }
    // Who asks for what another process releases at this moment waits for it.
    let turn = kept.turn(&ledger);
    if let Some(stored) = settled_meanwhile(plan, &mut ledger, (&known, rows), &data)? {
        return Released::recalled(plan, stored, data);
    }
    check(plan, &ledger)?;
    let request = Request {
        plan: identity.hex(),
        data,
        loss: prices.loss.clone(),
        description: plan.description(),
    };
    let refused = |error| refused(plan, error);
    if let Some(stored) = ledger.foresee(&request).map_err(refused)? {
        return Released::recalled(plan, stored, request.data);
    }
    drop(turn);
    if confirm
        .seen
        .is_some_and(|seen| seen != (&identity, &request.loss))
    {
        return Err(ReleaseError::Repriced);
    }
    let changed = ledger.changed_since(&known, &request.description, &request.data)?;
    if let Some((row, time)) = changed {
        let account = ledger.account();
        let left = account.remaining_in(request.loss.measure);
        let changed = Changed {
            row,
            time,
            loss: request.loss.clone(),
            left: left.unwrap_or_else(|| account.remaining()),
        };
        if !(confirm.go_on)(&changed) {
            return Err(ReleaseError::Declined);
        }
    }
    let answer = engine
        .scan(&query, progress)
        .map_err(ReleaseError::Engine)?;
    answer.refuse(|answer| {
        report::check(plan, &prices, &slots, answer)?;
        size::check_found(plan, &prices, &slots, answer)
    })?;
    let read = engine.fingerprint(&query).map_err(ReleaseError::Engine)?;
    if read != request.data {
        return Err(ReleaseError::Changed);
    }
    if !ledger.is_kept() {
        ledger = kept.open(asked)?;
        check(plan, &ledger)?;
    }
    let _turn = kept.turn(&ledger);
    if let Some(stored) = settled_meanwhile(plan, &mut ledger, (&known, rows), &request.data)? {
        return Released::recalled(plan, stored, request.data);
    }
    let reserved = match ledger.reserve(&request).map_err(refused)? {
        Outcome::Reserved(reserved) => reserved,
        Outcome::Stored(stored) => return Released::recalled(plan, stored, request.data),
    };
    let (loss, row) = (reserved.loss().clone(), reserved.row());
    let spent = |error: ReleaseError| ReleaseError::Spent {
        loss: loss.clone(),
        row,
        cause: Box::new(error),
    };
    let mut report =
        report::report(plan, &prices, &slots, &answer, &reserved, entropy).map_err(spent)?;
    report.notes.extend(engine.note());
    let text = to_stored(&report);
    ledger
        .settle(reserved, &text)
        .map_err(|error| spent(error.into()))?;
    Ok(Released::New(Box::new(report)))
}

/// A refusal that knows whether a larger budget would help.
fn refused(plan: &Plan, mut error: LedgerError) -> LedgerError {
    if let LedgerError::Refused(refusal) = &mut error {
        refusal.is_all = !plan.states_spending();
    }
    error
}

/// Whether the ledger is one for this plan.
fn check(plan: &Plan, ledger: &Ledger) -> Result<(), LedgerError> {
    ledger.check_budget(&plan.budget)?;
    let own = ledger.account().composed.as_ref().map(|own| &own.terms);
    match plan.stated_terms(own) {
        Some(terms) => ledger.check_terms(&terms),
        None => Ok(()),
    }
}

/// The same release, if another process settled it since the ledger had so many rows, and the
/// release was known under these hashes.
fn settled_meanwhile(
    plan: &Plan,
    ledger: &mut Ledger,
    (before, rows): (&[String], i64),
    data: &str,
) -> Result<Option<Stored>, ReleaseError> {
    let stored = ledger.recall(before, data)?;
    if stored.is_some() || ledger.head().0 == rows {
        return Ok(stored);
    }
    // It may have been priced by what was left between.
    let charging = Charging::new(plan, Some(ledger.account()));
    let identity = Identity::new(plan, &price_in(plan, &charging)?);
    Ok(ledger.recall(&known(plan, &charging, &identity, ledger), data)?)
}
