//! First tier: ln in double-double, with a proved error bound.
//!
//! `u = 2^-53`; every f64 operation below has relative error at most `u`, or is exact and says so.
//! No operation over- or underflows where its result is used: all non-zero magnitudes lie between
//! 2^-400 and 2^11.

use core::hint::black_box;

use super::table::{LN_2_HIGH, LN_2_LOW, ROWS};

/// `ln x` lies within `error` of `high + low`, and still does when `low ± error` is rounded to f64;
/// `|high| ≥ |low ± error|`.
#[derive(Clone, Copy, Debug)]
pub(super) struct DoubleDouble {
    pub high: f64,
    pub low: f64,
    pub error: f64,
}

/// A short reciprocal and its logarithm.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct Row {
    /// A multiple of 2^-10 in `[0.70, 1.42]`.
    pub r: f64,
    /// `-ln r`, to a multiple of 2^-42.
    pub log_high: f64,
    /// The f64 nearest to `-ln r - log_high`, at most 2^-43.
    pub log_low: f64,
}

impl Row {
    pub(super) const fn new(r: u64, log_high: u64, log_low: u64) -> Row {
        Row {
            r: f64::from_bits(r),
            log_high: f64::from_bits(log_high),
            log_low: f64::from_bits(log_low),
        }
    }
}

/// The bits of 181/256 = 0.70703125, where the table begins.
pub(super) const TABLE_START: u64 = 0x3fe6_a000_0000_0000;
const EXPONENT_FIELD: u64 = 0xfff << 52;
/// Below this distance from 1 the error bound is relative.
const NEAR_ONE: f64 = 1.0 / 256.0;
/// 2^-75.
pub(super) const ERROR: f64 = f64::from_bits((1023 - 75) << 52);
/// 2^-67.
pub(super) const RELATIVE_ERROR_NEAR_ONE: f64 = f64::from_bits((1023 - 67) << 52);

