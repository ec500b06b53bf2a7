//! Audits find what is broken and never exceed what is true.
//!
//! Each audit here is at confidence 1 − 1e-11, and there are fewer than 30: a bound that exceeds a
//! true loss by chance has probability below 1e-9. Where a broken mechanism must be found, the
//! margin is stated.

use std::convert::Infallible;

use lastbit::Confidence;
use lastbit_exact::Rational;
use lastbit_noise::entropy::{Entropy, System};
use lastbit_verify::attack::{catalogue, find};
use lastbit_verify::audit::{AuditClaim, Feature, Output, Samples, Side, audit, audit_samples};

fn confidence() -> Confidence {
    "0.99999999999".parse().unwrap()
}

fn one() -> AuditClaim {
    AuditClaim::pure(Rational::ONE)
}

fn audit_target(name: &str, draws: usize) -> lastbit_verify::audit::AuditReport {
    let mut target = find(name).unwrap().build().unwrap();
    let claim = target.claim.clone();
    audit(
        |side| target.draw(side.into()).map(Output::Number),
        draws,
        &claim,
        &confidence(),
    )
    .unwrap()
}

#[test]
fn a_loss_of_twice_the_claim_is_found() {
    // The event {output ≤ 0}: 1/2 against e^-2/2 = 0.068. From 50,000 draws the bound is about
    // 1.85, with a deviation of 0.017.
    let report = audit_target("half-noise", 100_000);
    let bound = report.best().lower_bound.get();
    assert!(report.refutes_claim() && bound > 1.7, "{report:?}");
    assert!(bound <= 2.0, "a bound above the true loss");
}

#[test]
fn naive_laplace_is_refuted_by_its_last_bits() {
    let report = audit_target("naive-laplace", 30_000);
    assert!(
        report.refutes_claim() && report.best().lower_bound.get() > 3.0,
        "{report:?}"
    );
}

#[test]
fn the_bounds_of_what_is_shipped_never_exceed_their_claims() {
    for entry in catalogue().into_iter().filter(|entry| entry.is_shipped) {
        let draws = if entry.name.ends_with("concave") {
            4_000
        } else {
            40_000
        };
        let report = audit_target(entry.name, draws);
        assert!(!report.refutes_claim(), "{}: {report:?}", entry.name);
        println!(
            "{:<20} ε ≥ {:.3}",
            entry.name,
            report.best().lower_bound.get()
        );
    }
}

#[test]
fn the_bound_of_honest_laplace_is_near_its_loss() {
    // Not blind: {output ≤ 0} has 0.5 against 0.184, so the bound is about 0.9, with a deviation of
    // 0.011; 0.8 is 9 of these away.
    let report = audit_target("laplace", 100_000);
    let bound = report.best().lower_bound.get();
    assert!(bound > 0.8 && bound <= 1.0, "{report:?}");
}

/// Sides are told apart with probability `tell`: a certain output from A, another from B, else the
/// same.
fn telling(tell: u64, of: u64) -> impl FnMut(Side) -> Result<Output, Infallible> {
    let mut entropy = System::default();
    move |side| {
        let told = entropy.word().unwrap() % of < tell;
        Ok(Output::Number(if told {
            side as u8 as f64 + 1.0
        } else {
            0.0
        }))
    }
}

#[test]
fn delta_is_taken_off_before_the_ratio() {
    // (0, δ)-DP with δ = 1/10: refuted as pure, not refuted with its δ, refuted with half of it.
    let samples = Samples::draw(telling(1, 10), 40_000).unwrap();
    let with = |delta: &str| {
        let claim = AuditClaim {
            epsilon: Rational::ONE,
            delta: delta.parse().unwrap(),
        };
        audit_samples(&samples, &claim, &confidence(), true, &Feature::ALL)
    };
    assert!(with("0").refutes_claim());
    assert!(!with("0.1").refutes_claim());
    assert!(with("0.05").refutes_claim());
}

#[test]
fn both_orderings_are_tried() {
    // A alone has an output that B lacks: only "likelier from A" sees it, and the other ordering
    // says nothing much.
    for rare in Side::BOTH {
        let mut entropy = System::default();
        let mechanism = |side| -> Result<Output, Infallible> {
            let told = entropy.word().unwrap() % 10 == 0 && side == rare;
            Ok(Output::Number(f64::from(told)))
        };
        let report = audit(mechanism, 20_000, &one(), &confidence()).unwrap();
        assert!(report.refutes_claim());
        assert_eq!(report.best().likelier, rare);
        let other = report.findings.iter().find(|f| f.likelier != rare).unwrap();
        assert!(other.lower_bound.get() < 0.2);
    }
}

#[test]
fn outputs_that_are_no_numbers_are_events_too() {
    let mut entropy = System::default();
    let mechanism = |side| -> Result<Output, Infallible> {
        let honest = entropy.word().unwrap() % 10 < 9;
        let truth = (side == Side::A) == honest;
        Ok(if truth {
            Output::Number(f64::NAN)
        } else {
            Output::Word(0)
        })
    };
    let report = audit(mechanism, 20_000, &one(), &confidence()).unwrap();
    assert!(report.refutes_claim() && report.best().lower_bound.get() < 9f64.ln());
}

#[test]
fn nothing_is_claimed_from_nothing() {
    for draws in [0, 1, 2, 10] {
        let report = audit(telling(1, 2), draws, &one(), &confidence()).unwrap();
        assert_eq!(report.best().lower_bound.get(), 0.0);
    }
}
