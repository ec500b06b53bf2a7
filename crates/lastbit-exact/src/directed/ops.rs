//! Correctly directed `+ × ÷ √` on f64, without fused multiply-add.
//!
//! Each function computes the nearest result in hardware, finds the *sign* of its error exactly,
//! and steps to the neighbour when the error points the wrong way. The result of `UP` is the
//! smallest f64 at or above the exact value, of `!UP` the largest at or below; an exact zero is
//! `+0.0`. Arguments are never NaN and zeros are `+0.0`.

use crate::{Dyadic, Rational, Rounding};

/// The rounding of a direction flag.
const fn rounding(up: bool) -> Rounding {
    if up { Rounding::Up } else { Rounding::Down }
}

/// `a + b`. An infinite argument must not point against the direction (`-∞` never comes with `UP`).
#[inline]
pub(crate) fn add<const UP: bool>(a: f64, b: f64) -> f64 {
    let sum = a + b;
    if !sum.is_finite() {
        return add_overflow::<UP>(a, b, sum);
    }
    // error = (a + b) − sum is exact in f64, so b − error is sum − a before rounding, and rounding
    // is monotone: the comparison `b > sum − a` never holds unless error > 0. If |a| ≥ |b| then
    // sum − a is exact (Fast2Sum) and the comparison holds whenever error > 0; otherwise the same
    // is true of the other one. No order of the arguments, no branch. A sum is never inexact below
    // the normal numbers, so a zero sum is exact and is not stepped.
    let (rest_of_b, rest_of_a) = (sum - a, sum - b);
    if UP {
        step(sum, true, (b > rest_of_b) | (a > rest_of_a))
    } else {
        step(sum, false, (b < rest_of_b) | (a < rest_of_a))
    }
}

/// `a - b`, under the same condition on `a` and `-b`.
#[inline]
pub(crate) fn sub<const UP: bool>(a: f64, b: f64) -> f64 {
    add::<UP>(a, -b)
}

/// `a · b`, with `0 · ±∞ = 0`: an infinite bound stands for reals of any size, each of which times
/// zero is zero.
#[inline]
pub(crate) fn mul<const UP: bool>(a: f64, b: f64) -> f64 {
    let product = a * b;
    if !(is_normal(a) & is_normal(b) & is_normal(product)) {
        return mul_special::<UP>(a, b);
    }
    // In units of ulp(a)·ulp(b) the product is an integer and the rounding error at most
    // ulp(product)/2 ≤ 2^52 units, so their difference modulo 2^64 is the error itself. The shift
    // is 52 or 53, or 54 where the product rounds up to the smallest normal number.
    let shift = biased(product) - biased(a) - biased(b) + 1075;
    let exact = significand(a).wrapping_mul(significand(b));
    let error = exact.wrapping_sub(significand(product) << shift) as i64;
    correct::<UP>(product, error)
}

/// `a / b` for `b ≠ 0`; a finite number over an infinity is zero.
#[inline]
pub(crate) fn div<const UP: bool>(a: f64, b: f64) -> f64 {
    let quotient = a / b;
    if !(is_normal(a) & is_normal(b) & is_normal(quotient)) {
        return div_special::<UP>(a, b);
    }
    // |a| − |quotient·b| ≤ ulp(quotient)/2 · |b| ≤ 2^52 units of ulp(quotient)·ulp(b), in which
    // both are integers; it has the sign of |a/b| − |quotient|. The shift is 52 or 53, or 51 where
    // the quotient rounds up to the smallest normal number.
    let shift = biased(a) - biased(quotient) - biased(b) + 1075;
    let rounded = significand(quotient).wrapping_mul(significand(b));
    let error = (significand(a) << shift).wrapping_sub(rounded) as i64;
    correct::<UP>(quotient, error)
}

