//! Chains compose functions and maps, refuse sides that do not fit, and let no wrong function
//! through.

use core::fmt;

use lastbit::domains::{AtomDomain, VectorDomain};
use lastbit::measures::MaxDivergence;
use lastbit::metrics::{AbsoluteDistance, L1Distance, Metric, SymmetricDistance};
use lastbit::{Error, Measurement, MetricSpace, PrivacyMap, StabilityMap, Then, Transformation};
use lastbit_exact::{Rational, Up};
use proptest::prelude::*;

type Rows = VectorDomain<AtomDomain<i64>>;
type Clamp = Transformation<Rows, SymmetricDistance, Rows, SymmetricDistance>;
type Sum = Transformation<Rows, SymmetricDistance, AtomDomain<i64>, AbsoluteDistance>;
type Noise = Measurement<AtomDomain<i64>, AbsoluteDistance, MaxDivergence, i64>;

fn clamp(lower: i64, upper: i64) -> Clamp {
    Transformation::new(
        VectorDomain::new(AtomDomain::new()),
        SymmetricDistance,
        VectorDomain::new(AtomDomain::bounded(lower, upper).unwrap()),
        SymmetricDistance,
        move |rows: &Vec<i64>| Ok(rows.iter().map(|row| *row.clamp(&lower, &upper)).collect()),
        StabilityMap::identity(),
    )
    .unwrap()
}

fn sum(lower: i64, upper: i64) -> Sum {
    let most = lower.unsigned_abs().max(upper.unsigned_abs());
    Transformation::new(
        VectorDomain::new(AtomDomain::bounded(lower, upper).unwrap()),
        SymmetricDistance,
        AtomDomain::new(),
        AbsoluteDistance,
        |rows| Ok(rows.iter().sum()),
        StabilityMap::new(move |&rows| Ok(Rational::from(rows) * Rational::from(most))),
    )
    .unwrap()
}

/// Adds one word of entropy's top bit, so that what it is given is seen.
fn noise(scale: i64) -> Noise {
    let scale = Rational::from(scale);
    Measurement::new(
        AtomDomain::new(),
        AbsoluteDistance,
        MaxDivergence,
        |&value, entropy| Ok(value + (entropy.word()? >> 63) as i64),
        PrivacyMap::new(move |d_in| Ok(Up::from_rational(&(d_in / &scale)))),
    )
    .unwrap()
}

proptest! {
    #[test]
    fn a_chain_is_the_composition_of_functions_and_of_maps(
        rows in prop::collection::vec(any::<i64>(), 0..20),
        lower in -50_i64..0, upper in 0_i64..50, distance in 0_u64..1000,
    ) {
        let chain = (clamp(lower, upper) >> sum(lower, upper) >> noise(3)).unwrap();
        let expected: i64 = rows.iter().map(|row| *row.clamp(&lower, &upper)).sum();
        let published = chain.invoke(&rows).unwrap();
        prop_assert!(published == expected || published == expected + 1);
        let sensitivity = Rational::from(distance) * Rational::from((-lower).max(upper));
        let loss = chain.map(&distance).unwrap();
        prop_assert_eq!(loss, Up::from_rational(&(sensitivity / Rational::from(3_i64))));
    }

    #[test]
    fn chaining_is_associative(
        rows in prop::collection::vec(any::<i64>(), 0..20),
        distance in 0_u64..1000,
    ) {
        let (a, b, c) = (clamp(-5, 9), sum(-5, 9), noise(7));
        let left = a.then(&b).unwrap().then(&c).unwrap();
        let right = a.then(&b.then(&c).unwrap()).unwrap();
        let mut zeros = lastbit_noise::enumerate::Prefix::new(0_u8, 0, 0);
        prop_assert_eq!(
            left.invoke_with(&rows, &mut zeros).unwrap(),
            right.invoke_with(&rows, &mut zeros).unwrap()
        );
        prop_assert_eq!(left.map(&distance).unwrap(), right.map(&distance).unwrap());
    }

    /// `d(T(x), T(y)) ≤ map(d(x, y))`, with both distances computed from the data.
    #[test]
    fn the_stability_of_a_chain_holds_on_data(
        x in prop::collection::vec(-20_i64..20, 0..8),
        y in prop::collection::vec(-20_i64..20, 0..8),
    ) {
        let chain = (clamp(-5, 9) >> sum(-5, 9)).unwrap();
        let apart = chain.input_domain().distance(chain.input_metric(), &x, &y).unwrap();
        let (tx, ty) = (chain.invoke(&x).unwrap(), chain.invoke(&y).unwrap());
        let out = chain.output_domain().distance(chain.output_metric(), &tx, &ty).unwrap();
        prop_assert!(out <= chain.map(&apart).unwrap());
    }
}

