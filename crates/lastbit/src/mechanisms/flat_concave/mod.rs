//! Selection by a quality that rises and then falls: Flat-Concave and RecConcave.
//!
//! The exponential mechanism over T points loses about `2·ln(T)/ε` of quality. For a quasi-concave
//! quality of sensitivity 1, a few more selections save the logarithm. The first selects the
//! *length* of a good interval, of which there are only `log2 T + 1` up to powers of two; the next
//! an interval of about that length; the last a point in it. With selection by stability the loss
//! of quality hardly depends on T; [`needed_promise`] gives both, so that the better one is chosen
//! before any data is seen.
//!
#![doc = include_str!("PROOF.md")]

mod chance;
mod levels;
mod measurement;
mod quality_loss;
mod split;
mod stability;
#[cfg(test)]
mod tests;

use lastbit_exact::Rational;
use lastbit_noise::entropy::Entropy;

use crate::measures::EpsilonDelta;
use crate::quality::{LARGEST_SIZE, QualityError, StepFunction};
use crate::{Alpha, Delta, Epsilon, Error};

pub(crate) use chance::draw_point;
pub use measurement::{ConcaveSelection, QualityDomain, flat_concave, rec_concave};
pub use quality_loss::{Method, loss_of_quality, needed_promise};
pub use split::Split;
pub use stability::Stability;

/// What is public about a selection: the size of the domain, the highest quality that any point can
/// have, the quality that the best point is promised to have, and the share α of the promise that
/// may be lost.
///
/// The promise must not come from the data: its own optimum, for one, would tell of it.
///
/// ```
/// use lastbit::mechanisms::flat_concave::Problem;
/// let problem = Problem::new(1 << 64, 1000, 500i64.into(), "0.5".parse()?)?;
/// let above = Problem::new(1 << 64, 1000, 1001i64.into(), "0.5".parse()?).unwrap_err();
/// assert_eq!(
///     above.to_string(),
///     "the promise 1001 is above 1000, the highest quality that any point can have; lower it to \
///      at most that"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    size: u128,
    promise: Rational,
    alpha: Alpha,
}

impl Problem {
    /// `1 ≤ size ≤ 2^127`, `0 < promise ≤ optimum`.
    pub fn new(
        size: u128,
        optimum: i64,
        promise: Rational,
        alpha: Alpha,
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
#[non_exhaustive]
pub enum IntervalSelection {
    /// By the exponential mechanism: ε-DP, at a loss of quality that grows with ln T.
    Exponential,
    /// By stability, with this δ: the best interval if it is far better than the second, else
    /// nothing.
    Stability(Delta),
}

/// Selection of a point of quality `(1 − α)·promise` or more, by N levels; Flat-Concave is N = 2.
///
/// Each selection costs ε, and δ if by stability: N levels cost `(3N − 2)ε` and `2(N − 1)δ` for one
/// change of the data, which moves qualities by at most 1. Levels that the size of the domain makes
/// superfluous are left out, and cost nothing.
///
/// ```
/// use lastbit::mechanisms::flat_concave::{IntervalSelection, Problem, RecConcave};
/// use lastbit::quality::StepFunction;
/// use lastbit::System;
///
/// // 3000 values of 64 bits, of which half are 5 and half are 10^6: which point has 900 on either
/// // side?
/// let data = [vec![5u64; 1500], vec![1_000_000; 1500]].concat();
/// let problem = Problem::new(1 << 64, 1500, 1500i64.into(), "0.4".parse()?)?;
/// let mechanism =
///     RecConcave::flat(problem, &"0.5".parse()?, IntervalSelection::Stability("1e-6".parse()?))?;
/// assert_eq!(mechanism.loss()?.loss().get(), 2.0); // and a δ of 2e-6
/// let depth = StepFunction::interior_point(&data, 1 << 64)?;
/// let found = mechanism.draw(&depth, &mut System::default())?;
/// assert!(found.is_none_or(|point| (5..=1_000_000).contains(&point)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// **Time.** It depends on the number of runs of the quality, at most about twice the number of
/// data points; on the intervals selected, which the loss accounts for; and on how many runs these
/// hold.
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
        selection: IntervalSelection,
    ) -> Result<RecConcave, Error> {
        if levels == 0 {
            return Err(QualityError::NoLevels.into());
        }
        let counting = (1, &problem.promise, problem.alpha.get());
        levels::check_units(problem.size, levels, BASE_SIZE, counting)?;
        let stability = match selection {
            IntervalSelection::Exponential => None,
            IntervalSelection::Stability(delta) => Some(Stability::new(epsilon, &delta)?),
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
        selection: IntervalSelection,
    ) -> Result<RecConcave, Error> {
        RecConcave::new(problem, 2, epsilon, selection)
    }

    /// How many levels the size of the domain leaves: at most the number asked for.
    pub fn levels(&self) -> u32 {
        levels::needed_levels(self.problem.size, self.levels, self.base_size)
    }

    /// The loss, by [`Split::loss`], for two qualities that differ by at most 1 everywhere, N being
    /// [`RecConcave::levels`].
    pub fn loss(&self) -> Result<EpsilonDelta, Error> {
        let delta = self.stability.as_ref().map(Stability::delta);
        Split::new(self.levels())?.loss(&self.epsilon, delta)
    }

    /// A point, or `None` (⊥) where stability did not let any interval through.
    ///
    /// The quality must be quasi-concave and over the domain of the problem. The error says so if
    /// it is not: show errors only to those who may see the data.
    pub fn draw(
        &self,
        quality: &StepFunction,
        entropy: &mut impl Entropy,
    ) -> Result<Option<u128>, Error> {
        self.run(
            quality,
            &mut chance::Draws::new(self.stability.as_ref(), entropy),
        )
    }

    fn run(
        &self,
        quality: &StepFunction,
        chance: &mut impl chance::Chance,
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
            alpha: self.problem.alpha.get().clone(),
        };
        level.draw(self.levels, self, chance)
    }
}
