use lastbit_exact::Rational;

use super::ExactNumber;
use super::exact_number::value;
use super::round_to_grid::check_grid;
use super::rows::RowMetric;
use super::sum::{bounds_of, changes_map, public_neighbours};
use crate::domains::{AtomDomain, VectorDomain};
use crate::metrics::AbsoluteDistance;
use crate::statistics::{self, Grid};
use crate::{Error, MetricSpace, Transformation};

/// The exact mean of a public number `n` of rows in `[a, b]`: `d_out = changes·(b − a)/n`.
///
/// *Proof.* [`statistics::mean`](crate::statistics::mean()); the steps of a path add up. Changing
/// `k ≤ n` rows from `a` to `b` reaches it. ∎
///
/// ```
/// use lastbit::domains::{AtomDomain, VectorDomain};
/// use lastbit::metrics::ChangeOneDistance;
/// use lastbit::transformations::mean;
/// let ages = VectorDomain::new(AtomDomain::bounded(0_i64, 120)?).with_size(3);
/// let average = mean(ages, ChangeOneDistance)?;
/// assert_eq!(average.invoke(&vec![31, 58, 17])?.to_string(), "106/3");
/// assert_eq!(average.map(&1)?.to_string(), "40");
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn mean<T: ExactNumber, M: RowMetric>(
    domain: VectorDomain<AtomDomain<T>>,
    metric: M,
) -> Result<
    Transformation<VectorDomain<AtomDomain<T>>, M, AtomDomain<Rational>, AbsoluteDistance>,
    Error,
>
where
    VectorDomain<AtomDomain<T>>: MetricSpace<M, Carrier = Vec<T>>,
{
    let neighbours = public_neighbours(&domain, "mean")?;
    let bounds = bounds_of(domain.element(), "mean")?;
    let stability_map = changes_map(statistics::mean(&bounds, neighbours)?, domain.size())?;
    Transformation::new(
        domain,
        metric,
        AtomDomain::new(),
        AbsoluteDistance,
        // The domain holds only vectors of n ≥ 1 rows.
        |rows| Ok(value(&T::total(rows)) / Rational::new(rows.len(), 1)),
        stability_map,
    )
}

/// The exact mean of a public number of floats, each clamped and rounded to a [`Grid`]: as
/// [`mean`], with `[a, b]` the bounds of the grid.
///
/// ```
/// use lastbit::Bounds;
/// use lastbit::domains::{AtomDomain, VectorDomain};
/// use lastbit::metrics::ChangeOneDistance;
/// use lastbit::statistics::{Grid, NonFinite};
/// use lastbit::transformations::mean_on_grid;
/// let rows = VectorDomain::new(AtomDomain::<f64>::new()).with_size(4);
/// let grid = Grid::new(&Bounds::parse("0", "10")?, -3, NonFinite::Refuse)?;
/// let average = mean_on_grid(rows, ChangeOneDistance, &grid)?;
/// assert_eq!(average.invoke(&vec![1.5, 2.0, 100.0, 0.5])?.to_string(), "3.5");
/// assert_eq!(average.map(&1)?.to_string(), "2.5");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn mean_on_grid<M: RowMetric>(
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
    check_grid(domain.element(), grid, "a mean on a grid that refuses")?;
    let neighbours = public_neighbours(&domain, "mean")?;
    let statistic = statistics::mean(grid.bounds(), neighbours)?;
    let stability_map = changes_map(statistic, domain.size())?;
    let grid = grid.clone();
    Transformation::new(
        domain,
        metric,
        AtomDomain::new(),
        AbsoluteDistance,
        move |rows| Ok(statistics::grid_mean(rows, &grid)?),
        stability_map,
    )
}
