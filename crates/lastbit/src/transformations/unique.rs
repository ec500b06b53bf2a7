use std::collections::BTreeSet;

use super::rows::{RowMetric, at_most_one_row_each};
use crate::domains::{Domain, VectorDomain};
use crate::metrics::SymmetricDistance;
use crate::{Error, MetricSpace, Transformation};

/// Every value that occurs, once, in order: `d_out = d_in` for rows added or removed, `2·d_in` for
/// rows changed.
///
/// Chain with [`count`](super::count) for the number of distinct values. The values themselves are
/// facts about the data.
///
/// *Proof.* A row added adds at most its own value to the set, and one removed removes at most its
/// own. A row changed does both, and does so if it was the only one with its value and its new
/// value is new. ∎
///
/// ```
/// use lastbit::domains::{AtomDomain, VectorDomain};
/// use lastbit::metrics::SymmetricDistance;
/// use lastbit::transformations::{count, unique};
/// let visits = VectorDomain::new(AtomDomain::<i64>::new());
/// let visitors = unique(visits.clone(), SymmetricDistance)?;
/// assert_eq!(visitors.invoke(&vec![4, 1, 4, 4])?, [1, 4]);
/// let how_many = (visitors >> count(visits, SymmetricDistance)?)?;
/// assert_eq!(how_many.map(&1)?.to_string(), "1");
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn unique<D, M>(
    domain: VectorDomain<D>,
    metric: M,
) -> Result<Transformation<VectorDomain<D>, M, VectorDomain<D>, SymmetricDistance>, Error>
where
    D: Domain<Carrier: Ord>,
    M: RowMetric,
    VectorDomain<D>: MetricSpace<M, Carrier = Vec<D::Carrier>>,
{
    let size = domain.size();
    let output = domain.clone().without_size();
    Transformation::new(
        domain,
        metric,
        output,
        SymmetricDistance,
        |rows| {
            let distinct: BTreeSet<&D::Carrier> = rows.iter().collect();
            Ok(distinct.into_iter().cloned().collect())
        },
        at_most_one_row_each::<M>(size),
    )
}
