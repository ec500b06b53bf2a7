//! The middle of unsorted data, in a time that does not depend on its values: passes that count
//! digits, as many as the domain asks for.

use core::ops::Range;

use super::Key;

/// Rows with the ranks of a range, and those equal to the first or the last of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Middle {
    /// How many rows are below the first point.
    pub below: usize,
    /// The points, ascending, and how many rows are at each. Never empty.
    pub points: Vec<(u64, usize)>,
}

/// The most rows that are counted.
pub(super) const MOST_ROWS: usize = u32::MAX as usize;

/// The rows of ranks `ranks`, from 0, by their places: `key − first < 2^bits`. The range is not
/// empty and within the rows.
///
/// **Time.** `⌈bits/11⌉ + 1` passes over all rows, without a branch on them; then what it takes to
/// sort the rows between the first and the last of the ranks, which are at most as many as the
/// ranks.
pub(super) fn middle<P: Key>(rows: &[P], first: u64, bits: u32, ranks: Range<usize>) -> Middle {
    let [low, high] = order_statistics(rows, first, bits, [ranks.start, ranks.end - 1]);
    let mut inner = between(rows, first, [low.place, high.place], ranks.len());
    inner.sort_unstable();
    let mut points = Vec::with_capacity(inner.len() + 2);
    points.push((low.place, low.equal));
    for equal in inner.chunk_by(|a, b| a == b) {
        points.push((equal[0], equal.len()));
    }
    if high.place > low.place {
        points.push((high.place, high.equal));
    }
    Middle {
        below: low.below,
        points,
    }
}

/// The place of one rank.
#[derive(Clone, Copy, Debug, Default)]
struct RankPlace {
    place: u64,
    /// How many rows are lower.
    below: usize,
    /// How many rows are there.
    equal: usize,
}

const DIGIT_BITS: u32 = 11;
const DIGITS: usize = 1 << DIGIT_BITS;
/// Neighbouring rows are counted apart, so that equal digits in a row do not wait for each other.
const LANES: usize = 4;

/// Counts of each digit, and in the last slot of the rows that do not count. At most 2^32 − 1 rows
/// are counted.
type Counts = [[u32; DIGITS + 1]; LANES];

/// The places of two ranks, digit by digit from the highest on.
fn order_statistics<P: Key>(
    rows: &[P],
    first: u64,
    bits: u32,
    ranks: [usize; 2],
) -> [RankPlace; 2] {
    let mut found = [RankPlace::default(); 2];
    let mut counts = vec![[[0u32; DIGITS + 1]; LANES]; 2];
    for pass in (0..bits.max(1).div_ceil(DIGIT_BITS)).rev() {
        let shift = pass * DIGIT_BITS;
        let [low, high] = &mut counts[..] else {
            unreachable!("there are two")
        };
        for lane in low.iter_mut().chain(high.iter_mut()) {
            lane.fill(0);
        }
        let prefixes = found.map(|found| found.place);
        // bits ≤ 64, so that shift ≤ 55.
        let mut count = |lane: usize, row: P| {
            let rest = (row.key() - first) >> shift;
            let digit = rest as usize % DIGITS;
            let prefix = rest >> DIGIT_BITS;
            let slot = |wanted: u64| if prefix == wanted { digit } else { DIGITS };
            low[lane][slot(prefixes[0])] += 1;
            high[lane][slot(prefixes[1])] += 1;
        };
        let (chunks, remainder) = rows.as_chunks::<LANES>();
        for chunk in chunks {
            for (lane, &row) in chunk.iter().enumerate() {
                count(lane, row);
            }
        }
        for &row in remainder {
            count(0, row);
        }
        for ((found, &rank), counts) in found.iter_mut().zip(&ranks).zip(&counts) {
            next_digit(found, rank, counts);
        }
    }
    found
}

/// The digit at which the count of rows passes the rank.
fn next_digit(found: &mut RankPlace, rank: usize, counts: &Counts) {
    let (mut digit, mut below) = (0, found.below);
    let at = |slot: usize| counts.iter().map(|lane| lane[slot] as usize).sum::<usize>();
    let mut sum = found.below;
    for slot in 0..DIGITS - 1 {
        sum += at(slot);
        // The sum grows, so what is kept is from the last slot that ends at or below the rank.
        let passed = sum <= rank;
        digit = if passed { slot + 1 } else { digit };
        below = if passed { sum } else { below };
    }
    *found = RankPlace {
        place: (found.place << DIGIT_BITS) | digit as u64,
        below,
        equal: at(digit),
    };
}

/// The rows strictly between two places, of which there are fewer than `most`.
fn between<P: Key>(rows: &[P], first: u64, [low, high]: [u64; 2], most: usize) -> Vec<u64> {
    let mut inner = vec![0; most + 1];
    let mut length = 0;
    for row in rows {
        let place = row.key() - first;
        // Written whether it counts or not; the next one writes over it if it does not.
        inner[length] = place;
        length += usize::from((low < place) & (place < high));
    }
    inner.truncate(length);
    inner
}

#[cfg(test)]
mod tests;
