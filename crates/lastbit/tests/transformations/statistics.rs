//! Transformations from rows to numbers and vectors, on all small data sets and all pairs of them.

use super::neighbours::{assert_tight, largest, vectors};
use lastbit::domains::{AtomDomain, Frame, FrameDomain, VectorDomain};
use lastbit::metrics::{
    ChangeOneDistance, ContributionDistance, L1Distance, L2Distance, LInfDistance,
    SymmetricDistance,
};
use lastbit::statistics::{Grid, NonFinite};
use lastbit::transformations::{
    CategoryBins, Edges, Tree, count, count_by_key, count_if, covariance, covariance_on_grid,
    histogram, mean, mean_on_grid, round_to_grid, scale, sum, sum_on_grid, tree, tree_of_counts,
    variance, variance_on_grid, weighted_histogram, weighted_histogram_on_grid,
};
use lastbit::{Bounds, MetricSpace, Then};
use lastbit_exact::Rational;

/// Bounds of every combination of signs, and of width zero.
const BOUNDS: [(i64, i64); 6] = [(0, 1), (-3, 5), (2, 7), (-7, -2), (-4, 0), (3, 3)];

fn integers() -> VectorDomain<AtomDomain<i64>> {
    VectorDomain::new(AtomDomain::new())
}

/// Both ends and a point between.
fn points((a, b): (i64, i64)) -> Vec<i64> {
    let mut points = vec![a, a + (b - a) / 3, b];
    points.dedup();
    points
}

fn floats(rows: &[Vec<i64>], unit: f64) -> Vec<Vec<f64>> {
    let scaled = |row: &Vec<i64>| row.iter().map(|&x| x as f64 * unit).collect();
    rows.iter().map(scaled).collect()
}

#[test]
fn counts() {
    let values = [1, 2, 3];
    let rows = vectors(&values, 0..=4);
    let four = vectors(&values, 4..=4);
    assert_tight(&count(integers(), SymmetricDistance).unwrap(), &rows, 0..=4);
    let sized = integers().with_size(4);
    assert_tight(
        &count(sized.clone(), ChangeOneDistance).unwrap(),
        &four,
        0..=4,
    );
    let odd = |row: &i64| row % 2 == 1;
    assert_tight(
        &count_if(integers(), SymmetricDistance, odd).unwrap(),
        &rows,
        0..=4,
    );
    assert_tight(
        &count_if(sized.clone(), ChangeOneDistance, odd).unwrap(),
        &four,
        0..=4,
    );
    assert_tight(
        &count_if(sized, SymmetricDistance, odd).unwrap(),
        &four,
        0..=8,
    );
}

#[test]
fn sums_and_means() {
    for bounds in BOUNDS {
        let element = AtomDomain::bounded(bounds.0, bounds.1).unwrap();
        let rows = VectorDomain::new(element);
        let sized = rows.clone().with_size(4);
        let (any, four) = (
            vectors(&points(bounds), 0..=4),
            vectors(&points(bounds), 4..=4),
        );
        assert_tight(&sum(rows, SymmetricDistance).unwrap(), &any, 0..=4);
        assert_tight(
            &sum(sized.clone(), ChangeOneDistance).unwrap(),
            &four,
            0..=4,
        );
        assert_tight(
            &sum(sized.clone(), SymmetricDistance).unwrap(),
            &four,
            0..=8,
        );
        assert_tight(
            &mean(sized.clone(), ChangeOneDistance).unwrap(),
            &four,
            0..=4,
        );
        assert_tight(&mean(sized, SymmetricDistance).unwrap(), &four, 0..=8);
    }
}

#[test]
fn variances() {
    for bounds in BOUNDS {
        for rows in 2..=4 {
            let domain = VectorDomain::new(AtomDomain::bounded(bounds.0, bounds.1).unwrap());
            let domain = domain.with_size(rows);
            let data = vectors(&points(bounds), rows..=rows);
            let spread = variance(domain.clone(), ChangeOneDistance).unwrap();
            assert_tight(&spread, &data, 0..=1);
            assert_tight(&spread, &data, rows as u64..=rows as u64); // the whole range
            assert_tight(&variance(domain, SymmetricDistance).unwrap(), &data, 0..=3);
        }
    }
}

