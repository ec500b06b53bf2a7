//! Finding the parameter that a target asks for: the least noise that is enough, or the most of
//! something that is allowed.
//!
//! Binary search over every value that the parameter's type can hold, so the answer is the best one
//! of that type. It is always a value that was checked, so it meets the target even where the loss
//! is not monotone. The number of evaluations depends on the range alone: at most 65.
//!
//! ```
//! use lastbit::domains::AtomDomain;
//! use lastbit::measures::MaxDivergence;
//! use lastbit::metrics::AbsoluteDistance;
//! use lastbit::{Error, Measurement, PrivacyMap, solve};
//! use lastbit::{Rational, Up};
//!
//! fn laplace(
//!     scale: f64,
//! ) -> Result<Measurement<AtomDomain<i64>, AbsoluteDistance, MaxDivergence, i64>, Error> {
//! #     let function = |&value: &i64, _: &mut dyn lastbit::Entropy| Ok(value);
//!     let scale = lastbit::finite("scale", scale)?;
//!     let map = PrivacyMap::new(move |d_in| Ok(Up::from_rational(&(d_in / &scale))));
//!     Measurement::new(AtomDomain::new(), AbsoluteDistance, MaxDivergence, function, map)
//! }
//!
//! let (one, eighth) = (Rational::ONE, Up::exact(0.125));
//! let scale = solve::smallest(solve::POSITIVE, laplace, &one, &eighth)?;
//! assert!(laplace(scale)?.check(&one, &eighth)?);
//! assert!(!laplace(scale.next_down())?.check(&one, &eighth)?); // no smaller scale is enough
//!
//! let impossible = solve::smallest(0.5..=2.0, laplace, &one, &eighth).unwrap_err();
//! assert!(impossible.is_unsolvable());
//! assert_eq!(
//!     impossible.to_string(),
//!     "no parameter in [0.5, 2] meets the target 0.125: not even the largest does; raise the \
//!      upper end, or relax the target"
//! );
//! # Ok::<(), Error>(())
//! ```

use core::ops::RangeInclusive;

use crate::measures::Measure;
use crate::metrics::Metric;
use crate::search::{search_largest, search_smallest};
use crate::{Error, Measurement, MetricSpace};

pub use crate::search::{
    Decimal, Parameter, find_largest, find_smallest, largest_where, near_largest,
    near_smallest_where, smallest_where,
};

/// Every positive normal f64.
pub const POSITIVE: RangeInclusive<f64> = f64::MIN_POSITIVE..=f64::MAX;

/// The smallest parameter in the range whose measurement meets `map(d_in) ≤ d_out`, for a loss that
/// *falls* as the parameter grows, as it does with a noise scale. The [module](self) has an
/// example.
pub fn smallest<P, DI, MI, MO, TO>(
    range: RangeInclusive<P>,
    build: impl Fn(P) -> Result<Measurement<DI, MI, MO, TO>, Error>,
    d_in: &MI::Distance,
    d_out: &MO::Distance,
) -> Result<P, Error>
where
    P: Parameter,
    DI: MetricSpace<MI>,
    MI: Metric,
    MO: Measure<Distance: PartialOrd>,
    TO: 'static,
{
    search_smallest(&range, &d_out, |parameter| {
        build(parameter)?.check(d_in, d_out)
    })
}

/// The largest parameter in the range whose measurement meets `map(d_in) ≤ d_out`, for a loss that
/// *grows* with the parameter, as it does with an epsilon, a number of releases or a sampling rate.
///
/// ```
/// use lastbit::domains::AtomDomain;
/// use lastbit::measures::MaxDivergence;
/// use lastbit::metrics::DiscreteDistance;
/// use lastbit::{Measurement, PrivacyMap, solve};
/// use lastbit::{Rational, Up};
/// let answers = |count: u64| {
///     // So many answers, each at loss 1/10.
/// #   let release = |_: &bool, _: &mut dyn lastbit::Entropy| Ok(());
///     let loss = Up::from_rational(&Rational::new(count, 10));
///     let map = PrivacyMap::new(move |&d_in| Ok(if d_in == 0 { Up::ZERO } else { loss }));
///     Measurement::new(AtomDomain::<bool>::new(), DiscreteDistance, MaxDivergence, release, map)
/// };
/// assert_eq!(solve::largest(1_u64..=1000, answers, &1, &Up::exact(2.5))?, 25);
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn largest<P, DI, MI, MO, TO>(
    range: RangeInclusive<P>,
    build: impl Fn(P) -> Result<Measurement<DI, MI, MO, TO>, Error>,
    d_in: &MI::Distance,
    d_out: &MO::Distance,
) -> Result<P, Error>
where
    P: Parameter,
    DI: MetricSpace<MI>,
    MI: Metric,
    MO: Measure<Distance: PartialOrd>,
    TO: 'static,
{
    search_largest(&range, &d_out, |parameter| {
        build(parameter)?.check(d_in, d_out)
    })
}
