//! The words of kinds, and what follows from a word alone.

use std::sync::Arc;

use super::{Kind, Reading};
use crate::plan::PlanError;

/// How a kind is read from a plan.
pub(crate) type Read = fn(&Reading<'_>) -> Result<Arc<dyn Kind>, PlanError>;

/// The word of a kind in plans and reports, and what follows from it alone. A stored report has
/// nothing else of the kind, so how its numbers are shown is here and not in [`Kind`].
#[derive(Clone, Copy, Debug)]
pub struct Word {
    text: &'static str,
    read: Read,
    mark: Mark,
    label: &'static str,
    withheld: &'static str,
    is_of_one: bool,
    is_within_bounds: bool,
    is_average: bool,
    is_count: bool,
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

impl Word {
    /// A kind whose numbers are places on a scale, and which withholds those of too few rows.
    pub(super) const fn new(text: &'static str, read: Read) -> Word {
        Word {
            text,
            read,
            mark: Mark::Dots,
            label: "of",
            withheld: "with the noise, there are too few rows to make a number of",
            is_of_one: false,
            is_within_bounds: false,
            is_average: false,
            is_count: false,
        }
    }

    /// Its numbers lie within the bounds of its column, to which cells are cut.
    pub(super) const fn within_bounds(self) -> Word {
        Word {
            is_within_bounds: true,
            ..self
        }
    }

    /// Its numbers are averages of cells within the bounds of its column.
    pub(super) const fn average(self) -> Word {
        Word {
            is_average: true,
            ..self.within_bounds()
        }
    }

    /// Its numbers count something, so that none is below zero.
    pub(super) const fn counting(self) -> Word {
        Word {
            is_count: true,
            ..self
        }
    }

    /// It is of its first column on the others.
    pub(super) const fn of_one(self) -> Word {
        Word {
            is_of_one: true,
            ..self
        }
    }

    /// Its numbers are drawn so.
    pub(super) const fn drawn_as(self, mark: Mark) -> Word {
        Word { mark, ..self }
    }

    /// Its labels have this heading.
    pub(super) const fn labelled(self, label: &'static str) -> Word {
        Word { label, ..self }
    }

    /// A number is withheld for this reason.
    pub(super) const fn withheld_if(self, withheld: &'static str) -> Word {
        Word { withheld, ..self }
    }

    /// The word itself.
    pub const fn text(&self) -> &'static str {
        self.text
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

    /// Whether it is of its first column on the others.
    pub const fn is_of_one(&self) -> bool {
        self.is_of_one
    }

    /// Whether its numbers lie within the bounds of its column, to which cells are cut.
    pub const fn is_within_bounds(&self) -> bool {
        self.is_within_bounds
    }

    /// Whether its numbers are averages of cells within those bounds.
    pub const fn is_average(&self) -> bool {
        self.is_average
    }

    /// Whether its numbers count something.
    pub const fn is_count(&self) -> bool {
        self.is_count
    }

    /// Why a number is withheld.
    pub const fn withheld(&self) -> &'static str {
        self.withheld
    }

    /// The kind with this word. One that is not known, as in the report of a later version, is
    /// shown like most others.
    pub fn of(word: &str) -> Word {
        let mut known = super::KINDS.iter();
        match known.find(|known| known.text == word) {
            Some(found) => *found,
            None => super::mean::WORD,
        }
    }
}

/// The words of all kinds, in the order of [`KINDS`](super::KINDS).
pub const WORDS: [&str; super::KINDS.len()] = {
    let mut words = [""; super::KINDS.len()];
    let mut index = 0;
    while index < words.len() {
        words[index] = super::KINDS[index].text;
        index += 1;
    }
    words
};
