//! Bad input: one clear message with the remedy.

use std::fs::{self, File};
use std::io::Write;
use std::sync::Arc;

use super::common::{age, ages_at, numbers, query, regions};
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, Int64Array, ListArray, RecordBatch, StringArray};
use lastbit_release::engine::query::{Aggregate, Aggregated, Answer, Key, Query, Table};
use lastbit_release::engine::{EngineError, Options, answer, check};
use lastbit_release::plan::{Categories, FileFormat, Files, Missing, Source, Unit};
use parquet::arrow::ArrowWriter;
use tempfile::TempDir;

const CSV: FileFormat = FileFormat::Csv {
    delimiter: b',',
    quote: b'"',
    gzip: false,
};
const JSON: FileFormat = FileFormat::Json { gzip: false };

/// Rows and ages.
fn ask(directory: &TempDir, path: &str, format: FileFormat) -> Result<Answer, EngineError> {
    answer(
        &ages(directory, path, format),
        &Options {
            threads: 2,
            memory: 1 << 24,
        },
    )
}

fn ages(directory: &TempDir, path: &str, format: FileFormat) -> Query {
    Query {
        source: Source::Files(Files {
            paths: vec![path.into()],
            base: directory.path().to_owned(),
            format,
        }),
        tables: vec![Table {
            scope: Default::default(),
            keys: vec![],
            aggregates: vec![Aggregate::Rows, Aggregate::Moments(age(Missing::Drop))],
        }],
        ..query(Unit::Row)
    }
}

fn of_text(text: impl AsRef<[u8]>, format: FileFormat) -> Result<Answer, EngineError> {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("t"), text).unwrap();
    ask(&directory, "t", format)
}

#[track_caller]
fn assert_says(result: Result<Answer, EngineError>, words: &[&str]) {
    let message = result.unwrap_err().to_string();
    for word in words {
        assert!(message.contains(word), "`{message}` does not say `{word}`");
    }
}

