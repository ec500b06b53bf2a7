//! Qualities of sorted data that depend on ranks alone. One changed data point moves each by at
//! most 1.

use core::ops::Range;

use super::step_function::Builder;
use super::{LARGEST_SIZE, QualityError, StepFunction};

impl StepFunction {
    /// How deep in the data a point lies: `Q(x) = min(#{x_i ≤ x}, #{x_i ≥ x})`. Quasi-concave; its
    /// largest value is at least n/2.
    ///
    /// A point of positive quality is an interior point: between the least and the largest of the
    /// data.
    pub fn interior_point<P: Copy + Into<u128>>(
        sorted: &[P],
        size: u128,
    ) -> Result<StepFunction, QualityError> {
        RankQuality::InteriorPoint {
            count: sorted.len(),
        }
        .step_function(sorted, size)
    }

    /// How near a point is to the data point of this rank, 1 for the least: n less the number of
    /// data points between the two ranks.
    /// `Q(x) = n − max(0, rank − #{x_i ≤ x}, #{x_i < x} + 1 − rank)`. Quasi-concave; its largest
    /// value is n.
    ///
    /// ```
    /// use lastbit::quality::StepFunction;
    /// let median = StepFunction::quantile(&[10u64, 20, 30], 100, 2)?;
    /// assert_eq!(
    ///     (median.value(5), median.value(15), median.value(20), median.value(25)),
    ///     (1, 2, 3, 2)
    /// );
    /// # Ok::<(), lastbit::quality::QualityError>(())
    /// ```
    pub fn quantile<P: Copy + Into<u128>>(
        sorted: &[P],
        size: u128,
        rank: u64,
    ) -> Result<StepFunction, QualityError> {
        let count = sorted.len();
        if rank == 0 || rank > count as u64 {
            return Err(QualityError::NoSuchRank { rank, count });
        }
        RankQuality::Quantile { count, rank }.step_function(sorted, size)
    }

    /// How many data points are there: `Q(x) = #{x_i = x}`. Not quasi-concave; for the most
    /// frequent value.
    pub fn counting<P: Copy + Into<u128>>(
        sorted: &[P],
        size: u128,
    ) -> Result<StepFunction, QualityError> {
        from_ranks(sorted, size, |below, at_most| at_most - below)
    }
}

/// A quality that depends on how many of `count` rows are below a point and at or below it. It
/// falls by 1 with every rank away from the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RankQuality {
    /// [`StepFunction::interior_point`]. At least one row.
    InteriorPoint { count: usize },
    /// [`StepFunction::quantile`], `1 ≤ rank ≤ count`.
    Quantile { count: usize, rank: u64 },
}

impl RankQuality {
    /// The quality of a point with `below` rows below it and `at_most` at or below it.
    pub(crate) fn at(&self, below: i64, at_most: i64) -> i64 {
        match *self {
            RankQuality::InteriorPoint { count } => at_most.min(count as i64 - below),
            RankQuality::Quantile { count, rank } => {
                let rank = rank as i64;
                count as i64 - (rank - at_most).max(below + 1 - rank).max(0)
            }
        }
    }

    /// The ranks, from 0, around which points can be less than `margin` below the best; for
    /// `margin` ≥ 1, at least one that is best.
    ///
    /// With a the first rank and b the one after the last, `quality(a, a)` is at most the best less
    /// the margin or a is 0, and `quality(b, b)` is or b is the number of rows.
    pub(crate) fn ranks_within(&self, margin: usize) -> Range<usize> {
        let (count, first, last) = match *self {
            // The best of the two or one in the middle have half of the rows, rounded up, on either
            // side.
            RankQuality::InteriorPoint { count } => (count, count.div_ceil(2), count / 2 + 1),
            RankQuality::Quantile { count, rank } => (count, rank as usize, rank as usize),
        };
        let end = (last - 1).saturating_add(margin).min(count);
        first.saturating_sub(margin)..end
    }

    pub(crate) fn step_function<P: Copy + Into<u128>>(
        &self,
        sorted: &[P],
        size: u128,
    ) -> Result<StepFunction, QualityError> {
        from_ranks(sorted, size, |below, at_most| self.at(below, at_most))
    }
}

/// The function with value `quality(#{x_i < x}, #{x_i ≤ x})` at x. O(n).
fn from_ranks<P: Copy + Into<u128>>(
    sorted: &[P],
    size: u128,
    quality: impl Fn(i64, i64) -> i64,
) -> Result<StepFunction, QualityError> {
    check_size(size)?;
    // A quality that is monotone on either side has about one run for each data point.
    let mut builder = Builder::with_capacity(sorted.len() + 2);
    let mut earlier = None;
    // The points before `done` have their values; `below` data points are among them.
    let (mut done, mut below) = (0, 0);
    let mut index = 0;
    while index < sorted.len() {
        let point = next_point(sorted[index], &mut earlier, index, size)?;
        let mut at_most = below + 1;
        index += 1;
        while index < sorted.len() && sorted[index].into() == point {
            at_most += 1;
            index += 1;
        }
        builder.push(point - done, quality(below, below))?;
        builder.push(1, quality(below, at_most))?;
        (done, below) = (point + 1, at_most);
    }
    builder.push(size - done, quality(below, below))?;
    builder.finish()
}

pub(super) fn check_size(size: u128) -> Result<(), QualityError> {
    match size {
        0 => Err(QualityError::EmptyDomain),
        1..=LARGEST_SIZE => Ok(()),
        _ => Err(QualityError::DomainTooLarge),
    }
}

/// The point as a number, if it is not below the one before and within the domain.
pub(super) fn next_point<P: Into<u128>>(
    point: P,
    earlier: &mut Option<u128>,
    index: usize,
    size: u128,
) -> Result<u128, QualityError> {
    let point = point.into();
    if earlier.is_some_and(|earlier| point < earlier) {
        return Err(QualityError::NotSorted { index });
    }
    if point >= size {
        return Err(QualityError::OutsideDomain { size });
    }
    *earlier = Some(point);
    Ok(point)
}
