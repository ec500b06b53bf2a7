//! Reserve, then settle.

use std::path::Path;

use super::budget::check_loss;
use super::entry::{Event, Raw};
use super::error::sufficient;
use super::state::State;
use super::transact::{Decision, Done, account, read_verified};
use super::{Composed, Ledger, LedgerError, Limit, Refusal};
use crate::loss::Loss;

/// A release that wants to spend.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The hash of the plan: everything that the released numbers depend on, except data and noise.
    pub plan: String,
    /// The fingerprint of the data.
    pub data: String,
    /// The loss of the whole release: in the measure of the ledger's budget, or in that of its
    /// [terms](super::Terms).
    pub loss: Loss,
    /// What is released, in words, for people who read the ledger.
    pub description: String,
}

/// The answer to a request.
#[derive(Debug)]
pub enum Outcome {
    /// The loss is spent, durably; noise may be drawn.
    Reserved(Reserved),
    /// The same plan on the same data was released before: here is its report again, at no cost.
    Stored(Stored),
}

/// Proof that a loss was durably subtracted from a budget. Only the ledger makes one, and noise on
/// data can be drawn only with one. If it is dropped, the loss stays spent. (A rehearsal has one
/// from a ledger in memory, and invented rows.)
///
/// ```compile_fail
/// // There is no other way to have one,
/// let forged = lastbit_release::ledger::Reserved { row: 1 };
/// ```
/// ```compile_fail
/// // and no way to have it twice.
/// fn twice(reserved: lastbit_release::ledger::Reserved) {
///     let _ = reserved.clone();
/// }
/// ```
#[derive(Debug)]
#[must_use = "the loss is spent; draw the noise and settle"]
pub struct Reserved {
    row: i64,
    hash: String,
    time: String,
    loss: Loss,
    plan: String,
    data: String,
}

impl Reserved {
    /// The row of the reservation.
    pub fn row(&self) -> i64 {
        self.row
    }

    /// The hash of that row, for receipts.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// When it was reserved, in UTC.
    pub fn time(&self) -> &str {
        &self.time
    }

    /// What was reserved.
    pub fn loss(&self) -> &Loss {
        &self.loss
    }

    /// The hash of the plan for which it was reserved.
    pub fn plan(&self) -> &str {
        &self.plan
    }

    /// The fingerprint of the data for which it was reserved.
    pub fn data(&self) -> &str {
        &self.data
    }
}

/// An earlier release.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stored {
    /// The row of its settlement.
    pub row: i64,
    /// The row of its reservation.
    pub reserve: i64,
    /// When it was settled, in UTC.
    pub time: String,
    /// Its report, byte for byte as it was settled.
    pub report: String,
}

impl Stored {
    fn of(raw: Raw) -> Stored {
        Stored {
            row: raw.row,
            reserve: raw.reserve.unwrap_or_default(),
            time: raw.time,
            report: raw.report.unwrap_or_default(),
        }
    }
}

impl Ledger {
    /// Spends the loss, or returns what was released before for the same plan on the same data.
    /// When this returns [`Reserved`], the loss is on the disk: `spent + loss ≤ budget`, or the
    /// rule of [`Account`](super::Account), held under the lock of all processes.
    pub fn reserve(&mut self, request: &Request) -> Result<Outcome, LedgerError> {
        check_loss(&request.loss)?;
        let done = self.append(|path, state| decide(path, state, request))?;
        Ok(match done {
            Done::Appended(raw) => Outcome::Reserved(Reserved {
                row: raw.row,
                hash: raw.hash,
                time: raw.time,
                loss: request.loss.clone(),
                plan: request.plan.clone(),
                data: request.data.clone(),
            }),
            Done::Recalled(raw) => Outcome::Stored(Stored::of(raw)),
        })
    }