/// An approximation of `ln x`, `x` positive and normal.
///
/// `x = 2^e·m`, `m` in [0.707, 1.4141), `r` from the table: `ln x = e·ln 2 - ln r + ln(1 + z)`,
/// `z = m·r - 1`; within 2^-8 of one, `ln x = ln(1 + z)` with `z = x - 1`. Both run the same
/// instructions and differ in what is selected, so that the time does not tell them apart.
///
/// Away from one the table has `|z| ≤ 2^-8.71`, and `|ln x| ≥ 2^-8.01`; errors below are in units
/// of 2^-78. Near one they are relative to `|z|`, in units of 2^-71.
#[inline(always)]
pub(super) fn ln(x: f64) -> DoubleDouble {
    let distance = x - 1.0; // exact where it is used, by Sterbenz
    let near = distance.abs() < NEAR_ONE;
    // Opaque, else the compiler makes branches of it.
    let mask = black_box(u64::from(near).wrapping_neg());
    let pick = |near_one: f64, away: f64| {
        f64::from_bits((near_one.to_bits() & mask) | (away.to_bits() & !mask))
    };

    let bits = x.to_bits();
    let offset = bits.wrapping_sub(TABLE_START);
    let row = &ROWS[(offset >> 44 & 0xff) as usize];
    let e = ((offset as i64) >> 52) as f64; // |e| ≤ 1024
    let m_bits = bits.wrapping_sub(offset & EXPONENT_FIELD);
    let m = f64::from_bits(m_bits);

    // Away: 24 fraction bits, to nearest: m_high is a multiple of 2^-24 (2^-25 below one),
    // |m - m_high| ≤ 2^-25 (2^-26). Then exact: 25 bits times 11 bits; a multiple of 2^-34 below
    // 2^-8.7 (below one: of 2^-35 below 2^-9.2). Near: 26 bits and the other 27, |z_low| <
    // 2^-25·|z|.
    let m_high = f64::from_bits((m_bits + (1 << 27)) & !((1 << 28) - 1));
    let z_high = pick(
        f64::from_bits(distance.to_bits() & !((1 << 27) - 1)),
        m_high * row.r - 1.0,
    );
    // Exact: at most 28 bits times 11 bits; |z_low| ≤ 2^-25.
    let z_low = pick(distance - z_high, (m - m_high) * row.r);
    let z = z_high + z_low; // near: exact

    // z³·q(z) = z³/3 - z⁴/4 + … + z⁹/9. Away: at most 2^-27.7; the rest of the series is at most
    // z^10/10·(1 + 2^-8) ≤ 2^-90. z³ carries 5u (three times z's u, two products), q 3.1u (1/3,
    // two sums, and z²·(…) ≤ 2^-19 times its own), the product u: 9.1u·2^-27.7: 1.4. Near: at most
    // 2^-17.57·|z|; the rest at most z⁹/10·(1 + 2^-7): 0.06. z³ carries 2u, q 3.1u, the product u:
    // 6.1u·2^-17.57: 8.3.
    let square = z * z;
    let q = (1.0 / 3.0 - z * 0.25)
        + square
            * ((0.2 - z * (1.0 / 6.0)) + square * ((1.0 / 7.0 - z * 0.125) + square * (1.0 / 9.0)));
    let cubic = (z * square) * q;
    // z²/2 = z_high²/2 + z_low·(z + z_high)/2. The first is exact: z_high has at most 26 bits. The
    // second is at most 2^-33.7 and carries 3u: 0.01; near, at most 2^-33·|z|: 0.001.
    let half_square = z_high * z_high * 0.5;
    let cross = z_low * (z + z_high) * 0.5;

    // Exact: multiples of 2^-42 below 2^11; near, z itself.
    let leading = pick(distance, (e * LN_2_HIGH + row.log_high) + z_high);
    // Fast2Sum, exact: |leading| > 2^-9 > half_square; near, |z| > half_square.
    let high = leading - half_square;
    // ≤ 2^-44, half an ulp of |high| < 1024; near, at most u·|z|·1.01.
    let from_high = (leading - high) - half_square;

    // |e·LN_2_LOW| ≤ 2^-32.9: the two constants and the two operations together below 0.03.
    let constants = e * LN_2_LOW + row.log_low;
    // Sums of at most 2^-24.9, 2^-27.6, 2^-24.7, 2^-24.7: u times each: 1.1 + 0.2 + 1.25 + 1.25.
    // Near, two of at most 2^-17.56·|z|: 1.4 each; the sum with zero is exact.
    let low = (pick(0.0, z_low + constants) + (cubic - cross)) + from_high;
    // Rounding low ± error: 1.25. In all 1.4 + 0.01 + 0.03 + 3.8 + 1.25 + 2^-12 < 8. Near: 1.4, and
    // 0.06 + 8.3 + 0.001 + 2.8 + 1.4 < 16.
    DoubleDouble {
        high,
        low,
        error: pick(z.abs() * RELATIVE_ERROR_NEAR_ONE, ERROR),
    }
}

impl DoubleDouble {
    /// The f64 nearest to `ln x`, if the bound decides it.
    ///
    /// Rounding to nearest is monotone, and `ln x` lies between the exact values of the two sums.
    #[inline(always)]
    pub(super) fn nearest(self) -> Option<f64> {
        let below = self.high + (self.low - self.error);
        let above = self.high + (self.low + self.error);
        (below == above).then_some(above)
    }

    /// The neighbouring f64s `(a, b)` with `a < ln x < b`, if the bound decides them.
    #[inline(always)]
    pub(super) fn neighbours(self) -> Option<(f64, f64)> {
        let (low_below, low_above) = (self.low - self.error, self.low + self.error);
        let below = self.high + low_below;
        let above = self.high + low_above;
        // Fast2Sum: the exact distances of the two ends of the enclosure from their roundings.
        let rest_below = low_below - (below - self.high);
        let rest_above = low_above - (above - self.high);
        if below != above || rest_below * rest_above <= 0.0 {
            return None;
        }
        // Both ends, so ln x too, lie strictly on one side of `below`, within half an ulp.
        let bits = below.to_bits();
        let outward = (below > 0.0) == (rest_below > 0.0);
        let other = f64::from_bits(if outward { bits + 1 } else { bits - 1 });
        Some(if rest_below > 0.0 {
            (below, other)
        } else {
            (other, below)
        })
    }
}
