use lastbit_exact::Rational;

use super::Tree;
use crate::domains::{AtomDomain, Domain, VectorDomain};
use crate::metrics::L1Distance;
use crate::transformations::norm::Levels;
use crate::transformations::{Binning, ExactNumber, Norm, RowMetric, TransformationError};
use crate::{Error, MetricSpace, StabilityMap, Transformation};

/// The number of rows in each node of a [`Tree`] over the bins of a histogram, for range queries
/// and quantiles.
///
/// With `h` levels:
///
/// | | L1 | L2 | L∞ |
/// |---|---|---|---|
/// | a row added or removed | h | √h | 1 |
/// | a row changed | 2(h − 1) | √(2(h − 1)) | 1 |
///
/// *Proof.* Each level is a histogram of all rows, so a row moves each by what
/// [`histogram`](crate::transformations::histogram) says, except that a change does not move the
/// root, which counts every row. Levels add up in L1, their squares in L2, and the largest decides
/// in L∞. All below the root have two nodes or more, so leaves on two sides of the root reach the
/// bound. ∎
///
/// ```
/// use lastbit::domains::{AtomDomain, VectorDomain};
/// use lastbit::metrics::{L1Distance, SymmetricDistance};
/// use lastbit::transformations::{Edges, Tree, tree};
/// use lastbit::Share;
/// let ages = VectorDomain::new(AtomDomain::<i64>::new());
/// let edges = Edges::new([0_i64, 10, 20, 30, 40, 50, 60])?; // 8 bins
/// let shape = Tree::new(8, 2)?;
/// let counts = tree(ages, SymmetricDistance, &edges, &shape, L1Distance)?;
/// assert_eq!(counts.map(&1)?.to_string(), "4"); // levels
///
/// let nodes = counts.invoke(&vec![31, 5, 18, 44, 12, 90])?;
/// assert_eq!(shape.range(&nodes, 1..4)?.to_string(), "3"); // from 0 to 29
/// let median = shape.quantile(&nodes, &Share::half())?;
/// assert_eq!(edges.value(median.leaf(), median.fraction()).unwrap().to_string(), "20");
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn tree<D, M, B, N>(
    domain: VectorDomain<D>,
    metric: M,
    binning: &B,
    shape: &Tree,
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
    if shape.leaves() != binning.bins() {
        return Err(TransformationError::LeavesAndBins {
            leaves: shape.leaves(),
            bins: binning.bins(),
        }
        .into());
    }
    let size = domain.size();
    let (binning, shape) = (binning.clone(), shape.clone());
    let levels = Levels::tree(shape.levels() as u64);
    Transformation::new(
        domain,
        metric,
        VectorDomain::new(AtomDomain::new()).with_size(shape.nodes()),
        norm,
        move |rows| {
            let mut leaves = vec![0; binning.bins()];
            for row in rows {
                leaves[binning.bin(row)] += 1;
            }
            Ok(shape.fill(leaves, |children| children.iter().sum()))
        },
        StabilityMap::new(move |&d_in| Ok(N::bound(M::steps(size, d_in), &levels))),
    )
}

/// The sum of the leaves below each node of a [`Tree`], from a vector of leaves: `d_out = h·d_in`
/// in L1, with `h` levels.
///
/// From rows, [`tree`] is at least as good and knows the other norms.
///
/// *Proof.* The nodes of a level sum disjoint sets of leaves, so by the triangle inequality a level
/// moves by no more than the leaves do; and levels add up in L1. A single leaf that moves reaches
/// it. ∎
///
/// ```
/// use lastbit::domains::{AtomDomain, VectorDomain};
/// use lastbit::transformations::{Tree, tree_of_counts};
/// use lastbit::Rational;
/// let counts = VectorDomain::new(AtomDomain::<i64>::new()).with_size(3);
/// let nodes = tree_of_counts(counts, &Tree::new(3, 2)?)?;
/// let values: Vec<String> = nodes.invoke(&vec![5, 1, 2])?.iter().map(|n| n.to_string()).collect();
/// assert_eq!(values, ["8", "6", "2", "5", "1", "2"]);
/// assert_eq!(nodes.map(&Rational::ONE)?.to_string(), "3");
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn tree_of_counts<T>(
    domain: VectorDomain<AtomDomain<T>>,
    shape: &Tree,
) -> Result<
    Transformation<
        VectorDomain<AtomDomain<T>>,
        L1Distance,
        VectorDomain<AtomDomain<T::Sum>>,
        L1Distance,
    >,
    Error,
>
where
    T: ExactNumber,
    T::Sum: ExactNumber<Sum = T::Sum>,
{
    match domain.size() {
        Some(size) if size == shape.leaves() => {}
        Some(size) => {
            return Err(TransformationError::LeavesAndBins {
                leaves: shape.leaves(),
                bins: size,
            }
            .into());
        }
        None => return Err(TransformationError::LeavesNotPublic(shape.leaves()).into()),
    }
    let levels = Rational::from(shape.levels() as u64);
    let output = VectorDomain::new(AtomDomain::new()).with_size(shape.nodes());
    let shape = shape.clone();
    Transformation::new(
        domain,
        L1Distance,
        output,
        L1Distance,
        move |leaves| {
            let one_by_one = leaves.chunks(1).map(T::total).collect();
            Ok(shape.fill(one_by_one, T::Sum::total))
        },
        StabilityMap::new(move |d_in| Ok(d_in * &levels)),
    )
}
