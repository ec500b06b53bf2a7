//! Interval arithmetic at a fixed number of bits and any exponent.
//!
//! Utility is computed here and rounded to f64 once, at the end: cancellation of up to a few hundred bits, and magnitudes far
//! outside f64 on the way, do not show in the result.

use core::ops::{Add, Div, Mul, Neg, Sub};

use lastbit_exact::{Dyadic, Interval, Rational, Rounding, exp_enclosure, ln_enclosure};

/// `lo ≤ x ≤ hi`, both of at most `BITS` significant bits. Every operation rounds outward.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Wide<const BITS: usize> {
    lo: Dyadic,
    hi: Dyadic,
}

/// Enough for probabilities, whose formulas do not cancel.
pub(crate) type Probability = Wide<128>;
/// Enough for moments, whose formulas cancel up to 200 bits.
pub(crate) type Moment = Wide<384>;

/// `e^-x` for `x > LARGEST_EXPONENT` is enclosed by `[0, 2^SMALLEST_POWER]`: `6000/ln 2 > 8192`.
const LARGEST_EXPONENT: i64 = 6000;
const SMALLEST_POWER: i64 = -8192;

impl<const BITS: usize> Wide<BITS> {
    pub(crate) const ZERO: Self = Wide {
        lo: Dyadic::ZERO,
        hi: Dyadic::ZERO,
    };
    pub(crate) const ONE: Self = Wide {
        lo: Dyadic::ONE,
        hi: Dyadic::ONE,
    };

    fn new(lo: Dyadic, hi: Dyadic) -> Self {
        debug_assert!(lo <= hi);
        Wide {
            lo: lo.round(BITS, Rounding::Down),
            hi: hi.round(BITS, Rounding::Up),
        }
    }

    pub(crate) fn lo(&self) -> &Dyadic {
        &self.lo
    }

    pub(crate) fn hi(&self) -> &Dyadic {
        &self.hi
    }

    /// `x`, enclosed.
    pub(crate) fn of(x: &Rational) -> Self {
        Wide {
            lo: x.round(BITS, Rounding::Down),
            hi: x.round(BITS, Rounding::Up),
        }
    }

    /// `[lo, hi]`; the caller knows that `lo ≤ hi`.
    pub(crate) fn between(lo: &Dyadic, hi: &Dyadic) -> Self {
        Self::new(lo.clone(), hi.clone())
    }

    /// `[−x, x]`.
    pub(crate) fn plus_minus(x: &Self) -> Self {
        let hi = x.hi.abs().max(x.lo.abs());
        Wide { lo: -&hi, hi }
    }

    /// `e^-x` for `x ≥ 0`; relative width below `2^(3 − BITS)` unless `x > 6000`.
    pub(crate) fn exp_neg(x: &Rational) -> Self {
        let (lo, hi) = exp_neg(x, BITS as u32);
        Self::new(lo, hi)
    }

    /// `1 − e^-x` for `x ≥ 0`; relative width below `2^(3 − BITS)`.
    pub(crate) fn one_minus_exp_neg(x: &Rational) -> Self {
        let Some(top) = x.round(8, Rounding::Down).floor_log2() else {
            return Self::ZERO;
        };
        if top < -(BITS as i64) {
            // x − x²/2 ≤ 1 − e^-x ≤ x, and x < 2^-BITS.
            let x = Self::of(x);
            let lo = &x.lo - &x.lo.scale(-(BITS as i64));
            return Self::new(lo, x.hi);
        }
        // 1 − e^-x ≥ x/2 for x ≤ 1: that many bits more keep the width relative to the difference.
        let extra = (-top).max(0) as u32 + 2;
        let (lo, hi) = exp_neg(x, BITS as u32 + extra);
        Self::new(&Dyadic::ONE - &hi.min(Dyadic::ONE), &Dyadic::ONE - &lo)
    }

