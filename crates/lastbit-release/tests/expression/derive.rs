//! Filters and derived columns in a query: as if the file had been written with them, and one row
//! moves what one row may.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Date32Array, Float64Array, RecordBatch, StringArray};
use lastbit::Bounds;
use lastbit_release::engine::query::{Aggregate, Aggregated, Answer, Derive, Key, Query, Table};
use lastbit_release::engine::{EngineError, Options, answer};
use lastbit_release::expression::Expression;
use lastbit_release::plan::{Categories, FileFormat, Files, Missing, Numbers, Source, Unit};
use parquet::arrow::ArrowWriter;
use tempfile::TempDir;

use crate::engine::common::Cases;

fn answer_derived(
    query: &Query,
    derive: &Derive,
    options: &Options,
) -> Result<Answer, EngineError> {
    let query = Query {
        derive: derive.clone(),
        ..query.clone()
    };
    answer(&query, options)
}

/// Who, weight and height, a day since 1970, a ward.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    who: u64,
    weight: Option<f64>,
    height: Option<f64>,
    day: Option<i32>,
    ward: Option<&'static str>,
}

fn rows(cases: &mut Cases, count: usize) -> Vec<Row> {
    let row = |_| Row {
        who: cases.below(12),
        weight: cases.pick(&[
            None,
            Some(f64::NAN),
            Some(f64::INFINITY),
            Some(70.0),
            Some(82.5),
            Some(1e308),
            Some(0.0),
        ]),
        height: cases.pick(&[
            None,
            Some(0.0),
            Some(-0.0),
            Some(1.75),
            Some(1.6),
            Some(1e-200),
        ]),
        day: cases.pick(&[
            None,
            Some(0),
            Some(19_782),
            Some(19_783),
            Some(-719_162),
            Some(2_932_896),
            Some(18_628),
        ]),
        ward: cases.pick(&[None, Some("surgery"), Some("medicine"), Some("7"), Some("")]),
    };
    (0..count).map(row).collect()
}

fn date(day: i32) -> String {
    let table =
        RecordBatch::try_from_iter([("d", Arc::new(Date32Array::from(vec![day])) as ArrayRef)])
            .unwrap();
    let text = Expression::parse("text(date(d))")
        .unwrap()
        .evaluate(&table)
        .unwrap();
    arrow_array::cast::AsArray::as_string::<i64>(&text)
        .value(0)
        .to_owned()
}

fn write_csv(path: &Path, rows: &[Row]) {
    let mut text = "extra,who,weight,height,day,ward\n".to_owned();
    for row in rows {
        let number = |x: Option<f64>| x.map_or(String::new(), |x| format!("{x:?}"));
        text += &format!(
            "x,{},{},{},{},{}\n",
            row.who,
            number(row.weight),
            number(row.height),
            row.day.map_or(String::new(), date),
            row.ward.unwrap_or_default()
        );
    }
    fs::write(path, text).unwrap();
}

