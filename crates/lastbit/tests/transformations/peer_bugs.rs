//! Bugs that peers had in their statistics, shown on plain floats, and absent here.

use lastbit::domains::{AtomDomain, Frame, FrameDomain, VectorDomain};
use lastbit::metrics::{ChangeOneDistance, L1Distance, LInfDistance, SymmetricDistance};
use lastbit::statistics::{Grid, NonFinite};
use lastbit::transformations::{
    CategoryBins, Keep, cast_or_drop, cast_or_replace, mean_on_grid, resize, sum_on_grid, variance,
    variance_on_grid, weighted_histogram,
};
use lastbit::{Bounds, MetricSpace};
use lastbit_exact::{Integer, Rational};

fn exact(x: f64) -> Rational {
    Rational::try_from(x).unwrap()
}

fn floats() -> VectorDomain<AtomDomain<f64>> {
    VectorDomain::new(AtomDomain::new())
}

fn grid(lower: &str, upper: &str, exponent: i32) -> Grid {
    let bounds = Bounds::parse(lower, upper).unwrap();
    Grid::new(&bounds, exponent, NonFinite::Refuse).unwrap()
}

/// A row of 1, and rows that each make a sum that starts at 1 round up by half a unit in the last
/// place.
fn rows_that_round_up(small: f64) -> (Vec<f64>, Vec<f64>) {
    let without = vec![small; 1000];
    let mut with = vec![1.0];
    with.extend(&without);
    (with, without)
}

#[test]
fn peer_bug_float_sum_moves_further_than_its_ideal_sensitivity() {
    let (with, without) = rows_that_round_up(1.2e-16);
    let naive = |rows: &[f64]| exact(rows.iter().sum::<f64>());
    // Rows in [0, 1], one removed: the float sum moves by more than 1.
    assert!(naive(&with) - naive(&without) > Rational::ONE);

    let total = sum_on_grid(floats(), SymmetricDistance, &grid("0", "1", -51)).unwrap();
    let moved = total.invoke(&with).unwrap() - total.invoke(&without).unwrap();
    assert_eq!(moved, Rational::ONE);
    assert_eq!(total.map(&1).unwrap(), Rational::ONE);
}

#[test]
fn peer_bug_float_sum_of_squares_moves_further_than_its_ideal_sensitivity() {
    let (with, without) = rows_that_round_up(1.06e-8); // the square is just above 2^-53
    let naive = |rows: &[f64]| exact(rows.iter().map(|x| x * x).sum::<f64>());
    assert!(naive(&with) - naive(&without) > Rational::ONE);

    // The variance is computed from exact sums and exact sums of squares. The first row changed
    // from 1 to 0:
    let mut changed = with.clone();
    changed[0] = 0.0;
    let sized = floats().with_size(with.len());
    let spread = variance_on_grid(sized, ChangeOneDistance, &grid("0", "1", -51)).unwrap();
    let moved = spread.invoke(&with).unwrap() - spread.invoke(&changed).unwrap();
    assert!(moved <= spread.map(&1).unwrap());
    assert_eq!(spread.map(&1).unwrap(), Rational::new(1, with.len()));

    // Squares of large integers do not wrap, and variances do not come out negative.
    let (low, high) = (i64::MIN, i64::MAX);
    let extreme = VectorDomain::new(AtomDomain::bounded(low, high).unwrap()).with_size(3);
    let spread = variance(extreme, ChangeOneDistance).unwrap();
    let value = spread.invoke(&vec![low, high, low]).unwrap();
    let width = Rational::from(high) - Rational::from(low);
    assert_eq!(value, &width * &width / Rational::from(3_i64));
    assert_eq!(spread.map(&1).unwrap(), value);
}

#[test]
fn peer_bug_nan_in_one_record_turns_the_mean_into_nan() {
    let rows = vec![1.0, f64::NAN, 3.0, f64::INFINITY];
    assert!(rows.iter().sum::<f64>().is_nan());
    let nullable = || VectorDomain::new(AtomDomain::<f64>::new().nullable().with_infinities());
    let unit = grid("0", "4", -3);

    // A grid without a rule for NaN is refused before any data is seen,
    let refused = mean_on_grid(nullable().with_size(4), ChangeOneDistance, &unit).unwrap_err();
    assert!(refused.is_transformation());
    // data with NaN is refused by a domain without,
    let finite = mean_on_grid(floats().with_size(4), ChangeOneDistance, &unit).unwrap();
    assert!(finite.invoke(&rows).unwrap_err().is_outside_domain());
    // and with a rule the mean is a number that one record moves by (b − a)/n.
    let bounds = Bounds::parse("0", "4").unwrap();
    let with_rule = Grid::new(&bounds, -3, NonFinite::ReplaceNan(2.0)).unwrap();
    let average = mean_on_grid(nullable().with_size(4), ChangeOneDistance, &with_rule).unwrap();
    assert_eq!(average.invoke(&rows).unwrap(), Rational::new(10, 4)); // 1, 2, 3, 4
    assert_eq!(average.map(&1).unwrap(), Rational::ONE);
    for other in [0.0, 4.0, -1e300, f64::NEG_INFINITY, f64::MIN_POSITIVE] {
        let moved = vec![1.0, other, 3.0, f64::INFINITY];
        let moved = average.invoke(&moved).unwrap() - average.invoke(&rows).unwrap();
        assert!(moved.abs() <= Rational::ONE);
    }
    // Rows can also be dropped or replaced one by one.
    let dropped = cast_or_drop::<f64, _, _>(nullable(), SymmetricDistance).unwrap();
    assert_eq!(dropped.invoke(&rows).unwrap(), [1.0, 3.0]);
    let replaced = cast_or_replace(nullable(), SymmetricDistance, 0.5).unwrap();
    assert_eq!(replaced.invoke(&rows).unwrap(), [1.0, 0.5, 3.0, 0.5]);
}

