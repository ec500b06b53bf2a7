//! What selection refuses, by name and with the remedy: through the public interface, one test for
//! each kind.

use lastbit::domains::{AtomDomain, VectorDomain};
use lastbit::mechanisms::exponential::{Exponential, Run, SelectionError};
use lastbit::mechanisms::flat_concave::{
    IntervalSelection, Method, Problem, RecConcave, loss_of_quality, needed_promise, rec_concave,
};
use lastbit::quality::{QualityError, StepFunction};
use lastbit::selection::offers;
use lastbit::{Alpha, Beta, Delta, Epsilon, Error};
use lastbit_noise::entropy::System;

fn rational<T: core::str::FromStr<Err: core::fmt::Debug>>(text: &str) -> T {
    text.parse().unwrap()
}

fn one() -> Epsilon {
    "1".parse().unwrap()
}

fn exponential() -> Exponential {
    Exponential::new(&one(), &"1".parse().unwrap())
}

fn half<T: core::str::FromStr<Err: core::fmt::Debug>>() -> T {
    rational("0.5")
}

/// A problem with an optimum of 10.
fn problem(size: u128, promise: &str) -> Result<Problem, QualityError> {
    Problem::new(size, 10, rational(promise), half())
}

#[test]
fn no_candidates() {
    let (mechanism, entropy) = (exponential(), &mut System::default());
    let none: [f64; 0] = [];
    assert_eq!(mechanism.draw(&none, entropy), Err(SelectionError::Empty));
    assert_eq!(
        mechanism.permute_and_flip(&none, entropy),
        Err(SelectionError::Empty)
    );
    let runs: [Run<i64>; 2] = [Run {
        length: 0,
        score: 4,
    }; 2];
    for runs in [&runs[..], &[]] {
        assert_eq!(
            mechanism.draw_place(runs, entropy),
            Err(SelectionError::Empty)
        );
    }
    assert_eq!(
        mechanism.top_k(&none, 1, entropy),
        Err(SelectionError::TooMany {
            wanted: 1,
            candidates: 0
        })
    );
}

#[test]
fn scores_that_are_no_numbers() {
    let (mechanism, entropy) = (exponential(), &mut System::default());
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let scores = [1.0, 2.0, bad];
        let refused = [
            mechanism.draw(&scores, entropy).map(|_| ()),
            mechanism.permute_and_flip(&scores, entropy).map(|_| ()),
            mechanism.top_k(&scores, 2, entropy).map(|_| ()),
            mechanism
                .draw_place(&scores.map(|score| Run { length: 7, score }), entropy)
                .map(|_| ()),
        ];
        for refused in refused {
            let error = refused.unwrap_err();
            assert!(
                matches!(error, SelectionError::NotFinite { index: 2, .. }),
                "{error}"
            );
            assert!(
                error
                    .to_string()
                    .ends_with("clamp the scores to public bounds")
            );
        }
        // A measurement refuses them as not in its domain.
        let domain = VectorDomain::new(AtomDomain::<f64>::new()).with_size(scores.len());
        let select = exponential().measurement(domain).unwrap();
        assert!(select.invoke(&scores.to_vec()).is_err());
    }
}

#[test]
fn promises_of_nothing_or_too_much() {
    for promise in ["0", "-1/3"] {
        let error = problem(64, promise).unwrap_err();
        assert!(matches!(error, QualityError::PromiseNotPositive { .. }));
        assert!(error.to_string().contains("promise a quality"), "{error}");
    }
    let error = problem(64, "21/2").unwrap_err();
    assert!(matches!(
        error,
        QualityError::PromiseAboveOptimum { optimum: 10, .. }
    ));
    assert!(error.to_string().ends_with("lower it to at most that"));
    assert!(problem(64, "10").is_ok());
}

#[test]
fn domains_without_points() {
    assert_eq!(problem(0, "5").unwrap_err(), QualityError::EmptyDomain);
    let rows: [u64; 0] = [];
    for refused in [
        StepFunction::interior_point(&rows, 0),
        StepFunction::counting(&rows, 0),
        StepFunction::threshold::<u64>(&[], 0),
        StepFunction::from_runs([]),
        StepFunction::from_values([]),
    ] {
        assert_eq!(refused.unwrap_err(), QualityError::EmptyDomain);
    }
    let exponential = Method::Exponential;
    let is_refused = |refused: Result<(), Error>| {
        let error = refused.unwrap_err();
        assert!(error.is_quality(), "{error}");
        assert!(error.to_string().starts_with("the domain has no points"));
    };
    is_refused(loss_of_quality(0, &exponential, &one(), &half()).map(|_| ()));
    is_refused(needed_promise(0, &exponential, &one(), &half(), &half()).map(|_| ()));
    is_refused(offers(0, &one(), None, &half()).map(|_| ()));
}

#[test]
fn qualities_that_fall_and_rise_again() {
    let valley = StepFunction::from_runs([(1 << 40, 3), (5, 1), (1 << 41, 2)]).unwrap();
    let expected = QualityError::NotQuasiConcave {
        left: 0,
        middle: 1 << 40,
        right: (1 << 40) + 5,
    };
    assert_eq!(valley.check_quasi_concave(), Err(expected.clone()));
    let size = valley.size();
    for selection in [
        IntervalSelection::Exponential,
        IntervalSelection::Stability(rational("1e-6")),
    ] {
        let problem = || problem(size, "2").unwrap();
        let mechanism = RecConcave::flat(problem(), &one(), selection.clone()).unwrap();
        let error = mechanism.draw(&valley, &mut System::default());
        assert_eq!(error.unwrap_err().to_string(), expected.to_string());
        let select = rec_concave(problem(), 3, &one(), selection).unwrap();
        assert!(select.invoke(&valley).unwrap_err().is_outside_domain());
    }
}

#[test]
fn a_delta_outside_0_and_1() {
    for delta in ["0", "-1e-6", "1", "2"] {
        let error = delta.parse::<Delta>().unwrap_err().to_string();
        assert!(error.starts_with("delta must be a probability strictly between 0 and 1"));
    }
}

#[test]
fn shares_outside_0_and_1() {
    for text in ["0", "1", "-1", "3/2"] {
        let alpha = text.parse::<Alpha>().unwrap_err().to_string();
        assert!(alpha.starts_with("alpha must be strictly between 0 and 1"));
        let beta = text.parse::<Beta>().unwrap_err().to_string();
        assert!(beta.starts_with("beta must be strictly between 0 and 1"));
    }
}
