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
mod check;
mod clock;
mod directory;
mod entry;
mod error;
mod place;
mod reserve;
mod state;
mod store;
mod terms;
#[cfg(test)]
mod tests;
mod turn;

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use lastbit_exact::Rational;
use lastbit_noise::entropy::{Entropy, System};
use rusqlite::{Connection, TransactionBehavior};

pub use account::{Account, Composed};
pub use at::At;
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
use entry::Raw;
use state::State;
use store::Access;

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
    db: Connection,
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
    pub fn open_on(
        path: &Path,
        budget: &Loss,
        terms: Option<&Terms>,
        protects: &str,
    ) -> Result<Ledger, LedgerError> {
        let note = format!("{FIRST_NOTE}; protects {protects}");
        let ledger = Ledger::open_or_make(path, budget, terms, &note)?;
        let first = store::read_row(&ledger.db, 1)
            .map_err(|error| LedgerError::from_sqlite(path, error))?
            .and_then(|first| first.description)
            .unwrap_or_default();
        if first != note {
            let of_ledger = first.strip_prefix(FIRST_NOTE).unwrap_or(&first);
            let of_ledger = of_ledger.trim_start_matches("; protects ");
            return Err(LedgerError::ProtectsDiffers {
                path: path.to_owned(),
                ledger: match of_ledger {
                    "" => "nothing that it names".into(),
                    named => named.into(),
                },
                plan: protects.into(),
            });
        }
        Ok(ledger)
    }

    /// A ledger in memory, gone when it is dropped. What it grants is worth nothing, so only
    /// rehearsals have one, and those read no data.
    pub(crate) fn rehearsal(
        budget: &Loss,
        terms: Option<&Terms>,
        protects: &str,
    ) -> Result<Ledger, LedgerError> {
        let path = Path::new("rehearsal");
        let note = format!("{FIRST_NOTE}; protects {protects}");
        let first = first_entry(path, budget, terms, &note)?;
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
        self.db.path().is_some_and(|path| !path.is_empty())
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

    /// Every entry, in order, as of now.
    pub fn entries(&mut self) -> Result<Vec<Entry>, LedgerError> {
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

    /// Replaces the budget from here on, recorded with a note. It cannot be lowered below what was
    /// spent, nor trade ε for δ once something was released. Losses continue to add up as before.
    pub fn set_budget(&mut self, budget: &Loss, note: &str) -> Result<(), LedgerError> {
        self.set_terms(budget, |terms| terms.cloned(), note)
    }

    /// [`Ledger::set_budget`] with new terms, made from those in force. What was spent plainly
    /// stays spent plainly, and the rest composes from here on. Terms are fixed once something was
    /// released under them: a new limit must contain every earlier one, or be contained in it.
    pub fn set_terms(
        &mut self,
        budget: &Loss,
        terms: impl FnOnce(Option<&Terms>) -> Option<Terms>,
        note: &str,
    ) -> Result<(), LedgerError> {
        check_loss(budget)?;
        self.append(|path, state| {
            let account = account(state);
            if budget.measure != account.budget.measure {
                return Err(LedgerError::MeasureDiffers {
                    path: path.to_owned(),
                    ledger: account.budget.measure,
                    asked: budget.measure,
                });
            }
            if !account.spent.fits(budget) {
                return Err(LedgerError::BudgetBelowSpent {
                    path: path.to_owned(),
                    asked: Box::new(budget.clone()),
                    spent: Box::new(account.spent.clone()),
                });
            }
            account
                .check_trade(budget)
                .map_err(|why| LedgerError::TermsRefused {
                    path: path.to_owned(),
                    why,
                })?;
            let terms = terms(account.composed.as_ref().map(|composed| &composed.terms));
            let limit = terms.map(|terms| Limit::new(&terms, &budget.minus(&account.spent)));
            if let Some(limit) = &limit {
                check_limit(path, account, budget, limit)?;
            }
            let event = Event::Budget {
                budget: budget.clone(),
                note: note.to_owned(),
            };
            Ok(Decision::Append(Box::new(event), limit))
        })
        .map(|_| ())
    }

    fn connect(path: &Path, access: Access) -> Result<Ledger, LedgerError> {
        Ledger::verified(path, store::open(path, access)?)
    }

    fn verified(path: &Path, mut db: Connection) -> Result<Ledger, LedgerError> {
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

    /// One write: takes the lock, verifies what others appended, lets `decide` look at the state,
    /// appends, and returns when the entry is on the disk.
    fn append(
        &mut self,
        decide: impl FnOnce(&Path, &State) -> Result<Decision, LedgerError>,
    ) -> Result<Done, LedgerError> {
        self.check_fault()?;
        let done = self.try_append(decide);
        self.remembered(done)
    }

    /// One read: verifies what others appended first.
    fn look<T>(
        &mut self,
        read: impl FnOnce(&Path, &Connection, &State) -> Result<T, LedgerError>,
    ) -> Result<T, LedgerError> {
        self.check_fault()?;
        let done = self.try_look(read);
        self.remembered(done)
    }

    fn try_look<T>(
        &mut self,
        read: impl FnOnce(&Path, &Connection, &State) -> Result<T, LedgerError>,
    ) -> Result<T, LedgerError> {
        let transaction = self
            .db
            .transaction()
            .map_err(|error| LedgerError::from_sqlite(&self.path, error))?;
        catch_up(&self.path, &transaction, &mut self.state, |_| {})?;
        read(&self.path, &transaction, &self.state)
    }

    /// Remembers what was found wrong.
    fn remembered<T>(&mut self, done: Result<T, LedgerError>) -> Result<T, LedgerError> {
        if let Err(LedgerError::Altered { fault, .. }) = &done {
            self.fault = Some(fault.clone());
        }
        done
    }

    fn check_fault(&self) -> Result<(), LedgerError> {
        match &self.fault {
            None => Ok(()),
            Some(fault) => Err(LedgerError::Altered {
                path: self.path.clone(),
                fault: fault.clone(),
            }),
        }
    }

    fn try_append(
        &mut self,
        decide: impl FnOnce(&Path, &State) -> Result<Decision, LedgerError>,
    ) -> Result<Done, LedgerError> {
        let path = &self.path;
        let fail = |error| LedgerError::from_sqlite(path, error);
        let transaction = self
            .db
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(fail)?;
        catch_up(path, &transaction, &mut self.state, |_| {})?;
        let (event, limit) = match decide(path, &self.state)? {
            Decision::Append(event, limit) => (event, limit),
            Decision::Recall { row, hash } => {
                return read_verified(path, &transaction, row, &hash).map(Done::Recalled);
            }
        };
        let time = clock::utc((self.clock)());
        let raw = Raw::new(
            self.state.rows + 1,
            time,
            &event,
            limit.as_ref(),
            self.state.head.clone(),
        );
        store::append(&transaction, &raw).map_err(fail)?;
        transaction.commit().map_err(fail)?;
        self.state
            .apply(&raw)
            .map_err(|faults| altered(path, faults))?;
        Ok(Done::Appended(raw))
    }
}

/// What to do under the lock.
enum Decision {
    Append(Box<Event>, Option<Limit>),
    Recall { row: i64, hash: String },
}

/// What was done under the lock.
enum Done {
    Appended(Raw),
    Recalled(Raw),
}

/// Verifies and adds the entries that the state lacks, and compares the end with the head.
fn catch_up(
    path: &Path,
    db: &Connection,
    state: &mut State,
    mut each: impl FnMut(Entry),
) -> Result<(), LedgerError> {
    let fail = |error| LedgerError::from_sqlite(path, error);
    let mut first = None;
    store::read_after(db, state.rows, |raw| {
        if first.is_some() {
            return;
        }
        match state.apply(&raw) {
            Ok(event) => each(Entry {
                limit: raw.limit(),
                row: raw.row,
                time: raw.time,
                event,
                previous: raw.previous,
                hash: raw.hash,
            }),
            Err(faults) => first = Some(faults),
        }
    })
    .map_err(fail)?;
    if let Some(faults) = first {
        return Err(altered(path, faults));
    }
    // The first new row was chained to the last known one; with no new row, the head must be what
    // it was.
    let end = Some((state.rows, state.head.clone()));
    if store::read_head(db).map_err(fail)? != end {
        let fault = Fault::of_file("entries are missing at its end");
        return Err(altered(path, vec![fault]));
    }
    Ok(())
}

/// Reads a row again that was verified before, and checks its hash.
fn read_verified(path: &Path, db: &Connection, row: i64, hash: &str) -> Result<Raw, LedgerError> {
    store::read_row(db, row)
        .map_err(|error| LedgerError::from_sqlite(path, error))?
        .filter(|raw| raw.hash == hash && raw.computed_hash() == hash)
        .ok_or_else(|| altered(path, vec![Fault::of_row(row, "it was edited")]))
}

fn altered(path: &Path, faults: Vec<Fault>) -> LedgerError {
    LedgerError::Altered {
        path: path.to_owned(),
        fault: faults
            .into_iter()
            .next()
            .unwrap_or_else(|| Fault::of_file("its entries are not those that were written")),
    }
}

fn account(state: &State) -> &Account {
    state
        .account
        .as_ref()
        .expect("decisions are made on a verified ledger, whose first row is a budget")
}

/// Checks that a loss can be kept: it is valid, and reads back from its text.
fn check_loss(loss: &Loss) -> Result<(), LedgerError> {
    loss.validate()?;
    for number in [&loss.main, &loss.delta] {
        let digits = number.to_string().len();
        if digits > MOST_DIGITS {
            return Err(LedgerError::TooManyDigits(digits));
        }
    }
    Ok(())
}

/// Checks that the limit of a new budget can be kept: it allows something, what was spent is within
/// it, and fixed terms stay.
fn check_limit(
    path: &Path,
    account: &Account,
    budget: &Loss,
    limit: &Limit,
) -> Result<(), LedgerError> {
    let refused = |why: String| LedgerError::TermsRefused {
        path: path.to_owned(),
        why,
    };
    check_terms(&limit.terms)?;
    let left = budget.minus(&account.spent);
    if limit.most.is_zero() && left.main.is_positive() && left.delta.is_positive() {
        return Err(refused(nothing_left(&limit.terms, &left)));
    }
    let Some(composed) = account.composed.as_ref().filter(|own| own.is_touched()) else {
        return Ok(());
    };
    let next = limit.terms.limited(&limit.most);
    account::fixed(composed, &limit.terms, &next).map_err(refused)?;
    if !composed.spent.fits(&next) {
        return Err(refused(format!(
            "the budget cannot be lowered to {budget}: {} is already spent, and it allows {next}",
            composed.spent
        )));
    }
    Ok(())
}

fn nothing_left(terms: &Terms, left: &Loss) -> String {
    format!("{terms} leave nothing of {left} for noise; set aside less for thresholds")
}

/// Checks that terms can be kept.
fn check_terms(terms: &Terms) -> Result<(), LedgerError> {
    check_loss(&Loss::new(
        terms.measure(),
        Rational::ZERO,
        terms.thresholds.clone(),
    )?)
}

/// Row 1: the budget, chained to a random number that no other ledger has.
fn first_entry(
    path: &Path,
    budget: &Loss,
    terms: Option<&Terms>,
    note: &str,
) -> Result<Raw, LedgerError> {
    check_loss(budget)?;
    let limit = terms.map(|terms| Limit::new(terms, budget));
    if let Some(limit) = &limit {
        check_terms(&limit.terms)?;
        if limit.most.is_zero() {
            return Err(LedgerError::TermsRefused {
                path: path.to_owned(),
                why: nothing_left(&limit.terms, budget),
            });
        }
    }
    let mut words = [0; 4];
    System::default().fill(&mut words)?;
    let identity: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
    let event = Event::Budget {
        budget: budget.clone(),
        note: note.into(),
    };
    let time = clock::utc(SystemTime::now());
    Ok(Raw::new(
        1,
        time,
        &event,
        limit.as_ref(),
        entry::hex(&identity),
    ))
}
