use super::rows::{RowMetric, at_most_one_row_each};
use super::select::column;
use crate::domains::{ColumnType, Domain, Frame, FrameColumn, FrameDomain, VectorDomain};
use crate::metrics::SymmetricDistance;
use crate::{Error, MetricSpace, Transformation};

/// The rows that meet a public condition: `d_out = d_in` for rows added or removed, `2·d_in` for
/// rows changed.
///
/// The number of rows is not public any more, even if it was before. To count the rows that remain,
/// use [`count_if`](super::count_if): it does not pay twice for a change.
///
/// *Proof.* Each row of the input gives at most one of the output. So a row added or removed adds
/// or removes at most one; a row changed removes at most one and adds at most one, and does so if
/// both values meet the condition. ∎
///
/// ```
/// use lastbit::domains::{AtomDomain, VectorDomain};
/// use lastbit::metrics::SymmetricDistance;
/// use lastbit::transformations::filter;
/// let ages = VectorDomain::new(AtomDomain::bounded(0_i64, 120)?);
/// let adults = filter(ages, SymmetricDistance, |&age| age >= 18)?;
/// assert_eq!(adults.invoke(&vec![31, 17, 58])?, [31, 58]);
/// assert_eq!(adults.map(&1)?, 1);
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn filter<D, M>(
    domain: VectorDomain<D>,
    metric: M,
    predicate: impl Fn(&D::Carrier) -> bool + Send + Sync + 'static,
) -> Result<Transformation<VectorDomain<D>, M, VectorDomain<D>, SymmetricDistance>, Error>
where
    D: Domain,
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
        move |rows| Ok(rows.iter().filter(|row| predicate(row)).cloned().collect()),
        at_most_one_row_each::<M>(size),
    )
}

/// The rows of a frame in which one column meets a public condition: as [`filter`].
///
/// ```
/// use lastbit::domains::{AtomDomain, Frame, FrameDomain};
/// use lastbit::metrics::SymmetricDistance;
/// use lastbit::transformations::filter_frame;
/// let domain = FrameDomain::new([
///     ("age", AtomDomain::<i64>::new().into()),
///     ("city", AtomDomain::<String>::new().into()),
/// ])?;
/// let adults = filter_frame::<i64, _>(domain, SymmetricDistance, "age", |&age| age >= 18)?;
/// let cities = ["Oslo", "Rome", "Oslo"].map(String::from).to_vec();
/// let kept = adults
///     .invoke(&Frame::new([("age", vec![31_i64, 17, 58].into()), ("city", cities.into())])?)?;
/// assert_eq!(kept.column::<String>("city").unwrap(), ["Oslo", "Oslo"]);
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn filter_frame<T: ColumnType, M: RowMetric>(
    domain: FrameDomain,
    metric: M,
    name: &str,
    predicate: impl Fn(&T) -> bool + Send + Sync + 'static,
) -> Result<Transformation<FrameDomain, M, FrameDomain, SymmetricDistance>, Error>
where
    FrameDomain: MetricSpace<M, Carrier = Frame>,
{
    domain.column::<T>(name)?;
    let size = domain.size();
    let output = FrameDomain::new(domain.columns().iter().cloned())?;
    let name = name.to_string();
    Transformation::new(
        domain,
        metric,
        output,
        SymmetricDistance,
        move |frame| {
            let keep: Vec<bool> = column::<T>(frame, &name)?.iter().map(&predicate).collect();
            let columns = frame.columns().iter();
            Frame::new(columns.map(|(name, column)| (name.clone(), kept(column, &keep))))
        },
        at_most_one_row_each::<M>(size),
    )
}

fn kept(column: &FrameColumn, keep: &[bool]) -> FrameColumn {
    fn of<T: Clone>(values: &[T], keep: &[bool]) -> Vec<T> {
        let marked = values.iter().zip(keep);
        let kept = marked.filter(|&(_, &keep)| keep);
        kept.map(|(value, _)| value.clone()).collect()
    }
    match column {
        FrameColumn::I64(values) => of(values, keep).into(),
        FrameColumn::U64(values) => of(values, keep).into(),
        FrameColumn::F64(values) => of(values, keep).into(),
        FrameColumn::Bool(values) => of(values, keep).into(),
        FrameColumn::Text(values) => of(values, keep).into(),
    }
}
