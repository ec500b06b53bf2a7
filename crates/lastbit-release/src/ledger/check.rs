//! Checks the whole file against itself and against hashes kept elsewhere.

use std::path::Path;

use super::LedgerError;
use super::account::Account;
use super::entry::Event;
use super::state::{Fault, State};
use super::store::{self, Access};

/// A row's hash that was kept outside the ledger: a head that was written down, or the receipt of a
/// report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The row, if it is known.
    pub row: Option<i64>,
    /// Its hash.
    pub hash: String,
}

/// What [`check`] found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Check {
    /// Everything that is wrong, in the order of the rows; empty if nothing is.
    pub faults: Vec<Fault>,
    /// What is worth knowing but not a fault: clocks that went back, budgets that trade ε for δ
    /// after a release, reservations that are not settled.
    pub notes: Vec<String>,
    /// How many entries there are.
    pub entries: i64,
    /// The hash of the last one.
    pub head: String,
    /// Budget and spending as the entries state them, if there are any.
    pub account: Option<Account>,
}

impl Check {
    /// Whether nothing is wrong.
    pub fn passed(&self) -> bool {
        self.faults.is_empty()
    }
}

/// Verifies a ledger from its first row to its last and finds every fault: rows that were edited,
/// removed, inserted or reordered, sums above the budget, and witnesses that it does not hold. An
/// error if the file cannot be read as a ledger at all.
pub fn check(path: &Path, witnesses: &[Witness]) -> Result<Check, LedgerError> {
    let fail = |error| LedgerError::from_sqlite(path, error);
    let mut db = match store::open(path, Access::Read) {
        Ok(db) => db,
        Err(LedgerError::Altered { fault, .. }) => return Ok(unopened(fault)),
        Err(LedgerError::Damaged { what, .. }) => {
            return Ok(unopened(Fault::of_file(format!("SQLite: {what}"))));
        }
        Err(error) => return Err(error),
    };
    // One transaction, so that rows and head belong together.
    let db = db.transaction().map_err(fail)?;
    let mut faults: Vec<Fault> = store::integrity(&db)
        .map_err(fail)?
        .into_iter()
        .map(|what| Fault::of_file(format!("SQLite: {what}")))
        .collect();
    let mut notes = Vec::new();
    let mut state = State::default();
    let mut time = String::new();
    let mut found = vec![false; witnesses.len()];
    store::read_after(&db, 0, |raw| {
        if let (Some(Event::Budget { budget, .. }), Some(account)) = (raw.event(), &state.account)
            && let Err(why) = account.check_trade(&budget)
        {
            notes.push(format!(
                "row {}: {why}; together, only the largest ε with the largest δ is promised",
                raw.row
            ));
        }
        if let Err(wrong) = state.apply(&raw) {
            faults.extend(wrong);
        }
        if raw.time < time {
            notes.push(format!(
                "row {}: its time {} is earlier than that of the row before; the clock went back",
                raw.row, raw.time
            ));
        }
        for (witness, found) in witnesses.iter().zip(&mut found) {
            *found |= witness.hash == raw.hash && witness.row.is_none_or(|row| row == raw.row);
        }
        time = raw.time;
    })
    .map_err(fail)?;
    if state.account.is_none() {
        faults.push(Fault::of_file("it has no budget"));
    }
    match store::read_head(&db).map_err(fail)? {
        Some((entries, hash)) if (entries, &hash) != (state.rows, &state.head) => {
            faults.push(Fault::of_file(format!(
                "the head says {entries} entries that end in {hash}, the entries end in row {} \
                 with {}",
                state.rows, state.head
            )));
        }
        Some(_) => {}
        None => faults.push(Fault::of_file("the head is missing")),
    }
    for (witness, _) in witnesses.iter().zip(found).filter(|(_, found)| !found) {
        faults.push(Fault {
            row: witness.row,
            what: format!(
                "no such row has the hash {}, which was kept elsewhere: entries were removed or \
                 replaced",
                witness.hash
            ),
        });
    }
    for row in state.waiting() {
        notes.push(format!(
            "row {row}: reserved and not settled, interrupted or under way; the loss stays spent"
        ));
    }
    Ok(Check {
        faults,
        notes,
        entries: state.rows,
        head: state.head,
        account: state.account,
    })
}

/// The check of a ledger that cannot be read row by row.
fn unopened(fault: Fault) -> Check {
    Check {
        faults: vec![fault],
        notes: Vec::new(),
        entries: 0,
        head: String::new(),
        account: None,
    }
}
