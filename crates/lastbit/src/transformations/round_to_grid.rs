use super::TransformationError;
use super::rows::{RowMetric, map_rows};
use crate::domains::{AtomDomain, VectorDomain};
use crate::statistics::{Grid, NonFinite};
use crate::{Error, MetricSpace, Transformation};

type Rounded<M> =
    Transformation<VectorDomain<AtomDomain<f64>>, M, VectorDomain<AtomDomain<i64>>, M>;

/// Each row clamped and rounded to a whole number of steps of a [`Grid`]: `d_out = d_in`.
///
/// The output counts steps of `2^exponent`; multiply a statistic of it by the step with
/// [`scale`](super::scale).
///
/// *Proof.* A function of one row, see [`map_rows`]. ∎
///
/// ```
/// use lastbit::Bounds;
/// use lastbit::domains::{AtomDomain, VectorDomain};
/// use lastbit::metrics::SymmetricDistance;
/// use lastbit::statistics::{Grid, NonFinite};
/// use lastbit::transformations::round_to_grid;
/// let grid = Grid::new(&Bounds::parse("0", "10")?, -1, NonFinite::Refuse)?; // halves
/// let rounded =
///     round_to_grid(VectorDomain::new(AtomDomain::<f64>::new()), SymmetricDistance, &grid)?;
/// assert_eq!(rounded.invoke(&vec![0.3, 9.74, 1e300])?, [1, 19, 20]);
/// assert_eq!(rounded.output_domain().to_string(), "vectors of i64 in [0, 20]");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn round_to_grid<M: RowMetric>(
    domain: VectorDomain<AtomDomain<f64>>,
    metric: M,
    grid: &Grid,
) -> Result<Rounded<M>, Error>
where
    VectorDomain<AtomDomain<f64>>: MetricSpace<M, Carrier = Vec<f64>>,
    VectorDomain<AtomDomain<i64>>: MetricSpace<M, Carrier = Vec<i64>>,
{
    check_grid(domain.element(), grid, "rounding to a grid that refuses")?;
    let (lower, upper) = grid.bounds_in_steps();
    let output = AtomDomain::bounded(lower, upper)?;
    let grid = grid.clone();
    map_rows(domain, metric, output, move |&row| {
        grid.steps(row)
            .expect("the grid takes every row of the domain")
    })
}

/// The grid has a rule for every value of the domain, so that whether it fails does not depend on
/// the data.
pub(super) fn check_grid(
    domain: &AtomDomain<f64>,
    grid: &Grid,
    what: &'static str,
) -> Result<(), Error> {
    match grid.non_finite() {
        NonFinite::Refuse if !domain.is_regular() => Err(TransformationError::Irregular {
            domain: domain.to_string(),
            what,
            remedy: "build the grid with NonFinite::ReplaceNan, or use cast_or_drop or \
                cast_or_replace first",
        }
        .into()),
        _ => Ok(()),
    }
}
