//! The forms of a report that other programs and offices read.

use std::fs;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::support::{Here, plan};

fn read(here: &Here, name: &str) -> RecordBatch {
    let file = fs::File::open(here.path(name)).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let batches: Vec<_> = reader.build().unwrap().map(Result::unwrap).collect();
    let [batch] = &batches[..] else {
        panic!("{} batches", batches.len());
    };
    batch.clone()
}

fn texts(batch: &RecordBatch, name: &str) -> Vec<Option<String>> {
    let column = batch.column_by_name(name).unwrap().as_string::<i32>();
    column.iter().map(|text| text.map(str::to_owned)).collect()
}

fn numbers(batch: &RecordBatch, name: &str) -> Vec<Option<f64>> {
    let column = batch.column_by_name(name).unwrap();
    column.as_primitive::<Float64Type>().iter().collect()
}

fn flags(batch: &RecordBatch, name: &str) -> Vec<bool> {
    let column = batch.column_by_name(name).unwrap().as_boolean();
    assert_eq!(column.null_count(), 0);
    column.values().iter().collect()
}

/// A count, a mean and a quantile by sex, a date, and a count that noise drowns.
fn of_people() -> Here {
    let here = Here::empty();
    let rows: String = (0..900)
        .map(|i| {
            let sex = ["f", "m", "=1+1"][i % 3];
            format!("{sex},{},2024-0{}-01\n", i % 97, 1 + i % 9)
        })
        .collect();
    here.write("people.csv", format!("sex,age,seen\n{rows}"));
    let plan = r#"
title = "People"
[source]
files = "people.csv"
[privacy]
neighbours = "add-remove"
[budget]
epsilon = 20
[columns.sex]
categories = ["f", "m", "=1+1", "nobody"]
[columns.age]
lower = 0
upper = 100
[columns.seen]
date = true
lower = 2024-01-01
upper = 2024-12-31
[[statistics]]
name = "people"
kind = "count"
by = ["sex"]
[[statistics]]
name = "mean age"
kind = "mean"
of = "age"
[[statistics]]
name = "median age"
kind = "quantiles"
of = "age"
at = [0.5]
[[statistics]]
name = "mean day"
kind = "mean"
of = "seen"
"#;
    here.write("plan.toml", plan);
    here
}

#[test]
fn a_parquet_table_has_the_published_numbers_with_types_that_fit() {
    let here = of_people();
    let report = here
        .run(&["release", "plan.toml", "--json", "--parquet", "out.parquet"])
        .succeeded()
        .json();
    let batch = read(&here, "out.parquet");
    let cells: Vec<_> = report["statistics"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|statistic| statistic["cells"].as_array().unwrap())
        .collect();
    assert_eq!(batch.num_rows(), cells.len());
    let text = |cell: &serde_json::Value, key: &str| cell[key].as_str().map(str::to_owned);
    let of = |key: &str| -> Vec<_> { cells.iter().map(|cell| text(cell, key)).collect() };
    assert_eq!(texts(&batch, "published"), of("value"));
    // Quantiles have intervals of their own; others have what their errors leave.
    let ends = texts(&batch, "published_lower");
    for (end, stated) in ends.iter().zip(of("lower")) {
        assert!(stated.is_none() || *end == stated, "{end:?}");
    }
    // Numbers are numbers, errors not below what is stated, ends of intervals not within them;
    // dates are texts alone.
    let parsed = |key: &str| -> Vec<Option<f64>> {
        let parse = |text: Option<String>| text.and_then(|text| text.parse().ok());
        of(key).into_iter().map(parse).collect()
    };
    assert_eq!(numbers(&batch, "value"), parsed("value"));
    for (stored, stated) in numbers(&batch, "error").iter().zip(parsed("error")) {
        let (stored, stated) = (stored.unwrap(), stated.unwrap());
        assert!(
            stored >= stated && stored <= stated * (1.0 + 1e-9),
            "{stored} {stated}"
        );
    }
    let day = numbers(&batch, "value").pop().unwrap();
    assert_eq!(day, None);
    assert!(
        texts(&batch, "published")
            .pop()
            .unwrap()
            .unwrap()
            .starts_with("2024-")
    );
    for end in ["lower", "upper"] {
        let has: Vec<bool> = numbers(&batch, end).iter().map(Option::is_some).collect();
        assert_eq!(has, [true, true, true, true, true, true, false]);
    }
    // Only the error of a quantile is one of ranks.
    let ranks = numbers(&batch, "rank_error");
    let errors = numbers(&batch, "error");
    assert_eq!(ranks[..5], [None; 5]);
    assert_eq!((ranks[5], ranks[6]), (errors[5], None));
    let value = numbers(&batch, "value")[5].unwrap();
    let interval = ["lower", "upper"].map(|end| numbers(&batch, end)[5].unwrap());
    assert!(interval[0] <= value && value <= interval[1], "{interval:?}");
    // Keys are texts, as they are; other statistics have none.
    let sex = texts(&batch, "by.sex");
    let sex: Vec<_> = sex.iter().map(Option::as_deref).collect();
    assert_eq!(
        sex[..4],
        [Some("f"), Some("m"), Some("=1+1"), Some("nobody")]
    );
    assert_eq!(sex[4..], [None; 3]);
    let row = batch.column_by_name("ledger_row").unwrap();
    assert!(
        row.as_primitive::<Int64Type>()
            .iter()
            .all(|row| row == Some(2))
    );
    let noisy: Vec<bool> = cells.iter().map(|cell| cell["too_noisy"] == true).collect();
    assert_eq!(flags(&batch, "too_noisy"), noisy);
    assert_eq!(flags(&batch, "withheld"), [false; 7]);
    assert_eq!(flags(&batch, "invented"), [false; 7]);
    assert!(
        numbers(&batch, "confidence")
            .iter()
            .all(|c| *c <= Some(0.95) && *c > Some(0.949))
    );
    // A rehearsal says that it is one.
    here.run(&["rehearse", "plan.toml", "--parquet", "rehearsed.parquet"])
        .succeeded();
    assert_eq!(
        flags(&read(&here, "rehearsed.parquet"), "invented"),
        [true; 7]
    );
}

