use core::iter;

use super::QualityError;

/// The most points that a domain can have: 2^127, so that the next power of two can be counted.
pub const LARGEST_SIZE: u128 = 1 << 127;

/// Consecutive points of equal value: `start, …, start + length − 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plateau {
    /// The first point.
    pub start: u128,
    /// How many points.
    pub length: u128,
    /// The value of each.
    pub value: i64,
}

/// An integer function on `0, 1, …, size − 1`, kept as runs of equal value.
///
/// ```
/// use lastbit::quality::StepFunction;
/// // How many of 2, 2, 7 are at or below x, and at or above it, whichever is less.
/// let depth = StepFunction::interior_point(&[2u64, 2, 7], 1 << 64)?;
/// assert_eq!(depth.run_count(), 4);
/// assert_eq!((depth.value(2), depth.value(3), depth.value(7)), (2, 1, 1));
/// // best worst value of an interval of 1, 2, 4, 8 points
/// assert_eq!(depth.levels()[..4], [2, 1, 1, 0]);
/// # Ok::<(), lastbit::quality::QualityError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepFunction {
    /// Where runs begin: ascending, the first is 0, all below `size`.
    starts: Vec<u128>,
    /// The value of each run, different from that of its neighbours.
    values: Vec<i64>,
    /// From 1 to [`LARGEST_SIZE`].
    size: u128,
}

impl StepFunction {
    /// From runs given by length and value; neighbours of equal value are joined.
    pub fn from_runs(
        runs: impl IntoIterator<Item = (u128, i64)>,
    ) -> Result<StepFunction, QualityError> {
        let mut builder = Builder::default();
        for (index, (length, value)) in runs.into_iter().enumerate() {
            if length == 0 {
                return Err(QualityError::EmptyRun { index });
            }
            builder.push(length, value)?;
        }
        builder.finish()
    }

    /// From one value per point.
    pub fn from_values(
        values: impl IntoIterator<Item = i64>,
    ) -> Result<StepFunction, QualityError> {
        StepFunction::from_runs(values.into_iter().map(|value| (1, value)))
    }

    /// How many points the domain has: 1 to 2^127.
    pub fn size(&self) -> u128 {
        self.size
    }

    /// How many runs there are.
    pub fn run_count(&self) -> usize {
        self.starts.len()
    }