    /// What [`reserve`](Ledger::reserve) would answer now, without spending anything: an earlier
    /// release, nothing if the loss fits, or why it would be refused.
    pub fn foresee(&mut self, request: &Request) -> Result<Option<Stored>, LedgerError> {
        check_loss(&request.loss)?;
        self.look(|path, db, state| match decide(path, state, request)? {
            Decision::Append(..) => Ok(None),
            Decision::Recall { row, hash } => {
                let raw = read_verified(path, db, row, &hash)?;
                Ok(Some(Stored::of(raw)))
            }
        })
    }

    /// The earlier release on these data under one of these plans, at no cost.
    pub fn recall(&mut self, plans: &[String], data: &str) -> Result<Option<Stored>, LedgerError> {
        self.look(|path, db, state| {
            let data = state.hidden(data);
            plans
                .iter()
                .find_map(|plan| state.settled(plan, &data))
                .map(|(row, hash)| read_verified(path, db, *row, hash))
                .transpose()
                .map(|raw| raw.map(Stored::of))
        })
    }

    /// Whether the data changed since the last such release: the row and time of the last
    /// reservation under one of these plans, or with this description, if it was on other data.
    pub fn changed_since(
        &mut self,
        plans: &[String],
        description: &str,
        data: &str,
    ) -> Result<Option<(i64, String)>, LedgerError> {
        self.look(|_, _, state| {
            let names = plans.iter().map(String::as_str).chain([description]);
            Ok(state.last_on_other_data(names, &state.hidden(data)))
        })
    }

    /// Stores what was released. When this returns, the report is on the disk, and may be shown.
    /// After an error the report must not be shown; the loss stays spent.
    pub fn settle(&mut self, reserved: Reserved, report: &str) -> Result<(), LedgerError> {
        self.db.check_process(&self.path)?;
        let mine = super::store::read_row(&self.db, reserved.row)
            .map_err(|error| LedgerError::from_sqlite(&self.path, error))?
            .is_some_and(|raw| raw.hash == reserved.hash);
        self.append(|path, state| {
            if !mine || !state.is_waiting(reserved.row) {
                return Err(LedgerError::NotReserved {
                    path: path.to_owned(),
                    row: reserved.row,
                });
            }
            let event = Event::Settle {
                reserve: reserved.row,
                report: report.to_owned(),
            };
            Ok(Decision::Append(Box::new(event), None))
        })
        .map(|_| ())
    }
}

/// Recalls an earlier release, spends if the loss fits, or refuses.
fn decide(path: &Path, state: &State, request: &Request) -> Result<Decision, LedgerError> {
    let account = account(state);
    let loss = &request.loss;
    let Some(remaining) = account.remaining_in(loss.measure) else {
        return Err(LedgerError::MeasureDiffers {
            path: path.to_owned(),
            ledger: account.remaining().measure,
            asked: loss.measure,
        });
    };
    let data = state.hidden(&request.data);
    if let Some((row, hash)) = state.settled(&request.plan, &data) {
        return Ok(Decision::Recall {
            row: *row,
            hash: hash.clone(),
        });
    }
    let plain = loss.measure == account.budget.measure;
    if plain && account.composed.as_ref().is_some_and(Composed::is_touched) {
        return Err(LedgerError::Composes {
            path: path.to_owned(),
            remaining: Box::new(account.remaining()),
        });
    }
    if !loss.fits(&remaining) {
        return Err(LedgerError::Refused(Box::new(Refusal {
            path: path.to_owned(),
            requested: loss.clone(),
            options: sufficient(account, loss),
            is_all: false,
            remaining,
        })));
    }
    let event = Event::Reserve {
        loss: loss.clone(),
        plan: request.plan.clone(),
        data,
        description: request.description.clone(),
    };
    // A loss taken plainly leaves less to compose.
    let limit = match account.composed.as_ref().filter(|_| plain) {
        None => None,
        Some(composed) => {
            let left = account.budget.minus(&account.spent.plus(loss)?);
            Some(Limit::new(&composed.terms, &left))
        }
    };
    Ok(Decision::Append(Box::new(event), limit))
}
