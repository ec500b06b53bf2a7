use super::rows::{RowMetric, same_size};
use crate::domains::{AtomDomain, ColumnType, Frame, FrameDomain, VectorDomain};
use crate::{Error, MetricSpace, StabilityMap, Transformation};

/// One column of a frame: `d_out = d_in`.
///
/// *Proof.* A function of one row, see [`map_rows`](super::map_rows). ∎
///
/// ```
/// use lastbit::domains::{AtomDomain, Frame, FrameDomain};
/// use lastbit::metrics::SymmetricDistance;
/// use lastbit::transformations::select;
/// let domain = FrameDomain::new([
///     ("age", AtomDomain::bounded(0_i64, 120)?.into()),
///     ("name", AtomDomain::<String>::new().into()),
/// ])?;
/// let ages = select::<i64, _>(domain.clone(), SymmetricDistance, "age")?;
/// let frame =
///     Frame::new([("age", vec![31_i64].into()), ("name", vec!["Ada".to_string()].into())])?;
/// assert_eq!(ages.invoke(&frame)?, [31]);
/// assert_eq!(ages.output_domain().to_string(), "vectors of i64 in [0, 120]");
/// assert_eq!(
///     select::<i64, _>(domain, SymmetricDistance, "salary").unwrap_err().to_string(),
///     "there is no column `salary`; the columns are age, name"
/// );
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn select<T: ColumnType, M: RowMetric>(
    domain: FrameDomain,
    metric: M,
    name: &str,
) -> Result<Transformation<FrameDomain, M, VectorDomain<AtomDomain<T>>, M>, Error>
where
    FrameDomain: MetricSpace<M, Carrier = Frame>,
    VectorDomain<AtomDomain<T>>: MetricSpace<M, Carrier = Vec<T>>,
{
    let element = domain.column::<T>(name)?.clone();
    let output = same_size(VectorDomain::new(element), domain.size());
    let name = name.to_string();
    Transformation::new(
        domain,
        metric.clone(),
        output,
        metric,
        move |frame| Ok(column::<T>(frame, &name)?.to_vec()),
        StabilityMap::identity(),
    )
}

/// A column that the domain has, so that every frame in it does.
pub(super) fn column<'a, T: ColumnType>(frame: &'a Frame, name: &str) -> Result<&'a [T], Error> {
    let missing = || Error::other(format!("the frame has no column `{name}` of {}", T::NAME));
    frame.column(name).ok_or_else(missing)
}