    /// The runs, in order.
    pub fn runs(&self) -> impl DoubleEndedIterator<Item = Plateau> + ExactSizeIterator + '_ {
        (0..self.starts.len()).map(|i| self.run(i))
    }

    /// The value at a point; points beyond the last have its value.
    pub fn value(&self, point: u128) -> i64 {
        self.values[self.index(point)]
    }

    /// The largest value.
    pub fn maximum(&self) -> i64 {
        let (first, rest) = (self.values[0], &self.values[1..]);
        rest.iter().fold(first, |most, &value| most.max(value))
    }

    /// The largest value on `length` points from `start` on: `u(I)`.
    pub fn maximum_on(&self, start: u128, length: u128) -> Result<i64, QualityError> {
        let (first, last) = self.index_range(start, length)?;
        let (first, rest) = (self.values[first], &self.values[first + 1..=last]);
        Ok(rest.iter().fold(first, |most, &value| most.max(value)))
    }

    /// The function on `length` points from `start` on, the first of them as point 0.
    pub fn restrict(&self, start: u128, length: u128) -> Result<StepFunction, QualityError> {
        self.restrict_to(iter::once((start, length)))
    }

    /// The function on several intervals `(start, length)`, put one after the other.
    pub fn restrict_to(
        &self,
        intervals: impl IntoIterator<Item = (u128, u128)>,
    ) -> Result<StepFunction, QualityError> {
        let mut builder = Builder::default();
        for (start, length) in intervals {
            let (first, last) = self.index_range(start, length)?;
            for run in (first..=last).map(|i| self.run(i)) {
                let begin = run.start.max(start);
                let end = (run.start + run.length).min(start + length);
                builder.push(end - begin, run.value)?;
            }
        }
        builder.finish()
    }

    /// The function on a power of two of points, at `min(0, last value)` on the new ones.
    pub fn extend_to_power_of_two(&self) -> StepFunction {
        let mut extended = self.clone();
        // size ≤ 2^127, which is a power of two that u128 holds.
        extended.size = self.size.next_power_of_two();
        let last = self.values[self.values.len() - 1];
        if extended.size > self.size && last > 0 {
            extended.starts.push(self.size);
            extended.values.push(0);
        }
        extended
    }

    /// `L(j)`, `j = 0..=floor(log2 size)`: the largest v such that `2^j` consecutive points have
    /// values of v or more.
    ///
    /// O(runs + log size), quasi-concave or not.
    pub fn levels(&self) -> Vec<i64> {
        let mut levels: Vec<Option<i64>> = vec![None; self.size.ilog2() as usize + 1];
        // For each value, the widest interval around its run where no value is below: the open ones
        // are on the stack, with ascending values, and end where a lower value begins.
        let mut open: Vec<(u128, i64)> = Vec::new();
        let mut close = |start: u128, value: i64, end: u128| {
            let level = &mut levels[(end - start).ilog2() as usize];
            *level = (*level).max(Some(value));
        };
        for run in self.runs() {
            let mut start = run.start;
            while let Some(&(earlier, value)) = open.last().filter(|open| open.1 >= run.value) {
                close(earlier, value, run.start);
                start = earlier;
                open.pop();
            }
            open.push((start, run.value));
        }
        for (start, value) in open {
            close(start, value, self.size);
        }
        // An interval of 2^(j+1) points holds one of 2^j. The least value holds on all points, so
        // the last level is there.
        let mut wider = i64::MIN;
        for level in levels.iter_mut().rev() {
            wider = wider.max(level.unwrap_or(i64::MIN));
            *level = Some(wider);
        }
        levels.into_iter().flatten().collect()
    }

    /// `u` of every interval of a partition, over the number of the interval: `first` points, then
    /// `length` points in each, the last one cut at the end of the domain. Both at least 1.
    ///
    /// Every interval has its true quality, so a run over many intervals is a run of intervals.
    /// O(runs).
    pub fn interval_maxima(&self, first: u128, length: u128) -> Result<StepFunction, QualityError> {
        if first == 0 || length == 0 {
            return Err(QualityError::BadInterval { size: self.size });
        }
        let interval = |point: u128| match point.checked_sub(first) {
            None => 0,
            Some(rest) => 1 + rest / length,
        };
        let mut builder = Builder::default();
        let mut current = (0, i64::MIN);
        for run in self.runs() {
            let begin = interval(run.start);
            let end = interval(run.start + run.length - 1);
            if begin > current.0 {
                builder.push(1, current.1)?;
                current = (begin, run.value);
            } else {
                current.1 = current.1.max(run.value);
            }
            if end > begin {
                builder.push(1, current.1)?;
                builder.push(end - begin - 1, run.value)?;
                current = (end, run.value);
            }
        }
        builder.push(1, current.1)?;
        builder.finish()
    }

    /// The first point of the largest value, and how far below it the second largest is (0 if
    /// another point is as good; `None` if there is no other point).
    pub fn top_gap(&self) -> (u128, Option<u64>) {
        let mut best = self.run(0);
        let mut second = (best.length > 1).then_some(best.value);
        for run in self.runs().skip(1) {
            if run.value > best.value {
                second = Some(if run.length > 1 {
                    run.value
                } else {
                    best.value
                });
                best = run;
            } else {
                second = second.max(Some(run.value));
            }
        }
        let gap = second.map(|second| best.value.abs_diff(second));
        (best.start, gap)
    }

    /// Whether no point is below both one on its left and one on its right; else an error with
    /// three such points.
    pub fn check_quasi_concave(&self) -> Result<(), QualityError> {
        // Neighbouring runs differ in value, so a valley is a run below both its neighbours.
        let valley = self
            .values
            .windows(3)
            .position(|values| values[1] < values[0] && values[1] < values[2]);
        match valley {
            None => Ok(()),
            Some(i) => Err(QualityError::NotQuasiConcave {
                left: self.starts[i],
                middle: self.starts[i + 1],
                right: self.starts[i + 2],
            }),
        }
    }

    /// The run of this index, which must be below [`StepFunction::run_count`].
    pub(crate) fn run(&self, index: usize) -> Plateau {
        let start = self.starts[index];
        let end = self.starts.get(index + 1).copied().unwrap_or(self.size);
        Plateau {
            start,
            length: end - start,
            value: self.values[index],
        }
    }

    /// The run that holds the point. The first run begins at 0, so there is one.
    fn index(&self, point: u128) -> usize {
        self.starts.partition_point(|&start| start <= point) - 1
    }

    /// The first and the last run with points in the interval.
    fn index_range(&self, start: u128, length: u128) -> Result<(usize, usize), QualityError> {
        let end = start.checked_add(length).filter(|&end| end <= self.size);
        match end {
            Some(end) if length > 0 => Ok((self.index(start), self.index(end - 1))),
            _ => Err(QualityError::BadInterval { size: self.size }),
        }
    }
}

/// A step function under construction.
#[derive(Default)]
pub(crate) struct Builder {
    starts: Vec<u128>,
    values: Vec<i64>,
    size: u128,
}

impl Builder {
    /// With room for this many runs.
    pub(crate) fn with_capacity(runs: usize) -> Builder {
        Builder {
            starts: Vec::with_capacity(runs),
            values: Vec::with_capacity(runs),
            size: 0,
        }
    }

    /// One more run; nothing if it is empty.
    pub(crate) fn push(&mut self, length: u128, value: i64) -> Result<(), QualityError> {
        if length > LARGEST_SIZE - self.size {
            return Err(QualityError::DomainTooLarge);
        }
        self.append(length, value);
        Ok(())
    }

    /// The same where the sum of lengths is known to be at most [`LARGEST_SIZE`].
    fn append(&mut self, length: u128, value: i64) {
        if length == 0 {
            return;
        }
        if self.values.last() != Some(&value) {
            self.starts.push(self.size);
            self.values.push(value);
        }
        self.size += length;
    }

    pub(crate) fn finish(self) -> Result<StepFunction, QualityError> {
        if self.size == 0 {
            return Err(QualityError::EmptyDomain);
        }
        Ok(StepFunction {
            starts: self.starts,
            values: self.values,
            size: self.size,
        })
    }
}
