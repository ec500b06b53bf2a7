//! What comes of a release.

use crate::ledger::Stored;
use crate::loss::Loss;
use crate::plan::Plan;
use crate::present::{Report, from_json};
use crate::release::ReleaseError;

/// The result of a release.
#[derive(Clone, Debug, PartialEq)]
pub enum Released {
    /// New numbers.
    New(Box<Report>),
    /// The numbers of an earlier release of the same plan on the same data, at no cost.
    Stored {
        /// Its report.
        report: Box<Report>,
        /// The row of the ledger that reserved its loss, as its receipt says.
        row: i64,
        /// When that was, in UTC.
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

    /// What was released before. Today's plan says whether the fingerprint is published.
    pub(super) fn recalled(
        plan: &Plan,
        stored: Stored,
        data: String,
    ) -> Result<Released, ReleaseError> {
        let mut report = from_json(&stored.report).map_err(ReleaseError::internal)?;
        report.receipt.data = plan.publish_fingerprint.then_some(data);
        let time = report.receipt.time.clone();
        Ok(Released::Stored {
            report: Box::new(report),
            row: stored.reserve,
            time,
        })
    }
}

/// What is about to be spent again, on data that have changed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
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
