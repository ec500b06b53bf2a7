//! Formats of at most 120 bits, in machine integers.
//!
//! What [`Format`] computes with big numbers in any direction, this computes in two limbs, rounded
//! to nearest even: the same bits, and the same instructions whatever the operands are. Only a
//! logarithm that three limbs do not decide goes through [`Format`], once in 2^51 or so.

use core::hint::select_unpredictable;

use crate::ln::fixed;
use crate::{Dyadic, Format, FormatError, Integer, NotFinite, Rounding};

/// A number of a [`ShortFormat`]: `±significand · 2^exponent`.
///
/// The top bit of the significand is set, so that a larger exponent is a larger number; zero has
/// the least exponent of all, no significand and no sign. So equal fields are equal numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Short {
    negative: bool,
    significand: u128,
    exponent: i64,
}

/// Below every exponent of another number; the difference of any two fits an i64.
const EXPONENT_OF_ZERO: i64 = -(1 << 62);

impl Short {
    /// Zero.
    pub const ZERO: Short = Short {
        negative: false,
        significand: 0,
        exponent: EXPONENT_OF_ZERO,
    };

    /// `±significand · 2^exponent`, any significand; `|exponent| < 2^61`.
    #[inline]
    fn normalised(negative: bool, significand: u128, exponent: i64) -> Short {
        let zeros = significand.leading_zeros();
        let is_zero = significand == 0;
        Short {
            negative: negative & !is_zero,
            significand: significand << (zeros & 127),
            exponent: select_unpredictable(is_zero, EXPONENT_OF_ZERO, exponent - i64::from(zeros)),
        }
    }

    /// `significand · 2^exponent`, exactly.
    ///
    /// # Panics
    /// If the significand has more than 120 bits, or the exponent is beyond ±2^60.
    #[inline]
    pub fn new(significand: u128, exponent: i64) -> Short {
        assert!(exponent.unsigned_abs() <= 1 << 60);
        let number = Short::normalised(false, significand, exponent);
        assert!(number.significand.trailing_zeros() >= SPARE_BITS);
        number
    }

    /// The number, if it has at most 120 bits.
    pub fn of_dyadic(x: &Dyadic) -> Option<Short> {
        let (negative, magnitude) = x.mantissa().clone().into_parts();
        let magnitude = u128::try_from(magnitude).ok()?;
        let fits = magnitude >> ShortFormat::MOST_BITS == 0;
        (fits && x.exponent().unsigned_abs() <= 1 << 60)
            .then(|| Short::normalised(negative, magnitude, x.exponent()))
    }

    /// The exact value.
    pub fn to_dyadic(self) -> Dyadic {
        if self.significand == 0 {
            return Dyadic::ZERO;
        }
        let magnitude = Integer::from(self.significand);
        let mantissa = if self.negative { -magnitude } else { magnitude };
        Dyadic::new(mantissa, self.exponent)
    }

    /// `−self` if `negative`, else `self`.
    #[inline]
    pub fn negate_if(self, negative: bool) -> Short {
        Short {
            negative: (self.negative ^ negative) & (self.significand != 0),
            ..self
        }
    }

    /// `|self| > |other|`.
    #[inline]
    fn is_larger_than(&self, other: &Short) -> bool {
        (self.exponent > other.exponent)
            | ((self.exponent == other.exponent) & (self.significand > other.significand))
    }

    /// The number clamped to `[−bound, bound]`, for a bound that is not negative.
    #[inline]
    pub fn clamp(self, bound: &Short) -> Short {
        let beyond = self.is_larger_than(bound);
        Short {
            negative: self.negative & (bound.significand != 0),
            significand: select_unpredictable(beyond, bound.significand, self.significand),
            exponent: select_unpredictable(beyond, bound.exponent, self.exponent),
        }
    }

    /// The nearest multiple of `2^exponent`, ties toward +∞, exactly; the contract of
    /// [`Dyadic::round_in`].
    #[inline]
    pub fn snap(self, exponent: i64) -> Short {
        // The two lowest bits are zero. With them gone, a shift by 127 stands for all that leave
        // less than one half of a step, and one by 0 for numbers that are multiples already.
        let significand = self.significand >> 2;
        let shift = (exponent - self.exponent - 2).clamp(0, 127) as u32;
        // floor(x + 1/2) for x > 0; for x < 0 a tie goes toward zero, so just less than one half
        // is added. The sum is below 2^126 + 2^126.
        let half = (1u128 << shift) >> 1;
        let sum = significand + half.saturating_sub(u128::from(self.negative));
        // The exponent of zero is no larger than this, and `normalised` sets it.
        Short::normalised(
            self.negative,
            sum >> shift,
            self.exponent + 2 + i64::from(shift),
        )
    }
}

