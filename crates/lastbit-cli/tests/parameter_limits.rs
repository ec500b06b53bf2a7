//! No parameter makes the built command run without end: what exact arithmetic cannot do soon is
//! refused, with a short message.

use std::time::{Duration, Instant};

use crate::support::run_with;

/// Refused soon, with a message that names the parameter and does not repeat thousands of digits.
fn is_refused(args: &[&str], input: &str, names: &str) {
    let start = Instant::now();
    let done = run_with(args, input);
    let message = done.err;
    assert!(start.elapsed() < Duration::from_secs(20), "{args:.60?}");
    assert!(matches!(done.status, Some(1 | 2)), "{message}");
    assert!(message.contains(names), "{message}");
    assert!(message.len() < 2000, "{} characters", message.len());
}

#[test]
fn huge_and_tiny_parameters_are_refused() {
    let digits = format!("1.{}", "3".repeat(4000));
    let scores = "1\n2\n3\n".repeat(1_000_000);
    let selection = [
        "mechanism",
        "exponential",
        "draw",
        "--scores",
        "-",
        "--sensitivity",
    ];
    for number in [
        "1e-5000",
        "1e5000",
        "1e-100000",
        "1e100000",
        "1e-400",
        &digits,
    ] {
        let args = [&selection[..], &["1", "--epsilon", number]].concat();
        is_refused(&args, &scores, "epsilon");
        let args = [&selection[..], &[number, "--epsilon", "1"]].concat();
        is_refused(&args, &scores, "sensitivity");
        let args = [
            "mechanism",
            "snapping",
            "draw",
            "--value",
            "1",
            "--sensitivity",
            "1",
            "--epsilon",
            number,
            "--lower",
            "0",
            "--upper",
            "10",
        ];
        is_refused(&args, "", "epsilon");
        let args = [
            "mechanism",
            "flat-concave",
            "price",
            "--domain-bits",
            "64",
            "--epsilon",
            "1",
            "--promise",
            number,
            "--alpha",
            "0.1",
        ];
        is_refused(&args, "", "promise");
        let source = format!("pure:{number}");
        is_refused(&["convert", "--from", &source], "", "epsilon");
    }
    // A rate at which every draw would weigh all candidates with big numbers.
    let args = [&selection[..], &["1e300", "--epsilon", "1e-300"]].concat();
    is_refused(&args, &scores, "2^-998");
}

#[test]
fn grids_beyond_the_doubles_are_refused() {
    for grid in ["fine:-65536", "fine:-1075", "fine:1024", "fine:65536"] {
        let args = [
            "mechanism",
            "snapping",
            "draw",
            "--value",
            "1",
            "--sensitivity",
            "1",
            "--epsilon",
            "1",
            "--lower",
            "0",
            "--upper",
            "10",
            "--grid",
            grid,
        ];
        is_refused(&args, "", "outside what a double can hold");
    }
}
