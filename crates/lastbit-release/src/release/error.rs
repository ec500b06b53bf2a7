use crate::ledger::LedgerError;
use crate::loss::Loss;
use crate::price::PriceError;

use super::EngineFailure;

/// Why nothing was released.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReleaseError {
    /// The plan has no price. Nothing was spent.
    #[error(transparent)]
    Price(#[from] PriceError),
    /// The ledger refused or failed.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The engine could not read the data.
    #[error("{0}")]
    Engine(EngineFailure),
    /// The number of rows is not the public one.
    #[error(
        "the data have {data} rows, and the plan says rows = {plan}; under neighbours = \"change-one\" that number is public: correct it"
    )]
    Rows {
        /// What the plan says.
        plan: u64,
        /// What there is.
        data: u64,
    },
    /// Something that should not happen.
    #[error("{0}")]
    Internal(String),
    /// An error after the loss was reserved. It stays spent.
    #[error(
        "{source}\n{loss} was reserved in row {row} of the ledger before the data were read, and stays spent"
    )]
    Spent {
        /// What was spent.
        loss: Loss,
        /// The row of the ledger.
        row: i64,
        /// What happened.
        source: Box<ReleaseError>,
    },
}

impl ReleaseError {
    pub(super) fn internal(error: impl core::fmt::Display) -> ReleaseError {
        ReleaseError::Internal(error.to_string())
    }

    pub(super) fn unexpected() -> ReleaseError {
        ReleaseError::Internal("the engine's answer does not fit the query; report this".to_owned())
    }

    /// What was spent before the error, if anything.
    pub fn spent(&self) -> Option<&Loss> {
        match self {
            ReleaseError::Spent { loss, .. } => Some(loss),
            _ => None,
        }
    }
}
