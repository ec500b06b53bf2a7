//! Finding the parameter that a target asks for: the least noise that is enough, or the most of something that is allowed.
//!
//! Binary search over every value that the parameter's type can hold, so the answer is the best one of that type. It is always
//! a value that was checked, so it meets the target even where the loss is not monotone. The number of evaluations depends on
//! the range alone: at most 65.
//!
//! ```
//! use lastbit::domains::AtomDomain;
//! use lastbit::measures::MaxDivergence;
//! use lastbit::metrics::AbsoluteDistance;
//! use lastbit::{Error, Measurement, PrivacyMap, solve};
//! use lastbit_exact::{Rational, Up};
//!
//! fn laplace(scale: f64) -> Result<Measurement<AtomDomain<i64>, AbsoluteDistance, MaxDivergence, i64>, Error> {
//! #   let function = |&value: &i64, _: &mut dyn lastbit_noise::entropy::Entropy| Ok(value);
//!     let scale = lastbit::finite("scale", scale)?;
//!     let map = PrivacyMap::new(move |d_in| Ok(Up::from_rational(&(d_in / &scale))));
//!     Measurement::new(AtomDomain::new(), AbsoluteDistance, MaxDivergence, function, map)
//! }
//!
//! let (one, tenth) = (Rational::ONE, Up::exact(0.1));
//! let scale = solve::smallest(solve::POSITIVE, laplace, &one, &tenth)?;
//! assert!(laplace(scale)?.check(&one, &tenth)?);
//! assert!(!laplace(scale.next_down())?.check(&one, &tenth)?); // no smaller scale is enough
//!
//! let impossible = solve::smallest(0.5..=2.0, laplace, &one, &tenth).unwrap_err();
//! assert!(impossible.is_unsolvable());
//! assert_eq!(
//!     impossible.to_string(),
//!     "no parameter in [0.5, 2] meets the target 0.1: not even the largest does; raise the upper end, or relax the target"
//! );
//! # Ok::<(), Error>(())
//! ```

use core::fmt::Display;
use core::ops::RangeInclusive;

use crate::measures::Measure;
use crate::metrics::Metric;
use crate::{Error, Measurement, MetricSpace};

/// Every positive normal f64.
pub const POSITIVE: RangeInclusive<f64> = f64::MIN_POSITIVE..=f64::MAX;

/// A parameter whose values can be counted in order.
///
/// ```
/// use lastbit::solve::Parameter;
/// assert_eq!(f64::at(1.0_f64.place().unwrap() + 1), 1.0_f64.next_up());
/// assert_eq!(f64::NAN.place(), None);
/// ```
pub trait Parameter: Copy + PartialOrd + Display {
    /// The place of a value in the order; `None` for a value without one, such as NaN.
    fn place(self) -> Option<u64>;

    /// The value at a place between those of two values.
    fn at(place: u64) -> Self;
}

impl Parameter for u64 {
    fn place(self) -> Option<u64> {
        Some(self)
    }

    fn at(place: u64) -> u64 {
        place
    }
}

const SIGN: u64 = 1 << 63;

impl Parameter for i64 {
    fn place(self) -> Option<u64> {
        Some(self.cast_unsigned() ^ SIGN)
    }

    fn at(place: u64) -> i64 {
        (place ^ SIGN).cast_signed()
    }
}

impl Parameter for f64 {
    /// Sign and magnitude made one order: negative floats are counted down from the middle. Both zeros have one place.
    fn place(self) -> Option<u64> {
        let bits = (self + 0.0).to_bits();
        if self.is_nan() {
            None
        } else if bits & SIGN == 0 {
            Some(bits | SIGN)
        } else {
            Some(!bits + 1)
        }
    }

    fn at(place: u64) -> f64 {
        f64::from_bits(if place & SIGN != 0 {
            place ^ SIGN
        } else {
            !place.wrapping_sub(1)
        })
    }
}

/// The smallest parameter in the range whose measurement meets `map(d_in) ≤ d_out`, for a loss that *falls* as the parameter
/// grows, as it does with a noise scale. The [module](self) has an example.
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

