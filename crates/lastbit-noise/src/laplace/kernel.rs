//! The first tier: one draw in f64 with a proved error bound.
//!
//! The logarithm is free of branches, so that the compiler vectorises it, and of tables: a place in
//! a table that is in the cache or is not would show the noise in the time.

use lastbit_lanes::Kernel;

use crate::double::to_double;

/// The low 63 bits of a word: the first bits of `U`. The top bit is the sign.
pub(super) const UNIFORM_BITS: u32 = 63;

const TWO_52: f64 = 4_503_599_627_370_496.0;
const TWO_52_BITS: u64 = 0x4330_0000_0000_0000;
/// The bits of the double nearest √½.
const SQRT_HALF_BITS: u64 = 0x3FE6_A09E_667F_3BCD;
const EXPONENT_MASK: u64 = 0x7FF0_0000_0000_0000;
/// Adding and subtracting this rounds a number below 2^51 to an integer.
const ROUND: f64 = 1.5 * TWO_52;

/// Beyond this many steps a draw is left to the second tier.
const MOST_STEPS: f64 = (1u64 << 50) as f64;

/// `2^-floor(log2 x)` for the bits of `x ≥ 1`; above 2^60 or not a number for those of zero.
#[inline(always)]
fn reciprocal_of_binade(bits: u64) -> f64 {
    f64::from_bits(0x7FE0_0000_0000_0000u64.wrapping_sub(bits & EXPONENT_MASK))
}

/// `−ln(k/2^63)` for the low 63 bits `k` of a word, by the bits of [`to_double`] and their
/// [`quotient`], and a bound on how far later bits of `U` can move it.
///
/// Contract, for `k ≥ 1`: `|value − (−ln U)| ≤ 2^-50 + value·2^-51 + later` for every `U` in
/// `[k, k+1]·2^-63`. For `k = 0` the second number is above 2^60 or not a number, so that no test
/// passes.
///
/// Proof. `x = k(1 + δ)`, |δ| ≤ 2^-53. `m` in [√½, √2) and the integer `e` are exact, `m − 1` is
/// exact (Sterbenz), `m + 1` and the quotient round once each: `s` is off by a factor 1 ±
/// 2.01·2^-53, |s| ≤ 0.1716, and 2·artanh has slope ≤ 2.07 there: 0.36·2^-52. The series stops
/// after s^17/17: what is left is at most 2·s^19/(19(1 − s²)) ≤ 1.5·2^-52. Rounding in
/// `2(s + s·z·p)`: s·z·p ≤ 0.0018 carries at most 20 roundings, the sum one: ≤ 0.25·2^-52. Together
/// ln m is off by at most 2.2·2^-52. `(63−e)·ln 2 = A` is off by at most A·1.5·2^-53 (constant and
/// product), the last subtraction by (A + 0.35)·2^-53, and x for k by 2^-53. With A ≤ value + 0.35
/// the sum is below 3.4·2^-52 + value·1.3·2^-52 ≤ 2^-50 + value·2^-51. Last, −ln U lies within
/// ln(1 + 1/k) ≤ 1/k below −ln(k/2^63), and `later` = 2^-floor(log2 x) ≥ 1/k up to a factor 1 +
/// 2^-52 that matters only for k ≥ 2^53, where it is absorbed above.
#[inline(always)]
fn negative_ln(bits: u64, s: f64) -> (f64, f64) {
    let e = bits.wrapping_sub(SQRT_HALF_BITS) >> 52;
    let minus_a = f64::from_bits(e | TWO_52_BITS) - (TWO_52 + 63.0);
    let z = s * s;
    let z2 = z * z;
    let z4 = z2 * z2;
    let p = (1.0 / 3.0 + z * (1.0 / 5.0))
        + z2 * (1.0 / 7.0 + z * (1.0 / 9.0))
        + z4 * ((1.0 / 11.0 + z * (1.0 / 13.0)) + z2 * (1.0 / 15.0 + z * (1.0 / 17.0)));
    let ln_m = 2.0 * (s + s * (z * p));
    let value = -(minus_a * core::f64::consts::LN_2) - ln_m;
    (value, reciprocal_of_binade(bits))
}

