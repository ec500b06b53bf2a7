use core::num::NonZeroU64;

use lastbit_exact::Rational;

use crate::domains::{Domain, FrameDomain, VectorDomain};
use crate::metrics::{ChangeOneDistance, Metric, SymmetricDistance};
use crate::sealed::Sealed;
use crate::statistics::{Extent, Neighbours};
use crate::{Error, MetricSpace, StabilityMap, Transformation};

/// Data made of rows: vectors and frames.
///
/// ```
/// use lastbit::domains::{AtomDomain, VectorDomain};
/// use lastbit::transformations::RowDomain;
/// let domain = VectorDomain::new(AtomDomain::<i64>::new());
/// assert_eq!((domain.public_rows(), domain.rows(&vec![4, 5])), (None, 2));
/// ```
pub trait RowDomain: Domain + Sealed {
    /// The number of rows, if it is public.
    fn public_rows(&self) -> Option<usize>;

    /// The number of rows of a data set.
    fn rows(&self, data: &Self::Carrier) -> usize;
}

impl<D: Domain> RowDomain for VectorDomain<D> {
    fn public_rows(&self) -> Option<usize> {
        self.size()
    }

    fn rows(&self, data: &Vec<D::Carrier>) -> usize {
        data.len()
    }
}

impl RowDomain for FrameDomain {
    fn public_rows(&self) -> Option<usize> {
        self.size()
    }

    fn rows(&self, data: &Self::Carrier) -> usize {
        data.rows()
    }
}

/// A metric that counts rows: [`SymmetricDistance`] or [`ChangeOneDistance`].
///
/// ```compile_fail
/// fn counts_rows<M: lastbit::transformations::RowMetric>() {}
/// // says that data sets differ, not by how many rows
/// counts_rows::<lastbit::metrics::DiscreteDistance>();
/// ```
///
/// ```
/// use lastbit::metrics::{ChangeOneDistance, SymmetricDistance};
/// use lastbit::transformations::RowMetric;
/// assert_eq!(SymmetricDistance.unpaired_rows(&3)?, 3);
/// assert_eq!(ChangeOneDistance.unpaired_rows(&3)?, 6); // three removed, three added
/// # Ok::<(), lastbit::Error>(())
/// ```
pub trait RowMetric: Metric<Distance = u64> + sealed::CountRows {
    /// The largest `|x Δ y|` of data sets x and y at a distance: how many rows have no partner.
    fn unpaired_rows(&self, distance: &u64) -> Result<u64, Error>;
}

impl RowMetric for SymmetricDistance {
    fn unpaired_rows(&self, distance: &u64) -> Result<u64, Error> {
        Ok(*distance)
    }
}

impl RowMetric for ChangeOneDistance {
    /// A changed row is one removed and one added.
    fn unpaired_rows(&self, distance: &u64) -> Result<u64, Error> {
        distance.checked_mul(2).ok_or_else(|| {
            Error::distance(format!(
                "a change-one distance of {distance} is more rows than any data set has; use a \
                 smaller one"
            ))
        })
    }
}

/// A path between two data sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RowPath {
    /// So many rows changed one after the other, the number of rows staying the same.
    Changes(u64),
    /// So many rows added or removed.
    AddRemoves(u64),
}

impl RowPath {
    /// How far the path moves a statistic whose sensitivity does not depend on the number of rows:
    /// by that for each of its steps.
    pub(super) fn moved(self, statistic: impl Fn(Neighbours) -> Extent) -> Rational {
        let (rows, of_a_step) = match self {
            RowPath::Changes(rows) => {
                let one = NonZeroU64::MIN;
                (rows, statistic(Neighbours::ChangeOne { rows: one }))
            }
            RowPath::AddRemoves(rows) => (rows, statistic(Neighbours::add_remove())),
        };
        &Rational::from(rows) * of_a_step.sensitivity()
    }
}

