use super::rows::{RowDomain, RowMetric};
use crate::domains::{AtomDomain, Domain, VectorDomain};
use crate::metrics::AbsoluteDistance;
use crate::{Error, MetricSpace, StabilityMap, Transformation, statistics};

/// The number of rows: `d_out = d_in` for rows added or removed, 0 if the number of rows is public.
///
/// *Proof.* [`statistics::row_count`]; the steps of a path add up. ∎
///
/// ```
/// use lastbit::domains::{AtomDomain, VectorDomain};
/// use lastbit::metrics::SymmetricDistance;
/// use lastbit::transformations::count;
/// let rows = VectorDomain::new(AtomDomain::<String>::new());
/// let counted = count(rows, SymmetricDistance)?;
/// assert_eq!(counted.invoke(&vec!["a".into(), "b".into()])?, 2);
/// assert_eq!(counted.map(&1)?.to_string(), "1");
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn count<D, M>(
    domain: D,
    metric: M,
) -> Result<Transformation<D, M, AtomDomain<i64>, AbsoluteDistance>, Error>
where
    D: RowDomain + MetricSpace<M>,
    M: RowMetric,
{
    let size = domain.public_rows();
    let rows = domain.clone();
    Transformation::new(
        domain,
        metric,
        AtomDomain::new(),
        AbsoluteDistance,
        move |data| Ok(rows.rows(data) as i64),
        StabilityMap::new(move |&d_in| Ok(M::steps(size, d_in).moved(statistics::row_count))),
    )
}

/// The number of rows that meet a public condition: one row moves it by at most 1, added, removed
/// or changed.
///
/// *Proof.* [`statistics::count`](crate::statistics::count()); the steps of a path add up. Under
/// change-one this is half of what [`filter`](super::filter) and [`count`] together can promise. ∎
///
/// ```
/// use lastbit::domains::{AtomDomain, VectorDomain};
/// use lastbit::metrics::ChangeOneDistance;
/// use lastbit::transformations::count_if;
/// let ages = VectorDomain::new(AtomDomain::<i64>::new()).with_size(3);
/// let adults = count_if(ages, ChangeOneDistance, |&age| age >= 18)?;
/// assert_eq!(adults.invoke(&vec![31, 17, 58])?, 2);
/// assert_eq!(adults.map(&1)?.to_string(), "1");
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn count_if<D, M>(
    domain: VectorDomain<D>,
    metric: M,
    predicate: impl Fn(&D::Carrier) -> bool + Send + Sync + 'static,
) -> Result<Transformation<VectorDomain<D>, M, AtomDomain<i64>, AbsoluteDistance>, Error>
where
    D: Domain,
    M: RowMetric,
    VectorDomain<D>: MetricSpace<M, Carrier = Vec<D::Carrier>>,
{
    let size = domain.size();
    Transformation::new(
        domain,
        metric,
        AtomDomain::new(),
        AbsoluteDistance,
        move |rows| Ok(rows.iter().filter(|row| predicate(row)).count() as i64),
        StabilityMap::new(move |&d_in| Ok(M::steps(size, d_in).moved(statistics::count))),
    )
}
