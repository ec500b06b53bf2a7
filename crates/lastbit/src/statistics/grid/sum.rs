use lastbit_exact::{Integer, Rational};

use super::kernel::BLOCK;
use super::{Grid, GridError, GridRow, need};

/// The exact sum of the rounded rows; range and sensitivity are those of
/// [`sum`](crate::statistics::sum()) over [`Grid::bounds`]. Rows may be of any type of
/// [`GridRow`]; narrow ones are read faster.
///
/// Contract: `|grid_sum − Σ clamp(row, Grid::bounds)| ≤ rows · step / 2`.
///
/// ```
/// use lastbit::Bounds;
/// use lastbit::statistics::{Grid, NonFinite, grid_sum};
/// // In doubles the order of these three rows decides between 0 and 1.
/// let grid = Grid::new(&Bounds::from_f64(-1e15, 1e15)?, 0, NonFinite::Refuse)?;
/// assert_eq!(grid_sum(&[1e15, 1.0, -1e15], &grid)?.to_string(), "1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn grid_sum<R: GridRow>(rows: &[R], grid: &Grid) -> Result<Rational, GridError> {
    let mut offsets = 0u128;
    for (index, block) in rows.chunks(BLOCK).enumerate() {
        offsets += u128::from(match grid.kernel.sum_of_finite(block) {
            Some(sum) => sum,
            None => {
                grid.check(block, index * BLOCK)?;
                grid.kernel.sum(block)
            }
        });
    }
    // Σ steps = rows·lower + Σ offsets.
    let steps = Integer::from(rows.len()) * Integer::from(grid.lower) + Integer::from(offsets);
    Ok(Rational::from(steps).times_power_of_two(i64::from(grid.exponent)))
}

/// The exact mean of the rounded rows, at least one; range and sensitivity are those of
/// [`mean`](crate::statistics::mean()) over [`Grid::bounds`].
///
/// Contract: `|grid_mean − mean of clamp(row, Grid::bounds)| ≤ step / 2`.
pub fn grid_mean<R: GridRow>(rows: &[R], grid: &Grid) -> Result<Rational, GridError> {
    need(rows, 1, "mean")?;
    Ok(&grid_sum(rows, grid)? / &Rational::new(rows.len(), 1))
}
