use lastbit_exact::{Integer, Natural, Rational};

use super::kernel::{BLOCK, product_sum};
use super::{Grid, GridError, need};

/// The exact sample covariance (divisor `n−1`) of two rounded columns of at least two rows, each on
/// its own grid; range and sensitivity are those of [`covariance`](crate::statistics::covariance())
/// over both [`Grid::bounds`].
///
/// `(n·Σzw − Σz·Σw)/(n(n−1))`, where `z`, `w` are the offsets of a row from the lower bounds.
pub fn grid_covariance(
    x: &[f64],
    x_grid: &Grid,
    y: &[f64],
    y_grid: &Grid,
) -> Result<Rational, GridError> {
    if x.len() != y.len() {
        return Err(GridError::Lengths {
            x: x.len(),
            y: y.len(),
        });
    }
    need(x, 2, "sample covariance")?;
    let small = [x_grid, y_grid]
        .iter()
        .all(|grid| grid.upper - grid.lower < 1 << 26);
    let (mut x_offsets, mut y_offsets) = ([0; BLOCK], [0; BLOCK]);
    let (mut x_sum, mut y_sum, mut products) = (Natural::ZERO, Natural::ZERO, Natural::ZERO);
    for (x_block, y_block) in x_grid.blocks(x).zip(y_grid.blocks(y)) {
        let z = x_grid.kernel.fill(x_block?, &mut x_offsets);
        let w = y_grid.kernel.fill(y_block?, &mut y_offsets);
        // Sums of offsets are at most 2^62.
        x_sum += z.iter().sum::<u64>();
        y_sum += w.iter().sum::<u64>();
        products += product_sum(z, w, small);
    }
    let n = Integer::from(x.len());
    let spread = &n * Integer::from(products) - Integer::from(x_sum * y_sum);
    let exponent = i64::from(x_grid.exponent) + i64::from(y_grid.exponent);
    Ok(Rational::new(spread, &n * (&n - Integer::ONE)).times_power_of_two(exponent))
}
