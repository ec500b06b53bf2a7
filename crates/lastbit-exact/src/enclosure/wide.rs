use core::ops::{Add, Div, Mul, Neg, Sub};

use super::{Enclosure, Outward};
use crate::{Dyadic, Interval, Rational};

/// An [`Enclosure`] with ends of at most `BITS` bits, and operators: [`Outward`] at a precision
/// that the type states.
///
/// Cancellation of many bits, and magnitudes far outside f64, then do not show in a result that is
/// rounded to f64 once, at the end.
///
/// ```
/// use lastbit_exact::{Rational, Wide};
/// let tiny: Rational = "1e-50".parse()?;
/// let difference = &(&Wide::<256>::ONE + &Wide::of(&tiny)) - &Wide::ONE;
/// let interval = difference.to_interval();
/// assert!(interval.contains_rational(&tiny) && interval.width().get() < 1e-65);
/// # Ok::<(), lastbit_exact::ParseRationalError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wide<const BITS: u32>(Enclosure);

impl<const BITS: u32> Wide<BITS> {
    /// Zero.
    pub const ZERO: Self = Wide(Enclosure {
        lo: Dyadic::ZERO,
        hi: Dyadic::ZERO,
    });
    /// One.
    pub const ONE: Self = Wide(Enclosure {
        lo: Dyadic::ONE,
        hi: Dyadic::ONE,
    });
    const ARITHMETIC: Outward = Outward::new(BITS);

    /// `x`.
    pub fn of(x: &Rational) -> Self {
        Wide(Self::ARITHMETIC.rational(x))
    }

    /// What lies in the enclosure.
    pub fn within(x: &Enclosure) -> Self {
        Wide(Self::ARITHMETIC.round(x))
    }

    /// Any number between the two, whichever is the larger.
    pub fn between(one: &Dyadic, other: &Dyadic) -> Self {
        Self::within(&Enclosure::between(one.clone(), other.clone()))
    }

    /// `[−x, x]`.
    pub fn plus_minus(x: &Self) -> Self {
        let size = x.abs();
        size.hull(&-&size)
    }

    /// `e^-x` for `x ≥ 0`; relative width below `2^(3 − BITS)` unless `x > 6000`.
    pub fn exp_neg(x: &Rational) -> Self {
        Wide(Self::ARITHMETIC.exp(&-x))
    }

    /// `1 − e^-x` for `x ≥ 0`; relative width below `2^(3 − BITS)`.
    pub fn one_minus_exp_neg(x: &Rational) -> Self {
        Wide(Self::ARITHMETIC.one_minus_exp_neg(x))
    }

    /// `ln(1/x)` for `0 < x ≤ 1`; relative width below `2^(3 − BITS)`.
    ///
    /// # Panics
    /// Unless `x > 0`.
    pub fn ln_recip(x: &Rational) -> Self {
        Wide(Self::ARITHMETIC.ln_recip(x))
    }

    /// `ln x`; `None` unless all of x is positive.
    pub fn ln(&self) -> Option<Self> {
        Self::ARITHMETIC.ln(&self.0).map(Wide)
    }

    /// `√x` for every `x ≥ 0` inside; `None` if there is none.
    pub fn sqrt(&self) -> Option<Self> {
        Self::ARITHMETIC.sqrt(&self.0).map(Wide)
    }

    /// The lower end: `lo ≤ x`.
    pub fn lo(&self) -> &Dyadic {
        &self.0.lo
    }

    /// The upper end: `x ≤ hi`.
    pub fn hi(&self) -> &Dyadic {
        &self.0.hi
    }

    /// `x · 2^by`, exactly.
    pub fn times_power_of_two(&self, by: i64) -> Self {
        Wide(self.0.times_power_of_two(by))
    }

    /// `x · factor`.
    pub fn times(&self, factor: &Rational) -> Self {
        self * &Self::of(factor)
    }

    /// The part in `[floor, ∞)` of a number known to be there.
    pub fn at_least(self, floor: &Dyadic) -> Self {
        Wide(self.0.at_least(floor))
    }

    /// The part in `[0, 1]` of a number known to be there.
    pub fn clamp_to_unit(self) -> Self {
        Wide(self.0.at_least(&Dyadic::ZERO).at_most(&Dyadic::ONE))
    }

    /// Contains `|x|`.
    pub fn abs(&self) -> Self {
        Wide(self.0.abs())
    }

    /// The smallest enclosure of both.
    pub fn hull(&self, other: &Self) -> Self {
        Wide(self.0.hull(&other.0))
    }

    /// The smallest f64 interval around it.
    pub fn to_interval(&self) -> Interval {
        self.0.to_interval()
    }
}

impl<const BITS: u32> Add for &Wide<BITS> {
    type Output = Wide<BITS>;
    fn add(self, other: &Wide<BITS>) -> Wide<BITS> {
        Wide(Wide::<BITS>::ARITHMETIC.add(&self.0, &other.0))
    }
}

impl<const BITS: u32> Sub for &Wide<BITS> {
    type Output = Wide<BITS>;
    fn sub(self, other: &Wide<BITS>) -> Wide<BITS> {
        Wide(Wide::<BITS>::ARITHMETIC.sub(&self.0, &other.0))
    }
}

impl<const BITS: u32> Neg for &Wide<BITS> {
    type Output = Wide<BITS>;
    fn neg(self) -> Wide<BITS> {
        Wide(-&self.0)
    }
}

impl<const BITS: u32> Mul for &Wide<BITS> {
    type Output = Wide<BITS>;
    fn mul(self, other: &Wide<BITS>) -> Wide<BITS> {
        Wide(Wide::<BITS>::ARITHMETIC.mul(&self.0, &other.0))
    }
}

impl<const BITS: u32> Div for &Wide<BITS> {
    type Output = Wide<BITS>;
    /// # Panics
    /// If 0 is in the divisor.
    fn div(self, other: &Wide<BITS>) -> Wide<BITS> {
        let quotient = Wide::<BITS>::ARITHMETIC.div(&self.0, &other.0);
        Wide(quotient.expect("the divisor keeps off 0"))
    }
}
