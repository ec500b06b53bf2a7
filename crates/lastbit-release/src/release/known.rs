//! Under which hashes the same release may have been stored.

use super::identity::{Identity, earlier};
use crate::account::{Charging, Offered, price_as};
use crate::ledger::Ledger;
use crate::plan::Plan;

/// The hashes under which the same release may have been stored: as it is priced now, as its ledger
/// composed earlier releases, and by sums of losses, as earlier versions did, with and without
/// noise that statistics share.
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
    let plainly = Charging::Plainly;
    let mut ways: Vec<(Charging, Offered)> = charging
        .otherwise(plan, ledger)
        .into_iter()
        .map(|other| (other, Offered::All))
        .collect();
    ways.extend([Offered::Sums, Offered::Apart].map(|offered| (plainly.clone(), offered)));
    let priced = |charging: &Charging, offered: Offered| {
        let prices = price_as(plan, charging, offered).ok()?;
        Some(Identity::new(plan, &prices))
    };
    let identities: Vec<Identity> = ways
        .iter()
        .filter_map(|(charging, offered)| priced(charging, *offered))
        .collect();
    for identity in &identities {
        let hex = identity.hex();
        if !known.contains(&hex) {
            known.push(hex);
        }
    }
    if let Some(sums) = priced(&plainly, Offered::Sums) {
        known.extend(earlier(plan, &sums, ledger.budgets()));
    }
    known
}
