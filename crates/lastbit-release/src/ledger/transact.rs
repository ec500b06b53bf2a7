//! Reads and writes of an open ledger: what others appended is verified first, under the file's
//! lock.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use super::entry::Raw;
use super::state::State;
use super::{Account, Entry, Event, Fault, Ledger, LedgerError, Limit, clock, store};

impl Ledger {
    /// One write: takes the lock, verifies what others appended, lets `decide` look at the state,
    /// appends, and returns when the entry is on the disk.
    pub(super) fn append(
        &mut self,
        decide: impl FnOnce(&Path, &State) -> Result<Decision, LedgerError>,
    ) -> Result<Done, LedgerError> {
        self.check_fault()?;
        let done = self.try_append(decide);
        self.remembered(done)
    }

    /// One read: verifies what others appended first.
    pub(super) fn look<T>(
        &mut self,
        read: impl FnOnce(&Path, &Connection, &State) -> Result<T, LedgerError>,
    ) -> Result<T, LedgerError> {
        self.check_fault()?;
        let done = self.try_look(read);
        self.remembered(done)
    }

    pub(super) fn try_look<T>(
        &mut self,
        read: impl FnOnce(&Path, &Connection, &State) -> Result<T, LedgerError>,
    ) -> Result<T, LedgerError> {
        self.db.check_process(&self.path)?;
        let transaction = self
            .db
            .transaction()
            .map_err(|error| LedgerError::from_sqlite(&self.path, error))?;
        catch_up(&self.path, &transaction, &mut self.state, |_| {})?;
        read(&self.path, &transaction, &self.state)
    }

    /// Remembers what was found wrong.
    pub(super) fn remembered<T>(&mut self, done: Result<T, LedgerError>) -> Result<T, LedgerError> {
        if let Err(LedgerError::Altered { fault, .. }) = &done {
            self.fault = Some(fault.clone());
        }
        done
    }

    pub(super) fn check_fault(&self) -> Result<(), LedgerError> {
        match &self.fault {
            None => Ok(()),
            Some(fault) => Err(LedgerError::Altered {
                path: self.path.clone(),
                fault: fault.clone(),
            }),
        }
    }

    pub(super) fn try_append(
        &mut self,
        decide: impl FnOnce(&Path, &State) -> Result<Decision, LedgerError>,
    ) -> Result<Done, LedgerError> {
        let path = &self.path;
        let fail = |error| LedgerError::from_sqlite(path, error);
        self.db.check_process(path)?;
        // Until the entry is on the disk.
        let _write = self.db.write()?;
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
pub(super) enum Decision {
    Append(Box<Event>, Option<Limit>),
    Recall { row: i64, hash: String },
}

/// What was done under the lock.
pub(super) enum Done {
    Appended(Raw),
    Recalled(Raw),
}

/// Verifies and adds the entries that the state lacks, and compares the end with the head.
pub(super) fn catch_up(
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
pub(super) fn read_verified(
    path: &Path,
    db: &Connection,
    row: i64,
    hash: &str,
) -> Result<Raw, LedgerError> {
    store::read_row(db, row)
        .map_err(|error| LedgerError::from_sqlite(path, error))?
        .filter(|raw| raw.hash == hash && raw.computed_hash() == hash)
        .ok_or_else(|| altered(path, vec![Fault::of_row(row, "it was edited")]))
}

pub(super) fn altered(path: &Path, faults: Vec<Fault>) -> LedgerError {
    LedgerError::Altered {
        path: path.to_owned(),
        fault: faults
            .into_iter()
            .next()
            .unwrap_or_else(|| Fault::of_file("its entries are not those that were written")),
    }
}

pub(super) fn account(state: &State) -> &Account {
    state
        .account
        .as_ref()
        .expect("decisions are made on a verified ledger, whose first row is a budget")
}
