//! Integer powers in 128-bit floating point.

use super::fixed::to_f64;
use crate::{Dyadic, Integer, Rational, Rounding};

/// `lo ≤ base^n ≤ hi` for `base ≥ 0`, the tightest if every product on the way fits 128 bits, else
/// each at most one f64 away from that.
pub(crate) fn power(base: f64, n: u32) -> (f64, f64) {
    if n == 0 {
        return (1.0, 1.0);
    }
    if base == 0.0 {
        return (0.0, 0.0);
    }
    if base == f64::INFINITY {
        return (f64::MAX, f64::INFINITY);
    }
    let result = truncated_power(base, n);
    let lo = to_f64::<false>(result.significand, result.exponent);
    let hi = if result.exact {
        to_f64::<true>(result.significand, result.exponent)
    } else {
        // Halved so that adding 4n units cannot overflow; the 1 covers the bit that halving drops.
        let above = (result.significand >> 1) + 2 * u128::from(n) + 1;
        to_f64::<true>(above, result.exponent + 1)
    };
    (lo, hi)
}

/// `lo ≤ base^-n ≤ hi` for `base > 0`, each at most one f64 away from the tightest, also where
/// `base^n` is beyond the doubles.
pub(crate) fn reciprocal(base: f64, n: u32) -> (f64, f64) {
    if n == 0 {
        return (1.0, 1.0);
    }
    if base == f64::INFINITY {
        return (0.0, f64::from_bits(1));
    }
    let Scaled {
        significand,
        exponent,
        exact,
    } = truncated_power(base, n);
    // 2^(exponent + 127) ≤ base^n < 2^(exponent + 129).
    if exponent + 127 > 1100 {
        return (0.0, f64::from_bits(1));
    }
    if exponent + 129 < -1100 {
        return (f64::MAX, f64::INFINITY);
    }
    let slack = if exact { 0 } else { 4 * u64::from(n) };
    let below = Dyadic::new(Integer::from(significand), exponent);
    let above = &below + &Dyadic::new(Integer::from(slack), exponent);
    let quotient =
        |power: &Dyadic, rounding| (&Rational::ONE / &Rational::from(power)).to_f64(rounding);
    (
        quotient(&above, Rounding::Down),
        quotient(&below, Rounding::Up),
    )
}

/// `p` with `p ≤ base^n < p + 4n` units of its significand, `p = base^n` if it is exact;
/// `base > 0`, `n > 0`.
///
/// Squaring and multiplying evaluates a tree of `n − 1` products, each truncated by less than
/// 2^-127 of its value. So `base^n·(1 − n·2^-127) ≤ p ≤ base^n`, and as `n < 2^32`,
/// `base^n ≤ p·(1 + n·2^-126)`, with fewer than 2^128 units in p.
pub(super) fn truncated_power(base: f64, n: u32) -> Scaled {
    let base = Scaled::from_positive(base);
    let mut result = base;
    for bit in (0..n.ilog2()).rev() {
        result = result.times(result);
        if n >> bit & 1 == 1 {
            result = result.times(base);
        }
    }
    result
}

/// `significand · 2^exponent`, the top bit of the significand set.
#[derive(Clone, Copy)]
pub(super) struct Scaled {
    pub(super) significand: u128,
    pub(super) exponent: i64,
    /// No product so far was truncated.
    pub(super) exact: bool,
}

impl Scaled {
    fn from_positive(x: f64) -> Scaled {
        let bits = x.to_bits();
        let biased = (bits >> 52) as i64;
        let fraction = u128::from(bits & ((1 << 52) - 1));
        let (integer, exponent) = if biased == 0 {
            (fraction, -1074)
        } else {
            (fraction | 1 << 52, biased - 1075)
        };
        let shift = integer.leading_zeros();
        Scaled {
            significand: integer << shift,
            exponent: exponent - i64::from(shift),
            exact: true,
        }
    }

    /// The product, truncated to 128 bits.
    fn times(self, other: Scaled) -> Scaled {
        let (high, low) = widening_mul(self.significand, other.significand);
        let exponent = self.exponent + other.exponent + 128;
        // Both factors are at least 2^127, so the top bit or the next is set.
        let shift = high.leading_zeros();
        let (significand, dropped) = if shift == 0 {
            (high, low)
        } else {
            (high << 1 | low >> 127, low << 1)
        };
        Scaled {
            significand,
            exponent: exponent - i64::from(shift),
            exact: self.exact && other.exact && dropped == 0,
        }
    }
}

/// `a · b` as `high · 2^128 + low`.
fn widening_mul(a: u128, b: u128) -> (u128, u128) {
    const MASK: u128 = (1 << 64) - 1;
    let (a1, a0, b1, b0) = (a >> 64, a & MASK, b >> 64, b & MASK);
    let low = a0 * b0;
    // Each partial sum is below 2^128: (2^64 − 1)² + 2·(2^64 − 1) = 2^128 − 1.
    let mid = a1 * b0 + (low >> 64);
    let mid2 = a0 * b1 + (mid & MASK);
    let high = a1 * b1 + (mid >> 64) + (mid2 >> 64);
    (high, mid2 << 64 | low & MASK)
}
