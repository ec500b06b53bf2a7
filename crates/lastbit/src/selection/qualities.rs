//! Qualities of sorted data. Each has sensitivity 1 when one data point changes.

use super::step_function::Builder;
use super::{LARGEST_SIZE, QualityError, StepFunction};

impl StepFunction {
    /// How deep in the data a point lies: `Q(x) = min(#{x_i ≤ x}, #{x_i ≥ x})`. Quasi-concave; its largest value is at least n/2.
    ///
    /// A point of positive quality is an interior point: between the least and the largest of the data.
    pub fn interior_point<P: Copy + Into<u128>>(
        sorted: &[P],
        size: u128,
    ) -> Result<StepFunction, QualityError> {
        let count = sorted.len() as i64;
        from_ranks(sorted, size, |below, at_most| at_most.min(count - below))
    }

    /// How near a point is to the data point of this rank, 1 for the least: n less the number of data points between the two ranks.
    /// `Q(x) = n − max(0, rank − #{x_i ≤ x}, #{x_i < x} + 1 − rank)`. Quasi-concave; its largest value is n.
    ///
    /// ```
    /// use lastbit::selection::StepFunction;
    /// let median = StepFunction::quantile(&[10u64, 20, 30], 100, 2)?;
    /// assert_eq!((median.value(5), median.value(15), median.value(20), median.value(25)), (1, 2, 3, 2));
    /// # Ok::<(), lastbit::selection::QualityError>(())
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
        let (count, rank) = (count as i64, rank as i64);
        from_ranks(sorted, size, |below, at_most| {
            count - (rank - at_most).max(below + 1 - rank).max(0)
        })
    }

    /// How well the rule "yes below x" fits labelled data: n less the larger of the two numbers of errors, yes at or above x and no
    /// below it. `Q(x) = n − max(#{yes, x_i ≥ x}, #{no, x_i < x})`. Quasi-concave; its largest value is n if some rule fits all.
    ///
    /// The rule of a point of quality `n − e` errs on at most `2e` data points.
    pub fn threshold<P: Copy + Into<u128>>(
        sorted: &[(P, bool)],
        size: u128,
    ) -> Result<StepFunction, QualityError> {
        check_size(size)?;
        let count = sorted.len() as i64;
        let mut builder = Builder::default();
        let mut yes = sorted.iter().filter(|item| item.1).count() as i64;
        let mut no = 0;
        let mut done = 0;
        let mut earlier = None;
        for (index, &(point, label)) in sorted.iter().enumerate() {
            let point = next_point(point, &mut earlier, index, size)?;
            // The rule of x sees a data point as below it from the next x on.
            builder.push(point + 1 - done, count - yes.max(no))?;
            done = point + 1;
            if label {
                yes -= 1;
            } else {
                no += 1;
            }
        }
        builder.push(size - done, count - yes.max(no))?;
        builder.finish()
    }

    /// How many data points are there: `Q(x) = #{x_i = x}`. Not quasi-concave; for the most frequent value.
    pub fn counting<P: Copy + Into<u128>>(
        sorted: &[P],
        size: u128,
    ) -> Result<StepFunction, QualityError> {
        from_ranks(sorted, size, |below, at_most| at_most - below)
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

fn check_size(size: u128) -> Result<(), QualityError> {
    match size {
        0 => Err(QualityError::EmptyDomain),
        1..=LARGEST_SIZE => Ok(()),
        _ => Err(QualityError::DomainTooLarge),
    }
}

/// The point as a number, if it is not below the one before and within the domain.
fn next_point<P: Into<u128>>(
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
