use core::ops::Range;

use lastbit_exact::Rational;

use crate::domains::Number;
use crate::transformations::TransformationError;

/// The shape of a tree in which every node but the last of its level has `branching` children.
///
/// Nodes are numbered from the root, level by level, each level from the left; a node's value is
/// the sum of its leaves. The last node of a level has fewer children if the leaves do not divide
/// evenly.
///
/// ```
/// use lastbit::transformations::Tree;
/// let shape = Tree::new(5, 2)?;
/// assert_eq!((shape.levels(), shape.nodes(), shape.leaves()), (4, 1 + 2 + 3 + 5, 5));
/// assert_eq!(
///     Tree::new(5, 0).unwrap_err().to_string(),
///     "a tree needs a branching factor of at least 2, got 0; 16 is a good choice for range \
///      queries"
/// );
/// # Ok::<(), lastbit::transformations::TransformationError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    pub(super) branching: usize,
    /// The nodes of each level, from the root; the last level is the leaves.
    levels: Vec<Range<usize>>,
}

impl Tree {
    /// A tree over 1 to 2^32 leaves with a branching factor of at least 2.
    pub fn new(leaves: usize, branching: usize) -> Result<Tree, TransformationError> {
        if branching < 2 {
            return Err(TransformationError::Branching(branching));
        }
        if leaves == 0 || leaves as u64 > 1 << 32 {
            return Err(TransformationError::Leaves(leaves));
        }
        let mut sizes = vec![leaves];
        let mut width = leaves;
        while width > 1 {
            width = width.div_ceil(branching);
            sizes.push(width);
        }
        // At most twice as many nodes as leaves and one for each level.
        let mut start = 0;
        let levels = sizes.iter().rev().map(|&size| {
            let level = start..start + size;
            start += size;
            level
        });
        Ok(Tree {
            branching,
            levels: levels.collect(),
        })
    }

    /// How many children a node has at most.
    pub fn branching(&self) -> usize {
        self.branching
    }

    /// The number of levels, root and leaves included.
    pub fn levels(&self) -> usize {
        self.levels.len()
    }

    /// The number of all nodes.
    pub fn nodes(&self) -> usize {
        self.level(self.levels() - 1).end
    }

    /// The number of leaves.
    pub fn leaves(&self) -> usize {
        self.level(self.levels() - 1).len()
    }

    /// The numbers of the nodes of a level, from the root at 0.
    pub(super) fn level(&self, level: usize) -> Range<usize> {
        self.levels[level].clone()
    }

    /// The numbers of the children of the `i`-th node of a level that is not the last.
    pub(super) fn children(&self, level: usize, i: usize) -> Range<usize> {
        let below = self.level(level + 1);
        let first = below.start + i * self.branching;
        first..first.saturating_add(self.branching).min(below.end)
    }

    /// Every node from the leaves: sums, level by level.
    pub(super) fn fill<V: Clone>(&self, leaves: Vec<V>, add: impl Fn(&[V]) -> V) -> Vec<V> {
        let mut levels = vec![leaves];
        for _ in 1..self.levels() {
            let below = &levels[levels.len() - 1];
            levels.push(below.chunks(self.branching).map(&add).collect());
        }
        levels.into_iter().rev().flatten().collect()
    }

    /// The exact values of released nodes, one for each node.
    pub(super) fn exact(
        &self,
        nodes: &[impl Number],
    ) -> Result<Vec<Rational>, TransformationError> {
        if nodes.len() != self.nodes() {
            return Err(TransformationError::Nodes {
                expected: self.nodes(),
                got: nodes.len(),
            });
        }
        let values = nodes.iter().enumerate();
        values
            .map(|(i, node)| {
                node.to_rational()
                    .ok_or(TransformationError::NodeNotFinite(i))
            })
            .collect()
    }
}
