//! What a release costs, and what it asks.

use super::{Identity, ReleaseError, size};
use crate::account::{Charging, Prices, price_in};
use crate::plan::Plan;
use crate::query::Query;
use crate::statistic::{Slot, query};

/// A plan as one ledger charges it.
pub struct Priced {
    pub prices: Prices,
    /// What is asked, with its noise.
    pub identity: Identity,
    /// Which integers an engine computes.
    pub query: Query,
    /// Where each statistic finds its own.
    pub slots: Vec<Slot>,
}

impl Priced {
    /// Refuses a report that would be too large.
    pub fn new(plan: &Plan, charging: &Charging) -> Result<Priced, ReleaseError> {
        let prices = price_in(plan, charging)?;
        size::check(plan, &prices)?;
        let identity = Identity::new(plan, &prices);
        let (query, slots) = query(plan, identity.hash());
        Ok(Priced {
            prices,
            identity,
            query,
            slots,
        })
    }
}
