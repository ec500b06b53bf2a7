//! Rows rounded to a grid one by one, and exact statistics of the integers that result.

mod covariance;
mod kernel;
mod row;
mod sum;
mod variance;

use core::convert::Infallible;

use lastbit_exact::Rational;
use lastbit_noise::ScaleError;

use self::kernel::{BLOCK, Kernel};
use crate::finite::all_finite;
use crate::{Bounds, GridExponent};

pub use covariance::grid_covariance;
pub use row::GridRow;
pub use sum::{grid_mean, grid_sum};
pub use variance::grid_variance;

/// How a row becomes an integer number of steps: clamped to bounds, then rounded to the nearest
/// multiple of `2^exponent`, ties toward +∞.
///
/// Each row is rounded on its own, so changing one row changes one integer and the sensitivities of
/// rows in [`Grid::bounds`] hold exactly for the sums of these integers, in any order and on any
/// machine.
///
/// Contract: `|rounded − clamp(row, Grid::bounds)| ≤ 2^exponent / 2`.
///
/// ```
/// use lastbit::Bounds;
/// use lastbit::statistics::{Grid, NonFinite};
/// let grid = Grid::new(&Bounds::parse("0", "99.9")?, -1, NonFinite::Refuse)?;
/// assert_eq!(grid.bounds(), &Bounds::parse("0", "100")?); // widened to multiples of 1/2
/// assert_eq!(grid.steps(17.3)?, 35);
/// assert_eq!(grid.steps(-4.0)?, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Grid {
    bounds: Bounds,
    exponent: GridExponent,
    /// `bounds` in steps; both within ±2^51.
    lower: i64,
    upper: i64,
    non_finite: NonFinite,
    kernel: Kernel,
}

/// What to do with rows that are NaN or infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum NonFinite {
    /// Return an error that names the row. The error is a fact about the data: show it to those who
    /// may see the data only.
    Refuse,
    /// An infinity is clamped like any large number, and NaN is read as this public number.
    /// Sensitivities hold as they are.
    ReplaceNan(f64),
}

/// Why rows cannot be rounded, or their statistic computed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GridError {
    /// The step is out of the range of double precision.
    #[error("a grid step of 2^{0} is out of range; choose an exponent from -1022 to 1022")]
    Exponent(i64),
    /// A scale that noise cannot have.
    #[error(transparent)]
    Scale(ScaleError),
    /// More than 2^51 steps from zero to a bound.
    #[error(
        "a grid step of 2^{exponent} is too fine for bounds [{lower}, {upper}]: more than 2^51 \
         steps from zero; the finest step is 2^{finest}"
    )]
    TooFine {
        /// The exponent given.
        exponent: i64,
        /// The lower bound given.
        lower: Rational,
        /// The upper bound given.
        upper: Rational,
        /// The smallest exponent that these bounds allow.
        finest: i64,
    },
    /// The number that stands for NaN is not a finite number itself.
    #[error("NaN cannot be replaced by {0}; choose a finite number within the bounds")]
    Replacement(f64),
    /// A row is NaN or infinite and the grid refuses that.
    #[error(
        "row {row} is {value}; mend the row, or say what it counts as with NonFinite::ReplaceNan"
    )]
    NotFinite {
        /// Which row, counted from zero.
        row: usize,
        /// Its value.
        value: f64,
    },
    /// The statistic is not defined on so few rows.
    #[error(
        "a {statistic} needs at least {needed} rows, got {rows}; release a sum or a count instead"
    )]
    TooFewRows {
        /// Which statistic.
        statistic: &'static str,
        /// The least number of rows on which it is defined.
        needed: usize,
        /// How many rows there are.
        rows: usize,
    },
    /// Two columns of different lengths.
    #[error("a covariance needs as many x as y, got {x} and {y}")]
    Lengths {
        /// Rows of the first column.
        x: usize,
        /// Rows of the second column.
        y: usize,
    },
}

/// An exponent that no grid has.
impl From<ScaleError> for GridError {
    fn from(error: ScaleError) -> GridError {
        match error {
            ScaleError::GridExponent(exponent) => GridError::Exponent(exponent),
            error => GridError::Scale(error),
        }
    }
}

/// What is a grid exponent already does not fail to be one.
impl From<Infallible> for GridError {
    fn from(never: Infallible) -> GridError {
        match never {}
    }
}

impl Grid {
    /// Steps of `2^exponent` over bounds, widened outward to multiples of the step.
    pub fn new(
        bounds: &Bounds,
        exponent: impl TryInto<GridExponent, Error: Into<GridError>>,
        non_finite: NonFinite,
    ) -> Result<Grid, GridError> {
        let exponent = exponent.try_into().map_err(Into::into)?;
        let power = exponent.get();
        if !(-1022..=1022).contains(&power) {
            return Err(GridError::Exponent(power));
        }
        let finest = finest_exponent(bounds);
        if finest.is_some_and(|finest| power < finest) {
            return Err(GridError::TooFine {
                exponent: power,
                lower: bounds.lower().clone(),
                upper: bounds.upper().clone(),
                finest: finest.unwrap_or(-1022),
            });
        }
        let replacement = match non_finite {
            NonFinite::Refuse => 0.0,
            NonFinite::ReplaceNan(value) if value.is_finite() => value,
            NonFinite::ReplaceNan(value) => return Err(GridError::Replacement(value)),
        };
        // |bound| ≤ 2^51 steps, and 2^51 is a whole number of steps: rounding outward stays within.
        let within = "at most 2^51 steps";
        let lower = i64::try_from(bounds.lower().times_power_of_two(-power).floor()).expect(within);
        let upper = i64::try_from(bounds.upper().times_power_of_two(-power).ceil()).expect(within);
        let end = |steps: i64| Rational::from(steps).times_power_of_two(power);
        Ok(Grid {
            bounds: Bounds::new(end(lower), end(upper)).expect("rounding outward keeps the order"),
            exponent,
            lower,
            upper,
            non_finite,
            kernel: Kernel::new(power as i32, lower, upper, replacement),
        })
    }

