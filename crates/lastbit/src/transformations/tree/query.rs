use core::ops::Range;

use lastbit_exact::Rational;

use super::Tree;
use crate::Share;
use crate::domains::Number;
use crate::transformations::TransformationError;

/// Where a quantile lies: a leaf, and the fraction of its rows that are below.
///
/// ```
/// use lastbit::transformations::Tree;
/// use lastbit::Share;
/// let shape = Tree::new(2, 2)?;
/// let median = shape.quantile(&[8_i64, 3, 5], &Share::half())?; // 8 rows: 3 and 5
/// assert_eq!((median.leaf(), median.fraction().to_string()), (1, "0.2".to_string()));
/// # Ok::<(), lastbit::transformations::TransformationError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    leaf: usize,
    fraction: Rational,
}

impl Position {
    /// The leaf, counted from zero.
    pub fn leaf(&self) -> usize {
        self.leaf
    }

    /// How far into the leaf, from 0 to 1.
    pub fn fraction(&self) -> &Rational {
        &self.fraction
    }
}

/// Answers from released nodes. Nothing here sees data, so nothing here costs.
impl Tree {
    /// The fewest nodes that together hold each leaf of a range once: at most `2(branching − 1)` of
    /// each level.
    ///
    /// The error of [`Tree::range`] is the sum of their errors.
    ///
    /// ```
    /// use lastbit::transformations::Tree;
    /// let shape = Tree::new(8, 2)?;
    /// assert_eq!(shape.range_nodes(0..8)?, [0]);
    /// assert_eq!(shape.range_nodes(1..8)?, [8, 4, 2]); // a leaf, a pair, a half
    /// # Ok::<(), lastbit::transformations::TransformationError>(())
    /// ```
    pub fn range_nodes(&self, range: Range<usize>) -> Result<Vec<usize>, TransformationError> {
        let (mut from, mut to) = (range.start, range.end);
        if from > to || to > self.leaves() {
            let leaves = self.leaves();
            return Err(TransformationError::Range { from, to, leaves });
        }
        let mut nodes = Vec::new();
        for number in (0..self.levels()).rev() {
            let level = self.level(number);
            // What is left of the range is a run of nodes of this level. Those at its ends whose
            // siblings are not all in it stay here; the rest are whole families, and their parents
            // stand for them. The last family of a level may be smaller.
            while from < to && from % self.branching != 0 {
                nodes.push(level.start + from);
                from += 1;
            }
            while from < to && to % self.branching != 0 && to != level.len() {
                to -= 1;
                nodes.push(level.start + to);
            }
            if from == to {
                break;
            }
            if number == 0 {
                nodes.push(level.start);
            }
            (from, to) = (from / self.branching, to.div_ceil(self.branching));
        }
        Ok(nodes)
    }

    /// The count of a range of leaves, from the fewest nodes.
    ///
    /// ```
    /// use lastbit::transformations::Tree;
    /// let shape = Tree::new(3, 2)?;
    /// assert_eq!(shape.range(&[8.5, 6.0, 2.0, 5.0, 1.0, 2.25], 0..2)?.to_string(), "6");
    /// # Ok::<(), lastbit::transformations::TransformationError>(())
    /// ```
    pub fn range(
        &self,
        nodes: &[impl Number],
        range: Range<usize>,
    ) -> Result<Rational, TransformationError> {
        let nodes = self.exact(nodes)?;
        let parts = self.range_nodes(range)?;
        Ok(parts
            .into_iter()
            .fold(Rational::ZERO, |sum, node| &sum + &nodes[node]))
    }

    /// Where the quantile of a share lies, by descent from the root: at each node to the child that
    /// holds the fraction.
    ///
    /// Counts below zero are read as zero, and children that are all zero as equal. Without noise
    /// this is the first leaf up to which at least this share of the rows lie.
    pub fn quantile(
        &self,
        nodes: &[impl Number],
        share: &Share,
    ) -> Result<Position, TransformationError> {
        let nodes = self.exact(nodes)?;
        let (mut place, mut fraction) = (0, share.get().clone());
        for level in 0..self.levels() - 1 {
            let children = self.children(level, place);
            let counts: Vec<Rational> = children
                .clone()
                .map(|child| nodes[child].clone().max(Rational::ZERO))
                .collect();
            let (child, rest) = split(&counts, &fraction);
            place = children.start + child - self.level(level + 1).start;
            fraction = rest;
        }
        Ok(Position {
            leaf: place,
            fraction,
        })
    }
}

/// The first of the counts up to which the fraction of their sum lies, and the fraction of it that
/// is needed.
fn split(counts: &[Rational], fraction: &Rational) -> (usize, Rational) {
    let total = counts
        .iter()
        .fold(Rational::ZERO, |sum, count| &sum + count);
    if total.is_zero() {
        return split(&vec![Rational::ONE; counts.len()], fraction);
    }
    let mut wanted = fraction * &total;
    let mut last = (0, Rational::ONE);
    for (i, count) in counts.iter().enumerate() {
        if !count.is_positive() {
            continue;
        }
        if wanted <= *count {
            return (i, &wanted / count);
        }
        wanted = &wanted - count;
        last = (i, Rational::ONE);
    }
    // Unreachable for a fraction of at most 1, since the counts sum to the total exactly.
    last
}
