//! The exponential mechanism by a quality of ranks, over the ranks that matter.

use core::ops::Range;

use lastbit_exact::Rational;
use lastbit_noise::entropy::Entropy;

use super::Key;
use super::order_statistics::{MOST_ROWS, middle};
use crate::Error;
use crate::mechanisms::exponential::{Exponential, Run, Window};
use crate::mechanisms::flat_concave::draw_point;
use crate::quality::{Builder, RankQuality, StepFunction};

/// Selection of a place by a quality that falls by 1 with every rank away from the best.
///
/// Far from the best ranks, weights fall so fast that all of them together hardly matter; so only
/// rows near these ranks are sorted, and `Window` sees to it that the law is still that over all
/// places.
pub(super) struct RankWindow {
    mechanism: Exponential,
    quality: RankQuality,
    /// The key of place 0, and how many places there are: at most 2^64.
    first: u64,
    size: u128,
    /// The ranks that are looked at first; nothing if that should be all.
    window: Option<Range<usize>>,
}

/// Fewer rows are sorted as quickly as they are counted.
const FEWEST_ROWS: usize = 1 << 14;

/// The places on either side of the window weigh at most 2^-TAIL_BITS of a best one.
const TAIL_BITS: u32 = 64;

impl RankWindow {
    /// For `count` rows, as public as everything else here.
    pub fn new(
        mechanism: Exponential,
        quality: RankQuality,
        (first, size): (u64, u128),
        count: usize,
    ) -> RankWindow {
        let ranks = quality.ranks_within(margin(mechanism.rate(), size, count));
        let worth_it = (FEWEST_ROWS..=MOST_ROWS).contains(&count) && ranks.len() <= count / 4;
        RankWindow {
            mechanism,
            quality,
            first,
            size,
            window: worth_it.then_some(ranks),
        }
    }

    pub fn mechanism(&self) -> &Exponential {
        &self.mechanism
    }

    /// A place.
    pub fn draw<P: Key>(&self, rows: &[P], entropy: &mut impl Entropy) -> Result<u128, Error> {
        let Some(ranks) = self.window.clone() else {
            return draw_point(&self.whole(rows)?, &self.mechanism, entropy);
        };
        let known = self.known(rows, ranks)?;
        let window = Window::new(&self.mechanism, &known.runs, &known.tails)?;
        window.draw(|| Ok(runs_of(&self.whole(rows)?)), entropy)
    }

    /// The quality of every place.
    fn whole<P: Key>(&self, rows: &[P]) -> Result<StepFunction, Error> {
        let mut sorted: Vec<u64> = rows.iter().map(|row| row.key() - self.first).collect();
        sorted.sort_unstable();
        Ok(self.quality.step_function(&sorted, self.size)?)
    }

    /// The quality of the places from the row of the first rank to that of the last, and bounds for
    /// those on either side.
    ///
    /// With `a` the first rank, counted from 0, a place left of that row has at most `a` rows at or
    /// below it; with `b` the rank after the last, one on the right has at least `b` rows below it.
    /// As the best rank is between, the quality there is at most `quality(a, a)` and
    /// `quality(b, b)`.
    fn known<P: Key>(&self, rows: &[P], ranks: Range<usize>) -> Result<Known, Error> {
        // size ≤ 2^64.
        let bits = u128::BITS - (self.size - 1).leading_zeros();
        let found = middle(rows, self.first, bits, ranks.clone());
        let quality = |below, at_most| self.quality.at(below as i64, at_most as i64);
        let (mut done, mut below) = (u128::from(found.points[0].0), found.below);
        let mut builder = Builder::with_capacity(found.points.len() + 2);
        let mut before = Run {
            length: done,
            score: quality(ranks.start, ranks.start),
        };
        if ranks.start == 0 {
            // No row is lower than the first one.
            builder.push(done, quality(0, 0))?;
            before.length = 0;
        }
        for &(place, equal) in &found.points {
            let place = u128::from(place);
            builder.push(place - done, quality(below, below))?;
            builder.push(1, quality(below, below + equal))?;
            (done, below) = (place + 1, below + equal);
        }
        let mut after = Run {
            length: self.size - done,
            score: quality(ranks.end, ranks.end),
        };
        if ranks.end == rows.len() {
            builder.push(after.length, quality(below, below))?;
            after.length = 0;
        }
        Ok(Known {
            runs: runs_of(&builder.finish()?),
            tails: [before, after],
        })
    }
}

struct Known {
    runs: Vec<Run<i64>>,
    tails: [Run<i64>; 2],
}

fn runs_of(quality: &StepFunction) -> Vec<Run<i64>> {
    let runs = quality.runs();
    runs.map(|run| Run {
        length: run.length,
        score: run.value,
    })
    .collect()
}

/// The loss of quality at which all places together weigh at most 2^-TAIL_BITS:
/// `size·e^(−rate·margin) ≤ 2^-TAIL_BITS`; at most `count`.
fn margin(rate: &Rational, size: u128, count: usize) -> usize {
    // size ≤ 2^bits, and e^(7/10) > 2.
    let bits = u128::BITS - (size - 1).leading_zeros() + TAIL_BITS;
    let margin = &Rational::new(7 * i64::from(bits), 10) / rate;
    usize::try_from(margin.ceil()).unwrap_or(count).min(count)
}

#[cfg(test)]
mod tests;