    /// `ln(1/x)` for `0 < x ≤ 1`; relative width below `2^(3 − BITS)`.
    pub(crate) fn ln_recip(x: &Rational) -> Self {
        let gap = &Rational::ONE - x;
        let Some(top) = gap.round(8, Rounding::Down).floor_log2() else {
            return Self::ZERO;
        };
        if top < -(BITS as i64) {
            // gap ≤ −ln(1 − gap) ≤ gap + gap², and gap < 2^-BITS.
            let gap = Self::of(&gap);
            let hi = &gap.hi + &gap.hi.scale(-(BITS as i64));
            return Self::new(gap.lo, hi);
        }
        // ln(1/x) ≥ gap: that many bits more keep the width relative.
        let bits = BITS as u32 + (-top) as u32 + 2;
        // rounded ≤ x ≤ rounded(1 + 2^-(bits + 7)), so ln x is above ln rounded by at most 2^-(bits + 7).
        let rounded = x.round(bits as usize + 8, Rounding::Down);
        let ln = ln_enclosure(&rounded, bits);
        let slack = Dyadic::power_of_two(-i64::from(bits) - 7);
        let lo = -&(ln.hi() + &slack);
        Self::new(lo.max(Dyadic::ZERO), -ln.lo())
    }

    /// `ln x` for `x > 0`, off by at most `2^-BITS` beyond what the width of x costs; `None` if x may not be positive.
    pub(crate) fn ln(&self) -> Option<Self> {
        if !self.lo.is_positive() {
            return None;
        }
        let lo = ln_enclosure(&self.lo, BITS as u32 + 1).lo().clone();
        let hi = ln_enclosure(&self.hi, BITS as u32 + 1).hi().clone();
        Some(Self::new(lo, hi))
    }

    /// `√x` for every `x ≥ 0` inside; `None` if there is none.
    pub(crate) fn sqrt(&self) -> Option<Self> {
        if self.hi.is_negative() {
            return None;
        }
        let lo = if self.lo.is_positive() {
            root::<BITS>(&self.lo).lo
        } else {
            Dyadic::ZERO
        };
        let hi = if self.hi.is_positive() {
            root::<BITS>(&self.hi).hi
        } else {
            Dyadic::ZERO
        };
        Some(Wide { lo, hi })
    }

    /// `x · 2^by`, exactly.
    pub(crate) fn scale(&self, by: i64) -> Self {
        Wide {
            lo: self.lo.scale(by),
            hi: self.hi.scale(by),
        }
    }

    /// `x · factor`.
    pub(crate) fn times(&self, factor: &Rational) -> Self {
        self * &Self::of(factor)
    }

    /// The part in `[floor, ∞)` of a number known to be there.
    pub(crate) fn at_least(self, floor: &Dyadic) -> Self {
        Wide {
            lo: self.lo.max(floor.clone()),
            hi: self.hi.max(floor.clone()),
        }
    }

    /// The part in `[0, 1]` of a number known to be there.
    pub(crate) fn clamp_to_unit(self) -> Self {
        let both = self.at_least(&Dyadic::ZERO);
        Wide {
            lo: both.lo.min(Dyadic::ONE),
            hi: both.hi.min(Dyadic::ONE),
        }
    }

    /// Contains `|x|`.
    pub(crate) fn abs(&self) -> Self {
        if self.lo.is_negative() && self.hi.is_positive() {
            Wide {
                lo: Dyadic::ZERO,
                hi: self.hi.clone().max(-&self.lo),
            }
        } else if self.lo.is_negative() {
            -self
        } else {
            self.clone()
        }
    }

    /// The smallest enclosure of both.
    pub(crate) fn hull(&self, other: &Self) -> Self {
        Wide {
            lo: self.lo.clone().min(other.lo.clone()),
            hi: self.hi.clone().max(other.hi.clone()),
        }
    }

    /// The smallest f64 interval around it.
    pub(crate) fn to_interval(&self) -> Interval {
        // A lower end below every double rounds to −∞ and one above every double to MAX, so the ends are always in order
        // and legal; the whole line would be sound too.
        Interval::new(self.lo.to_f64(Rounding::Down), self.hi.to_f64(Rounding::Up))
            .unwrap_or(Interval::WHOLE)
    }
}

