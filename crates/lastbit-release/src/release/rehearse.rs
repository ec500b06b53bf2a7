//! A release of invented rows, which costs nothing.

use std::sync::Arc;

use lastbit_noise::entropy::System;

use super::{Changed, Confirm, Kept, ReleaseError, Released, run};
use crate::engine::InventedEngine;
use crate::plan::Plan;
use crate::present::Report;

/// What a receipt says without a ledger.
const NO_LEDGER: &str = "none: a rehearsal";

/// Releases rows invented from the plan alone, through a ledger in memory: every step of a release,
/// no data, nothing spent. The report says that it is invented. It takes no engine, so that nothing
/// else can be released this way.
pub fn rehearse(plan: &Plan) -> Result<Report, ReleaseError> {
    let engine = InventedEngine::new(plan);
    let quiet = Arc::new(|_, _| {});
    let go_on = &mut |_: &Changed| true;
    let confirm = Confirm { seen: None, go_on };
    let entropy = &mut System::default();
    let outcome = run(plan, Kept::Rehearsal, &engine, quiet, entropy, confirm);
    let mut report = match outcome {
        Ok(Released::New(report) | Released::Stored { report, .. }) => *report,
        // What was spent was in the ledger in memory, which is gone.
        Err(ReleaseError::Spent { cause, .. }) => return Err(*cause),
        Err(error) => return Err(error),
    };
    report.invented = true;
    report.receipt.ledger_row = 0;
    report.receipt.ledger_hash = NO_LEDGER.to_owned();
    report.receipt.certificate = "none: the numbers are invented".to_owned();
    Ok(report)
}
