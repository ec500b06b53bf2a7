use core::fmt;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

use super::{BoundError, Up, decimal, exp, ln_1p, ops, power};
use crate::{Dyadic, Rational, Rounding, ln_bounds};

/// A lower bound of a real number: `x ≥ self`.
///
/// Each operation states its contract over every real it may stand for. `+ − × ÷ √ ln` return the
/// largest f64 that honours it; `exp exp_m1 ln_1p powi` are at most one f64 below that.
///
/// ```
/// use lastbit_exact::{Down, Rational, Up};
/// let tenth = Down::from_rational(&Rational::new(1, 10));
/// let sum = tenth + tenth + tenth;
/// assert!(sum.to_rational().unwrap() <= Rational::new(3, 10));
/// let ratio = Down::from(1) / Up::from(3);
/// assert!(ratio.to_rational().unwrap() <= Rational::new(1, 3));
/// ```
///
/// Never NaN and never `+∞`; `-∞` when nothing finite is known to be below. A zero is always
/// `+0.0`. As for [`Up`], the wrong direction does not compile.
///
/// ```compile_fail
/// # use lastbit_exact::{Down, Up};
/// Down::exact(3.0) - Down::exact(1.0);
/// ```
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub struct Down(f64);

impl Down {
    /// The bound of zero.
    pub const ZERO: Down = Down(0.0);
    /// The bound of one.
    pub const ONE: Down = Down(1.0);
    /// The bound of every real number.
    pub const NEG_INFINITY: Down = Down(f64::NEG_INFINITY);

    /// `value` as a lower bound; refuses NaN and `+∞`.
    pub fn new(value: f64) -> Result<Down, BoundError> {
        if value.is_nan() {
            Err(BoundError::NotANumber)
        } else if value == f64::INFINITY {
            Err(BoundError::LowerAboveAllReals)
        } else {
            Ok(Down::from_bound(value))
        }
    }

    /// A finite constant as its own bound.
    ///
    /// # Panics
    /// If `value` is NaN or infinite; in a `const` that is a compile error. Numbers from outside go
    /// through [`Down::new`].
    pub const fn exact(value: f64) -> Down {
        assert!(value.is_finite(), "a constant bound must be finite");
        Down(value + 0.0)
    }

    /// `x ≥ Down::from_rational(x)`, the largest such f64.
    pub fn from_rational(x: &Rational) -> Down {
        Down::from_bound(x.to_f64(Rounding::Down))
    }

    /// `x ≥ Down::from_dyadic(x)`, the largest such f64.
    pub fn from_dyadic(x: &Dyadic) -> Down {
        Down::from_bound(x.to_f64(Rounding::Down))
    }

    /// The bound.
    #[inline]
    pub const fn get(self) -> f64 {
        self.0
    }

    /// The largest f64 `≤ self` whose shortest decimal, which is what JSON and other writers of f64
    /// print, is `≤ self` too: this bound or its neighbour.
    pub fn printable(self) -> f64 {
        Rational::try_from(self.0).map_or(self.0, |exact| decimal::printable::<false>(&exact))
    }

    /// Whether the bound says anything.
    #[inline]
    pub const fn is_finite(self) -> bool {
        self.0.is_finite()
    }

    /// The bound as an exact number; `None` if it is infinite.
    pub fn to_rational(self) -> Option<Rational> {
        Rational::try_from(self.0).ok()
    }

    /// `self ≥ limit`, so `x ≥ limit` for every `x ≥ self`. Nothing is rounded; an infinite bound
    /// is at least no limit.
    pub fn is_at_least(self, limit: &Rational) -> bool {
        self.to_rational().is_some_and(|bound| bound >= *limit)
    }

    /// `√x ≥ self.sqrt()` for every `x ≥ self`, `x ≥ 0`.
    #[inline]
    pub fn sqrt(self) -> Down {
        if self.0 < 0.0 {
            Down::ZERO
        } else {
            Down(ops::sqrt::<false>(self.0))
        }
    }

    /// `x^n ≥ self.powi(n)` for every `x ≥ self`; `x^0 = 1`.
    pub fn powi(self, n: u32) -> Down {
        if self.0 >= 0.0 {
            Down(power::power(self.0, n).0)
        } else if n % 2 == 1 {
            Down(ops::negate(power::power(-self.0, n).1))
        } else if n == 0 {
            Down::ONE
        } else {
            Down::ZERO
        }
    }