#[test]
fn domains_that_differ_are_refused_and_both_named() {
    let error = (clamp(0, 12) >> sum(0, 10)).unwrap_err();
    assert!(error.is_mismatch());
    assert_eq!(
        error.to_string(),
        "cannot chain: the domain on the left is vectors of i64 in [0, 12], on the right vectors \
         of i64 in [0, 10]; make them equal, or put a transformation between them"
    );
    // The first error of a chain is the one reported.
    let error = (clamp(0, 12) >> sum(0, 10) >> noise(1)).unwrap_err();
    assert!(error.is_mismatch());
}

/// A metric with a parameter, as a user may write one: L1 distance in units of a step.
#[derive(Clone, Debug, PartialEq)]
struct StepDistance(u64);

impl fmt::Display for StepDistance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "L1 distance in steps of {}", self.0)
    }
}

impl Metric for StepDistance {
    type Distance = Rational;
}

impl MetricSpace<StepDistance> for Rows {
    fn check_space(&self, metric: &StepDistance) -> Result<(), Error> {
        match metric.0 {
            0 => Err(Error::space("steps must be positive; use 1")),
            _ => Ok(()),
        }
    }

    fn distance(
        &self,
        metric: &StepDistance,
        left: &Vec<i64>,
        right: &Vec<i64>,
    ) -> Result<Rational, Error> {
        let distance = self.distance(&L1Distance, left, right)?;
        Ok(distance / Rational::from(metric.0))
    }
}

#[test]
fn metrics_of_one_type_that_differ_are_refused_and_both_named() {
    let rows = || VectorDomain::new(AtomDomain::new());
    let pass = |step| {
        Transformation::new(
            rows(),
            StepDistance(step),
            rows(),
            StepDistance(step),
            |rows| Ok(rows.clone()),
            StabilityMap::identity(),
        )
    };
    assert!(pass(2).unwrap().then(&pass(2).unwrap()).is_ok());
    let error = pass(2).unwrap().then(&pass(3).unwrap()).unwrap_err();
    assert!(error.is_mismatch());
    assert!(error.to_string().starts_with(
        "cannot chain: the metric on the left is L1 distance in steps of 2, on the right L1 \
         distance in steps of 3"
    ));
    // The space itself is checked when something is built on it.
    assert!(pass(0).unwrap_err().is_space());
}

#[test]
fn a_function_that_leaves_its_output_domain_is_stopped_before_the_noise() {
    let wrong: Clamp = Transformation::new(
        VectorDomain::new(AtomDomain::new()),
        SymmetricDistance,
        VectorDomain::new(AtomDomain::bounded(0, 10).unwrap()),
        SymmetricDistance,
        |rows| Ok(rows.clone()), // forgot to clamp
        StabilityMap::identity(),
    )
    .unwrap();
    let chain = (wrong >> sum(0, 10) >> noise(1)).unwrap();
    assert!(chain.invoke(&vec![5, 6]).is_ok());
    assert!(chain.invoke(&vec![5, 60]).unwrap_err().is_outside_domain());
}

#[test]
fn a_map_that_cannot_be_finite_fails_through_the_whole_chain() {
    let open: Sum = Transformation::new(
        VectorDomain::new(AtomDomain::new()),
        SymmetricDistance,
        AtomDomain::new(),
        AbsoluteDistance,
        |rows| Ok(rows.iter().sum()),
        StabilityMap::new(|_| {
            Err(Error::unbounded(
                "a sum without bounds; clamp the rows first",
            ))
        }),
    )
    .unwrap();
    let chain = (open >> noise(1)).unwrap();
    let error = chain.map(&1).unwrap_err();
    assert!(error.is_unbounded());
    assert_eq!(
        error.to_string(),
        "a sum without bounds; clamp the rows first"
    );
    assert_eq!(chain.check(&1, &Up::exact(1e9)), Ok(false));
}
