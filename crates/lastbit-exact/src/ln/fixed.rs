//! Second tier: ln in fixed point on 64-bit limbs, with a proved error bound.
//!
//! A *fraction* is `[u64; N]`, little-endian, standing for a number in [0, 1) in units of `2^-64N`,
//! called ulps below. `N` is at most [`MAX_LIMBS`].

use core::hint::select_unpredictable;

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
///
/// The same instructions run for every argument: near one and away from it differ only in what is
/// selected.
#[inline]
pub(crate) fn ln<const N: usize>(mantissa: &[u64; N], exponent: i64) -> FixedLog<N> {
    debug_assert!(mantissa[N - 1] >> 63 == 1);
    let below = exponent < 0;
    // The exact distance from one, wherever it is below one half: 1 - m/2, or m - 1.
    let distance = select(below, &negate(mantissa), &shift_left_by_one(mantissa));
    let near = ((exponent == 0) | (exponent == -1)) & (distance[N - 1] >> 51 == 0);
    let reduced = reduce(mantissa);

    // Near one: ln(1 ± t) = ±2^-shift · T · ln(1 ± t)/(±t) with T = t·2^shift, off by less than 2.2
    // ulps of 2^-shift. Away from it: ln(1 + z), off by 1 (z) + 1.1 (`log1p`, in which T = z is
    // small); each table entry is low by less than 1.
    let negative = near & below;
    // None at one, where the distance is zero.
    let zeros = leading_zeros(&distance) % (64 * N as u32);
    let shift = select_unpredictable(near, zeros, 0);
    let t = select(near, &distance, &reduced.z);
    let (carry, series) = log1p(&t, negative, &shift_left(&t, shift));
    let log_mantissa = add(&add(&series, &reduced.coarse).1, &reduced.fine).1; // ln m < 1: no carry

    // |exponent|·ln 2 with one limb more: low by less than 2^63·2^-64 + 1 ulps. With the above
    // less than 1 + 1.1 + 2 + 1.5 < 8.
    let (integer, fraction) = multiple_of_ln_2::<N>(exponent.unsigned_abs());
    // A negative exponent leaves |exponent|·ln 2 - ln m, which is positive: |ln x| > 2^-14 here.
    let flip = u64::from(below).wrapping_neg();
    let (carry_away, away) = add_with_carry(&fraction, &flipped(&log_mantissa, flip), flip & 1);
    // A difference has no borrow if there is a carry.
    let integer = integer.wrapping_add(carry_away).wrapping_sub(flip & 1);

    FixedLog {
        negative: below,
        integer: select_unpredictable(near, carry, integer),
        fraction: select(near, &series, &away),
        shift,
    }
}

/// `ln m = ln(1 + z) + coarse + fine`.
struct Reduced<const N: usize> {
    z: [u64; N],
    coarse: [u64; N],
    fine: [u64; N],
}

/// `m·r = 1 + y` with `r` from COARSE, `(1 + y)(1 - d) = 1 + z` with `d` from FINE;
/// `0 ≤ z < 2^-12.8`, off by less than one ulp on either side.
#[inline(always)]
fn reduce<const N: usize>(mantissa: &[u64; N]) -> Reduced<N> {
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
    Reduced {
        z: sub(&z, &shift_right_carry(&product, carry, 16)),
        coarse: top_limbs(&coarse.log),
        fine: top_limbs(&fine.log),
    }
}

/// `T·ln(1 ± t)/(±t)` for `t < 2^-12.8` and a fraction `T`, as integer and fraction; off by less
/// than `1.1 + T` ulps.
///
/// `ln(1 + z)/z = 1 - z·q(z)`, `q(z) = 1/2 - z/3 + z²/4 - … ± z^(5N-2)/5N`. The rest of the series
/// is less than `t^5N/(5N)·1.001 < 2^-64N / 5N`, 0.1 ulps.
#[inline(always)]
fn log1p<const N: usize>(t: &[u64; N], negative: bool, scaled: &[u64; N]) -> (u64, [u64; N]) {
    let flip = u64::from(!negative).wrapping_neg();
    // What is done with `L` limbs in step k is off by less than 1 (reciprocal) + 1 (product) + 0.5
    // (t cut to L limbs) + 2^-12.8 · (the step before), so by 2.6·2^-64L, and by the time of step 2
    // by 2^(-12.8(k - 2)) of that. Five steps are 64 bits: at k ≥ 5(N - L) + 3 this is at most
    // 2^-12.8 of 2.6 ulps. The steps of all `L` together leave q off by less than 2.01.
    let mut q = top_limbs(&RECIPROCALS[5 * N]);
    q = horner::<1, N>(t, q, flip);
    if N >= 2 {
        q = horner::<2, N>(t, q, flip);
    }
    if N >= 3 {
        q = horner::<3, N>(t, q, flip);
    }
    if N >= 4 {
        q = horner::<4, N>(t, q, flip);
    }
    // Off by 2.01·2^-12.8 + 1, times T, then + 1 for the product itself.
    let correction = mul_high::<N, N>(scaled, &mul_high::<N, N>(t, &q));
    let (carry, sum) = add_with_carry(scaled, &flipped(&correction, flip), flip & 1);
    // T - correction ≥ 0 carries out of the complement.
    (carry.wrapping_sub(flip & 1), sum)
}

