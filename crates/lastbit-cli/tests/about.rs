//! Every number says which rows it is about, in every form; and many groups take no longer than
//! they must.
#![cfg(feature = "engine")]

use std::fmt::Write;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::Here;

const PLAN: &str = r#"
title = "Visits"
[source]
files = "visits.csv"
[privacy]
neighbours = "add-remove"
unit = "patient"
most_rows = 3
most_groups = 2
[budget]
epsilon = 2
delta = 1e-6
[columns.cost]
lower = 0
upper = 50
missing = "drop"
[columns.days]
lower = 0
upper = 30
missing = 1
[columns.ward]
categories = ["a", "b", "c"]
[columns.town]
discover = true
[[statistics]]
name = "visits"
kind = "count"
[[statistics]]
name = "visits by town"
kind = "count"
by = "town"
[[statistics]]
name = "cost by ward"
kind = "mean"
of = "cost"
by = "ward"
[[statistics]]
name = "days by town"
kind = "sum"
of = "days"
by = "town"
"#;

/// The phrases of each statistic; of a threshold, which is solved for, only the end.
const ABOUT: [&[&str]; 4] = [
    &["at most 3 rows of each `patient`, except rows without a `patient`"],
    &[
        "at most 3 rows of each `patient` in a group, in at most 2 groups, except rows without a \
         `patient` and rows without a `town`",
        " rows, noise included, are not shown; among groups of about that size the noise decides \
         which are, so their numbers tend to be too large",
    ],
    &[
        "at most 3 rows of each `patient` in a group, in at most 2 groups, except rows without a \
         `patient` and rows whose `ward` is missing or not listed and rows whose `cost` is no \
         number",
        "`cost` below 0 counts as 0, above 50 as 50",
    ],
    &[
        "at most 3 rows of each `patient` in a group, in at most 2 groups, except rows without a \
         `patient` and rows without a `town`",
        "`days` that is no number counts as 1",
        "`days` below 0 counts as 0, above 30 as 30",
        "only groups that \"visits by town\" shows",
    ],
];

fn check_json(statistics: &Value) {
    for (statistic, phrases) in statistics.as_array().unwrap().iter().zip(ABOUT) {
        let about = statistic["about"].as_array().unwrap();
        assert_eq!(about.len(), phrases.len(), "{about:?}");
        for (found, expected) in about.iter().zip(phrases) {
            assert!(found.as_str().unwrap().ends_with(expected), "{found}");
        }
    }
}

/// Words in a row, whatever the lines and marks between them.
fn words(text: &str) -> String {
    let text = text.replace("&quot;", "\"");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_form_says_which_rows_each_number_is_about() {
    let here = Here::empty();
    here.write("plan.toml", PLAN);
    let mut rows = String::from("patient,cost,days,ward,town\n");
    for i in 0..4000 {
        writeln!(
            rows,
            "p{},{},{},{},t{}",
            i / 2,
            i % 60,
            i % 9,
            ["a", "b", "c"][i % 3],
            i % 2
        )
        .unwrap();
    }
    here.write("visits.csv", rows);

    let plan: Value = here
        .run(&["plan", "plan.toml", "--json"])
        .succeeded()
        .json();
    check_json(&plan["statistics"]);
    let page = ["plan", "plan.toml", "--html", "plan.html"];
    let plan_text = here.run(&page).succeeded().out;
    let arguments = [
        "release",
        "plan.toml",
        "--csv",
        "report.csv",
        "--html",
        "report.html",
    ];
    let text = here.run(&arguments).succeeded().out;
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    let report = here
        .run(&["release", "plan.toml", "--json", "--quiet"])
        .succeeded()
        .json();
    check_json(&report["statistics"]);
    // Pages set names apart in their own way.
    let read = |name: &str| {
        let text = here.read(name);
        text.replace("<code>", "`").replace("</code>", "`")
    };
    let forms = [plan_text, text, read("plan.html"), read("report.html")];
    for form in forms.map(|form| words(&form)) {
        for phrase in ABOUT.concat() {
            assert!(form.contains(phrase), "{phrase} in {form}");
        }
        assert!(form.contains("not cover rows that are left out"), "{form}");
    }
    // A line of CSV is a number: each has its rows.
    let table = read("report.csv").replace("\"\"", "\"");
    for line in table.lines().skip(1) {
        let statistic = line.split(',').next().unwrap();
        let place = report["statistics"]
            .as_array()
            .unwrap()
            .iter()
            .position(|s| s["name"] == statistic);
        for phrase in ABOUT[place.unwrap()] {
            assert!(line.contains(phrase), "{phrase} in {line}");
        }
    }
}

fn plan_by(keys: &[(&str, usize)]) -> String {
    let mut plan = String::from(
        "[source]\nfiles = \"x.csv\"\n[privacy]\nneighbours = \"add-remove\"\n[budget]\nepsilon = \
         1\n",
    );
    for (name, values) in keys {
        let edges: Vec<String> = (0..=*values).map(|edge| edge.to_string()).collect();
        writeln!(plan, "[columns.{name}]\nedges = [{}]", edges.join(", ")).unwrap();
    }
    let names: Vec<String> = keys.iter().map(|(name, _)| format!("\"{name}\"")).collect();
    plan + &format!(
        "[[statistics]]\nname = \"count\"\nkind = \"count\"\nby = [{}]\n",
        names.join(", ")
    )
}

/// Work that grows with the square of the groups takes hours for these.
#[test]
fn the_time_of_many_public_groups_grows_with_their_number_alone() {
    let here = Here::empty();
    here.write("plan.toml", plan_by(&[("x", 100_000)]));
    here.write("x.csv", "x\n17.5\n99999.5\n");
    let start = Instant::now();
    let arguments = [
        "release",
        "plan.toml",
        "--json",
        "--csv",
        "x.out.csv",
        "--html",
        "x.html",
    ];
    let printed = here.run(&arguments).succeeded().out;
    assert!(
        start.elapsed() < Duration::from_secs(300),
        "{:?}",
        start.elapsed()
    );
    let report: Value = serde_json::from_str(&printed).unwrap();
    let cells = report["statistics"][0]["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 100_000);
    assert_eq!(cells[17]["group"][0], "[17, 18)");
    let page = here.read("x.html");
    assert!(
        page.len() < 1_000_000
            && page
                .contains("99<span class=\"g\">000</span> more rows, in the report as JSON or CSV")
    );
    assert_eq!(here.read("x.out.csv").lines().count(), 100_001);
}

#[test]
fn a_report_that_the_ledger_cannot_hold_costs_nothing() {
    let here = Here::empty();
    here.write("plan.toml", plan_by(&[("x", 4000), ("y", 2500)]));
    here.write("x.csv", "x,y\n17.5,3\n");
    let refused = here.run(&["release", "plan.toml"]);
    refused.failed("million bytes, and the ledger holds at most 900");
    assert_eq!(here.files(), ["plan.toml", "x.csv"], "no ledger");
}
