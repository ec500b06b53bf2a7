use crate::account::PriceError;
use crate::ledger::LedgerError;
use crate::loss::Loss;

use crate::clean::{shortened, visible};
use crate::engine::EngineFailure;

/// The longest message of an engine, in characters: names in it may be of any length.
const MOST: usize = 4000;

/// Why nothing was released.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReleaseError {
    /// The floating-point mode breaks every bound. Nothing was spent.
    #[error(transparent)]
    Environment(#[from] lastbit_exact::environment::EnvironmentError),
    /// The plan has no price. Nothing was spent.
    #[error(transparent)]
    Price(#[from] PriceError),
    /// The ledger refused or failed.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The engine could not read the data.
    #[error("{}", shortened(&visible(&.0.to_string()), MOST))]
    Engine(EngineFailure),
    /// The number of rows is not the public one that the plan states.
    #[error(
        "the data have {data} rows, and the plan says rows = {plan}; under neighbours = \
         \"change-one\" that number is public: correct it"
    )]
    Rows {
        /// What the plan says.
        plan: u64,
        /// What there is.
        data: u64,
    },
    /// The files were written to while they were read.
    #[error(
        "the data changed while they were read; nothing was spent: release again when nobody \
         writes to them"
    )]
    Changed,
    /// The answer to the question was no. Nothing was spent.
    #[error("nothing was spent")]
    Declined,
    /// Another release came first, and changed what this one would be. Nothing was spent.
    #[error(
        "another release came first, and this one has another price since; nothing was spent: look \
         at it again"
    )]
    Repriced,
    /// More numbers than the ledger can hold. Nothing was spent.
    #[error(
        "the report may take {} million bytes, and the ledger holds at most {} of one release; \
         group by fewer or wider bins, or split the plan",
        bytes.div_ceil(1_000_000),
        super::MOST_REPORT_BYTES / 1_000_000
    )]
    Large {
        /// How many it may take.
        bytes: u64,
    },
    /// A fault of this program.
    #[error("{0}")]
    Internal(String),
    /// An error after the loss was reserved. It stays spent.
    #[error("{cause}\n{loss} was reserved in row {row} of the ledger, and stays spent")]
    Spent {
        /// What was spent.
        loss: Loss,
        /// The row of the ledger.
        row: i64,
        /// What happened. It is not the `source`: printing the chain of causes would repeat it.
        cause: Box<ReleaseError>,
    },
}

impl ReleaseError {
    pub(super) fn internal(error: impl core::fmt::Display) -> ReleaseError {
        ReleaseError::Internal(error.to_string())
    }

    pub(crate) fn unexpected() -> ReleaseError {
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

#[cfg(test)]
mod tests;
