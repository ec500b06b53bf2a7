//! What cannot be built is refused in one line that names the remedy.

use lastbit::domains::{AtomDomain, FrameDomain, VectorDomain};
use lastbit::metrics::{ChangeOneDistance, L1Distance, SymmetricDistance};
use lastbit::statistics::{Grid, NonFinite};
use lastbit::transformations::{
    CategoryBins, Edges, Keep, Tree, cast_or_replace, clamp, covariance, histogram, mean, resize,
    round_to_grid, select, sum, tree, tree_of_counts, variance, weighted_histogram,
};
use lastbit::{Bounds, Error, Share};
use lastbit_exact::Rational;

fn integers() -> VectorDomain<AtomDomain<i64>> {
    VectorDomain::new(AtomDomain::new())
}

fn bounded() -> VectorDomain<AtomDomain<i64>> {
    VectorDomain::new(AtomDomain::bounded(0, 10).unwrap())
}

fn message<T>(result: Result<T, impl Into<Error>>) -> String {
    let error: Error = result.err().expect("refused").into();
    assert!(!error.to_string().contains('\n'));
    error.to_string()
}

#[test]
fn edges() {
    let finite = "values beyond the first and the last edge have bins of their own";
    for (edges, expected) in [
        (
            vec![],
            "a numeric histogram needs at least 2 edges, got 0; give the first edge, the last, and \
             those between"
                .to_string(),
        ),
        (
            vec![1.0],
            "a numeric histogram needs at least 2 edges, got 1; give the first edge, the last, and \
             those between"
                .to_string(),
        ),
        (
            vec![0.0, f64::NAN],
            format!("an edge must be a finite number, got NaN; {finite}"),
        ),
        (
            vec![0.0, f64::INFINITY],
            format!("an edge must be a finite number, got inf; {finite}"),
        ),
        (
            vec![0.0, 2.0, 1.0],
            "edges must increase, and 2 is followed by 1; sort them and drop duplicates"
                .to_string(),
        ),
        (
            vec![-0.0, 0.0],
            "edges must increase, and -0 is followed by 0; sort them and drop duplicates"
                .to_string(),
        ),
    ] {
        assert_eq!(message(Edges::new(edges)), expected);
    }
    let nullable = VectorDomain::new(AtomDomain::<f64>::new().nullable());
    let edges = Edges::new([0.0, 1.0]).unwrap();
    assert_eq!(
        message(histogram(nullable, SymmetricDistance, &edges, L1Distance)),
        "the rows are f64 with nulls, and binning by edges has no rule for those; \
         add Edges::with_null_bin, or use cast_or_drop or cast_or_replace first"
    );
}

#[test]
fn categories() {
    assert_eq!(
        message(CategoryBins::<String>::new([])),
        "a list of categories needs at least 1, got none; use `count` if rows are not told apart"
    );
    assert_eq!(
        message(CategoryBins::new([3_i64, 1, 3])),
        "category `3` is listed twice; list each once"
    );
}

#[test]
fn trees() {
    for branching in [0, 1] {
        assert_eq!(
            message(Tree::new(4, branching)),
            format!(
                "a tree needs a branching factor of at least 2, got {branching}; 16 is a good \
                 choice for range queries"
            )
        );
    }
    assert_eq!(
        message(Tree::new(0, 2)),
        "a tree needs from 1 to 2^32 leaves, got 0; choose other bins"
    );
    assert!(Tree::new(usize::MAX, 2).is_err());
    assert_eq!(Tree::new(5, usize::MAX).unwrap().levels(), 2);
    let shape = Tree::new(4, 2).unwrap();
    let edges = Edges::new([0_i64, 1]).unwrap();
    assert_eq!(
        message(tree(
            integers(),
            SymmetricDistance,
            &edges,
            &shape,
            L1Distance
        )),
        "the tree has 4 leaves and there are 3 bins; build it with Tree::new(3, …)"
    );
    assert_eq!(
        message(tree_of_counts(integers(), &shape)),
        "a tree needs a public number of leaves; give the domain of the leaves the size 4"
    );
    assert!(tree_of_counts(integers().with_size(5), &shape).is_err());
    assert_eq!(
        message(shape.range(&[0.0; 6], 0..1)),
        "the tree has 7 nodes, got 6 values; pass the nodes as the tree's transformation orders \
         them"
    );
    let mut nodes = [1.0; 7];
    #[allow(clippy::reversed_empty_ranges)]
    for range in [0..5, 3..2, 5..5] {
        assert!(message(shape.range(&nodes, range)).contains("choose 0 ≤ from ≤ to ≤ 4"));
    }
    let of_six = shape.quantile(&[1.0; 6], &Share::half());
    assert!(message(of_six).starts_with("the tree has 7 nodes, got 6 values"));
    nodes[3] = f64::NAN;
    assert_eq!(
        message(shape.consistent(&nodes, None)),
        "node 3 of the tree is not a finite number; pass the released nodes unchanged"
    );
}