pub(super) mod sealed {
    use super::{ChangeOneDistance, RowPath, SymmetricDistance};

    pub trait CountRows {
        /// A path that is long enough for every two data sets at distance at most `d_in`, if `size`
        /// is the public number of rows.
        fn steps(size: Option<usize>, d_in: u64) -> RowPath;
    }

    impl CountRows for SymmetricDistance {
        fn steps(size: Option<usize>, d_in: u64) -> RowPath {
            match size {
                // As many rows are removed as added: pair them. No two data sets of one size are at
                // an odd distance; whoever asks for one means a row without its partner, which
                // exists only with the change that it belongs to: rounded up.
                Some(_) => ChangeOneDistance::steps(size, d_in.div_ceil(2)),
                None => RowPath::AddRemoves(d_in),
            }
        }
    }

    impl CountRows for ChangeOneDistance {
        fn steps(size: Option<usize>, d_in: u64) -> RowPath {
            // No more rows can change than there are.
            let most = size.map_or(u64::MAX, |rows| rows as u64);
            RowPath::Changes(d_in.min(most))
        }
    }
}

/// A public function of one row, applied to each: `d_out = d_in` in either row metric.
///
/// *Proof.* Rows that two data sets share are shared after the function too. Pair as many rows as
/// possible; the rows left over are those that the distance counts, and there are at most as many
/// after the function as before. ∎
///
/// The function must give the same result for the same record: it must not look at anything else,
/// nor at which NaN it was given.
///
/// ```
/// use lastbit::domains::{AtomDomain, VectorDomain};
/// use lastbit::metrics::SymmetricDistance;
/// use lastbit::transformations::map_rows;
/// let ages = VectorDomain::new(AtomDomain::bounded(0_i64, 120)?);
/// let decades =
///     map_rows(ages, SymmetricDistance, AtomDomain::bounded(0_i64, 12)?, |age| age / 10)?;
/// assert_eq!(decades.invoke(&vec![31, 58, 120])?, [3, 5, 12]);
/// assert_eq!(decades.map(&1)?, 1);
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn map_rows<DI, DO, M>(
    domain: VectorDomain<DI>,
    metric: M,
    output: DO,
    function: impl Fn(&DI::Carrier) -> DO::Carrier + Send + Sync + 'static,
) -> Result<Transformation<VectorDomain<DI>, M, VectorDomain<DO>, M>, Error>
where
    DI: Domain,
    DO: Domain,
    M: RowMetric,
    VectorDomain<DI>: MetricSpace<M, Carrier = Vec<DI::Carrier>>,
    VectorDomain<DO>: MetricSpace<M, Carrier = Vec<DO::Carrier>>,
{
    let output = same_size(VectorDomain::new(output), domain.size());
    Transformation::new(
        domain,
        metric.clone(),
        output,
        metric,
        move |rows| Ok(rows.iter().map(&function).collect()),
        StabilityMap::identity(),
    )
}

/// The domain with this size, if there is one.
pub(super) fn same_size<D: Domain>(
    domain: VectorDomain<D>,
    size: Option<usize>,
) -> VectorDomain<D> {
    match size {
        Some(size) => domain.with_size(size),
        None => domain,
    }
}

/// The map of a function that leaves out rows, or keeps one of several. Each row of the input
/// accounts for at most one row of the output: adding or removing a row adds or removes at most
/// one, and changing a row removes at most one and adds at most one.
pub(super) fn at_most_one_row_each<M: RowMetric>(
    size: Option<usize>,
) -> StabilityMap<M, SymmetricDistance> {
    StabilityMap::new(move |&d_in| match M::steps(size, d_in) {
        RowPath::Changes(changes) => changes.checked_mul(2).ok_or_else(too_far),
        RowPath::AddRemoves(rows) => Ok(rows),
    })
}

#[cold]
pub(super) fn too_far() -> Error {
    Error::unbounded("the distance is 2^64 rows or more; use a smaller distance")
}
