//! The ledger: what was spent, durably, before any noise is drawn.
//!
//! One SQLite file per data set, append-only: a budget, then for each release a *reservation* of
//! its loss and, when its numbers are known, a *settlement* that stores them. A reservation counts
//! as spent from the moment it is on the disk, whatever happens later, so a crash may waste budget,
//! but never overspends it. All sums are exact.
//!
//! Each row holds the SHA-256 of the row before it; `docs/ledger.md` says what that can find, and
//! what not.
//!
//! ```
//! use lastbit_release::ledger::{Ledger, Outcome, Request};
//! use lastbit_release::loss::Loss;
//! # let directory = tempfile::tempdir()?;
//! # let path = directory.path().join("clinic.ledger");
//! let mut ledger = Ledger::open(&path, &Loss::pure("1".parse()?)?)?;
//! let request = Request {
//!     plan: "5a…".into(),
//!     data: "c0…".into(),
//!     loss: Loss::pure("0.7".parse()?)?,
//!     description: "mean of age".into(),
//! };
//! if let Outcome::Reserved(reserved) = ledger.reserve(&request)? {
//!     // Noise on the sealed answer, with `&reserved` in hand.
//!     ledger.settle(reserved, r#"{"schema":1}"#)?;
//! }
//! assert_eq!(ledger.account().remaining().to_string(), "ε = 0.3");
//! assert!(matches!(ledger.reserve(&request)?, Outcome::Stored(_)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod account;
mod at;
mod budget;
mod check;
mod clock;
mod directory;
mod entry;
mod error;
mod forks;
mod lock;
mod place;
mod reserve;
mod state;
mod store;
mod terms;
#[cfg(test)]
mod tests;
mod transact;
mod turn;

use std::path::{Path, PathBuf};
use std::time::SystemTime;

pub use account::{Account, Composed};
pub use at::{Asked, At};
pub use check::{Check, Witness, check};
pub use directory::{EXTENSION, NAME, in_directory};
pub use entry::{Entry, Event};
pub use error::{LedgerError, MOST_DIGITS, Refusal};
pub use place::{exposure, is_ledger_name};
pub use reserve::{Outcome, Request, Reserved, Stored};
pub use state::Fault;
pub use terms::{Currency, Limit, Terms};
pub(crate) use turn::Turn;

use crate::loss::Loss;
use budget::{check_loss, first_entry};
use state::State;
use store::{Access, Store};
use transact::{altered, catch_up};

/// The newest version of the file format. A ledger whose releases do not compose has version 1, as
/// before, until an entry needs more.
pub const FORMAT: i64 = 2;

/// The note of row 1, and how it begins if it names what is protected.
const FIRST_NOTE: &str = "first budget";

/// An open ledger, verified from its first row to its last.
///
/// Any number of processes may have the same ledger open. Each write takes the file's lock,
/// verifies what others appended since, and only then decides.
#[derive(Debug)]
pub struct Ledger {
    path: PathBuf,
    db: Store,
    state: State,
    /// What was found wrong while it was open. From then on nothing is granted, even if the file is
    /// right again.
    fault: Option<Fault>,
    clock: fn() -> SystemTime,
}

impl Ledger {
    /// Opens the ledger, or makes it with this budget and the [usual terms](Terms::usual). An
    /// existing one must have exactly this budget.
    pub fn open(path: &Path, budget: &Loss) -> Result<Ledger, LedgerError> {
        let terms = Terms::usual(budget);
        let ledger = Ledger::open_or_make(path, budget, terms.as_ref(), FIRST_NOTE)?;
        ledger.check_budget(budget)?;
        Ok(ledger)
    }

    /// Opens the ledger of a plan that protects this unit under this neighbour relation, or makes
    /// it with these terms. Row 1 names what is protected, and every later plan must share it:
    /// losses about a row and about a person, or about presence and about contents, have no sum. An
    /// existing one may have another budget and other terms, see [`Ledger::check_budget`] and
    /// [`Ledger::check_terms`].
    pub fn open_on(path: &Path, asked: Asked<'_>) -> Result<Ledger, LedgerError> {
        let note = asked.first_note();
        let ledger = Ledger::open_or_make(path, asked.budget, asked.terms, &note)?;
        ledger.check_protects(asked)?;
        Ok(ledger)
    }

    /// Checks that it is about what a plan protects.
    pub(crate) fn check_protects(&self, asked: Asked<'_>) -> Result<(), LedgerError> {
        let first = store::read_row(&self.db, 1)
            .map_err(|error| LedgerError::from_sqlite(&self.path, error))?
            .and_then(|first| first.description)
            .unwrap_or_default();
        if first == asked.first_note() {
            return Ok(());
        }
        let of_ledger = first.strip_prefix(FIRST_NOTE).unwrap_or(&first);
        let of_ledger = of_ledger.trim_start_matches("; protects ");
        Err(LedgerError::ProtectsDiffers {
            path: self.path.clone(),
            ledger: match of_ledger {
                "" => "nothing that it names".into(),
                named => named.into(),
            },
            plan: asked.protects.into(),
        })
    }