/// `lo ≤ e^-x ≤ hi` for `x ≥ 0`, at `bits` bits; `hi` is at most 1.
fn exp_neg(x: &Rational, bits: u32) -> (Dyadic, Dyadic) {
    if *x > Rational::from(LARGEST_EXPONENT) {
        return (Dyadic::ZERO, Dyadic::power_of_two(SMALLEST_POWER));
    }
    // x ≤ above ≤ x + 2^-(bits + 2), since x < 2^13 keeps bits + 15 places after the leading one.
    let above = x.round(bits as usize + 16, Rounding::Up);
    let power = exp_enclosure(&-&above, bits);
    // e^-x ≤ e^-above · (1 + 2d) for d = above − x ≤ 1/2.
    let hi = power.hi() + &power.hi().scale(-i64::from(bits) - 1);
    (power.lo().clone(), hi.min(Dyadic::ONE))
}

/// `√x` for `x > 0`: for any `y > 0` the root lies between y and x/y.
fn root<const BITS: usize>(x: &Dyadic) -> Wide<BITS> {
    // An even power of two brings x near 1, where f64 starts the iteration.
    let shift = x.floor_log2().unwrap_or(0) / 2;
    let near_one = x.scale(-2 * shift);
    let start = near_one.to_f64(Rounding::NearestEven).sqrt();
    let mut y = Wide::<BITS>::of(&Rational::try_from(start).unwrap_or(Rational::ONE)).lo;
    let target = Wide::<BITS>::new(near_one.clone(), near_one);
    let mut other = &target / &Wide::new(y.clone(), y.clone());
    // Each step doubles the 50 correct bits.
    for _ in 0..BITS.ilog2().saturating_sub(4) {
        y = (&y + &other.lo)
            .scale(-1)
            .round(BITS, Rounding::NearestEven);
        other = &target / &Wide::new(y.clone(), y.clone());
    }
    Wide {
        lo: other.lo.min(y.clone()),
        hi: other.hi.max(y),
    }
    .scale(shift)
}

impl<const BITS: usize> Add for &Wide<BITS> {
    type Output = Wide<BITS>;
    fn add(self, other: &Wide<BITS>) -> Wide<BITS> {
        Wide::new(&self.lo + &other.lo, &self.hi + &other.hi)
    }
}

impl<const BITS: usize> Sub for &Wide<BITS> {
    type Output = Wide<BITS>;
    fn sub(self, other: &Wide<BITS>) -> Wide<BITS> {
        Wide::new(&self.lo - &other.hi, &self.hi - &other.lo)
    }
}

impl<const BITS: usize> Neg for &Wide<BITS> {
    type Output = Wide<BITS>;
    fn neg(self) -> Wide<BITS> {
        Wide {
            lo: -&self.hi,
            hi: -&self.lo,
        }
    }
}

impl<const BITS: usize> Mul for &Wide<BITS> {
    type Output = Wide<BITS>;
    fn mul(self, other: &Wide<BITS>) -> Wide<BITS> {
        if !self.lo.is_negative() && !other.lo.is_negative() {
            return Wide::new(&self.lo * &other.lo, &self.hi * &other.hi);
        }
        // The extremes of a product are at corners.
        let first = &self.lo * &other.lo;
        let (mut lo, mut hi) = (first.clone(), first);
        for corner in [
            &self.lo * &other.hi,
            &self.hi * &other.lo,
            &self.hi * &other.hi,
        ] {
            lo = lo.min(corner.clone());
            hi = hi.max(corner);
        }
        Wide::new(lo, hi)
    }
}

