//! The list of kinds: what is known of each by its word alone.

use std::sync::Arc;

use super::{Kind, Reading};
use crate::plan::PlanError;

/// How a kind is read from a plan.
pub(crate) type Read = fn(&Reading<'_>) -> Result<Arc<dyn Kind>, PlanError>;

/// What is known of a kind by its word alone. A stored report has nothing else of it, so how its
/// numbers are shown is here and not in [`Kind`].
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    word: &'static str,
    read: Read,
    mark: Mark,
    label: &'static str,
    withheld: &'static str,
}

/// How a number is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// An upright column, for histograms.
    Columns,
    /// A bar from zero, for amounts.
    Bars,
    /// A point on a scale that need not hold zero.
    Dots,
}

impl Entry {
    /// A kind whose numbers are places on a scale, and which withholds those of too few rows.
    pub(super) const fn new(word: &'static str, read: Read) -> Entry {
        Entry {
            word,
            read,
            mark: Mark::Dots,
            label: "of",
            withheld: "with the noise, there are too few rows to make a number of",
        }
    }

    /// Its numbers are drawn so.
    pub(super) const fn drawn_as(self, mark: Mark) -> Entry {
        Entry { mark, ..self }
    }

    /// Its labels have this heading.
    pub(super) const fn labelled(self, label: &'static str) -> Entry {
        Entry { label, ..self }
    }

    /// A number is withheld for this reason.
    pub(super) const fn withheld_if(self, withheld: &'static str) -> Entry {
        Entry { withheld, ..self }
    }

    /// The word in a plan and in a report.
    pub const fn word(&self) -> &'static str {
        self.word
    }

    /// How it is read from a plan.
    pub(crate) const fn read(&self) -> Read {
        self.read
    }

    /// How its numbers are drawn.
    pub const fn mark(&self) -> Mark {
        self.mark
    }

    /// The heading of the labels of its numbers, such as "bin".
    pub const fn label(&self) -> &'static str {
        self.label
    }

    /// Why a number is withheld.
    pub const fn withheld(&self) -> &'static str {
        self.withheld
    }

    /// The kind with this word. One that is not known, as in the report of a later version, is
    /// shown like most others.
    pub fn of(word: &str) -> Entry {
        let mut known = super::KINDS.iter();
        match known.find(|entry| entry.word == word) {
            Some(entry) => *entry,
            None => super::mean::ENTRY,
        }
    }
}

/// The words of all kinds, in the order of [`KINDS`](super::KINDS).
pub const WORDS: [&str; super::KINDS.len()] = {
    let mut words = [""; super::KINDS.len()];
    let mut index = 0;
    while index < words.len() {
        words[index] = super::KINDS[index].word;
        index += 1;
    }
    words
};