fn rows(answer: &Answer) -> (u64, u64) {
    match &answer.tables[0][0].values[..] {
        [Aggregated::Rows(all), Aggregated::Moments { rows, .. }] => (*all, *rows),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_missing_file_is_named() {
    let directory = TempDir::new().unwrap();
    fs::create_dir(directory.path().join("empty")).unwrap();
    assert_says(
        ask(&directory, "no.csv", CSV),
        &["no.csv", "check the path"],
    );
    assert_says(ask(&directory, "*.csv", CSV), &["*.csv"]);
    assert_says(ask(&directory, "a[.csv", CSV), &["a[.csv", "glob"]);
    assert_says(
        ask(&directory, "empty", FileFormat::Parquet),
        &["holds no .parquet file"],
    );
}

#[test]
fn a_wrong_column_is_named_with_the_nearest_one() {
    assert_says(
        of_text("Age,x\n1,2\n", CSV),
        &["no column `age`", "did you mean `Age`"],
    );
    assert_says(
        of_text("height,x\n1,2\n", CSV),
        &["no column `age`", "`height`, `x`"],
    );
    assert_says(
        of_text("age,x,age\n1,2,3\n", CSV),
        &["more than one column `age`"],
    );
    assert!(of_text("{\"agee\": 1}\n", JSON).is_ok());
}

#[test]
fn a_ragged_line_is_numbered() {
    assert_says(
        of_text("age,x\n1,2\n3\n4,5\n", CSV),
        &["line 3", "1 cells", "header has 2"],
    );
    assert_says(
        of_text("age,x\n1,2\n3,4,5\n", CSV),
        &["line 3", "2", "delimiter"],
    );
    // Also in a file that is read in pieces.
    let mut text = "age,x\n".to_owned() + &"12,a cell of some length\n".repeat(200_000);
    text += "13\n";
    assert_says(of_text(text, CSV), &["line 200002"]);
}

#[test]
fn text_that_is_not_utf8_is_refused() {
    assert_says(
        of_text(b"age,x\n1,2\n3,caf\xe9\n", CSV),
        &["not UTF-8", "line 3", "iconv"],
    );
    assert_says(of_text(b"\xff\xfea\0g\0", CSV), &["is UTF-16", "iconv"]);
    assert!(of_text(b"{\"age\": \"\xe9\"}\n", JSON).is_err());
}

#[test]
fn a_row_without_end_is_refused_before_it_fills_memory() {
    let long = "1".repeat(20 << 20);
    assert_says(
        of_text(format!("age,x\n1,2\n3,{long}\n"), CSV),
        &["more than 16 MiB", "quote"],
    );
    assert_says(
        of_text(format!("age,x\n1,\"{}", "a\n".repeat(10 << 20)), CSV),
        &["more than 16 MiB"],
    );
    assert_says(
        of_text(format!("{{\"age\": \"{long}\"}}\n"), JSON),
        &["more than 16 MiB"],
    );
    assert!(of_text(long, CSV).is_err());
}

/// A cell that is never closed would hold all rows after it: one person's text would move a count
/// by all of them.
#[test]
fn a_quote_that_is_open_at_the_end_is_refused() {
    let rows = "5,6\n".repeat(999);
    for open in ["\"", "\"a", "\"a\"\"", "\"a,b\r\n"] {
        let text = format!("x,age\n1,2\n3,{open}\n{rows}");
        assert_says(of_text(&text, CSV), &["line 3", "never closed"]);
        assert_says(of_text(text.trim_end(), CSV), &["line 3", "never closed"]);
    }
    assert_says(of_text("x,age\n1,\"", CSV), &["line 2", "never closed"]);
    assert_says(of_text("x,\"age\n1,2\n", CSV), &["line 1", "never closed"]);
    for closed in [
        "x,age\n1,\"2\"",
        "x,age\n1,\"2\"\n",
        "x,age\r\n1,\"2\"\r\n\r\n",
    ] {
        assert_eq!(rows_of(closed), (1, 1));
    }
    // A quote inside of a cell is a letter.
    assert_eq!(rows_of("x,age\n5\",2\n"), (1, 1));
}

fn rows_of(text: &str) -> (u64, u64) {
    rows(&of_text(text, CSV).unwrap())
}

#[test]
fn lines_are_numbered_as_an_editor_does() {
    let text = "x,age\n\n\"a\nb\",2\r\n\n\n1,2,3\n";
    assert_says(of_text(text, CSV), &["line 7"]);
    assert_says(of_text("x,age\n\n\n1\n", CSV), &["line 4", "1 cells"]);
    let lines = "1,2\n".repeat(900_000);
    assert_says(
        of_text(format!("x,age\n{lines}1,2,3\n"), CSV),
        &["line 900002"],
    );
    assert_says(
        of_text("{\"age\": 1}\n\n{\"age\": 1, \"age\": 2}\n", JSON),
        &["line 3"],
    );
}

#[test]
fn cells_that_are_no_numbers_are_missing() {
    let answer = of_text("age,x\nold,1\n17,2\n,3\nNaN,4\n\"1,5\",5\n18,6\n", CSV).unwrap();
    assert_eq!(rows(&answer), (6, 2));
    let answer = of_text(
        "{\"age\": [1]}\n{\"age\": {\"y\": 1}}\n{\"age\": 3}\n{}\n{\"age\": \"4\"}\n",
        JSON,
    );
    assert_eq!(rows(&answer.unwrap()), (5, 2));
}

#[test]
fn empty_tables_have_no_rows_and_empty_files_are_refused() {
    assert_says(of_text("", CSV), &["is empty", "names of its columns"]);
    assert_eq!(rows(&of_text("age,x\n", CSV).unwrap()), (0, 0));
    assert_eq!(rows(&of_text("", JSON).unwrap()), (0, 0));
    assert_eq!(rows(&of_text("age,x\n5,6", CSV).unwrap()), (1, 1));
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("t"), "age,x\n").unwrap();
    check(&ages(&directory, "t", CSV)).unwrap();
}

#[test]
fn json_that_is_none_is_refused() {
    assert_says(
        of_text("{\"age\": 1}\n[2]\n", JSON),
        &["one JSON object a line", "line 2"],
    );
    let late = "{\"age\": 1}\n".repeat(2000) + "{\"age\": ";
    assert_says(of_text(late, JSON), &["JSON"]);
}

#[test]
fn parquet_of_the_wrong_schema_is_refused() {
    assert_says(of_text("age,x\n1,2\n", FileFormat::Parquet), &["Parquet"]);
    let directory = TempDir::new().unwrap();
    let write = |name: &str, column: &str, array: ArrayRef| {
        let batch = RecordBatch::try_from_iter([(column, array)]).unwrap();
        let file = File::create(directory.path().join(name)).unwrap();
        let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
    };
    let lists = ListArray::from_iter_primitive::<Int64Type, _, _>([Some([Some(1)])]);
    write("list.parquet", "age", Arc::new(lists));
    write("a.parquet", "age", Arc::new(Int64Array::from(vec![1])));
    write("b.parquet", "age", Arc::new(StringArray::from(vec!["x"])));
    write("ages.parquet", "ages", Arc::new(Int64Array::from(vec![1])));
    let ask = |path: &str| ask(&directory, path, FileFormat::Parquet);
    assert_says(ask("list.parquet"), &["`age`", "List", "a number"]);
    assert_says(
        ask("[ab].parquet"),
        &["`age`", "Int64", "Utf8", "one schema"],
    );
    assert_says(ask("a*.parquet"), &["ages.parquet", "no column `age`"]);
    assert_says(ask("ages.parquet"), &["did you mean `ages`"]);
    for path in ["list.parquet", "[ab].parquet", "ages.parquet"] {
        let error = check(&ages(&directory, path, FileFormat::Parquet)).unwrap_err();
        assert_eq!(error.to_string(), ask(path).unwrap_err().to_string());
    }
    check(&ages(&directory, "a.parquet", FileFormat::Parquet)).unwrap();
    let mut bytes = fs::read(directory.path().join("a.parquet")).unwrap();
    bytes.truncate(bytes.len() - 9);
    File::create(directory.path().join("cut.parquet"))
        .unwrap()
        .write_all(&bytes)
        .unwrap();
    assert_says(ask("cut.parquet"), &["Parquet"]);
}

#[test]
fn queries_that_no_data_could_answer_are_refused() {
    let asked = |aggregate: Aggregate, keys: Vec<Key>| {
        let query = Query {
            tables: vec![Table {
                scope: Default::default(),
                keys,
                aggregates: vec![aggregate],
            }],
            ..query(Unit::Row)
        };
        answer(&query, &Options::default())
    };
    let fine = numbers("age", ("0", "100"), -40, Missing::Drop);
    assert_says(
        asked(Aggregate::Moments(fine), vec![]),
        &["`age`", "coarser"],
    );
    assert_says(
        asked(Aggregate::Bins(ages_at(&[0, 60, 50, 100])), vec![]),
        &["`age`", "increase"],
    );
    let keys = vec![Key::Bins(ages_at(&(0..=100).collect::<Vec<_>>())); 4];
    assert_says(asked(Aggregate::Rows, keys), &["2^24 groups"]);
    let mut twice = Categories::clone(&regions(None));
    twice.names.push("north".into());
    assert_says(
        asked(Aggregate::Categories(Arc::new(twice)), vec![]),
        &["`north` twice"],
    );
    assert_says(
        asked(Aggregate::Categories(regions(Some(3))), vec![]),
        &["`other`"],
    );
}

#[test]
fn rows_are_counted_when_no_column_is_asked_for() {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("t.csv"), "age,x\n1,2\n,\n3,4\n").unwrap();
    fs::write(
        directory.path().join("t.jsonl"),
        "{\"age\": 1}\n{}\n{\"x\": 2}\n",
    )
    .unwrap();
    let batch = RecordBatch::try_from_iter([(
        "age",
        Arc::new(Int64Array::from(vec![1, 2, 3])) as ArrayRef,
    )])
    .unwrap();
    let file = File::create(directory.path().join("t.parquet")).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    for (path, format) in [
        ("t.csv", CSV),
        ("t.jsonl", JSON),
        ("t.parquet", FileFormat::Parquet),
    ] {
        let query = Query {
            source: Source::Files(Files {
                paths: vec![path.into()],
                base: directory.path().to_owned(),
                format,
            }),
            tables: vec![Table {
                scope: Default::default(),
                keys: vec![],
                aggregates: vec![Aggregate::Rows],
            }],
            ..query(Unit::Row)
        };
        let answer = answer(&query, &Options::default()).unwrap();
        assert_eq!(answer.rows, 3, "{path}");
        assert_eq!(answer.tables[0][0].values, [Aggregated::Rows(3)], "{path}");
    }
}
