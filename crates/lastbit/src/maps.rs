use core::fmt;
use std::sync::Arc;

use lastbit_exact::environment;

use crate::measures::Measure;
use crate::metrics::Metric;
use crate::{Distance, Error};

type Map<A, B> = Arc<dyn Fn(&A) -> Result<B, Error> + Send + Sync>;

/// How a distance between inputs bounds the loss: `d(M(x), M(y)) ≤ map(d_in)` for all x, y at
/// distance at most `d_in`.
///
/// The loss is of a type that rounds up, so a map that rounds down, or to nearest, does not
/// compile:
///
/// ```
/// use lastbit::PrivacyMap;
/// use lastbit::measures::MaxDivergence;
/// use lastbit::metrics::AbsoluteDistance;
/// use lastbit::{Rational, Up};
/// let scale = Rational::new(3, 1);
/// let map = PrivacyMap::<AbsoluteDistance, MaxDivergence>::new(move |d_in| {
///     Ok(Up::from_rational(&(d_in / &scale)))
/// });
/// let loss = map.eval(&Rational::ONE)?;
/// assert!(Rational::try_from(loss.get()).unwrap() >= Rational::new(1, 3)); // 1.0/3.0 is below
/// assert!(map.eval(&Rational::new(-1, 1)).unwrap_err().is_distance());
/// # Ok::<(), lastbit::Error>(())
/// ```
/// ```compile_fail,E0308
/// # use lastbit::PrivacyMap;
/// # use lastbit::measures::MaxDivergence;
/// # use lastbit::metrics::AbsoluteDistance;
/// # use lastbit::{Down, Rational};
/// PrivacyMap::<AbsoluteDistance, MaxDivergence>::new(|d_in| Ok(Down::from_rational(d_in)));
/// ```
/// ```compile_fail,E0308
/// # use lastbit::PrivacyMap;
/// # use lastbit::measures::MaxDivergence;
/// # use lastbit::metrics::AbsoluteDistance;
/// # use lastbit::{Rational, Rounding};
/// PrivacyMap::<AbsoluteDistance, MaxDivergence>::new(|d_in| {
///     Ok(d_in.to_f64(Rounding::NearestEven))
/// });
/// ```
pub struct PrivacyMap<MI: Metric, MO: Measure>(Map<MI::Distance, MO::Distance>);

impl<MI: Metric, MO: Measure> PrivacyMap<MI, MO> {
    /// From a function that does not fall as `d_in` grows.
    pub fn new(
        map: impl Fn(&MI::Distance) -> Result<MO::Distance, Error> + Send + Sync + 'static,
    ) -> PrivacyMap<MI, MO> {
        PrivacyMap(Arc::new(map))
    }

    /// The loss at `d_in`; both are checked.
    pub fn eval(&self, d_in: &MI::Distance) -> Result<MO::Distance, Error> {
        checked(&self.0, d_in)
    }

    /// The map followed by a conversion of the loss.
    pub fn then<M: Measure>(
        &self,
        convert: impl Fn(&MO::Distance) -> Result<M::Distance, Error> + Send + Sync + 'static,
    ) -> PrivacyMap<MI, M> {
        let first = self.clone();
        PrivacyMap::new(move |d_in| convert(&first.eval(d_in)?))
    }
}

/// How a distance between inputs bounds that between outputs: `d(T(x), T(y)) ≤ map(d_in)` for all
/// x, y at distance at most `d_in`.
///
/// ```
/// use lastbit::StabilityMap;
/// use lastbit::metrics::{AbsoluteDistance, SymmetricDistance};
/// use lastbit::Rational;
/// // A sum of values in [0, 10]: each row added or removed moves it by at most 10.
/// let map = StabilityMap::<SymmetricDistance, AbsoluteDistance>::new(|&rows| {
///     Ok(Rational::from(rows) * Rational::from(10_i64))
/// });
/// assert_eq!(map.eval(&3)?, Rational::from(30_i64));
/// # Ok::<(), lastbit::Error>(())
/// ```
pub struct StabilityMap<MI: Metric, MO: Metric>(Map<MI::Distance, MO::Distance>);

impl<MI: Metric, MO: Metric> StabilityMap<MI, MO> {
    /// From a function that does not fall as `d_in` grows.
    pub fn new(
        map: impl Fn(&MI::Distance) -> Result<MO::Distance, Error> + Send + Sync + 'static,
    ) -> StabilityMap<MI, MO> {
        StabilityMap(Arc::new(map))
    }

    /// `d_out = d_in`.
    pub fn identity() -> StabilityMap<MI, MO>
    where
        MO: Metric<Distance = MI::Distance>,
    {
        StabilityMap::new(|d_in: &MI::Distance| Ok(d_in.clone()))
    }

    /// The distance of outputs at `d_in`; both are checked.
    pub fn eval(&self, d_in: &MI::Distance) -> Result<MO::Distance, Error> {
        checked(&self.0, d_in)
    }

    /// The map followed by another.
    pub fn then<M: Metric>(&self, next: &StabilityMap<MO, M>) -> StabilityMap<MI, M> {
        let (first, next) = (self.clone(), next.clone());
        StabilityMap::new(move |d_in| next.eval(&first.eval(d_in)?))
    }

    /// The map followed by a privacy map.
    pub fn then_privacy<M: Measure>(&self, next: &PrivacyMap<MO, M>) -> PrivacyMap<MI, M> {
        let (first, next) = (self.clone(), next.clone());
        PrivacyMap::new(move |d_in| next.eval(&first.eval(d_in)?))
    }
}

fn checked<A: Distance, B: Distance>(map: &Map<A, B>, d_in: &A) -> Result<B, Error> {
    environment::check()?;
    d_in.check()?;
    let d_out = map(d_in)?;
    d_out.check()?;
    Ok(d_out)
}

impl<MI: Metric, MO: Measure> Clone for PrivacyMap<MI, MO> {
    fn clone(&self) -> Self {
        PrivacyMap(Arc::clone(&self.0))
    }
}

impl<MI: Metric, MO: Metric> Clone for StabilityMap<MI, MO> {
    fn clone(&self) -> Self {
        StabilityMap(Arc::clone(&self.0))
    }
}

impl<MI: Metric, MO: Measure> fmt::Debug for PrivacyMap<MI, MO> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrivacyMap")
    }
}

impl<MI: Metric, MO: Metric> fmt::Debug for StabilityMap<MI, MO> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StabilityMap")
    }
}
