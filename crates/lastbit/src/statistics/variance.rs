use lastbit_exact::{Integer, Rational};

use super::{Extent, Neighbours, StatisticError};
use crate::Bounds;

/// The sample variance (divisor `n−1`) of rows in `[a, b]`: range `[0, v(n)·(b−a)²]` with
/// `v(n) = n/(4(n−1))` for even `n` and `(n+1)/(4n)` for odd `n`; sensitivity `(b−a)²/n` under
/// change-one. Under add/remove with at least `n_min ≥ 2` rows: range `[0, v(n_min)·(b−a)²]`,
/// sensitivity `(b−a)²/(n_min+1)`.
///
/// *Proof.* Let `L = b − a`, and let `S` be the sum of squares about the mean.
///
/// Range: `S` is convex in each row, so it is largest with every row at an end. With `k` rows at
/// `b` it is `k(n−k)/n·L²`, largest at `k = ⌊n/2⌋`; divide by `n−1`. For odd `n` this is more than
/// the `L²/4` that a row in the middle gives. `v` does not grow with `n`: `v(n+1) = v(n)` for odd
/// `n`, and `n(n+1) ≥ (n+2)(n−1)` for even `n`. So `n_min` decides the range under add/remove.
///
/// A row `x` added to `k` rows of mean `m` adds `k/(k+1)·(x−m)²` to `S`.
///
/// Change-one (`k = n−1` shared rows): the variances differ by `((x−m)² − (x'−m)²)/n`, at most
/// `L²/n`; `x = b` and `a` in all other rows reach it.
///
/// Add/remove (`k = n` shared rows): the variance changes by `(x−m)²/(n+1) − S/(n(n−1))`. This is
/// at most `L²/(n+1)`, reached by `n` rows `a` and `x = b`, and at least `−L²/(4(n−1))` since
/// `S ≤ nL²/4`; and `4(n−1) ≥ n+1` for `n ≥ 2`. ∎
///
/// ```
/// use lastbit::Bounds;
/// use lastbit::statistics::{Neighbours, variance};
/// let unit = Bounds::parse("0", "1")?;
/// let three = variance(&unit, Neighbours::change_one(3)?)?;
/// assert_eq!(three.range().to_string(), "[0, 1/3]");
/// assert_eq!(three.sensitivity().to_string(), "1/3");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn variance(bounds: &Bounds, neighbours: Neighbours) -> Result<Extent, StatisticError> {
    let name = "sample variance";
    let divisor = neighbours.rows_of_larger_neighbour(2, name)?;
    let factor = largest_variance(neighbours.need(2, name)?);
    let width = bounds.upper() - bounds.lower();
    let square = &width * &width;
    Ok(Extent::new(
        Rational::ZERO,
        &factor * &square,
        &square / &Rational::new(divisor, 1),
    ))
}

/// The largest sample variance of `rows ≥ 2` rows in `[0, 1]`: `⌊n/2⌋·⌈n/2⌉ / (n(n−1))`.
pub(super) fn largest_variance(rows: u64) -> Rational {
    let n = Integer::from(rows);
    let half = Integer::from(rows / 2);
    let other_half = &n - &half;
    Rational::new(half * other_half, &n * (&n - Integer::ONE))
}
