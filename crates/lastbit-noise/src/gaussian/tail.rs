//! Rigorous enclosures of the normal density `φ` and tail `Q(x) = P(Z > x)`, to any precision.
//!
//! Two formulas, both sums or quotients of positive numbers, are evaluated twice in fixed point:
//! once with every integer operation rounded down, once up. So the two results enclose the true one
//! whatever the number of terms or bits; those only make the enclosure narrow, which is checked
//! before it is returned.

use std::sync::LazyLock;

use lastbit_exact::{Dyadic, Enclosure, Integer, Natural, Rounding, exp_enclosure};

/// From here on `exp(−x²/2)` is beyond what is computed, and the enclosures have no relative width.
pub(super) const FARTHEST: i64 = 1 << 20;

/// Density and tail at the same point.
#[derive(Clone, Debug)]
pub(super) struct Normal {
    /// `lo ≤ φ(x) ≤ hi`.
    pub(super) density: Enclosure,
    /// `lo ≤ Q(x) ≤ hi`.
    pub(super) tail: Enclosure,
}

impl Normal {
    /// At `x ≥ 0`: `hi − lo ≤ 2^-bits · lo` for the density and for the tail, unless `x ≥ 2^20`.
    pub(super) fn at(x: &Dyadic, bits: u32) -> Normal {
        debug_assert!(!x.is_negative());
        if *x >= Dyadic::from(FARTHEST) {
            // φ(x) and Q(x) are below e^(−x²/2) ≤ e^(−2^39) < 2^(−2^39).
            let tiny = between(Dyadic::ZERO, Dyadic::power_of_two(-(1 << 39)));
            return Normal {
                density: tiny.clone(),
                tail: tiny,
            };
        }
        let near = x.to_f64(Rounding::Up);
        // The fraction needs about (bits·ln 2)²/(8x²) terms, the series about x² + bits/2.
        let by_fraction = 8.0 * near * near >= f64::from(bits);
        let mut extra = 8;
        loop {
            let normal = if by_fraction {
                by_continued_fraction(x, near, bits + extra, u64::from(extra) / 8)
            } else {
                by_series(x, near, bits + extra)
            };
            if is_narrow(&normal.tail, bits) && is_narrow(&normal.density, bits) {
                return normal;
            }
            extra *= 2;
        }
    }
}

/// Whether `hi − lo ≤ 2^-bits · lo`.
pub(super) fn is_narrow(enclosure: &Enclosure, bits: u32) -> bool {
    enclosure.width() <= enclosure.lo().times_power_of_two(-i64::from(bits))
}

/// `φ(x)` for `0 ≤ x < 2^20`, with `hi − lo ≤ 2^-bits · lo`.
pub(super) fn density(x: &Dyadic, bits: u32) -> Enclosure {
    // With u = 2^-(bits+3), hi/lo has a factor 1 + u from the power, 1 + u from the root (which is
    // above 1), (1 + u)² from the two quotients and at most 1 + u from the two roundings of the
    // exponent: less than 1 + 8u in all.
    let bits = bits + 3;
    let half_square = (x * x).times_power_of_two(-1);
    // x²/2 < 2^39, so this many significant bits leave an error below 2^-(bits+2) each.
    let precision = bits as usize + 41;
    let exponent = [Rounding::Up, Rounding::Down].map(|way| -&half_square.round(precision, way));
    let smallest = exp_enclosure(&exponent[0], bits);
    let largest = if exponent[0] == exponent[1] {
        smallest.clone()
    } else {
        exp_enclosure(&exponent[1], bits)
    };
    let root = sqrt_two_pi(bits);
    between(
        divide(smallest.lo(), root.hi(), bits, Rounding::Down),
        divide(largest.hi(), root.lo(), bits, Rounding::Up),
    )
}

