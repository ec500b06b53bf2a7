//! Second tier: ln in fixed point on 64-bit limbs, with a proved error bound.
//!
//! A *fraction* is `[u64; N]`, little-endian, standing for a number in [0, 1) in units of `2^-64N`,
//! called ulps below. `N` is at most [`MAX_LIMBS`].

use super::table::{COARSE, FINE, LN_2};

/// The precision of the tables, in limbs.
pub(super) const MAX_LIMBS: usize = 4;

/// The result is within `ERROR` ulps; see [`ln`].
pub(crate) const ERROR: u64 = 8;
const ERROR_BITS: u32 = ERROR.trailing_zeros();

/// A factor of the reduction and minus its logarithm, truncated.
#[derive(Clone, Copy, Debug)]
pub(super) struct Factor {
    pub factor: u64,
    pub log: [u64; MAX_LIMBS],
}

/// A row of the tables, which a struct literal would make too wide.
pub(super) const fn factor(factor: u64, log: [u64; MAX_LIMBS]) -> Factor {
    Factor { factor, log }
}

/// `±(integer + fraction) · 2^-shift`, off from the true value by less than
/// [`ERROR`]` · 2^(-64N - shift)`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FixedLog<const N: usize> {
    pub negative: bool,
    pub integer: u64,
    pub fraction: [u64; N],
    pub shift: u32,
}

/// Encloses `ln(m · 2^exponent)`, where `m = mantissa · 2^-(64N-1)` in [1, 2): the top bit of the
/// mantissa is set.
///
/// The error is absolute, less than 8 ulps, when `|m·2^exponent - 1| ≥ 2^-13`, and relative within
/// that distance of one: the result then has a `shift` and is at least `0.49·2^-shift`. `ln 1` is
/// exactly zero.
pub(crate) fn ln<const N: usize>(mantissa: &[u64; N], exponent: i64) -> FixedLog<N> {
    debug_assert!(mantissa[N - 1] >> 63 == 1);
    // The exact distance from one, wherever it is below one half.
    let distance = match exponent {
        0 => Some(shift_left(mantissa, 1)), // drops the leading one
        -1 => Some(negate(mantissa)),       // 1 - m/2
        _ => None,
    };
    match distance {
        Some(t) if t[N - 1] >> 51 == 0 => near_one(&t, exponent < 0),
        _ => away_from_one(mantissa, exponent),
    }
}

/// `ln(1 ± t)` for an exact fraction `t < 2^-13`.
fn near_one<const N: usize>(t: &[u64; N], negative: bool) -> FixedLog<N> {
    let Some(shift) = leading_zeros(t) else {
        return FixedLog {
            negative: false,
            integer: 0,
            fraction: [0; N],
            shift: 0,
        };
    };
    // Off by less than 2.2 ulps: see `log1p`.
    let (integer, fraction) = log1p(t, negative, &shift_left(t, shift));
    FixedLog {
        negative,
        integer,
        fraction,
        shift,
    }
}

/// `m·r = 1 + y` with `r` from COARSE, `(1 + y)(1 - d) = 1 + z` with `d` from FINE;
/// `0 ≤ z < 2^-12.8`.
fn away_from_one<const N: usize>(mantissa: &[u64; N], exponent: i64) -> FixedLog<N> {
    let top = mantissa[N - 1];
    // Index: the seven bits after the leading one.
    let coarse = &COARSE[(top >> 56 & 0x7f) as usize];
    // mantissa · factor = (1 + y)·2^(64N+9), 0 ≤ y < 2^-6.8: bit 9 of the carry is the one.
    let (product, carry) = mul_small(mantissa, coarse.factor);
    // Truncated: y is low by less than one ulp.
    let y = shift_right_carry(&product, carry & 511, 9);

    // Index: y in steps of 2^-13, at most 71.
    let fine = &FINE[(y[N - 1] >> 51) as usize];
    // z = y - d - d·y, d = factor·2^-16 ≤ y/(1 + y): never negative. d·y is truncated, so z is high
    // by less than one ulp, low by less than one through y.
    let (product, carry) = mul_small(&y, fine.factor);
    let mut z = y;
    z[N - 1] -= fine.factor << 48;
    let z = sub(&z, &shift_right_carry(&product, carry, 16));

    // ln(1 + z) is off by 1 (z) + 1.1 (log1p, in which T = z is small); each table entry is low by
    // less than 1.
    let (_, series) = log1p(&z, false, &z);
    let log_mantissa = add(
        &add(&series, &top_limbs(&coarse.log)).1,
        &top_limbs(&fine.log),
    )
    .1; // ln m < 1: no carry

    // |exponent|·ln 2 with one limb more: low by less than 2^63·2^-64 + 1 ulps.
    let (integer, fraction) = multiple_of_ln_2::<N>(exponent.unsigned_abs());
    // In all less than 1 + 1.1 + 2 + 1.5 < 8.
    if exponent >= 0 {
        let (carry, fraction) = add(&fraction, &log_mantissa);
        FixedLog {
            negative: false,
            integer: integer + carry,
            fraction,
            shift: 0,
        }
    } else {
        // Positive: |ln x| > 2^-14 here.
        let borrow = less(&fraction, &log_mantissa) as u64;
        FixedLog {
            negative: true,
            integer: integer - borrow,
            fraction: sub(&fraction, &log_mantissa),
            shift: 0,
        }
    }
}

