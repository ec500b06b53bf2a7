//! Metrics are metrics, computed exactly, and refused where they mean nothing.

use std::collections::BTreeMap;

use lastbit::MetricSpace;
use lastbit::domains::{AtomDomain, Frame, FrameDomain, MapDomain, VectorDomain};
use lastbit::metrics::{
    AbsoluteDistance, ChangeOneDistance, DiscreteDistance, L1Distance, L2Distance, LInfDistance,
    Metric, RangeDistance, SymmetricDistance,
};
use lastbit_exact::{Rational, Up};
use proptest::prelude::*;

type Rows = VectorDomain<AtomDomain<i64>>;

fn rows() -> Rows {
    VectorDomain::new(AtomDomain::new())
}

/// Symmetry, zero at equal arguments, and the triangle inequality with a given sum of distances.
fn is_metric<M: Metric, D: MetricSpace<M>>(
    domain: &D,
    metric: M,
    [x, y, z]: [&D::Carrier; 3],
    zero: M::Distance,
    within_sum: impl Fn(&M::Distance, &M::Distance, &M::Distance) -> bool,
) where
    M::Distance: PartialOrd,
{
    let d = |a, b| domain.distance(&metric, a, b).unwrap();
    assert!(d(x, x) == zero && d(x, y) >= zero);
    assert!(d(x, y) == d(y, x));
    assert!(
        within_sum(&d(x, z), &d(x, y), &d(y, z)),
        "triangle inequality of {metric}"
    );
}

fn exact_sum(left: &Rational, a: &Rational, b: &Rational) -> bool {
    *left <= a + b
}

fn integer_sum(left: &u64, a: &u64, b: &u64) -> bool {
    *left <= a + b
}

proptest! {
    #[test]
    fn distances_of_rows_are_metrics(
        x in prop::collection::vec(0_i64..4, 0..7),
        y in prop::collection::vec(0_i64..4, 0..7),
        z in prop::collection::vec(0_i64..4, 0..7),
    ) {
        is_metric(&rows(), SymmetricDistance, [&x, &y, &z], 0, integer_sum);
        is_metric(&rows(), DiscreteDistance, [&x, &y, &z], 0, integer_sum);
    }

    #[test]
    fn distances_of_vectors_are_metrics(entries in prop::collection::vec(any::<[i64; 3]>(), 0..6)) {
        let [x, y, z] = [0, 1, 2].map(|i| entries.iter().map(|entry| entry[i]).collect::<Vec<_>>());
        is_metric(&rows(), L1Distance, [&x, &y, &z], Rational::ZERO, exact_sum);
        is_metric(&rows(), LInfDistance, [&x, &y, &z], Rational::ZERO, exact_sum);
        is_metric(&rows(), RangeDistance, [&x, &y, &z], Rational::ZERO, exact_sum);
        is_metric(&rows(), ChangeOneDistance, [&x, &y, &z], 0, integer_sum);
        // Each side is rounded up; one f64 of slack for the rounding of the sum's terms is not
        // needed, since `+` rounds up too.
        is_metric(&rows(), L2Distance, [&x, &y, &z], Up::ZERO, |left, a, b| *left <= *a + *b);
        for i in 0..entries.len() {
            is_metric(
                &AtomDomain::new(),
                AbsoluteDistance,
                [&x[i], &y[i], &z[i]],
                Rational::ZERO,
                exact_sum,
            );
        }
    }

    #[test]
    fn symmetric_distance_counts_by_value(
        x in prop::collection::vec(0_i64..4, 0..12),
        y in prop::collection::vec(0_i64..4, 0..12),
    ) {
        let count = |rows: &[i64], value| rows.iter().filter(|row| **row == value).count();
        let expected: usize = (0..4).map(|v| count(&x, v).abs_diff(count(&y, v))).sum();
        prop_assert_eq!(rows().distance(&SymmetricDistance, &x, &y).unwrap(), expected as u64);
        // The rows of a frame are counted the same, and a permutation is at distance zero.
        let frame = |rows: &[i64]| {
            Frame::new([
                ("value", rows.to_vec().into()),
                ("odd", rows.iter().map(|row| row % 2 == 1).collect::<Vec<_>>().into()),
            ])
            .unwrap()
        };
        let domain = FrameDomain::new([
            ("value", AtomDomain::<i64>::new().into()),
            ("odd", AtomDomain::<bool>::new().into()),
        ])
        .unwrap();
        prop_assert_eq!(
            domain.distance(&SymmetricDistance, &frame(&x), &frame(&y)).unwrap(),
            expected as u64
        );
        let reversed: Vec<i64> = x.iter().rev().copied().collect();
        prop_assert_eq!(rows().distance(&SymmetricDistance, &x, &reversed).unwrap(), 0);
    }

    /// `l2 ≥ √Σd²` and no smaller f64 is: a root to nearest would be below for about half of all
    /// inputs.
    #[test]
    fn l2_distance_is_the_smallest_f64_above_the_root(x in prop::collection::vec(-1e6..1e6, 1..6)) {
        let domain = VectorDomain::new(AtomDomain::<f64>::new());
        let origin = vec![0.0; x.len()];
        let distance = domain.distance(&L2Distance, &x, &origin).unwrap().get();
        let exact = |x: f64| Rational::try_from(x).unwrap();
        let sum = x.iter().fold(Rational::ZERO, |sum, x| sum + exact(*x) * exact(*x));
        prop_assert!(exact(distance) * exact(distance) >= sum);
        let below = exact(distance.next_down());
        prop_assert!(distance == 0.0 || &below * &below < sum);
    }

    #[test]
    fn maps_count_a_missing_key_as_zero(
        x in prop::collection::btree_map(0_i64..5, -9_i64..9, 0..5),
        y in prop::collection::btree_map(0_i64..5, -9_i64..9, 0..5),
    ) {
        let domain = MapDomain::new(AtomDomain::<i64>::new(), AtomDomain::<i64>::new());
        let dense = |map: &BTreeMap<i64, i64>| {
            (0..5).map(|key| map.get(&key).copied().unwrap_or(0)).collect::<Vec<_>>()
        };
        let (a, b) = (dense(&x), dense(&y));
        prop_assert_eq!(
            domain.distance(&L1Distance, &x, &y).unwrap(),
            rows().distance(&L1Distance, &a, &b).unwrap()
        );
        prop_assert_eq!(
            domain.distance(&L2Distance, &x, &y).unwrap(),
            rows().distance(&L2Distance, &a, &b).unwrap()
        );
        prop_assert_eq!(
            domain.distance(&LInfDistance, &x, &y).unwrap(),
            rows().distance(&LInfDistance, &a, &b).unwrap()
        );
    }
}

