//! The exact law of a sampler, found by feeding it every beginning of a bit stream. **For tests
//! only.**
//!
//! A sampler that is a *monotone* function of its bit stream, read as a binary number `0.b₁b₂b₃…`
//! from the most significant bit of the first word on, gives one outcome on a whole cell of streams
//! (those that begin with the same bits) as soon as it gives that outcome at both ends of the cell:
//! the beginning followed by zeros, and by ones. So [`masses`] cuts the unit interval where the
//! ends differ, and adds up cells of known mass. No draw is random.
//!
//! ```
//! use lastbit_exact::{Dyadic, Rational};
//! use lastbit_noise::{bernoulli, enumerate::masses};
//! let third = Rational::new(1, 3);
//! let masses = masses(100, |bits| bernoulli(&third, bits));
//! assert!(masses.of(&true).contains(&third));
//! assert_eq!(masses.undecided(), Dyadic::power_of_two(-100));
//! ```

use core::fmt::Debug;
use std::collections::BTreeMap;

use lastbit_exact::{Dyadic, Natural, Rational};

use crate::entropy::{Entropy, EntropyError};

/// Words that [`Prefix`] gives before it is exhausted: a sampler that wants more than 2^16 bits
/// will not decide.
pub const WORD_LIMIT: usize = 1024;

/// A bit stream with a chosen beginning and the same word repeated after it.
///
/// ```
/// use lastbit_noise::entropy::Entropy;
/// use lastbit_noise::enumerate::Prefix;
/// let mut bits = Prefix::new(0b101u8, 3, u64::MAX);
/// assert_eq!(bits.word()?, 0b1011 << 60 | u64::MAX >> 4);
/// assert_eq!(bits.word()?, u64::MAX);
/// assert_eq!(bits.words_read(), 2);
/// # Ok::<(), lastbit_noise::entropy::EntropyError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Prefix {
    words: Vec<u64>,
    rest: u64,
    read: usize,
}

impl Prefix {
    /// The low `length` bits of `bits`, the highest of them first, then the bits of `rest` to fill
    /// the word, then `rest` again and again: 0 for the lower end of the cell, `u64::MAX` for its
    /// upper end.
    ///
    /// # Panics
    /// If `bits` has more than `length` bits.
    pub fn new(bits: impl Into<Natural>, length: u32, rest: u64) -> Prefix {
        let bits = bits.into();
        let length = length as usize;
        assert!(&bits >> length == Natural::ZERO, "more than {length} bits");
        // Whole words, the last one filled up from `rest`.
        let count = length.div_ceil(64);
        let spare = 64 * count - length;
        let filled = (bits << spare) | Natural::from(rest.unbounded_shr(64 - spare as u32));
        let word = |i: usize| {
            let word = (&filled >> (64 * (count - 1 - i))) & Natural::from(u64::MAX);
            u64::try_from(word).expect("masked to 64 bits")
        };
        Prefix::of_words((0..count).map(word).collect::<Vec<u64>>(), rest)
    }

    /// These words, then `rest` again and again.
    pub fn of_words(words: impl Into<Vec<u64>>, rest: u64) -> Prefix {
        Prefix {
            words: words.into(),
            rest,
            read: 0,
        }
    }

    /// How many words were drawn.
    pub fn words_read(&self) -> usize {
        self.read
    }
}

impl Entropy for Prefix {
    fn fill(&mut self, words: &mut [u64]) -> Result<(), EntropyError> {
        for word in words {
            if self.read == WORD_LIMIT {
                return Err(EntropyError::exhausted());
            }
            *word = self.words.get(self.read).copied().unwrap_or(self.rest);
            self.read += 1;
        }
        Ok(())
    }
}

/// Exact masses of the outcomes of a monotone draw, as far as they were decided; the result of
/// [`masses`].
#[derive(Clone, Debug)]
pub struct Masses<T> {
    decided: BTreeMap<T, Dyadic>,
    undecided: Vec<UndecidedCell<T>>,
}