impl TryFrom<f64> for Short {
    type Error = NotFinite;
    /// The exact value of a finite f64; `-0.0` is zero.
    #[inline]
    fn try_from(value: f64) -> Result<Short, NotFinite> {
        if !value.is_finite() {
            return Err(NotFinite(value));
        }
        let bits = value.to_bits();
        let biased = bits >> 52 & 0x7ff;
        let leading = u64::from(biased != 0);
        let integer = (bits & ((1 << 52) - 1)) | leading << 52;
        // A subnormal number has the exponent of the least normal ones.
        let last = (biased + 1 - leading) as i64 - 1075;
        Ok(Short::normalised(
            value.is_sign_negative(),
            u128::from(integer),
            last,
        ))
    }
}

/// The bits of a significand that no number uses.
const SPARE_BITS: u32 = 128 - ShortFormat::MOST_BITS;

/// A [`Format`] of at most [`ShortFormat::MOST_BITS`] bits. Every operation rounds to nearest even.
///
/// ```
/// use lastbit_exact::{Dyadic, Format, Rounding, Short, ShortFormat};
/// let (format, short) = (Format::new(118)?, ShortFormat::new(118)?);
/// let [x, y] = [0.1, 0.3].map(|x| Short::try_from(x).unwrap());
/// let product = format.mul(&x.to_dyadic(), &y.to_dyadic(), Rounding::NearestEven);
/// assert_eq!(short.mul(&x, &y).to_dyadic(), product);
/// # Ok::<(), lastbit_exact::FormatError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ShortFormat {
    precision: u32,
}

impl ShortFormat {
    /// The largest precision.
    pub const MOST_BITS: u32 = 120;

    /// The format of `precision` significant bits, 2 to 120.
    pub fn new(precision: u32) -> Result<ShortFormat, FormatError> {
        if (2..=ShortFormat::MOST_BITS).contains(&precision) {
            Ok(ShortFormat { precision })
        } else {
            Err(FormatError::Precision(precision))
        }
    }

    /// The number of significant bits, `p`.
    pub const fn precision(self) -> u32 {
        self.precision
    }

    /// `x + y`, correctly rounded, for numbers of any short format.
    #[inline]
    pub fn add(self, x: &Short, y: &Short) -> Short {
        self.round(sum(x, y))
    }

    /// `x · y`, correctly rounded, for numbers of any short format.
    #[inline]
    pub fn mul(self, x: &Short, y: &Short) -> Short {
        // Both significands are at least 2^127, so the product is at least 2^254: its upper half
        // has one leading zero at most. A zero makes it zero.
        let (high, low) = mul_wide(x.significand, y.significand);
        self.round(Short::normalised(
            x.negative ^ y.negative,
            high | u128::from(low != 0),
            // Not below −2^63 + 128, even for two zeros.
            x.exponent + y.exponent + 128,
        ))
    }

    /// `ln x`, correctly rounded, for `x > 0`.
    #[inline]
    pub fn ln(self, x: &Short) -> Result<Short, FormatError> {
        if !x.negative
            && x.significand != 0
            && let Some(result) = self.ln_in_limbs(x)
        {
            return Ok(result);
        }
        self.ln_by_format(x)
    }

    /// What the limbs leave open, and one, whose logarithm is zero.
    #[cold]
    #[inline(never)]
    fn ln_by_format(self, x: &Short) -> Result<Short, FormatError> {
        let format = Format::new(self.precision)?;
        let result = format.ln(&x.to_dyadic(), Rounding::NearestEven)?;
        Ok(Short::of_dyadic(&result).expect("at most 120 bits, an exponent below 2^60"))
    }

    #[inline]
    fn ln_in_limbs(self, x: &Short) -> Option<Short> {
        let mantissa = [0, x.significand as u64, (x.significand >> 64) as u64];
        let log = fixed::ln::<3>(&mantissa, x.exponent + 127);
        let [low, middle, high] = log.fraction;
        // At least 2^-14, or 0.49 with a shift: so the integer or the highest limb has a bit, among
        // the highest 14 of the latter.
        let whole = log.integer != 0;
        let pick = |a: u64, b: u64| select_unpredictable(whole, a, b);
        let limbs = [
            pick(low, 0),
            pick(middle, low),
            pick(high, middle),
            pick(log.integer, high),
        ];
        let zeros = limbs[3].leading_zeros();
        let pair = |i: usize| u128::from(limbs[i + 1]) << 64 | u128::from(limbs[i]);
        // The leading 128 bits, and the 128 after them.
        let (upper, lower) = (
            pair(2) << zeros | u128::from(limbs[1]) >> (64 - zeros),
            pair(0) << zeros,
        );
        let moved = select_unpredictable(whole, 0, 64) + zeros;
        let exponent = -64 - i64::from(moved) - i64::from(log.shift);
        // What follows the p bits that are kept and the bit that rounds.
        let p = self.precision;
        let tail = upper << (p + 1) | lower >> (127 - p);
        // The value is off by less than 8 units of the last limb, which are moved up by 64 + 14
        // bits at most: by less than 2^81 of 2^256, where `tail` ends at 2^(127 - p), so by less
        // than 2^(p - 46) ≤ 2^74 of its units. It is at least that far from both ends here, so the
        // bit that rounds is right, and the rest is not zero.
        const OPEN: u128 = 1 << 75;
        if tail.wrapping_add(OPEN) < 2 * OPEN {
            return None;
        }
        let unrounded = Short {
            negative: log.negative,
            significand: upper | 1,
            exponent,
        };
        Some(self.round(unrounded))
    }

