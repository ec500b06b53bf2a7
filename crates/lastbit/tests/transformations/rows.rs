//! Transformations from rows to rows, on all small data sets and all pairs of them.

use super::neighbours::{assert_tight, largest, vectors};
use lastbit::Bounds;
use lastbit::domains::{AtomDomain, Frame, FrameDomain, OptionDomain, VectorDomain};
use lastbit::metrics::{ChangeOneDistance, SymmetricDistance};
use lastbit::statistics::{Grid, NonFinite};
use lastbit::transformations::{
    CategoryBins, Edges, Keep, cast_or_drop, cast_or_replace, clamp, count, filter, filter_frame,
    index, map_rows, resize, round_to_grid, select, unique,
};

/// Two zeros that are different records, a null and an infinity among them.
const FLOATS: [f64; 5] = [-0.0, 0.0, 2.5, f64::NAN, f64::INFINITY];

fn floats() -> AtomDomain<f64> {
    AtomDomain::new().nullable().with_infinities()
}

/// Checks a transformation for both metrics: on unsized rows under add/remove, on sized rows under
/// add/remove and change-one.
macro_rules! both_metrics {
    (
        $element:expr,
        $values:expr,
        |$domain:ident, $metric:ident| $make:expr,
        $added:expr,
        $changed:expr
    ) => {{
        let rows = VectorDomain::new($element);
        let ($domain, $metric) = (rows.clone(), SymmetricDistance);
        let transformation = $make;
        assert_tight(&transformation, &vectors(&$values, 0..=3), $added);
        let ($domain, $metric) = (rows.clone().with_size(3), ChangeOneDistance);
        let transformation = $make;
        assert_tight(&transformation, &vectors(&$values, 3..=3), $changed);
        let ($domain, $metric) = (rows.with_size(3), SymmetricDistance);
        let transformation = $make;
        largest(&transformation, &vectors(&$values, 3..=3));
    }};
}

#[test]
fn functions_of_one_row_keep_the_distance() {
    both_metrics!(
        floats(),
        FLOATS,
        |d, m| clamp(d, m, 0.0, 3.0).unwrap(),
        0..=6,
        0..=3
    );
    both_metrics!(
        floats(),
        FLOATS,
        |d, m| cast_or_replace(d, m, 7.0).unwrap(),
        0..=6,
        0..=3
    );
    let edges = Edges::new([0.0, 1.0]).unwrap().with_null_bin();
    both_metrics!(
        floats(),
        FLOATS,
        |d, m| index(d, m, &edges).unwrap(),
        0..=6,
        0..=3
    );
    let bounds = Bounds::parse("-1", "3").unwrap();
    let grid = Grid::new(&bounds, -1, NonFinite::ReplaceNan(1.0)).unwrap();
    both_metrics!(
        floats(),
        FLOATS,
        |d, m| round_to_grid(d, m, &grid).unwrap(),
        0..=6,
        0..=3
    );
    let text = ["1", " 2 ", "x", "TRUE"].map(String::from);
    let texts = AtomDomain::<String>::new();
    both_metrics!(
        texts,
        text,
        |d, m| cast_or_replace(d, m, -1_i64).unwrap(),
        0..=6,
        0..=3
    );
    let integers = AtomDomain::<i64>::new();
    both_metrics!(
        integers.clone(),
        [0_i64, 1, 2, 3],
        |d, m| map_rows(d, m, AtomDomain::<bool>::new(), |row| row % 2 == 0).unwrap(),
        0..=6,
        0..=3
    );
}

#[test]
fn functions_that_leave_out_rows_pay_twice_for_a_change() {
    let values = [None, Some(1_i64), Some(5), Some(9)];
    let optional = || OptionDomain::new(AtomDomain::<i64>::new());
    both_metrics!(
        optional(),
        values,
        |d, m| filter(d, m, Option::is_some).unwrap(),
        0..=6,
        0..=3
    );
    both_metrics!(
        optional(),
        values,
        |d, m| cast_or_drop::<f64, _, _>(d, m).unwrap(),
        0..=6,
        0..=3
    );
    both_metrics!(
        floats(),
        FLOATS,
        |d, m| cast_or_drop::<f64, _, _>(d, m).unwrap(),
        0..=6,
        0..=3
    );
    let integers = AtomDomain::<i64>::new();
    // Three rows on either side that are all different.
    both_metrics!(
        integers,
        [1_i64, 2, 3, 4, 5, 6],
        |d, m| unique(d, m).unwrap(),
        0..=6,
        0..=3
    );
}