/// `Q = φ/r_0` by Laplace's continued fraction.
///
/// Let `I_n = ∫_x^∞ (t−x)^n/n! φ(t) dt` for `n ≥ 0` and `I_{−1} = φ(x)`, so that `I_0 = Q`. As
/// `φ' = −tφ`, integration by parts gives `(n+1)·I_{n+1} = I_{n−1} − x·I_n`. All are positive, so
/// `r_n = I_{n−1}/I_n` satisfies
///
/// ```text
/// r_n = x + (n+1)/r_{n+1},   hence   x < r_n < x + (n+1)/x   for every n.
/// ```
///
/// The enclosure starts from the latter at some `n` and goes back to `r_0`.
fn by_continued_fraction(x: &Dyadic, near: f64, bits: u32, effort: u64) -> Normal {
    let nats = f64::from(bits) * core::f64::consts::LN_2;
    let terms = effort * (10 + (nats / near).powi(2).ceil() as u64 / 7);
    // An error in r_{n+1} shrinks on its way to r_n, so `terms` units at most come together.
    let w = (bits + 4 + terms.ilog2()) as usize;
    let (x_lo, x_hi) = fixed(x, w);
    let quotient_up = |a: Natural, b: &Natural| (a + b - Natural::ONE) / b;
    let scaled = |n: u64| Natural::from(n) << (2 * w);
    let mut lo = x_lo.clone();
    let mut hi = &x_hi + quotient_up(scaled(terms + 1), &x_lo);
    for n in (1..=terms).rev() {
        let next_lo = &x_lo + scaled(n) / &hi;
        hi = &x_hi + quotient_up(scaled(n), &lo);
        lo = next_lo;
    }
    let density = density(x, bits);
    let ratio = [lo, hi].map(|end| Dyadic::new(Integer::from(end), -(w as i64)));
    let tail = between(
        divide(density.lo(), &ratio[1], bits, Rounding::Down),
        divide(density.hi(), &ratio[0], bits, Rounding::Up),
    );
    Normal { density, tail }
}

/// `Q = 1/2 − φ(x)·S(x)`, `S(x) = Σ x^(2n+1)/(2n+1)!!`.
///
/// (`S' = 1 + xS` and `S(0) = 0`, so `(φS)' = φ`.) Every term is positive. Once `2x² ≤ 2n + 3`,
/// each further term is at most half the one before, so all of them together are at most the last.
#[expect(
    clippy::disallowed_methods,
    reason = "how many more bits to take; fewer would only widen the enclosure"
)]
fn by_series(x: &Dyadic, near: f64, bits: u32) -> Normal {
    // Q ≥ φ·x/(1 + x²), about 2^(−0.7214x²)/(2.6(x + 1)): that many bits cancel in the difference.
    let cancelled = (0.7214 * near * near + (near + 1.0).log2()).ceil() as u32 + 2;
    // Errors of S grow by at most e^(x²/2), which φ takes back; there are about `bits` of them.
    let bits = bits + cancelled + 4 + bits.ilog2();
    let w = bits as usize;
    let (x_lo, x_hi) = fixed(x, w);
    let (square_lo, square_hi) = fixed(&(x * x), w);
    let up = |a: Natural, b: u64| (a + Natural::from(b - 1)) / Natural::from(b);
    let ones = (Natural::ONE << w) - Natural::ONE;
    let (mut term_lo, mut term_hi) = (x_lo, x_hi);
    let (mut sum_lo, mut sum_hi) = (term_lo.clone(), term_hi.clone());
    let mut odd = 1u64;
    while term_hi > Natural::ONE || (odd as f64) < 2.0 * near * near {
        odd += 2;
        term_lo = ((term_lo * &square_lo) >> w) / Natural::from(odd);
        term_hi = up((term_hi * &square_hi + &ones) >> w, odd);
        sum_lo += &term_lo;
        sum_hi += &term_hi;
    }
    sum_hi += term_hi;
    let density = density(x, bits);
    let sum = [sum_lo, sum_hi].map(|end| Dyadic::new(Integer::from(end), -(w as i64)));
    let half = Dyadic::power_of_two(-1);
    let tail = between(
        (&half - &(density.hi() * &sum[1])).max(Dyadic::ZERO),
        &half - &(density.lo() * &sum[0]),
    );
    Normal { density, tail }
}

