//! The first tier: one draw in f64 with a proved error bound, free of branches.

use core::hint::black_box;

use lastbit_lanes::Kernel;

use super::table::NODES;
use crate::double::to_double;

/// `z` with `Q(z) = p` for `p = k/2^64`, `k < 2^63`, and a bound on how far later bits of `p` can
/// move it.
///
/// Contract, for `k ≥ 2^21`: `|value − z| ≤ 2^-51 + value·2^-51 + later` for every `z` with `Q(z)`
/// in `[k, k+1]·2^-64`. For smaller `k` the second number is not a number, so that no test passes.
///
/// *The series.* Let `z(s)` be the inverse of `s ↦ c − s = Q(z)`. Its derivatives are
/// `q_n(z)/φ(z)^n` with `q_1 = 1` and `q_{n+1} = q_n' + n·z·q_n`, polynomials with
/// coefficients ≥ 0. Each octave of `p` has 16 bins, with a node `z_i = Q⁻¹(c_i)` for the middle
/// `c_i`; with `δ = (c_i − p)/φ(z_i)`, `x = z_i·δ` and `y = δ²`,
///
/// ```text
/// z = z_i + Σ_{n ≤ 9} q_n(z_i) δ^n/n! + R = z_i + δ·Σ_{j + 2m ≤ 8} a_mj y^m x^j + R .
/// ```
///
/// As every derivative is nonnegative and rises with z ≥ 0, `|R| ≤ q_10(z')/φ(z')^10·|s|^10/10!`,
/// `z'` the far edge of the bin.
///
/// *Proof.* Checked bin by bin with exact enclosures (`kernel/tests.rs`):
/// `|z_i − Q⁻¹(c_i)| ≤ z_i·2^-53`; the table's `2^-64/φ(z_i)` is off by at most a factor
/// `1 ± 2^-52`; `|δ| ≤ 2^-5`; `|R| ≤ 2^-54`; `φ(z_i)/φ(z') ≤ 9/8`. `tail` is `k(1 ± 2^-53)` after
/// one rounding (or the cut below 2^63), and as `p/φ ≤ √(π/2)` that moves z by at most 1.26·2^-53.
/// The difference from the middle is exact: both are multiples of the last place of `tail`, less
/// than 2^49 of them apart. `δ` has a relative error of at most 3·2^-53; the sum, which is within
/// 0.1 of 1, one of 5·2^-53 (four roundings near 1, and small ones); their product rounds once
/// more. So it is off by at most 9·2^-53·1.1·2^-5 < 0.31·2^-53. The last sum rounds once,
/// value·2^-53 at most. Together, with z_i ≤ 1.04·value + 0.04,
/// `(1.26 + 0.31 + 0.5 + 0.04)·2^-53 + 2.04·value·2^-53 ≤ 2^-51 + value·2^-51`. Last, `z` moves by
/// at most `2^-64/φ(z')` from `k` to `k + 1`. Near the median, value may be as low as −2^-51.
#[inline(always)]
pub(super) fn upper_quantile(k: u64) -> (f64, f64) {
    let tail = to_double(k);
    // At most 671, as `kept` is below 2^63.
    let bin = (kept(tail).to_bits() >> BIN_SHIFT) - FIRST_BIN;
    let [node, width] = NODES[(bin as usize).min(NODES.len() - 1)];
    (near_node(tail, node, width), later(tail, width))
}

/// The number itself from 2^21 to the largest double below 2^63, which rounding may exceed; what is
/// outside, at the nearest of these.
#[inline(always)]
fn kept(tail: f64) -> f64 {
    let tail = if tail > LEAST { tail } else { LEAST };
    if tail < MOST { tail } else { MOST }
}

/// The series around the node of the tail's bin.
#[inline(always)]
fn near_node(tail: f64, node: f64, width: f64) -> f64 {
    let tail = kept(tail);
    let middle = f64::from_bits((tail.to_bits() >> BIN_SHIFT << BIN_SHIFT) | 1 << (BIN_SHIFT - 1));
    let delta = (middle - tail) * width;
    node + delta * series(node * delta, delta * delta)
}