/// A cell with different outcomes at its ends, `None` where the draw failed.
#[derive(Clone, Debug)]
struct UndecidedCell<T> {
    ends: [Option<T>; 2],
    mass: Dyadic,
}

/// `lo ≤ P(outcome) ≤ hi`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mass {
    /// The mass of the cells that have the outcome.
    pub lo: Dyadic,
    /// The same and the mass of the undecided cells that may have it.
    pub hi: Dyadic,
}

impl Mass {
    /// Whether `lo ≤ probability ≤ hi`.
    pub fn contains(&self, probability: &Rational) -> bool {
        Rational::from(&self.lo) <= *probability && *probability <= Rational::from(&self.hi)
    }
}

impl<T: Ord> Masses<T> {
    /// The mass of an outcome. An undecided cell counts for every outcome from the one at its lower
    /// end to the one at its upper end, and for every outcome at all if the draw failed at an end.
    pub fn of(&self, outcome: &T) -> Mass {
        let lo = self.decided.get(outcome).cloned().unwrap_or(Dyadic::ZERO);
        let hi = self
            .undecided
            .iter()
            .filter(|cell| cell.may_have(outcome))
            .fold(lo.clone(), |sum, cell| &sum + &cell.mass);
        Mass { lo, hi }
    }

    /// The mass of all undecided cells.
    pub fn undecided(&self) -> Dyadic {
        let masses = self.undecided.iter().map(|cell| &cell.mass);
        masses.fold(Dyadic::ZERO, |sum, mass| &sum + mass)
    }

    /// The outcomes seen at an end of some cell, in order.
    pub fn outcomes(&self) -> Vec<&T> {
        let ends = self.undecided.iter().flat_map(|cell| &cell.ends).flatten();
        let mut outcomes: Vec<&T> = self.decided.keys().chain(ends).collect();
        outcomes.sort();
        outcomes.dedup();
        outcomes
    }
}

impl<T: Ord> UndecidedCell<T> {
    fn may_have(&self, outcome: &T) -> bool {
        match &self.ends {
            [Some(a), Some(b)] => a.min(b) <= outcome && outcome <= a.max(b),
            _ => true,
        }
    }
}

/// Runs `draw` at the ends of cells, from the whole unit interval down to cells of mass `2^-depth`,
/// and splits those whose ends differ. Cost: about `depth` runs per boundary between outcomes.
///
/// An error of `draw` (the stream is exhausted) makes the cell undecided.
///
/// # Panics
/// If a draw inside a cell, or at the middle of one, has an outcome outside those of its ends:
/// `draw` is not monotone.
pub fn masses<T: Ord + Clone + Debug, E>(
    depth: u32,
    mut draw: impl FnMut(&mut Prefix) -> Result<T, E>,
) -> Masses<T> {
    let mut masses = Masses {
        decided: BTreeMap::new(),
        undecided: Vec::new(),
    };
    let mut waiting = vec![(Natural::ZERO, 0)];
    while let Some((bits, length)) = waiting.pop() {
        let mut end = |rest| draw(&mut Prefix::new(bits.clone(), length, rest)).ok();
        let cell = UndecidedCell {
            ends: [end(0), end(u64::MAX)],
            mass: Dyadic::power_of_two(-i64::from(length)),
        };
        if let Some(inside) = end(INSIDE) {
            let [low, high] = &cell.ends;
            assert!(
                cell.may_have(&inside),
                "not monotone: {inside:?} between {low:?} and {high:?} after the bits {bits:b} of \
                 {length}"
            );
        }
        match cell.ends {
            [Some(outcome), Some(other)] if outcome == other => {
                let mass = masses.decided.entry(outcome).or_insert(Dyadic::ZERO);
                *mass = &*mass + &cell.mass;
            }
            _ if length == depth => masses.undecided.push(cell),
            _ => {
                let twice = bits << 1;
                waiting.push((&twice + Natural::ONE, length + 1));
                waiting.push((twice, length + 1));
            }
        }
    }
    masses
}

/// The fraction of the golden ratio, to stand for a point inside a cell.
const INSIDE: u64 = 0x9E37_79B9_7F4A_7C15;

#[cfg(test)]
mod tests;
