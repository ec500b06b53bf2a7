//! Selection by a quality that rises and then falls: Flat-Concave and RecConcave.
//!
//! The exponential mechanism over T points loses about `2·ln(T)/ε` of quality. For a quasi-concave quality of sensitivity 1 the
//! logarithm can be traded for a few more selections: first the *length* of a good interval is selected, of which there are only
//! `log2 T + 1` up to powers of two, then an interval of about that length, then a point in it. With selection by stability the
//! loss of quality hardly depends on T; [`needed_promise`] gives both, so that the better one is chosen before any data is seen.
//!
#![doc = include_str!("PROOF.md")]

mod levels;
mod measurement;
mod price;
mod stability;
mod steps;
#[cfg(test)]
mod tests;

use lastbit_exact::{Rational, Up};
use lastbit_noise::entropy::Entropy;

use crate::measures::EpsilonDelta;
use crate::selection::{LARGEST_SIZE, QualityError, StepFunction};
use crate::{Epsilon, Error};

pub use measurement::{ConcaveSelection, QualityDomain, flat_concave, rec_concave};
pub use price::{Method, loss_of_quality, needed_promise};
pub use stability::Stability;
pub(crate) use steps::draw_point;

/// What is public about a selection: the size of the domain, the highest quality that any point can have, the quality that the best
/// point is promised to have, and the share α of the promise that may be lost.
///
/// The promise must not come from the data: its own optimum, for one, would tell of it.
///
/// ```
/// use lastbit::mechanisms::flat_concave::Problem;
/// use lastbit_exact::Rational;
/// let problem = Problem::new(1 << 64, 1000, 500i64.into(), Rational::new(1, 2))?;
/// let above = Problem::new(1 << 64, 1000, 1001i64.into(), Rational::new(1, 2)).unwrap_err();
/// assert_eq!(
///     above.to_string(),
///     "the promise 1001 is above 1000, the highest quality that any point can have; lower it to at most that"
/// );
/// # Ok::<(), lastbit::selection::QualityError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    size: u128,
    promise: Rational,
    alpha: Rational,
}

impl Problem {
    /// `1 ≤ size ≤ 2^127`, `0 < promise ≤ optimum`, `0 < alpha < 1`.
    pub fn new(
        size: u128,
        optimum: i64,
        promise: Rational,
        alpha: Rational,
    ) -> Result<Problem, QualityError> {
        if size == 0 {
            return Err(QualityError::EmptyDomain);
        }
        if size > LARGEST_SIZE {
            return Err(QualityError::DomainTooLarge);
        }
        if !promise.is_positive() {
            return Err(QualityError::PromiseNotPositive { promise });
        }
        if promise > Rational::from(optimum) {
            return Err(QualityError::PromiseAboveOptimum { promise, optimum });
        }
        if !alpha.is_positive() || alpha >= Rational::ONE {
            return Err(QualityError::BadAlpha { alpha });
        }
        Ok(Problem {
            size,
            promise,
            alpha,
        })
    }

    /// How many points the domain has.
    pub fn size(&self) -> u128 {
        self.size
    }
}

/// How intervals are selected in step 7.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// By the exponential mechanism: ε-DP, at a loss of quality that grows with ln T.
    Exponential,
    /// By stability, with this δ: the best interval if it is far better than the second, else nothing.
    Stability(Rational),
}