#[test]
fn sizes_and_bounds() {
    assert_eq!(
        message(mean(bounded(), SymmetricDistance)),
        "a mean needs a public number of rows; give the domain a size, `resize` to one, or \
         release a sum and a count and divide"
    );
    assert_eq!(
        message(mean(bounded().with_size(0), SymmetricDistance)),
        "change-one neighbours need at least 1 row, got 0; if the number of rows is not public \
         use add/remove"
    );
    assert!(
        variance(bounded().with_size(1), ChangeOneDistance)
            .unwrap_err()
            .is_statistic()
    );
    assert_eq!(
        message(sum(integers(), SymmetricDistance)),
        "a sum needs bounds on the rows, and these are i64; `clamp` them first"
    );
    assert_eq!(
        message(resize(bounded(), SymmetricDistance, 0, Keep::Smallest, 5)),
        "cannot resize to 0 rows: nothing would be left; choose a positive public size"
    );
    assert_eq!(
        message(resize(bounded(), SymmetricDistance, 3, Keep::Smallest, 11)),
        "the constant 11 is not in the domain, i64 in [0, 10]; choose one that is"
    );
    assert!(sum(bounded(), ChangeOneDistance).unwrap_err().is_space()); // no public size
    assert_eq!(
        message(clamp(integers(), SymmetricDistance, 5, 2)),
        "bounds [5, 2]: lower is above upper; swap them?"
    );
}

#[test]
fn values_that_are_not_finite() {
    let rows = || VectorDomain::new(AtomDomain::<f64>::new().nullable());
    assert_eq!(
        message(cast_or_replace(rows(), SymmetricDistance, f64::NAN)),
        "the replacement NaN is not in the domain, f64; choose one that is"
    );
    assert!(
        clamp(rows(), SymmetricDistance, 0.0, f64::INFINITY)
            .unwrap_err()
            .is_space()
    );
    let grid = Grid::new(&Bounds::parse("0", "1").unwrap(), -4, NonFinite::Refuse).unwrap();
    assert_eq!(
        message(round_to_grid(rows(), SymmetricDistance, &grid)),
        "the rows are f64 with nulls, and rounding to a grid that refuses has no rule for those; \
         build the grid with NonFinite::ReplaceNan, or use cast_or_drop or cast_or_replace first"
    );
}

#[test]
fn columns() {
    let domain = || {
        FrameDomain::new([
            ("age", AtomDomain::<i64>::new().into()),
            ("name", AtomDomain::<String>::new().into()),
        ])
        .unwrap()
        .with_size(3)
    };
    assert_eq!(
        message(select::<f64, _>(domain(), SymmetricDistance, "age")),
        "column `age` holds i64, not f64; ask for it with its own type, or cast it"
    );
    assert_eq!(
        message(covariance::<i64, _>(
            domain(),
            ChangeOneDistance,
            "age",
            "age"
        )),
        "a sample covariance needs bounds on the rows, and these are i64; `clamp` them first"
    );
    let names = CategoryBins::new(["Ada".to_string()]).unwrap();
    let weighted = weighted_histogram::<String, i64, _, _, _>(
        domain(),
        ChangeOneDistance,
        "name",
        &names,
        "age",
        L1Distance,
    );
    assert_eq!(
        message(weighted),
        "a weighted histogram needs bounds on the rows, and these are i64; `clamp` them first"
    );
}

#[test]
fn distances_beyond_counting_are_refused_rather_than_wrapped() {
    let rows = integers().with_size(usize::MAX);
    let kept = lastbit::transformations::filter(rows, ChangeOneDistance, |_| true).unwrap();
    assert!(kept.map(&u64::MAX).unwrap_err().is_unbounded());
    assert_eq!(kept.map(&(u64::MAX / 2)).unwrap(), u64::MAX - 1);
    let total = sum(bounded(), SymmetricDistance).unwrap();
    let most = Rational::from(u64::MAX) * Rational::from(10_i64);
    assert_eq!(total.map(&u64::MAX).unwrap(), most);
}