/// `T·ln(1 ± t)/(±t)` for `t < 2^-12.8` and a fraction `T`, as integer and fraction; off by less
/// than `1.1 + T` ulps.
///
/// `ln(1 + z)/z = 1 - z·q(z)`, `q(z) = 1/2 - z/3 + z²/4 - … ± z^(5N-2)/5N`. The rest of the series
/// is less than `t^5N/(5N)·1.001 < 2^-64N / 5N`, 0.1 ulps.
fn log1p<const N: usize>(t: &[u64; N], negative: bool, scaled: &[u64; N]) -> (u64, [u64; N]) {
    // Each step is off by less than 1 (reciprocal) + 1 (product) + 2^-12.8 · (the step before):
    // 2.001.
    let mut q = top_limbs(&RECIPROCALS[5 * N]);
    for k in (2..5 * N).rev() {
        let product = mul_high(t, &q);
        let reciprocal = top_limbs(&RECIPROCALS[k]);
        q = if negative {
            add(&reciprocal, &product).1 // q ≤ 1/2 + 2^-13: no carry
        } else {
            // q ≥ 1/2 - 2^-13 at the end, 1/k - 2^-12.8 on the way: no borrow
            sub(&reciprocal, &product)
        };
    }
    // Off by 2.001·2^-12.8 + 1, times T, then + 1 for the product itself.
    let correction = mul_high(scaled, &mul_high(t, &q));
    if negative {
        add(scaled, &correction)
    } else {
        (0, sub(scaled, &correction))
    }
}

impl<const N: usize> FixedLog<N> {
    /// The leading `precision + 1` bits and the exponent of the last of them, if every number in
    /// the enclosure has the same, and none is a multiple of that last place.
    ///
    /// So the true magnitude is `(bits + f)·2^exponent` with `0 < f < 1`, which decides its
    /// rounding to `precision` bits in every direction. `M` limbs hold the bits.
    pub(crate) fn leading_bits<const M: usize>(&self, precision: u32) -> Option<([u64; M], i64)> {
        debug_assert!(precision < 64 * M as u32);
        let limb = |i: usize| match i.checked_sub(N) {
            None => self.fraction[i],
            Some(0) => self.integer,
            Some(_) => 0,
        };
        let top = (0..=N).rev().find(|&i| limb(i) != 0)?;
        let length = 64 * top as u32 + 64 - limb(top).leading_zeros();
        let drop = length.checked_sub(precision + 1)?;
        // The bits below the kept ones, without the ERROR_BITS lowest, are not all zero: more than
        // ERROR above a multiple of 2^drop; not all one: more than ERROR below the next.
        let (mut all_zero, mut all_one) = (true, true);
        for i in 0..=(drop / 64) as usize {
            let mut mask = u64::MAX;
            if i == 0 {
                mask <<= ERROR_BITS;
            }
            if i == (drop / 64) as usize {
                mask &= (1 << (drop % 64)) - 1;
            }
            all_zero &= limb(i) & mask == 0;
            all_one &= limb(i) & mask == mask;
        }
        if all_zero || all_one {
            return None;
        }
        let (skip, by) = ((drop / 64) as usize, drop % 64);
        let bits = core::array::from_fn(|i| {
            let pair = limb(i + skip) as u128 | (limb(i + skip + 1) as u128) << 64;
            (pair >> by) as u64
        });
        Some((bits, drop as i64 - 64 * N as i64 - self.shift as i64))
    }
}

