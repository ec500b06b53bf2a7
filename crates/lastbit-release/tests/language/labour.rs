//! The labour force survey: every integer is that of an independent computation, and the report says what the plan means.

use std::path::{Path, PathBuf};
use std::process::Command;

use lastbit_release::account::price;
use lastbit_release::engine::query::{Answer, Exact};
use lastbit_release::engine::{Options, TableEngine, answer};
use lastbit_release::plan::Plan;
use lastbit_release::present::{Report, html, text};
use lastbit_release::release::{release, report_bytes};
use lastbit_release::statistic::{Slot, query};

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/labour")
}

fn plan() -> Plan {
    Plan::read(&example().join("plan.toml")).unwrap()
}

/// One line for each statistic and group.
fn lines(plan: &Plan, slots: &[Slot], answer: &Answer) -> Vec<String> {
    let mut lines = Vec::new();
    for (statistic, slot) in plan.statistics.iter().zip(slots) {
        for (place, group) in answer.tables[slot.table].iter().enumerate() {
            let value = match &group.values[slot.values[0]] {
                Exact::Rows(rows) => rows.to_string(),
                Exact::Sum { rows, sum } => format!("{rows} {sum}"),
                Exact::Moments { rows, sum, squares } => format!("{rows} {sum} {squares}"),
                Exact::Counts(counts) => {
                    let counts: Vec<String> = counts.iter().map(u64::to_string).collect();
                    counts.join(" ")
                }
                Exact::Offsets(offsets) => {
                    let pairs = offsets
                        .iter()
                        .map(|(value, rows)| format!("{value}:{rows}"));
                    pairs.collect::<Vec<_>>().join(" ")
                }
                other => panic!("{other:?}"),
            };
            lines.push(format!("{}|{place}|{value}", statistic.name));
        }
    }
    lines
}

#[test]
fn every_integer_is_that_of_an_independent_computation() {
    let plan = plan();
    let key = [7; 32];
    let (query, slots) = query(&plan, key);
    let answer = answer(&query, &Options::default()).unwrap();
    let found = lines(&plan, &slots, &answer);
    let output = Command::new("python3")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/language/labour.py"))
        .arg(example())
        .arg("07".repeat(32))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let expected = String::from_utf8(output.stdout).unwrap();
    let expected: Vec<&str> = expected.lines().collect();
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(found, expected);
    }
}

#[test]
fn the_example_is_made_by_its_script() {
    let directory = tempfile::TempDir::new().unwrap();
    let made = directory.path().join("made.csv.gz");
    let status = Command::new("python3")
        .arg(example().join("make.py"))
        .arg(&made)
        .status();
    assert!(status.unwrap().success());
    let unpacked = |path: &Path| {
        let code = "import gzip,sys; sys.stdout.buffer.write(gzip.open(sys.argv[1]).read())";
        let output = Command::new("python3")
            .args(["-c", code])
            .arg(path)
            .output();
        output.unwrap().stdout
    };
    assert!(unpacked(&made) == unpacked(&example().join("interviews.csv.gz")));
}

fn released() -> Report {
    let directory = tempfile::TempDir::new().unwrap();
    let ledger = directory.path().join("lastbit.ledger");
    let engine = TableEngine::default();
    let progress = std::sync::Arc::new(|_, _| {});
    let released = release(&plan(), &ledger, &engine, progress).unwrap();
    released.report().clone()
}

#[test]
fn the_report_has_labels_dates_and_words_for_every_filter() {
    let report = released();
    let statistic = |name: &str| report.statistics.iter().find(|s| s.name == name).unwrap();
    let hours = statistic("mean hours");
    let groups: Vec<&str> = hours
        .cells
        .iter()
        .map(|cell| cell.group[0].as_str())
        .collect();
    assert_eq!(groups, ["men", "women"]);
    assert_eq!(
        hours.about,
        [
            "at most 4 rows of each `person` in a group, in at most 1 group, of rows where `age between 15 and 74`, except rows without a `person` and rows whose `sex` is missing or not listed and rows whose `hours` is no number",
            "`hours` of 99 is missing",
            "`hours` below 0 counts as 0, above 80 as 80",
        ]
    );
    let employed = statistic("employed by part");
    assert_eq!(
        employed.about[0],
        "at most 4 rows of each `person` in a group, in at most 1 group, of rows where `age between 15 and 74` and where `status = 1`, except rows without a `person` and rows whose `part` is missing or not listed"
    );
    assert_eq!(employed.about[1], "`part` is looked up by `region`");
    let status = statistic("status by quarter");
    let labels: Vec<&str> = status.cells[..4]
        .iter()
        .map(|cell| cell.label.as_str())
        .collect();
    assert_eq!(labels, ["employed", "unemployed", "inactive", "not stated"]);
    assert_eq!(status.cells[0].group, ["2023-Q1"]);
    assert_eq!(status.cells[31].group, ["2024-Q4"]);
    assert!(
        status
            .about
            .contains(&"`status` that is missing or not listed counts as `not stated`".to_owned())
    );
    assert_eq!(
        status.about[1],
        "`interviewed` is `date(at_offset(\"interviewed\", '+01:00'))`"
    );
    let quartiles = statistic("quartiles of hours");
    for cell in &quartiles.cells {
        for text in [&cell.value, &cell.lower, &cell.upper] {
            assert!(text.as_ref().unwrap().parse::<u32>().unwrap() <= 80);
        }
    }
    let day = &statistic("mean day").cells[0];
    assert_eq!(statistic("mean day").unit, "");
    assert_eq!(day.error_unit, "days");
    assert!(day.value.as_ref().unwrap().starts_with("202"), "{day:?}");
    let median = &statistic("median day of the unemployed").cells[0];
    for text in [&median.value, &median.lower, &median.upper] {
        let text = text.as_ref().unwrap();
        assert!(
            "2023-01-01" <= text.as_str() && text.as_str() <= "2024-12-31",
            "{text}"
        );
        assert_eq!(text.len(), 10);
    }
    let employed = statistic("people in employment");
    for cell in &employed.cells {
        assert!(
            cell.value.as_ref().unwrap().parse::<u64>().is_ok(),
            "{cell:?}"
        );
    }
    let weekdays = statistic("interviews by weekday");
    assert_eq!(weekdays.cells[6].group, ["Sunday"]);
    assert!(
        report
            .notes
            .contains(&"Only rows where age between 15 and 74 count.".to_owned())
    );
    let plan = plan();
    let stored = serde_json::to_string(&report).unwrap().len() as u64;
    assert!(stored <= report_bytes(&plan, &price(&plan).unwrap()));
    let (plain, page) = (text(&report), html(&report));
    for word in ["women", "2023-Q1", "Sunday", "age between 15 and 74"] {
        assert!(plain.contains(word) && page.contains(word), "{word}");
    }
}

#[test]
fn whole_numbers_have_no_rounding_in_their_errors() {
    let plan = plan();
    let prices = price(&plan).unwrap();
    let of = |name: &str| {
        let place = plan.statistics.iter().position(|s| s.name == name).unwrap();
        &prices.statistics[place]
    };
    // A sum of whole numbers has noise on whole numbers, and a whole error.
    let error = of("people in employment").error.unwrap().get();
    assert_eq!(error, error.floor());
}
