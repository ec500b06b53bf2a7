//! A release: query, reserve, noise, settle, and only then show.
//!
//! The order keeps the promise, and wastes no budget. The data are fingerprinted and read, and the
//! engine seals its answer; whatever can fail on the data has failed by then. The ledger durably
//! spends the loss and returns a [`Reserved`](crate::ledger::Reserved). Only that opens the answer
//! and lets noise be drawn. The report is stored in the ledger, and handed out once it is on the
//! disk.

mod error;
mod identity;
mod rehearse;
mod report;
mod size;
#[cfg(test)]
mod tests;

use std::path::Path;

use lastbit_noise::entropy::{Entropy, System};

use crate::account::{Adds, Offered, price_as, price_in};
use crate::engine::{Engine, Progress};
use crate::ledger::{Account, Ledger, LedgerError, Outcome, Request, Stored, Terms, in_directory};
use crate::loss::Loss;
use crate::plan::{Neighbours, Plan, Source, Unit};
use crate::present::{Report, from_json, to_stored};
use crate::statistic::query;

pub use error::ReleaseError;
pub use identity::Identity;
pub use rehearse::rehearse;
pub use size::{MOST_REPORT_BYTES, report_bytes};

/// The result of a release.
#[derive(Clone, Debug, PartialEq)]
pub enum Released {
    /// New numbers.
    New(Box<Report>),
    /// The numbers of an earlier release of the same plan on the same data, at no cost.
    Stored {
        /// Its report.
        report: Box<Report>,
        /// The row of the ledger in which it was stored.
        row: i64,
        /// When, in UTC.
        time: String,
    },
}

impl Released {
    /// The report, new or stored.
    pub fn report(&self) -> &Report {
        match self {
            Released::New(report) | Released::Stored { report, .. } => report,
        }
    }
}

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
    let open = Opener {
        look: &|| look(ledger),
        open: &|budget, terms, protects| Ledger::open_on(ledger, budget, terms, protects),
    };
    run(plan, &open, engine, progress, &mut System::default())
}

/// [`release`] through the one ledger of a directory, see [`Ledger::open_in`].
pub fn release_in(
    plan: &Plan,
    directory: &Path,
    engine: &dyn Engine,
    progress: Progress,
) -> Result<Released, ReleaseError> {
    let open = Opener {
        look: &|| look(&in_directory(directory)?),
        open: &|budget, terms, protects| Ledger::open_in_on(directory, budget, terms, protects),
    };
    run(plan, &open, engine, progress, &mut System::default())
}

/// Where the ledger of a release is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At<'a> {
    /// In this file.
    File(&'a Path),
    /// In this directory, which has one ledger.
    Directory(&'a Path),
}

/// What is about to be spent again, on data that have changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Changed {
    /// The row of the ledger that last released the same, or a plan of the same title and
    /// statistics.
    pub row: i64,
    /// When, in UTC.
    pub time: String,
    /// What this release will spend.
    pub loss: Loss,
    /// What is left before it.
    pub left: Loss,
}

impl core::fmt::Display for Changed {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Changed {
            row,
            time,
            loss,
            left,
        } = self;
        write!(
            f,
            "The data changed since the same was released, in row {row} of the ledger, {time}. New \
             numbers spend again: {loss} of {left}. If the same people are in both, both releases \
             are about them."
        )
    }
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
    run_at(plan, at, engine, progress, confirm)
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
    run_at(plan, at, engine, progress, confirm)
}

/// What must be so for a release to spend.
struct Confirm<'a> {
    /// What was seen to be released, and to be spent.
    seen: Option<(&'a Identity, &'a Loss)>,
    /// Whether it may spend again on data that changed.
    go_on: &'a mut dyn FnMut(&Changed) -> bool,
}

fn run_at(
    plan: &Plan,
    at: At<'_>,
    engine: &dyn Engine,
    progress: Progress,
    confirm: Confirm<'_>,
) -> Result<Released, ReleaseError> {
    let opener = Opener {
        look: &|| match at {
            At::File(path) => look(path),
            At::Directory(path) => look(&in_directory(path)?),
        },
        open: &|budget, terms, protects| match at {
            At::File(path) => Ledger::open_on(path, budget, terms, protects),
            At::Directory(path) => Ledger::open_in_on(path, budget, terms, protects),
        },
    };
    let entropy = &mut System::default();
    run_confirmed(plan, &opener, engine, progress, entropy, confirm)
}

