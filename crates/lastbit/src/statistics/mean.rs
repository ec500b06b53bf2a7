use lastbit_exact::Rational;

use super::{Extent, Neighbours, StatisticError};
use crate::Bounds;

/// The mean of rows in `[a, b]`: range `[a, b]`, sensitivity `(b−a)/n` under change-one and
/// `(b−a)/(n_min+1)` under add/remove with at least `n_min ≥ 1` rows.
///
/// *Proof.* Let `m` be the mean of the rows that two neighbours share.
///
/// Change-one: the sums differ by `x − x'`, at most `b − a`, and both are divided by `n`. Rows `a`
/// and `b` reach it.
///
/// Add/remove: a row `x` added to `n` rows of mean `m` gives `(nm + x)/(n+1)`, which differs from
/// `m` by `(x − m)/(n+1)`: at most `(b−a)/(n+1)`, reached by `n` rows `a` and `x = b`; largest at
/// `n = n_min`. ∎
///
/// ```
/// use lastbit::Bounds;
/// use lastbit::statistics::{Neighbours, mean};
/// let ages = Bounds::parse("0", "100")?;
/// assert_eq!(mean(&ages, Neighbours::change_one(1000)?)?.sensitivity().to_string(), "0.1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn mean(bounds: &Bounds, neighbours: Neighbours) -> Result<Extent, StatisticError> {
    let divisor = neighbours.rows_of_larger_neighbour(1, "mean")?;
    let width = bounds.upper() - bounds.lower();
    Ok(Extent::new(
        bounds.lower().clone(),
        bounds.upper().clone(),
        &width / &Rational::new(divisor, 1),
    ))
}
