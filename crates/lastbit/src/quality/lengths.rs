//! The quality of lengths of intervals that hold many data points. One changed point moves it by at
//! most 1.

use super::{QualityError, StepFunction};

impl StepFunction {
    /// How near a length w is to that of the shortest interval with `count` data points, for
    /// `w = 0, 1, …, size − 1`. With B(w) the largest number of data points in an interval
    /// `[a, a + w]`: `Q(w) = n − min(within + 1, max(0, count − B(w), B(w − 1) + 1 − count))`.
    /// Sensitivity 1, quasi-concave; its largest value is n.
    ///
    /// ```
    /// use lastbit::quality::StepFunction;
    /// // 3 points within 2 of each other, 4 within 10.
    /// let quality = StepFunction::shortest_interval(&[0u64, 10, 11, 12, 40], 100, 3, 9)?;
    /// assert_eq!(
    ///     (quality.value(0), quality.value(1), quality.value(2), quality.value(3)),
    ///     (3, 4, 5, 4)
    /// );
    /// assert_eq!((quality.value(12), quality.value(13)), (4, 3));
    /// # Ok::<(), lastbit::quality::QualityError>(())
    /// ```
    ///
    /// O(n · min(within, n)): as B(w) is the number of m for which m points lie within w, the
    /// quality is that of rank `count` among the shortest lengths for `m = 1, …, n`, and only those
    /// within `within` of `count` matter.
    pub fn shortest_interval<P: Copy + Into<u128>>(
        sorted: &[P],
        size: u128,
        count: u64,
        within: u64,
    ) -> Result<StepFunction, QualityError> {
        let rows = sorted.len();
        if count == 0 || count > rows as u64 {
            return Err(QualityError::NoSuchCount { count, rows });
        }
        let points: Vec<u128> = sorted.iter().map(|&point| point.into()).collect();
        if let Some(index) = points.windows(2).position(|pair| pair[1] < pair[0]) {
            return Err(QualityError::NotSorted { index: index + 1 });
        }
        if points.last().is_some_and(|&last| last >= size) {
            return Err(QualityError::OutsideDomain { size });
        }
        let first = count.saturating_sub(within).max(1);
        let last = count.saturating_add(within).min(rows as u64);
        let shortest = |m: u64| match m {
            m if m < first => 0,
            m if m > last => size - 1,
            m => {
                let lengths = points.windows(m as usize).map(|w| w[w.len() - 1] - w[0]);
                // There are m ≤ n points.
                lengths.min().unwrap_or(0)
            }
        };
        let lengths: Vec<u128> = (1..=rows as u64).map(shortest).collect();
        StepFunction::quantile(&lengths, size, count)
    }
}
