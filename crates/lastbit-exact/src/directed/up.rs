use core::fmt;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

use super::{BoundError, Down, decimal, exp, ln_1p, ops, power};
use crate::{Dyadic, Rational, Rounding, ln_bounds};

/// An upper bound of a real number: `x ≤ self`.
///
/// Each operation states its contract over every real it may stand for. `+ − × ÷ √ ln` return the
/// smallest f64 that honours it; `exp exp_m1 ln_1p powi` are at most one f64 above that.
///
/// ```
/// use lastbit_exact::{Down, Rational, Up};
/// let tenth = Up::from_rational(&Rational::new(1, 10));
/// let sum = tenth + tenth + tenth;
/// assert!(sum.to_rational().unwrap() >= Rational::new(3, 10));
/// let ratio = Up::from(1) / Down::from(3);
/// assert!(ratio.to_rational().unwrap() >= Rational::new(1, 3));
/// assert!((Up::ONE + Up::exact(2f64.powi(-60))).get() > 1.0); // rounding to nearest would give 1
/// ```
///
/// An operator exists only where the bounds it is given determine the bound it returns: `Up - Down`
/// is an `Up`, and none of these compiles.
///
/// ```compile_fail
/// # use lastbit_exact::{Down, Up};
/// Up::exact(3.0) - Up::exact(1.0);
/// ```
/// ```compile_fail
/// # use lastbit_exact::{Down, Up};
/// Up::exact(3.0) + Down::exact(1.0);
/// ```
/// ```compile_fail
/// # use lastbit_exact::{Down, Up};
/// Up::exact(3.0) / Up::exact(1.0);
/// ```
/// ```compile_fail
/// # use lastbit_exact::{Down, Up};
/// let _: Up = -Up::exact(3.0);
/// ```
/// ```
/// # use lastbit_exact::{Down, Up};
/// let _: Up = Up::exact(3.0) - Down::exact(1.0) + Up::exact(3.0) / Down::exact(1.0);
/// let _: Down = -Up::exact(3.0);
/// ```
///
/// Never NaN and never `-∞`, since no real lies at or below `-∞`; `+∞` when nothing finite is known
/// to be above. [`Down`] mirrors this, so `∞ − ∞` cannot arise, and a sum that overflows downward
/// is bounded by `f64::MIN`. A zero is always `+0.0`.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub struct Up(f64);

impl Up {
    /// The bound of zero.
    pub const ZERO: Up = Up(0.0);
    /// The bound of one.
    pub const ONE: Up = Up(1.0);
    /// The bound of every real number.
    pub const INFINITY: Up = Up(f64::INFINITY);

    /// `value` as an upper bound; refuses NaN and `-∞`.
    pub fn new(value: f64) -> Result<Up, BoundError> {
        if value.is_nan() {
            Err(BoundError::NotANumber)
        } else if value == f64::NEG_INFINITY {
            Err(BoundError::UpperBelowAllReals)
        } else {
            Ok(Up::from_bound(value))
        }
    }

    /// A finite constant as its own bound.
    ///
    /// # Panics
    /// If `value` is NaN or infinite; in a `const` that is a compile error. Numbers from outside go
    /// through [`Up::new`].
    pub const fn exact(value: f64) -> Up {
        assert!(value.is_finite(), "a constant bound must be finite");
        Up(value + 0.0)
    }

    /// `x ≤ Up::from_rational(x)`, the smallest such f64.
    pub fn from_rational(x: &Rational) -> Up {
        Up::from_bound(x.to_f64(Rounding::Up))
    }

    /// `x ≤ Up::from_dyadic(x)`, the smallest such f64.
    pub fn from_dyadic(x: &Dyadic) -> Up {
        Up::from_bound(x.to_f64(Rounding::Up))
    }

    /// The bound.
    #[inline]
    pub const fn get(self) -> f64 {
        self.0
    }

    /// The bound as an exact number; `None` if it is infinite.
    pub fn to_rational(self) -> Option<Rational> {
        Rational::try_from(self.0).ok()
    }

    /// `self ≤ limit`, so `x ≤ limit` for every `x ≤ self`. Nothing is rounded; an infinite bound
    /// is at most no limit.
    pub fn is_at_most(self, limit: &Rational) -> bool {
        self.to_rational().is_some_and(|bound| bound <= *limit)
    }

    /// The smallest f64 `≥ self` whose shortest decimal, which is what JSON and other writers of
    /// f64 print, is `≥ self` too: this bound or its neighbour.
    pub fn printable(self) -> f64 {
        self.to_rational()
            .map_or(self.0, |exact| decimal::printable::<true>(&exact))
    }

    /// Whether the bound says anything.
    #[inline]
    pub const fn is_finite(self) -> bool {
        self.0.is_finite()
    }

    /// `√x ≤ self.sqrt()` for every `0 ≤ x ≤ self`; `+∞` if there is no such x.
    #[inline]
    pub fn sqrt(self) -> Up {
        if self.0 < 0.0 {
            Up::INFINITY
        } else {
            Up(ops::sqrt::<true>(self.0))
        }
    }