/// [`release`] with noise from a source of entropy that the caller chooses: for tests only.
#[cfg(any(test, feature = "test-entropy"))]
pub fn release_with(
    plan: &Plan,
    ledger: &Path,
    engine: &dyn Engine,
    entropy: &mut dyn Entropy,
) -> Result<Released, ReleaseError> {
    let open = Opener {
        look: &|| look(ledger),
        open: &|budget, terms, protects| Ledger::open_on(ledger, budget, terms, protects),
    };
    run(plan, &open, engine, std::sync::Arc::new(|_, _| {}), entropy)
}

/// Opens or makes a ledger, from its budget, its terms and what it protects.
type Open<'a> = dyn Fn(&Loss, Option<&Terms>, &str) -> Result<Ledger, LedgerError> + 'a;

/// How a release comes to its ledger.
struct Opener<'a> {
    /// The account of the ledger, if it exists.
    look: &'a dyn Fn() -> Result<Option<Account>, LedgerError>,
    /// Opens or makes the ledger.
    open: &'a Open<'a>,
}

fn look(path: &Path) -> Result<Option<Account>, LedgerError> {
    match Ledger::view(path) {
        Ok(ledger) => Ok(Some(ledger.account().clone())),
        Err(LedgerError::Missing(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

fn run(
    plan: &Plan,
    opener: &Opener<'_>,
    engine: &dyn Engine,
    progress: Progress,
    entropy: &mut dyn Entropy,
) -> Result<Released, ReleaseError> {
    let confirm = Confirm {
        seen: None,
        go_on: &mut |_| true,
    };
    run_confirmed(plan, opener, engine, progress, entropy, confirm)
}

fn run_confirmed(
    plan: &Plan,
    opener: &Opener<'_>,
    engine: &dyn Engine,
    progress: Progress,
    entropy: &mut dyn Entropy,
    confirm: Confirm<'_>,
) -> Result<Released, ReleaseError> {
    lastbit_exact::environment::check()?;
    // Errors of a ledger wait until it is opened: those of the plan and the data come first.
    let account = (opener.look)().unwrap_or(None);
    let mut adds = Adds::new(plan, account.as_ref());
    let mut prices = price_in(plan, &adds)?;
    size::check(plan, &prices)?;
    let mut identity = Identity::new(plan, &prices);
    let (mut query, mut slots) = query(plan, identity.hash());
    engine.check(&query).map_err(ReleaseError::Engine)?;
    let data = fingerprint(plan, engine)?;
    let mut ledger = (opener.open)(&plan.budget, plan.terms().as_ref(), &protects(plan))?;
    // Another release may have spent since.
    let now = Adds::new(plan, Some(ledger.account()));
    if now != adds {
        adds = now;
        prices = price_in(plan, &adds)?;
        identity = Identity::new(plan, &prices);
        (query, slots) = crate::statistic::query(plan, identity.hash());
    }
    // A ledger of one row holds only its budget.
    let known = match ledger.head().0 > 1 {
        true => known(plan, &adds, &identity, &ledger),
        false => Vec::new(),
    };
    if let Some(stored) = ledger.recall(&known, &data)? {
        return recalled(plan, stored, data);
    }
    ledger.check_budget(&plan.budget)?;
    let own = ledger.account().composed.as_ref().map(|own| &own.terms);
    if let Some(terms) = plan.stated_terms(own) {
        ledger.check_terms(&terms)?;
    }
    let request = Request {
        plan: identity.hex(),
        data,
        loss: prices.loss.clone(),
        description: description(plan),
    };
    if let Some(stored) = ledger.foresee(&request)? {
        return recalled(plan, stored, request.data);
    }
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
    let read = fingerprint(plan, engine)?;
    if read != request.data {
        return Err(ReleaseError::Changed);
    }
    let reserved = match ledger.reserve(&request)? {
        Outcome::Reserved(reserved) => reserved,
        Outcome::Stored(stored) => return recalled(plan, stored, request.data),
    };
    let (loss, row) = (reserved.loss().clone(), reserved.row());
    let spent = |error: ReleaseError| ReleaseError::Spent {
        loss: loss.clone(),
        row,
        cause: Box::new(error),
    };
    let report =
        report::report(plan, &prices, &slots, &answer, &reserved, entropy).map_err(spent)?;
    let text = to_stored(&report);
    ledger
        .settle(reserved, &text)
        .map_err(|error| spent(error.into()))?;
    Ok(Released::New(Box::new(report)))
}

/// The hashes under which the same release may have been stored: as it is priced now, as its ledger
/// composed earlier releases, and by sums of losses, as earlier versions did, with and without
/// noise that statistics share.
fn known(plan: &Plan, adds: &Adds, identity: &Identity, ledger: &Ledger) -> Vec<String> {
    let mut known = vec![identity.hex()];
    let plainly = Adds::Plainly;
    let mut ways: Vec<(Adds, Offered)> = adds
        .otherwise(plan, ledger)
        .into_iter()
        .map(|adds| (adds, Offered::All))
        .collect();
    ways.extend([Offered::Sums, Offered::Apart].map(|offered| (plainly.clone(), offered)));
    let priced = |adds: &Adds, offered: Offered| {
        let prices = price_as(plan, adds, offered).ok()?;
        Some(Identity::new(plan, &prices))
    };
    let identities: Vec<Identity> = ways
        .iter()
        .filter_map(|(adds, offered)| priced(adds, *offered))
        .collect();
    for identity in &identities {
        let hex = identity.hex();
        if !known.contains(&hex) {
            known.push(hex);
        }
    }
    if let Some(sums) = priced(&plainly, Offered::Sums) {
        known.extend(identity::earlier(plan, &sums, ledger.budgets()));
    }
    known
}

/// The fingerprint of the data: the source and all joined tables.
fn fingerprint(plan: &Plan, engine: &dyn Engine) -> Result<String, ReleaseError> {
    let of = |source: &Source| engine.fingerprint(source).map_err(ReleaseError::Engine);
    let first = of(&plan.source)?;
    if plan.derive.joins.is_empty() {
        return Ok(first);
    }
    let mut all = blake3::Hasher::new_derive_key("lastbit joined data fingerprint 1");
    all.update(first.as_bytes());
    for join in &plan.derive.joins {
        let one = of(&join.source)?;
        all.update(&(one.len() as u64).to_le_bytes());
        all.update(one.as_bytes());
    }
    Ok(all.finalize().to_hex().to_string())
}

/// What was released before. Today's plan says whether the fingerprint is published.
fn recalled(plan: &Plan, stored: Stored, data: String) -> Result<Released, ReleaseError> {
    let mut report = from_json(&stored.report).map_err(ReleaseError::internal)?;
    report.receipt.data = plan.publish_fingerprint.then_some(data);
    Ok(Released::Stored {
        report: Box::new(report),
        row: stored.row,
        time: stored.time,
    })
}

/// The privacy unit and neighbour relation; all plans of a ledger must agree.
fn protects(plan: &Plan) -> String {
    let whose = match &plan.unit {
        Unit::Row => "each row".to_owned(),
        Unit::Column { name, .. } => {
            let derived = plan.derive.columns.iter().find(|(other, _)| other == name);
            match derived {
                None => format!("all rows of one {name:?}"),
                Some((_, expression)) => format!("all rows of one {name:?}, that is {expression}"),
            }
        }
    };
    match plan.neighbours {
        Neighbours::AddRemove => format!("{whose}, added or removed"),
        Neighbours::ChangeOne { .. } => format!("{whose}, changed"),
    }
}

/// The ledger's description of the release.
fn description(plan: &Plan) -> String {
    let names: Vec<&str> = plan.statistics.iter().map(|s| s.name.as_str()).collect();
    format!("{}: {}", plan.title, names.join(", "))
}
