//! Properties of transformations on random data that enumeration does not reach.

use lastbit::Bounds;
use lastbit::MetricSpace;
use lastbit::domains::{AtomDomain, Domain, Frame, FrameDomain, VectorDomain};
use lastbit::metrics::{
    ChangeOneDistance, L1Distance, L2Distance, LInfDistance, SymmetricDistance,
};
use lastbit::statistics::{Grid, NonFinite};
use lastbit::transformations::{
    CastTo, Edges, ExactNumber, Keep, Tree, histogram, index, mean, resize, sum, sum_on_grid, tree,
    variance, variance_on_grid, weighted_histogram,
};
use lastbit_exact::{Integer, Rational};
use proptest::prelude::*;

/// Any float, with the hard ones more often than by chance.
fn any_float() -> impl Strategy<Value = f64> + Clone {
    prop_oneof![
        any::<f64>(),
        -100.0..100.0,
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(f64::NEG_INFINITY),
        Just(-0.0),
        Just(5e-324),
    ]
}

/// Rows, then the same with the last few replaced by others.
fn changed<T: std::fmt::Debug + Clone>(
    row: impl Strategy<Value = T> + Clone,
    most: usize,
) -> impl Strategy<Value = (Vec<T>, Vec<T>)> {
    (2..most, 0..5usize).prop_flat_map(move |(rows, changes)| {
        let first = prop::collection::vec(row.clone(), rows);
        let other = prop::collection::vec(row.clone(), changes.min(rows));
        (first, other).prop_map(|(rows, other)| {
            let mut changed = rows.clone();
            let start = rows.len() - other.len();
            changed.splice(start.., other);
            (rows, changed)
        })
    })
}