/// `floor(2^256 / k)` for `k ≥ 2`; the first two are not used.
pub(super) static RECIPROCALS: [[u64; MAX_LIMBS]; 5 * MAX_LIMBS + 1] = {
    let mut table = [[0; MAX_LIMBS]; 5 * MAX_LIMBS + 1];
    let mut k = 2;
    while k < table.len() {
        let mut remainder = 1u128;
        let mut i = MAX_LIMBS;
        while i > 0 {
            i -= 1;
            let dividend = remainder << 64;
            table[k][i] = (dividend / k as u128) as u64;
            remainder = dividend % k as u128;
        }
        k += 1;
    }
    table
};

/// `count·ln 2`, low by less than 1.5 ulps.
fn multiple_of_ln_2<const N: usize>(count: u64) -> (u64, [u64; N]) {
    let ln_2 = &LN_2[MAX_LIMBS - N..];
    let mut carry = (ln_2[0] as u128 * count as u128) >> 64;
    let fraction = core::array::from_fn(|i| {
        let sum = ln_2[i + 1] as u128 * count as u128 + carry;
        carry = sum >> 64;
        sum as u64
    });
    (carry as u64, fraction)
}

/// The leading `N` limbs: low by less than one ulp.
fn top_limbs<const N: usize>(limbs: &[u64; MAX_LIMBS]) -> [u64; N] {
    core::array::from_fn(|i| limbs[MAX_LIMBS - N + i])
}

/// `floor(a·b)` in ulps.
fn mul_high<const N: usize>(a: &[u64; N], b: &[u64; N]) -> [u64; N] {
    // After row i, `sum` holds limbs i+1.. of the partial product; the limb below it is final and
    // dropped.
    let mut sum = [0; N];
    for &digit in a {
        let mut carry = 0;
        for j in 0..N {
            let term = digit as u128 * b[j] as u128 + sum[j] as u128 + carry;
            if j > 0 {
                sum[j - 1] = term as u64;
            }
            carry = term >> 64;
        }
        sum[N - 1] = carry as u64;
    }
    sum
}

/// `a·by`, as fraction and carry.
fn mul_small<const N: usize>(a: &[u64; N], by: u64) -> ([u64; N], u64) {
    let mut carry = 0;
    let product = core::array::from_fn(|i| {
        let term = a[i] as u128 * by as u128 + carry;
        carry = term >> 64;
        term as u64
    });
    (product, carry as u64)
}

fn add<const N: usize>(a: &[u64; N], b: &[u64; N]) -> (u64, [u64; N]) {
    let mut carry = 0;
    let sum = core::array::from_fn(|i| {
        let term = a[i] as u128 + b[i] as u128 + carry;
        carry = term >> 64;
        term as u64
    });
    (carry as u64, sum)
}

/// `a - b`, modulo one.
fn sub<const N: usize>(a: &[u64; N], b: &[u64; N]) -> [u64; N] {
    let mut borrow = false;
    core::array::from_fn(|i| {
        let (difference, first) = a[i].overflowing_sub(b[i]);
        let (difference, second) = difference.overflowing_sub(borrow as u64);
        borrow = first | second;
        difference
    })
}

fn less<const N: usize>(a: &[u64; N], b: &[u64; N]) -> bool {
    a.iter().rev().lt(b.iter().rev())
}

/// `1 - a`, for `a > 0`.
pub(super) fn negate<const N: usize>(a: &[u64; N]) -> [u64; N] {
    sub(&[0; N], a)
}

fn leading_zeros<const N: usize>(a: &[u64; N]) -> Option<u32> {
    let top = (0..N).rev().find(|&i| a[i] != 0)?;
    Some(64 * (N - 1 - top) as u32 + a[top].leading_zeros())
}

/// `a·2^by` modulo one, `by < 64N`.
fn shift_left<const N: usize>(a: &[u64; N], by: u32) -> [u64; N] {
    let (skip, by) = ((by / 64) as usize, by % 64);
    core::array::from_fn(|i| {
        let limb = |back: usize| i.checked_sub(skip + back).map_or(0, |i| a[i]);
        let pair = (limb(0) as u128) << 64 | limb(1) as u128;
        ((pair << by) >> 64) as u64
    })
}

/// `(carry + a)·2^-by`, truncated; `0 < by < 64`, `carry < 2^by`.
fn shift_right_carry<const N: usize>(a: &[u64; N], carry: u64, by: u32) -> [u64; N] {
    core::array::from_fn(|i| {
        let above = if i + 1 < N { a[i + 1] } else { carry };
        a[i] >> by | above << (64 - by)
    })
}
