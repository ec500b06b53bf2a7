use core::fmt::Debug;

use lastbit_exact::{Natural, Rational, Rounding};

use super::SelectionError;

/// A score, taken exactly: `i64`, `f64` or [`Rational`].
///
/// The time of a selection does not depend on the values of `i64` and `f64` scores; rationals are
/// big numbers, whose size shows.
pub trait Score: ScoreNumber + Clone + Debug + PartialOrd + Send + Sync + 'static {}

impl<S: ScoreNumber + Clone + Debug + PartialOrd + Send + Sync + 'static> Score for S {}

/// Candidates with equal scores, next to each other: `length` of them. A run of length 0 holds
/// none.
///
/// A run of 2^128 is two runs of 2^127.
///
/// ```
/// use lastbit::mechanisms::exponential::Run;
/// let quality = [Run { length: 1 << 64, score: -3i64 }, Run { length: 10, score: 0 }];
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run<S> {
    /// How many candidates.
    pub length: u128,
    /// The score of each.
    pub score: S,
}

/// What the sampler needs of a score.
pub trait ScoreNumber: Sized {
    /// The value if it is NaN or an infinity.
    #[doc(hidden)]
    fn not_finite(&self) -> Option<f64>;
    /// `(largest − self)(1 + δ)`, |δ| ≤ 2^-53, or off by at most 2^-1074; infinite if above every
    /// double. For `self ≤ largest`.
    #[doc(hidden)]
    fn below(&self, largest: &Self) -> f64;
    /// The exact value of a finite score.
    #[doc(hidden)]
    fn exact(&self) -> Rational;
}

impl ScoreNumber for f64 {
    #[inline(always)]
    fn not_finite(&self) -> Option<f64> {
        (!self.is_finite()).then_some(*self)
    }

    #[inline(always)]
    fn below(&self, largest: &f64) -> f64 {
        largest - self
    }

    fn exact(&self) -> Rational {
        Rational::try_from(*self).expect("scores are checked to be finite before they are used")
    }
}

impl ScoreNumber for i64 {
    #[inline(always)]
    fn not_finite(&self) -> Option<f64> {
        None
    }

    #[inline(always)]
    fn below(&self, largest: &i64) -> f64 {
        // As self ≤ largest, the difference is in [0, 2^64).
        to_double(largest.wrapping_sub(*self) as u64)
    }

    fn exact(&self) -> Rational {
        Rational::from(*self)
    }
}

impl ScoreNumber for Rational {
    fn not_finite(&self) -> Option<f64> {
        None
    }

    fn below(&self, largest: &Rational) -> f64 {
        (largest - self).to_f64(Rounding::NearestEven)
    }

    fn exact(&self) -> Rational {
        self.clone()
    }
}

/// A candidate, or a run of them.
pub trait Item: Sync {
    /// The type of its score.
    type Score: Score;
    #[doc(hidden)]
    fn score(&self) -> &Self::Score;
    /// `length·(1 + δ)`, |δ| ≤ 2^-52 + 2^-105.
    #[doc(hidden)]
    fn length(&self) -> f64;
    #[doc(hidden)]
    fn exact_length(&self) -> Natural;
}

impl<S: Score> Item for S {
    type Score = S;

    #[inline(always)]
    fn score(&self) -> &S {
        self
    }

    #[inline(always)]
    fn length(&self) -> f64 {
        1.0
    }

    fn exact_length(&self) -> Natural {
        Natural::ONE
    }
}

impl<S: Score> Item for Run<S> {
    type Score = S;

    #[inline(always)]
    fn score(&self) -> &S {
        &self.score
    }

    #[inline(always)]
    fn length(&self) -> f64 {
        // Two roundings of parts and one of the sum.
        const TWO_64: f64 = 18_446_744_073_709_551_616.0;
        to_double((self.length >> 64) as u64) * TWO_64 + to_double(self.length as u64)
    }

    fn exact_length(&self) -> Natural {
        Natural::from(self.length)
    }
}

/// The largest score of a candidate, in one pass.
pub(super) fn largest<I: Item>(items: &[I]) -> Result<I::Score, SelectionError> {
    let mut finite = true;
    let mut largest: Option<&I::Score> = None;
    for item in items {
        let score = item.score();
        finite &= score.not_finite().is_none();
        let candidate = (item.length() > 0.0).then_some(score);
        largest = match (largest, candidate) {
            (Some(a), Some(b)) => Some(if b > a { b } else { a }),
            (a, b) => a.or(b),
        };
    }
    if !finite {
        return Err(first_not_finite(items));
    }
    largest.cloned().ok_or(SelectionError::Empty)
}

#[cold]
fn first_not_finite<I: Item>(items: &[I]) -> SelectionError {
    let found = items.iter().enumerate();
    let mut found = found.filter_map(|(i, item)| item.score().not_finite().map(|v| (i, v)));
    match found.next() {
        Some((index, value)) => SelectionError::NotFinite { index, value },
        None => SelectionError::Empty,
    }
}

/// `k` as a double: one rounding, without a branch.
///
/// 2^84 + h·2^32 and 2^52 + l are doubles for h, l < 2^32, and the difference of the first from
/// 2^84 + 2^52 is a multiple of 2^32 below 2^64: exact.
#[inline(always)]
fn to_double(k: u64) -> f64 {
    const TWO_52: f64 = 4_503_599_627_370_496.0;
    const TWO_84: f64 = 19_342_813_113_834_066_795_298_816.0;
    let high = f64::from_bits((k >> 32) | TWO_84.to_bits()) - (TWO_84 + TWO_52);
    high + f64::from_bits((k & 0xffff_ffff) | TWO_52.to_bits())
}

#[cfg(test)]
mod tests;
