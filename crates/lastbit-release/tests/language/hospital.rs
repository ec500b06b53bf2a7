//! The stays in hospital: every integer is that of an independent computation, every published
//! number is within its error of the exact one, and the report says what is joined, looked up and
//! weighted.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use lastbit_release::account::price;
use lastbit_release::engine::TableEngine;
use lastbit_release::engine::query::{Answer, KeyValue};
use lastbit_release::plan::Plan;
use lastbit_release::present::{html, text};
use lastbit_release::release::{release, report_bytes};
use lastbit_release::statistic::{KINDS, Slot};

use super::example::{Example, written};

const EXAMPLE: Example = Example("hospital");

/// One line for each statistic and group.
fn lines(plan: &Plan, slots: &[Slot], answer: &Answer) -> Vec<String> {
    let mut lines = Vec::new();
    for (statistic, slot) in plan.statistics.iter().zip(slots) {
        for (place, group) in answer.tables[slot.table].iter().enumerate() {
            let value = written(&group.values[slot.values[0]]);
            let key = match group.key.first() {
                Some(KeyValue::Discovered(text)) => text.clone(),
                _ => place.to_string(),
            };
            lines.push(format!("{}|{key}|{value}", statistic.name));
        }
    }
    lines
}

#[test]
fn every_integer_is_that_of_an_independent_computation() {
    EXAMPLE.has_the_same_integers(lines);
}

#[test]
fn the_example_is_made_by_its_script() {
    EXAMPLE.is_made_by_its_script(&["stays.csv.gz", "patients.csv.gz"]);
}

#[test]
fn every_kind_of_statistic_is_in_it() {
    let plan = EXAMPLE.plan();
    for kind in KINDS {
        let has = |word: &str| plan.statistics.iter().any(|s| s.kind.word() == word);
        assert!(has(kind.text()), "{}", kind.text());
    }
}

/// At a confidence of 1 − 10^-12, about 240 numbers are all within their errors but with
/// probability 3·10^-10. With a budget so large that no number is withheld, and errors are small.
#[test]
fn every_published_number_is_within_its_error_of_the_exact_one() {
    let directory = tempfile::TempDir::new().unwrap();
    let mut text = fs::read_to_string(EXAMPLE.directory().join("plan.toml")).unwrap();
    for (said, instead) in [
        ("confidence = 0.95", "confidence = 0.999999999999"),
        ("\nepsilon = 4\n", "\nepsilon = 400\n"),
        ("\nepsilon = 3\n", "\nepsilon = 300\n"),
    ] {
        assert!(text.contains(said), "{said}");
        text = text.replace(said, instead);
    }
    let plan = Plan::parse_in(&text, &EXAMPLE.directory()).unwrap();
    let (ledger, engine) = (
        directory.path().join("lastbit.ledger"),
        TableEngine::default(),
    );
    let released = release(&plan, &ledger, &engine, Arc::new(|_, _| {})).unwrap();
    let report = released.report();
    let cells = report.statistics.iter().flat_map(|s| &s.cells);
    let mut cells = cells.map(|cell| cell.value.is_some());
    assert!(cells.clone().count() > 200 && cells.all(|is_given| is_given));
    let file = directory.path().join("report.json");
    fs::write(&file, serde_json::to_string(report).unwrap()).unwrap();
    let output = Command::new("python3")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/language/hospital_report.py"))
        .arg(EXAMPLE.directory())
        .arg(&report.receipt.plan)
        .arg(&file)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{errors}");
}