#[test]
fn grids_give_the_same_as_rounding_summing_and_scaling() {
    let values = [-9, -2, 1, 3, 20]; // in quarters; bounds and rounding bind
    let bounds = Bounds::parse("-1", "4").unwrap();
    let grid = Grid::new(&bounds, -1, NonFinite::Refuse).unwrap();
    let rows = VectorDomain::new(AtomDomain::<f64>::new());
    let sized = rows.clone().with_size(3);
    let any = floats(&vectors(&values, 0..=3), 0.25);
    let three = floats(&vectors(&values, 3..=3), 0.25);

    let total = sum_on_grid(rows.clone(), SymmetricDistance, &grid).unwrap();
    assert_tight(&total, &any, 0..=3);
    let rounded = round_to_grid(rows, SymmetricDistance, &grid).unwrap();
    let summed = sum(rounded.output_domain().clone(), SymmetricDistance).unwrap();
    let scaled = scale(summed.output_domain().clone(), Rational::new(1, 2)).unwrap();
    let long = (rounded >> summed >> scaled).unwrap();
    for data in &any {
        assert_eq!(total.invoke(data).unwrap(), long.invoke(data).unwrap());
    }
    assert_eq!(total.map(&5).unwrap(), long.map(&5).unwrap());

    let average = mean_on_grid(sized.clone(), ChangeOneDistance, &grid).unwrap();
    assert_tight(&average, &three, 0..=3);
    let spread = variance_on_grid(sized.clone(), ChangeOneDistance, &grid).unwrap();
    assert_tight(&spread, &three, 0..=1);
    let rounded = round_to_grid(sized, ChangeOneDistance, &grid).unwrap();
    let steps = rounded.output_domain().clone();
    let quarter = Rational::new(1, 4);
    let spread_of_steps = variance(steps, ChangeOneDistance).unwrap();
    let scaled = scale(spread_of_steps.output_domain().clone(), quarter).unwrap();
    let long = (rounded >> spread_of_steps >> scaled).unwrap();
    for data in &three {
        assert_eq!(spread.invoke(data).unwrap(), long.invoke(data).unwrap());
    }
    assert_eq!(spread.map(&1).unwrap(), long.map(&1).unwrap());
}

/// Frames of all rows `(x, y)`.
fn frames(x: &[i64], y: &[i64], lengths: std::ops::RangeInclusive<usize>) -> Vec<Frame> {
    let pairs: Vec<(i64, i64)> = x
        .iter()
        .flat_map(|&x| y.iter().map(move |&y| (x, y)))
        .collect();
    let rows = vectors(&pairs, lengths).into_iter();
    rows.map(|rows| {
        let (x, y): (Vec<i64>, Vec<i64>) = rows.into_iter().unzip();
        Frame::new([("x", x.into()), ("y", y.into())]).unwrap()
    })
    .collect()
}

fn pair_domain(x: (i64, i64), y: (i64, i64)) -> FrameDomain {
    FrameDomain::new([
        ("x", AtomDomain::bounded(x.0, x.1).unwrap().into()),
        ("y", AtomDomain::bounded(y.0, y.1).unwrap().into()),
    ])
    .unwrap()
}

