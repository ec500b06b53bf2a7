//! Transformations of rows and frames.

use lastbit::domains::{AtomDomain, Frame, FrameDomain, VectorDomain};
use lastbit::metrics::*;
use lastbit::transformations::*;
use lastbit_exact::Rational;

use super::data::*;
use super::maps;

/// The metrics of rows, with and without a public size where they need one.
macro_rules! row_metrics {
    ($domain:expr, |$d:ident, $m:ident| $body:expr) => {
        for size in [0, 1, 2, 3, 1000] {
            let ($d, $m) = ($domain.clone().with_size(size), ChangeOneDistance);
            $body;
            let ($d, $m) = ($domain.clone().with_size(size), SymmetricDistance);
            $body;
        }
        let ($d, $m) = ($domain.clone(), SymmetricDistance);
        $body
    };
}

/// Tries what could be built: a constructor may refuse a domain, and must then not fail on data.
macro_rules! try_maps {
    ($name:literal, $made:expr, $data:expr) => {
        if let Ok(made) = $made {
            maps($name, &made, $data);
        }
    };
}

pub fn rows_are_mapped() {
    let data = vectors(&INTEGERS);
    row_metrics!(integers(), |d, m| {
        try_maps!(
            "transformations/clamp:clamp",
            clamp(d.clone(), m, -5, 5),
            &data
        );
        try_maps!("transformations/count:count", count(d.clone(), m), &data);
        try_maps!(
            "transformations/count:count_if",
            count_if(d.clone(), m, |&x| x > 1),
            &data
        );
        try_maps!(
            "transformations/filter:filter",
            filter(d.clone(), m, |&x| x > 1),
            &data
        );
        try_maps!("transformations/unique:unique", unique(d.clone(), m), &data);
        let negated = map_rows(d.clone(), m, AtomDomain::<i64>::new(), |x| x.wrapping_neg());
        try_maps!("transformations/rows:map_rows", negated, &data);
        let edges = Edges::new([i64::MIN, 0, 18, i64::MAX]).unwrap();
        let bins = histogram(d.clone(), m, &edges, L1Distance);
        try_maps!("transformations/histogram:histogram", bins, &data);
        let bins = histogram(d.clone(), m, &edges, L2Distance);
        try_maps!("transformations/histogram:histogram", bins, &data);
        try_maps!(
            "transformations/index:index",
            index(d.clone(), m, &edges),
            &data
        );
        let keys = count_by_key(d.clone(), m, L1Distance);
        try_maps!("transformations/count_by_key:count_by_key", keys, &data);
        let shape = Tree::new(5, 2).unwrap();
        let nodes = tree(d.clone(), m, &edges, &shape, L1Distance);
        try_maps!("transformations/tree/build:tree", nodes, &data);
        for size in [1, 2, 5] {
            let sized = resize(d.clone(), m, size, Keep::Smallest, 7);
            try_maps!("transformations/resize:resize", sized, &data);
        }
        let read = cast_or_drop::<u64, _, _>(d.clone(), m);
        try_maps!("transformations/cast:cast_or_drop", read, &data);
        let read = cast_or_replace::<f64, _, _>(d.clone(), m, -0.0);
        try_maps!("transformations/cast:cast_or_replace", read, &data);
    });
    let (words, data) = texts();
    row_metrics!(words, |d, m| {
        let read = cast_or_drop::<f64, _, _>(d.clone(), m);
        try_maps!("transformations/cast:cast_or_drop", read, &data);
        let read = cast_or_replace::<Rational, _, _>(d.clone(), m, Rational::ZERO);
        try_maps!("transformations/cast:cast_or_replace", read, &data);
    });
}

