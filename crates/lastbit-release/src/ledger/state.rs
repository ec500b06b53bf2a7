//! The sum of the entries, and whether they are as they were written.

use std::collections::{BTreeSet, HashMap};

use sha2::{Digest, Sha256};

use super::account::Account;
use super::entry::{Event, Raw};
use crate::loss::Loss;

/// The sum of a verified chain of entries.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    /// How many entries there are: the number of the last row.
    pub rows: i64,
    /// The hash of the last row.
    pub head: String,
    /// The random number to which row 1 is chained.
    identity: String,
    /// The budget in force and all that was reserved; present from the first row on.
    pub account: Option<Account>,
    /// Every budget that was in force, each once.
    pub budgets: Vec<Loss>,
    /// Reservations that wait to be settled, with their plan and data.
    waiting: HashMap<i64, (String, String)>,
    /// The first settled row of a plan and data, with its hash.
    settled: HashMap<(String, String), (i64, String)>,
    /// The last reservation of each plan, and of each description: its row, its time and its data.
    last: HashMap<String, (i64, String, String)>,
}

/// One thing that is wrong with a ledger.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{what}", match row { Some(row) => format!("row {row}: "), None => String::new() })]
pub struct Fault {
    /// The row, if it is a fault of one row.
    pub row: Option<i64>,
    /// What is wrong.
    pub what: String,
}

impl Fault {
    pub(super) fn of_row(row: i64, what: impl Into<String>) -> Fault {
        Fault {
            row: Some(row),
            what: what.into(),
        }
    }

    pub(super) fn of_file(what: impl Into<String>) -> Fault {
        Fault {
            row: None,
            what: what.into(),
        }
    }
}

impl State {
    /// Adds an entry, or says all that is wrong with it. Then the state continues as if the entry
    /// were right, as far as it has a meaning.
    pub fn apply(&mut self, raw: &Raw) -> Result<Event, Vec<Fault>> {
        let mut faults = Vec::new();
        let mut fault = |what: String| faults.push(Fault::of_row(raw.row, what));
        if raw.row != self.rows + 1 {
            fault(format!(
                "rows are missing: this one should be row {}",
                self.rows + 1
            ));
        }
        if self.rows > 0 && raw.previous != self.head {
            fault("it is not chained to the row before it".into());
        }
        if raw.hash != raw.computed_hash() {
            fault("its hash is not that of its contents: it was edited".into());
        }
        let event = raw.event();
        match &event {
            Some(event) => {
                if let Err(what) = self.add(raw, event) {
                    fault(what);
                }
            }
            None => fault("it is not a budget, reservation or settlement".into()),
        }
        if raw.row == 1 {
            self.identity.clone_from(&raw.previous);
        }
        self.rows = raw.row;
        self.head.clone_from(&raw.hash);
        match event {
            Some(event) if faults.is_empty() => Ok(event),
            _ => Err(faults),
        }
    }

    /// Whether the reservation in this row waits to be settled.
    pub fn is_waiting(&self, row: i64) -> bool {
        self.waiting.contains_key(&row)
    }

    /// The rows of reservations that wait to be settled.
    pub fn waiting(&self) -> BTreeSet<i64> {
        self.waiting.keys().copied().collect()
    }

    /// What entries hold for data of this fingerprint: SHA-256 over the ledger's random number and
    /// the fingerprint. The hashes of rows are published with reports. With a plain fingerprint,
    /// whoever knows the rest of a row, and the data except one person, could try that person's
    /// rows until the hash fits.
    pub fn hidden(&self, fingerprint: &str) -> String {
        let text = format!("lastbit-ledger-data\n{}\n{fingerprint}", self.identity);
        super::entry::hex(&Sha256::digest(text))
    }

    /// The row, with its hash, that first settled a release of this plan on these
    /// [hidden](State::hidden) data.
    pub fn settled(&self, plan: &str, data: &str) -> Option<&(i64, String)> {
        self.settled.get(&(plan.to_owned(), data.to_owned()))
    }

    /// The row and time of the last reservation under one of these plans or descriptions, if it was
    /// on other data than these, [hidden](State::hidden).
    pub fn last_on_other_data<'a>(
        &self,
        names: impl Iterator<Item = &'a str>,
        data: &str,
    ) -> Option<(i64, String)> {
        let (row, time, last) = names
            .filter_map(|name| self.last.get(name))
            .max_by_key(|(row, ..)| *row)?;
        (last != data).then(|| (*row, time.clone()))
    }

    /// Whether the description of a reservation ends like this.
    pub fn has_description(&self, end: &str) -> bool {
        self.last.keys().any(|name| name.ends_with(end))
    }

    fn add(&mut self, raw: &Raw, event: &Event) -> Result<(), String> {
        let limit = raw.limit();
        let limit = limit.as_ref();
        match event {
            Event::Budget { budget, .. } => {
                if !self.budgets.contains(budget) {
                    self.budgets.push(budget.clone());
                }
            }
            Event::Reserve {
                plan,
                data,
                description,
                ..
            } => {
                for name in [plan, description] {
                    let last = (raw.row, raw.time.clone(), data.clone());
                    self.last.insert(name.clone(), last);
                }
                self.waiting.insert(raw.row, (plan.clone(), data.clone()));
            }
            Event::Settle { reserve, .. } => {
                let Some(asked) = self.waiting.remove(reserve) else {
                    return Err(format!(
                        "it settles row {reserve}, which is not a waiting reservation"
                    ));
                };
                self.settled
                    .entry(asked)
                    .or_insert_with(|| (raw.row, raw.hash.clone()));
            }
        }
        match (&mut self.account, event) {
            (Some(account), event) => account.add(event, limit),
            (None, Event::Budget { budget, .. }) => {
                self.account = Some(Account::new(budget, limit)?);
                Ok(())
            }
            (None, _) => Err("a reservation comes before any budget".into()),
        }
    }
}
