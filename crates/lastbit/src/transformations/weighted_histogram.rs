use lastbit_exact::{Integer, Rational};

use super::norm::Levels;
use super::round_to_grid::check_grid;
use super::rows::RowMetric;
use super::select::column;
use super::sum::bounds_of;
use super::{Binning, ExactNumber, Norm};
use crate::domains::{AtomDomain, ColumnType, Frame, FrameDomain, VectorDomain};
use crate::statistics::Grid;
use crate::{Error, MetricSpace, StabilityMap, Transformation};

/// The total integer weight of the rows in each bin; the weights are a column in `[a, b]`, the
/// values another.
///
/// With `m = max(|a|, |b|)`:
///
/// | | L1 | L2 | L∞ |
/// |---|---|---|---|
/// | a row added or removed | m | m | m |
/// | a row changed | 2m | max(√2·m, b − a) | max(m, b − a) |
///
/// *Proof.* A row is in exactly one bin. Added or removed, it moves that entry by its weight.
/// Changed, it either moves one entry by the difference of two weights, at most `b − a ≤ 2m`, or
/// two entries by a weight each. Norms of a path add up; `d` rows that all make the same move reach
/// the bound. ∎
///
/// ```
/// use lastbit::domains::{AtomDomain, Frame, FrameDomain};
/// use lastbit::metrics::{L1Distance, SymmetricDistance};
/// use lastbit::transformations::{CategoryBins, weighted_histogram};
/// let domain = FrameDomain::new([
///     ("region", AtomDomain::<String>::new().into()),
///     ("people", AtomDomain::bounded(1_i64, 12)?.into()),
/// ])?;
/// let regions = CategoryBins::new(["north", "south"].map(String::from))?;
/// let people = weighted_histogram::<_, i64, _, _, _>(
///     domain,
///     SymmetricDistance,
///     "region",
///     &regions,
///     "people",
///     L1Distance,
/// )?;
/// let rows = Frame::new([
///     ("region", ["south", "north", "south"].map(String::from).to_vec().into()),
///     ("people", vec![3_i64, 1, 12].into()),
/// ])?;
/// let totals: Vec<String> = people.invoke(&rows)?.iter().map(|n| n.to_string()).collect();
/// assert_eq!(totals, ["1", "15", "0"]);
/// assert_eq!(people.map(&1)?.to_string(), "12");
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn weighted_histogram<T, W, M, B, N>(
    domain: FrameDomain,
    metric: M,
    values: &str,
    binning: &B,
    weights: &str,
    norm: N,
) -> Result<Transformation<FrameDomain, M, VectorDomain<AtomDomain<Integer>>, N>, Error>
where
    T: ColumnType,
    W: ExactNumber<Sum = Integer> + ColumnType + Into<i128>,
    M: RowMetric,
    B: Binning<AtomDomain<T>>,
    N: Norm,
    FrameDomain: MetricSpace<M, Carrier = Frame>,
    VectorDomain<AtomDomain<Integer>>: MetricSpace<N, Carrier = Vec<Integer>>,
{
    let bounds = bounds_of(domain.column::<W>(weights)?, "weighted histogram")?;
    let levels = Levels::weighted(bounds.lower().clone(), bounds.upper().clone());
    binning.check(domain.column::<T>(values)?)?;
    let size = domain.size();
    let binning = binning.clone();
    let (values, weights) = (values.to_string(), weights.to_string());
    Transformation::new(
        domain,
        metric,
        VectorDomain::new(AtomDomain::new()).with_size(binning.bins()),
        norm,
        move |frame| {
            let weights = column::<W>(frame, &weights)?.iter();
            let totals = total(
                &binning,
                column::<T>(frame, &values)?,
                weights.map(|weight| weight.clone().into()),
            );
            Ok(totals.into_iter().map(Integer::from).collect())
        },
        StabilityMap::new(move |&d_in| Ok(N::bound(M::steps(size, d_in), &levels))),
    )
}

