//! The film ratings: every integer is that of an independent computation, heavy users are bounded, films are discovered, and tables add up.

use std::path::{Path, PathBuf};
use std::process::Command;

use lastbit_exact::Rational;
use lastbit_release::account::price;
use lastbit_release::engine::query::{Answer, Exact, KeyValue};
use lastbit_release::engine::{Options, TableEngine, answer};
use lastbit_release::plan::Plan;
use lastbit_release::present::{Report, Statistic};
use lastbit_release::release::release;
use lastbit_release::statistic::{Slot, exact_numbers, query};

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/films")
}

fn plan() -> Plan {
    Plan::read(&example().join("plan.toml")).unwrap()
}

fn written(value: &Exact) -> String {
    match value {
        Exact::Rows(rows) => rows.to_string(),
        Exact::Moments { rows, sum, squares } => format!("{rows} {sum} {squares}"),
        Exact::Counts(counts) => {
            let counts: Vec<String> = counts.iter().map(u64::to_string).collect();
            counts.join(" ")
        }
        Exact::Kept {
            units,
            cut,
            left_out,
        } => format!("{units} {cut} {left_out}"),
        other => panic!("{other:?}"),
    }
}

/// One line for each statistic and group.
fn lines(plan: &Plan, slots: &[Slot], answer: &Answer) -> Vec<String> {
    let prices = price(plan).unwrap();
    let mut lines = Vec::new();
    for (index, (statistic, slot)) in plan.statistics.iter().zip(slots).enumerate() {
        let name = &statistic.name;
        // What a margin adds up is in the table of another.
        if plan.finest(index).is_some() {
            let chain = &prices.statistics[index].chain;
            let numbers = exact_numbers(chain, slot, answer).unwrap();
            let numbers = numbers.iter().enumerate();
            lines.extend(numbers.map(|(place, number)| format!("{name}|{place}|{}", number[0])));
            continue;
        }
        for (place, group) in answer.tables[slot.table].iter().enumerate() {
            let value = written(&group.values[slot.values[0]]);
            let key = match group.key.first() {
                Some(KeyValue::Discovered(text)) => text.clone(),
                _ => place.to_string(),
            };
            lines.push(format!("{name}|{key}|{value}"));
        }
    }
    lines
}

#[test]
fn every_integer_is_that_of_an_independent_computation() {
    let plan = plan();
    let (query, slots) = query(&plan, [7; 32]);
    let answer = answer(&query, &Options::default()).unwrap();
    let found = lines(&plan, &slots, &answer);
    let output = Command::new("python3")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/language/films.py"))
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
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found, expected);
    }
    assert_eq!(found.len(), expected.len());
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
    assert!(unpacked(&made) == unpacked(&example().join("ratings.csv.gz")));
}

fn released() -> Report {
    let directory = tempfile::TempDir::new().unwrap();
    let ledger = directory.path().join("lastbit.ledger");
    let engine = TableEngine::default();
    let progress = std::sync::Arc::new(|_, _| {});
    let released = release(&plan(), &ledger, &engine, progress).unwrap();
    released.report().clone()
}

fn sum(statistic: &Statistic) -> Rational {
    let values = statistic.cells.iter().map(|cell| cell.value.as_ref());
    values.fold(Rational::ZERO, |sum, value| {
        &sum + &value.unwrap().parse().unwrap()
    })
}

#[test]
fn the_report_shows_films_that_many_rated_and_tables_that_add_up() {
    let report = released();
    let statistic = |name: &str| report.statistics.iter().find(|s| s.name == name).unwrap();
    let films = statistic("ratings by film");
    let means = statistic("mean stars by film");
    assert_eq!(
        films.cells.iter().map(|c| &c.group).collect::<Vec<_>>(),
        means.cells.iter().map(|c| &c.group).collect::<Vec<_>>()
    );
    assert!(statistic("ten most rated films").cells.len() <= 10);
    let all = statistic("ratings");
    for name in [
        "ratings by genre and device",
        "ratings by genre",
        "ratings by device",
    ] {
        assert_eq!(sum(statistic(name)), sum(all), "{name}");
    }
    assert_eq!(sum(statistic("users by genre")), sum(statistic("users")));
    assert_eq!(
        all.about,
        [
            "at most 3 rows of each `user` in a group, in at most 4 groups, as in \"ratings by genre and device\", except rows without a `user`",
            "made to add up with \"ratings by genre and device\" and \"ratings by genre\" and \"ratings by device\"",
        ]
    );
    // Which films there are is told by a threshold, so that they do not add up.
    let why = "\"ratings by film\" is not made to add up: groups of discovered keys below their threshold are not shown.";
    assert!(
        report.notes.iter().any(|note| note == why),
        "{:?}",
        report.notes
    );
}