pub fn statistics_are_computed() {
    let data = vectors(&INTEGERS);
    for (lower, upper) in [(0, 120), (i64::MIN, i64::MAX), (7, 7)] {
        let bounded = VectorDomain::new(AtomDomain::bounded(lower, upper).unwrap());
        row_metrics!(bounded, |d, m| {
            try_maps!("transformations/sum:sum", sum(d.clone(), m), &data);
            try_maps!("transformations/mean:mean", mean(d.clone(), m), &data);
            try_maps!(
                "transformations/variance:variance",
                variance(d.clone(), m),
                &data
            );
        });
    }
    let counts = integers().with_size(3);
    let nodes = tree_of_counts(counts, &Tree::new(3, 2).unwrap()).unwrap();
    maps("transformations/tree/build:tree_of_counts", &nodes, &data);
    let data = vectors(&FLOATS);
    for column in domains_of_floats() {
        for grid in grids() {
            row_metrics!(VectorDomain::new(column.clone()), |d, m| {
                let made = round_to_grid(d.clone(), m, &grid);
                try_maps!("transformations/round_to_grid:round_to_grid", made, &data);
                let made = sum_on_grid(d.clone(), m, &grid);
                try_maps!("transformations/sum:sum_on_grid", made, &data);
                let made = mean_on_grid(d.clone(), m, &grid);
                try_maps!("transformations/mean:mean_on_grid", made, &data);
                let made = variance_on_grid(d.clone(), m, &grid);
                try_maps!("transformations/variance:variance_on_grid", made, &data);
            });
        }
        let scaled = scale(column.clone(), Rational::new(-1, 3));
        try_maps!("transformations/scale:scale", scaled, &FLOATS);
        row_metrics!(VectorDomain::new(column.clone()), |d, m| {
            try_maps!(
                "transformations/clamp:clamp",
                clamp(d.clone(), m, -0.5, 0.5),
                &data
            );
            let made = resize(d.clone(), m, 2, Keep::Smallest, 0.25);
            try_maps!("transformations/resize:resize", made, &data);
        });
    }
}

pub fn frames_are_mapped() {
    let data = frames();
    for column in domains_of_floats() {
        let edges = Edges::new([-1.0, 0.0, 5.0]).unwrap();
        row_metrics!(frame_domain(column.clone()), |d, m| {
            let made = select::<f64, _>(d.clone(), m, "x");
            try_maps!("transformations/select:select", made, &data);
            let made = filter_frame::<f64, _>(d.clone(), m, "x", |&x| x > 0.0);
            try_maps!("transformations/filter:filter_frame", made, &data);
            for grid in grids() {
                let made = weighted_histogram_on_grid::<f64, _, _, _>(
                    d.clone(),
                    m,
                    "x",
                    &edges,
                    ("y", &grid),
                    L1Distance,
                );
                try_maps!(
                    "transformations/weighted_histogram:weighted_histogram_on_grid",
                    made,
                    &data
                );
                let made = covariance_on_grid(d.clone(), m, ("x", &grid), ("y", &grid));
                try_maps!("transformations/covariance:covariance_on_grid", made, &data);
            }
        });
    }
    let data: Vec<Frame> = vectors(&INTEGERS)
        .into_iter()
        .map(|x| {
            let y: Vec<i64> = x.iter().rev().copied().collect();
            Frame::new([("x", x.into()), ("y", y.into())]).unwrap()
        })
        .collect();
    for (lower, upper) in [(0, 120), (i64::MIN, i64::MAX)] {
        let column = AtomDomain::bounded(lower, upper).unwrap();
        let domain =
            FrameDomain::new([("x", column.clone().into()), ("y", column.into())]).unwrap();
        let edges = Edges::new([0_i64, 50]).unwrap();
        row_metrics!(domain, |d, m| {
            let made = covariance::<i64, _>(d.clone(), m, "x", "y");
            try_maps!("transformations/covariance:covariance", made, &data);
            let made =
                weighted_histogram::<i64, i64, _, _, _>(d.clone(), m, "x", &edges, "y", L1Distance);
            try_maps!(
                "transformations/weighted_histogram:weighted_histogram",
                made,
                &data
            );
        });
    }
}
