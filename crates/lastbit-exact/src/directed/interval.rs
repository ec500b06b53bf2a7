use core::fmt;
use core::ops::{Add, Div, Mul, Neg, Sub};

use super::{BoundError, Down, Up, exp, ln_1p, ops, power};
use crate::{Dyadic, Rational, ln_bounds};

/// A lower and an upper bound of the same real number: `lo ≤ x ≤ hi`.
///
/// Contract of every operation `f`: if `x` and `y` lie in the arguments and `f(x, y)` is defined,
/// it lies in the result. The ends are rounded as [`Down`] and [`Up`] are; an end may be infinite
/// on its own side, and stands for reals of any size.
///
/// ```
/// use lastbit_exact::{Interval, Rational};
/// let third = Interval::from(1) / Interval::from(3);
/// assert!(third.contains_rational(&Rational::new(1, 3)));
/// let e = Interval::from(1).exp();
/// assert!(e.contains(std::f64::consts::E) && e.width().get() <= 1e-15);
/// ```
#[derive(Clone, Copy, PartialEq)]
pub struct Interval {
    lo: Down,
    hi: Up,
}

impl Interval {
    /// The interval of zero alone.
    pub const ZERO: Interval = Interval::from_bounds(Down::ZERO, Up::ZERO);
    /// The interval of one alone.
    pub const ONE: Interval = Interval::from_bounds(Down::ONE, Up::ONE);
    /// From zero to one.
    pub const UNIT: Interval = Interval::from_bounds(Down::ZERO, Up::ONE);
    /// Every real number.
    pub const WHOLE: Interval = Interval::from_bounds(Down::NEG_INFINITY, Up::INFINITY);

    /// `[lo, hi]`; refuses NaN, `lo > hi`, `lo = +∞` and `hi = -∞`.
    pub fn new(lo: f64, hi: f64) -> Result<Interval, BoundError> {
        Interval::between(Down::new(lo)?, Up::new(hi)?)
    }

    /// `lower ≤ x ≤ upper`; refuses a lower bound above the upper.
    pub fn between(lower: Down, upper: Up) -> Result<Interval, BoundError> {
        let (lo, hi) = (lower.get(), upper.get());
        if lo > hi {
            return Err(BoundError::Reversed { lo, hi });
        }
        Ok(Interval::from_bounds(lower, upper))
    }

    /// A finite constant alone.
    ///
    /// # Panics
    /// If `value` is NaN or infinite; in a `const` that is a compile error. Numbers from outside go
    /// through [`Interval::new`].
    pub const fn point(value: f64) -> Interval {
        Interval::from_bounds(Down::exact(value), Up::exact(value))
    }

    /// Contains every x with `|x| ≤ size`, for a size of zero or more.
    pub fn plus_minus(size: Up) -> Interval {
        Interval::from_bounds(-size, size)
    }

    /// The tightest interval around `x`.
    pub fn from_rational(x: &Rational) -> Interval {
        Interval::from_bounds(Down::from_rational(x), Up::from_rational(x))
    }

    /// The tightest interval around `x`.
    pub fn from_dyadic(x: &Dyadic) -> Interval {
        Interval::from_bounds(Down::from_dyadic(x), Up::from_dyadic(x))
    }

    /// The lower end.
    #[inline]
    pub const fn lo(self) -> f64 {
        self.lo.get()
    }

    /// The upper end.
    #[inline]
    pub const fn hi(self) -> f64 {
        self.hi.get()
    }

    /// `x ≥ self.lower()`.
    #[inline]
    pub const fn lower(self) -> Down {
        self.lo
    }

    /// `x ≤ self.upper()`.
    #[inline]
    pub const fn upper(self) -> Up {
        self.hi
    }

    /// Whether `lo ≤ value ≤ hi`.
    #[inline]
    pub fn contains(self, value: f64) -> bool {
        self.lo() <= value && value <= self.hi()
    }

    /// Whether `lo ≤ value ≤ hi`, exactly.
    pub fn contains_rational(self, value: &Rational) -> bool {
        // An end that is not a rational is an infinity, beyond every rational on its side.
        Rational::try_from(self.lo()).map_or(true, |lo| lo <= *value)
            && Rational::try_from(self.hi()).map_or(true, |hi| *value <= hi)
    }

