use super::rows::{RowMetric, map_rows};
use crate::domains::{AtomDomain, Ordered, VectorDomain};
use crate::{Error, MetricSpace, Transformation};

/// Each row moved into `[lower, upper]`: `d_out = d_in`.
///
/// ±∞ becomes a bound; a missing value stays missing, and the output domain says so.
///
/// *Proof.* A function of one row, see [`map_rows`]. ∎
///
/// ```
/// use lastbit::domains::{AtomDomain, VectorDomain};
/// use lastbit::metrics::SymmetricDistance;
/// use lastbit::transformations::clamp;
/// let rows = VectorDomain::new(AtomDomain::<f64>::new().with_infinities());
/// let clamped = clamp(rows, SymmetricDistance, 0.0, 100.0)?;
/// assert_eq!(clamped.invoke(&vec![-3.0, 41.5, f64::INFINITY])?, [0.0, 41.5, 100.0]);
/// assert_eq!(clamped.output_domain().to_string(), "vectors of f64 in [0, 100]");
/// assert_eq!(clamped.map(&1)?, 1);
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn clamp<T: Ordered, M: RowMetric>(
    domain: VectorDomain<AtomDomain<T>>,
    metric: M,
    lower: T,
    upper: T,
) -> Result<Transformation<VectorDomain<AtomDomain<T>>, M, VectorDomain<AtomDomain<T>>, M>, Error>
where
    VectorDomain<AtomDomain<T>>: MetricSpace<M, Carrier = Vec<T>>,
{
    let bounded = AtomDomain::bounded(lower.clone(), upper.clone())?;
    let output = bounded.with_nulls_of(domain.element());
    map_rows(domain, metric, output, move |row| {
        if row.is_null() {
            row.clone()
        } else if row.compare(&lower).is_lt() {
            lower.clone()
        } else if row.compare(&upper).is_gt() {
            upper.clone()
        } else {
            row.clone()
        }
    })
}
