//! What was released before: the same release, under any hash that it may have been stored under,
//! or some of its statistics.

use std::path::Path;

use super::ReleaseError;
use super::identity::{Identity, earlier};
use crate::account::{Charging, Offered, price_as, price_in};
use crate::ledger::{Asked, Entry, Event, Ledger, LedgerError};
use crate::left::{Again, Left};
use crate::plan::{Plan, Statistic};
use crate::present::from_json;

/// The last release of the same plan in a ledger, on whatever data: its row, and when that was, in
/// UTC. On the same data it will be answered from there. It reads no data.
pub fn released_before(plan: &Plan, ledger: &Path) -> Result<Option<(i64, String)>, ReleaseError> {
    let mut ledger = match Ledger::view(ledger) {
        Ok(ledger) => ledger,
        Err(LedgerError::Missing(_)) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    if !ledger.has_reserved(&plan.names()) {
        return Ok(None);
    }
    let charging = Charging::new(plan, Some(ledger.account()));
    let identity = Identity::new(plan, &price_in(plan, &charging)?);
    let unsettled = ledger.unsettled();
    let entries = ledger.entries()?;
    let last = |known: &[String]| {
        let is_same = |entry: &&Entry| match &entry.event {
            Event::Reserve { plan, .. } => known.contains(plan) && !unsettled.contains(&entry.row),
            _ => false,
        };
        let last = entries.iter().rev().find(is_same);
        last.map(|entry| (entry.row, entry.time.clone()))
    };
    // What earlier versions would have stored takes several prices.
    let now = last(&[identity.hex()]);
    Ok(now.or_else(|| last(&known(plan, &charging, &identity, &ledger))))
}

/// Writes into `left` what of a plan was released from the ledger before, all of it or some of its
/// statistics; or that the ledger is about something else, or has another budget. What cannot be
/// read is left out.
pub fn remember(plan: &Plan, ledger: &Path, left: &mut Left) {
    let differs = |ledger: Ledger| {
        let (terms, protects) = (plan.terms(), plan.protects());
        let asked = Asked {
            budget: &plan.budget,
            terms: terms.as_ref(),
            protects: &protects,
        };
        ledger.check_protects(asked).err()
    };
    left.refused = Ledger::view(ledger)
        .ok()
        .and_then(differs)
        .map(|error| error.to_string());
    if left.refused.is_some() {
        return;
    }
    left.before = released_before(plan, ledger).ok().flatten();
    if left.before.is_none() {
        // What is new is taken only from the budget that the plan states.
        let other = Ledger::view(ledger).ok();
        let other = other.and_then(|ledger| super::check(plan, &ledger).err());
        left.refused = other.map(|error| error.to_string());
    }
    left.again = match &left.before {
        Some(_) => None,
        None => published_before(plan, ledger).ok().flatten(),
    };
}

/// The statistics of a plan that an earlier release published, by their names and kinds; of several
/// releases, the last.
fn published_before(plan: &Plan, ledger: &Path) -> Result<Option<Again>, ReleaseError> {
    let mut ledger = match Ledger::view(ledger) {
        Ok(ledger) => ledger,
        Err(LedgerError::Missing(_)) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    for entry in ledger.entries()?.into_iter().rev() {
        let Event::Settle { reserve, report } = &entry.event else {
            continue;
        };
        let Ok(report) = from_json(report) else {
            continue;
        };
        let is_in = |statistic: &&Statistic| {
            let mut published = report.statistics.iter();
            published.any(|one| one.name == statistic.name && one.kind == statistic.kind.word())
        };
        let names: Vec<_> = plan.statistics.iter().filter(is_in).collect();
        if !names.is_empty() {
            let names = names.into_iter().map(|one| one.name.clone()).collect();
            let all = plan.statistics.len();
            return Ok(Some(Again::new(*reserve, entry.time.clone(), names, all)));
        }
    }
    Ok(None)
}

/// The hashes under which the same release may have been stored: as it is priced now, as its ledger
/// composed earlier releases, and as earlier versions did: with noise shared wherever it can be,
/// by sums of losses, with and without noise that statistics share, and with as many groups of a
/// unit as the plan allows, whatever its keys are.
///
/// Only the first, if no release in the ledger has the names of these statistics: they are part of
/// every identity.
pub(super) fn known(
    plan: &Plan,
    charging: &Charging,
    identity: &Identity,
    ledger: &Ledger,
) -> Vec<String> {
    // A ledger of one row holds only its budget.
    if ledger.head().0 <= 1 {
        return vec![];
    }
    let mut known = vec![identity.hex()];
    if !ledger.has_reserved(&plan.names()) {
        return known;
    }
    otherwise(plan, charging, ledger, &mut known);
    if let Some(then) = plan.with_written_limits() {
        known.extend(hash(&then, charging, Offered::All));
        otherwise(&then, charging, ledger, &mut known);
    }
    known
}

/// The hash of a plan that is priced in this way, if it can be.
fn hash(plan: &Plan, charging: &Charging, offered: Offered) -> Option<String> {
    let prices = price_as(plan, charging, offered).ok()?;
    Some(Identity::new(plan, &prices).hex())
}

/// Adds the hashes of a plan in other ways than those of now.
fn otherwise(plan: &Plan, charging: &Charging, ledger: &Ledger, known: &mut Vec<String>) {
    let plainly = Charging::Plainly;
    let mut ways: Vec<(Charging, Offered)> = charging
        .otherwise(plan, ledger)
        .into_iter()
        .map(|other| (other, Offered::All))
        .collect();
    let joined = ways.iter().map(|(other, _)| other.clone());
    let joined: Vec<_> = [charging.clone()].into_iter().chain(joined).collect();
    ways.extend(joined.into_iter().map(|other| (other, Offered::Joined)));
    ways.extend([Offered::Sums, Offered::Apart].map(|offered| (plainly.clone(), offered)));
    for (charging, offered) in ways {
        if let Some(hex) = hash(plan, &charging, offered)
            && !known.contains(&hex)
        {
            known.push(hex);
        }
    }
    if let Ok(sums) = price_as(plan, &plainly, Offered::Sums) {
        known.extend(earlier(plan, &Identity::new(plan, &sums), ledger.budgets()));
    }
}

#[cfg(test)]
mod tests;
