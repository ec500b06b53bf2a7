//! The exponential mechanism: select a candidate with probability proportional to the exponential
//! of its score.

mod error;
mod exact;
mod kernel;
mod measurement;
mod permute_and_flip;
mod score;
mod top_k;
mod utility;
mod window;

pub use error::SelectionError;
pub use score::{Run, Score};
pub use utility::{Promises, Target};
pub(crate) use window::Window;

use core::fmt;

use lastbit_exact::{Enclosure, Natural, Rational, Rounding};
use lastbit_noise::entropy::{Entropy, EntropyError};
use lastbit_noise::{LazyUniform, UniformError, uniform_below};

use crate::{Epsilon, Sensitivity};
use score::Item;

/// Selects candidate `r` with probability exactly `P(r) ∝ exp(ε·u(r)/(2Δ))`, or `exp(ε·u(r)/Δ)` if
/// scores are [monotone](Exponential::monotone).
///
/// `Δ` is how far one person can move any score. Scores are `i64`, `f64` or [`Rational`], all taken
/// exactly.
///
/// ```
/// use lastbit::mechanisms::exponential::Exponential;
/// use lastbit::System;
/// let mechanism = Exponential::new(&"0.5".parse()?, &"1".parse()?);
/// let votes = [310i64, 12, 298];
/// let winner = mechanism.draw(&votes, &mut System::default())?;
/// assert!(winner < 3);
/// let law = mechanism.over(&votes)?.law(60);
/// assert!(law[1].hi() < law[2].lo() && law[2].hi() < law[0].lo());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// **Exactness.** One lazy uniform `U` picks the candidate in whose share of the sum of weights
/// `U·Σw` falls. Weights are enclosed in f64 first, with a proved error; if the enclosures do not
/// decide, more bits of the same `U` are drawn and weights enclosed at higher precision. So the law
/// is that of the real-valued formula.
///
/// **Privacy.** With `d = u − u'` the difference of neighbouring scores,
/// `ln(P(r)/P'(r)) = rate·d(r) − ln(Σw/Σw')`, and the second term is the same for all r. So the
/// range of the log-likelihood ratio is `rate·(max d − min d)`: at most `ε/(2Δ)·2Δ`, or `ε/Δ·Δ` for
/// monotone scores. The mechanism has bounded range ε, and therefore is ε-DP. ∎
///
/// **Time.** A draw makes two passes over all `i64` or `f64` scores, one over the sums of blocks,
/// and one over the block that holds the answer, which is public. No branch depends on a score.
/// Some draws are not decided so and take longer: about one in `2^40/n` for n candidates below
/// 100,000, one in 10^5 for a million, and all if `ε/Δ` is outside `[2^-999, 2^999]`. Rationals are
/// big numbers, whose size shows. The number of candidates, or of runs, shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exponential {
    epsilon: Epsilon,
    sensitivity: Sensitivity,
    monotone: bool,
    rate: Rational,
}

impl Exponential {
    /// `P(r) ∝ exp(ε·u(r)/(2Δ))`.
    pub fn new(epsilon: &Epsilon, sensitivity: &Sensitivity) -> Exponential {
        Exponential {
            rate: (epsilon.get() / sensitivity.get()).times_power_of_two(-1),
            epsilon: epsilon.clone(),
            sensitivity: sensitivity.clone(),
            monotone: false,
        }
    }

    /// `P(r) ∝ exp(ε·u(r)/Δ)`, for scores that one person moves all up or all down, each by at most
    /// Δ: counts, for example, under adding or removing a row.
    pub fn monotone(epsilon: &Epsilon, sensitivity: &Sensitivity) -> Exponential {
        Exponential {
            rate: epsilon.get() / sensitivity.get(),
            monotone: true,
            ..Exponential::new(epsilon, sensitivity)
        }
    }

    /// The loss of one selection.
    pub fn epsilon(&self) -> &Epsilon {
        &self.epsilon
    }

    /// How far one person moves a score.
    pub fn sensitivity(&self) -> &Sensitivity {
        &self.sensitivity
    }

    /// Whether scores are taken to move together.
    pub fn is_monotone(&self) -> bool {
        self.monotone
    }

    /// `ε/(2Δ)`, or `ε/Δ` if monotone: the factor of scores in the exponent.
    pub fn rate(&self) -> &Rational {
        &self.rate
    }

    /// The index of one candidate.
    pub fn draw<S: Score>(
        &self,
        scores: &[S],
        entropy: &mut impl Entropy,
    ) -> Result<usize, SelectionError> {
        Ok(self.over(scores)?.draw(entropy)?)
    }

