//! Binary search over every value that a parameter's type can hold: what [`solve`](crate::solve)
//! offers, without measurements.

use core::fmt::{self, Display};
use core::ops::RangeInclusive;

use lastbit_exact::decimal::{self, DIGITS};
use lastbit_exact::{Down, Rational, Up};

use crate::Error;

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
    /// Sign and magnitude made one order: negative floats are counted down from the middle. Both
    /// zeros have one place.
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

/// Positive decimals of [`DIGITS`] significant digits, from `10^-200` on and below `10^200`: what a
/// person can read and write again exactly.
///
/// ```
/// use lastbit::solve::{self, Decimal};
/// let most = solve::largest_where(Decimal::ALL, |x| Ok(&x.get() * &x.get() <= 2i64.into()))?;
/// assert_eq!(most.to_string(), "1.41421356237");
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Decimal(u64);

/// How many there are with one exponent: from 10^11 to 10^12.
const OF_EXPONENT: u64 = 900_000_000_000;
/// The power of ten of the last digit of the smallest one.
const LEAST_EXPONENT: i64 = -211;

impl Decimal {
    /// All of them.
    pub const ALL: RangeInclusive<Decimal> = Decimal(0)..=Decimal(400 * OF_EXPONENT - 1);

    /// The exact value.
    pub fn get(self) -> Rational {
        let digits = self.0 % OF_EXPONENT + OF_EXPONENT / 9;
        // At most 400 of them.
        let exponent = (self.0 / OF_EXPONENT) as i64 + LEAST_EXPONENT;
        Rational::from(digits) * decimal::power_of_ten(exponent)
    }

    /// The smallest one at or above a number; the nearest end of [`Decimal::ALL`] if there is none.
    pub fn at_least(value: &Rational) -> Decimal {
        Decimal::of(&decimal::up(value, DIGITS))
    }

    /// The largest one at or below a number; the nearest end of [`Decimal::ALL`] if there is none.
    pub fn at_most(value: &Rational) -> Decimal {
        Decimal::of(&decimal::down(value, DIGITS))
    }

    /// Of a number of so many digits.
    fn of(value: &Rational) -> Decimal {
        let (first, last) = Decimal::ALL.into_inner();
        if *value <= first.get() {
            return first;
        }
        if *value >= last.get() {
            return last;
        }
        let exponent = decimal::digits_before_point(value) - i64::from(DIGITS);
        let digits = (value * &decimal::power_of_ten(-exponent)).floor();
        let digits = u64::try_from(digits).unwrap_or(OF_EXPONENT / 9);
        // Within the ends, so neither term is negative.
        let exponent = (exponent - LEAST_EXPONENT).unsigned_abs();
        Decimal(exponent * OF_EXPONENT + digits - OF_EXPONENT / 9)
    }
}

impl Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

impl Parameter for Decimal {
    fn place(self) -> Option<u64> {
        Some(self.0)
    }

    fn at(place: u64) -> Decimal {
        Decimal(place)
    }
}

/// The smallest parameter in the range for which `enough` holds, where it goes from false to true
/// once as the parameter grows.
///
/// The answer is a parameter for which `enough` was seen to hold. An error of `enough` ends the
/// search.
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

/// The largest parameter in the range for which `allowed` holds, where it goes from true to false
/// once as the parameter grows.
///
/// The answer is a parameter for which `allowed` was seen to hold. An error of `allowed` ends the
/// search.
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

/// A double of the range for which `enough` holds, and no more than a part of about `2^-bits` above
/// the smallest one; see [`smallest_where`].
///
/// ```
/// use lastbit::solve;
/// let root = solve::near_smallest_where(1.0..=2.0, 20, |x| Ok(x * x >= 2.0))?;
/// assert!(root * root >= 2.0 && root < 2f64.sqrt() * (1.0 + 1e-6));
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn near_smallest_where(
    range: RangeInclusive<f64>,
    bits: u32,
    enough: impl FnMut(f64) -> Result<bool, Error>,
) -> Result<f64, Error> {
    // Places of doubles at 1 and above are 2^-52 apart, relatively.
    let places = 1u64 << 52u32.saturating_sub(bits);
    search(&range, &"that is asked for", places, enough)
}

