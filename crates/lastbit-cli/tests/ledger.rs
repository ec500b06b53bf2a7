//! `lastbit ledger` on real files: what it prints, and its exit status.

use std::path::{Path, PathBuf};

use lastbit_release::ledger::{Ledger, Outcome, Request};
use lastbit_release::loss::Loss;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support;

/// ε = 1: a release of 0.7 that was settled, and one of 0.1 that was not.
fn sample() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("clinic.ledger");
    let pure = |text: &str| Loss::pure(text.parse().unwrap()).unwrap();
    let mut ledger = Ledger::open(&path, &pure("1")).unwrap();
    for (plan, epsilon) in [("a", "0.7"), ("b", "0.1")] {
        let request = Request {
            plan: plan.into(),
            data: "data".into(),
            loss: pure(epsilon),
            description: format!("release \u{1b}[31m{plan}"),
        };
        if let Outcome::Reserved(reserved) = ledger.reserve(&request).unwrap()
            && plan == "a"
        {
            ledger.settle(reserved, "{\"schema\":1}").unwrap();
        }
    }
    (directory, path)
}

/// Exit status, standard output and standard error of `lastbit ledger WORD PATH …`.
fn run(word: &str, path: &Path, more: &[&str]) -> (i32, String, String) {
    let path = path.to_str().unwrap();
    let done = support::run(&[&["ledger", word, path], more].concat());
    (done.status.unwrap(), done.out, done.err)
}

fn run_json(word: &str, path: &Path, more: &[&str]) -> (i32, Value) {
    let (status, out, _) = run(word, path, &[more, &["--json"]].concat());
    (status, serde_json::from_str(&out).unwrap())
}

#[test]
fn show_has_exact_amounts() {
    let (_directory, path) = sample();
    let (status, out, _) = run("show", &path, &[]);
    assert_eq!(status, 0);
    let head = Ledger::view(&path).unwrap().head().1.to_owned();
    let lines = [
        "  budget     ε = 1",
        "  spent      ε = 0.8",
        "  remaining  ε = 0.2  enough for 2 more like the last",
        "  releases   1        and 1 reserved but not settled, which stay spent",
        "  entries    4",
        &format!("  head       {head}"),
    ];
    assert_eq!(out, lines.join("\n") + "\n");
    let (_, json) = run_json("show", &path, &[]);
    let remaining = json!({
        "measure": "pure",
        "symbol": "ε",
        "value": 0.2,
        "exact_value": "0.2",
        "delta_value": 0.0,
        "exact_delta": "0",
        "epsilon": 0.2,
        "exact": {"epsilon": "0.2"},
    });
    assert_eq!(json["remaining"], remaining);
    assert_eq!(json["unsettled_rows"], json!([4]));
}

#[test]
fn history_has_every_entry_and_no_commands_for_the_terminal() {
    let (_directory, path) = sample();
    let (status, out, _) = run("history", &path, &[]);
    assert_eq!(status, 0);
    assert!(!out.contains('\u{1b}'), "{out}");
    let lines: Vec<Vec<&str>> = out
        .lines()
        .map(|line| {
            line.split("  ")
                .map(str::trim)
                .filter(|part| !part.is_empty())
                .collect()
        })
        .collect();
    // What an entry is about stands below it.
    assert_eq!(lines[0], ["row", "time", "entry", "amount", "remaining"]);
    assert_eq!(lines[1][2..], ["budget", "ε = 1", "ε = 1"]);
    assert_eq!(lines[2], ["first budget"]);
    assert_eq!(lines[3][2..], ["reserve", "− ε = 0.7", "ε = 0.3"]);
    assert_eq!(lines[4], [r"release \u{1b}[31ma"]);
    assert_eq!(lines[5][2..], ["settle", "ε = 0.3"]);
    assert_eq!(lines[6], ["row 2"]);
    assert_eq!(lines[7][2..], ["reserve", "− ε = 0.1", "ε = 0.2"]);
    assert_eq!(lines[8], [r"release \u{1b}[31mb (not settled)"]);
    let (_, json) = run_json("history", &path, &[]);
    assert_eq!(json.as_array().unwrap().len(), 4);
    assert_eq!(json[1]["loss"]["exact"]["epsilon"], "0.7");
    assert_eq!(json[1]["description"], "release \u{1b}[31ma");
    assert_eq!(json[2]["report"], "{\"schema\":1}");
    assert_eq!(json[2]["previous"], json[1]["hash"]);
}