/// `√a` for `a ≥ 0`.
#[inline]
pub(crate) fn sqrt<const UP: bool>(a: f64) -> f64 {
    if !is_normal(a) {
        return sqrt_special::<UP>(a);
    }
    let root = a.sqrt();
    // |a − root²| ≤ ulp(root)·root + ulp(root)²/4 < 2^53 + 1 units of ulp(root)², in which both are
    // integers; it has the sign of √a − root.
    let shift = biased(a) - 2 * biased(root) + 1075;
    let squared = significand(root).wrapping_mul(significand(root));
    let error = (significand(a) << shift).wrapping_sub(squared) as i64;
    correct::<UP>(root, error)
}

/// `0.0 - x`: the negation that never gives `-0.0`.
#[inline]
pub(crate) fn negate(x: f64) -> f64 {
    0.0 - x
}

/// The next f64 in the direction, if `when`; `value` is then not zero.
#[inline]
pub(crate) fn step(value: f64, up: bool, when: bool) -> f64 {
    debug_assert!(!when || value != 0.0);
    let bits = value.to_bits() as i64;
    // Magnitudes are ordered as their bits: up is +1 for a positive number, −1 for a negative one.
    let outward = (bits >> 63) | 1;
    let delta = outward & -(when as i64);
    f64::from_bits(if up { bits + delta } else { bits - delta } as u64)
}

/// `value`, or its neighbour in the direction if `|exact| − |value|`, of the sign of
/// `magnitude_error`, asks for it.
#[inline]
fn correct<const UP: bool>(value: f64, magnitude_error: i64) -> f64 {
    let bits = value.to_bits() as i64;
    // 0 when the direction is away from zero, −1 when it is toward zero; `(x ^ m) - m` negates when
    // m = −1.
    let toward_zero = (bits >> 63) ^ if UP { 0 } else { -1 };
    let outside = (magnitude_error ^ toward_zero) - toward_zero > 0;
    let delta = (outside as i64 ^ toward_zero) - toward_zero;
    f64::from_bits((bits + delta) as u64)
}

/// The biased exponent.
#[inline]
fn biased(x: f64) -> i64 {
    (x.to_bits() >> 52 & 0x7ff) as i64
}

/// The 53-bit significand of a normal number.
#[inline]
fn significand(x: f64) -> u64 {
    x.to_bits() & ((1 << 52) - 1) | 1 << 52
}

/// Neither zero, subnormal nor infinite.
#[inline]
fn is_normal(x: f64) -> bool {
    (biased(x) as u64).wrapping_sub(1) < 2046
}

#[cold]
fn add_overflow<const UP: bool>(a: f64, b: f64, sum: f64) -> f64 {
    if a.is_infinite() || b.is_infinite() {
        return if UP { f64::INFINITY } else { f64::NEG_INFINITY };
    }
    // The exact sum is beyond ±MAX by at least half an ulp.
    match (UP, sum > 0.0) {
        (true, true) => f64::INFINITY,
        (true, false) => f64::MIN,
        (false, true) => f64::MAX,
        (false, false) => f64::NEG_INFINITY,
    }
}

#[cold]
fn mul_special<const UP: bool>(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 {
        return 0.0;
    }
    match (Dyadic::try_from(a), Dyadic::try_from(b)) {
        (Ok(a), Ok(b)) => (&a * &b).to_f64(rounding(UP)),
        _ => a * b,
    }
}

#[cold]
fn div_special<const UP: bool>(a: f64, b: f64) -> f64 {
    if a == 0.0 || b.is_infinite() {
        return 0.0;
    }
    match (Rational::try_from(a), Rational::try_from(b)) {
        (Ok(a), Ok(b)) if !b.is_zero() => (&a / &b).to_f64(rounding(UP)),
        _ => a / b,
    }
}

#[cold]
fn sqrt_special<const UP: bool>(a: f64) -> f64 {
    if a == 0.0 || a == f64::INFINITY {
        return a;
    }
    // A subnormal times 2^108 is a normal number; the root of the original is at least 2^-537, so
    // 2^-54 scales exactly.
    let scaled = a * (1u64 << 54) as f64 * (1u64 << 54) as f64;
    sqrt::<UP>(scaled) / (1u64 << 54) as f64
}
