use core::fmt;

use lastbit_exact::{Rational, Up};

use super::{IntervalSelection, Problem, RecConcave};
use crate::domains::Domain;
use crate::measures::{Approximate, EpsilonDelta, MaxDivergence};
use crate::metrics::LInfDistance;
use crate::quality::{QualityError, StepFunction};
use crate::{Epsilon, Error, Measurement, MetricSpace, PrivacyMap};

/// Quasi-concave qualities over a domain of one size.
///
/// ```
/// use lastbit::domains::Domain;
/// use lastbit::mechanisms::flat_concave::QualityDomain;
/// use lastbit::quality::StepFunction;
/// let domain = QualityDomain::new(4);
/// assert!(domain.contains(&StepFunction::from_values([1, 2, 2, 0])?));
/// assert!(!domain.contains(&StepFunction::from_values([1, 0, 2, 0])?));
/// assert_eq!(domain.to_string(), "quasi-concave qualities of 4 points");
/// # Ok::<(), lastbit::quality::QualityError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QualityDomain {
    size: u128,
}

impl QualityDomain {
    /// Qualities of this many points.
    pub fn new(size: u128) -> QualityDomain {
        QualityDomain { size }
    }
}

impl Domain for QualityDomain {
    type Carrier = StepFunction;

    fn contains(&self, quality: &StepFunction) -> bool {
        quality.size() == self.size && quality.check_quasi_concave().is_ok()
    }

    fn same(&self, left: &StepFunction, right: &StepFunction) -> bool {
        left == right
    }
}

impl fmt::Display for QualityDomain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "quasi-concave qualities of {} points", self.size)
    }
}

impl MetricSpace<LInfDistance> for QualityDomain {
    fn check_space(&self, _: &LInfDistance) -> Result<(), Error> {
        Ok(())
    }

    fn distance(
        &self,
        _: &LInfDistance,
        left: &StepFunction,
        right: &StepFunction,
    ) -> Result<Rational, Error> {
        let (wanted, got) = (left.size(), right.size());
        if wanted != got {
            return Err(QualityError::OtherSize { wanted, got }.into());
        }
        // Both are constant from each beginning of a run of either to the next.
        let starts = left.runs().chain(right.runs()).map(|run| run.start);
        let most = starts.map(|x| left.value(x).abs_diff(right.value(x))).max();
        Ok(Rational::from(most.unwrap_or(0)))
    }
}

/// A selection of a point, or ⊥, by a quasi-concave quality.
pub type ConcaveSelection =
    Measurement<QualityDomain, LInfDistance, Approximate<MaxDivergence>, Option<u128>>;

/// [`RecConcave`] of N = `levels` as a measurement of qualities: `(3N − 2)ε·d` and `2(N − 1)δ` at
/// L∞ distance d; by stability only for `d ≤ 1`.
///
/// ```
/// use lastbit::mechanisms::flat_concave::{Problem, IntervalSelection, rec_concave};
/// use lastbit::quality::StepFunction;
/// use lastbit::Rational;
/// let problem = Problem::new(1 << 64, 300, 150i64.into(), "0.5".parse()?)?;
/// let select = rec_concave(problem, 3, &"0.5".parse()?, IntervalSelection::Exponential)?;
/// assert_eq!(select.map(&Rational::ONE)?.loss().get(), 3.5);
/// let point = select.invoke(&StepFunction::interior_point(&[9u64; 300], 1 << 64)?)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn rec_concave(
    problem: Problem,
    levels: u32,
    epsilon: &Epsilon,
    selection: IntervalSelection,
) -> Result<ConcaveSelection, Error> {
    let domain = QualityDomain::new(problem.size());
    let mechanism = RecConcave::new(problem, levels, epsilon, selection)?;
    let loss = mechanism.loss()?;
    Measurement::new(
        domain,
        LInfDistance,
        Approximate(MaxDivergence),
        move |quality: &StepFunction, mut entropy| mechanism.draw(quality, &mut entropy),
        PrivacyMap::new(move |d_in: &Rational| loss_at(&loss, d_in)),
    )
}

/// Flat-Concave: [`rec_concave`] of two levels.
///
/// ```
/// use lastbit::mechanisms::flat_concave::{IntervalSelection, Problem, flat_concave};
/// use lastbit::Rational;
/// let problem = Problem::new(1 << 64, 300, 150i64.into(), "0.5".parse()?)?;
/// let select =
///     flat_concave(problem, &"0.5".parse()?, IntervalSelection::Stability("1e-6".parse()?))?;
/// assert_eq!(select.map(&Rational::ONE)?.loss().get(), 2.0);
/// assert!(select.map(&2i64.into()).unwrap_err().is_unbounded());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn flat_concave(
    problem: Problem,
    epsilon: &Epsilon,
    selection: IntervalSelection,
) -> Result<ConcaveSelection, Error> {
    rec_concave(problem, 2, epsilon, selection)
}

fn loss_at(loss: &EpsilonDelta, d_in: &Rational) -> Result<EpsilonDelta, Error> {
    // Qualities are integers: at a distance below 1 they are equal.
    if *d_in < Rational::ONE {
        return EpsilonDelta::new(Up::ZERO, Up::ZERO);
    }
    if *d_in == Rational::ONE {
        return Ok(loss.clone());
    }
    if loss.delta() == Up::ZERO {
        return EpsilonDelta::new(*loss.loss() * Up::from_rational(d_in), Up::ZERO);
    }
    Err(Error::unbounded(
        "selection by stability has a bound for qualities that differ by at most 1; divide \
         qualities by their sensitivity, or select by the exponential mechanism",
    ))
}
