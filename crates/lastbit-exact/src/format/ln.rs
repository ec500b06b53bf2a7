//! The logarithm in limbs: the first thing that [`Format::ln`](super::Format::ln) tries.

use core::cmp::Ordering;

use crate::ln::fixed;
use crate::{Dyadic, Integer, Natural, Rounding};

/// `ln x` rounded to `precision` bits by the fixed-point kernel, for positive `x ≠ 1`; `None` if
/// that does not decide it.
pub(super) fn by_limbs(x: &Dyadic, precision: u32, rounding: Rounding) -> Option<Dyadic> {
    // The kernel's error is below 2^(3 − 64N) where |ln x| > 2^-14, and that much of ln x nearer
    // to 1. So these limbs leave 19 bits or more beyond the precision and its rounding bit, and
    // decide all but about 2^-18 of logarithms.
    match precision {
        ..=90 => by_limbs_of::<2>(x, precision, rounding),
        91..=154 => by_limbs_of::<3>(x, precision, rounding),
        155..=218 => by_limbs_of::<4>(x, precision, rounding),
        _ => None,
    }
}

fn by_limbs_of<const N: usize>(x: &Dyadic, precision: u32, rounding: Rounding) -> Option<Dyadic> {
    let log = fixed::ln(&normalised::<N>(x)?, x.floor_log2()?);
    // |ln x| = (bits + f) 2^last with 0 < f < 1, so what lies beyond the last of `bits` is never
    // zero.
    let (bits, last) = log.leading_bits::<4>(precision)?;
    let against_half = if bits[0] & 1 == 1 {
        Ordering::Greater
    } else {
        Ordering::Less
    };
    let up = rounding
        .of_magnitude(log.negative)
        .increments(bits[0] & 2 == 2, against_half, true);
    let pair = |low: u64, high: u64| u128::from(low) | u128::from(high) << 64;
    let low = pair(bits[0], bits[1]);
    let kept = if precision < 128 {
        Natural::from((low >> 1) + u128::from(up))
    } else {
        let high = Natural::from(pair(bits[2], bits[3]));
        (((high << 128) + Natural::from(low)) >> 1) + Natural::from(up)
    };
    Some(Dyadic::new(
        Integer::from_parts(log.negative, kept),
        last + 1,
    ))
}

/// The mantissa shifted up to fill `N` limbs, if it is not longer than they are.
fn normalised<const N: usize>(x: &Dyadic) -> Option<[u64; N]> {
    let mantissa = x.mantissa();
    let zeros = (64 * N).checked_sub(mantissa.bit_len())?;
    let (skip, by) = (zeros / 64, zeros % 64);
    let limbs: [u64; N] = mantissa.limbs();
    // A limb and the one below it, shifted together.
    let limb = |i: usize| i.checked_sub(skip).map_or(0, |i| limbs[i]);
    let below = |i: usize| i.checked_sub(1).map_or(0, limb);
    Some(core::array::from_fn(|i| {
        let pair = u128::from(limb(i)) << 64 | u128::from(below(i));
        ((pair << by) >> 64) as u64
    }))
}
