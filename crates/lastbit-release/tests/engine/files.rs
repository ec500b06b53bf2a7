//! Which files are read: each once, whatever it is called; none is left out in silence.
#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use super::common::query;
use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use lastbit_release::engine::query::{Aggregate, Query, Table};
use lastbit_release::engine::{EngineError, Options, answer, check, fingerprint};
use lastbit_release::plan::{FileFormat, Files, Source, Unit};
use parquet::arrow::ArrowWriter;
use tempfile::TempDir;

const CSV: FileFormat = FileFormat::Csv {
    delimiter: b',',
    quote: b'"',
    gzip: false,
};

fn asked(base: &Path, path: &str, format: FileFormat) -> Query {
    Query {
        source: Source::Files(Files {
            paths: vec![path.into()],
            base: base.to_owned(),
            format,
        }),
        tables: vec![Table {
            scope: Default::default(),
            keys: vec![],
            aggregates: vec![Aggregate::Rows],
        }],
        ..query(Unit::Row)
    }
}

fn rows(base: &Path, path: &str, format: FileFormat) -> Result<u64, EngineError> {
    let query = asked(base, path, format);
    answer(&query, &Options::default()).map(|answer| answer.rows)
}

fn write_parquet(path: &Path, rows: i64) {
    let column: ArrayRef = Arc::new((0..rows).collect::<Int64Array>());
    let batch = RecordBatch::try_from_iter([("x", column)]).unwrap();
    let file = fs::File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

#[test]
fn names_that_are_not_utf8_are_read() {
    let directory = TempDir::new().unwrap();
    let here = directory.path();
    fs::write(here.join("a.csv"), "x\n1\n").unwrap();
    fs::write(here.join(OsStr::from_bytes(b"b\xff\xfe.csv")), "x\n1\n2\n").unwrap();
    for path in ["*.csv", ".", "[!a]*.csv", "b??.csv", "**/*.csv"] {
        let expected = if path.starts_with(['[', 'b']) { 2 } else { 3 };
        assert_eq!(rows(here, path, CSV).unwrap(), expected, "{path}");
    }
}

#[test]
fn a_file_with_two_links_is_read_once() {
    let directory = TempDir::new().unwrap();
    let here = directory.path();
    fs::write(here.join("a.csv"), "x\n1\n2\n").unwrap();
    let print = || fingerprint(&asked(here, "*.csv", CSV).source).unwrap();
    let once = print();
    fs::hard_link(here.join("a.csv"), here.join("b.csv")).unwrap();
    symlink("a.csv", here.join("c.csv")).unwrap();
    assert_eq!(rows(here, "*.csv", CSV).unwrap(), 2);
    assert_eq!(rows(here, ".", CSV).unwrap(), 2);
    assert_eq!(print(), once);
    fs::copy(here.join("a.csv"), here.join("d.csv")).unwrap();
    assert_eq!(rows(here, "*.csv", CSV).unwrap(), 4);
}

#[test]
fn a_directory_named_as_a_file_is_a_table() {
    let directory = TempDir::new().unwrap();
    let here = directory.path();
    let part = here.join("day=1.parquet");
    fs::create_dir(&part).unwrap();
    write_parquet(&part.join("part-0.snappy.parquet"), 3);
    write_parquet(&part.join("part-1.snappy.parquet"), 4);
    fs::write(part.join("_SUCCESS"), "").unwrap();
    fs::write(part.join(".part-0.snappy.parquet.crc"), "x").unwrap();
    write_parquet(&here.join("day=2.parquet"), 5);
    fs::create_dir(here.join("notes")).unwrap();
    for path in ["*.parquet", "*", ".", "**/*.parquet"] {
        assert_eq!(rows(here, path, FileFormat::Parquet).unwrap(), 12, "{path}");
    }
    assert_eq!(rows(here, "day=1.parquet", FileFormat::Parquet).unwrap(), 7);
}

#[test]
fn links_in_a_circle_and_brackets_in_names_do_no_harm() {
    let directory = TempDir::new().unwrap();
    let here = directory.path().join("a[1]*");
    fs::create_dir_all(here.join("deep")).unwrap();
    fs::write(here.join("deep/a.csv"), "x\n1\n").unwrap();
    symlink("..", here.join("deep/up")).unwrap();
    for path in [".", "**/*.csv", "*/*.csv", "deep/*"] {
        assert_eq!(rows(&here, path, CSV).unwrap(), 1, "{path}");
    }
}

/// To open a pipe would wait for ever.
#[test]
fn what_is_no_regular_file_is_refused() {
    let directory = TempDir::new().unwrap();
    let here = directory.path();
    let made = Command::new("mkfifo").arg(here.join("pipe.csv")).status();
    assert!(made.unwrap().success());
    symlink("/dev/zero", here.join("zero.csv")).unwrap();
    for path in ["pipe.csv", "zero.csv", "pipe*", "."] {
        let message = rows(here, path, CSV).unwrap_err().to_string();
        assert!(message.contains("not a regular file"), "{message}");
        check(&asked(here, path, CSV)).unwrap_err();
        fingerprint(&asked(here, path, CSV).source).unwrap_err();
    }
}

#[test]
fn a_name_is_suggested_only_if_it_is_alike() {
    let directory = TempDir::new().unwrap();
    let here = directory.path();
    let error = |header: &str, column: &str| {
        fs::write(here.join("t.csv"), format!("{header}\n")).unwrap();
        let mut query = asked(here, "t.csv", CSV);
        query.unit = Unit::Column {
            name: column.into(),
            most_rows: 1,
            most_groups: 1,
        };
        answer(&query, &Options::default()).unwrap_err().to_string()
    };
    for (header, column) in [("w,y", "x"), ("id,to", "at"), ("sex", "age")] {
        let message = error(header, column);
        assert!(!message.contains("did you mean"), "{message}");
        assert!(message.contains("its columns are"), "{message}");
    }
    for (header, column) in [("Age,x", "age"), ("ages", "age"), ("regoin", "region")] {
        let message = error(header, column);
        assert!(message.contains("did you mean"), "{message}");
    }
    // A header of any length gives a short message.
    let message = error(&format!("a,{}", "b".repeat(1 << 20)), "person");
    assert!(message.len() < 1000, "{} bytes", message.len());
}

/// In a process of its own, whose temporary directory does not exist.
#[test]
fn a_missing_temporary_directory_is_named() {
    const NAME: &str = "engine::files::a_missing_temporary_directory_is_named";
    const MISSING: &str = "/does/not/exist";
    if std::env::temp_dir() == Path::new(MISSING) {
        let here = Path::new(env!("CARGO_TARGET_TMPDIR")).join(NAME);
        fs::create_dir_all(&here).unwrap();
        let rows: String = (0..20_000).map(|i| format!("{i}\n")).collect();
        fs::write(here.join("t.csv"), format!("person\n{rows}")).unwrap();
        let mut query = asked(&here, "t.csv", CSV);
        query.unit = Unit::Column {
            name: "person".into(),
            most_rows: 1,
            most_groups: 1,
        };
        let options = Options {
            threads: 1,
            memory: 1 << 12,
        };
        let message = answer(&query, &options).unwrap_err().to_string();
        assert!(message.contains(MISSING), "{message}");
        assert!(message.contains("TMPDIR"), "{message}");
        return;
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args([NAME, "--exact", "--nocapture"])
        .env("TMPDIR", MISSING)
        .output()
        .unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{message}");
    // And not for want of a test of that name.
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(printed.contains("1 passed"), "{printed}");
}
