//! No measurement or transformation of this crate fails on data of its domain: a failure would tell
//! of the data what no loss accounts for.
//!
//! Every public constructor is here, with members of its domain from the everyday to the extreme; a
//! constructor that is missing from the list fails the test.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Mutex;

use lastbit::composition::{
    adaptive, filtered, pair, parallel, poisson_subsample, sequential,
    subsample_without_replacement,
};
use lastbit::domains::{AtomDomain, Frame, FrameDomain, MapDomain, VectorDomain};
use lastbit::measures::{MaxDivergence, Measure};
use lastbit::mechanisms::exponential::Exponential;
use lastbit::mechanisms::flat_concave::{IntervalSelection, Problem, flat_concave, rec_concave};
use lastbit::mechanisms::snapping::{Arithmetic, Snapping};
use lastbit::mechanisms::*;
use lastbit::metrics::*;
use lastbit::quality::StepFunction;
use lastbit::selection::*;
use lastbit::statistics::{Grid, NonFinite};
use lastbit::transformations::*;
use lastbit::{Bounds, Measurement, MetricSpace, Transformation};
use lastbit_exact::{Integer, Rational, Up};

/// The constructors that were tried, as `file:function`.
static TRIED: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

/// Every member of the domain among the data is answered.
fn answers<DI, MI, MO, TO>(
    name: &'static str,
    measurement: &Measurement<DI, MI, MO, TO>,
    data: &[DI::Carrier],
) where
    DI: MetricSpace<MI>,
    MI: Metric,
    MO: Measure,
    TO: 'static,
{
    let domain = measurement.input_domain();
    let mut members = 0;
    for (index, member) in data.iter().enumerate() {
        if domain.contains(member) {
            members += 1;
            let answer = measurement.invoke(member);
            assert!(answer.is_ok(), "{name}, data {index}: {:?}", answer.err());
        }
    }
    if members > 0 {
        TRIED.lock().unwrap().insert(name);
    }
}

/// Every member of the domain among the data is mapped to a member of the output domain.
fn maps<DI, MI, DO, MO>(
    name: &'static str,
    transformation: &Transformation<DI, MI, DO, MO>,
    data: &[DI::Carrier],
) where
    DI: MetricSpace<MI>,
    MI: Metric,
    DO: MetricSpace<MO>,
    MO: Metric,
{
    let domain = transformation.input_domain();
    let mut members = 0;
    for (index, member) in data.iter().enumerate() {
        if domain.contains(member) {
            members += 1;
            match transformation.invoke(member) {
                Ok(output) => assert!(
                    transformation.output_domain().contains(&output),
                    "{name}, data {index}: outside {}",
                    transformation.output_domain()
                ),
                Err(error) => panic!("{name}, data {index}: {error}"),
            }
        }
    }
    if members > 0 {
        TRIED.lock().unwrap().insert(name);
    }
}

const FLOATS: [f64; 14] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.1,
    9.75,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    5e-324,
    -5e-324,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
];
const INTEGERS: [i64; 8] = [0, 1, -1, 7, 120, i64::MAX, i64::MIN, 1 << 53];

/// All vectors of up to two values, some of three, and a long one.
fn vectors<T: Clone>(values: &[T]) -> Vec<Vec<T>> {
    let mut all = vec![Vec::new()];
    let mut longest = all.clone();
    for _ in 0..2 {
        longest = longest
            .iter()
            .flat_map(|row| {
                values
                    .iter()
                    .map(|value| [&row[..], std::slice::from_ref(value)].concat())
            })
            .collect();
        all.extend(longest.iter().cloned());
    }
    all.extend(values.windows(3).map(<[T]>::to_vec));
    all.extend(
        values
            .iter()
            .flat_map(|value| [3, 1000].map(|size| vec![value.clone(); size])),
    );
    all.push(values.iter().cycle().take(1000).cloned().collect());
    all
}

fn integers() -> VectorDomain<AtomDomain<i64>> {
    VectorDomain::new(AtomDomain::new())
}

fn floats() -> VectorDomain<AtomDomain<f64>> {
    VectorDomain::new(AtomDomain::new())
}

fn texts() -> (VectorDomain<AtomDomain<String>>, Vec<Vec<String>>) {
    let words = ["", " ", "1", "x", "nan", "1e999", "-0", "ä\u{202e}\0"].map(String::from);
    (VectorDomain::new(AtomDomain::new()), vectors(&words))
}