#[test]
fn covariances() {
    let (x, y) = ((-1, 3), (2, 5));
    for rows in 2..=3 {
        let data = frames(&[-1, 3], &[2, 4, 5], rows..=rows);
        let domain = pair_domain(x, y).with_size(rows);
        let joint = covariance::<i64, _>(domain, ChangeOneDistance, "x", "y").unwrap();
        assert_tight(&joint, &data, 0..=1);
        let range = rows as u64..=rows as u64;
        assert_tight(&joint, &data, range);

        let any = AtomDomain::<f64>::new();
        let domain = FrameDomain::new([("x", any.clone().into()), ("y", any.into())]).unwrap();
        let grid = |(a, b): (i64, i64)| {
            let bounds = Bounds::from_f64(a as f64, b as f64).unwrap();
            Grid::new(&bounds, -2, NonFinite::Refuse).unwrap()
        };
        let (x_grid, y_grid) = (grid(x), grid(y));
        let on_grid = covariance_on_grid(
            domain.with_size(rows),
            ChangeOneDistance,
            ("x", &x_grid),
            ("y", &y_grid),
        )
        .unwrap();
        for frame in &data {
            let floats = ["x", "y"].map(|name| {
                let column = frame.column::<i64>(name).unwrap();
                let floats: Vec<f64> = column.iter().map(|&x| x as f64).collect();
                (name, floats.into())
            });
            let floats = Frame::new(floats).unwrap();
            assert_eq!(
                on_grid.invoke(&floats).unwrap(),
                joint.invoke(frame).unwrap()
            );
        }
        assert_eq!(on_grid.map(&1).unwrap(), joint.map(&1).unwrap());
    }
}

/// Runs a check for each norm.
macro_rules! each_norm {
    (|$norm:ident| $check:expr) => {{
        let $norm = L1Distance;
        $check;
        let $norm = L2Distance;
        $check;
        let $norm = LInfDistance;
        $check;
    }};
}

#[test]
fn histograms() {
    let values = [-1, 0, 4, 5, 9];
    let (any, three) = (vectors(&values, 0..=3), vectors(&values, 3..=3));
    let sized = || integers().with_size(3);
    let edges = Edges::new([0_i64, 5]).unwrap();
    let categories = CategoryBins::new([4_i64]).unwrap();
    each_norm!(|norm| {
        let bins = histogram(integers(), SymmetricDistance, &edges, norm).unwrap();
        assert_tight(&bins, &any, 0..=3);
        let bins = histogram(sized(), ChangeOneDistance, &edges, norm).unwrap();
        assert_tight(&bins, &three, 0..=3);
        let bins = histogram(sized(), SymmetricDistance, &categories, norm).unwrap();
        assert_tight(&bins, &three, 0..=6);
    });
}

#[test]
fn counts_by_key() {
    let values = [1, 2, 3];
    let (any, three) = (vectors(&values, 0..=3), vectors(&values, 3..=3));
    each_norm!(|norm| {
        let counts = count_by_key(integers(), SymmetricDistance, norm).unwrap();
        assert_tight(&counts, &any, 0..=3);
        let counts = count_by_key(integers().with_size(3), ChangeOneDistance, norm).unwrap();
        assert_tight(&counts, &three, 0..=3);
    });
    let counts = count_by_key(integers(), SymmetricDistance, ContributionDistance).unwrap();
    assert_tight(&counts, &any, 0..=1);
    let sized = integers().with_size(3);
    let counts = count_by_key(sized, ChangeOneDistance, ContributionDistance).unwrap();
    assert_tight(&counts, &three, 0..=1);
}

#[test]
fn weighted_histograms() {
    let edges = Edges::new([0_i64, 5]).unwrap();
    for weights in [(1, 1), (0, 3), (-2, 3), (2, 3), (-3, -1), (-1, 1)] {
        let (lightest, heaviest) = weights;
        let mut ends = vec![lightest, heaviest];
        ends.dedup();
        let domain = || pair_domain((-1, 9), weights);
        let any = frames(&[-1, 2], &ends, 0..=3);
        let three = frames(&[-1, 2], &ends, 3..=3);
        each_norm!(|norm| {
            let bins = weighted_histogram::<i64, i64, _, _, _>(
                domain(),
                SymmetricDistance,
                "x",
                &edges,
                "y",
                norm,
            );
            assert_tight(&bins.unwrap(), &any, 0..=3);
            let bins = weighted_histogram::<i64, i64, _, _, _>(
                domain().with_size(3),
                ChangeOneDistance,
                "x",
                &edges,
                "y",
                norm,
            );
            assert_tight(&bins.unwrap(), &three, 0..=3);
        });
    }
}

