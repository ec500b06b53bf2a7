//! Logarithms of the few constants that argument reduction needs, kept per thread at the highest
//! precision asked so far.

use std::cell::RefCell;

use crate::{Integer, Natural};

use super::Fixed;

/// Values of more bits than this are computed and dropped, so that one very precise call does not
/// hold memory for ever.
const KEPT_BITS: u32 = 4096;

/// `ln 2`, in units of `2^-bits`, off by at most 3.
pub(super) fn ln_2(bits: u32) -> Fixed {
    KEPT.with_borrow_mut(|kept| {
        recall(&mut kept.ln_2, bits, |w| {
            // (27/25)^9 · (4800/4802) · (8750/8748)^4 = 2 and ln(a/b) = 2 atanh((a−b)/(a+b)).
            let a = atanh(1, 26, w);
            let b = atanh(1, 4801, w);
            let c = atanh(1, 8749, w);
            Fixed {
                value: a.value * 18 - b.value * 2 + c.value * 8,
                error: a.error * 18 + b.error * 2 + c.error * 8,
            }
        })
    })
}

/// `ln(r / 2^7)` for `64 ≤ r < 192`, in units of `2^-bits`, off by at most 3.
pub(super) fn ln_coarse(r: u32, bits: u32) -> Fixed {
    KEPT.with_borrow_mut(|kept| {
        recall(&mut kept.coarse[r as usize - 64], bits, |w| {
            ln_of_ratio(r.into(), 1 << 7, w)
        })
    })
}

/// `ln(1 − j / 2^14)` for `|j| ≤ 128`, in units of `2^-bits`, off by at most 3.
pub(super) fn ln_fine(j: i32, bits: u32) -> Fixed {
    KEPT.with_borrow_mut(|kept| {
        recall(&mut kept.fine[(j + 128) as usize], bits, |w| {
            ln_of_ratio((1 << 14) - i64::from(j), 1 << 14, w)
        })
    })
}

/// A constant with `|constant · 2^bits − value| ≤ 2`.
struct Slot {
    bits: u32,
    value: Integer,
}

struct Kept {
    ln_2: Option<Slot>,
    coarse: [Option<Slot>; 128],
    fine: [Option<Slot>; 257],
}

thread_local! {
    static KEPT: RefCell<Kept> = const {
        RefCell::new(Kept {
            ln_2: None,
            coarse: [const { None }; 128],
            fine: [const { None }; 257],
        })
    };
}

/// Bits computed beyond those kept. Each constant below is computed to within `8w + 2^8` units
/// (`ln 2` is the worst, with `18 (3w/9 + 6) + 10 (3w/24 + 6)`), less than `2^32` for `w < 2^28`:
/// less than one unit of what is kept.
const EXTRA_BITS: u32 = 32;

/// The constant in `slot` cut to `bits`, computed anew when the slot holds fewer; off by at most 3
/// units.
fn recall(slot: &mut Option<Slot>, bits: u32, compute: impl FnOnce(u32) -> Fixed) -> Fixed {
    if let Some(kept) = slot
        && kept.bits >= bits
    {
        return cut(kept, bits);
    }
    // Whole limbs, so that slightly growing requests do not each compute again.
    let fuller = bits.next_multiple_of(64);
    let computed = compute(fuller + EXTRA_BITS);
    debug_assert!(computed.error < 1 << EXTRA_BITS);
    let fresh = Slot {
        bits: fuller,
        value: computed.value >> EXTRA_BITS as usize,
    };
    let result = cut(&fresh, bits);
    if fuller <= KEPT_BITS {
        *slot = Some(fresh);
    }
    result
}

/// The kept constant in units of `2^-bits`, `bits ≤ kept.bits`.
fn cut(kept: &Slot, bits: u32) -> Fixed {
    Fixed {
        value: &kept.value >> (kept.bits - bits) as usize,
        // At most 2 units kept, and 1 for this floor.
        error: 3,
    }
}

/// `ln(a / b)` for `|a − b| ≤ (a + b)/2`, in units of `2^-w`.
fn ln_of_ratio(a: i64, b: i64, w: u32) -> Fixed {
    let half = atanh((a - b).unsigned_abs(), (a + b) as u64, w);
    let sign = if a < b { -2 } else { 2 };
    Fixed {
        value: half.value * sign,
        error: 2 * half.error,
    }
}

/// `atanh(c/d)` for `c/d ≤ 1/2`, `d < 2^32`, in units of `2^-w`.
///
/// With `z = c/d`: `P_0 = ⌊z 2^w⌋`, `P_{i+1} = ⌊P_i c²/d²⌋` are below `z^(2i+1) 2^w` by `e_0 < 1`,
/// `e_{i+1} < e_i/4 + 1`, so by less than 2. Term `⌊P_i/(2i+1)⌋` loses less than
/// `2/(2i+1) + 1 ≤ 3`. The sum ends at the first `P_n = 0`, where `z^(2n+1) 2^w < 2`, and the tail
/// is below `2/(1 − z²) < 3`. So `n` terms lose less than `3n + 3` units, all of one sign.
fn atanh(c: u64, d: u64, w: u32) -> Fixed {
    debug_assert!(2 * c <= d && d < 1 << 32);
    let mut power = ((Natural::ONE << w as usize) * c) / d;
    let mut sum = Natural::ZERO;
    let mut odd = 1u64;
    while !power.is_zero() {
        sum += &power / odd;
        odd += 2;
        power = power * (c * c) / (d * d);
    }
    let terms = odd / 2;
    Fixed {
        value: sum.into(),
        error: 3 * terms + 3,
    }
}

#[cfg(test)]
mod tests;
