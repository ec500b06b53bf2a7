//! The bit patterns of a signed `U*`, in order, and the random words that make the shipped code
//! draw one of them.

use lastbit_exact::{Dyadic, Natural};
use lastbit_noise::entropy::{Entropy, EntropyError};

/// A value of `U*` at p bits by its rank: 0 is the largest, `1 − 2^-p`, and each next one is the
/// next smaller.
///
/// Rank `(e − 1)·2^(p−1) + (2^(p−1) − 1 − m)` is the value `(1 + m/2^(p−1))·2^-e`.
///
/// ```
/// use lastbit_exact::{Dyadic, Natural};
/// use lastbit_verify::exact::Pattern;
/// let largest = Pattern::of_rank(&Natural::ZERO, 53);
/// assert_eq!(largest.value(), &Dyadic::ONE - &Dyadic::power_of_two(-53));
/// assert_eq!(Pattern::mass_from(&Natural::ZERO, 53), Dyadic::ONE);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// `e ≥ 1`.
    pub exponent: u64,
    /// `0 ≤ m < 2^(p−1)`.
    pub mantissa: Natural,
    precision: u32,
}

impl Pattern {
    /// The pattern of a rank at `precision ≥ 2` bits. The rank is below `2^63·2^(p−1)`.
    pub fn of_rank(rank: &Natural, precision: u32) -> Pattern {
        let (octave, below) = split(rank, precision);
        Pattern {
            exponent: octave + 1,
            mantissa: (Natural::ONE << (precision as usize - 1)) - Natural::ONE - below,
            precision,
        }
    }

    /// The rank of the smallest value with this exponent.
    pub fn last_rank(exponent: u64, precision: u32) -> Natural {
        (Natural::from(exponent) << (precision as usize - 1)) - Natural::ONE
    }

    /// `(1 + m/2^(p−1))·2^-e`.
    pub fn value(&self) -> Dyadic {
        let bits = self.precision as usize - 1;
        let significand = (Natural::ONE << bits) | self.mantissa.clone();
        Dyadic::new(significand, -(bits as i64) - self.exponent as i64)
    }

    /// `P(rank of U* ≥ rank)`, exactly: a value and all below it together weigh as much as the next
    /// larger value.
    pub fn mass_from(rank: &Natural, precision: u32) -> Dyadic {
        let (octave, below) = split(rank, precision);
        let steps = (Natural::ONE << precision as usize) - below;
        Dyadic::new(steps, -(octave as i64) - i64::from(precision))
    }
}

/// `e − 1` and `2^(p−1) − 1 − m`.
fn split(rank: &Natural, precision: u32) -> (u64, Natural) {
    let bits = precision as usize - 1;
    let octave = u64::try_from(rank >> bits).expect("ranks are made of 64-bit exponents");
    (octave, rank & ((Natural::ONE << bits) - Natural::ONE))
}

/// How a release reads its random words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Layout {
    /// Sign, fraction and eleven coins in one word, then further coins, of which one word is read
    /// in any case (`SignedUStar64`).
    Binary64,
    /// A word whose first bit is the sign, coins, then the mantissa from its first bit on
    /// (`UStar`).
    Multi,
}

/// The random words on which a release draws one sign and one pattern, and not a word more.
#[derive(Clone, Debug)]
pub struct Replay {
    head: u64,
    zero_words: u64,
    /// What follows the zeros: the word that ends the coins, if they go on after the head, and the
    /// mantissa.
    tail: Vec<u64>,
    read: u64,
}

impl Replay {
    /// Words for this draw.
    pub fn new(layout: Layout, negative: bool, pattern: &Pattern) -> Replay {
        let sign = u64::from(negative) << 63;
        match layout {
            Layout::Binary64 => {
                let fraction = u64::try_from(&pattern.mantissa).expect("52 bits of mantissa");
                let head = sign | fraction << 11;
                if pattern.exponent <= 11 {
                    return Replay::of(head | 1 << (11 - pattern.exponent), 0, vec![0]);
                }
                let (zero_words, stop) = coins(pattern.exponent - 11);
                Replay::of(head, zero_words, vec![stop])
            }
            Layout::Multi => {
                let (zero_words, stop) = coins(pattern.exponent);
                let mut tail = vec![stop];
                let mut missing = pattern.precision as usize - 1;
                while missing > 0 {
                    let take = missing.min(64);
                    missing -= take;
                    let chunk =
                        (&pattern.mantissa >> missing) & Natural::from(u64::MAX >> (64 - take));
                    let chunk = u64::try_from(chunk).expect("masked to 64 bits");
                    tail.push(chunk << (64 - take));
                }
                Replay::of(sign, zero_words, tail)
            }
        }
    }

    fn of(head: u64, zero_words: u64, tail: Vec<u64>) -> Replay {
        Replay {
            head,
            zero_words,
            tail,
            read: 0,
        }
    }

    /// Whether every word was read.
    pub fn is_used_up(&self) -> bool {
        self.read == 1 + self.zero_words + self.tail.len() as u64
    }
}

/// `e − 1` zeros, then a one: whole words of zeros, and the word with the one.
fn coins(exponent: u64) -> (u64, u64) {
    let zeros = exponent - 1;
    (zeros / 64, 1 << (63 - zeros % 64))
}

impl Entropy for Replay {
    fn fill(&mut self, words: &mut [u64]) -> Result<(), EntropyError> {
        for word in words {
            *word = match self.read {
                0 => self.head,
                i if i <= self.zero_words => 0,
                i => *usize::try_from(i - 1 - self.zero_words)
                    .ok()
                    .and_then(|i| self.tail.get(i))
                    .ok_or_else(EntropyError::exhausted)?,
            };
            self.read += 1;
        }
        Ok(())
    }
}