    /// The finest step that these bounds allow: `max(|lower|, |upper|) ≤ 2^51` steps.
    pub fn finest(bounds: &Bounds, non_finite: NonFinite) -> Result<Grid, GridError> {
        let finest = finest_exponent(bounds).unwrap_or(-1022).max(-1022);
        Grid::new(bounds, finest, non_finite)
    }

    /// The bounds that hold after rounding: the given ones, widened outward to multiples of the
    /// step. Range and sensitivity of a statistic of rounded rows are those of these bounds.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// The exponent of the step.
    pub fn exponent(&self) -> GridExponent {
        self.exponent
    }

    /// The distance from bound to bound.
    pub fn width(&self) -> Rational {
        self.bounds.upper() - self.bounds.lower()
    }

    /// How many steps there are from bound to bound.
    pub fn count(&self) -> u64 {
        self.upper.abs_diff(self.lower)
    }

    /// Half a step: what rounding moves a row by at most.
    pub fn half_step(&self) -> Rational {
        self.exponent.step().times_power_of_two(-1)
    }

    /// The number that so many steps from the lower bound make.
    pub fn value(&self, offset: &Rational) -> Rational {
        self.bounds.lower() + &offset.times_power_of_two(i64::from(self.exponent))
    }

    /// The bounds as numbers of steps, both within ±2^51.
    pub fn bounds_in_steps(&self) -> (i64, i64) {
        (self.lower, self.upper)
    }

    /// What happens to rows that are NaN or infinite.
    pub(crate) fn non_finite(&self) -> NonFinite {
        self.non_finite
    }

    /// How many steps of `2^exponent` a row becomes.
    pub fn steps(&self, row: f64) -> Result<i64, GridError> {
        self.check(&[row], 0)?;
        // An offset is at most 2^52.
        Ok(self.lower + self.kernel.offset(row) as i64)
    }

    /// For each row the number of steps from the lower bound: `steps(row) − bounds_in_steps().0`,
    /// at most 2^52.
    ///
    /// Replaces what `offsets` held.
    ///
    /// ```
    /// use lastbit::Bounds;
    /// use lastbit::statistics::{Grid, NonFinite};
    /// let grid = Grid::new(&Bounds::parse("-1", "1")?, -2, NonFinite::ReplaceNan(0.0))?;
    /// let mut offsets = vec![];
    /// grid.offsets(&[-7.0, -0.9, 0.3, f64::NAN, f64::INFINITY], &mut offsets)?;
    /// assert_eq!(offsets, [0, 0, 5, 4, 8]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn offsets(&self, rows: &[f64], offsets: &mut Vec<u64>) -> Result<(), GridError> {
        offsets.clear();
        offsets.reserve(rows.len());
        let mut of_block = [0; BLOCK];
        for block in self.blocks(rows) {
            offsets.extend_from_slice(self.kernel.fill(block?, &mut of_block));
        }
        Ok(())
    }

    /// Blocks of rows, each checked just before it is handed out and still in the cache then.
    fn blocks<'a>(
        &'a self,
        rows: &'a [f64],
    ) -> impl Iterator<Item = Result<&'a [f64], GridError>> + 'a {
        rows.chunks(BLOCK)
            .enumerate()
            .map(|(index, block)| self.check(block, index * BLOCK).map(|()| block))
    }

    /// An error for the first row that is not finite, if the grid refuses those; `first` is the
    /// number of the first row.
    fn check<R: GridRow>(&self, rows: &[R], first: usize) -> Result<(), GridError> {
        if self.non_finite != NonFinite::Refuse || all_finite(rows) {
            return Ok(());
        }
        match rows.iter().position(|row| !row.number().is_finite()) {
            Some(at) => Err(GridError::NotFinite {
                row: first + at,
                value: rows[at].number(),
            }),
            None => Ok(()),
        }
    }
}

/// The smallest exponent with `max(|lower|, |upper|) ≤ 2^(51 + exponent)`; `None` if both bounds
/// are zero.
fn finest_exponent(bounds: &Bounds) -> Option<i64> {
    bounds
        .lower()
        .abs()
        .max(bounds.upper().abs())
        .ceil_log2()
        .map(|log2| log2 - 51)
}

fn need<R>(rows: &[R], needed: usize, statistic: &'static str) -> Result<(), GridError> {
    if rows.len() < needed {
        return Err(GridError::TooFewRows {
            statistic,
            needed,
            rows: rows.len(),
        });
    }
    Ok(())
}