#[test]
fn range_distance_forgets_what_moves_all_scores() {
    let d = |x: &[i64], y: &[i64]| {
        let (x, y) = (x.to_vec(), y.to_vec());
        rows().distance(&RangeDistance, &x, &y).unwrap()
    };
    assert_eq!(d(&[1, 2, 3], &[5, 6, 7]), Rational::ZERO);
    assert_eq!(d(&[0, 0], &[1, -1]), Rational::from(2_i64));
    assert_eq!(d(&[], &[]), Rational::ZERO);
}

#[test]
fn change_one_needs_a_public_size() {
    let error = rows().check_space(&ChangeOneDistance).unwrap_err();
    assert!(error.is_space());
    assert_eq!(
        error.to_string(),
        "change-one distance needs a public number of rows; give the domain a size, or use \
         symmetric distance"
    );
    let frame = FrameDomain::new([("a", AtomDomain::<i64>::new().into())]).unwrap();
    assert!(frame.check_space(&ChangeOneDistance).is_err());
    assert!(frame.with_size(2).check_space(&ChangeOneDistance).is_ok());
    let unequal = rows().distance(&ChangeOneDistance, &vec![1], &vec![1, 2]);
    assert!(unequal.unwrap_err().is_unbounded());
}

#[test]
fn numbers_with_nulls_or_infinities_have_no_distance() {
    let number = AtomDomain::<f64>::new;
    for domain in [number().nullable(), number().with_infinities()] {
        assert!(
            domain
                .check_space(&AbsoluteDistance)
                .unwrap_err()
                .is_space()
        );
        let vector = VectorDomain::new(domain.clone());
        assert!(vector.check_space(&L1Distance).is_err());
        assert!(vector.check_space(&L2Distance).is_err());
        assert!(vector.check_space(&LInfDistance).is_err());
        assert!(vector.check_space(&RangeDistance).is_err());
        assert!(vector.check_space(&SymmetricDistance).is_ok());
        let map = MapDomain::new(AtomDomain::<i64>::new(), domain);
        assert!(map.check_space(&L1Distance).is_err());
    }
    let distance = number().distance(&AbsoluteDistance, &f64::NAN, &0.0);
    assert!(distance.unwrap_err().is_unbounded());
    assert!(number().check_space(&AbsoluteDistance).is_ok());
}