#[test]
fn the_report_says_what_is_joined_looked_up_and_weighted() {
    let report = EXAMPLE.released();
    let statistic = |name: &str| report.statistics.iter().find(|s| s.name == name).unwrap();
    let groups = |name: &str| -> Vec<String> {
        let cells = &statistic(name).cells;
        cells.iter().map(|cell| cell.group.join(" ")).collect()
    };
    let people = "patients by area and sex";
    assert_eq!(
        groups(people),
        [
            "coast men",
            "coast women",
            "town men",
            "town women",
            "hills men",
            "hills women",
        ]
    );
    assert_eq!(
        statistic(people).about,
        [
            "at most 1 row of each `patient`, which has one `area` and one `sex`, of rows where \
             `ward <> 'W99'`, except rows without a `patient` and rows whose `area` is missing or \
             not listed and rows whose `sex` is missing or not listed",
            "`area` is looked up by `district`",
            "`sex` is joined by `patient`, from one row of each",
        ]
    );
    // A person is in one of the groups, so that they need no more noise than the total.
    assert_eq!(
        statistic(people).cells[0].error,
        statistic("patients").cells[0].error
    );
    let says = |name: &str, words: &str| {
        let about = &statistic(name).about;
        assert!(about.iter().any(|one| one.contains(words)), "{about:?}");
    };
    says(
        "mean score, weighted",
        "each row counts as often as its `stands_for` says",
    );
    says("days and severity", "`severity` of 9 is missing");
    says("median bmi", "`weight` of NA is missing");
    says(
        "share with a disease of the circulation",
        "rows for which `starts_with(upper(trim(code)), 'I')` is neither true nor false",
    );
    // A quantile without an interval has an error in rank alone.
    let bmi = &statistic("median bmi").cells[0];
    assert!(bmi.lower.is_none() && bmi.upper.is_none() && bmi.error_unit.contains("rank"));
    for name in ["middle of the year's admissions", "mean time of admission"] {
        let time = statistic(name).cells[0].value.clone().unwrap();
        assert!(time.starts_with("2024-") && time.len() == 19, "{time}");
    }
    assert_eq!(groups("stays by hour of admission").len(), 24);
    assert_eq!(groups("stays by site and month")[35], "farm December");
    assert_eq!(
        statistic("stays by week").titles["week"],
        "week of admission"
    );
    assert_eq!(statistic("three busiest wards").cells.len(), 3);
    let slopes = statistic("what a stay costs").cells.iter();
    let slopes: Vec<&str> = slopes.map(|cell| cell.label.as_str()).collect();
    assert_eq!(slopes, ["intercept", "days", "age"]);
    let diagnoses = groups("stays by diagnosis");
    assert!(diagnoses.contains(&"I21".to_owned()) && !diagnoses.contains(&"?".to_owned()));
    let plan = EXAMPLE.plan();
    let stored = serde_json::to_string(&report).unwrap().len() as u64;
    assert!(stored <= report_bytes(&plan, &price(&plan).unwrap()));
    let (plain, page) = (text(&report), html(&report));
    for word in [
        "coast",
        "women",
        "week of admission",
        "December",
        "starts_with",
    ] {
        assert!(plain.contains(word) && page.contains(word), "{word}");
    }
}

/// What this release takes and what is left for others are parts of one budget.
#[test]
fn its_release_composes_with_others() {
    let plan = EXAMPLE.plan();
    assert!(plan.composes && plan.states_spending());
    let directory = tempfile::TempDir::new().unwrap();
    let ledger = directory.path().join("lastbit.ledger");
    let engine = TableEngine::default();
    let run = |plan: &Plan| release(plan, &ledger, &engine, Arc::new(|_, _| {}));
    run(&plan).unwrap();
    // Plain subtraction would leave ε = 1: this asks for more, and fits into the ρ that is left.
    let text = fs::read_to_string(EXAMPLE.directory().join("plan.toml")).unwrap();
    let head = &text[..text.find("[[statistics]]").unwrap()];
    let count = "[[statistics]]\nname = \"men\"\nkind = \"count\"\nby = \"sex\"\n";
    let again = |epsilon: &str, delta: &str| {
        let head = head.replace(
            "epsilon = 3\ndelta = 8e-7",
            &format!("epsilon = {epsilon}\ndelta = {delta}"),
        );
        Plan::parse_in(&(head + count), &EXAMPLE.directory()).unwrap()
    };
    run(&again("1.5", "1e-7")).unwrap();
    assert!(run(&again("3", "8e-7")).is_err());
}
