//! Enclosures of `e^x` and `e^x − 1` in fixed point.
//!
//! A number `v` "at scale s" is the integer `v·2^s`, a unit is `2^-s`, and every shift right is a
//! floor: it subtracts between 0 and 1 unit. The bounds below count these units; no floating-point
//! operation enters a bound.

use super::fixed::to_f64;
use super::tables::{EXP2, LN2_OVER_128};

/// `lo ≤ e^x ≤ hi`, at most 2 ulp apart and each within 1 ulp of its tightest value; equal only for
/// `x` = 0 and −∞.
#[inline]
pub(crate) fn exp(x: f64) -> (f64, f64) {
    if !(TINY..=746.0).contains(&x.abs()) {
        return exp_outside(x);
    }
    let (value, k) = scaled_exp(x);
    (
        to_f64::<false>(value - ERROR, k - 71),
        to_f64::<true>(value + ERROR, k - 71),
    )
}

/// `lo ≤ e^x − 1 ≤ hi`, at most 2 ulp apart and each within 1 ulp of its tightest value; equal only
/// for `x` = 0 and −∞.
#[inline]
pub(crate) fn exp_m1(x: f64) -> (f64, f64) {
    if x.abs() < 0.0625 {
        return if x.abs() < TINY {
            exp_m1_tiny(x)
        } else {
            exp_m1_small(x)
        };
    }
    if !(-37.0..=710.0).contains(&x) {
        return exp_m1_outside(x);
    }
    let (value, k) = scaled_exp(x);
    if x > 0.0 {
        // x ≥ 1/16 gives k ≥ 0. The one is below a unit for k > 71; the 1 in the lower bound covers
        // it.
        let one = if k <= 71 { 1 << (71 - k) } else { 0 };
        let difference = value - one;
        (
            to_f64::<false>(difference - ERROR - 1, k - 71),
            to_f64::<true>(difference + ERROR, k - 71),
        )
    } else {
        // −37 ≤ x ≤ −1/16 gives −54 ≤ k ≤ −1, so e^x at scale 71 is value·2^k within ERROR/2,
        // floored.
        let magnitude = (1 << 71) - (value >> -k);
        let (least, most) = (magnitude - ERROR / 2 - 2, magnitude + ERROR / 2 + 1);
        (-to_f64::<true>(most, -71), -to_f64::<false>(least, -71))
    }
}

/// Below this magnitude `e^x` is within an ulp of 1, and `e^x − 1` of x.
const TINY: f64 = 1.0 / (1u64 << 54) as f64;

/// The error of [`scaled_exp`] in units.
pub(super) const ERROR: u128 = 9;

/// `(v, k)` with `|e^x·2^(71−k) − v| < ERROR` and `v > 2^70`, for `2^-54 ≤ |x| ≤ 746`.
///
/// With n the integer nearest to `128x/ln 2`, `k = floor(n/128)`, `j = n mod 128` and
/// `r = x − n·ln 2/128`: `e^x = 2^k · 2^(j/128) · e^r`. The float product is off by less than
/// 2^-34, so `|r| < 0.00271 < 2^-8.5`.
///
/// Error, in units of 2^-71:
/// 1. `x` is floored: 1. `n·ln 2/128`: n < 2^18 times less than 1 unit of 2^-103, then a floor: 1 +
///    2^-14, of the other sign. So the reduced `r̂` has `|r̂ − r| < 1.001`, and
///    `e^r = e^r̂·(1 + δ)`, `|δ| < 1.002` units.
/// 2. `e^r̂ = 1 + r̂ + r̂²·(1/2 + r̂/6 + r̂²/24 + r̂³/120 + r̂⁴/720)` up to
///    `r̂⁷/5040·(1 + r̂) < 0.51`.
/// 3. The bracket at scale 63: each step floors a coefficient and a product, less than 2 units of
///    2^-63, which every further step multiplies by `|r̂|`: below 2.1 in all. Times r̂ at scale 71:
///    2.1·2^8·2^-8.5 < 1.5, and a floor: 2.5. Times r̂ again: 2.5·2^-8.5, and a floor: below 1.01.
/// 4. So `1 + E` is off by less than 0.51 + 1.01 + 1.002·1.003 < 2.53; times `2^(j/128) < 2`: 5.06.
///    The table entry is floored: 1. In the product with E it has 62 bits below the point:
///    2^-62·2^-8.5, 1.42 units, and a floor: 1.
///
/// Together less than 8.5.
#[inline]
pub(super) fn scaled_exp(x: f64) -> (u128, i64) {
    // 1.5·2^52 added leaves the nearest integer in the low bits.
    const SHIFTER: f64 = 6_755_399_441_055_744.0;
    const PER_LN2: f64 = 128.0 * core::f64::consts::LOG2_E;
    let n = ((x * PER_LN2 + SHIFTER).to_bits() as i64) << 13 >> 13;
    let reduced = (scaled::<71>(x) - ((i128::from(n) * LN2_OVER_128) >> 32)) as i64;
    let mut bracket = over_factorial(6);
    for m in [5, 4, 3, 2] {
        bracket = over_factorial(m) + product::<71>(reduced, bracket);
    }
    let inner = product::<63>(reduced, bracket);
    let increment = reduced + product::<71>(reduced, inner);
    let table = EXP2[(n & 127) as usize];
    // Up to 2^63.5 units: not an i64.
    let correction = (i128::from((table >> 9) as i64) * i128::from(increment)) >> 62;
    ((table as i128 + correction) as u128, n >> 7)
}

