use crate::{Dyadic, Integer, Natural};

use super::constants::{ln_2, ln_coarse, ln_fine};
use super::{Enclosure, Fixed};

/// An enclosure of `ln x` with `hi − lo ≤ 2^-bits`.
///
/// ```
/// use lastbit_exact::{Dyadic, Rounding, ln_enclosure};
/// let ln_2 = ln_enclosure(&Dyadic::from(2), 80);
/// assert!(ln_2.width() <= Dyadic::power_of_two(-80));
/// assert_eq!(ln_2.lo().to_f64(Rounding::NearestEven), core::f64::consts::LN_2);
/// ```
///
/// # Panics
/// Unless `x > 0`.
pub fn ln_enclosure(x: &Dyadic, bits: u32) -> Enclosure {
    assert!(x.is_positive(), "ln needs a positive number, got {x:?}");
    if *x == Dyadic::ONE {
        return Enclosure::exact(Dyadic::ZERO);
    }
    // The errors below add up to at most (4n + 4) + 2 + 3 + 3 + 4 = 4n + 16 units for n ≤ w/28 + 2
    // terms, so hi − lo is at most w/3 + 48 units; and 2^(w − bits) ≥ 2^7 (bits + 1) is more than
    // that. (At least 16 bits, for the reduction.)
    let bits = bits.max(16);
    let w = bits + 7 + u32::BITS - bits.leading_zeros();

    // x = y 2^t with 3/4 ≤ y < 3/2: a number near 1 has t = 0, and its logarithm is not a
    // difference of large ones.
    let (t, y, cut) = reduce_binary(x, w);

    // r/2^7 is 1/y to 7 bits, from 16 bits of y. As 3/4 ≤ y < 3/2, |y r/2^7 − 1| ≤ y/2^8 + 2^-15 <
    // 0.76/2^7.
    let leading = u64_of(&(&y >> (w as usize - 16)));
    let r = ((1 << 23) + leading / 2) / leading;
    let y = y * r;

    // j/2^14 is that excess to within 0.75/2^14 (it is read from 16 bits), and |j| ≤ 99. So y (1 −
    // j/2^14) is off 1 by at most 0.75/2^14 + (0.76/2^7)(99/2^14) < 1.4/2^14.
    let excess = u64_of(&(&y >> (w as usize + 7 - 16))) as i64 - (1 << 16);
    let j = (excess + 2) >> 2;
    let y = y * ((1 << 14) - j).unsigned_abs();

    let one = Natural::ONE << (w as usize + 21);
    let series = ln_near_one(&y, &one, w);

    let mut value = series.value;
    // Cutting x to w bits moved ln x by less than (2^-w)/y < 2 units.
    let mut error = series.error + if cut { 2 } else { 0 };
    if r != 1 << 7 {
        let coarse = ln_coarse(r as u32, w);
        value -= coarse.value;
        error += coarse.error;
    }
    if j != 0 {
        let fine = ln_fine(j as i32, w);
        value -= fine.value;
        error += fine.error;
    }
    if t != 0 {
        // |t| < 2^extra, so t times the error of ln 2 at w + extra bits, cut to w, is its error and
        // 1 for the floor.
        let extra = 64 - t.unsigned_abs().leading_zeros();
        let ln_2 = ln_2(w + extra);
        value += (ln_2.value * t) >> extra as usize;
        error += ln_2.error + 1;
    }
    debug_assert!(2 * error <= 1 << (w - bits));
    Fixed { value, error }.enclosure(-i64::from(w))
}

/// `x = y 2^t` with `3/4 ≤ y < 3/2`: `t`, `⌊y 2^w⌋`, and whether the floor cut anything.
fn reduce_binary(x: &Dyadic, w: u32) -> (i64, Natural, bool) {
    let mantissa = x.mantissa();
    let length = mantissa.bit_len();
    let mut t = x.exponent() + (length as i64 - 1);
    if length >= 2 && mantissa.bit(length - 2) {
        t += 1;
    }
    let last = t - i64::from(w);
    let (_, y) = x.floor_in(last).into_parts();
    (t, y, x.exponent() < last)
}

/// `ln(y / one)` for `|y/one − 1| < 1.4/2^14`, in units of `2^-w`, by `2 atanh z`,
/// `z = (y − one)/(y + one)`.
///
/// `|z| < 2^-14`. Everything is floored, so all errors have one sign. `Z = ⌊|z| 2^w⌋` is low by
/// less than 1, `Q = ⌊Z²/2^w⌋` by less than `2|z| + 1 < 2`. `T_0 = Z`, `T_{i+1} = ⌊T_i Q/2^w⌋` is
/// below `|z|^(2i+3) 2^w` by `e_{i+1} < z² e_i + 2|z| + 1`, so by less than 2. Term `⌊T_i/(2i+1)⌋`
/// loses less than 1 at `i = 0` and less than `2/3 + 1 < 2` later. At the first `T_n = 0`, `n ≥ 1`,
/// the true power is below 2 units and so is the tail. So `n` terms lose less than `2n + 1` units,
/// twice that for the logarithm.
fn ln_near_one(y: &Natural, one: &Natural, w: u32) -> Fixed {
    let (negative, numerator) =
        (Integer::from(y.clone()) - Integer::from(one.clone())).into_parts();
    let w = w as usize;
    let z = (numerator << w) / (y + one);
    let square = (&z * &z) >> w;
    let mut sum = z.clone();
    let mut power = z;
    let mut terms = 1u64;
    loop {
        power = (&power * &square) >> w;
        if power.is_zero() {
            break;
        }
        sum += &power / (2 * terms + 1);
        terms += 1;
    }
    Fixed {
        value: Integer::from_parts(negative, sum << 1),
        error: 4 * terms + 4,
    }
}

/// A number known to fit.
fn u64_of(value: &Natural) -> u64 {
    u64::try_from(value).expect("callers pass at most 20 bits")
}