impl<const BITS: usize> Div for &Wide<BITS> {
    type Output = Wide<BITS>;
    /// Contains `x/y` for every `y > 0`; the denominator's lower end has to be positive.
    fn div(self, other: &Wide<BITS>) -> Wide<BITS> {
        debug_assert!(other.lo.is_positive());
        let quotient = |x: &Dyadic, y: &Dyadic, rounding| {
            (&Rational::from(x) / &Rational::from(y)).round(BITS, rounding)
        };
        let (toward_lo, toward_hi) = (
            if self.lo.is_negative() {
                &other.lo
            } else {
                &other.hi
            },
            if self.hi.is_negative() {
                &other.hi
            } else {
                &other.lo
            },
        );
        Wide {
            lo: quotient(&self.lo, toward_lo, Rounding::Down),
            hi: quotient(&self.hi, toward_hi, Rounding::Up),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(wide: &Moment, value: &Rational) -> bool {
        Rational::from(wide.lo()) <= *value && *value <= Rational::from(wide.hi())
    }

    /// Relative width below 2^-bits.
    fn is_narrow(wide: &Moment, bits: i64) -> bool {
        (wide.hi() - wide.lo()) <= wide.hi().abs().scale(-bits)
    }

    #[test]
    fn operations_hold_the_exact_result_for_all_signs() {
        let values = ["1/3", "-1/3", "22/7", "-1e-40", "1e200", "-5"];
        for a in values.map(|text| text.parse::<Rational>().unwrap()) {
            for b in values.map(|text| text.parse::<Rational>().unwrap()) {
                let (x, y) = (Moment::of(&a), Moment::of(&b));
                assert!(holds(&(&x + &y), &(&a + &b)));
                assert!(holds(&(&x - &y), &(&a - &b)));
                assert!(holds(&(&x * &y), &(&a * &b)));
                assert!(holds(&x.hull(&y), &a) && holds(&x.hull(&y), &b));
                if b.is_positive() {
                    assert!(holds(&(&x / &y), &(&a / &b)) && is_narrow(&(&x / &y).abs(), 380));
                }
                assert!(holds(&x.abs(), &a.abs()));
                // An interval of both signs times another.
                let both = Moment::plus_minus(&x);
                for corner in [&a * &b, &-&a * &b] {
                    assert!(holds(&(&both * &y), &corner) && holds(&(&y * &both), &corner));
                }
            }
        }
    }

    #[test]
    fn a_root_is_enclosed_and_narrow() {
        for text in [
            "2",
            "1/3",
            "1e-300",
            "1e301",
            "7e-2000",
            "4",
            "0.999999999999999999999",
        ] {
            let x: Rational = text.parse().unwrap();
            let root = Moment::of(&x).sqrt().unwrap();
            let (lo, hi) = (Rational::from(root.lo()), Rational::from(root.hi()));
            assert!(&lo * &lo <= x && x <= &hi * &hi, "{text}");
            assert!(is_narrow(&root, 380), "{text}");
        }
        assert_eq!(Moment::ZERO.sqrt(), Some(Moment::ZERO));
        assert_eq!((-&Moment::ONE).sqrt(), None);
        let around_zero = Moment::plus_minus(&Moment::ONE).sqrt().unwrap();
        assert!(around_zero.lo().is_zero() && *around_zero.hi() >= Dyadic::ONE);
    }

    #[test]
    fn logarithm_and_exponential_undo_each_other() {
        for text in ["1/3", "1e-30", "1e-200", "5000", "2", "1e-116"] {
            let x: Rational = text.parse().unwrap();
            let power = Moment::exp_neg(&x);
            let back = -&power.ln().unwrap();
            assert!(holds(&back, &x), "{text}");
            // ln(1/(1 − y)) at y = 1 − e^-x, taken at both ends.
            let rise = Moment::one_minus_exp_neg(&x);
            assert!(is_narrow(&rise, 380), "{text}");
            if x < Rational::ONE {
                let below = Moment::ln_recip(&(&Rational::ONE - &Rational::from(rise.lo())));
                let above = Moment::ln_recip(&(&Rational::ONE - &Rational::from(rise.hi())));
                assert!(
                    Rational::from(below.lo()) <= x && x <= Rational::from(above.hi()),
                    "{text}"
                );
                assert!(is_narrow(&above, 380), "{text}");
            }
        }
    }

    #[test]
    fn an_exponential_out_of_reach_is_nearly_zero() {
        let far = Moment::exp_neg(&Rational::from(1i64 << 50));
        assert!(far.lo().is_zero() && *far.hi() == Dyadic::power_of_two(SMALLEST_POWER));
        let rise = Moment::one_minus_exp_neg(&Rational::from(1i64 << 50));
        assert!(*rise.hi() == Dyadic::ONE && is_narrow(&rise, 380));
        assert_eq!(Moment::exp_neg(&Rational::ZERO), Moment::ONE);
        assert_eq!(Moment::one_minus_exp_neg(&Rational::ZERO), Moment::ZERO);
        assert_eq!(Moment::ln_recip(&Rational::ONE), Moment::ZERO);
    }
}
