//! Enclosures of `ln(1 + x)` in fixed point, in the terms of the exp kernel.

use super::exp::{parts, product, scale_enclosure, scaled};
use super::fixed::to_f64;
use super::tables::{LN2, RECIPROCALS};

/// `lo ≤ ln(1 + x) ≤ hi` for `x > −1`, at most 2 ulp apart and each within 1 ulp of its tightest
/// value; equal only for 0.
#[inline]
pub(crate) fn ln_1p(x: f64) -> (f64, f64) {
    if x.abs() < SMALL {
        return if x.abs() < TINY {
            ln_1p_tiny(x)
        } else {
            ln_1p_small(x)
        };
    }
    if x < 18_446_744_073_709_551_616.0 {
        // 2^-7 ≤ |x| < 2^64: the last bit of x is at least 2^-59, so 1 + x at scale 60 is an
        // integer below 2^125.
        let sum = scaled::<60>(x) + (1 << 60);
        signed_enclosure(scaled_ln(sum as u128, -60), ERROR)
    } else if x < f64::INFINITY {
        // 0 < ln(1 + x) − ln x < 1/x ≤ 2^-64.
        let (significand, exponent) = parts(x);
        let value = scaled_ln(u128::from(significand), exponent);
        (
            to_f64::<false>((value - ERROR) as u128, -80),
            to_f64::<true>((value + ERROR + (1 << 16)) as u128, -80),
        )
    } else {
        (f64::MAX, f64::INFINITY)
    }
}

/// Below this magnitude `ln(1 + x)` is within an ulp of x.
const TINY: f64 = 1.0 / (1u64 << 54) as f64;

/// Below this magnitude the series of `ln(1 + x)` needs no reduction.
const SMALL: f64 = 1.0 / 128.0;

/// The error of [`scaled_ln`] in units of 2^-80.
pub(super) const ERROR: i128 = 20;

/// `v` with `|ln(y·2^q)·2^80 − v| < ERROR`, for `y > 0`.
///
/// With `y·2^q = m·2^e`, `1 ≤ m < 2`, and c/2^16 the table's reciprocal for the leading bits of m:
/// `z = m·c/2^16 − 1` has `|z| < 2^-7.9`, and `ln(y·2^q) = e·ln 2 − ln(c/2^16) + z − z²·h(z)`.
///
/// Error, in units of 2^-80: m is cut at 2^-110: nothing; z is floored: 1; `e·ln 2`, e < 2^11 units
/// of 2^-112, then a floor: 1.01; the table entry: 1; the series cut: `|z|^11/11·1.01` at scale 80:
/// nothing. `z²·h`: z at scale 70 is floored, h is off by less than 2.1 units of 2^-63 (see
/// [`tail`]), so `z·h` at scale 70 by less than 0.51 + 2.1·2^-0.9 + 1 < 2.7, and times z at scale
/// 80: (2.7·2^-7.9 + 2^-8.8)·2^10 < 14, and a floor: 15.
///
/// Together less than 18.1.
#[inline]
pub(super) fn scaled_ln(y: u128, q: i64) -> i128 {
    let shift = y.leading_zeros();
    let normalised = y << shift;
    let e = i128::from(127 - i64::from(shift) + q);
    let (reciprocal, minus_ln) = RECIPROCALS[(normalised >> 120 & 127) as usize];
    // Scale 110 times scale 16, below 2^127.
    let z = ((normalised >> 17) as i128 * i128::from(reciprocal)) - (1 << 126);
    let argument = (z >> 56) as i64;
    let inner = product::<63>(argument, tail(argument, product::<70>));
    let second = (i128::from(argument) * i128::from(inner)) >> 60;
    ((e * LN2) >> 32) + minus_ln + (z >> 46) - second
}

/// `h(z) = 1/2 − z/3 + z²/4 − … + z^8/10` at scale 63, `times` being the product by z.
///
/// Error, in units of 2^-63: each step floors a coefficient and a product, less than 2, which every
/// further step multiplies by `|z| < 2^-7`: less than 2.1.
#[inline(always)]
fn tail(z: i64, times: impl Fn(i64, i64) -> i64) -> i64 {
    let mut h = over(10);
    for m in [9, 8, 7, 6, 5, 4, 3, 2] {
        h = over(m) - times(z, h);
    }
    h
}

/// `2^-54 ≤ |x| < 2^-7`: `ln(1 + x) = x·(1 − x·h(x))` up to a factor within `|x|^10/11·1.01`.
///
/// Error of `x·h` in units of 2^-69: x is floored, 1 unit times `(xh)' < 0.51`; h is off by less
/// than 2.1 units of 2^-63, times `|x| < 2^-7` at scale 69: 1.05; a floor: 1; the remainder,
/// `2^-70/11·1.01` at scale 69: 0.05. Less than 3.
#[inline]
fn ln_1p_small(x: f64) -> (f64, f64) {
    const ERROR: i128 = 3;
    let argument = scaled::<69>(x) as i64;
    let h = tail(argument, product::<69>);
    let factor = (1i128 << 69) - i128::from(product::<63>(argument, h));
    scale_enclosure(x, factor - ERROR, factor + ERROR, 69)
}

/// The f64s around a number within `error` units of `value` at scale 80, `|value| > error`.
#[inline]
fn signed_enclosure(value: i128, error: i128) -> (f64, f64) {
    let (least, most) = ((value.abs() - error) as u128, (value.abs() + error) as u128);
    if value > 0 {
        (to_f64::<false>(least, -80), to_f64::<true>(most, -80))
    } else {
        (-to_f64::<true>(most, -80), -to_f64::<false>(least, -80))
    }
}

/// `floor(2^63 / m)` for `m ≥ 2`.
#[inline]
const fn over(m: u64) -> i64 {
    ((1u64 << 63) / m) as i64
}

#[cold]
fn ln_1p_tiny(x: f64) -> (f64, f64) {
    // x − x² < ln(1 + x) < x, and x² < |x|·2^-54, less than the distance to the next f64.
    if x == 0.0 {
        (0.0, 0.0)
    } else {
        (x.next_down(), x)
    }
}