fn write_parquet(path: &Path, rows: &[Row]) {
    let columns: [(&str, ArrayRef); 5] = [
        (
            "who",
            Arc::new(StringArray::from_iter_values(
                rows.iter().map(|r| r.who.to_string()),
            )),
        ),
        (
            "weight",
            Arc::new(Float64Array::from_iter(rows.iter().map(|r| r.weight))),
        ),
        (
            "height",
            Arc::new(Float64Array::from_iter(rows.iter().map(|r| r.height))),
        ),
        (
            "day",
            Arc::new(Date32Array::from_iter(rows.iter().map(|r| r.day))),
        ),
        (
            "ward",
            Arc::new(StringArray::from_iter(rows.iter().map(|r| r.ward))),
        ),
    ];
    let batch =
        RecordBatch::try_from_iter_with_nullable(columns.map(|(n, a)| (n, a, true))).unwrap();
    let mut writer =
        ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

fn source(path: &Path) -> Source {
    let format = match path.extension().is_some_and(|end| end == "csv") {
        true => FileFormat::Csv {
            delimiter: b',',
            quote: b'"',
            gzip: false,
        },
        false => FileFormat::Parquet,
    };
    Source::Files(Files {
        paths: vec![path.to_str().unwrap().into()],
        base: "/".into(),
        format,
    })
}

/// Rows and the body mass index by year, of units of at most two rows in two groups.
fn query(path: &Path, unit: bool) -> Query {
    let key = Key::Categories(Arc::new(Categories {
        column: "year".into(),
        names: ["1", "1970", "2021", "2024"].map(String::from).to_vec(),
        other: None,
    }));
    let bounds = Bounds::parse("0", "64").unwrap();
    let mut bmi = Numbers::new("bmi", bounds, -4, Missing::Drop).unwrap();
    bmi.fine = bmi.grid.clone();
    Query {
        source: source(path),
        derive: Derive::default(),
        unit: match unit {
            true => Unit::Column {
                name: "who".into(),
                most_rows: 2,
                most_groups: 2,
            },
            false => Unit::Row,
        },
        tables: vec![
            Table {
                scope: Default::default(),
                keys: vec![key],
                aggregates: vec![Aggregate::Rows, Aggregate::Sum(Arc::new(bmi))],
            },
            Table {
                scope: Default::default(),
                keys: vec![],
                aggregates: vec![Aggregate::Rows],
            },
        ],
        hash_key: [7; 32],
    }
}

fn derive() -> Derive {
    let parse = |text: &str| Expression::parse(text).unwrap();
    Derive {
        filter: Some(
            Expression::condition(
                "ward in ('surgery', 'medicine', 7) and (weight < 100 or number(weight) is null)",
            )
            .unwrap(),
        ),
        columns: vec![
            ("bmi".into(), parse("weight / (height * height)")),
            ("year".into(), parse("year(day)")),
        ],
        ..Derive::default()
    }
}

/// The same by hand.
fn kept(row: &Row) -> bool {
    let weight = row.weight.filter(|weight| !weight.is_nan());
    matches!(row.ward, Some("surgery" | "medicine" | "7"))
        && weight.is_none_or(|weight| weight < 100.0)
}

fn bmi(row: &Row) -> Option<f64> {
    let (weight, height) = (row.weight?, row.height?);
    Some(weight / (height * height)).filter(|bmi| bmi.is_finite())
}

fn year(row: &Row) -> Option<usize> {
    match row.day? {
        -719_162 => Some(0),
        0 => Some(1),
        18_628 => Some(2),
        19_782 | 19_783 => Some(3),
        _ => None,
    }
}

#[test]
fn the_answer_is_that_of_a_computation_by_hand_from_both_formats() {
    let directory = TempDir::new().unwrap();
    let mut cases = Cases(12);
    let rows = rows(&mut cases, 3000);
    let mut expected = [(0u64, 0u64, 0i64); 4];
    for row in rows.iter().filter(|row| kept(row)) {
        let Some(year) = year(row) else { continue };
        expected[year].0 += 1;
        if let Some(bmi) = bmi(row) {
            expected[year].1 += 1;
            // No index of these rows lies between two steps of 1/16, or is clamped.
            expected[year].2 += (bmi.clamp(0.0, 64.0) * 16.0).round() as i64;
        }
    }
    assert!(
        expected
            .iter()
            .all(|(rows, with, sum)| *rows > 20 && *with > 5 && *sum > 0)
    );
    for name in ["t.csv", "t.parquet"] {
        let path = directory.path().join(name);
        match name {
            "t.csv" => write_csv(&path, &rows),
            _ => write_parquet(&path, &rows),
        }
        for threads in [1, 3] {
            let options = Options {
                threads,
                ..Options::default()
            };
            let found = answer_derived(&query(&path, false), &derive(), &options).unwrap();
            // Rows read in all are those of the file.
            assert_eq!(found.rows, 3000);
            let groups: Vec<_> = found.tables[0]
                .iter()
                .map(|group| match &group.values[..] {
                    [Aggregated::Rows(rows), Aggregated::Sum { rows: with, sum }] => {
                        (*rows, *with, i64::try_from(sum.clone()).unwrap())
                    }
                    other => panic!("{other:?}"),
                })
                .collect();
            assert_eq!(groups, expected, "{name}");
            let all = rows.iter().filter(|row| kept(row)).count() as u64;
            assert_eq!(found.tables[1][0].values, [Aggregated::Rows(all)]);
        }
    }
}

#[test]
fn rows_that_a_filter_drops_are_as_if_they_were_not_there() {
    let directory = TempDir::new().unwrap();
    let mut cases = Cases(5);
    for round in 0..40 {
        let rows = rows(&mut cases, 60);
        let (all, left) = (
            directory.path().join("all.parquet"),
            directory.path().join("left.parquet"),
        );
        write_parquet(&all, &rows);
        let mut stay: Vec<Row> = rows.iter().filter(|row| kept(row)).cloned().collect();
        // In another order too.
        let middle = round % stay.len();
        stay.rotate_left(middle);
        write_parquet(&left, &stay);
        let found = answer_derived(&query(&all, true), &derive(), &Options::default()).unwrap();
        let expected = answer_derived(
            &query(&left, true),
            &Derive {
                filter: None,
                ..derive()
            },
            &Options::default(),
        )
        .unwrap();
        assert_eq!(found.tables, expected.tables);
    }
}

fn counts(answer: &Answer) -> Vec<i64> {
    let rows = answer.tables[0].iter().map(|group| match group.values[0] {
        Aggregated::Rows(rows) => rows as i64,
        _ => panic!(),
    });
    rows.collect()
}

#[test]
fn one_unit_moves_no_more_with_a_filter_and_derived_columns_than_without() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("near.csv");
    let mut cases = Cases(77);
    let mut most = 0;
    for _ in 0..60 {
        let rows = rows(&mut cases, 240);
        let who = cases.below(12);
        write_csv(&path, &rows);
        let with = answer_derived(&query(&path, true), &derive(), &Options::default()).unwrap();
        let others: Vec<Row> = rows.into_iter().filter(|row| row.who != who).collect();
        write_csv(&path, &others);
        let without = answer_derived(&query(&path, true), &derive(), &Options::default()).unwrap();
        let moves: Vec<i64> = counts(&with)
            .iter()
            .zip(counts(&without))
            .map(|(a, b)| a - b)
            .collect();
        // Two rows in each of two groups.
        assert!(
            moves.iter().all(|moved| (0..=2).contains(moved)),
            "{moves:?}"
        );
        assert!(
            moves.iter().filter(|moved| **moved > 0).count() <= 2,
            "{moves:?}"
        );
        most = most.max(moves.iter().sum());
    }
    assert_eq!(most, 4);
}