#[cfg(feature = "engine")]
#[test]
fn ledgers_fit_80_columns_and_are_found_by_their_plan() {
    let here = support::Here::new();
    // Losses that add up in another measure, and a name that is longer than a line.
    let long = "a name that somebody thought should say everything about it ".repeat(3);
    let plan = support::plan(50)
        .replace("epsilon = 1", "epsilon = 1\ndelta = 1e-6")
        .replace("\"ages\"", &format!("{long:?}"));
    here.write(
        "plan.toml",
        format!("{plan}[spend]\nepsilon = 0.3\ndelta = 1e-7\n"),
    );
    // A plan that was not released has no ledger.
    here.run(&["ledger", "show", "plan.toml"])
        .refused("this is a plan, and there is no ledger beside it");
    here.run(&["release", "plan.toml"]).succeeded();
    for word in ["show", "history", "check"] {
        let own = here.run(&["ledger", word, "lastbit.ledger"]).succeeded();
        let longest = own.out.lines().map(|line| line.chars().count()).max();
        assert!(longest <= Some(80), "{}", own.out);
        assert!(word != "history" || own.out.contains("somebody thought"));
        // A plan beside it stands for the ledger, and which one it is, is said.
        let by_plan = here.run(&["ledger", word, "plan.toml"]).succeeded();
        assert_eq!(by_plan.out, own.out);
        assert!(by_plan.err.contains("plan.toml is a plan; its ledger is "));
        assert!(by_plan.err.contains("lastbit.ledger"));
    }
    // A change of the budget names the ledger.
    here.run(&["ledger", "budget", "plan.toml", "--epsilon", "2"])
        .refused("plan.toml");
}

#[test]
fn check_passes_fails_and_knows_witnesses() {
    let (directory, path) = sample();
    let (status, out, _) = run("check", &path, &[]);
    assert_eq!(status, 0);
    assert!(
        out.starts_with("passed: 4 entries, each as it was written\nspent ε = 0.8 of ε = 1\n"),
        "{out}"
    );
    assert!(
        out.contains("note: row 4: reserved and not settled"),
        "{out}"
    );
    let head = Ledger::view(&path).unwrap().head().1.to_owned();
    assert_eq!(run("check", &path, &["--head", &head]).0, 0);
    let (status, out, error) = run("check", &path, &["--head", "00ff"]);
    assert_eq!(status, 1);
    assert!(out.starts_with("failed: 4 entries\n"), "{out}");
    assert!(out.contains("00ff, which was kept elsewhere"), "{out}");
    assert!(error.contains("the ledger fails the check"), "{error}");
    let (status, json) = run_json("check", &path, &["--head", "00ff"]);
    assert_eq!((status, &json["passed"]), (1, &json!(false)));
    assert_eq!(json["faults"].as_array().unwrap().len(), 1);
    let report = directory.path().join("report.json");
    std::fs::write(&report, "{}").unwrap();
    let (status, _, error) = run("check", &path, &["--report", report.to_str().unwrap()]);
    assert_eq!(status, 1);
    assert!(error.contains("this is not a report of lastbit"), "{error}");
}

#[test]
fn the_budget_is_raised_and_not_lowered_below_what_is_spent() {
    let (_directory, path) = sample();
    let (status, out, _) = run("budget", &path, &["--epsilon", "2", "--note", "agreed"]);
    assert_eq!(status, 0);
    assert!(
        out.contains("budget     ε = 2\n") && out.contains("remaining  ε = 1.2 "),
        "{out}"
    );
    let (status, out, error) = run("budget", &path, &["--epsilon", "0.79"]);
    assert_eq!((status, out.as_str()), (1, ""));
    assert!(error.contains("ε = 0.8 is already spent"), "{error}");
    let (status, _, error) = run("budget", &path, &["--rho", "1"]);
    assert_eq!(status, 1);
    assert!(error.contains("in the measure pure, not zcdp"), "{error}");
    assert_eq!(run("budget", &path, &["--epsilon", "-1"]).0, 2);
    assert_eq!(run("budget", &path, &["--epsilon", "1", "--rho", "1"]).0, 2);
    assert_eq!(run("budget", &path, &[]).0, 2);
    let (_, out, _) = run("history", &path, &[]);
    assert!(out.lines().last().unwrap().contains("agreed"), "{out}");
}