/// How far later bits can move the quantile; not a number below 2^21.
#[inline(always)]
fn later(tail: f64, width: f64) -> f64 {
    if tail >= LEAST {
        width * 1.125
    } else {
        f64::NAN
    }
}

/// The exponent and 4 bits of the fraction of a double tell its bin.
const BIN_SHIFT: u32 = 48;
const LEAST_EXPONENT: u64 = 21;
const LEAST: f64 = (1u64 << LEAST_EXPONENT) as f64;
const FIRST_BIN: u64 = (1023 + LEAST_EXPONENT) << 4;
/// The largest double below 2^63.
const MOST: f64 = (u64::MAX >> 11 << 10) as f64;

const DEGREE: usize = 9;

/// `Σ a_mj y^m x^j` over `j + 2m < DEGREE`.
#[inline(always)]
fn series(x: f64, y: f64) -> f64 {
    let a = &COEFFICIENTS;
    let x2 = x * x;
    let x4 = x2 * x2;
    let pair = |m: usize, j: usize| a[m][j] + x * a[m][j + 1];
    let row0 =
        (pair(0, 0) + x2 * pair(0, 2)) + x4 * ((pair(0, 4) + x2 * pair(0, 6)) + x4 * a[0][8]);
    let row1 = (pair(1, 0) + x2 * pair(1, 2)) + x4 * (pair(1, 4) + x2 * a[1][6]);
    let row2 = (pair(2, 0) + x2 * pair(2, 2)) + x4 * a[2][4];
    let row3 = pair(3, 0) + x2 * a[3][2];
    let y2 = y * y;
    row0 + (y * row1 + y2 * (row2 + (y * row3 + y2 * a[4][0])))
}

/// `a_mj`: the coefficient of `z^j` in `q_{j+2m+1}`, divided by `(j+2m+1)!`.
const COEFFICIENTS: [[f64; DEGREE]; 5] = coefficients();

const fn coefficients() -> [[f64; DEGREE]; 5] {
    let mut a = [[0.0; DEGREE]; 5];
    // q_n has the degree n − 1; its integers stay below 2^22.
    let mut q = [0u64; DEGREE + 1];
    q[0] = 1;
    let mut n = 1;
    let mut factorial = 1;
    while n <= DEGREE {
        let mut j = (n + 1) % 2;
        while j < n {
            a[(n - 1 - j) / 2][j] = q[j] as f64 / factorial as f64;
            j += 2;
        }
        let mut next = [0; DEGREE + 1];
        j = 0;
        while j < n {
            next[j + 1] += n as u64 * q[j];
            if j > 0 {
                next[j - 1] += j as u64 * q[j];
            }
            j += 1;
        }
        q = next;
        n += 1;
        factorial *= n as u64;
    }
    a
}

/// Adding and subtracting this rounds a number below 2^51 to an integer.
const ROUND: f64 = 1.5 * (1u64 << 52) as f64;

/// Beyond this many steps a draw is left to the second tier.
const MOST_STEPS: f64 = (1u64 << 50) as f64;

const TWO_M49: f64 = 1.0 / (1u64 << 49) as f64;
const TWO_M50: f64 = 1.0 / (1u64 << 50) as f64;
const TWO_M52: f64 = 1.0 / (1u64 << 52) as f64;

/// The cell of `location + ratio·Φ⁻¹(U)`, in steps, and whether it is decided: no `U` that begins
/// with these bits, and no location within `location_error` of the one given, falls in another
/// cell.
///
/// Proof. `n = ratio·value` is off by at most `ratio(2^-51 + value·2^-51 + later)` from `value`,
/// and by `n·2^-52·1.01` for `ratio` and the product, each rounded once; the sum by
/// `(|location| + n)·2^-53`. So the exact sum lies within
/// `location_error + |location|·2^-53 + ratio·(later + 2^-51) + n·2^-50` of `t`. The bound below
/// doubles each constant, which covers the rounding of the bound itself, and adds 2^-50 for that of
/// the last comparison. `t − cell` is exact, as |t| < 2^51 and the difference is at most one half.
/// A NaN fails the comparison.
#[inline(always)]
fn lane(
    word: u64,
    (value, later): (f64, f64),
    location: f64,
    location_error: f64,
    ratio: f64,
) -> (f64, bool) {
    let n = ratio * value;
    // The first bit of U says on which side of the median it lies.
    let t = location + f64::from_bits(n.to_bits() ^ (!word & SIGN_MASK));
    let cell = (t + ROUND) - ROUND;
    let bound = location_error
        + (TWO_M50 + location.abs() * TWO_M52)
        + (ratio * (later + TWO_M50) + n * TWO_M49);
    let decided = ((t - cell).abs() + bound < 0.5) & (t.abs() < MOST_STEPS);
    (cell, decided)
}