#[test]
fn peer_bug_weights_ignored_in_a_histogram() {
    let domain = FrameDomain::new([
        ("region", AtomDomain::<String>::new().into()),
        ("weight", AtomDomain::bounded(0_i64, 50).unwrap().into()),
    ])
    .unwrap();
    let regions = CategoryBins::new(["north", "south"].map(String::from)).unwrap();
    let weighted = |norm| {
        let domain = domain.clone();
        weighted_histogram::<String, i64, _, _, _>(
            domain,
            SymmetricDistance,
            "region",
            &regions,
            "weight",
            norm,
        )
        .unwrap()
    };
    let bins = weighted(L1Distance);
    let frame = |regions: &[&str], weights: &[i64]| {
        let regions: Vec<String> = regions.iter().map(|region| region.to_string()).collect();
        let weights = weights.to_vec();
        Frame::new([("region", regions.into()), ("weight", weights.into())]).unwrap()
    };
    let names = ["north", "south", "north", "west"];
    let totals = bins.invoke(&frame(&names, &[10, 3, 40, 7])).unwrap();
    assert_eq!(totals, [50, 3, 7].map(Integer::from));
    // Weights are part of the value and of the sensitivity.
    let lighter = bins.invoke(&frame(&names, &[10, 3, 0, 7])).unwrap();
    assert_eq!(lighter, [10, 3, 7].map(Integer::from));
    assert_eq!(bins.map(&1).unwrap(), Rational::from(50_i64));
    let distance = bins
        .output_domain()
        .distance(&L1Distance, &totals, &lighter);
    assert_eq!(distance.unwrap(), Rational::from(40_i64));
}

#[test]
fn peer_bug_weights_ignored_in_the_largest_entry() {
    let domain = FrameDomain::new([
        ("group", AtomDomain::<bool>::new().into()),
        ("weight", AtomDomain::bounded(-2_i64, 5).unwrap().into()),
    ])
    .unwrap()
    .with_size(4);
    let groups = CategoryBins::new([true]).unwrap();
    let bins = weighted_histogram::<bool, i64, _, _, _>(
        domain,
        ChangeOneDistance,
        "group",
        &groups,
        "weight",
        LInfDistance,
    );
    // From −2 to 5 in one bin.
    assert_eq!(bins.unwrap().map(&1).unwrap(), Rational::from(7_i64));
}

/// Every order of five rows.
fn orders(rows: &[f64]) -> Vec<Vec<f64>> {
    if rows.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for i in 0..rows.len() {
        let mut rest = rows.to_vec();
        let first = rest.remove(i);
        all.extend(orders(&rest).into_iter().map(|mut order| {
            order.push(first);
            order
        }));
    }
    all
}

#[test]
fn peer_bug_sums_depend_on_the_order_of_rows() {
    let rows = [1e15, 1.0, -1e15, 0.3, 0.7];
    let orders = orders(&rows);
    let naive: Vec<u64> = orders
        .iter()
        .map(|rows| rows.iter().sum::<f64>().to_bits())
        .collect();
    assert!(naive.iter().any(|sum| *sum != naive[0]));

    let wide = grid("-1e15", "1e15", -1);
    let sized = || floats().with_size(5);
    let total = sum_on_grid(floats(), SymmetricDistance, &wide).unwrap();
    let average = mean_on_grid(sized(), ChangeOneDistance, &wide).unwrap();
    let spread = variance_on_grid(sized(), ChangeOneDistance, &wide).unwrap();
    for order in &orders {
        assert_eq!(
            total.invoke(order).unwrap(),
            total.invoke(&orders[0]).unwrap()
        );
        assert_eq!(
            average.invoke(order).unwrap(),
            average.invoke(&orders[0]).unwrap()
        );
        assert_eq!(
            spread.invoke(order).unwrap(),
            spread.invoke(&orders[0]).unwrap()
        );
    }
}

#[test]
fn peer_bug_truncation_depends_on_the_order_of_rows() {
    // Two zeros that compare equal but are different records.
    let orders = orders(&[0.0, -0.0, f64::NAN, 1.0]);
    let nullable = || VectorDomain::new(AtomDomain::<f64>::new().nullable());
    for size in 1..=3 {
        for keep in [Keep::Smallest, Keep::Largest, Keep::Scattered] {
            let cut = resize(nullable(), SymmetricDistance, size, keep, 0.0).unwrap();
            let first = cut.invoke(&orders[0]).unwrap();
            for order in &orders {
                let kept = cut.invoke(order).unwrap();
                let distance = cut
                    .output_domain()
                    .distance(&ChangeOneDistance, &first, &kept);
                assert_eq!(distance.unwrap(), 0);
            }
        }
    }
}
