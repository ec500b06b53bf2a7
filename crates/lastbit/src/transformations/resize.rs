use core::cmp::Ordering;

use super::rows::{RowMetric, RowPath};
use super::{TotalOrder, TransformationError};
use crate::domains::{AtomDomain, Domain, VectorDomain};
use crate::metrics::ChangeOneDistance;
use crate::{Error, MetricSpace, StabilityMap, Transformation};

/// Which rows stay if there are too many: a public order of values, so that the order of the rows
/// does not matter.
///
/// ```
/// use lastbit::domains::{AtomDomain, VectorDomain};
/// use lastbit::metrics::SymmetricDistance;
/// use lastbit::transformations::{Keep, resize};
/// let rows = VectorDomain::new(AtomDomain::<i64>::new());
/// let largest = resize(rows.clone(), SymmetricDistance, 2, Keep::Largest, 0)?;
/// assert_eq!(largest.invoke(&vec![4, 1, 3])?, [4, 3]);
/// let scattered = resize(rows, SymmetricDistance, 2, Keep::Scattered, 0)?;
/// assert_eq!(scattered.invoke(&vec![4, 1, 3])?, scattered.invoke(&vec![1, 3, 4])?);
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Keep {
    /// The smallest.
    Smallest,
    /// The largest.
    Largest,
    /// Values with the smallest public hash: no preference for small or large ones. Equal values
    /// stay or go together, as far as there is room.
    Scattered,
}

/// Exactly `size` rows: too many are cut by a public order, too few are filled up with a public
/// constant. One row added, removed or changed is one row changed: `d_out = d_in`, at most `size`,
/// in change-one distance (twice that in symmetric distance).
///
/// *Proof.* Rows tie in the order only if they are the same record, so the output, as a multiset,
/// is a function of the multiset of rows: it is the first `n` in the order of the rows followed by
/// `n` constants.
///
/// Let two data sets be `S` and one row more, `S ∪ {x}` and `S ∪ {y}`. The output for either has
/// the first `n − 1` of `S` and the constants, and one further row. So they differ in at most one
/// row: a change moves the output by at most one change. The data set `S` itself gives the first
/// `n`, which are the first `n − 1` and one further row: the same holds for a row added or removed.
/// The steps of a path add up, and `n` rows differ in at most `n`. A row added to an empty data set
/// reaches 1. ∎
///
/// Chain with what needs a public number of rows, such as [`mean`](super::mean).
///
/// ```
/// use lastbit::domains::{AtomDomain, VectorDomain};
/// use lastbit::metrics::SymmetricDistance;
/// use lastbit::transformations::{Keep, mean, resize};
/// let ages = VectorDomain::new(AtomDomain::bounded(0_i64, 120)?);
/// let four = resize(ages, SymmetricDistance, 4, Keep::Smallest, 40)?;
/// assert_eq!(four.invoke(&vec![31, 58])?, [31, 58, 40, 40]);
/// assert_eq!(four.invoke(&vec![31, 58, 17, 90, 3])?, [3, 17, 31, 58]);
/// assert_eq!(four.map(&1)?, 1);
/// let average = (four.clone() >> mean(four.output_domain().clone(), *four.output_metric())?)?;
/// assert_eq!(average.map(&1)?.to_string(), "30");
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn resize<T: TotalOrder, M: RowMetric>(
    domain: VectorDomain<AtomDomain<T>>,
    metric: M,
    size: usize,
    keep: Keep,
    constant: T,
) -> Result<
    Transformation<VectorDomain<AtomDomain<T>>, M, VectorDomain<AtomDomain<T>>, ChangeOneDistance>,
    Error,
>
where
    VectorDomain<AtomDomain<T>>: MetricSpace<M, Carrier = Vec<T>>,
{
    if size == 0 {
        return Err(TransformationError::ResizeToNothing.into());
    }
    check_constant("constant", &constant, domain.element())?;
    let rows_in = domain.size();
    let output = domain.clone().with_size(size);
    Transformation::new(
        domain,
        metric,
        output,
        ChangeOneDistance,
        move |rows| {
            let mut kept = if rows.len() > size {
                first(rows, size, keep)
            } else {
                rows.clone()
            };
            kept.resize(size, constant.clone());
            Ok(kept)
        },
        StabilityMap::new(move |&d_in| {
            let (RowPath::Changes(rows) | RowPath::AddRemoves(rows)) = M::steps(rows_in, d_in);
            Ok(rows.min(size as u64))
        }),
    )
}

/// The first `size` of more rows in the public order.
fn first<T: TotalOrder>(rows: &[T], size: usize, keep: Keep) -> Vec<T> {
    let mut keyed: Vec<(u64, &T)> = match keep {
        Keep::Scattered => rows.iter().map(|row| (public_hash(row), row)).collect(),
        _ => rows.iter().map(|row| (0, row)).collect(),
    };
    let order = |(a, x): &(u64, &T), (b, y): &(u64, &T)| -> Ordering {
        match keep {
            Keep::Largest => y.total_order(x),
            _ => a.cmp(b).then_with(|| x.total_order(y)),
        }
    };
    keyed.sort_unstable_by(order);
    keyed[..size].iter().map(|&(_, row)| row.clone()).collect()
}

/// FNV-1a of the text of the value, then mixed; different values may collide, and then their order
/// decides.
fn public_hash(value: &impl TotalOrder) -> u64 {
    let text = value.to_string();
    let fnv = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let mixed = (fnv ^ (fnv >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 29)
}

/// A public constant must be in the domain.
pub(super) fn check_constant<D: Domain>(
    what: &'static str,
    value: &D::Carrier,
    domain: &D,
) -> Result<(), Error>
where
    D::Carrier: core::fmt::Display,
{
    if domain.contains(value) {
        return Ok(());
    }
    Err(TransformationError::ConstantOutside {
        what,
        value: value.to_string(),
        domain: domain.to_string(),
    }
    .into())
}