/// The largest parameter in the range whose measurement meets `map(d_in) ≤ d_out`, for a loss that *grows* with the parameter,
/// as it does with an epsilon, a number of releases or a sampling rate.
///
/// ```
/// use lastbit::domains::AtomDomain;
/// use lastbit::measures::MaxDivergence;
/// use lastbit::metrics::DiscreteDistance;
/// use lastbit::{Measurement, PrivacyMap, solve};
/// use lastbit_exact::{Rational, Up};
/// let answers = |count: u64| {
///     // So many answers, each at loss 1/10.
/// #   let release = |_: &bool, _: &mut dyn lastbit_noise::entropy::Entropy| Ok(());
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

/// The smallest parameter in the range for which `enough` holds, where it goes from false to true once as the parameter grows.
///
/// The answer is a parameter for which `enough` was seen to hold. An error of `enough` ends the search.
///
/// ```
/// use lastbit::solve;
/// assert_eq!(solve::smallest_where(0_u64..=1000, |n| Ok(n * n >= 1000))?, 32);
/// assert!(solve::smallest_where(0_u64..=10, |n| Ok(n * n >= 1000)).unwrap_err().is_unsolvable());
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn smallest_where<P: Parameter>(
    range: RangeInclusive<P>,
    enough: impl FnMut(P) -> Result<bool, Error>,
) -> Result<P, Error> {
    search_smallest(&range, &"that is asked for", enough)
}

/// The largest parameter in the range for which `allowed` holds, where it goes from true to false once as the parameter grows.
///
/// The answer is a parameter for which `allowed` was seen to hold. An error of `allowed` ends the search.
///
/// ```
/// use lastbit::solve;
/// assert_eq!(solve::largest_where(0_u64..=1000, |n| Ok(n * n <= 1000))?, 31);
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn largest_where<P: Parameter>(
    range: RangeInclusive<P>,
    allowed: impl FnMut(P) -> Result<bool, Error>,
) -> Result<P, Error> {
    search_largest(&range, &"that is asked for", allowed)
}

fn search_smallest<P: Parameter>(
    range: &RangeInclusive<P>,
    target: &dyn Display,
    mut enough: impl FnMut(P) -> Result<bool, Error>,
) -> Result<P, Error> {
    let (lower, upper) = places(range)?;
    if !enough(P::at(upper))? {
        return Err(none(
            range,
            target,
            "not even the largest does; raise the upper end",
        ));
    }
    // `enough` holds at `good`, and every place below `from` is ruled out.
    let (mut from, mut good) = (lower, upper);
    while from < good {
        let middle = from + (good - from) / 2;
        if enough(P::at(middle))? {
            good = middle;
        } else {
            from = middle + 1;
        }
    }
    Ok(P::at(good))
}

fn search_largest<P: Parameter>(
    range: &RangeInclusive<P>,
    target: &dyn Display,
    mut allowed: impl FnMut(P) -> Result<bool, Error>,
) -> Result<P, Error> {
    let (lower, upper) = places(range)?;
    if !allowed(P::at(lower))? {
        return Err(none(
            range,
            target,
            "not even the smallest does; lower the lower end",
        ));
    }
    // `allowed` holds at `good`, and every place above `to` is ruled out.
    let (mut good, mut to) = (lower, upper);
    while good < to {
        let middle = to - (to - good) / 2;
        if allowed(P::at(middle))? {
            good = middle;
        } else {
            to = middle - 1;
        }
    }
    Ok(P::at(good))
}

fn places<P: Parameter>(range: &RangeInclusive<P>) -> Result<(u64, u64), Error> {
    let (start, end) = (range.start(), range.end());
    match (start.place(), end.place()) {
        (Some(lower), Some(upper)) if lower <= upper => Ok((lower, upper)),
        _ => Err(Error::unsolvable(format!(
            "the range [{start}, {end}] holds no values; give two numbers, the smaller first"
        ))),
    }
}

fn none<P: Parameter>(range: &RangeInclusive<P>, target: &dyn Display, why: &str) -> Error {
    Error::unsolvable(format!(
        "no parameter in [{}, {}] meets the target {target}: {why}, or relax the target",
        range.start(),
        range.end()
    ))
}