fn grids() -> Vec<Grid> {
    let bounds = [
        ("0", "10"),
        ("-1e300", "1e300"),
        ("-0.5", "3.5"),
        ("3", "3"),
    ];
    let rules = [NonFinite::Refuse, NonFinite::ReplaceNan(3.0)];
    let mut grids = Vec::new();
    for (lower, upper) in bounds {
        for exponent in [-3, 0, 960] {
            for rule in rules {
                grids.extend(Grid::new(
                    &Bounds::parse(lower, upper).unwrap(),
                    exponent,
                    rule,
                ));
            }
        }
    }
    assert!(grids.len() > 5);
    grids
}

fn both(x: &[f64], y: &[f64]) -> Frame {
    Frame::new([("x", x.to_vec().into()), ("y", y.to_vec().into())]).unwrap()
}

fn frames() -> Vec<Frame> {
    let mut frames = vec![both(&[], &[])];
    for x in vectors(&FLOATS) {
        let y: Vec<f64> = x.iter().rev().copied().collect();
        frames.push(both(&x, &y));
    }
    frames
}

fn frame_domain(column: AtomDomain<f64>) -> FrameDomain {
    FrameDomain::new([("x", column.clone().into()), ("y", column.into())]).unwrap()
}

fn domains_of_floats() -> Vec<AtomDomain<f64>> {
    let any = AtomDomain::<f64>::new();
    vec![
        any.clone(),
        any.clone().nullable(),
        any.clone().with_infinities(),
        any.nullable().with_infinities(),
        AtomDomain::bounded(-0.0, 1.0).unwrap(),
        AtomDomain::bounded(f64::MIN, f64::MAX).unwrap(),
    ]
}

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

