//! The first tier: weights, prefix sums and the choice in f64, with a counted error.
//!
//! Candidates are taken in blocks. One pass finds the sum of every block; the choice then counts
//! the blocks that end at or below the threshold, all of them, and the candidates of one block, all
//! of them. No branch depends on a score.

use super::score::{Item, ScoreNumber};

/// Candidates in a block.
pub(super) const BLOCK: usize = 256;

/// Exponents beyond this are cut: `e^-160 < 2^-230`, so that even a run of 2^128 weighs less than
/// 2^-102 of the heaviest candidate.
const CUTOFF: f64 = 160.0;

const TWO_M53: f64 = 1.0 / (1u64 << 53) as f64;

/// Sums of weights `length·e^(−rate·(largest − score))`, for all blocks of some candidates.
#[derive(Clone, Debug)]
pub(super) struct Sums {
    /// `starts[b]` is the sum of the blocks before the b-th; the last is the sum of all.
    starts: Vec<f64>,
    /// `rate`, rounded to nearest; NaN if it has no relative bound.
    rate: f64,
    /// No prefix sum, and no point of a draw, is off by more.
    error: f64,
    /// Whether other candidates are before the first and after the last.
    tails: [bool; 2],
}

impl Sums {
    /// `rate` is within a factor 1 ± 2^-53 of the true one, and between 2^-1000 and 2^1000, or else
    /// NaN.
    ///
    /// Proof of the bound. With η = 2^-53: `ŷ = rate·(largest − score)` carries three relative
    /// errors η, and 2^-1074 from the difference moves it by less than 2^-73. If it is below the
    /// cutoff, it is off by at most 3.01·160η + 2^-73 < 0.471·2^-43, and so, relatively, is `e^-ŷ`,
    /// up to a factor 1.001. [`exp_negative`] adds 2^-46, length and product 3.1η: a weight is off
    /// by less than the factor 1 ± 0.6·2^-43. Above the cutoff (an overflow of the difference is:
    /// 2^1024·2^-1000 > 160) weight and approximation are both below 2^-101, and all of these
    /// together below 2^-60, as memory holds less than 2^41 candidates. A sum of one block adds at
    /// most 256 roundings, a start at most one for each block before it, all terms being positive.
    /// So every prefix sum is off by at most
    /// `(0.61·2^-43 + (blocks + 257)·η)·1.001·total + 2^-60 ≤ ρ·total`,
    /// `ρ = 2^-43 + (blocks + 257)·2η`, as the total is at least 1 (1 − 2^-42): the heaviest
    /// candidate weighs 1. The threshold `U·total` is off by that, by η·total as 53 bits of U are
    /// used, and by one rounding: at most (ρ + 2.1η)·total. Prefix and threshold together: 2ρ +
    /// 2.1η < 3ρ.
    pub(super) fn new<I: Item>(items: &[I], largest: &I::Score, rate: f64) -> Sums {
        let blocks = items.len().div_ceil(BLOCK);
        let mut starts = Vec::with_capacity(blocks + 1);
        let mut start = 0.0;
        let mut weights = [0.0; BLOCK];
        starts.push(start);
        for block in items.chunks(BLOCK) {
            block_weights(block, largest, rate, &mut weights);
            let mut lanes = [0.0; 8];
            for eight in weights.chunks_exact(8) {
                for i in 0..8 {
                    lanes[i] += eight[i];
                }
            }
            start += lanes.iter().sum::<f64>();
            starts.push(start);
        }
        let rho = 1.0 / (1u64 << 43) as f64 + (blocks + 257) as f64 * (2.0 * TWO_M53);
        Sums {
            starts,
            rate,
            error: if rate.is_nan() {
                f64::NAN
            } else {
                3.0 * rho * start
            },
            tails: [false; 2],
        }
    }

    /// The same with other candidates before and after, which have the scores given or lower ones.
    ///
    /// They weigh something from 0 to t₀ and to t₁. That moves every prefix sum by at most t₀ and
    /// the threshold by at most t₀ + t₁: 2(t₀ + t₁) together. A weight is computed no lower than by
    /// the factor 1 − 2^-43, also where the exponent is cut. So four times what is computed is
    /// enough, roundings included.
    pub(super) fn between<I: Item>(self, tails: [Option<&I>; 2], largest: &I::Score) -> Sums {
        let mut weights = [0.0; BLOCK];
        let mut error = self.error;
        for tail in tails.into_iter().flatten() {
            block_weights(
                core::slice::from_ref(tail),
                largest,
                self.rate,
                &mut weights,
            );
            error += 4.0 * weights[0];
        }
        Sums {
            error,
            tails: tails.map(|tail| tail.is_some()),
            ..self
        }
    }

