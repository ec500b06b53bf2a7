//! A certificate with any one of its numbers changed is refused.

use lastbit_exact::Rational;
use lastbit_verify::certificate::{Claim, Factor, check, check_json, prove};
use proptest::prelude::*;
use serde_json::Value;

fn claims() -> Vec<Claim> {
    let number = |text: &str| text.parse::<Rational>().unwrap();
    let shipped = |epsilon: &str, sensitivity: &str, bound: &str, p| {
        Claim::shipped(&number(epsilon), &number(sensitivity), &number(bound), p)
    };
    let mut divided = shipped("1", "1", "40", 53);
    divided.noise = vec![Factor::Over(number("1.25"))];
    divided.input = vec![Factor::Over(number("3"))];
    divided.clamped = false;
    vec![
        shipped("0.3", "2", "1000", 53),
        shipped("1", "1", "10", 118),
        shipped("1", "1", "1.5", 8),
        divided,
    ]
}

/// The paths of all numbers of a certificate, written as such or as text.
fn numbers(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => fields
            .iter()
            .for_each(|(name, field)| numbers(field, &format!("{path}/{name}"), found)),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(i, item)| numbers(item, &format!("{path}/{i}"), found)),
        Value::Number(_) => found.push(path.to_owned()),
        Value::String(text) => {
            let digits = text.trim_start_matches(['*', '/', ' ']);
            if digits.parse::<Rational>().is_ok() {
                found.push(path.to_owned());
            }
        }
        Value::Bool(_) | Value::Null => {}
    }
}

/// With the `nth` digit of the text (counted from the end) replaced by another.
fn with_digit(text: &str, nth: usize, by: u8) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let digits: Vec<usize> = (0..bytes.len())
        .filter(|&i| bytes[i].is_ascii_digit())
        .collect();
    let at = digits[digits.len() - 1 - nth % digits.len()];
    bytes[at] = b'0' + (bytes[at] - b'0' + 1 + by % 9) % 10;
    String::from_utf8(bytes).unwrap()
}

fn with_changed(certificate: &Value, path: &str, nth: usize, by: u8) -> Value {
    let mut changed = certificate.clone();
    let field = changed.pointer_mut(path).unwrap();
    *field = match &*field {
        Value::String(text) => Value::String(with_digit(text, nth, by)),
        Value::Number(n) => {
            Value::from(with_digit(&n.to_string(), nth, by).parse::<u64>().unwrap())
        }
        other => unreachable!("{other} is no number"),
    };
    changed
}

fn value_of(text: &str) -> Option<Rational> {
    text.trim_start_matches(['*', '/', ' ']).parse().ok()
}

/// Whether two certificates state the same numbers: `1.50` for `1.5` is no tampering.
fn same(one: &Value, other: &Value, path: &str) -> bool {
    match (one.pointer(path), other.pointer(path)) {
        (Some(Value::String(a)), Some(Value::String(b))) => {
            value_of(a).is_some() && value_of(a) == value_of(b)
        }
        (a, b) => a == b,
    }
}

fn assert_refused(certificate: &Value, path: &str, nth: usize, by: u8) {
    let changed = with_changed(certificate, path, nth, by);
    if same(certificate, &changed, path) {
        return;
    }
    let verdict = check_json(&changed.to_string());
    assert!(
        verdict.is_err(),
        "{path}: {} accepted in place of {}",
        changed.pointer(path).unwrap(),
        certificate.pointer(path).unwrap()
    );
}

#[test]
fn every_number_is_refused_with_its_last_digit_one_off() {
    for claim in claims() {
        let certificate = prove(&claim).unwrap();
        assert!(check(&certificate).is_ok());
        let json = serde_json::to_value(&certificate).unwrap();
        let mut paths = Vec::new();
        numbers(&json, "", &mut paths);
        assert!(paths.len() > 40, "{} numbers", paths.len());
        for path in paths {
            // One more and one less, modulo ten.
            for by in [0, 8] {
                assert_refused(&json, &path, 0, by);
            }
        }
    }
}

#[test]
fn a_box_or_a_case_more_or_less_is_refused() {
    for claim in claims() {
        let certificate = prove(&claim).unwrap();
        for i in 0..certificate.boxes.len() {
            let mut fewer = certificate.clone();
            fewer.boxes.remove(i);
            assert!(check(&fewer).is_err());
            let mut more = certificate.clone();
            more.boxes.insert(i, certificate.boxes[i].clone());
            assert!(check(&more).is_err());
        }
        for i in 0..7 {
            let mut fewer = certificate.clone();
            fewer.cases.remove(i);
            assert!(check(&fewer).is_err());
        }
    }
}

#[test]
fn the_checker_names_the_first_bad_step() {
    let mut certificate = prove(&claims()[0]).unwrap();
    certificate.boxes[3].down = "1e-16".to_owned();
    certificate.certified = "1".to_owned();
    let bad = check(&certificate).unwrap_err();
    assert_eq!(bad.step, "boxes[3].down");
    assert_eq!(bad.problem, "the bound does not hold");
    let mut certificate = prove(&claims()[0]).unwrap();
    certificate.boxes[3].up = "1e-3".to_owned();
    let bad = check(&certificate).unwrap_err();
    assert_eq!(
        bad.to_string(),
        "boxes[3].up: not the least bound of 25 digits"
    );
}

#[test]
fn the_checker_shares_no_code_with_the_prover() {
    let sources = [
        include_str!("../../src/certificate/check/mod.rs"),
        include_str!("../../src/certificate/check/claim.rs"),
        include_str!("../../src/certificate/check/sign.rs"),
    ];
    let mut lines = 0;
    for source in sources {
        for line in source.lines().filter(|line| line.contains("use ")) {
            let imports_prover = ["prove", "enclose", "super::claim::", "premise", "lastbit::"]
                .iter()
                .any(|module| line.contains(module));
            assert!(!imports_prover, "{line}");
        }
        lines += source.lines().count();
    }
    assert!(lines < 650, "{lines} lines are no longer a few hundred");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn any_number_with_any_digit_changed_is_refused(
        which in 0usize..4,
        place in any::<prop::sample::Index>(),
        nth in 0usize..400,
        by in 0u8..9,
    ) {
        let certificate = prove(&claims()[which]).unwrap();
        let json = serde_json::to_value(&certificate).unwrap();
        let mut paths = Vec::new();
        numbers(&json, "", &mut paths);
        assert_refused(&json, &paths[place.index(paths.len())], nth, by);
    }
}