    /// `|x − y| ≤ self.width()` for every x and y inside.
    #[inline]
    pub fn width(self) -> Up {
        self.hi - self.lo
    }

    /// A finite number inside, halfway up to rounding; 0 for the whole line, `±MAX` for a half
    /// line.
    pub fn midpoint(self) -> f64 {
        match (self.lo.is_finite(), self.hi.is_finite()) {
            (true, true) => {
                // Halves first, so that the sum cannot overflow; clamped, since halving a subnormal
                // rounds.
                (self.lo() / 2.0 + self.hi() / 2.0).clamp(self.lo(), self.hi()) + 0.0
            }
            (false, false) => 0.0,
            (true, false) => f64::MAX,
            (false, true) => f64::MIN,
        }
    }

    /// The smallest interval that contains both.
    pub fn hull(self, other: Interval) -> Interval {
        Interval::from_bounds(self.lo.min(other.lo), self.hi.max(other.hi))
    }

    /// The numbers in both; `None` if there are none.
    pub fn intersect(self, other: Interval) -> Option<Interval> {
        let both = Interval::from_bounds(self.lo.max(other.lo), self.hi.min(other.hi));
        (both.lo() <= both.hi()).then_some(both)
    }

    /// Contains `|x|`.
    pub fn abs(self) -> Interval {
        if self.lo() >= 0.0 {
            self
        } else if self.hi() <= 0.0 {
            -self
        } else {
            Interval::from_bounds(Down::ZERO, self.hi.max(-self.lo))
        }
    }

    /// Contains `√x` for every `x ≥ 0` inside; the whole line if there is none.
    pub fn sqrt(self) -> Interval {
        if self.hi() < 0.0 {
            return Interval::WHOLE;
        }
        Interval::from_bounds(self.lo.sqrt(), self.hi.sqrt())
    }

    /// Contains `x^n`; `x^0 = 1`, and for `n < 0` the whole line if 0 is inside. The ends are at
    /// most one f64 away from the tightest.
    pub fn powi(self, n: i32) -> Interval {
        let magnitude = n.unsigned_abs();
        let base = if magnitude.is_multiple_of(2) {
            self.abs()
        } else {
            self
        };
        if n >= 0 {
            return Interval::from_bounds(base.lo.powi(magnitude), base.hi.powi(magnitude));
        }
        if base.contains(0.0) {
            return Interval::WHOLE;
        }
        // Falls as |x| grows: the far end gives the lower bound of the magnitude.
        let negative = base.hi() < 0.0;
        let size = if negative { -base } else { base };
        let power = Interval::from_pair((
            power::reciprocal(size.hi(), magnitude).0,
            power::reciprocal(size.lo(), magnitude).1,
        ));
        if negative { -power } else { power }
    }

    /// Contains `e^x`.
    #[inline]
    pub fn exp(self) -> Interval {
        if self.is_point() {
            return Interval::from_pair(exp::exp(self.lo()));
        }
        Interval::from_bounds(self.lo.exp(), self.hi.exp())
    }

    /// Contains `e^x − 1`.
    #[inline]
    pub fn exp_m1(self) -> Interval {
        if self.is_point() {
            return Interval::from_pair(exp::exp_m1(self.lo()));
        }
        Interval::from_bounds(self.lo.exp_m1(), self.hi.exp_m1())
    }

    /// Contains `ln x` for every `x > 0` inside; the whole line if every number inside is negative.
    #[inline]
    pub fn ln(self) -> Interval {
        if self.is_point() && self.lo() > 0.0 {
            return Interval::from_pair(ln_bounds(self.lo()));
        }
        Interval::from_bounds(self.lo.ln(), self.hi.ln())
    }

    /// Contains `ln(1 + x)` for every `x > −1` inside; the whole line if every number inside is
    /// below −1.
    #[inline]
    pub fn ln_1p(self) -> Interval {
        if self.is_point() && self.lo() > -1.0 {
            return Interval::from_pair(ln_1p::ln_1p(self.lo()));
        }
        Interval::from_bounds(self.lo.ln_1p(), self.hi.ln_1p())
    }