    /// `e^x ≥ self.exp()` for every `x ≥ self`.
    #[inline]
    pub fn exp(self) -> Down {
        Down(exp::exp(self.0).0)
    }

    /// `e^x − 1 ≥ self.exp_m1()` for every `x ≥ self`.
    #[inline]
    pub fn exp_m1(self) -> Down {
        Down(exp::exp_m1(self.0).0)
    }

    /// `ln x ≥ self.ln()` for every `x ≥ self`, `x > 0`; `-∞` for a bound at or below zero.
    #[inline]
    pub fn ln(self) -> Down {
        if self.0 > 0.0 {
            Down(ln_bounds(self.0).0)
        } else {
            Down::NEG_INFINITY
        }
    }

    /// `ln(1 + x) ≥ self.ln_1p()` for every `x ≥ self`, `x > −1`; `-∞` for a bound at or below −1.
    #[inline]
    pub fn ln_1p(self) -> Down {
        if self.0 > -1.0 {
            Down(ln_1p::ln_1p(self.0).0)
        } else {
            Down::NEG_INFINITY
        }
    }

    /// `min(x, y) ≥ self.min(other)` for every `x ≥ self`, `y ≥ other`.
    #[inline]
    pub fn min(self, other: Down) -> Down {
        if other.0 < self.0 { other } else { self }
    }

    /// `max(x, y) ≥ self.max(other)` for every `x ≥ self`, `y ≥ other`.
    #[inline]
    pub fn max(self, other: Down) -> Down {
        if other.0 > self.0 { other } else { self }
    }

    /// A number known to be neither NaN nor `+∞`.
    #[inline]
    pub(super) fn from_bound(value: f64) -> Down {
        debug_assert!(!value.is_nan() && value != f64::INFINITY);
        // -0.0 + 0.0 is +0.0.
        Down(value + 0.0)
    }
}

impl From<u32> for Down {
    /// Exact: every u32 is an f64.
    fn from(value: u32) -> Down {
        Down(f64::from(value))
    }
}

impl Add for Down {
    type Output = Down;
    /// `x + y ≥ self + other` for every `x ≥ self`, `y ≥ other`.
    #[inline]
    fn add(self, other: Down) -> Down {
        Down(ops::add::<false>(self.0, other.0))
    }
}

impl AddAssign for Down {
    #[inline]
    fn add_assign(&mut self, other: Down) {
        *self = *self + other;
    }
}

impl Sum for Down {
    fn sum<I: Iterator<Item = Down>>(terms: I) -> Down {
        terms.fold(Down::ZERO, Add::add)
    }
}

impl Sub<Up> for Down {
    type Output = Down;
    /// `x − y ≥ self − other` for every `x ≥ self`, `y ≤ other`.
    #[inline]
    fn sub(self, other: Up) -> Down {
        Down(ops::sub::<false>(self.0, other.get()))
    }
}

impl Mul for Down {
    type Output = Down;
    /// `x · y ≥ self · other` for every `x ≥ self`, `y ≥ other`.
    ///
    /// A number that may be negative times an arbitrarily large one: `-∞` for a negative bound.
    #[inline]
    fn mul(self, other: Down) -> Down {
        if self.0 < 0.0 || other.0 < 0.0 {
            Down::NEG_INFINITY
        } else {
            Down(ops::mul::<false>(self.0, other.0))
        }
    }
}

impl Div<Up> for Down {
    type Output = Down;
    /// `x / y ≥ self / other` for every `x ≥ self`, `0 < y ≤ other`.
    ///
    /// A negative numerator over an arbitrarily small denominator, or a denominator that cannot be
    /// positive: `-∞`.
    #[inline]
    fn div(self, other: Up) -> Down {
        if self.0 < 0.0 || other.get() <= 0.0 {
            Down::NEG_INFINITY
        } else {
            Down(ops::div::<false>(self.0, other.get()))
        }
    }
}

impl Neg for Down {
    type Output = Up;
    /// `−x ≤ −self` for every `x ≥ self`.
    #[inline]
    fn neg(self) -> Up {
        Up::from_bound(-self.0)
    }
}

impl fmt::Display for Down {
    /// What is read is still a bound: the shortest decimal `≤ self` that reads back to the same
    /// f64, or a given number of decimals rounded down.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        decimal::write::<false>(self.0, f)
    }
}

impl fmt::LowerExp for Down {
    /// As `Display`, with an exponent.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        decimal::write_exponent::<false>(self.0, f)
    }
}

impl fmt::Debug for Down {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Down({:?})", self.0)
    }
}
