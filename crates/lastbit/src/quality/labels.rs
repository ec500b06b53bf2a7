//! Qualities of thresholds for labelled data. One changed row moves each by at most 1.

use super::ranks::{check_size, next_point};
use super::step_function::Builder;
use super::{QualityError, StepFunction};

impl StepFunction {
    /// How well the rule "yes below x" fits labelled data: n less the larger of the two numbers of
    /// errors, yes at or above x and no below it.
    /// `Q(x) = n − max(#{yes, x_i ≥ x}, #{no, x_i < x})`. Quasi-concave; its largest value is n if
    /// some rule fits all.
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

    /// How many labelled data points the rule "yes from t on" gets right, for `t = 0, 1, …, size`:
    /// `Q(t) = #{yes, x_i ≥ t} + #{no, x_i < t}`. Sensitivity 1. Not quasi-concave where no rule
    /// fits all; for the exponential mechanism.
    ///
    /// ```
    /// use lastbit::quality::StepFunction;
    /// let right = StepFunction::agreement(&[(2u64, false), (5, true)], 10)?;
    /// assert_eq!((right.value(2), right.value(3), right.value(5), right.value(6)), (1, 2, 2, 1));
    /// assert_eq!((right.size(), right.value(10)), (11, 1));     // 10: yes to none
    /// # Ok::<(), lastbit::quality::QualityError>(())
    /// ```
    pub fn agreement<P: Copy + Into<u128>>(
        sorted: &[(P, bool)],
        size: u128,
    ) -> Result<StepFunction, QualityError> {
        if size == 0 {
            return Err(QualityError::EmptyDomain);
        }
        let mut runs: Vec<(u128, i64)> = Vec::with_capacity(sorted.len() + 1);
        let mut right = sorted.iter().filter(|row| row.1).count() as i64;
        // The rules before `done` have their values.
        let mut done = 0;
        for (index, &(point, label)) in sorted.iter().enumerate() {
            let point = point.into();
            if point >= size {
                return Err(QualityError::OutsideDomain { size });
            }
            if point + 1 < done {
                return Err(QualityError::NotSorted { index });
            }
            // The rule of t sees a point as below t from the next t on.
            if point + 1 > done {
                runs.push((point + 1 - done, right));
                done = point + 1;
            }
            right += if label { -1 } else { 1 };
        }
        let Some(rest) = size.checked_add(1) else {
            return Err(QualityError::DomainTooLarge);
        };
        runs.push((rest - done, right));
        StepFunction::from_runs(runs)
    }
}
