//! What a certificate is about.

use std::fs;

use lastbit_exact::Rational;

use super::UNCLAMPED;
use crate::support::Here;

#[test]
fn the_premise_of_a_program_that_scales_without_a_clamp_is_about_the_scaled_query() {
    let directory = Here::empty();
    directory.write("gap.lb", UNCLAMPED);
    let proved = directory.run_soon(&[
        "verify",
        "snapping",
        "--program",
        "gap.lb",
        "--certificate",
        "gap.json",
    ]);
    assert_eq!(proved.status, Some(0), "{}", proved.err);
    let checked = directory.run_soon(&["verify", "check", "gap.json"]);
    for text in [proved.out, checked.out] {
        assert!(
            text.contains("|f| ≤ 0.015625, as the program does not clamp"),
            "{text}"
        );
    }
    // The same certificate with the premise that was stated once, and without any.
    let text = fs::read_to_string(directory.path("gap.json")).unwrap();
    let line = "    \"query_within\": \"0.015625\",\n";
    assert!(text.contains(line));
    for (name, other) in [
        ("b.json", "    \"query_within\": \"16\",\n"),
        ("none.json", ""),
    ] {
        directory.write(name, text.replace(line, other));
        directory
            .run_soon(&["verify", "check", name])
            .failed("claim.query_within");
    }
    directory
        .run_soon(&["verify", "check", "gap.json", "--clamped"])
        .failed("it asks for |f| ≤ 0.015625");
}

