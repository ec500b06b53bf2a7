//! Mechanisms: noise, and selection from candidates.

use std::collections::BTreeMap;

use lastbit::Bounds;
use lastbit::domains::{AtomDomain, MapDomain, VectorDomain};
use lastbit::mechanisms::exponential::Exponential;
use lastbit::mechanisms::flat_concave::{IntervalSelection, Problem, flat_concave, rec_concave};
use lastbit::mechanisms::snapping::{Arithmetic, Snapping};
use lastbit::mechanisms::*;
use lastbit::quality::StepFunction;
use lastbit_exact::{Integer, Rational};

use super::answers;
use super::data::*;

pub fn noise_is_added() {
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

pub fn candidates_are_selected() {
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
