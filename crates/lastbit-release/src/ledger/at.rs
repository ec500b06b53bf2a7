//! Where the ledger of a release is, and what its plan asks of it.

use std::path::Path;

use super::{Account, FIRST_NOTE, Ledger, LedgerError, Terms, in_directory};
use crate::loss::Loss;

/// What a plan asks of its ledger.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Asked<'a> {
    /// All that may be spent.
    pub budget: &'a Loss,
    /// How losses add up; plainly if there are none.
    pub terms: Option<&'a Terms>,
    /// The privacy unit and neighbour relation, see [`Ledger::open_on`].
    pub protects: &'a str,
}

impl<'a> Asked<'a> {
    /// Of a plan with this budget, these terms, and this privacy unit and neighbour relation.
    pub fn new(budget: &'a Loss, terms: Option<&'a Terms>, protects: &'a str) -> Asked<'a> {
        Asked {
            budget,
            terms,
            protects,
        }
    }

    pub(super) fn first_note(&self) -> String {
        format!("{FIRST_NOTE}; protects {}", self.protects)
    }
}

/// Where the ledger of a release is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum At<'a> {
    /// In this file.
    File(&'a Path),
    /// In this directory, which has one ledger.
    Directory(&'a Path),
}

impl At<'_> {
    /// The account of the ledger, if it exists.
    pub fn account(self) -> Result<Option<Account>, LedgerError> {
        let ledger = match self {
            At::File(path) => Ledger::view(path),
            At::Directory(directory) => Ledger::view(&in_directory(directory)?),
        };
        match ledger {
            Ok(ledger) => Ok(Some(ledger.account().clone())),
            Err(LedgerError::Missing(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether there is one, whatever it holds. Where none can be made is an error.
    pub(crate) fn exists(self) -> Result<bool, LedgerError> {
        let path = match self {
            At::File(path) => path.to_owned(),
            At::Directory(directory) => in_directory(directory)?,
        };
        if path.try_exists().unwrap_or(true) {
            return Ok(true);
        }
        match path.parent() {
            Some(directory) if !directory.as_os_str().is_empty() && !directory.is_dir() => {
                Err(LedgerError::NoDirectory(directory.to_owned()))
            }
            _ => Ok(false),
        }
    }

    /// Opens or makes the ledger, see [`Ledger::open_on`].
    pub fn open(self, asked: Asked<'_>) -> Result<Ledger, LedgerError> {
        match self {
            At::File(path) => Ledger::open_on(path, asked),
            At::Directory(directory) => Ledger::open_in_on(directory, asked),
        }
    }
}
