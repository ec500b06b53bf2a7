//! Dates, times, codes and look-ups are the same in text and in the types of Parquet.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, Date32Array, Float64Array, Int64Array, RecordBatch, TimestampMicrosecondArray,
    TimestampMillisecondArray,
};
use lastbit_release::engine::query::{Aggregated, Answer};
use lastbit_release::engine::{Options, answer};
use lastbit_release::plan::Plan;
use lastbit_release::statistic::query;
use parquet::arrow::ArrowWriter;

fn plan(directory: &Path, file: &str) -> Plan {
    let text = format!(
        r#"
[source]
files = "{file}"
[[source.lookup]]
file = "places.csv"
key = "place"
columns = ["part"]
[[source.lookup]]
file = "parts.csv"
key = "part"
columns = ["side"]
[privacy]
neighbours = "add-remove"
[budget]
epsilon = 1
[columns.day]
date = true
lower = 2024-01-01
upper = 2024-12-31
every = "month"
[columns.at]
time = true
offset = "+02:00"
lower = 2024-01-01T00:00:00
upper = 2024-12-31T23:59:59
every = "week"
[columns.utc]
time = true
lower = 2024-01-01
upper = 2025-01-01
[columns.hour]
as = "hour(at_offset(at, '+02:00'))"
categories = "hours"
[columns.hours]
integer = true
lower = 0
upper = 60
missing_codes = [99]
[columns.side]
categories = ["left", "right"]
[[statistics]]
name = "days"
kind = "mean"
of = "day"
by = "day"
[[statistics]]
name = "times"
kind = "quantiles"
of = "at"
[[statistics]]
name = "weeks"
kind = "histogram"
of = "at"
[[statistics]]
name = "utc"
kind = "variance"
of = "utc"
[[statistics]]
name = "hours of the day"
kind = "count"
by = "hour"
[[statistics]]
name = "hours"
kind = "sum"
of = "hours"
by = "side"
where = "hours >= 3 or day >= date '2024-06-01'"
"#
    );
    Plan::parse_in(&text, directory).unwrap()
}

fn answered(directory: &Path, file: &str) -> Answer {
    let (query, _) = query(&plan(directory, file), [1; 32]);
    answer(&query, &Options::default()).unwrap()
}

type Row = (Option<i32>, Option<i64>, Option<i64>, f64);

/// Days, microseconds, hours, and a place, each now and then missing or out of bounds.
fn rows() -> Vec<Row> {
    (0..500i64)
        .map(|row| {
            let day = (row % 11 != 0).then_some(19_700 + (row * 37 % 500) as i32);
            let seconds = 1_700_000_000 + row * 86_399;
            let time = (row % 7 != 0).then_some(seconds * 1_000_000 + (row % 3) * 500_000);
            let hours = (row % 13 != 0).then_some(if row % 5 == 0 { 99 } else { row % 70 });
            (day, time, hours, (row % 6) as f64)
        })
        .collect()
}

/// A time as ISO 8601 says, by the calendar of another hand: day by day.
fn written(time: i64) -> String {
    let (day, rest) = (
        time.div_euclid(86_400_000_000),
        time.rem_euclid(86_400_000_000),
    );
    let (second, micros) = (rest / 1_000_000, rest % 1_000_000);
    let clock = format!(
        "{:02}:{:02}:{:02}",
        second / 3600,
        second / 60 % 60,
        second % 60
    );
    format!("{}T{clock}.{micros:06}Z", written_day(day as i32))
}