    /// Rounds a number whose last bit stands for all below it: set if they are not all zero.
    #[inline]
    fn round(self, x: Short) -> Short {
        // p ≤ 120: what rounding tells apart are multiples of 2^7, and a set last bit keeps the
        // number strictly on its side of each.
        let drop = 128 - self.precision;
        let odd = x.significand >> drop & 1;
        let half = 1u128 << (drop - 1);
        let (sum, carry) = x.significand.overflowing_add(half - 1 + odd);
        // A carry leaves zeros below it: the next power of two.
        Short {
            negative: x.negative,
            significand: (sum >> drop << drop) | u128::from(carry) << 127,
            exponent: x.exponent + i64::from(carry),
        }
    }
}

/// `x + y` to the nearest f64, ties to even, with IEEE overflow and gradual underflow; zero is
/// `+0.0`. The contract of [`Dyadic::to_f64`] of the exact sum.
#[inline]
pub fn sum_to_f64(x: &Short, y: &Short) -> f64 {
    let sum = sum(x, y);
    let top = sum.exponent + 127;
    // With two bits less, a shift by 127 stands for all that leave less than half of 2^-1074.
    let significand = sum.significand >> 2 | u128::from(sum.significand & 3 != 0);
    let drop = (73 + (-1022 - top).max(0)).min(127) as u32;
    let odd = significand >> drop & 1;
    let steps = (significand + ((1u128 << (drop - 1)) - 1 + odd)) >> drop;
    // At most 2^53 steps. The leading one, and a carry, count in the exponent.
    let exponent = top.clamp(-1022, 1023) + 1022;
    let bits = ((exponent as u64) << 52) + steps as u64;
    let bits = select_unpredictable(top > 1023, f64::INFINITY.to_bits(), bits);
    f64::from_bits(bits | u64::from(sum.negative & (bits != 0)) << 63)
}

/// `x + y`, its last bit standing for all below it: the sum lies with it strictly between two
/// neighbouring even significands, or is equal to it.
#[inline]
fn sum(x: &Short, y: &Short) -> Short {
    let swap = y.is_larger_than(x);
    let pick = |x: &Short, y: &Short| Short {
        negative: select_unpredictable(swap, y.negative, x.negative),
        significand: select_unpredictable(swap, y.significand, x.significand),
        exponent: select_unpredictable(swap, y.exponent, x.exponent),
    };
    let (large, small) = (pick(x, y), pick(y, x));
    // One bit for a carry. At least seven zeros below the bits of each; a shift by one loses none
    // of them, and after a larger one the difference is above 2^125: so what is normalised by more
    // than two places is exact.
    let gap = (large.exponent - small.exponent).min(127) as u32;
    let (upper, lower) = (large.significand >> 1, small.significand >> 1);
    let lost = lower & ((1 << gap) - 1) != 0;
    let lower = lower >> gap | u128::from(lost);
    let minus = u128::from(large.negative ^ small.negative).wrapping_neg();
    let sum = upper.wrapping_add((lower ^ minus).wrapping_sub(minus));
    Short::normalised(large.negative, sum, large.exponent + 1)
}

/// `x·y` as two halves of a number of 256 bits.
#[inline]
fn mul_wide(x: u128, y: u128) -> (u128, u128) {
    let half = |x: u128| (x as u64 as u128, x >> 64);
    let ((x0, x1), (y0, y1)) = (half(x), half(y));
    let (low, across) = (x0 * y0, x0 * y1);
    // (2^64 − 1)² + 2·(2^64 − 1) = 2^128 − 1: no sum overflows.
    let middle = x1 * y0 + (low >> 64) + (across & u128::from(u64::MAX));
    let high = x1 * y1 + (across >> 64) + (middle >> 64);
    (high, middle << 64 | low & u128::from(u64::MAX))
}

#[cfg(test)]
mod tests;
