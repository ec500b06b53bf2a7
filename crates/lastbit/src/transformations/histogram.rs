use super::norm::Levels;
use super::rows::RowMetric;
use super::{Binning, Norm};
use crate::domains::{AtomDomain, Domain, VectorDomain};
use crate::{Error, MetricSpace, StabilityMap, Transformation};

/// The number of rows in each bin of [`Edges`](super::Edges) or
/// [`CategoryBins`](super::CategoryBins).
///
/// | | L1 | L2 | L∞ |
/// |---|---|---|---|
/// | a row added or removed | 1 | 1 | 1 |
/// | a row changed | 2 | √2 | 1 |
///
/// *Proof.* A row is in exactly one bin. Added or removed, it moves one entry by 1. Changed, it
/// stays in its bin or lowers one entry by 1 and raises another by 1. Norms of a path add up; `d`
/// rows that all make the same move reach the bound. ∎
///
/// ```
/// use lastbit::domains::{AtomDomain, VectorDomain};
/// use lastbit::metrics::{ChangeOneDistance, L1Distance, L2Distance};
/// use lastbit::transformations::{Edges, histogram};
/// let ages = VectorDomain::new(AtomDomain::<i64>::new()).with_size(4);
/// let edges = Edges::new([0_i64, 18, 65])?;
/// let bins = histogram(ages.clone(), ChangeOneDistance, &edges, L1Distance)?;
/// assert_eq!(bins.invoke(&vec![31, 17, 18, 90])?, [0, 1, 2, 1]);
/// assert_eq!(bins.map(&1)?.to_string(), "2");
/// assert_eq!(histogram(ages, ChangeOneDistance, &edges, L2Distance)?.map(&1)?.get(), 2f64.sqrt());
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn histogram<D, M, B, N>(
    domain: VectorDomain<D>,
    metric: M,
    binning: &B,
    norm: N,
) -> Result<Transformation<VectorDomain<D>, M, VectorDomain<AtomDomain<i64>>, N>, Error>
where
    D: Domain,
    M: RowMetric,
    B: Binning<D>,
    N: Norm,
    VectorDomain<D>: MetricSpace<M, Carrier = Vec<D::Carrier>>,
    VectorDomain<AtomDomain<i64>>: MetricSpace<N, Carrier = Vec<i64>>,
{
    binning.check(domain.element())?;
    let size = domain.size();
    let binning = binning.clone();
    let levels = Levels::histogram();
    Transformation::new(
        domain,
        metric,
        VectorDomain::new(AtomDomain::new()).with_size(binning.bins()),
        norm,
        move |rows| {
            let mut counts = vec![0; binning.bins()];
            for row in rows {
                counts[binning.bin(row)] += 1;
            }
            Ok(counts)
        },
        StabilityMap::new(move |&d_in| Ok(N::bound(M::steps(size, d_in), &levels))),
    )
}
