//! From integers with a power of two to f64, in a direction.

/// `magnitude · 2^exponent` as f64: the smallest f64 at or above for `UP`, the largest at or below
/// otherwise.
#[inline]
pub(crate) fn to_f64<const UP: bool>(magnitude: u128, exponent: i64) -> f64 {
    if magnitude == 0 {
        return 0.0;
    }
    let top = 127 - i64::from(magnitude.leading_zeros()) + exponent;
    if top > 1023 {
        return if UP { f64::INFINITY } else { f64::MAX };
    }
    // The last place of the result: 52 below the top bit, never below 2^-1074.
    let last = (top - 52).max(-1074);
    let drop = last - exponent;
    let (steps, inexact) = if drop <= 0 {
        // At most 53 bits.
        ((magnitude << -drop) as u64, false)
    } else if drop < 128 {
        let kept = magnitude >> drop;
        (kept as u64, kept << drop != magnitude)
    } else {
        (0, true)
    };
    // steps ≤ 2^53. The hidden bit of a normal number, and a carry out of the last step, raise the
    // exponent field by one; past MAX that is the infinity.
    let steps = steps + u64::from(UP && inexact);
    f64::from_bits((((last + 1074) as u64) << 52) + steps)
}