/// The steps `q = 1/k ∓ t·q` that `L` limbs are enough for, down to k = 5(N - L) + 3, or 2 if `L`
/// is `N`; `flip` is all ones for minus, else zero.
#[inline(always)]
fn horner<const L: usize, const N: usize>(t: &[u64; N], mut q: [u64; N], flip: u64) -> [u64; N] {
    let first = if L == 1 { 5 * N } else { 5 * (N - L) + 8 };
    let last = if L == N { 2 } else { 5 * (N - L) + 3 };
    for k in (last..first).rev() {
        let product = mul_high::<L, N>(t, &q);
        // No carry, no borrow: 1/k - 2^-12.8 < q < 1/k + 2^-13.
        q = add_with_carry(
            &top_limbs(&RECIPROCALS[k]),
            &flipped(&product, flip),
            flip & 1,
        )
        .1;
    }
    q
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
#[inline(always)]
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
#[inline(always)]
fn top_limbs<const N: usize>(limbs: &[u64; MAX_LIMBS]) -> [u64; N] {
    core::array::from_fn(|i| limbs[MAX_LIMBS - N + i])
}

/// `floor(a·b)` in units of `2^-64L`, of the leading `L` limbs of `a` and `b`.
#[inline(always)]
fn mul_high<const L: usize, const N: usize>(a: &[u64; N], b: &[u64; N]) -> [u64; N] {
    // After row i, `sum` holds limbs i+1.. of the partial product; the limb below it is final and
    // dropped.
    let mut sum = [0; N];
    for &digit in &a[N - L..] {
        let mut carry = 0;
        for j in N - L..N {
            let term = digit as u128 * b[j] as u128 + sum[j] as u128 + carry;
            if j > N - L {
                sum[j - 1] = term as u64;
            }
            carry = term >> 64;
        }
        sum[N - 1] = carry as u64;
    }
    sum
}

/// `a·by`, as fraction and carry.
#[inline(always)]
fn mul_small<const N: usize>(a: &[u64; N], by: u64) -> ([u64; N], u64) {
    let mut carry = 0;
    let product = core::array::from_fn(|i| {
        let term = a[i] as u128 * by as u128 + carry;
        carry = term >> 64;
        term as u64
    });
    (product, carry as u64)
}

#[inline(always)]
fn add<const N: usize>(a: &[u64; N], b: &[u64; N]) -> (u64, [u64; N]) {
    add_with_carry(a, b, 0)
}

/// `a + b + carry·ulp`, `carry ≤ 1`.
#[inline(always)]
fn add_with_carry<const N: usize>(a: &[u64; N], b: &[u64; N], carry: u64) -> (u64, [u64; N]) {
    let mut carry = carry != 0;
    let sum = core::array::from_fn(|i| {
        let (sum, first) = a[i].overflowing_add(b[i]);
        let (sum, second) = sum.overflowing_add(carry as u64);
        carry = first | second;
        sum
    });
    (carry as u64, sum)
}

/// Every bit of `a` if `flip` is zero, its opposite if that is all ones.
#[inline(always)]
fn flipped<const N: usize>(a: &[u64; N], flip: u64) -> [u64; N] {
    a.map(|limb| limb ^ flip)
}

#[inline(always)]
fn select<const N: usize>(first: bool, a: &[u64; N], b: &[u64; N]) -> [u64; N] {
    core::array::from_fn(|i| select_unpredictable(first, a[i], b[i]))
}

/// `a - b`, modulo one.
#[inline(always)]
fn sub<const N: usize>(a: &[u64; N], b: &[u64; N]) -> [u64; N] {
    let mut borrow = false;
    core::array::from_fn(|i| {
        let (difference, first) = a[i].overflowing_sub(b[i]);
        let (difference, second) = difference.overflowing_sub(borrow as u64);
        borrow = first | second;
        difference
    })
}

/// `1 - a`, for `a > 0`.
#[inline(always)]
pub(super) fn negate<const N: usize>(a: &[u64; N]) -> [u64; N] {
    sub(&[0; N], a)
}

/// `64N` for zero.
#[inline(always)]
fn leading_zeros<const N: usize>(a: &[u64; N]) -> u32 {
    // From the lowest limb up: a limb that is not zero forgets what is below it.
    let mut zeros = 0;
    for limb in a {
        zeros = select_unpredictable(*limb == 0, zeros + 64, limb.leading_zeros());
    }
    zeros
}

/// `2a` modulo one.
#[inline(always)]
fn shift_left_by_one<const N: usize>(a: &[u64; N]) -> [u64; N] {
    core::array::from_fn(|i| a[i] << 1 | i.checked_sub(1).map_or(0, |i| a[i] >> 63))
}

/// `a·2^by` modulo one, `by < 64N`.
#[inline(always)]
fn shift_left<const N: usize>(a: &[u64; N], by: u32) -> [u64; N] {
    // Limbs by powers of two, as far as N needs, then bits: no branch on `by`.
    let mut shifted = *a;
    for power in [1, 2, 4] {
        let moved = core::array::from_fn(|i| i.checked_sub(power).map_or(0, |i| shifted[i]));
        shifted = select((by / 64) & power as u32 != 0, &moved, &shifted);
    }
    core::array::from_fn(|i| {
        let below = i.checked_sub(1).map_or(0, |i| shifted[i]);
        let pair = (shifted[i] as u128) << 64 | below as u128;
        ((pair << (by % 64)) >> 64) as u64
    })
}

/// `(carry + a)·2^-by`, truncated; `0 < by < 64`, `carry < 2^by`.
#[inline(always)]
fn shift_right_carry<const N: usize>(a: &[u64; N], carry: u64, by: u32) -> [u64; N] {
    core::array::from_fn(|i| {
        let above = if i + 1 < N { a[i + 1] } else { carry };
        a[i] >> by | above << (64 - by)
    })
}
