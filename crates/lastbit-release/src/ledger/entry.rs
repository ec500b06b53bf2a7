//! Entries: their meaning, their canonical text, and the hash that chains them.

use core::fmt::Write as _;

use lastbit_exact::Rational;
use sha2::{Digest, Sha256};

use super::terms::{Limit, Terms};
use crate::loss::{Loss, LossMeasure};

/// One row of a ledger, as it was verified.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Entry {
    /// Its number, from 1.
    pub row: i64,
    /// When it was written, by the clock of the machine that wrote it. Only for information: the
    /// order is that of the rows.
    pub time: String,
    /// What happened.
    pub event: Event,
    /// If losses compose, for a budget or a loss taken plainly from it: the terms, and the most
    /// that may be spent from here on.
    pub limit: Option<Limit>,
    /// The hash of the row before; in row 1, the random number of the ledger.
    pub previous: String,
    /// SHA-256 over the canonical text, which holds all of the above.
    pub hash: String,
}

/// What an entry records.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The budget from here on.
    Budget {
        /// The whole budget, not a change of it.
        budget: Loss,
        /// Why.
        note: String,
    },
    /// A loss that counts as spent from here on, whatever happens later.
    Reserve {
        /// The loss.
        loss: Loss,
        /// The hash of the plan.
        plan: String,
        /// The data, as a hash of their fingerprint that only this ledger can make.
        data: String,
        /// What is released, in words.
        description: String,
    },
    /// What was released under a reservation.
    Settle {
        /// The row of the reservation.
        reserve: i64,
        /// The report, in JSON.
        report: String,
    },
}

/// A row as the file holds it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Raw {
    pub row: i64,
    pub time: String,
    pub kind: String,
    pub measure: Option<String>,
    pub main: Option<String>,
    pub delta: Option<String>,
    pub plan: Option<String>,
    pub data: Option<String>,
    pub description: Option<String>,
    pub reserve: Option<i64>,
    pub report: Option<String>,
    pub previous: String,
    pub hash: String,
    pub currency: Option<String>,
    pub thresholds: Option<String>,
    pub most: Option<String>,
}

impl Raw {
    /// An entry that is chained to `previous`.
    pub fn new(
        row: i64,
        time: String,
        event: &Event,
        limit: Option<&Limit>,
        previous: String,
    ) -> Raw {
        let mut raw = Raw::columns(row, time, event, limit, previous);
        raw.hash = raw.computed_hash();
        raw
    }

    /// Every column except the hash.
    fn columns(
        row: i64,
        time: String,
        event: &Event,
        limit: Option<&Limit>,
        previous: String,
    ) -> Raw {
        let mut raw = Raw {
            row,
            time,
            previous,
            currency: limit.map(|limit| Terms::word(limit.terms.currency).into()),
            thresholds: limit.map(|limit| limit.terms.thresholds.to_string()),
            most: limit.map(|limit| limit.most.to_string()),
            ..Raw::default()
        };
        let set_loss = |raw: &mut Raw, loss: &Loss| {
            raw.measure = Some(loss.measure.name().into());
            raw.main = Some(loss.main.to_string());
            raw.delta = Some(loss.delta.to_string());
        };
        match event {
            Event::Budget { budget, note } => {
                raw.kind = "budget".into();
                set_loss(&mut raw, budget);
                raw.description = Some(note.clone());
            }
            Event::Reserve {
                loss,
                plan,
                data,
                description,
            } => {
                raw.kind = "reserve".into();
                set_loss(&mut raw, loss);
                raw.plan = Some(plan.clone());
                raw.data = Some(data.clone());
                raw.description = Some(description.clone());
            }
            Event::Settle { reserve, report } => {
                raw.kind = "settle".into();
                raw.reserve = Some(*reserve);
                raw.report = Some(report.clone());
            }
        }
        raw
    }

    /// SHA-256, in hex, over [`Raw::canonical`].
    pub fn computed_hash(&self) -> String {
        hex(&Sha256::digest(self.canonical()))
    }

    /// Whether it has one of the columns that format 1 lacks.
    pub fn has_limit(&self) -> bool {
        self.currency.is_some() || self.thresholds.is_some() || self.most.is_some()
    }

    /// Every column except the hash, in one text that no other row has: names, lengths in bytes,
    /// and values. An entry without a limit has the text of format 1.
    fn canonical(&self) -> String {
        let row = self.row.to_string();
        let reserve = self.reserve.map(|reserve| reserve.to_string());
        let fields = [
            ("previous", Some(&self.previous)),
            ("row", Some(&row)),
            ("time", Some(&self.time)),
            ("kind", Some(&self.kind)),
            ("measure", self.measure.as_ref()),
            ("main", self.main.as_ref()),
            ("delta", self.delta.as_ref()),
            ("plan", self.plan.as_ref()),
            ("data", self.data.as_ref()),
            ("description", self.description.as_ref()),
            ("reserve", reserve.as_ref()),
            ("report", self.report.as_ref()),
            ("currency", self.currency.as_ref()),
            ("thresholds", self.thresholds.as_ref()),
            ("most", self.most.as_ref()),
        ];
        let (first, fields) = match self.has_limit() {
            true => ("lastbit-ledger-2\n", &fields[..]),
            false => ("lastbit-ledger-1\n", &fields[..fields.len() - 3]),
        };
        let mut text = String::from(first);
        for (name, value) in fields {
            // Writing to a String cannot fail.
            let _ = match value {
                Some(value) => writeln!(text, "{name}={}:{value}", value.len()),
                None => writeln!(text, "{name}=-"),
            };
        }
        text
    }

    /// The event of the columns, if [`Raw::new`] would write exactly these columns for it.
    pub fn event(&self) -> Option<Event> {
        let event = match self.kind.as_str() {
            "budget" => Event::Budget {
                budget: self.loss()?,
                note: self.description.clone()?,
            },
            "reserve" => Event::Reserve {
                loss: self.loss()?,
                plan: self.plan.clone()?,
                data: self.data.clone()?,
                description: self.description.clone()?,
            },
            "settle" => Event::Settle {
                reserve: self.reserve?,
                report: self.report.clone()?,
            },
            _ => return None,
        };
        let limit = self.limit();
        let again = Raw::columns(
            self.row,
            self.time.clone(),
            &event,
            limit.as_ref(),
            self.previous.clone(),
        );
        let same = Raw {
            hash: self.hash.clone(),
            ..again
        };
        (same == *self).then_some(event)
    }

    /// The terms and the limit, if the columns state them.
    pub fn limit(&self) -> Option<Limit> {
        let number = |text: &Option<String>| text.as_ref()?.parse::<Rational>().ok();
        Some(Limit {
            terms: Terms {
                currency: Terms::currency_of(self.currency.as_ref()?)?,
                thresholds: number(&self.thresholds)?,
            },
            most: number(&self.most)?,
        })
    }

    fn loss(&self) -> Option<Loss> {
        let number = |text: &Option<String>| text.as_ref()?.parse::<Rational>().ok();
        let measure = LossMeasure::from_name(self.measure.as_ref()?)?;
        Loss::new(measure, number(&self.main)?, number(&self.delta)?).ok()
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