fn written_day(day: i32) -> String {
    let (mut year, mut month, mut left) = (1970, 1, day);
    loop {
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let length = match month {
            2 => 28 + i32::from(leap),
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        if left < length {
            return format!("{year:04}-{month:02}-{:02}", left + 1);
        }
        left -= length;
        (year, month) = if month == 12 {
            (year + 1, 1)
        } else {
            (year, month + 1)
        };
    }
}

#[test]
fn parquet_and_text_say_the_same() {
    let directory = tempfile::TempDir::new().unwrap();
    let path = directory.path();
    fs::write(
        path.join("places.csv"),
        "place,part\n0,a\n1,b\n2.0,a\n3,\n4,c\n",
    )
    .unwrap();
    fs::write(path.join("parts.csv"), "part,side\na,left\nb,right\n").unwrap();
    let rows = rows();
    let mut csv = String::from("day,at,utc,hours,place\n");
    let mut json = String::new();
    for (day, time, hours, place) in &rows {
        let day = day.map(written_day).unwrap_or_default();
        let time = time.map(written).unwrap_or_default();
        let hours = hours.map(|hours| hours.to_string()).unwrap_or_default();
        csv += &format!("{day},{time},{time},{hours},{place}\n");
        json += &format!(
            "{{\"day\": \"{day}\", \"at\": \"{time}\", \"utc\": \"{time}\", \"hours\": \
             \"{hours}.0\", \"place\": {place}}}\n"
        )
        .replace("\".0\"", "null");
    }
    fs::write(path.join("rows.csv"), csv).unwrap();
    fs::write(path.join("rows.json"), json).unwrap();
    let columns: Vec<(&str, ArrayRef)> = vec![
        (
            "day",
            Arc::new(Date32Array::from_iter(rows.iter().map(|row| row.0))),
        ),
        (
            "at",
            Arc::new(TimestampMicrosecondArray::from_iter(
                rows.iter().map(|row| row.1),
            )),
        ),
        (
            "utc",
            Arc::new(
                TimestampMillisecondArray::from_iter(
                    rows.iter().map(|row| row.1.map(|t| t / 1000)),
                )
                .with_timezone("UTC"),
            ),
        ),
        (
            "hours",
            Arc::new(Int64Array::from_iter(rows.iter().map(|row| row.2))),
        ),
        (
            "place",
            Arc::new(Float64Array::from_iter(rows.iter().map(|row| Some(row.3)))),
        ),
    ];
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns
            .into_iter()
            .map(|(name, column)| (name, column, true)),
    )
    .unwrap();
    let file = File::create(path.join("rows.parquet")).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let text = answered(path, "rows.csv");
    assert_eq!(answered(path, "rows.json"), text);
    assert_eq!(answered(path, "rows.parquet"), text);
    // Something is in every table.
    for (table, groups) in text.tables.iter().enumerate() {
        assert!(
            groups
                .iter()
                .any(|group| !format!("{:?}", group.values).contains("Rows(0)")),
            "{table}"
        );
    }
}

#[test]
fn the_last_day_is_counted_as_itself() {
    let directory = tempfile::TempDir::new().unwrap();
    let days = [("29", 100), ("30", 200), ("31", 1000)];
    let mut table = "day\n".to_owned();
    for (day, rows) in days {
        table += &format!("2018-05-{day}\n").repeat(rows);
    }
    // What is above the upper bound counts as it.
    table += &"2018-06-01\n".repeat(50);
    fs::write(directory.path().join("days.csv"), table).unwrap();
    let text = "[source]\nfiles = \"days.csv\"\n\
        [privacy]\nneighbours = \"add-remove\"\n\
        [budget]\nepsilon = 1\n\
        [columns.day]\ndate = true\nlower = 2018-05-29\nupper = 2018-05-31\nevery = \"day\"\n\
        [[statistics]]\nname = \"days\"\nkind = \"histogram\"\nof = \"day\"";
    let plan = Plan::parse_in(text, directory.path()).unwrap();
    let (query, slots) = query(&plan, [1; 32]);
    let answer = answer(&query, &Options::default()).unwrap();
    let group = &answer.tables[slots[0].table][0];
    let counts = Aggregated::Counts(vec![100, 200, 1050]);
    assert_eq!(group.values[slots[0].values[0]], counts);
}
