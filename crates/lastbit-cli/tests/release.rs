//! `lastbit release`, with the engine: what is printed, what is spent, and what is not.
#![cfg(feature = "datafusion")]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const PLAN: &str = r#"
title = "People"
[source]
files = "people.csv"
[privacy]
neighbours = "add-remove"
[budget]
epsilon = 1
[columns.age]
edges = [0, 50, 100]
[[statistics]]
name = "people"
kind = "count"
[[statistics]]
name = "ages"
kind = "histogram"
of = "age"
"#;

fn lastbit(directory: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lastbit"))
        .args(arguments)
        .current_dir(directory)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn a_release_is_printed_once_it_is_paid_for_and_then_is_free() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    std::fs::write(here.join("plan.toml"), PLAN).unwrap();

    // Without the file: nothing is spent.
    let missing = lastbit(here, &["release", "plan.toml"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(
        text(&missing.stderr).contains("people.csv"),
        "{}",
        text(&missing.stderr)
    );
    assert!(!here.join("plan.ledger").exists());

    let rows: String = (0..500).map(|i| format!("{}\n", i % 97)).collect();
    std::fs::write(here.join("people.csv"), format!("age\n{rows}")).unwrap();
    let first = lastbit(
        here,
        &[
            "release",
            "plan.toml",
            "--json",
            "--csv",
            "out.csv",
            "--html",
            "out.html",
        ],
    );
    assert!(first.status.success(), "{}", text(&first.stderr));
    let report: Value = serde_json::from_slice(&first.stdout).unwrap();
    assert_eq!(report["loss"], "ε = 1");
    let count: i64 = report["statistics"][0]["cells"][0]["value"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    // Laplace noise of scale 2: beyond 60 with probability below 1e-12.
    assert!((440..560).contains(&count), "{count}");
    assert!(
        std::fs::read_to_string(here.join("out.csv"))
            .unwrap()
            .contains("people")
    );
    assert!(
        std::fs::read_to_string(here.join("out.html"))
            .unwrap()
            .contains("<svg")
    );
    assert!(here.join("plan.ledger").exists());

    // Again: the same bytes, and it says that they were free.
    let again = lastbit(here, &["release", "plan.toml", "--json"]);
    assert!(again.status.success());
    assert_eq!(again.stdout, first.stdout);
    assert!(
        text(&again.stderr).contains("at no cost"),
        "{}",
        text(&again.stderr)
    );

    // Another plan beside it spends from the same ledger, and finds nothing left.
    std::fs::write(
        here.join("other.toml"),
        PLAN.replace("edges = [0, 50, 100]", "edges = [0, 30, 100]"),
    )
    .unwrap();
    let refused = lastbit(here, &["release", "other.toml"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(refused.stdout.is_empty());
    let message = text(&refused.stderr);
    for part in ["requested", "remaining", "difference"] {
        assert!(message.contains(part), "{message}");
    }
    assert!(!here.join("other.ledger").exists());

    // Of two ledgers none is chosen.
    std::fs::copy(here.join("plan.ledger"), here.join("copy.ledger")).unwrap();
    let unclear = lastbit(here, &["release", "other.toml"]);
    assert_eq!(unclear.status.code(), Some(1));
    let message = text(&unclear.stderr);
    assert!(
        message.contains("copy.ledger") && message.contains("--ledger"),
        "{message}"
    );
}
