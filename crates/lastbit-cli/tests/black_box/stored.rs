//! What was released once is given again, for nothing, for as long as it is the same release.

use std::fs;

use crate::support::{Here, numbers, plan};

const LOSSES: &str = r#"
title = "People"
[source]
files = "people.csv"
[privacy]
neighbours = "add-remove"
[budget]
epsilon = 1
[columns.age]
lower = 0
upper = 100
grid = 0
[[statistics]]
name = "people"
kind = "count"
loss = 0.25
[[statistics]]
name = "years"
kind = "sum"
of = "age"
loss = 0.25
"#;

#[test]
fn a_changed_budget_does_not_lose_what_was_stored() {
    let here = Here::new();
    here.write("plan.toml", LOSSES);
    let release = [
        "release",
        "plan.toml",
        "--json",
        "--ledger",
        "lastbit.ledger",
    ];
    let first = here.run(&release).succeeded();
    here.run(&["ledger", "budget", "lastbit.ledger", "--epsilon", "2"])
        .succeeded();
    // The plan as it was, and with the new budget.
    for plan in [
        LOSSES.to_owned(),
        LOSSES.replace("epsilon = 1", "epsilon = 2"),
    ] {
        here.write("plan.toml", plan);
        let again = here.run(&release).succeeded();
        assert!(again.err.contains("at no cost"), "{}", again.err);
        assert_eq!(again.out, first.out);
        assert_eq!(here.spent("lastbit.ledger").as_deref(), Some("0.5"));
    }
    // What is new is taken only from the budget that is in force, which the price says, too.
    here.write("plan.toml", LOSSES.replace("grid = 0", "grid = 1"));
    let price = here.run(&["plan", "plan.toml"]).succeeded().out;
    let words = price.split_whitespace().collect::<Vec<_>>().join(" ");
    let expected = "This will be refused: lastbit.ledger: the plan's budget is ε = 1, the ledger's";
    assert!(words.contains(expected), "{price}");
    assert!(!words.contains("more like it") && !words.contains("after this release"));
    here.run(&release).refused("the plan's budget is");
    assert_eq!(here.spent("lastbit.ledger").as_deref(), Some("0.5"));
}

#[test]
fn a_report_with_another_number_fails_the_check_of_its_ledger() {
    let here = Here::new();
    here.write("plan.toml", LOSSES);
    let report = here
        .run(&["release", "plan.toml", "--json"])
        .succeeded()
        .out;
    here.write("report.json", &report);
    let check = [
        "ledger",
        "check",
        "lastbit.ledger",
        "--report",
        "report.json",
    ];
    let done = here.run(&check).succeeded();
    assert!(
        done.out.contains("reports that say what it stored: 1"),
        "{}",
        done.out
    );
    let mut forged: serde_json::Value = serde_json::from_str(&report).unwrap();
    forged["statistics"][0]["cells"][0]["value"] = "350000".into();
    here.write("report.json", forged.to_string());
    let done = here.run(&check);
    assert_eq!(done.status, Some(1), "{}", done.err);
    assert!(
        done.out.contains("does not say what the ledger stored"),
        "{}",
        done.out
    );
}

#[test]
fn a_loss_beyond_all_limits_costs_nothing() {
    let here = Here::new();
    for (loss, words) in [
        ("1e-400", "at most 1200 digits"),
        ("1e-309", "a statistic's loss must be between"),
        ("1e-100", "a statistic's loss must be between"),
    ] {
        here.write(
            "plan.toml",
            LOSSES.replace("loss = 0.25", &format!("loss = {loss}")),
        );
        for command in ["plan", "release"] {
            here.run(&[command, "plan.toml"]).refused(words);
        }
        assert_eq!(here.spent("lastbit.ledger"), None);
    }
}

#[test]
fn another_way_to_the_same_noise_is_the_same_release_and_other_noise_is_not() {
    let here = Here::new();
    here.write("plan.toml", LOSSES);
    let first = here.run(&["release", "plan.toml", "--json"]).succeeded();
    let shared = LOSSES
        .replace("loss = 0.25", "weight = 3")
        .replace("[columns.age]", "[spend]\nepsilon = 0.5\n[columns.age]");
    let reordered = LOSSES.replace("grid = 0", "grid = 0\ntypical = 40 # years");
    for same in [shared, reordered] {
        here.write("same.toml", &same);
        let again = here.run(&["release", "same.toml", "--json"]).succeeded();
        assert_eq!(again.out, first.out, "{same}");
    }
    assert_eq!(here.spent("lastbit.ledger").as_deref(), Some("0.5"));
    let others = [
        ("loss = 0.25", "loss = 0.2"),
        ("upper = 100", "upper = 101"),
        ("grid = 0", "grid = -1"),
        ("title", "confidence = 0.9\ntitle"),
    ];
    for (from, to) in others {
        let here = Here::new();
        here.write("plan.toml", LOSSES);
        here.run(&["release", "plan.toml"]).succeeded();
        here.write("plan.toml", LOSSES.replace(from, to));
        let other = here.run(&["release", "plan.toml"]).succeeded();
        assert!(!other.err.contains("at no cost"), "{to}: {}", other.err);
    }
}

#[test]
fn whether_the_fingerprint_is_shown_is_for_the_plan_of_today_to_say() {
    let here = Here::new();
    here.run(&["release", "plan.toml"]).succeeded();
    here.write(
        "plan.toml",
        format!("publish_fingerprint = true\n{}", plan(50)),
    );
    let shown = here.run(&["release", "plan.toml", "--json"]).succeeded();
    assert!(shown.err.contains("at no cost"), "{}", shown.err);
    assert!(!shown.out.contains("\"data\": null"), "{}", shown.out);
}

#[test]
fn releases_of_version_0_1_0_are_found() {
    let here = Here::new();
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/version-0.1.0");
    for entry in fs::read_dir(data).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), here.path(entry.file_name())).unwrap();
    }
    fs::rename(here.path("stored.sqlite"), here.path("clinic.ledger")).unwrap();
    let check = |name: &str| {
        let plan = format!("{name}.toml");
        let again = here.run(&["release", &plan, "--json"]).succeeded();
        assert!(again.err.contains("at no cost"), "{}", again.err);
        assert_eq!(
            numbers(&again.out),
            numbers(&here.read(format!("{name}.json")))
        );
        assert_eq!(here.spent("clinic.ledger").as_deref(), Some("0.5"));
    };
    check("shares");
    check("losses");
    // Their hashes named the budget of that time.
    here.run(&["ledger", "budget", "clinic.ledger", "--epsilon", "2"])
        .succeeded();
    for name in ["shares.toml", "losses.toml"] {
        let plan = here.read(name);
        here.write(
            name,
            plan.replace("[budget]\nepsilon = 1", "[budget]\nepsilon = 2"),
        );
    }
    check("shares");
    check("losses");
    // Other noise is another release.
    let plan = here.read("losses.toml");
    here.write("losses.toml", plan.replace("loss = 0.25", "loss = 0.125"));
    here.run(&["release", "losses.toml"]).succeeded();
    assert_eq!(here.spent("clinic.ledger").as_deref(), Some("0.625"));
}