    /// A ledger in memory, gone when it is dropped. What it grants is worth nothing, so only
    /// rehearsals have one, and those read no data.
    pub(crate) fn rehearsal(asked: Asked<'_>) -> Result<Ledger, LedgerError> {
        let path = Path::new("rehearsal");
        let first = first_entry(path, asked.budget, asked.terms, &asked.first_note())?;
        let db = store::in_memory(|transaction| store::append(transaction, &first))
            .map_err(|error| LedgerError::from_sqlite(path, error))?;
        Ledger::verified(path, db)
    }

    fn open_or_make(
        path: &Path,
        budget: &Loss,
        terms: Option<&Terms>,
        note: &str,
    ) -> Result<Ledger, LedgerError> {
        check_loss(budget)?;
        match Ledger::open_existing(path) {
            Err(LedgerError::Missing(_)) => {
                let first = first_entry(path, budget, terms, note)?;
                place::make(path, |transaction| store::append(transaction, &first))?;
                Ledger::open_existing(path)
            }
            opened => opened,
        }
    }

    /// Checks that this is the budget in force: a new release is taken only from the budget that
    /// its plan states.
    pub fn check_budget(&self, budget: &Loss) -> Result<(), LedgerError> {
        let own = &self.account().budget;
        if own != budget {
            return Err(LedgerError::BudgetDiffers {
                path: self.path.clone(),
                ledger: Box::new(own.clone()),
                plan: Box::new(budget.clone()),
            });
        }
        Ok(())
    }

    /// Checks that these are the terms in force, for a plan that states some.
    pub fn check_terms(&self, terms: &Terms) -> Result<(), LedgerError> {
        let own = self.account().composed.as_ref().map(|own| &own.terms);
        if own == Some(terms) {
            return Ok(());
        }
        Err(LedgerError::TermsDiffer {
            path: self.path.clone(),
            ledger: own.map_or("losses that add up plainly".to_owned(), Terms::to_string),
            plan: terms.to_string(),
        })
    }

    /// Opens an existing ledger, whatever its budget is.
    pub fn open_existing(path: &Path) -> Result<Ledger, LedgerError> {
        Ledger::connect(path, Access::Append)
    }

    /// Opens an existing ledger to look at it; this needs no permission to write.
    pub fn view(path: &Path) -> Result<Ledger, LedgerError> {
        Ledger::connect(path, Access::Read)
    }

    /// Whether it is in a file.
    pub(crate) fn is_kept(&self) -> bool {
        self.db.is_kept()
    }

    /// Its path, as given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The budget and what was spent, as of the last operation.
    pub fn account(&self) -> &Account {
        self.state.account.as_ref().expect(
            "a connected ledger was verified to have at least one row, whose kind is budget",
        )
    }

    /// Every budget that was in force, each once.
    pub fn budgets(&self) -> &[Loss] {
        &self.state.budgets
    }

    /// The number of entries and the hash of the last one. Kept elsewhere, they show later whether
    /// entries were removed from the end.
    pub fn head(&self) -> (i64, &str) {
        (self.state.rows, &self.state.head)
    }

    /// The rows of reservations that were not settled: releases that were interrupted or are under
    /// way.
    pub fn unsettled(&self) -> Vec<i64> {
        self.state.waiting().into_iter().collect()
    }

    /// Whether a reservation, settled or not, is described by these names after a title: as of the
    /// last operation.
    pub(crate) fn has_reserved(&self, names: &str) -> bool {
        self.state.has_description(&format!(": {names}"))
    }

    /// Every entry, in order, as of now.
    pub fn entries(&mut self) -> Result<Vec<Entry>, LedgerError> {
        self.db.check_process(&self.path)?;
        self.check_fault()?;
        let mut entries = Vec::new();
        let mut state = State::default();
        let transaction = self
            .db
            .transaction()
            .map_err(|error| LedgerError::from_sqlite(&self.path, error))?;
        catch_up(&self.path, &transaction, &mut state, |entry| {
            entries.push(entry);
        })?;
        drop(transaction);
        self.state = state;
        Ok(entries)
    }

    fn connect(path: &Path, access: Access) -> Result<Ledger, LedgerError> {
        Ledger::verified(path, store::open(path, access)?)
    }

    fn verified(path: &Path, mut db: Store) -> Result<Ledger, LedgerError> {
        let mut state = State::default();
        let transaction = db
            .transaction()
            .map_err(|error| LedgerError::from_sqlite(path, error))?;
        catch_up(path, &transaction, &mut state, |_| {})?;
        drop(transaction);
        if state.account.is_none() {
            let fault = Fault::of_file("it has no entries");
            return Err(altered(path, vec![fault]));
        }
        Ok(Ledger {
            path: path.to_owned(),
            db,
            state,
            fault: None,
            clock: SystemTime::now,
        })
    }
}
