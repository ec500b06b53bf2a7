use super::Binning;
use super::rows::{RowMetric, map_rows};
use crate::domains::{AtomDomain, Domain, VectorDomain};
use crate::{Error, MetricSpace, Transformation};

/// The bin of each row, counted from zero: `d_out = d_in`.
///
/// *Proof.* A function of one row, see [`map_rows`]. ∎
///
/// ```
/// use lastbit::domains::{AtomDomain, VectorDomain};
/// use lastbit::metrics::SymmetricDistance;
/// use lastbit::transformations::{CategoryBins, index};
/// let cities = VectorDomain::new(AtomDomain::<String>::new());
/// let known = CategoryBins::new(["Oslo", "Rome"].map(String::from))?;
/// let bins = index(cities, SymmetricDistance, &known)?;
/// assert_eq!(bins.invoke(&vec!["Rome".into(), "Bern".into(), "Oslo".into()])?, [1, 2, 0]);
/// assert_eq!(bins.output_domain().to_string(), "vectors of u64 in [0, 2]");
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn index<D, M, B>(
    domain: VectorDomain<D>,
    metric: M,
    binning: &B,
) -> Result<Transformation<VectorDomain<D>, M, VectorDomain<AtomDomain<u64>>, M>, Error>
where
    D: Domain,
    M: RowMetric,
    B: Binning<D>,
    VectorDomain<D>: MetricSpace<M, Carrier = Vec<D::Carrier>>,
    VectorDomain<AtomDomain<u64>>: MetricSpace<M, Carrier = Vec<u64>>,
{
    binning.check(domain.element())?;
    let binning = binning.clone();
    let output = AtomDomain::bounded(0, binning.bins() as u64 - 1)?;
    map_rows(domain, metric, output, move |row| binning.bin(row) as u64)
}
