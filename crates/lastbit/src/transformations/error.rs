/// Why a transformation cannot be built, or cannot be evaluated: one line, and what to change.
///
/// What a message repeats was public when the transformation was built; a value of the data is in
/// none.
///
/// ```
/// use lastbit::transformations::{Edges, TransformationError};
/// let error = Edges::new([0_i64, 10, 5]).unwrap_err();
/// assert!(matches!(error, TransformationError::EdgesNotIncreasing { .. }));
/// assert_eq!(
///     error.to_string(),
///     "edges must increase, and 10 is followed by 5; sort them and drop duplicates"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TransformationError {
    /// A range or a tree needs at least one bin between two edges.
    #[error(
        "a numeric histogram needs at least 2 edges, got {0}; give the first edge, the last, and \
         those between"
    )]
    TooFewEdges(usize),
    /// NaN or an infinity as an edge.
    #[error(
        "an edge must be a finite number, got {0}; values beyond the first and the last edge have \
         bins of their own"
    )]
    EdgeNotFinite(String),
    /// Edges that do not increase strictly.
    #[error(
        "edges must increase, and {left} is followed by {right}; sort them and drop duplicates"
    )]
    EdgesNotIncreasing {
        /// The edge that comes first.
        left: String,
        /// The edge that follows it, and is not above it.
        right: String,
    },
    /// No category was named.
    #[error(
        "a list of categories needs at least 1, got none; use `count` if rows are not told apart"
    )]
    NoCategories,
    /// A category was named twice.
    #[error("category `{0}` is listed twice; list each once")]
    DuplicateCategory(String),
    /// A tree in which a node does not branch.
    #[error(
        "a tree needs a branching factor of at least 2, got {0}; 16 is a good choice for range \
         queries"
    )]
    Branching(usize),
    /// A tree without leaves, or with more than memory can hold.
    #[error("a tree needs from 1 to 2^32 leaves, got {0}; choose other bins")]
    Leaves(usize),
    /// A tree that does not have one leaf for each bin.
    #[error(
        "the tree has {leaves} leaves and there are {bins} bins; build it with Tree::new({bins}, …)"
    )]
    LeavesAndBins {
        /// How many leaves the tree has.
        leaves: usize,
        /// How many bins there are.
        bins: usize,
    },
    /// A vector of leaves of any length.
    #[error("a tree needs a public number of leaves; give the domain of the leaves the size {0}")]
    LeavesNotPublic(usize),
    /// A vector that does not have one entry for each node.
    #[error(
        "the tree has {expected} nodes, got {got} values; pass the nodes as the tree's \
         transformation orders them"
    )]
    Nodes {
        /// How many nodes the tree has.
        expected: usize,
        /// How many values were given.
        got: usize,
    },
    /// A released node that is no number.
    #[error("node {0} of the tree is not a finite number; pass the released nodes unchanged")]
    NodeNotFinite(usize),
    /// A range of leaves that the tree does not have.
    #[error(
        "leaves {from}..{to} are not in a tree of {leaves} leaves; choose 0 ≤ from ≤ to ≤ {leaves}"
    )]
    Range {
        /// The first leaf asked for.
        from: usize,
        /// The leaf after the last asked for.
        to: usize,
        /// How many leaves there are.
        leaves: usize,
    },
    /// A size of zero.
    #[error("cannot resize to 0 rows: nothing would be left; choose a positive public size")]
    ResizeToNothing,
    /// The number of rows must be public.
    #[error(
        "a {what} needs a public number of rows; give the domain a size, `resize` to one, or \
         release a sum and a count and divide"
    )]
    SizeNeeded {
        /// Which statistic.
        what: &'static str,
    },
    /// The rows must have bounds.
    #[error("a {what} needs bounds on the rows, and these are {domain}; `clamp` them first")]
    BoundsNeeded {
        /// Which statistic.
        what: &'static str,
        /// The domain of a row.
        domain: String,
    },
    /// Missing or infinite values where there is no rule for them.
    #[error("the rows are {domain}, and {what} has no rule for those; {remedy}")]
    Irregular {
        /// The domain of a row.
        domain: String,
        /// Which transformation.
        what: &'static str,
        /// What to change.
        remedy: &'static str,
    },
    /// A public constant that the domain does not hold.
    #[error("the {what} {value} is not in the domain, {domain}; choose one that is")]
    ConstantOutside {
        /// What the constant is for.
        what: &'static str,
        /// The constant.
        value: String,
        /// The domain.
        domain: String,
    },
    /// A cell that cannot be read as the target type, where the cast refuses those. A fact about
    /// the data: show it to those who may see the data only.
    #[error(
        "row {row} cannot be read as {target}; mend the row, or use cast_or_drop or cast_or_replace"
    )]
    Unreadable {
        /// Which row, counted from zero.
        row: usize,
        /// The target type.
        target: &'static str,
    },
}
