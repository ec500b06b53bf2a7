//! The least-significant-bits attack: succeeds on doubles, finds nothing on what is shipped.
//!
//! Each target is audited at confidence 1 − 1e-12, and features are learned with a false-alarm
//! probability of at most 1e-11: for fewer than 30 targets, less than 1e-9 in all.

use lastbit::Confidence;
use lastbit_verify::attack::{Input, catalogue, could_come_from, find, least_bits};

fn confidence() -> Confidence {
    "0.999999999999".parse().unwrap()
}

#[test]
fn naive_laplace_gives_more_than_a_quarter_of_its_inputs_away() {
    let mut target = find("naive-laplace").unwrap().build().unwrap();
    let found = least_bits(&mut target, 20_000, &confidence()).unwrap();
    println!("{found:?}");
    assert!(found.by_preimage && found.succeeded());
    assert_eq!(found.wrong, 0, "the attacker is certain");
    assert!(found.revealed.low.get() > 0.25, "{:?}", found.revealed);
}

#[test]
fn the_preimage_of_naive_laplace_contains_the_truth() {
    let mut target = find("naive-laplace").unwrap().build().unwrap();
    for (input, value) in [(Input::A, 0.0), (Input::B, 1.0)] {
        for _ in 0..20_000 {
            let output = target.draw(input).unwrap();
            assert!(could_come_from(value, output), "{value} → {output:e}");
        }
    }
}

#[test]
fn a_short_uniform_is_caught() {
    let mut target = find("short-uniform").unwrap().build().unwrap();
    let found = least_bits(&mut target, 20_000, &confidence()).unwrap();
    assert!(found.succeeded() && found.wrong == 0);
}

#[test]
fn nothing_that_is_shipped_shows_its_input() {
    let mut count = 0;
    for entry in catalogue().into_iter().filter(|entry| entry.is_shipped) {
        let mut target = entry.build().unwrap();
        let draws = if entry.name.ends_with("concave") {
            2_000
        } else {
            20_000
        };
        let found = least_bits(&mut target, draws, &confidence()).unwrap();
        assert!(!found.succeeded(), "{}: {found:?}", entry.name);
        assert_eq!(found.revealed.count, 0, "{}", entry.name);
        count += 1;
    }
    assert!(count >= 16, "a mechanism was left out");
}

#[test]
fn a_sign_of_zero_that_follows_the_data_is_caught() {
    use lastbit_verify::audit::{AuditClaim, Feature, Output, Samples, Side, audit_samples};
    // Snapping whose zero carries the sign of the value: −0.0 from one neighbour only.
    let mut honest = find("snapping-exact").unwrap().build().unwrap();
    let samples = Samples::draw(
        |side| -> Result<Output, lastbit_verify::attack::TargetError> {
            let output = honest.draw(side.into())?;
            let leaks = output == 0.0 && side == Side::B;
            Ok(Output::Number(if leaks { -0.0 } else { output }))
        },
        20_000,
    )
    .unwrap();
    let claim = AuditClaim::pure(lastbit_exact::Rational::ONE);
    let report = audit_samples(&samples, &claim, &confidence(), false, &[Feature::Value]);
    assert!(report.refutes_claim());
    // Numbers that compare equal: no threshold can see it.
    let blind = audit_samples(&samples, &claim, &confidence(), true, &[]);
    assert!(!blind.refutes_claim());
}
