//! Members of domains, from the everyday to the extreme.

use lastbit::Bounds;
use lastbit::domains::{AtomDomain, Frame, FrameDomain, VectorDomain};
use lastbit::statistics::{Grid, NonFinite};

pub const FLOATS: [f64; 14] = [
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
pub const INTEGERS: [i64; 8] = [0, 1, -1, 7, 120, i64::MAX, i64::MIN, 1 << 53];

/// All vectors of up to two values, some of three, and a long one.
pub fn vectors<T: Clone>(values: &[T]) -> Vec<Vec<T>> {
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

pub fn integers() -> VectorDomain<AtomDomain<i64>> {
    VectorDomain::new(AtomDomain::new())
}

pub fn floats() -> VectorDomain<AtomDomain<f64>> {
    VectorDomain::new(AtomDomain::new())
}

pub fn texts() -> (VectorDomain<AtomDomain<String>>, Vec<Vec<String>>) {
    let words = ["", " ", "1", "x", "nan", "1e999", "-0", "ä\u{202e}\0"].map(String::from);
    (VectorDomain::new(AtomDomain::new()), vectors(&words))
}

pub fn grids() -> Vec<Grid> {
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

pub fn both(x: &[f64], y: &[f64]) -> Frame {
    Frame::new([("x", x.to_vec().into()), ("y", y.to_vec().into())]).unwrap()
}

pub fn frames() -> Vec<Frame> {
    let mut frames = vec![both(&[], &[])];
    for x in vectors(&FLOATS) {
        let y: Vec<f64> = x.iter().rev().copied().collect();
        frames.push(both(&x, &y));
    }
    frames
}

pub fn frame_domain(column: AtomDomain<f64>) -> FrameDomain {
    FrameDomain::new([("x", column.clone().into()), ("y", column.into())]).unwrap()
}

pub fn domains_of_floats() -> Vec<AtomDomain<f64>> {
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