/// `2^-54 ≤ |x| < 2^-4`: `e^x − 1 = x·(1 + x·h)`, `h = 1/2! + x/3! + … + x^9/11!` up to
/// `|x|^10/12!·1.01`.
///
/// Error of `x·h` in units of 2^-66: x is floored, 1 unit times `(xh)' < 0.53`; each step of h
/// floors a coefficient and a product, 2 units of 2^-63, which every further step multiplies by
/// 1/16: 2.14, times `|x| < 2^-4` at scale 66: 1.07; a floor: 1; the remainder, `2^-44/12!·1.01` at
/// scale 66: 0.01. Together less than 3.
#[inline]
fn exp_m1_small(x: f64) -> (f64, f64) {
    const ERROR: i128 = 3;
    let argument = scaled::<66>(x) as i64;
    let mut h = over_factorial(11);
    for m in [10, 9, 8, 7, 6, 5, 4, 3, 2] {
        h = over_factorial(m) + product::<66>(argument, h);
    }
    let factor = (1i128 << 66) + i128::from(product::<63>(argument, h));
    scale_enclosure(x, factor - ERROR, factor + ERROR, 66)
}

/// `x·f` for `least ≤ f·2^scale ≤ most`, `x` normal, `most < 2^75`.
#[inline]
pub(super) fn scale_enclosure(x: f64, least: i128, most: i128, scale: i64) -> (f64, f64) {
    let (significand, exponent) = parts(x);
    // 53 bits by 75 bits.
    let significand = u128::from(significand);
    let (least, most) = (significand * least as u128, significand * most as u128);
    let exponent = exponent - scale;
    if x > 0.0 {
        (
            to_f64::<false>(least, exponent),
            to_f64::<true>(most, exponent),
        )
    } else {
        (
            -to_f64::<true>(most, exponent),
            -to_f64::<false>(least, exponent),
        )
    }
}

/// `(m, q)` with `|x| = m·2^q`, for a normal x.
#[inline]
pub(super) fn parts(x: f64) -> (u64, i64) {
    let bits = x.to_bits();
    (
        bits & ((1 << 52) - 1) | 1 << 52,
        (bits >> 52 & 0x7ff) as i64 - 1075,
    )
}

/// `floor(x·2^SCALE)` for a normal x with `2^-100 < |x|·2^SCALE < 2^126`.
#[inline]
pub(super) fn scaled<const SCALE: i64>(x: f64) -> i128 {
    let (significand, exponent) = parts(x);
    let signed = if x < 0.0 {
        -i128::from(significand)
    } else {
        i128::from(significand)
    };
    let shift = exponent + SCALE;
    if shift >= 0 {
        signed << shift
    } else {
        signed >> -shift
    }
}

/// `floor(a·b / 2^DROP)`, for factors whose product fits after the shift.
#[inline]
pub(super) fn product<const DROP: u32>(a: i64, b: i64) -> i64 {
    ((i128::from(a) * i128::from(b)) >> DROP) as i64
}

/// `floor(2^63 / m!)` for `m ≥ 2`.
#[inline]
const fn over_factorial(m: u32) -> i64 {
    let mut factorial = 1u64;
    let mut i = 2;
    while i <= m {
        factorial *= i as u64;
        i += 1;
    }
    ((1u64 << 63) / factorial) as i64
}

#[cold]
fn exp_outside(x: f64) -> (f64, f64) {
    if x == 0.0 {
        (1.0, 1.0)
    } else if x == f64::NEG_INFINITY {
        (0.0, 0.0)
    } else if x > 1.0 {
        // e^746 > 2^1024.
        (f64::MAX, f64::INFINITY)
    } else if x < -1.0 {
        // e^-746 < 2^-1074.
        (0.0, f64::from_bits(1))
    } else if x > 0.0 {
        // 1 < e^x < 1 + 2x < 1 + 2^-52.
        (1.0, 1.0 + f64::EPSILON)
    } else {
        // 1 > e^x > 1 + x > 1 − 2^-53.
        (1.0 - f64::EPSILON / 2.0, 1.0)
    }
}

#[cold]
fn exp_m1_tiny(x: f64) -> (f64, f64) {
    // x < e^x − 1 < x + x², and x² < |x|·2^-54, less than the distance to the next f64.
    if x == 0.0 {
        (0.0, 0.0)
    } else {
        (x, x.next_up() + 0.0)
    }
}

#[cold]
fn exp_m1_outside(x: f64) -> (f64, f64) {
    if x == f64::NEG_INFINITY {
        (-1.0, -1.0)
    } else if x < 0.0 {
        // 0 < e^-37 < 2^-53.
        (-1.0, -1.0 + f64::EPSILON / 2.0)
    } else {
        // e^710 − 1 > 2^1024.
        (f64::MAX, f64::INFINITY)
    }
}
