//! Where the ledger of a release lies.

use crate::ledger::{Account, Asked, At, Ledger, LedgerError, Turn};

/// The ledger of a release.
#[derive(Clone, Copy)]
pub enum Kept<'a> {
    /// In a file.
    At(At<'a>),
    /// In memory, gone when it is dropped.
    Rehearsal,
}

impl Kept<'_> {
    /// What it holds; `None` before its first release.
    pub fn account(self) -> Result<Option<Account>, LedgerError> {
        match self {
            Kept::At(at) => at.account(),
            Kept::Rehearsal => Ok(None),
        }
    }

    /// The ledger, made if there is none.
    pub fn open(self, asked: Asked<'_>) -> Result<Ledger, LedgerError> {
        match self {
            Kept::At(at) => at.open(asked),
            Kept::Rehearsal => Ledger::rehearsal(asked),
        }
    }

    /// The ledger; before its first release, one in memory that stands for it, so that a release
    /// that fails leaves none behind.
    pub fn look(self, asked: Asked<'_>) -> Result<Ledger, LedgerError> {
        match self {
            Kept::At(at) if !at.exists()? => Ledger::rehearsal(asked),
            _ => self.open(asked),
        }
    }

    /// Lets one release after the other append.
    pub fn turn(self, ledger: &Ledger) -> Turn {
        match self {
            Kept::At(_) if ledger.is_kept() => Turn::take(ledger.path()),
            _ => Turn::alone(),
        }
    }
}