#[test]
fn resize_changes_one_row_for_each_row_in_any_order() {
    for size in 1..=4 {
        for keep in [Keep::Smallest, Keep::Largest, Keep::Scattered] {
            let reach = size as u64;
            both_metrics!(
                floats(),
                FLOATS,
                |d, m| resize(d, m, size, keep, 1.0).unwrap(),
                0..=reach.min(3),
                0..=reach.min(3)
            );
        }
    }
    let rows = VectorDomain::new(AtomDomain::<i64>::new());
    let two = resize(rows, SymmetricDistance, 2, Keep::Largest, 0).unwrap();
    assert_tight(&two, &vectors(&[0_i64, 1, 2], 0..=4), 0..=4);
    assert_eq!(two.map(&1000).unwrap(), 2); // never more than there are
}

#[test]
fn scattered_rows_do_not_prefer_small_or_large_values() {
    let rows = VectorDomain::new(AtomDomain::<i64>::new());
    let half = resize(rows, SymmetricDistance, 500, Keep::Scattered, 0).unwrap();
    let kept = half.invoke(&(0..1000).collect()).unwrap();
    let low = kept.iter().filter(|&&row| row < 500).count();
    // A public constant, not chance: the same for every run.
    assert!((200..=300).contains(&low), "{low} of the lower half");
}

fn frames(values: &[(i64, bool)], lengths: std::ops::RangeInclusive<usize>) -> Vec<Frame> {
    let rows = vectors(values, lengths).into_iter();
    rows.map(|rows| {
        let (x, y): (Vec<i64>, Vec<bool>) = rows.into_iter().unzip();
        Frame::new([("x", x.into()), ("y", y.into())]).unwrap()
    })
    .collect()
}

#[test]
fn frames_lose_columns_and_rows_with_the_same_stability() {
    let domain = || {
        FrameDomain::new([
            ("x", AtomDomain::<i64>::new().into()),
            ("y", AtomDomain::<bool>::new().into()),
        ])
        .unwrap()
    };
    let values = [(0, false), (0, true), (1, false), (2, true)];
    let any = frames(&values, 0..=3);
    let three = frames(&values, 3..=3);
    let x = select::<i64, _>(domain(), SymmetricDistance, "x").unwrap();
    assert_tight(&x, &any, 0..=6);
    let x = select::<i64, _>(domain().with_size(3), ChangeOneDistance, "x").unwrap();
    assert_tight(&x, &three, 0..=3);
    assert_eq!(x.output_domain().size(), Some(3));
    let odd = |x: &i64| *x != 1;
    let kept = filter_frame(domain(), SymmetricDistance, "x", odd).unwrap();
    assert_tight(&kept, &any, 0..=6);
    let kept = filter_frame(domain().with_size(3), ChangeOneDistance, "x", odd).unwrap();
    assert_tight(&kept, &three, 0..=3);
    assert_eq!(kept.output_domain().size(), None);
    let rows = count(domain(), SymmetricDistance).unwrap();
    assert_tight(&rows, &any, 0..=3);
    let rows = count(domain().with_size(3), SymmetricDistance).unwrap();
    assert_tight(&rows, &three, 0..=6);
    assert!(rows.map(&6).unwrap().is_zero());
}

#[test]
fn categories_and_edges_index_missing_values_too() {
    let optional = OptionDomain::new(AtomDomain::<i64>::new());
    let rows = VectorDomain::new(optional);
    let categories = CategoryBins::new([3_i64, 1]).unwrap();
    let bins = index(rows.clone(), SymmetricDistance, &categories).unwrap();
    let data = vec![Some(1), None, Some(3), Some(2)];
    assert_eq!(bins.invoke(&data).unwrap(), [1, 2, 0, 2]);
    let edges = Edges::new([1_i64, 3]).unwrap();
    assert!(
        index(rows.clone(), SymmetricDistance, &edges)
            .unwrap_err()
            .is_transformation()
    );
    let bins = index(rows, SymmetricDistance, &edges.with_null_bin()).unwrap();
    assert_eq!(bins.invoke(&data).unwrap(), [1, 3, 2, 1]);
}
