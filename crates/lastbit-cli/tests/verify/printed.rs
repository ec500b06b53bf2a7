//! The decimals that are printed are bounds, read as text.

use std::fs;

use lastbit_exact::Rational;

use crate::support::Here;

/// The number that stands behind a word.
fn behind(text: &str, word: &str) -> Rational {
    let rest = text
        .split_once(word)
        .unwrap_or_else(|| panic!("{word}: {text}"))
        .1;
    let number = rest.split_whitespace().next().unwrap();
    number
        .trim_end_matches(',')
        .parse()
        .unwrap_or_else(|error| panic!("{number}: {error}"))
}

/// The decimals of the text, read exactly, against the exact numbers of the certificate.
#[test]
fn printed_losses_are_bounds_as_text() {
    let directory = Here::empty();
    for i in 1..=40 {
        let epsilon = format!("0.{:03}", 17 * i);
        let common = [
            "verify",
            "snapping",
            "--epsilon",
            &epsilon,
            "--bound",
            "1000",
            "--precision",
        ];
        for precision in ["20", "53", "118"] {
            let prove = [common.as_slice(), &[precision, "--certificate", "c.json"]].concat();
            let [text, json] = [&[] as &[&str], &["--json"]]
                .map(|more| directory.run_soon(&[prove.as_slice(), more].concat()).out);
            let file = fs::read_to_string(directory.path("c.json")).unwrap();
            let certificate: serde_json::Value = serde_json::from_str(&file).unwrap();
            let exact = |name: &str| {
                certificate[name]
                    .as_str()
                    .unwrap()
                    .parse::<Rational>()
                    .unwrap()
            };
            assert!(
                behind(&text, "certified loss") >= exact("certified"),
                "{text}"
            );
            assert!(behind(&text, "ideal loss") >= exact("epsilon"), "{text}");
            let added = &exact("certified") - &exact("epsilon");
            assert!(behind(&text, "rounding adds") >= added, "{text}");
            for case in certificate["cases"].as_array().unwrap() {
                let words = format!("  {:<28}", case["output"].as_str().unwrap());
                let excess = case["excess"]
                    .as_str()
                    .unwrap()
                    .parse::<Rational>()
                    .unwrap();
                assert!(behind(&text, &words) >= excess, "{text}");
            }
            let json_number = |name: &str| {
                let rest = json.split_once(&format!("\"{name}\":")).unwrap().1;
                rest.split([',', '}'])
                    .next()
                    .unwrap()
                    .parse::<Rational>()
                    .unwrap()
            };
            assert!(json_number("certified") >= exact("certified"), "{json}");
            assert!(json_number("epsilon") >= exact("epsilon"), "{json}");
            let check = directory.run_soon(&["verify", "check", "c.json"]).out;
            assert!(
                behind(&check, "the loss is at most") >= exact("certified"),
                "{check}"
            );
        }
    }
}

#[test]
fn printed_lower_bounds_of_an_audit_are_below_the_bound() {
    let directory = Here::empty();
    for draws in (100..3000).step_by(170) {
        // The command publishes its input: the counts, and so the bounds, are the same in every
        // run.
        let audit = |more: &[&str]| {
            let draws = draws.to_string();
            let common = ["audit", "--epsilon", "1", "--draws", &draws];
            directory.run_soon(&[common.as_slice(), more, &["--", "cat"]].concat())
        };
        let exact: Rational = audit(&["--json"]).json()["lower_bound"]
            .to_string()
            .parse()
            .unwrap();
        let text = audit(&[]).out;
        for word in ["ε ≥", "ε is at least"] {
            let printed = behind(&text, word);
            assert!(
                printed <= exact && printed > &exact - &"0.0001".parse().unwrap(),
                "{text}"
            );
        }
    }
}
