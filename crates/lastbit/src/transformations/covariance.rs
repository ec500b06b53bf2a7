use lastbit_exact::Rational;

use super::ExactNumber;
use super::exact_number::sample_covariance;
use super::round_to_grid::check_grid;
use super::rows::RowMetric;
use super::select::column;
use super::sum::{bounds_of, changes_map, public_neighbours};
use crate::domains::{AtomDomain, ColumnType, Frame, FrameDomain};
use crate::metrics::AbsoluteDistance;
use crate::statistics::{self, Grid};
use crate::{Error, MetricSpace, Transformation};

/// The exact sample covariance (divisor `n − 1`) of two integer columns in `[a, b]` and `[c, d]` of
/// a frame with a public number `n ≥ 2` of rows: `d_out = changes·(b − a)(d − c)/n`, at most the
/// width of the range.
///
/// *Proof.* [`statistics::covariance`](crate::statistics::covariance()); the steps of a path add
/// up, and no two covariances are further apart than the range. One change reaches the bound. ∎
///
/// ```
/// use lastbit::domains::{AtomDomain, Frame, FrameDomain};
/// use lastbit::metrics::ChangeOneDistance;
/// use lastbit::transformations::covariance;
/// let domain = FrameDomain::new([
///     ("rooms", AtomDomain::bounded(0_i64, 10)?.into()),
///     ("people", AtomDomain::bounded(0_i64, 5)?.into()),
/// ])?
/// .with_size(3);
/// let joint = covariance::<i64, _>(domain, ChangeOneDistance, "rooms", "people")?;
/// let frame =
///     Frame::new([("rooms", vec![1_i64, 4, 7].into()), ("people", vec![1_i64, 2, 3].into())])?;
/// assert_eq!(joint.invoke(&frame)?.to_string(), "3");
/// assert_eq!(joint.map(&1)?.to_string(), "50/3");
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn covariance<T, M>(
    domain: FrameDomain,
    metric: M,
    x: &str,
    y: &str,
) -> Result<Transformation<FrameDomain, M, AtomDomain<Rational>, AbsoluteDistance>, Error>
where
    T: ExactNumber + ColumnType,
    M: RowMetric,
    FrameDomain: MetricSpace<M, Carrier = Frame>,
{
    let neighbours = public_neighbours(&domain, "sample covariance")?;
    let x_bounds = bounds_of(domain.column::<T>(x)?, "sample covariance")?;
    let y_bounds = bounds_of(domain.column::<T>(y)?, "sample covariance")?;
    let statistic = statistics::covariance(&x_bounds, &y_bounds, neighbours)?;
    let stability_map = changes_map(statistic, domain.size())?;
    let (x, y) = (x.to_string(), y.to_string());
    Transformation::new(
        domain,
        metric,
        AtomDomain::new(),
        AbsoluteDistance,
        move |frame| {
            let (x, y) = (column::<T>(frame, &x)?, column::<T>(frame, &y)?);
            Ok(sample_covariance(x, y))
        },
        stability_map,
    )
}

/// The exact sample covariance of two float columns, each clamped and rounded to a [`Grid`] of its
/// own: as [`covariance`], with the bounds of the grids.
///
/// ```
/// use lastbit::Bounds;
/// use lastbit::domains::{AtomDomain, Frame, FrameDomain};
/// use lastbit::metrics::ChangeOneDistance;
/// use lastbit::statistics::{Grid, NonFinite};
/// use lastbit::transformations::covariance_on_grid;
/// let any = AtomDomain::<f64>::new();
/// let domain =
///     FrameDomain::new([("height", any.clone().into()), ("weight", any.into())])?.with_size(2);
/// let height = Grid::new(&Bounds::parse("1", "3")?, -7, NonFinite::Refuse)?;
/// let weight = Grid::new(&Bounds::parse("0", "200")?, -2, NonFinite::Refuse)?;
/// let joint =
///     covariance_on_grid(domain, ChangeOneDistance, ("height", &height), ("weight", &weight))?;
/// let frame =
///     Frame::new([("height", vec![1.5, 2.0].into()), ("weight", vec![60.0, 90.0].into())])?;
/// assert_eq!(joint.invoke(&frame)?.to_string(), "7.5");
/// assert_eq!(joint.map(&1)?.to_string(), "200");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn covariance_on_grid<M: RowMetric>(
    domain: FrameDomain,
    metric: M,
    (x, x_grid): (&str, &Grid),
    (y, y_grid): (&str, &Grid),
) -> Result<Transformation<FrameDomain, M, AtomDomain<Rational>, AbsoluteDistance>, Error>
where
    FrameDomain: MetricSpace<M, Carrier = Frame>,
{
    let neighbours = public_neighbours(&domain, "sample covariance")?;
    for (name, grid) in [(x, x_grid), (y, y_grid)] {
        check_grid(
            domain.column::<f64>(name)?,
            grid,
            "a covariance on a grid that refuses",
        )?;
    }
    let statistic = statistics::covariance(x_grid.bounds(), y_grid.bounds(), neighbours)?;
    let stability_map = changes_map(statistic, domain.size())?;
    let (x, y) = (x.to_string(), y.to_string());
    let (x_grid, y_grid) = (x_grid.clone(), y_grid.clone());
    Transformation::new(
        domain,
        metric,
        AtomDomain::new(),
        AbsoluteDistance,
        move |frame| {
            let (x, y) = (column::<f64>(frame, &x)?, column::<f64>(frame, &y)?);
            Ok(statistics::grid_covariance(x, &x_grid, y, &y_grid)?)
        },
        stability_map,
    )
}