/// The total weight of the rows in each bin; the weights are floats, each clamped and rounded to a
/// [`Grid`]: as [`weighted_histogram`], with `[a, b]` the bounds of the grid.
///
/// ```
/// use lastbit::Bounds;
/// use lastbit::domains::{AtomDomain, Frame, FrameDomain};
/// use lastbit::metrics::{L1Distance, SymmetricDistance};
/// use lastbit::statistics::{Grid, NonFinite};
/// use lastbit::transformations::{Edges, weighted_histogram_on_grid};
/// let any = AtomDomain::<f64>::new();
/// let domain = FrameDomain::new([("age", any.clone().into()), ("weight", any.into())])?;
/// let grid = Grid::new(&Bounds::parse("0", "2")?, -4, NonFinite::Refuse)?;
/// let edges = Edges::new([0.0, 50.0, 100.0])?;
/// let ages = weighted_histogram_on_grid(
///     domain,
///     SymmetricDistance,
///     "age",
///     &edges,
///     ("weight", &grid),
///     L1Distance,
/// )?;
/// let rows = Frame::new([
///     ("age", vec![20.0, 30.0, 70.0].into()),
///     ("weight", vec![0.5, 0.75, 9.0].into()),
/// ])?;
/// let totals: Vec<String> = ages.invoke(&rows)?.iter().map(|w| w.to_string()).collect();
/// assert_eq!(totals, ["0", "1.25", "2", "0"]);
/// assert_eq!(ages.map(&1)?.to_string(), "2");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn weighted_histogram_on_grid<T, M, B, N>(
    domain: FrameDomain,
    metric: M,
    values: &str,
    binning: &B,
    (weights, grid): (&str, &Grid),
    norm: N,
) -> Result<Transformation<FrameDomain, M, VectorDomain<AtomDomain<Rational>>, N>, Error>
where
    T: ColumnType,
    M: RowMetric,
    B: Binning<AtomDomain<T>>,
    N: Norm,
    FrameDomain: MetricSpace<M, Carrier = Frame>,
    VectorDomain<AtomDomain<Rational>>: MetricSpace<N, Carrier = Vec<Rational>>,
{
    check_grid(
        domain.column::<f64>(weights)?,
        grid,
        "a weight on a grid that refuses",
    )?;
    binning.check(domain.column::<T>(values)?)?;
    let levels = Levels::weighted(grid.bounds().lower().clone(), grid.bounds().upper().clone());
    let size = domain.size();
    let (binning, grid) = (binning.clone(), grid.clone());
    let (values, weights) = (values.to_string(), weights.to_string());
    Transformation::new(
        domain,
        metric,
        VectorDomain::new(AtomDomain::new()).with_size(binning.bins()),
        norm,
        move |frame| {
            let weights = column::<f64>(frame, &weights)?.iter();
            let steps: Vec<i64> = weights
                .map(|&weight| grid.steps(weight))
                .collect::<Result<_, _>>()?;
            let totals = total(
                &binning,
                column::<T>(frame, &values)?,
                steps.into_iter().map(i128::from),
            );
            let exponent = i64::from(grid.exponent());
            let values = totals.into_iter().map(Integer::from).map(Rational::from);
            Ok(values
                .map(|steps| steps.times_power_of_two(exponent))
                .collect())
        },
        StabilityMap::new(move |&d_in| Ok(N::bound(M::steps(size, d_in), &levels))),
    )
}

/// Weights are below 2^64 in size and a vector has fewer than 2^63 rows: totals are below 2^127.
fn total<T: ColumnType>(
    binning: &impl Binning<AtomDomain<T>>,
    values: &[T],
    weights: impl Iterator<Item = i128>,
) -> Vec<i128> {
    let mut totals = vec![0; binning.bins()];
    for (value, weight) in values.iter().zip(weights) {
        totals[binning.bin(value)] += weight;
    }
    totals
}