fn rows_are_mapped() {
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

fn statistics_are_computed() {
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

fn frames_are_mapped() {
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

fn noise_is_added() {
    for (scale, variance) in [("1", "2"), ("1e-300", "1e-300"), ("1e300", "1e300")] {
        let (scale, variance) = (scale.parse().unwrap(), variance.parse().unwrap());
        for grid in [-1100, -60, 0, 13, 1100] {
            let whole = AtomDomain::<i64>::new();
            if let Ok(made) = laplace(whole.clone(), &scale, grid) {
                answers("mechanisms/laplace:laplace", &made, &INTEGERS);
            }
            if let Ok(made) = laplace(AtomDomain::<f64>::new(), &scale, grid) {
                answers("mechanisms/laplace:laplace", &made, &FLOATS);
            }
            if let Ok(made) = laplace(AtomDomain::<Rational>::new(), &scale, grid) {
                let huge = [
                    Rational::ZERO,
                    Rational::ONE.times_power_of_two(5000),
                    Rational::ONE.times_power_of_two(-5000),
                ];
                answers("mechanisms/laplace:laplace", &made, &huge);
            }
            if let Ok(made) = laplace_zcdp(integers(), &scale, grid) {
                answers(
                    "mechanisms/laplace:laplace_zcdp",
                    &made,
                    &vectors(&INTEGERS)[..80],
                );
            }
            if let Ok(made) = gaussian(AtomDomain::<f64>::new(), &variance, grid) {
                answers("mechanisms/gaussian:gaussian", &made, &FLOATS);
            }
            if let Ok(made) = gaussian(integers(), &variance, grid) {
                answers(
                    "mechanisms/gaussian:gaussian",
                    &made,
                    &vectors(&INTEGERS)[..80],
                );
            }
            let counts = || MapDomain::new(AtomDomain::<String>::new(), AtomDomain::<i64>::new());
            let maps: Vec<BTreeMap<String, i64>> = vectors(&INTEGERS)[..80]
                .iter()
                .map(|row| row.iter().map(|&n| (n.to_string(), n)).collect())
                .collect();
            let bar = Rational::from(22i64);
            if let Ok(made) = threshold_laplace(counts(), &scale, grid, &bar) {
                answers("mechanisms/threshold:threshold_laplace", &made, &maps);
            }
            if let Ok(made) = threshold_gaussian(counts(), &variance, grid, &bar) {
                answers("mechanisms/threshold:threshold_gaussian", &made, &maps);
            }
        }
        if let Ok(made) = geometric(AtomDomain::<i64>::new(), &scale) {
            answers("mechanisms/geometric:geometric", &made, &INTEGERS);
        }
        if let Ok(made) = geometric(AtomDomain::<Integer>::new(), &scale) {
            let huge = [
                Integer::ZERO,
                Integer::from(1) << 5000,
                -(Integer::from(1) << 5000),
            ];
            answers("mechanisms/geometric:geometric", &made, &huge);
        }
    }
    let truth = Rational::new(3, 4);
    let some = randomized_response(AtomDomain::<i64>::new(), [0, 1, 7], &truth).unwrap();
    answers(
        "mechanisms/randomized_response:randomized_response",
        &some,
        &INTEGERS,
    );
    let bit = randomized_response_bool(&truth).unwrap();
    answers(
        "mechanisms/randomized_response:randomized_response_bool",
        &bit,
        &[true, false],
    );
    for arithmetic in [Arithmetic::Exact, Arithmetic::Binary64, Arithmetic::Multi] {
        for (lower, upper) in [("0", "100"), ("-1e200", "1e200"), ("0.1", "0.3")] {
            let bounds = Bounds::parse(lower, upper).unwrap();
            let snapping = Snapping::builder(bounds, "0.01".parse().unwrap())
                .epsilon("0.5".parse().unwrap())
                .arithmetic(arithmetic)
                .build();
            let Ok(snapping) = snapping else { continue };
            let floats = domains_of_floats();
            for domain in floats {
                if let Ok(made) = snapping.measurement(domain.clone()) {
                    answers(
                        "mechanisms/snapping/measurement:measurement",
                        &made,
                        &FLOATS,
                    );
                }
                if let Ok(made) = snapping.measurement_zcdp(domain.clone()) {
                    answers(
                        "mechanisms/snapping/measurement:measurement_zcdp",
                        &made,
                        &FLOATS,
                    );
                }
                if let Ok(made) = snapping.measurement_vector(VectorDomain::new(domain)) {
                    let data = vectors(&FLOATS);
                    answers(
                        "mechanisms/snapping/measurement:measurement_vector",
                        &made,
                        &data[..150],
                    );
                }
            }
        }
    }
}

fn candidates_are_selected() {
    let data = vectors(&INTEGERS);
    let scores = vectors(&FLOATS);
    for epsilon in ["1", "1e-300", "1e300"] {
        let one = "1".parse().unwrap();
        let mechanism = Exponential::new(&epsilon.parse().unwrap(), &one);
        for size in [None, Some(1), Some(2), Some(3)] {
            let sized = |d: VectorDomain<AtomDomain<i64>>| match size {
                Some(size) => d.with_size(size),
                None => d,
            };
            if let Ok(made) = mechanism.measurement(sized(integers())) {
                answers(
                    "mechanisms/exponential/measurement:measurement",
                    &made,
                    &data,
                );
            }
            if let Ok(made) = mechanism.measurement_by_range(sized(integers())) {
                answers(
                    "mechanisms/exponential/measurement:measurement_by_range",
                    &made,
                    &data,
                );
            }
            if let Ok(made) = mechanism.permute_and_flip_measurement(sized(integers())) {
                let name = "mechanisms/exponential/measurement:permute_and_flip_measurement";
                answers(name, &made, &data);
            }
            for k in [0, 1, 2, 3] {
                if let Ok(made) = mechanism.top_k_measurement(sized(integers()), k) {
                    answers(
                        "mechanisms/exponential/measurement:top_k_measurement",
                        &made,
                        &data,
                    );
                }
                if let Ok(made) = mechanism.top_k_measurement_zcdp(sized(integers()), k) {
                    let name = "mechanisms/exponential/measurement:top_k_measurement_zcdp";
                    answers(name, &made, &data);
                }
            }
        }
        for domain in domains_of_floats() {
            if let Ok(made) = mechanism.measurement(VectorDomain::new(domain).with_size(2)) {
                answers(
                    "mechanisms/exponential/measurement:measurement",
                    &made,
                    &scores,
                );
            }
        }
    }
    let qualities: Vec<StepFunction> = [i64::MIN, -1, 0, 1, 1 << 40, i64::MAX]
        .iter()
        .map(|&top| StepFunction::from_values((0..64).map(|x| top.saturating_sub(x))).unwrap())
        .collect();
    for selection in [
        IntervalSelection::Exponential,
        IntervalSelection::Stability("0.001".parse().unwrap()),
    ] {
        let problem =
            || Problem::new(64, 100, "6.1".parse().unwrap(), "1/3".parse().unwrap()).unwrap();
        let one = "1".parse().unwrap();
        let made = rec_concave(problem(), 3, &one, selection.clone()).unwrap();
        answers(
            "mechanisms/flat_concave/measurement:rec_concave",
            &made,
            &qualities,
        );
        let made = flat_concave(problem(), &one, selection).unwrap();
        answers(
            "mechanisms/flat_concave/measurement:flat_concave",
            &made,
            &qualities,
        );
    }
}

fn points_are_selected() {
    let (integer_data, float_data) = (vectors(&INTEGERS), vectors(&FLOATS));
    let delta: lastbit::Delta = "1e-6".parse().unwrap();
    let epsilon = "1".parse().unwrap();
    let half = lastbit::Share::half();
    for size in [1, 2, 3, 1000] {
        for delta in [None, Some(&delta)] {
            let domain = || integers().with_size(size);
            if let Ok(made) = quantile(domain(), &half, &epsilon, delta) {
                answers("selection/quantile:quantile", &made, &integer_data);
            }
            if let Ok(made) = quantile(floats().with_size(size), &half, &epsilon, delta) {
                answers("selection/quantile:quantile", &made, &float_data);
            }
            if let Ok(made) = interior_point(domain(), &epsilon, delta) {
                answers("selection/quantile:interior_point", &made, &integer_data);
            }
            for offer in offers(1 << 64, &epsilon, delta, &"0.05".parse().unwrap()).unwrap() {
                if let Ok(made) = quantile_by(domain(), &half, &offer) {
                    answers("selection/quantile:quantile_by", &made, &integer_data);
                }
                if let Ok(made) = ball_radius_by(domain(), 1, &offer) {
                    answers("selection/ball_radius:ball_radius_by", &made, &integer_data);
                }
            }
            for count in 1..=size.min(3) as u64 {
                if let Ok(made) = ball_radius(domain(), count, &epsilon, delta) {
                    answers("selection/ball_radius:ball_radius", &made, &integer_data);
                }
                let bounded = VectorDomain::new(AtomDomain::bounded(-2.0, 10.0).unwrap());
                let bounded = bounded.with_size(size);
                if let Ok(made) = ball_radius_on_grid(bounded, -10, count, &epsilon, delta) {
                    answers(
                        "selection/ball_radius:ball_radius_on_grid",
                        &made,
                        &float_data,
                    );
                }
            }
            let labelled = VectorDomain::new(LabelledDomain::new(AtomDomain::<i64>::new()));
            let data: Vec<Vec<(i64, bool)>> = integer_data
                .iter()
                .map(|row| row.iter().map(|&x| (x, x > 0 || x == i64::MIN)).collect())
                .collect();
            if let Ok(made) = threshold_learner(labelled.clone().with_size(size), &epsilon, delta) {
                answers(
                    "selection/threshold_learner:threshold_learner",
                    &made,
                    &data,
                );
            }
            for offer in offers(1 << 64, &epsilon, delta, &"0.05".parse().unwrap()).unwrap() {
                if let Ok(made) = threshold_learner_by(labelled.clone().with_size(size), &offer) {
                    answers(
                        "selection/threshold_learner:threshold_learner_by",
                        &made,
                        &data,
                    );
                }
            }
            let made = threshold_learner_add_remove(labelled, &epsilon).unwrap();
            answers(
                "selection/threshold_learner:threshold_learner_add_remove",
                &made,
                &data,
            );
        }
        let quartiles = [0.25, 0.5, 0.75].map(|q| lastbit::Share::try_from(q).unwrap());
        let domain = || integers().with_size(size);
        if let Ok(made) = quantiles(domain(), &quartiles, &epsilon) {
            answers("selection/quantiles:quantiles", &made, &integer_data);
        }
        for method in [QuantilesMethod::Split, QuantilesMethod::Bisection] {
            if let Ok(made) = quantiles_by(domain(), &quartiles, &epsilon, method) {
                answers("selection/quantiles:quantiles_by", &made, &integer_data);
            }
            if let Ok(made) = quantiles_by_zcdp(domain(), &quartiles, &epsilon, method) {
                answers(
                    "selection/quantiles:quantiles_by_zcdp",
                    &made,
                    &integer_data,
                );
            }
        }
    }
}

fn compositions_are_answered() {
    let data = vectors(&INTEGERS);
    let noise = || laplace(AtomDomain::<i64>::new(), &"1".parse().unwrap(), 0).unwrap();
    let counted = || (count(integers(), SymmetricDistance).unwrap() >> noise()).unwrap();
    let both = pair(&counted(), &counted()).unwrap();
    answers("composition/sequential:pair", &both, &data);
    let three = sequential([counted(), counted(), counted()]).unwrap();
    answers("composition/sequential:sequential", &three, &data);
    let part_of = |x: &i64| usize::try_from(*x).ok();
    let parts = parallel(
        integers(),
        SymmetricDistance,
        part_of,
        vec![counted(), counted()],
    );
    answers("composition/parallel:parallel", &parts.unwrap(), &data);
    let half = Rational::new(1, 2);
    let sampled = poisson_subsample(&counted(), &half).unwrap();
    answers("composition/subsampling:poisson_subsample", &sampled, &data);
    let two = integers().with_size(2);
    let changed = count_if(two, ChangeOneDistance, |&x| x > 0).unwrap();
    let sampled = subsample_without_replacement(&(changed >> noise()).unwrap(), 3).unwrap();
    answers(
        "composition/subsampling:subsample_without_replacement",
        &sampled,
        &data,
    );
    let budget = Up::ONE;
    let made = filtered(integers(), SymmetricDistance, MaxDivergence, 1, budget).unwrap();
    answers("composition/filter:filtered", &made, &data);
    let made = adaptive(
        integers(),
        SymmetricDistance,
        MaxDivergence,
        1,
        vec![budget],
    )
    .unwrap();
    answers("composition/adaptive:adaptive", &made, &data);
}

/// Public functions of these folders that return a measurement or a transformation, from the
/// source.
fn constructors() -> BTreeSet<String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    let mut folders: Vec<_> = ["transformations", "mechanisms", "selection", "composition"]
        .map(|folder| source.join(folder))
        .into();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                files.push((path.clone(), fs::read_to_string(path).unwrap()));
            }
        }
    }
    let mut results: Vec<String> = ["Measurement", "Transformation"].map(String::from).into();
    // Names that stand for one, also by way of another name.
    for _ in 0..3 {
        for (_, text) in &files {
            for alias in text.split("type ").skip(1) {
                let alias = alias.split(';').next().unwrap();
                // A parameter may have a default, so the last sign counts.
                let Some((name, meaning)) = alias.rsplit_once('=') else {
                    continue;
                };
                let name = name.split('<').next().unwrap().trim().to_owned();
                if returns(meaning, &results) && !results.contains(&name) {
                    results.push(name);
                }
            }
        }
    }
    let mut found = BTreeSet::new();
    for (path, text) in &files {
        let file = path.strip_prefix(&source).unwrap().with_extension("");
        if file.to_string_lossy().contains("tests") {
            continue;
        }
        for function in text.split("pub fn ").skip(1) {
            let signature = function.split('{').next().unwrap();
            let signature = signature.split("where").next().unwrap();
            let name = signature.split(['<', '(']).next().unwrap();
            if let Some((_, result)) = signature.rsplit_once("->")
                && returns(result, &results)
            {
                found.insert(format!("{}:{name}", file.display()));
            }
        }
    }
    found
}

/// Whether a type is `Result<X<…>>` or `X<…>` for one of the names.
fn returns(result: &str, names: &[String]) -> bool {
    let result = result.trim();
    let result = result.strip_prefix("Result<").unwrap_or(result).trim();
    let name = result
        .split(['<', ',', '>'])
        .next()
        .unwrap_or(result)
        .trim();
    names.iter().any(|known| known == name)
}

#[test]
fn nothing_fails_on_data_of_its_domain_and_no_constructor_is_forgotten() {
    rows_are_mapped();
    statistics_are_computed();
    frames_are_mapped();
    noise_is_added();
    candidates_are_selected();
    points_are_selected();
    compositions_are_answered();
    let tried: BTreeSet<String> = TRIED
        .lock()
        .unwrap()
        .iter()
        .map(|&name| name.into())
        .collect();
    let known = constructors();
    assert!(known.len() > 50, "the source was not read: {known:?}");
    let forgotten: Vec<_> = known.difference(&tried).collect();
    let gone: Vec<_> = tried.difference(&known).collect();
    assert!(
        forgotten.is_empty() && gone.is_empty(),
        "not tried: {forgotten:#?}; not there: {gone:#?}"
    );
}