    /// Contains `min(x, y)`.
    pub fn min(self, other: Interval) -> Interval {
        Interval::from_bounds(self.lo.min(other.lo), self.hi.min(other.hi))
    }

    /// Contains `max(x, y)`.
    pub fn max(self, other: Interval) -> Interval {
        Interval::from_bounds(self.lo.max(other.lo), self.hi.max(other.hi))
    }

    /// A single number: one evaluation gives both bounds of a function of it.
    #[inline]
    fn is_point(self) -> bool {
        self.lo() == self.hi()
    }

    /// `lo ≤ hi`, as every kernel returns them, neither infinite on the wrong side.
    #[inline]
    fn from_pair((lo, hi): (f64, f64)) -> Interval {
        Interval::from_bounds(Down::from_bound(lo), Up::from_bound(hi))
    }

    /// Both bounds of the same real; the caller knows that `lo ≤ hi`.
    const fn from_bounds(lo: Down, hi: Up) -> Interval {
        Interval { lo, hi }
    }
}

impl From<u32> for Interval {
    /// Exact: every u32 is an f64.
    fn from(value: u32) -> Interval {
        Interval::from_bounds(Down::from(value), Up::from(value))
    }
}

impl Add for Interval {
    type Output = Interval;
    #[inline]
    fn add(self, other: Interval) -> Interval {
        Interval::from_bounds(self.lo + other.lo, self.hi + other.hi)
    }
}

impl Sub for Interval {
    type Output = Interval;
    #[inline]
    fn sub(self, other: Interval) -> Interval {
        Interval::from_bounds(self.lo - other.hi, self.hi - other.lo)
    }
}

impl Neg for Interval {
    type Output = Interval;
    #[inline]
    fn neg(self) -> Interval {
        Interval::from_bounds(-self.hi, -self.lo)
    }
}

impl Mul for Interval {
    type Output = Interval;
    /// Contains `x · y`. An infinite end times zero is zero, since it stands for reals of any size.
    fn mul(self, other: Interval) -> Interval {
        let (a, b, c, d) = (self.lo(), self.hi(), other.lo(), other.hi());
        // The extremes of xy are at corners; the signs of the ends say which.
        let (lo, hi) = if a >= 0.0 {
            let lo = ops::mul::<false>(if c >= 0.0 { a } else { b }, c);
            let hi = ops::mul::<true>(if d >= 0.0 { b } else { a }, d);
            (lo, hi)
        } else if b <= 0.0 {
            let lo = ops::mul::<false>(if d >= 0.0 { a } else { b }, d);
            let hi = ops::mul::<true>(if c >= 0.0 { b } else { a }, c);
            (lo, hi)
        } else if c >= 0.0 {
            (ops::mul::<false>(a, d), ops::mul::<true>(b, d))
        } else if d <= 0.0 {
            (ops::mul::<false>(b, c), ops::mul::<true>(a, c))
        } else {
            (
                ops::mul::<false>(a, d).min(ops::mul::<false>(b, c)),
                ops::mul::<true>(a, c).max(ops::mul::<true>(b, d)),
            )
        };
        Interval::from_pair((lo, hi))
    }
}

impl Div for Interval {
    type Output = Interval;
    /// Contains `x / y` for every `y ≠ 0`; the whole line if 0 is in `other`.
    fn div(self, other: Interval) -> Interval {
        if other.contains(0.0) {
            return Interval::WHOLE;
        }
        if other.hi() < 0.0 {
            return -self / -other;
        }
        let (a, b, c, d) = (self.lo(), self.hi(), other.lo(), other.hi());
        // 0 < c ≤ d: dividing by c moves an end away from zero, by d toward zero.
        let lo = ops::div::<false>(a, if a >= 0.0 { d } else { c });
        let hi = ops::div::<true>(b, if b >= 0.0 { c } else { d });
        Interval::from_pair((lo, hi))
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        fmt::Display::fmt(&self.lo, f)?;
        f.write_str(", ")?;
        fmt::Display::fmt(&self.hi, f)?;
        f.write_str("]")
    }
}

impl fmt::Debug for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
