//! Words as doubles, by operations that processors have for vectors.

const TWO_52: f64 = 4_503_599_627_370_496.0;
const TWO_84: f64 = 19_342_813_113_834_066_795_298_816.0;
const TWO_52_BITS: u64 = 0x4330_0000_0000_0000;
const TWO_84_BITS: u64 = 0x4530_0000_0000_0000;

/// The low 63 bits of a word as a double: one rounding.
///
/// 2^84 + h·2^32 and 2^52 + l are doubles for h < 2^31 and l < 2^32, and the difference of the
/// first from 2^84 + 2^52 is a multiple of 2^32 below 2^63: exact. So the result is `k(1 + δ)`,
/// |δ| ≤ 2^-53.
#[inline(always)]
pub(crate) fn to_double(word: u64) -> f64 {
    let k = word & (u64::MAX >> 1);
    let high = f64::from_bits((k >> 32) | TWO_84_BITS) - (TWO_84 + TWO_52);
    high + f64::from_bits((k & 0xffff_ffff) | TWO_52_BITS)
}
