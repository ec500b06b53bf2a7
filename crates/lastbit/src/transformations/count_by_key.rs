use std::collections::BTreeMap;

use super::Norm;
use super::norm::Levels;
use super::rows::RowMetric;
use crate::domains::{AtomDomain, Domain, MapDomain, VectorDomain};
use crate::{Error, MetricSpace, StabilityMap, Transformation};

/// The number of rows with each value that occurs: as [`histogram`](super::histogram), for values
/// that are not public.
///
/// Which keys there are is a fact about the data. Only a measurement that decides by a noisy
/// threshold which of them to name may follow.
///
/// In [`ContributionDistance`](crate::metrics::ContributionDistance), which thresholds need, `d`
/// rows added or removed move at most `d` keys by at most `d` each, and `d` rows changed at most
/// `2d` keys.
///
/// *Proof.* A key that a map lacks counts as zero, so this is a histogram with a bin for every
/// possible value. A row added or removed moves one key by 1, and a row changed at most two. ∎
///
/// ```
/// use lastbit::domains::{AtomDomain, VectorDomain};
/// use lastbit::metrics::{L1Distance, SymmetricDistance};
/// use lastbit::transformations::count_by_key;
/// let cities = VectorDomain::new(AtomDomain::<String>::new());
/// let counts = count_by_key(cities, SymmetricDistance, L1Distance)?;
/// let found = counts.invoke(&vec!["Oslo".into(), "Rome".into(), "Oslo".into()])?;
/// assert_eq!(found["Oslo"], 2);
/// assert_eq!(counts.map(&1)?.to_string(), "1");
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn count_by_key<D, M, N>(
    domain: VectorDomain<D>,
    metric: M,
    norm: N,
) -> Result<Transformation<VectorDomain<D>, M, MapDomain<D, AtomDomain<i64>>, N>, Error>
where
    D: Domain<Carrier: Ord>,
    M: RowMetric,
    N: Norm,
    VectorDomain<D>: MetricSpace<M, Carrier = Vec<D::Carrier>>,
    MapDomain<D, AtomDomain<i64>>: MetricSpace<N, Carrier = BTreeMap<D::Carrier, i64>>,
{
    let size = domain.size();
    let output = MapDomain::new(domain.element().clone(), AtomDomain::new());
    let levels = Levels::histogram();
    Transformation::new(
        domain,
        metric,
        output,
        norm,
        |rows| {
            let mut counts: BTreeMap<D::Carrier, i64> = BTreeMap::new();
            for row in rows {
                match counts.get_mut(row) {
                    Some(count) => *count += 1,
                    None => {
                        counts.insert(row.clone(), 1);
                    }
                }
            }
            Ok(counts)
        },
        StabilityMap::new(move |&d_in| Ok(N::bound(M::steps(size, d_in), &levels))),
    )
}