    /// The candidate that contains `U·total`, if it is the same for every `U` that begins with this
    /// word.
    pub(super) fn choose<I: Item>(
        &self,
        items: &[I],
        largest: &I::Score,
        word: u64,
    ) -> Option<usize> {
        let blocks = self.starts.len() - 1;
        let threshold = (word >> 11) as f64 * TWO_M53 * self.starts[blocks];
        let ended = &self.starts[1..blocks];
        let block = ended
            .iter()
            .map(|&end| usize::from(end <= threshold))
            .sum::<usize>();
        let first = block * BLOCK;
        let candidates = &items[first..items.len().min(first + BLOCK)];

        let mut weights = [0.0; BLOCK];
        block_weights(candidates, largest, self.rate, &mut weights);
        let mut prefix = [self.starts[block]; BLOCK + 1];
        for i in 0..BLOCK {
            prefix[i + 1] = prefix[i] + weights[i];
        }
        let ends = &prefix[1..candidates.len()];
        let place = ends
            .iter()
            .map(|&end| usize::from(end <= threshold))
            .sum::<usize>();

        let index = first + place;
        // Nothing is before the first candidate and nothing after the last, unless there is a tail.
        // A NaN fails every comparison.
        let [before, after] = self.tails;
        let from = ((index == 0) & !before) | (prefix[place] + self.error <= threshold);
        let to =
            ((index + 1 == items.len()) & !after) | (threshold + self.error < prefix[place + 1]);
        // One candidate is chosen whatever its weight, so a rate that is not a number does not
        // matter then.
        (from & to).then_some(index)
    }
}

/// The weights of a block, and zeros where there is no candidate.
#[inline]
pub(super) fn block_weights<I: Item>(
    items: &[I],
    largest: &I::Score,
    rate: f64,
    weights: &mut [f64; BLOCK],
) {
    let mut below = [0.0; BLOCK];
    let mut length = [0.0; BLOCK];
    for (i, item) in items.iter().enumerate().take(BLOCK) {
        below[i] = item.score().below(largest);
        length[i] = item.length();
    }
    for i in 0..BLOCK {
        let y = rate * below[i];
        // An empty run may have a score above the largest.
        let y = if y > 0.0 { y } else { 0.0 };
        let y = if y < CUTOFF { y } else { CUTOFF };
        weights[i] = length[i] * exp_negative(y);
    }
}

/// `e^-y·(1 + δ)`, |δ| ≤ 2^-46, for `0 ≤ y ≤ 160`.
///
/// Proof. `n` is an integer within 0.5 + 2^-44 of −y/ln 2, |n| ≤ 231, so that `n·HIGH` is exact
/// (HIGH has 42 bits). If n ≠ 0, then y > 1/4, and `−y − n·HIGH` is exact as a multiple of 2^-54
/// below 1/2. `n·LOW` and the difference round by less than 2^-54.9 together with the error of LOW,
/// 231·2^-96. So `r`, |r| ≤ 0.3467, is off by less than 2^-54.8, and so, relatively, is e^r. The
/// series stops after r^11/11!: what is left is at most r^12/12!·1.03 < 6.5e-15 < 0.46·2^-46
/// against e^r ≥ 0.707: 0.65·2^-46. Rounding in the series: the sum is 1 + r + …, where each later
/// term is at most 0.061 and carries at most 10 roundings: below 4·2^-53 against 0.707: 0.05·2^-46.
/// Multiplying by 2^n by means of the exponent bits is exact, as e^r·2^n is normal.
#[inline(always)]
fn exp_negative(y: f64) -> f64 {
    const SHIFTER: f64 = 6_755_399_441_055_744.0; // 1.5·2^52
    const HIGH: f64 = f64::from_bits(0x3FE6_2E42_FEFA_3800); // ln 2 cut to 42 bits
    const LOW: f64 = f64::from_bits(0x3D2E_F357_93C7_6730); // the rest, rounded
    let shifted = SHIFTER - y * core::f64::consts::LOG2_E;
    let n = shifted - SHIFTER;
    let r = (-y - n * HIGH) - n * LOW;
    let r2 = r * r;
    let r4 = r2 * r2;
    let r8 = r4 * r4;
    let p = ((1.0 / 2.0 + r * (1.0 / 6.0)) + r2 * (1.0 / 24.0 + r * (1.0 / 120.0)))
        + r4 * ((1.0 / 720.0 + r * (1.0 / 5040.0)) + r2 * (1.0 / 40_320.0 + r * (1.0 / 362_880.0)))
        + r8 * (1.0 / 3_628_800.0 + r * (1.0 / 39_916_800.0));
    let e = 1.0 + (r + r2 * p);
    // The low bits of `shifted` hold n in two's complement.
    f64::from_bits(e.to_bits().wrapping_add(shifted.to_bits() << 52))
}

#[cfg(test)]
mod tests;