#[test]
fn check_says_what_it_accepted() {
    let directory = Here::empty();
    let prove = [
        "verify",
        "snapping",
        "--epsilon",
        "0.7",
        "--bound",
        "100",
        "--sensitivity",
        "3",
    ];
    let written = ["--precision", "60", "--certificate", "c.json"];
    assert_eq!(
        directory
            .run_soon(&[prove.as_slice(), &written].concat())
            .status,
        Some(0)
    );
    let text = directory.run_soon(&["verify", "check", "c.json"]).out;
    for words in [
        "60 bits",
        "Delta        3",
        "Lambda       8",
        "B            100",
        "clamp(round(clamp(f, B)",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let run = directory.run_soon(&["verify", "check", "c.json", "--json"]);
    let json = run.json();
    assert_eq!(json["accepted"], true);
    let claim = &json["claim"];
    assert_eq!(
        (&claim["precision"], &claim["sensitivity"]),
        (&60.into(), &"3".into())
    );
    assert_eq!(
        (&claim["grid"], &claim["bound"]),
        (&"8".into(), &"100".into())
    );
    assert_eq!(claim["query_within"], serde_json::Value::Null);
    let number = |value: &serde_json::Value| value.as_str().unwrap().parse::<Rational>().unwrap();
    // λ is 3/0.7, rounded up to 60 bits.
    let scale = number(&claim["scale"]);
    let ideal: Rational = "30/7".parse().unwrap();
    assert!(scale >= ideal && scale < &ideal + &Rational::ONE.times_power_of_two(-57));
    let certified = number(&json["certified_exactly"]);
    assert!(certified > "0.7".parse().unwrap() && certified < "0.70001".parse().unwrap());
}

#[test]
fn a_certificate_of_other_numbers_than_were_asked_for_is_refused() {
    let directory = Here::empty();
    let prove = [
        "verify",
        "snapping",
        "--epsilon",
        "1.1",
        "--bound",
        "100",
        "--certificate",
        "c.json",
    ];
    assert_eq!(directory.run_soon(&prove).status, Some(0));
    let check = |more: &[&str]| {
        directory.run_soon(&[["verify", "check", "c.json"].as_slice(), more].concat())
    };
    let right = [
        "--precision",
        "53",
        "--sensitivity",
        "1",
        "--bound",
        "100",
        "--grid",
        "1",
        "--epsilon",
        "1.1",
        "--loss",
        "1.1001",
        "--clamped",
        "--scale",
        "0.90909090909090909091",
    ];
    let run = check(&right);
    assert_eq!(run.status, Some(0), "{}", run.err);
    for (wrong, words) in [
        (["--precision", "54"], "precision is 53, not 54"),
        (["--sensitivity", "2"], "Delta is 1, not 2"),
        (["--bound", "101"], "B is 100, not 101"),
        (["--grid", "2"], "Lambda is 1, not 2"),
        (["--epsilon", "1"], "the ideal loss is"),
        (["--loss", "1.1"], "the certified loss is"),
        (["--scale", "0.9"], "lambda is"),
    ] {
        check(&wrong).failed(words);
        let json = check(&[wrong.as_slice(), &["--json"]].concat()).json();
        assert_eq!(json["accepted"], false);
        assert!(json["differences"][0].as_str().unwrap().contains(words));
    }
}

#[test]
fn a_certificate_is_tied_to_a_program() {
    let directory = Here::empty();
    directory.write("gap.lb", UNCLAMPED);
    let prove = [
        "verify",
        "snapping",
        "--program",
        "gap.lb",
        "--certificate",
        "c.json",
    ];
    assert_eq!(directory.run_soon(&prove).status, Some(0));
    let check =
        |program: &str| directory.run_soon(&["verify", "check", "c.json", "--program", program]);
    assert_eq!(check("gap.lb").status, Some(0));
    for (change, words) in [
        (("2^10", "2^9"), "the program is"),
        (("f (*) 2^10", "clamp(f (*) 2^10, B)"), "the program is"),
        (("B = 16", "B = 17"), "B is 16, not 17"),
        (
            ("Delta = 2^-9", "Delta = 2^-8"),
            "Delta is 0.001953125, not 0.00390625",
        ),
        (
            ("s (*) (lambda", "lambda (*) (lambda"),
            "no certificate is about this program",
        ),
    ] {
        directory.write("other.lb", UNCLAMPED.replace(change.0, change.1));
        check("other.lb").failed(words);
    }
    // Other words for the same program.
    directory.write(
        "same.lb",
        UNCLAMPED
            .replace("2^10", "1024")
            .replace("x =", "scaled =")
            .replace("= x ", "= scaled "),
    );
    let run = check("same.lb");
    assert_eq!(run.status, Some(0), "{}", run.err);
}

/// The same certificate with every number, every space and the order of the fields written in
/// another way.
#[test]
fn other_spellings_of_a_certificate_are_accepted_and_other_numbers_are_not() {
    let directory = Here::empty();
    let prove = [
        "verify",
        "snapping",
        "--epsilon",
        "1",
        "--bound",
        "6.5",
        "--certificate",
        "c.json",
    ];
    assert_eq!(directory.run_soon(&prove).status, Some(0));
    let text = fs::read_to_string(directory.path("c.json")).unwrap();
    let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
    value["claim"]["bound"] = "13/2".into();
    value["claim"]["noise"][0] = "* 1.0".into();
    value["claim"]["sensitivity"] = "1e0".into();
    value["epsilon"] = "2/2".into();
    // Fields in the opposite order, without spaces.
    let fields: Vec<String> = value
        .as_object()
        .unwrap()
        .iter()
        .rev()
        .map(|(name, value)| format!("\"{name}\":{value}"))
        .collect();
    let respelled = format!("\n\t{{{}}}", fields.join(","));
    assert_ne!(respelled, text);
    directory.write("respelled.json", &respelled);
    let [one, other] = ["c.json", "respelled.json"].map(|name| {
        let run = directory.run_soon(&["verify", "check", name, "--json"]);
        assert_eq!(run.status, Some(0), "{name}: {}", run.err);
        run.json()
    });
    assert_eq!(one, other);
    directory.write("wrong.json", respelled.replace("13/2", "13.1/2"));
    directory
        .run_soon(&["verify", "check", "wrong.json"])
        .failed("refused at");
    // A field given twice, one that is unknown, and text after the end.
    for wrong in [
        respelled.replacen('{', "{\"epsilon\":\"1\",", 1),
        respelled.replacen('{', "{\"comment\":\"1\",", 1),
        format!("{respelled} {respelled}"),
    ] {
        directory.write("wrong.json", wrong);
        directory
            .run_soon(&["verify", "check", "wrong.json"])
            .failed("not readable");
    }
}
