use lastbit_exact::Rational;

use super::round_to_grid::check_grid;
use super::rows::{RowDomain, RowMetric, RowPath};
use super::{ExactNumber, TransformationError};
use crate::domains::{AtomDomain, VectorDomain};
use crate::metrics::AbsoluteDistance;
use crate::statistics::{self, Grid, Neighbours};
use crate::{Bounds, Error, MetricSpace, StabilityMap, Transformation};

/// The exact sum of rows in `[a, b]`: `d_out = (b − a)·changes`, or `max(|a|, |b|)·d_in` for rows
/// added or removed.
///
/// If the number of rows is public, symmetric distance `d_in` means `⌊d_in/2⌋` changes.
///
/// *Proof.* [`statistics::sum`](crate::statistics::sum()); the steps of a path add up. The sum is
/// exact, so it is the one in the proof. ∎
///
/// ```
/// use lastbit::domains::{AtomDomain, VectorDomain};
/// use lastbit::metrics::{ChangeOneDistance, SymmetricDistance};
/// use lastbit::transformations::sum;
/// let hours = VectorDomain::new(AtomDomain::bounded(10_i64, 40)?);
/// let total = sum(hours.clone(), SymmetricDistance)?;
/// assert_eq!(total.invoke(&vec![38, 20, 40])?.to_string(), "98");
/// assert_eq!(total.map(&1)?.to_string(), "40");
/// assert_eq!(sum(hours.with_size(3), ChangeOneDistance)?.map(&1)?.to_string(), "30");
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn sum<T: ExactNumber, M: RowMetric>(
    domain: VectorDomain<AtomDomain<T>>,
    metric: M,
) -> Result<
    Transformation<VectorDomain<AtomDomain<T>>, M, AtomDomain<T::Sum>, AbsoluteDistance>,
    Error,
>
where
    VectorDomain<AtomDomain<T>>: MetricSpace<M, Carrier = Vec<T>>,
{
    let bounds = bounds_of(domain.element(), "sum")?;
    let stability_map = sum_map(&bounds, domain.size());
    Transformation::new(
        domain,
        metric,
        AtomDomain::new(),
        AbsoluteDistance,
        |rows| Ok(T::total(rows)),
        stability_map,
    )
}

/// The exact sum of floats, each clamped and rounded to a [`Grid`]: as [`sum`], with `[a, b]` the
/// bounds of the grid.
///
/// *Proof.* [`round_to_grid`](super::round_to_grid), [`sum`], and [`scale`](super::scale) by the
/// step. ∎
///
/// ```
/// use lastbit::Bounds;
/// use lastbit::domains::{AtomDomain, VectorDomain};
/// use lastbit::metrics::SymmetricDistance;
/// use lastbit::statistics::{Grid, NonFinite};
/// use lastbit::transformations::sum_on_grid;
/// let rows = VectorDomain::new(AtomDomain::<f64>::new().nullable());
/// let grid = Grid::new(&Bounds::parse("-1", "4")?, -3, NonFinite::ReplaceNan(0.0))?;
/// let total = sum_on_grid(rows, SymmetricDistance, &grid)?;
/// assert_eq!(total.invoke(&vec![1.5, f64::NAN, 100.0])?.to_string(), "5.5");
/// assert_eq!(total.map(&1)?.to_string(), "4");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn sum_on_grid<M: RowMetric>(
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
    check_grid(domain.element(), grid, "a sum on a grid that refuses")?;
    let stability_map = sum_map(grid.bounds(), domain.size());
    let grid = grid.clone();
    Transformation::new(
        domain,
        metric,
        AtomDomain::new(),
        AbsoluteDistance,
        move |rows| Ok(statistics::grid_sum(rows, &grid)?),
        stability_map,
    )
}

fn sum_map<M: RowMetric>(
    bounds: &Bounds,
    size: Option<usize>,
) -> StabilityMap<M, AbsoluteDistance> {
    let bounds = bounds.clone();
    StabilityMap::new(move |&d_in| {
        Ok(M::steps(size, d_in).moved(|neighbours| statistics::sum(&bounds, neighbours)))
    })
}

/// The bounds of each row.
pub(super) fn bounds_of<T: ExactNumber>(
    domain: &AtomDomain<T>,
    what: &'static str,
) -> Result<Bounds, Error> {
    let Some((lower, upper)) = domain.bounds() else {
        let domain = domain.to_string();
        return Err(TransformationError::BoundsNeeded { what, domain }.into());
    };
    Ok(Bounds::new(lower.exact(), upper.exact())?)
}

/// The neighbours of a domain with a public number of rows.
pub(super) fn public_neighbours(
    domain: &impl RowDomain,
    what: &'static str,
) -> Result<Neighbours, Error> {
    match domain.public_rows() {
        Some(rows) => Ok(Neighbours::change_one(rows as u64)?),
        None => Err(TransformationError::SizeNeeded { what }.into()),
    }
}

/// The map of a statistic of a public number of rows: its sensitivity per row changed, and never
/// more than its range.
pub(super) fn changes_map<M: RowMetric>(
    statistic: statistics::Extent,
    size: Option<usize>,
) -> Result<StabilityMap<M, AbsoluteDistance>, Error> {
    let range = statistic.bounds()?;
    let width = range.upper() - range.lower();
    Ok(StabilityMap::new(move |&d_in| match M::steps(size, d_in) {
        RowPath::Changes(rows) => {
            let moved = statistic.sensitivity() * &Rational::from(rows);
            Ok(moved.min(width.clone()))
        }
        // Only without a public size, and then there is no such statistic.
        RowPath::AddRemoves(_) => Err(TransformationError::SizeNeeded { what: "statistic" }.into()),
    }))
}
