//! Nothing of a table whose every value would be seen is seen outside of `release` and `inspect`.

use crate::support::{Done, Here};

/// No value of the hostile table can be seen by chance: each has at least 15 digits, or is a word
/// of its own.
pub const SECRETS: [&str; 6] = [
    "quaggamire",
    "zephyrotic",
    "918273645546372",
    "817263544536271",
    "xylopharynx",
    "726354453627180",
];

/// A table of secrets, and plans about it.
pub fn hostile() -> Here {
    let here = Here::empty();
    here.write(
        "table.csv",
        "who,town,wage\nquaggamire,zephyrotic,918273645546372\n\
         xylopharynx,zephyrotic,817263544536271\n726354453627180,,\n",
    );
    let text = r#"
title = "Hostile"
[source]
files = "table.csv"
[privacy]
neighbours = "add-remove"
unit = "who"
most_rows = 1
[budget]
epsilon = 1
delta = 1e-6
[spend]
epsilon = 0.25
delta = 1e-7
[columns.wage]
lower = 0
upper = 10
[columns.town]
discover = true
[[statistics]]
name = "towns"
kind = "count"
by = ["town"]
[[statistics]]
name = "wages"
kind = "mean"
of = "wage"
"#;
    here.write("plan.toml", text);
    here.write(
        "unknown.toml",
        text.replace("of = \"wage\"", "of = \"pay\"")
            .replace("columns.wage", "columns.pay"),
    );
    here.write(
        "rows.toml",
        text.replace(
            "neighbours = \"add-remove\"\nunit = \"who\"\nmost_rows = 1",
            "neighbours = \"change-one\"\nrows = 17",
        ),
    );
    here
}

#[test]
fn nothing_computed_from_rows_is_seen_outside_of_release_and_inspect() {
    let here = hostile();
    here.write(
        "table.jsonl",
        "{\"who\": \"quaggamire\", \"wage\": 918273645546372}\n",
    );
    let runs: Vec<Done> = [
        &["plan", "plan.toml"][..],
        &["plan", "plan.toml", "--json"],
        &["plan", "plan.toml", "--html", "-"],
        &["rehearse", "plan.toml"],
        &["rehearse", "plan.toml", "--json"],
        &["rehearse", "plan.toml", "--csv", "-"],
        &["rehearse", "plan.toml", "--html", "-"],
        &["rehearse", "plan.toml", "--method", "-"],
        &["rehearse", "plan.toml", "--parquet", "-"],
        &["draft", "table.csv"],
        &["draft", "table.jsonl"],
        &["inspect", "plan.toml"],
        &["inspect", "unknown.toml", "--not-private"],
        &["release", "unknown.toml"],
        &["release", "plan.toml", "--quiet"],
        &["ledger", "show", "lastbit.ledger"],
        &["plan", "plan.toml"],
        &["ledger", "history", "lastbit.ledger"],
        &["ledger", "check", "lastbit.ledger"],
        &["ledger", "history", "lastbit.ledger", "--json"],
        &[
            "query",
            "plan.toml",
            "select max(wage) from t",
            "--epsilon",
            "0.1",
        ],
        &["query", "plan.toml", "select * from t", "--epsilon", "0.1"],
        &[
            "query",
            "plan.toml",
            "select avg(pay) from t",
            "--epsilon",
            "0.1",
        ],
        &[
            "query",
            "plan.toml",
            "select avg(wage) from t",
            "--epsilon",
            "9",
        ],
        &[
            "query",
            "plan.toml",
            "select avg(wage) from t",
            "--epsilon",
            "0.1",
            "--price",
        ],
        &[
            "query",
            "unknown.toml",
            "select avg(pay) from t",
            "--epsilon",
            "0.1",
        ],
        &["release", "rows.toml", "--ledger", "rows.ledger"],
    ]
    .iter()
    .map(|arguments| here.run(arguments))
    .collect();
    let mut runs = runs;
    runs.extend(damaged(&here));
    for done in &runs {
        for secret in SECRETS {
            assert!(!done.out.contains(secret), "{secret}: {}", done.out);
            assert!(!done.err.contains(secret), "{secret}: {}", done.err);
        }
    }
    // The test can see: without a header a first row of words is taken for names, and all but the
    // refused ones said something.
    here.write("bare.csv", "quaggamire,zephyrotic\n");
    let bare = here.run(&["draft", "bare.csv"]).succeeded();
    assert!(SECRETS[..2].iter().all(|secret| bare.out.contains(secret)));
    let said = runs.iter().filter(|done| done.status == Some(0));
    assert_eq!(said.filter(|done| done.out.len() > 100).count(), 18);
}

/// What is said about tables that cannot be read, each with a secret where it is damaged.
fn damaged(here: &Here) -> Vec<Done> {
    let plan = here.read("plan.toml");
    let mut runs = Vec::new();
    for (file, bytes) in [
        ("ragged.csv", &b"who,town,wage\nquaggamire,zephyrotic\n"[..]),
        (
            "open.csv",
            b"who,town,wage\nxylopharynx,\"zephyrotic,918273645546372\n",
        ),
        ("latin.csv", b"who,town,wage\nquaggamire\xff,zephyrotic,1\n"),
        (
            "cut.jsonl",
            b"{\"who\": \"quaggamire\", \"wage\": 918273645546372\n",
        ),
        (
            "twice.jsonl",
            b"{\"who\": \"a\", \"who\": \"quaggamire\", \"wage\": 1}\n",
        ),
        (
            "array.json",
            b"[{\"who\": \"quaggamire\", \"wage\": 918273645546372}]\n",
        ),
        (
            "text.parquet",
            b"PAR1quaggamire,zephyrotic,918273645546372PAR1",
        ),
        (
            "plain.csv.gz",
            b"who,town,wage\nquaggamire,zephyrotic,918273645546372\n",
        ),
    ] {
        here.write(file, bytes);
        let name = format!("{file}.toml");
        here.write(&name, plan.replace("table.csv", file));
        for arguments in [
            &["release", &name, "--ledger", "damaged.ledger"][..],
            &["inspect", &name, "--not-private"],
            &[
                "query",
                &name,
                "select avg(wage) from t",
                "--epsilon",
                "0.1",
                "--ledger",
                "damaged.ledger",
            ],
        ] {
            let done = here.run(arguments);
            // It is about the file.
            done.failed(file);
            runs.push(done);
        }
    }
    runs
}