/// A number near the largest at which a growing `value` is at most the target, for values that are
/// costly to compute: from a start near the answer, with at most ten of them. The answer has six
/// digits, was tried, and is within about 10^-4 of the largest; `None` if no number near the start
/// meets the target. See [`largest_where`] for the largest itself.
///
/// ```
/// use lastbit::{Error, Rational, Up, solve};
/// let two = Rational::from(2i64);
/// let square = |x: &Rational| Ok::<_, Error>(Up::from_rational(&(x * x)));
/// let found = solve::near_largest(&Rational::ONE, &two, square)?.unwrap();
/// assert!(&found * &found <= two && found > Rational::new(1414, 1000));
/// # Ok::<(), Error>(())
/// ```
#[expect(
    clippy::disallowed_methods,
    reason = "where to try next: whatever is returned was tried"
)]
pub fn near_largest<E: From<Error>>(
    start: &Rational,
    target: &Rational,
    mut value: impl FnMut(&Rational) -> Result<Up, E>,
) -> Result<Option<Rational>, E> {
    const DIGITS_TRIED: u32 = 6;
    let goal = Down::from_rational(target).get();
    let mut at = decimal::down(start, DIGITS_TRIED);
    // The largest that is known to do, the smallest that is known not to, and ln value of both.
    let mut good: Option<(f64, f64)> = None;
    let mut bad: Option<(f64, f64)> = None;
    let mut answer = None;
    for _ in 0..10 {
        let found = value(&at)?.get();
        let point = (Down::from_rational(&at).get().ln(), found.max(1e-300).ln());
        if found <= goal {
            if good.is_none_or(|(x, _)| x < point.0) {
                (good, answer) = (Some(point), Some(at.clone()));
            }
        } else if bad.is_none_or(|(x, _)| x > point.0) {
            bad = Some(point);
        }
        let near = good.is_some_and(|(_, y)| goal.ln() - y < 2e-5);
        let between = matches!((good, bad), (Some(a), Some(b)) if b.0 - a.0 < 2e-5);
        if near || between {
            break;
        }
        // A line through the two nearest points, or one of a slope that losses have, and a little
        // less than the target.
        let slope = match (good, bad) {
            (Some(a), Some(b)) if b.1 > a.1 => (b.1 - a.1) / (b.0 - a.0),
            _ => 0.6,
        };
        let step = ((goal.ln() - 5e-6 - point.1) / slope).clamp(-3.0, 3.0);
        let mut next = point.0 + step;
        if let (Some(a), Some(b)) = (good, bad)
            && !(next > a.0 && next < b.0)
        {
            next = f64::midpoint(a.0, b.0);
        }
        let next = crate::finite("the loss", next.exp()).map_err(Error::from)?;
        at = decimal::down(&next, DIGITS_TRIED);
    }
    Ok(answer)
}

/// The smallest parameter in the range for which `enough` holds; `None` if not even the largest
/// does, or if the range holds no values. As [`smallest_where`], with the caller's own errors.
///
/// ```
/// use lastbit::solve;
/// let root = |n: u64| solve::find_smallest(0..=10u64, |x| Ok::<_, String>(x * x >= n));
/// assert_eq!((root(50)?, root(1000)?), (Some(8), None));
/// # Ok::<(), String>(())
/// ```
pub fn find_smallest<P: Parameter, E>(
    range: RangeInclusive<P>,
    enough: impl FnMut(P) -> Result<bool, E>,
) -> Result<Option<P>, E> {
    match places(&range) {
        Ok(ends) => first(ends, 1, enough),
        Err(_) => Ok(None),
    }
}

/// The largest parameter in the range for which `allowed` holds; `None` if not even the smallest
/// does, or if the range holds no values. As [`largest_where`], with the caller's own errors.
///
/// ```
/// use lastbit::solve;
/// let root = |n: u64| solve::find_largest(1..=100u64, |x| Ok::<_, String>(x * x <= n));
/// assert_eq!((root(50)?, root(0)?), (Some(7), None));
/// # Ok::<(), String>(())
/// ```
pub fn find_largest<P: Parameter, E>(
    range: RangeInclusive<P>,
    allowed: impl FnMut(P) -> Result<bool, E>,
) -> Result<Option<P>, E> {
    match places(&range) {
        Ok(ends) => last(ends, allowed),
        Err(_) => Ok(None),
    }
}

pub(crate) fn search_smallest<P: Parameter>(
    range: &RangeInclusive<P>,
    target: &dyn Display,
    enough: impl FnMut(P) -> Result<bool, Error>,
) -> Result<P, Error> {
    search(range, target, 1, enough)
}

/// A parameter for which `enough` holds, fewer than `near` places above the smallest one.
fn search<P: Parameter>(
    range: &RangeInclusive<P>,
    target: &dyn Display,
    near: u64,
    enough: impl FnMut(P) -> Result<bool, Error>,
) -> Result<P, Error> {
    let why = "not even the largest does; raise the upper end";
    first(places(range)?, near, enough)?.ok_or_else(|| none(range, target, why))
}

pub(crate) fn search_largest<P: Parameter>(
    range: &RangeInclusive<P>,
    target: &dyn Display,
    allowed: impl FnMut(P) -> Result<bool, Error>,
) -> Result<P, Error> {
    let why = "not even the smallest does; lower the lower end";
    last(places(range)?, allowed)?.ok_or_else(|| none(range, target, why))
}

/// A place at which `enough` holds, fewer than `near` above the first; `None` if it does not at the
/// upper end.
fn first<P: Parameter, E>(
    (lower, upper): (u64, u64),
    near: u64,
    mut enough: impl FnMut(P) -> Result<bool, E>,
) -> Result<Option<P>, E> {
    if !enough(P::at(upper))? {
        return Ok(None);
    }
    // `enough` holds at `good`, and every place below `from` is ruled out.
    let (mut from, mut good) = (lower, upper);
    while good - from >= near {
        let middle = from + (good - from) / 2;
        if enough(P::at(middle))? {
            good = middle;
        } else {
            from = middle + 1;
        }
    }
    Ok(Some(P::at(good)))
}

/// The last place at which `allowed` holds; `None` if it does not at the lower end.
fn last<P: Parameter, E>(
    (lower, upper): (u64, u64),
    mut allowed: impl FnMut(P) -> Result<bool, E>,
) -> Result<Option<P>, E> {
    if !allowed(P::at(lower))? {
        return Ok(None);
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
    Ok(Some(P::at(good)))
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