#[test]
fn weights_on_a_grid_are_those_of_integers() {
    let edges = Edges::new([0_i64, 5]).unwrap();
    let bounds = Bounds::parse("-0.5", "1.5").unwrap();
    let grid = Grid::new(&bounds, -1, NonFinite::ReplaceNan(0.0)).unwrap();
    let domain = FrameDomain::new([
        ("x", AtomDomain::<i64>::new().into()),
        ("w", AtomDomain::<f64>::new().nullable().into()),
    ])
    .unwrap();
    let weights = [-0.5, 1.5, 9.0, f64::NAN];
    let pairs: Vec<(i64, f64)> = weights.iter().flat_map(|&w| [(-1, w), (2, w)]).collect();
    let data: Vec<Frame> = vectors(&pairs, 0..=2)
        .into_iter()
        .map(|rows| {
            let (x, w): (Vec<i64>, Vec<f64>) = rows.into_iter().unzip();
            Frame::new([("x", x.into()), ("w", w.into())]).unwrap()
        })
        .collect();
    each_norm!(|norm| {
        let bins = weighted_histogram_on_grid(
            domain.clone(),
            SymmetricDistance,
            "x",
            &edges,
            ("w", &grid),
            norm,
        );
        assert_tight(&bins.unwrap(), &data, 0..=2);
    });
}

#[test]
fn trees() {
    for (edges, branching) in [
        (vec![0_i64, 1], 2),
        (vec![0, 1, 2, 3], 2),
        (vec![0, 1, 2, 3], 3),
        (vec![0, 1], 5),
    ] {
        let shape = Tree::new(edges.len() + 1, branching).unwrap();
        // A value in the first, the last and a middle bin.
        let values = [-1, 0, 9];
        let (any, three) = (vectors(&values, 0..=3), vectors(&values, 3..=3));
        let edges = Edges::new(edges).unwrap();
        each_norm!(|norm| {
            let nodes = tree(integers(), SymmetricDistance, &edges, &shape, norm).unwrap();
            assert_tight(&nodes, &any, 0..=3);
            let sized = integers().with_size(3);
            let nodes = tree(sized, ChangeOneDistance, &edges, &shape, norm).unwrap();
            assert_tight(&nodes, &three, 0..=3);
        });
        let nodes = tree(integers(), SymmetricDistance, &edges, &shape, L1Distance).unwrap();
        assert_eq!(
            nodes.map(&1).unwrap(),
            Rational::from(shape.levels() as u64)
        );
    }
}

#[test]
fn trees_of_counts_multiply_the_distance_by_the_levels() {
    let shape = Tree::new(3, 2).unwrap();
    let leaves = integers().with_size(3);
    let nodes = tree_of_counts(leaves.clone(), &shape).unwrap();
    let edges = Edges::new([0_i64, 5]).unwrap();
    let bins = histogram(integers(), SymmetricDistance, &edges, L1Distance).unwrap();
    let chained = bins.then(&nodes).unwrap();
    assert_tight(&chained, &vectors(&[-1, 2, 9], 0..=3), 0..=3);
    let data = vectors(&[-1, 0, 2], 3..=3);
    let mut reached = false;
    for x in &data {
        for y in &data {
            let d_in = leaves.distance(&L1Distance, x, y).unwrap();
            let (left, right) = (nodes.invoke(x).unwrap(), nodes.invoke(y).unwrap());
            let d_out = nodes
                .output_domain()
                .distance(&L1Distance, &left, &right)
                .unwrap();
            let bound = nodes.map(&d_in).unwrap();
            assert!(d_out <= bound);
            reached |= d_out == bound && !d_in.is_zero();
        }
    }
    assert!(reached);
}

#[test]
fn public_rows_under_symmetric_distance_are_never_worse() {
    let data = vectors(&[0_i64, 1, 4], 4..=4);
    let domain = VectorDomain::new(AtomDomain::bounded(0_i64, 4).unwrap());
    let private = sum(domain.clone(), SymmetricDistance).unwrap();
    let public = sum(domain.with_size(4), SymmetricDistance).unwrap();
    largest(&public, &data);
    for d_in in 0..10 {
        assert!(public.map(&d_in).unwrap() <= private.map(&d_in).unwrap());
    }
}