    /// `x^n ≤ self.powi(n)` for every `0 ≤ x ≤ self`, and for odd n for every `x ≤ self`.
    ///
    /// `x^0 = 1`. For even n and a negative bound no finite bound exists: `+∞`.
    pub fn powi(self, n: u32) -> Up {
        if self.0 >= 0.0 {
            Up(power::power(self.0, n).1)
        } else if n % 2 == 1 {
            Up(ops::negate(power::power(-self.0, n).0))
        } else if n == 0 {
            Up::ONE
        } else {
            Up::INFINITY
        }
    }

    /// `e^x ≤ self.exp()` for every `x ≤ self`.
    #[inline]
    pub fn exp(self) -> Up {
        Up(exp::exp(self.0).1)
    }

    /// `e^x − 1 ≤ self.exp_m1()` for every `x ≤ self`.
    #[inline]
    pub fn exp_m1(self) -> Up {
        Up(exp::exp_m1(self.0).1)
    }

    /// `ln x ≤ self.ln()` for every `0 < x ≤ self`.
    ///
    /// The bound of a number that tends to zero from above, `Up::ZERO`, gives `f64::MIN`. A
    /// negative bound leaves no x with a logarithm, most likely a mistake: the answer is `+∞`,
    /// which promises nothing.
    #[inline]
    pub fn ln(self) -> Up {
        if self.0 > 0.0 {
            Up(ln_bounds(self.0).1)
        } else if self.0 == 0.0 {
            Up(f64::MIN)
        } else {
            Up::INFINITY
        }
    }

    /// `ln(1 + x) ≤ self.ln_1p()` for every `−1 < x ≤ self`; at and below `−1` as [`Up::ln`] at and
    /// below 0.
    #[inline]
    pub fn ln_1p(self) -> Up {
        if self.0 > -1.0 {
            Up(ln_1p::ln_1p(self.0).1)
        } else if self.0 == -1.0 {
            Up(f64::MIN)
        } else {
            Up::INFINITY
        }
    }

    /// `min(x, y) ≤ self.min(other)` for every `x ≤ self`, `y ≤ other`.
    #[inline]
    pub fn min(self, other: Up) -> Up {
        if other.0 < self.0 { other } else { self }
    }

    /// `max(x, y) ≤ self.max(other)` for every `x ≤ self`, `y ≤ other`.
    #[inline]
    pub fn max(self, other: Up) -> Up {
        if other.0 > self.0 { other } else { self }
    }

    /// A number known to be neither NaN nor `-∞`.
    #[inline]
    pub(super) fn from_bound(value: f64) -> Up {
        debug_assert!(!value.is_nan() && value != f64::NEG_INFINITY);
        // -0.0 + 0.0 is +0.0.
        Up(value + 0.0)
    }
}

impl From<u32> for Up {
    /// Exact: every u32 is an f64.
    fn from(value: u32) -> Up {
        Up(f64::from(value))
    }
}

impl Add for Up {
    type Output = Up;
    /// `x + y ≤ self + other` for every `x ≤ self`, `y ≤ other`.
    #[inline]
    fn add(self, other: Up) -> Up {
        Up(ops::add::<true>(self.0, other.0))
    }
}

impl AddAssign for Up {
    #[inline]
    fn add_assign(&mut self, other: Up) {
        *self = *self + other;
    }
}

impl Sum for Up {
    fn sum<I: Iterator<Item = Up>>(terms: I) -> Up {
        terms.fold(Up::ZERO, Add::add)
    }
}

impl Sub<Down> for Up {
    type Output = Up;
    /// `x − y ≤ self − other` for every `x ≤ self`, `y ≥ other`.
    #[inline]
    fn sub(self, other: Down) -> Up {
        Up(ops::sub::<true>(self.0, other.get()))
    }
}

impl Mul for Up {
    type Output = Up;
    /// `x · y ≤ self · other` for every `0 ≤ x ≤ self`, `0 ≤ y ≤ other`.
    ///
    /// A negative bound leaves no such x, and numbers below it have products of any size: `+∞`.
    /// `0 · ∞ = 0`.
    #[inline]
    fn mul(self, other: Up) -> Up {
        if self.0 < 0.0 || other.0 < 0.0 {
            Up::INFINITY
        } else {
            Up(ops::mul::<true>(self.0, other.0))
        }
    }
}

impl Div<Down> for Up {
    type Output = Up;
    /// `x / y ≤ self / other` for every `x ≤ self`, `y ≥ other`, `y > 0`.
    ///
    /// A denominator bounded by zero or less may be arbitrarily small: `+∞`. A negative numerator
    /// over an arbitrarily large denominator: 0.
    #[inline]
    fn div(self, other: Down) -> Up {
        if other.get() <= 0.0 {
            Up::INFINITY
        } else if self.0 <= 0.0 {
            Up::ZERO
        } else {
            Up(ops::div::<true>(self.0, other.get()))
        }
    }
}

impl Neg for Up {
    type Output = Down;
    /// `−x ≥ −self` for every `x ≤ self`.
    #[inline]
    fn neg(self) -> Down {
        Down::from_bound(-self.0)
    }
}

impl fmt::Display for Up {
    /// What is read is still a bound: the shortest decimal `≥ self` that reads back to the same
    /// f64, or a given number of decimals rounded up.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        decimal::write::<true>(self.0, f)
    }
}

impl fmt::LowerExp for Up {
    /// As `Display`, with an exponent.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        decimal::write_exponent::<true>(self.0, f)
    }
}

impl fmt::Debug for Up {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Up({:?})", self.0)
    }
}