/// Selection of a point of quality `(1 − α)·promise` or more, by N levels; Flat-Concave is N = 2.
///
/// Each selection costs ε, and δ if by stability: N levels cost `(3N − 2)ε` and `2(N − 1)δ` for one change of the data, which
/// moves qualities by at most 1. Levels that the size of the domain makes superfluous are left out, and cost nothing.
///
/// ```
/// use lastbit::mechanisms::flat_concave::{Problem, RecConcave, Selection};
/// use lastbit::selection::StepFunction;
/// use lastbit_exact::Rational;
/// use lastbit_noise::entropy::System;
///
/// // 3000 values of 64 bits, of which half are 5 and half are 10^6: which point has 900 on either side?
/// let data = [vec![5u64; 1500], vec![1_000_000; 1500]].concat();
/// let problem = Problem::new(1 << 64, 1500, 1500i64.into(), Rational::new(2, 5))?;
/// let mechanism = RecConcave::flat(problem, &"0.5".parse()?, Selection::Stability("1e-6".parse()?))?;
/// assert_eq!(mechanism.loss()?.loss().get(), 2.0);         // and a δ of 2e-6
/// let depth = StepFunction::interior_point(&data, 1 << 64)?;
/// let found = mechanism.release(&depth, &mut System::default())?;
/// assert!(found.is_none_or(|point| (5..=1_000_000).contains(&point)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// **Time.** It depends on the number of runs of the quality, which is at most about twice that of the data points; on the
/// intervals selected, which the loss accounts for; and on how many runs these hold.
#[derive(Clone, Debug)]
pub struct RecConcave {
    problem: Problem,
    epsilon: Epsilon,
    levels: u32,
    stability: Option<Stability>,
    /// Domains of at most this many points are left to the exponential mechanism.
    base_size: u128,
}

/// The base case of step 1.
const BASE_SIZE: u128 = 32;

impl RecConcave {
    /// N = `levels` ≥ 1, and a loss of ε, and of δ if by stability, for each selection.
    pub fn new(
        problem: Problem,
        levels: u32,
        epsilon: &Epsilon,
        selection: Selection,
    ) -> Result<RecConcave, Error> {
        if levels == 0 {
            return Err(QualityError::NoLevels.into());
        }
        let stability = match selection {
            Selection::Exponential => None,
            Selection::Stability(delta) => Some(Stability::new(epsilon, &delta)?),
        };
        Ok(RecConcave {
            problem,
            epsilon: epsilon.clone(),
            levels,
            stability,
            base_size: BASE_SIZE,
        })
    }

    /// Flat-Concave: two levels.
    pub fn flat(
        problem: Problem,
        epsilon: &Epsilon,
        selection: Selection,
    ) -> Result<RecConcave, Error> {
        RecConcave::new(problem, 2, epsilon, selection)
    }

    /// How many levels the size of the domain leaves: at most the number asked for.
    pub fn levels(&self) -> u32 {
        levels::needed_levels(self.problem.size, self.levels, self.base_size)
    }

    /// `((3N − 2)ε, 2(N − 1)δ)` for two qualities that differ by at most 1 everywhere, N being [`RecConcave::levels`].
    pub fn loss(&self) -> Result<EpsilonDelta, Error> {
        let selections = 3 * i64::from(self.levels()) - 2;
        let epsilon = self.epsilon.get() * &Rational::from(selections);
        let delta = match &self.stability {
            None => Rational::ZERO,
            Some(stability) => {
                stability.delta() * &Rational::from(2 * (i64::from(self.levels()) - 1))
            }
        };
        EpsilonDelta::new(Up::from_rational(&epsilon), Up::from_rational(&delta))
    }

    /// A point, or `None` (⊥) where stability did not let any interval through.
    ///
    /// The quality must be quasi-concave and over the domain of the problem; that it is not is told by the error, so show errors only
    /// to those who may see the data.
    pub fn release(
        &self,
        quality: &StepFunction,
        entropy: &mut impl Entropy,
    ) -> Result<Option<u128>, Error> {
        self.run(
            quality,
            &mut steps::Draws::new(self.stability.as_ref(), entropy),
        )
    }

    fn run(
        &self,
        quality: &StepFunction,
        steps: &mut impl steps::Steps,
    ) -> Result<Option<u128>, Error> {
        let (wanted, got) = (self.problem.size, quality.size());
        if wanted != got {
            return Err(QualityError::OtherSize { wanted, got }.into());
        }
        quality.check_quasi_concave()?;
        let level = levels::Level {
            scores: quality.clone(),
            unit: 1,
            promise: self.problem.promise.clone(),
            alpha: self.problem.alpha.clone(),
        };
        level.select(self.levels, self, steps)
    }
}