#[test]
fn nothing_changes_without_a_filter_and_derived_columns() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("t.csv");
    write_csv(&path, &rows(&mut Cases(1), 500));
    let mut plain = query(&path, true);
    plain.tables.remove(0);
    let options = Options::default();
    assert_eq!(
        answer_derived(&plain, &Derive::default(), &options).unwrap(),
        answer(&plain, &options).unwrap()
    );
}

#[test]
fn what_cannot_be_derived_is_refused() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("t.parquet");
    write_parquet(&path, &rows(&mut Cases(1), 20));
    let options = Options::default();
    let refused = |derive: Derive| {
        answer_derived(&query(&path, false), &derive, &options)
            .unwrap_err()
            .to_string()
    };
    let with = |name: &str, text: &str| {
        let mut derive = derive();
        derive
            .columns
            .push((name.into(), Expression::parse(text).unwrap()));
        derive
    };
    assert!(refused(with("bmi", "1")).contains("two derived columns are called `bmi`"));
    let mut unknown = derive();
    unknown.columns[0].1 = Expression::parse("wieght * 2").unwrap();
    assert!(refused(unknown).contains("did you mean `weight`?"));
    let mut wrong = derive();
    wrong.columns[1].1 = Expression::parse("year(weight)").unwrap();
    assert!(refused(wrong).contains("cannot be read as a date"));
    assert!(refused(Derive::default()).contains("no column `year`"));
}