const SIGN_MASK: u64 = 1 << 63;

/// All ones if `U ≥ 1/2`, else zero: the bits of `min(U, 1 − U)` are those of `U` xor this.
#[inline(always)]
pub(super) fn complement(word: u64) -> u64 {
    (word as i64 >> 63) as u64
}

/// The first 64 bits of the tail probability `min(U, 1 − U)`, of which the first is zero.
#[inline(always)]
pub(super) fn tail_bits(word: u64) -> u64 {
    word ^ complement(word)
}

/// Reads every line of the table that all but 2^-13 of the draws read one of, so that the time to
/// fetch the nodes of large noise, which few draws need and caches forget, is every draw's.
#[inline(always)]
fn read_likely_nodes() {
    // 16 nodes to the octave, 4 to a line of 64 bytes. Through a pointer that the compiler does
    // not see through, else it would read nothing.
    const LIKELY: usize = 13 * 16;
    let nodes = black_box(&NODES);
    let (octaves, _) = nodes[NODES.len() - LIKELY..].as_chunks::<16>();
    // The last node is in a line of its own if the table begins within one.
    let mut seen = [nodes[NODES.len() - 1][0].to_bits(), 0, 0, 0];
    for octave in octaves {
        for (line, seen) in seen.iter_mut().enumerate() {
            *seen |= octave[4 * line][0].to_bits();
        }
    }
    black_box(seen[0] | seen[1] | seen[2] | seen[3]);
}

/// How many draws [`block`] makes at once.
pub(super) const BLOCK: usize = 64;

/// One draw; `None` when 64 bits and this precision do not decide it.
#[inline]
pub(super) fn single(word: u64, location: f64, location_error: f64, ratio: f64) -> Option<f64> {
    read_likely_nodes();
    let quantile = upper_quantile(tail_bits(word));
    let (cell, decided) = lane(word, quantile, location, location_error, ratio);
    decided.then_some(cell)
}

/// [`single`] for a block; whether every draw is decided.
pub(super) struct Block<'a> {
    pub words: &'a [u64; BLOCK],
    pub locations: &'a [f64; BLOCK],
    pub location_error: f64,
    pub ratio: f64,
    pub cells: &'a mut [f64; BLOCK],
}

impl Kernel for Block<'_> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        read_likely_nodes();
        // In short loops: only the second, which reads the table, is not vectorised.
        let tails = self.words.map(|word| to_double(tail_bits(word)));
        let mut bins = [0; BLOCK];
        for (bin, tail) in bins.iter_mut().zip(&tails) {
            *bin = (kept(*tail).to_bits() >> BIN_SHIFT).wrapping_sub(FIRST_BIN) as u32;
        }
        let (mut nodes, mut widths) = ([0.0; BLOCK], [0.0; BLOCK]);
        for i in 0..BLOCK {
            [nodes[i], widths[i]] = NODES[(bins[i] as usize).min(NODES.len() - 1)];
        }
        let mut values = [0.0; BLOCK];
        for i in 0..BLOCK {
            values[i] = near_node(tails[i], nodes[i], widths[i]);
        }
        let mut all = true;
        for i in 0..BLOCK {
            let quantile = (values[i], later(tails[i], widths[i]));
            let (word, location) = (self.words[i], self.locations[i]);
            let (cell, decided) = lane(word, quantile, location, self.location_error, self.ratio);
            self.cells[i] = cell;
            all &= decided;
        }
        all
    }
}

#[cfg(test)]
mod tests;