    /// One candidate of those in the runs: the index of its run, and its place in the run from 0.
    ///
    /// The time depends on the number of runs and not on their lengths or scores, up to the draw of
    /// the place.
    ///
    /// ```
    /// use lastbit::mechanisms::exponential::{Exponential, Run};
    /// use lastbit::System;
    /// let mechanism = Exponential::new(&"1".parse()?, &"1".parse()?);
    /// let runs = [Run { length: 1 << 100, score: -90i64 }, Run { length: 5, score: 0 }];
    /// let (run, place) = mechanism.draw_place(&runs, &mut System::default())?;
    /// assert!(place < runs[run].length);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn draw_place<S: Score>(
        &self,
        runs: &[Run<S>],
        entropy: &mut impl Entropy,
    ) -> Result<(usize, u128), SelectionError> {
        self.over_runs(runs)?.draw_place(entropy)
    }

    /// Prepares any number of draws from the same candidates.
    pub fn over<'a, S: Score>(&self, scores: &'a [S]) -> Result<Choice<'a, S>, SelectionError> {
        Choice::new(scores, &self.rate)
    }

    /// Prepares any number of draws from the same runs.
    pub fn over_runs<'a, S: Score>(
        &self,
        runs: &'a [Run<S>],
    ) -> Result<Choice<'a, Run<S>>, SelectionError> {
        Choice::new(runs, &self.rate)
    }
}

/// Candidates with their weights: draws and their law. From [`Exponential::over`] or
/// [`Exponential::over_runs`].
pub struct Choice<'a, I: Item> {
    items: &'a [I],
    largest: I::Score,
    rate: Rational,
    sums: kernel::Sums,
}

impl<'a, I: Item> Choice<'a, I> {
    fn new(items: &'a [I], rate: &Rational) -> Result<Choice<'a, I>, SelectionError> {
        let largest = score::largest(items)?;
        let sums = kernel::Sums::new(items, &largest, rate_f64(rate));
        Ok(Choice {
            items,
            largest,
            rate: rate.clone(),
            sums,
        })
    }

    /// The index of one candidate, or of one run. Draws are independent of each other.
    pub fn draw(&self, entropy: &mut impl Entropy) -> Result<usize, EntropyError> {
        let word = entropy.word()?;
        match self.sums.choose(self.items, &self.largest, word) {
            Some(index) => Ok(index),
            None => {
                let uniform = &mut LazyUniform::with_prefix(word, 64);
                exact::choose(self.items, &self.largest, &self.rate, uniform, entropy)
            }
        }
    }

    /// The probability that the score of the selected candidate satisfies a condition: an enclosure
    /// with `hi − lo ≤ 2^-bits`.
    ///
    /// ```
    /// use lastbit::mechanisms::exponential::Exponential;
    /// use lastbit::Rounding;
    /// let mechanism = Exponential::new(&"2".parse()?, &"1".parse()?);
    /// let poor = mechanism.over(&[10i64, 7, 3, 3])?.probability(60, |&score| score < 5);
    /// assert!(poor.hi().to_f64(Rounding::Up) < 0.0018);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn probability(&self, bits: u32, condition: impl Fn(&I::Score) -> bool) -> Enclosure {
        exact::probability(self.items, &self.largest, &self.rate, bits, condition)
    }

    /// The largest score.
    pub fn largest(&self) -> &I::Score {
        &self.largest
    }

    /// The probability of each candidate, or of each run as a whole: enclosures with
    /// `hi − lo ≤ 2^-bits·lo`.
    ///
    /// Where the exponent is 2^40 or more below the largest the enclosure is `[0, 2^-(2^40)]`, and
    /// for an empty run `[0, 0]`.
    pub fn law(&self, bits: u32) -> Vec<Enclosure> {
        exact::law(self.items, &self.largest, &self.rate, bits)
    }
}

impl<S: Score> Choice<'_, Run<S>> {
    /// The index of one run, and a uniform place in it.
    pub fn draw_place(&self, entropy: &mut impl Entropy) -> Result<(usize, u128), SelectionError> {
        let run = self.draw(entropy)?;
        let place = place_in(self.items[run].length, entropy)?;
        Ok((run, place))
    }
}

impl<I: Item> fmt::Debug for Choice<'_, I> {
    /// Without the scores, which are data.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Choice of {}", self.items.len())
    }
}

/// A uniform place in a run.
fn place_in(length: u128, entropy: &mut impl Entropy) -> Result<u128, SelectionError> {
    let place = match uniform_below(&Natural::from(length), entropy) {
        Ok(place) => place,
        Err(UniformError::Entropy(error)) => return Err(error.into()),
        Err(_) => return Err(SelectionError::Empty),
    };
    u128::try_from(place).map_err(|_| SelectionError::Empty)
}

/// The nearest double; NaN, which sends every draw to the second tier, where that has no relative
/// bound.
fn rate_f64(rate: &Rational) -> f64 {
    let limit = f64::from_bits((1023 + 1000) << 52); // 2^1000
    match rate.to_f64(Rounding::NearestEven) {
        rate if (1.0 / limit..limit).contains(&rate) => rate,
        _ => f64::NAN,
    }
}

#[cfg(test)]
mod tests;
