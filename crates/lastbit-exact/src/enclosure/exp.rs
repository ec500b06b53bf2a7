use crate::{Dyadic, Integer, Natural, Rounding};

use super::constants::ln_2;
use super::{Enclosure, Fixed};

/// `exp` is computed for `|x| < 2^EXP_ARGUMENT_BITS`.
pub const EXP_ARGUMENT_BITS: u32 = 40;

/// An enclosure of `e^x` with `hi − lo ≤ 2^-bits · lo`, for `|x| < 2^40`.
///
/// For `x ≤ −2^40` it is `[0, 2^(−2^40)]`, which holds the value but has no relative width.
///
/// ```
/// use lastbit_exact::{Dyadic, Rounding, exp_enclosure};
/// let e = exp_enclosure(&Dyadic::from(1), 80);
/// assert_eq!(e.hi().to_f64(Rounding::NearestEven), core::f64::consts::E);
/// ```
///
/// # Panics
/// If `x ≥ 2^40`: no enclosure of such a number is of use. Bound the argument first.
pub fn exp_enclosure(x: &Dyadic, bits: u32) -> Enclosure {
    let Some(top) = x.floor_log2() else {
        return Enclosure::exact(Dyadic::ONE);
    };
    if top >= i64::from(EXP_ARGUMENT_BITS) {
        assert!(
            x.is_negative(),
            "exp needs an argument below 2^40, got {x:?}"
        );
        // e^x ≤ e^(−2^40) < 2^(−2^40).
        return Enclosure {
            lo: Dyadic::ZERO,
            hi: Dyadic::power_of_two(-(1 << EXP_ARGUMENT_BITS)),
        };
    }
    // About √bits halvings against √bits terms of the series.
    let bits = bits.max(16);
    let halvings = bits.isqrt().min(32);
    // Below, n ≤ w/5 + 2 terms, D ≤ 2^halvings (4n + 13), and hi − lo ≤ 6 D 2^-w lo. As w ≤ 2
    // bits + 25, 6 (4n + 13) ≤ 5w + 126 is less than 2^9 (bits + 1) ≤ 2^(w − bits − halvings), so
    // hi − lo ≤ 2^-bits lo.
    let w = bits + halvings + 9 + u32::BITS - bits.leading_zeros();

    // x = k ln 2 + r with |r| < 0.501 ln 2 < 0.35: the f64 quotient is off by less than 2^-10, as
    // |x| < 2^40.
    let k = (x.to_f64(Rounding::NearestEven) * core::f64::consts::LOG2_E).round_ties_even() as i64;
    let mut r = Fixed {
        value: x.floor_in(-i64::from(w)),
        error: 1,
    };
    if k != 0 {
        // |k| < 2^extra, so k times the error of ln 2 at w + extra bits, cut to w, is its error and
        // 1 for the floor.
        let extra = 64 - k.unsigned_abs().leading_zeros();
        let ln_2 = ln_2(w + extra);
        r.value -= (ln_2.value * k) >> extra as usize;
        r.error += ln_2.error + 1;
    }

    let power = squared_up(r, halvings, w);
    debug_assert!(3 * power.error <= 1 << (w - bits));
    power.enclosure(k - i64::from(w))
}

/// `e^r` for `|r| < 0.35`, as `(e^(r/2^s))^(2^s)`, in units of `2^-w`.
///
/// *Argument.* `u = r/2^s` floored to a multiple of `2^-w` is off by at most `error/2^s + 1 ≤ 2`
/// units, which moves `e^u` by less than 3.
///
/// *Series at `|u| ≤ 0.35/2^4`.* `T_0 = 2^w`, `T_{n+1} = ⌊⌊T_n |u|⌋/(n+1)⌋` is below
/// `|u|^(n+1)/(n+1)! 2^w` by `e_0 = 0`, `e_{n+1} < (e_n |u| + 1)/(n+1) + 1`, so by less than 3. At
/// the first `T_n = 0` the true term is below 3 units and the tail below 4. So `n` terms are off by
/// less than `3n + 4` units, whatever the signs.
///
/// *Squarings.* Let `V = 2^w v (1 + δ)`, `|δ| ≤ D 2^-w`. Every `v` here is in `(e^-0.35, e^0.35)`,
/// within `(0.7, 1.42)`. At first `v > 0.97` and `D = (3n + 7)/0.97 < 4n + 11`. Then `⌊V²/2^w⌋` has
/// `|δ'| ≤ 2|δ| + δ² + 2^-w/0.7`, so `D' = 2D + 2` as long as `D² ≤ 2^(w−1)`. At the end
/// `|V − 2^w v| ≤ 1.42 D < 2D`.
fn squared_up(r: Fixed, squarings: u32, w: u32) -> Fixed {
    let w_bits = w as usize;
    debug_assert!(r.error <= 1 << squarings);
    let (negative, u) = (r.value >> squarings as usize).into_parts();

    let mut sum = Integer::ONE << w_bits;
    let mut term: Natural = Natural::ONE << w_bits;
    let mut n = 0u64;
    loop {
        n += 1;
        term = ((term * &u) >> w_bits) / n;
        if term.is_zero() {
            break;
        }
        if negative && n % 2 == 1 {
            sum -= Integer::from(term.clone());
        } else {
            sum += Integer::from(term.clone());
        }
    }

    let mut value = sum;
    let mut d = 4 * n + 11;
    for _ in 0..squarings {
        value = (&value * &value) >> w_bits;
        debug_assert!(2 * d.ilog2() + 2 < w);
        d = 2 * d + 2;
    }
    Fixed {
        value,
        error: 2 * d,
    }
}