/// `√(2π)` with `hi − lo ≤ 2^-bits`.
fn sqrt_two_pi(bits: u32) -> Enclosure {
    const KEPT_BITS: u32 = 320;
    static KEPT: LazyLock<Enclosure> = LazyLock::new(|| compute_sqrt_two_pi(KEPT_BITS));
    if bits <= KEPT_BITS {
        KEPT.clone()
    } else {
        compute_sqrt_two_pi(bits)
    }
}

/// Machin: `π = 16·arctan(1/5) − 4·arctan(1/239)`.
fn compute_sqrt_two_pi(bits: u32) -> Enclosure {
    // The roots of two numbers d apart, both above 1, are less than d/2 apart; the integer roots
    // add 2 units. d is below 2(16 + 4)·terms units of 2^-v, and terms ≤ v.
    let w = bits as usize + 2;
    let v = w + 8 + w.ilog2() as usize;
    let (near_lo, near_hi) = arctan_of_recip(5, v);
    let (far_lo, far_hi) = arctan_of_recip(239, v);
    let root = |two_pi: Natural| (two_pi << (2 * w - v)).nth_root(2);
    let lo = root(near_lo * 32 - far_hi * 8);
    let hi = root(near_hi * 32 - far_lo * 8) + Natural::ONE;
    let end = |value: Natural| Dyadic::new(Integer::from(value), -(w as i64));
    between(end(lo), end(hi))
}

/// `arctan(1/n)` in units of `2^-w`: `Σ (−1)^i/((2i+1) n^(2i+1))`, whose terms fall, so that what
/// is left at the end is at most one unit either way. The floor of a floor is the floor of the
/// quotient: each term is low by less than 1.
fn arctan_of_recip(n: u64, w: usize) -> (Natural, Natural) {
    let mut power = (Natural::ONE << w) / Natural::from(n);
    let (mut plus, mut minus) = (Natural::ZERO, Natural::ZERO);
    let mut odd = 1u64;
    while !power.is_zero() {
        let term = &power / Natural::from(odd);
        if odd % 4 == 1 {
            plus += term;
        } else {
            minus += term;
        }
        power /= Natural::from(n * n);
        odd += 2;
    }
    // (odd − 1)/2 terms, each low by less than 1, and 1 for the rest.
    let slack = Natural::from(odd / 2 + 1);
    let value = plus - minus;
    (&value - &slack, value + slack)
}

/// `x` in units of `2^-w`, rounded down and up.
fn fixed(x: &Dyadic, w: usize) -> (Natural, Natural) {
    let natural = |n: Integer| Natural::try_from(n).expect("callers pass x ≥ 0");
    (
        natural(x.floor_in(-(w as i64))),
        natural(x.ceil_in(-(w as i64))),
    )
}

/// `a/b` for `a ≥ 0`, `b > 0`, rounded down or up, off by a factor of at most `1 + 2^-bits`.
pub(super) fn divide(a: &Dyadic, b: &Dyadic, bits: u32, rounding: Rounding) -> Dyadic {
    let length = |x: &Dyadic| x.floor_log2().map_or(0, |top| top - x.exponent());
    // The quotient of the mantissas has at least `bits` bits after its first.
    let shift = (i64::from(bits) + 1 + length(b) - length(a)).max(0);
    let dividend = a.mantissa() << shift as usize;
    let quotient = match rounding {
        Rounding::Up => (dividend + b.mantissa() - Integer::ONE) / b.mantissa(),
        _ => dividend / b.mantissa(),
    };
    Dyadic::new(quotient, a.exponent() - b.exponent() - shift)
}

/// `[lo, hi]` where both enclose the same real.
pub(super) fn between(lo: Dyadic, hi: Dyadic) -> Enclosure {
    Enclosure::new(lo, hi).expect("the ends enclose the same real")
}

#[cfg(test)]
mod tests;