#[test]
fn parquet_and_methods_of_others_are_replaced_only_by_force() {
    let here = of_people();
    let first = [
        "release",
        "plan.toml",
        "--parquet",
        "out.parquet",
        "--method",
        "out.txt",
    ];
    here.run(&first).succeeded();
    let ours = fs::read(here.path("out.parquet")).unwrap();
    // Ours may be replaced, and what somebody else wrote may not, though it is Parquet too.
    here.run(&first).succeeded();
    assert_eq!(fs::read(here.path("out.parquet")).unwrap(), ours);
    let mut theirs = ours.clone();
    let mark = b"lastbit.report";
    let place = theirs
        .windows(mark.len())
        .position(|part| part == mark)
        .unwrap();
    theirs[place..place + mark.len()].copy_from_slice(b"another.report");
    here.write("out.parquet", &theirs);
    here.run(&first).refused("--force");
    assert_eq!(fs::read(here.path("out.parquet")).unwrap(), theirs);
    here.run(&[&first[..], &["--force"]].concat()).succeeded();
    assert_eq!(fs::read(here.path("out.parquet")).unwrap(), ours);
    here.write("out.txt", "years of work\n");
    here.run(&first).refused("--force");
    // Two names of one file, and two things on standard output.
    for line in [
        ["--parquet", "same", "--csv", "./same"],
        ["--method", "-", "--parquet", "-"],
    ] {
        let done = here.run(&[&["release", "plan.toml"], &line[..]].concat());
        assert_eq!(
            (done.status, done.out.as_str()),
            (Some(2), ""),
            "{}",
            done.err
        );
    }
    // What cannot be written is found before anything is spent.
    here.run(&[
        "release",
        "plan.toml",
        "--ledger",
        "new.ledger",
        "--parquet",
        "no/such.parquet",
    ])
    .refused("such.parquet");
    assert!(!here.path("new.ledger").exists());
}

#[test]
fn a_report_as_parquet_does_not_become_data() {
    let here = Here::new();
    fs::create_dir(here.path("data")).unwrap();
    here.write(
        "plan.toml",
        plan(50).replace("people.csv", "data/*.parquet"),
    );
    here.run(&["release", "plan.toml", "--parquet", "data/out.parquet"])
        .refused("as data");
}

#[test]
fn the_method_can_be_printed_by_itself() {
    let here = of_people();
    let method = here
        .run(&["release", "plan.toml", "--method", "-"])
        .succeeded()
        .out;
    let longest = method.lines().map(|line| line.chars().count()).max();
    assert!(longest <= Some(80), "{method}");
    let words = method.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "How these numbers were made",
        "What was done",
        "Who is protected, and how well",
        "In words: somebody who knows all else",
        "age is clamped to [0, 100]",
        "holds with probability 95 %, for each number by itself",
        "people: Of every row, except rows whose `sex` is missing or not listed.",
        "How to cite this",
        "People. Published with pure differential privacy (ε = 20), 2",
        "Receipt",
        "Ledger row: 2",
        "In the words of the field",
        "Pure differential privacy with ε = 20",
    ] {
        assert!(words.contains(part), "{part}: {method}");
    }
    // A loss that protects little is warned of here too, and the words of the field come last.
    assert!(words.contains("protects little"), "{method}");
    assert!(words.find("Receipt") < words.find("In the words of the field"));
    // The page says the same.
    let page = here
        .run(&["release", "plan.toml", "--html", "-"])
        .succeeded()
        .out;
    for part in [
        "Who is protected, and how well",
        "How to cite this",
        "<summary>In the words of the field",
    ] {
        assert!(page.contains(part), "{part}");
    }
}
