use lastbit_exact::Rational;

use super::ExactNumber;
use super::exact_number::sample_covariance;
use super::round_to_grid::check_grid;
use super::rows::RowMetric;
use super::sum::{bounds_of, changes_map, public_neighbours};
use crate::domains::{AtomDomain, VectorDomain};
use crate::metrics::AbsoluteDistance;
use crate::statistics::{self, Grid};
use crate::{Error, MetricSpace, Transformation};

/// The exact sample variance (divisor `n − 1`) of a public number `n ≥ 2` of rows in `[a, b]`:
/// `d_out = changes·(b − a)²/n`, at most the largest variance.
///
/// *Proof.* [`statistics::variance`](crate::statistics::variance()); the steps of a path add up,
/// and no two variances are further apart than the range. One change reaches the bound. ∎
///
/// ```
/// use lastbit::domains::{AtomDomain, VectorDomain};
/// use lastbit::metrics::ChangeOneDistance;
/// use lastbit::transformations::variance;
/// let rows = VectorDomain::new(AtomDomain::bounded(0_i64, 10)?).with_size(4);
/// let spread = variance(rows, ChangeOneDistance)?;
/// assert_eq!(spread.invoke(&vec![0, 10, 0, 10])?.to_string(), "100/3");
/// assert_eq!(spread.map(&1)?.to_string(), "25");
/// assert_eq!(spread.map(&2)?.to_string(), "100/3"); // the whole range
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn variance<T: ExactNumber, M: RowMetric>(
    domain: VectorDomain<AtomDomain<T>>,
    metric: M,
) -> Result<
    Transformation<VectorDomain<AtomDomain<T>>, M, AtomDomain<Rational>, AbsoluteDistance>,
    Error,
>
where
    VectorDomain<AtomDomain<T>>: MetricSpace<M, Carrier = Vec<T>>,
{
    let neighbours = public_neighbours(&domain, "sample variance")?;
    let bounds = bounds_of(domain.element(), "sample variance")?;
    let stability_map = changes_map(statistics::variance(&bounds, neighbours)?, domain.size())?;
    Transformation::new(
        domain,
        metric,
        AtomDomain::new(),
        AbsoluteDistance,
        |rows| Ok(sample_covariance(rows, rows)),
        stability_map,
    )
}

/// The exact sample variance of a public number of floats, each clamped and rounded to a [`Grid`]:
/// as [`variance`], with `[a, b]` the bounds of the grid.
///
/// ```
/// use lastbit::Bounds;
/// use lastbit::domains::{AtomDomain, VectorDomain};
/// use lastbit::metrics::ChangeOneDistance;
/// use lastbit::statistics::{Grid, NonFinite};
/// use lastbit::transformations::variance_on_grid;
/// let rows = VectorDomain::new(AtomDomain::<f64>::new()).with_size(4);
/// let grid = Grid::new(&Bounds::parse("0", "1")?, -3, NonFinite::Refuse)?;
/// let spread = variance_on_grid(rows, ChangeOneDistance, &grid)?;
/// assert_eq!(spread.invoke(&vec![0.0, 0.5, 1.0, 7.0])?.to_string(), "11/48");
/// assert_eq!(spread.map(&1)?.to_string(), "0.25");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn variance_on_grid<M: RowMetric>(
    domain: VectorDomain<AtomDomain<f64>>,
    metric: M,
    grid: &Grid,
) -> Result<
    Transformation<VectorDomain<AtomDomain<f64>>, M, AtomDomain<Rational>, AbsoluteDistance>,
    Error,
>
where
    VectorDomain<AtomDomain<f64>>: MetricSpace<M, Carrier = Vec<f64>>,
{
    check_grid(domain.element(), grid, "a variance on a grid that refuses")?;
    let neighbours = public_neighbours(&domain, "sample variance")?;
    let statistic = statistics::variance(grid.bounds(), neighbours)?;
    let stability_map = changes_map(statistic, domain.size())?;
    let grid = grid.clone();
    Transformation::new(
        domain,
        metric,
        AtomDomain::new(),
        AbsoluteDistance,
        move |rows| Ok(statistics::grid_variance(rows, &grid)?),
        stability_map,
    )
}