/// `d_out ≤ map(d_in)` for two data sets.
macro_rules! within {
    ($transformation:expr, $x:expr, $y:expr) => {{
        let transformation = $transformation.unwrap();
        let metric = transformation.input_metric();
        let d_in = transformation
            .input_domain()
            .distance(metric, $x, $y)
            .unwrap();
        let (left, right) = (
            transformation.invoke($x).unwrap(),
            transformation.invoke($y).unwrap(),
        );
        let output = transformation.output_domain();
        prop_assert!(output.contains(&left) && output.contains(&right));
        let d_out = output
            .distance(transformation.output_metric(), &left, &right)
            .unwrap();
        prop_assert!(
            d_out <= transformation.map(&d_in).unwrap(),
            "{d_in} gives {d_out}"
        );
    }};
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn integer_statistics_stay_within_their_maps(
        (x, y) in changed(any::<i64>(), 40),
        removed in 0..10usize,
    ) {
        let rows = VectorDomain::new(AtomDomain::bounded(i64::MIN, i64::MAX).unwrap());
        let sized = rows.clone().with_size(x.len());
        within!(sum(sized.clone(), ChangeOneDistance), &x, &y);
        within!(mean(sized.clone(), ChangeOneDistance), &x, &y);
        within!(variance(sized, SymmetricDistance), &x, &y);
        let shorter = y[removed.min(y.len())..].to_vec();
        within!(sum(rows.clone(), SymmetricDistance), &x, &shorter);
        for keep in [Keep::Smallest, Keep::Largest, Keep::Scattered] {
            within!(resize(rows.clone(), SymmetricDistance, 7, keep, 0), &x, &shorter);
        }
    }

    #[test]
    fn float_statistics_stay_within_their_maps(
        (x, y) in changed(any_float(), 40),
        exponent in -40..4i32,
        lower in -1000..0i64,
        width in 0..2000i64,
    ) {
        let bounds = Bounds::new(Rational::new(lower, 7), Rational::new(lower + width, 7)).unwrap();
        let grid = Grid::new(&bounds, exponent, NonFinite::ReplaceNan(1.5)).unwrap();
        let rows = VectorDomain::new(AtomDomain::new().nullable().with_infinities());
        let sized = rows.clone().with_size(x.len());
        within!(sum_on_grid(rows.clone(), SymmetricDistance, &grid), &x, &y);
        within!(sum_on_grid(sized.clone(), ChangeOneDistance, &grid), &x, &y);
        within!(variance_on_grid(sized.clone(), ChangeOneDistance, &grid), &x, &y);
        let edges = Edges::new([-3.0, 0.0, 1e-300, 50.0]).unwrap().with_null_bin();
        within!(histogram(rows.clone(), SymmetricDistance, &edges, L1Distance), &x, &y);
        within!(histogram(sized.clone(), ChangeOneDistance, &edges, L2Distance), &x, &y);
        within!(histogram(sized.clone(), ChangeOneDistance, &edges, LInfDistance), &x, &y);
        let shape = Tree::new(6, 2).unwrap();
        within!(tree(sized.clone(), ChangeOneDistance, &edges, &shape, L1Distance), &x, &y);
        within!(tree(sized, ChangeOneDistance, &edges, &shape, L2Distance), &x, &y);
        within!(tree(rows, SymmetricDistance, &edges, &shape, L2Distance), &x, &y);
    }

    #[test]
    fn weighted_bins_sum_to_all_weights(
        rows in prop::collection::vec((any::<i64>(), any::<u64>()), 0..30),
    ) {
        let (values, weights): (Vec<i64>, Vec<u64>) = rows.into_iter().unzip();
        let domain = FrameDomain::new([
            ("x", AtomDomain::<i64>::new().into()),
            ("w", AtomDomain::bounded(0, u64::MAX).unwrap().into()),
        ]).unwrap();
        let edges = Edges::new([-1_i64 << 62, 0, 1 << 62]).unwrap();
        let bins = weighted_histogram::<i64, u64, _, _, _>(
            domain, SymmetricDistance, "x", &edges, "w", L1Distance,
        ).unwrap();
        let frame = Frame::new([("x", values.into()), ("w", weights.clone().into())]).unwrap();
        prop_assert_eq!(Integer::total(&bins.invoke(&frame).unwrap()), u64::total(&weights));
    }

    #[test]
    fn sums_and_products_are_those_of_big_integers(
        rows in prop::collection::vec(any::<(i64, i64, u64, u64)>(), 0..50),
    ) {
        let big = |x: &[Integer], y: &[Integer]| (Integer::total(x), Integer::product_total(x, y));
        let x: Vec<i64> = rows.iter().map(|row| row.0).collect();
        let y: Vec<i64> = rows.iter().map(|row| row.1).collect();
        let to_big = |rows: &[i64]| rows.iter().map(|&row| Integer::from(row)).collect::<Vec<_>>();
        prop_assert_eq!(
            (i64::total(&x), i64::product_total(&x, &y)),
            big(&to_big(&x), &to_big(&y))
        );
        let x: Vec<u64> = rows.iter().map(|row| row.2).collect();
        let y: Vec<u64> = rows.iter().map(|row| row.3).collect();
        let to_big = |rows: &[u64]| rows.iter().map(|&row| Integer::from(row)).collect::<Vec<_>>();
        prop_assert_eq!(
            (u64::total(&x), u64::product_total(&x, &y)),
            big(&to_big(&x), &to_big(&y))
        );
    }

    #[test]
    fn a_value_is_in_the_bin_whose_label_holds_it(
        mut edges in prop::collection::vec(-50..50i64, 2..12),
        value in -60..60i64,
        closed in any::<bool>(),
    ) {
        edges.sort_unstable();
        edges.dedup();
        prop_assume!(edges.len() >= 2);
        let (first, last) = (edges[0], edges[edges.len() - 1]);
        let binning = Edges::new(edges.clone()).unwrap();
        let binning = if closed { binning.closed() } else { binning };
        let rows = VectorDomain::new(AtomDomain::<i64>::new());
        let bins = index(rows, SymmetricDistance, &binning).unwrap();
        let bin = bins.invoke(&vec![value]).unwrap()[0] as usize;
        let above = |edge: i64| value > edge || (value == edge && !(closed && edge == last));
        let expected = edges.iter().filter(|&&edge| above(edge)).count();
        prop_assert_eq!(bin, expected);
        prop_assert_eq!(bin == 0, value < first);
        prop_assert_eq!(binning.labels().len(), edges.len() + 1);
    }

    #[test]
    fn casts_keep_values_or_give_nothing(x in any_float(), n in any::<i64>()) {
        let whole: Option<i64> = x.cast_to();
        let limit = 2f64.powi(63);
        let expected = x.trunc() == x && (-limit..limit).contains(&x);
        prop_assert_eq!(whole.is_some(), expected);
        prop_assert!(whole.is_none_or(|whole| whole as f64 == x));
        let text: Option<String> = x.cast_to();
        prop_assert_eq!(text.is_some(), x.is_finite());
        let again: Option<f64> = text.cast_to();
        prop_assert_eq!(again, Some(x).filter(|x| x.is_finite()));
        let float: Option<f64> = n.cast_to();
        prop_assert_eq!(float.and_then(|x| CastTo::<i64>::cast_to(&x)), float.map(|_| n));
        prop_assert_eq!(CastTo::<u64>::cast_to(&n), u64::try_from(n).ok());
        prop_assert_eq!(CastTo::<i64>::cast_to(&n.to_string()), Some(n));
        prop_assert_eq!(CastTo::<bool>::cast_to(&n), [false, true].get(n as usize).copied());
    }
}

#[test]
fn cells_that_no_cast_reads() {
    for text in [
        "",
        " ",
        "nan",
        "NaN",
        "inf",
        "-infinity",
        "0x10",
        "1,5",
        "１",
    ] {
        assert_eq!(CastTo::<f64>::cast_to(&text.to_string()), None, "{text}");
        assert_eq!(CastTo::<i64>::cast_to(&text.to_string()), None, "{text}");
        assert_eq!(
            CastTo::<Rational>::cast_to(&text.to_string()),
            None,
            "{text}"
        );
    }
    assert_eq!(CastTo::<f64>::cast_to(&"1e999".to_string()), None);
    assert_eq!(
        CastTo::<Rational>::cast_to(&"1/3".to_string()),
        Some(Rational::new(1, 3))
    );
    assert_eq!(CastTo::<Integer>::cast_to(&"1/3".to_string()), None);
    assert_eq!(CastTo::<bool>::cast_to(&" False".to_string()), Some(false));
    assert_eq!(CastTo::<bool>::cast_to(&"yes".to_string()), None);
    assert_eq!(CastTo::<f64>::cast_to(&None::<i64>), None);
    assert_eq!(CastTo::<f64>::cast_to(&Rational::new(1, 3)), None);
}