/// `s = (m − 1)/(m + 1)`, where `x = m·2^e` has these bits.
#[inline(always)]
fn quotient(bits: u64) -> f64 {
    let e = bits.wrapping_sub(SQRT_HALF_BITS) >> 52;
    let m = f64::from_bits(bits.wrapping_sub(e << 52));
    (m - 1.0) / (m + 1.0)
}

/// The cell of `location + S·ratio·(−ln U)`, in steps, for a logarithm with its bound by
/// [`negative_ln`], and whether it is decided: no `U` that begins with these bits, and no location
/// within `location_error` of the one given, falls in another cell.
///
/// Proof. `n = ratio·value` is off by at most `ratio(2^-50 + value·2^-51 + later)` from `value`,
/// and by n·2^-52 for `ratio` (rounded from a rational) and the product; the sum by (|location| +
/// n)·2^-53. So the exact sum lies within
/// `location_error + ratio·(later + 2^-50) + n·2^-50 + |location|·2^-53` of `t`. The bound below
/// doubles each constant, which covers the rounding of the bound itself, and adds 2^-50 for that of
/// the last comparison. `t − cell` is exact, as |t| < 2^51 and the difference is at most one half.
/// A NaN fails the comparison.
#[inline(always)]
fn lane(
    word: u64,
    (value, later): (f64, f64),
    location: f64,
    location_error: f64,
    ratio: f64,
) -> (f64, bool) {
    let n = ratio * value;
    // −ln U ≥ 0, so dropping a minus sign of `n` only brings it nearer.
    let t = location + n.copysign(f64::from_bits(word));
    let cell = (t + ROUND) - ROUND;
    let bound = location_error
        + TWO_M50
        + ratio * (later + TWO_M49)
        + n * TWO_M49
        + location.abs() * TWO_M52;
    let decided = ((t - cell).abs() + bound < 0.5) & (t.abs() < MOST_STEPS);
    (cell, decided)
}

const TWO_M49: f64 = 1.0 / (1u64 << 49) as f64;
const TWO_M50: f64 = 1.0 / (1u64 << 50) as f64;
const TWO_M52: f64 = f64::EPSILON;

/// How many draws [`block`] makes at once.
pub(super) const BLOCK: usize = 64;

/// One draw; `None` when 63 bits and this precision do not decide it.
#[inline]
pub(super) fn single(word: u64, location: f64, location_error: f64, ratio: f64) -> Option<f64> {
    let bits = to_double(word).to_bits();
    let logarithm = negative_ln(bits, quotient(bits));
    let (cell, decided) = lane(word, logarithm, location, location_error, ratio);
    decided.then_some(cell)
}

/// [`single`] for a block; whether every draw is decided.
pub(super) struct Block<'a> {
    pub words: &'a [u64; BLOCK],
    pub locations: &'a [f64; BLOCK],
    pub location_error: f64,
    pub ratio: f64,
    pub cells: &'a mut [f64; BLOCK],
}

impl Kernel for Block<'_> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        // In three short loops: a processor has more turns of a short loop under way, and so waits
        // less for one to end.
        let bits = self.words.map(|word| to_double(word).to_bits());
        let quotients = bits.map(quotient);
        let (mut values, mut later) = ([0.0; BLOCK], [0.0; BLOCK]);
        for i in 0..BLOCK {
            (values[i], later[i]) = negative_ln(bits[i], quotients[i]);
        }
        let mut all = true;
        for i in 0..BLOCK {
            let logarithm = (values[i], later[i]);
            let (word, location) = (self.words[i], self.locations[i]);
            let (cell, decided) = lane(word, logarithm, location, self.location_error, self.ratio);
            self.cells[i] = cell;
            all &= decided;
        }
        all
    }
}

#[cfg(test)]
mod tests;
