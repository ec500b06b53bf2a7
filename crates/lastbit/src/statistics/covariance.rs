use lastbit_exact::Rational;

use super::variance::largest_variance;
use super::{Extent, Neighbours, StatisticError};
use crate::Bounds;

/// The sample covariance (divisor `n−1`) of pairs in `[a, b] × [c, d]`: with `A = (b−a)(d−c)`,
/// range `±v(n)·A` with the `v` of [`variance`](super::variance()), sensitivity `A/n` under
/// change-one; under add/remove with at least `n_min ≥ 2` rows range `±v(n_min)·A`, sensitivity
/// `A/(n_min+1)`.
///
/// *Proof.* Scale both columns to `[0, 1]`, so `A = 1`; let `C` be the sum of products about the
/// means.
///
/// Range: `C` is linear in each entry, so it is largest with every entry at an end. If `k` of the
/// `x` are 1, then `C = Σ (x_i − k/n)·y_i` is largest with `y = x`: `C = k(n−k)/n`, as for the
/// variance. Replacing `y` by `1−y` turns the sign.
///
/// A pair `(x, y)` added to `k` pairs of means `(u, v)` adds `k/(k+1)·P` to `C`, with
/// `P = (x−u)(y−v)`.
///
/// Change-one: the covariances differ by `(P − P')/n`. `P` is at most `max(uv, (1−u)(1−v))` and at
/// least `−max(u(1−v), (1−u)v)`; each of the four sums of one with the other is `u`, `v`, `1−u` or
/// `1−v`, at most 1. Rows `(a, c)`, and one of them changed to `(b, d)`, reach it.
///
/// Add/remove: the covariance changes by `P/(n+1) − C/(n(n−1))`. Let `p ≤ q` be `uv` and
/// `(1−u)(1−v)` in order. Then `P ≤ q`; and `C ≥ −np`, since `Σxy ≥ max(0, n(u+v−1))`. So the
/// change is at most `q/(n+1) + p/(n−1)`. By Cauchy and Schwarz `√p + √q ≤ 1`; with `s = √p ≤ 1/2`
/// the bound is at most `(1−s)²/(n+1) + s²/(n−1)`, convex in `s`: at `s = 0` it is `1/(n+1)`, at
/// `s = 1/2` it is `n/(2(n²−1))`, which is no more for `n ≥ 2`. Replacing `y` by `1−y` gives the
/// same bound below. `n` rows `(a, c)` and one `(b, d)` reach it. ∎
pub fn covariance(
    x: &Bounds,
    y: &Bounds,
    neighbours: Neighbours,
) -> Result<Extent, StatisticError> {
    let name = "sample covariance";
    let divisor = neighbours.rows_of_larger_neighbour(2, name)?;
    let factor = largest_variance(neighbours.need(2, name)?);
    let area = (x.upper() - x.lower()) * (y.upper() - y.lower());
    let largest = &factor * &area;
    Ok(Extent::new(
        -&largest,
        largest,
        &area / &Rational::new(divisor, 1),
    ))
}
