use lastbit_exact::{Integer, Natural, Rational};

use super::kernel::BLOCK;
use super::{Grid, GridError, GridRow, need};

/// The exact sample variance (divisor `n−1`) of the rounded rows, at least two; range and
/// sensitivity are those of [`variance`](crate::statistics::variance()) over [`Grid::bounds`].
///
/// `(n·Σz² − (Σz)²)/(n(n−1))`, where `z` is the offset of a row from the lower bound: a shift does
/// not change a variance.
pub fn grid_variance<R: GridRow>(rows: &[R], grid: &Grid) -> Result<Rational, GridError> {
    need(rows, 2, "sample variance")?;
    let small = grid.upper - grid.lower < 1 << 26;
    let mut sum = Natural::ZERO;
    let mut squares = Natural::ZERO;
    for (index, block) in rows.chunks(BLOCK).enumerate() {
        let (of_block, squares_of_block, finite) = grid.kernel.moments(block, small);
        if !finite {
            grid.check(block, index * BLOCK)?;
        }
        sum += of_block;
        squares += squares_of_block;
    }
    let n = Integer::from(rows.len());
    let sum = Integer::from(sum);
    let spread = &n * Integer::from(squares) - &sum * &sum;
    Ok(Rational::new(spread, &n * (&n - Integer::ONE))
        .times_power_of_two(2 * i64::from(grid.exponent)))
}
