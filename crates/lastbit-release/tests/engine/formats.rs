//! The same rows give the same integers from every format, split and number of threads.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use super::common::{Cases, Row, batches, by_person, numbers, query, rows};
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Int64Array, RecordBatch,
    StringArray, StringViewArray,
};
use flate2::Compression;
use flate2::write::GzEncoder;
use lastbit_exact::Integer;
use lastbit_release::engine::query::{Aggregate, Aggregated, Answer, Query, Table};
use lastbit_release::engine::{Options, answer, answer_batches, fingerprint};
use lastbit_release::plan::{FileFormat, Files, Missing, Source, Unit};
use parquet::arrow::ArrowWriter;
use tempfile::TempDir;

fn csv(rows: &[Row]) -> String {
    let mut text = String::from("note,person,region,cost,age\n");
    for row in rows {
        let cell = |text: &Option<String>| match text.as_deref() {
            None => String::new(),
            Some(text) if text.contains(['"', ',', '\n']) => {
                format!("\"{}\"", text.replace('"', "\"\""))
            }
            Some(text) => text.to_owned(),
        };
        let cost = row.cost.map_or(String::new(), |cost| cost.to_string());
        text += &format!(
            "x,{},{},{cost},{}\n",
            cell(&row.person),
            cell(&row.region),
            cell(&row.age)
        );
    }
    text
}

fn json(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows {
        let mut object = serde_json::Map::new();
        if let Some(person) = &row.person {
            let whole = person
                .parse::<i64>()
                .ok()
                .filter(|n| n.to_string() == *person);
            object.insert(
                "person".into(),
                whole.map_or(person.clone().into(), Into::into),
            );
        }
        object.insert("region".into(), row.region.clone().into());
        object.insert(
            "cost".into(),
            match row.cost {
                Some(cost) if cost.is_finite() => cost.into(),
                other => other.map(|cost| cost.to_string()).into(),
            },
        );
        object.insert("age".into(), row.age.clone().into());
        text += &serde_json::Value::from(object).to_string();
        text.push('\n');
    }
    text
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn parquet(path: &Path, batches: &[RecordBatch]) {
    let mut writer =
        ArrowWriter::try_new(File::create(path).unwrap(), batches[0].schema(), None).unwrap();
    batches
        .iter()
        .for_each(|batch| writer.write(batch).unwrap());
    writer.close().unwrap();
}

fn source(directory: &TempDir, path: &str, format: FileFormat) -> Source {
    Source::Files(Files {
        paths: vec![path.into()],
        base: directory.path().to_owned(),
        format,
    })
}

fn plain_csv() -> FileFormat {
    FileFormat::Csv {
        delimiter: b',',
        quote: b'"',
        gzip: false,
    }
}

fn run(query: &Query, source: Source, threads: usize) -> Answer {
    let options = Options {
        threads,
        memory: 1 << 26,
    };
    let query = Query {
        source,
        ..query.clone()
    };
    answer(&query, &options).unwrap()
}

#[test]
fn every_format_split_and_number_of_threads_gives_the_same_integers() {
    let mut cases = Cases(6);
    let mut table = rows(&mut cases, 0);
    while table.len() < 400 {
        table.extend(rows(&mut cases, 60));
    }
    table[3].region = Some("a,\"b\"\nc".into());
    let directory = TempDir::new().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(directory.path().join(name), bytes).unwrap();
    write("all.csv", csv(&table).as_bytes());
    write("all.csv.gz", &gzip(&csv(&table)));
    write(
        "all.tsv",
        csv(&table)
            .replace(',', "\t")
            .replace("a\t", "a,")
            .as_bytes(),
    );
    write(
        "crlf.csv",
        csv(&table)
            .replace('\n', "\r\n")
            .replace("\r\nc", "\nc")
            .as_bytes(),
    );
    write(
        "mark.csv",
        &[b"\xef\xbb\xbf", csv(&table).as_bytes()].concat(),
    );
    write("all.jsonl", json(&table).as_bytes());
    write("all.jsonl.gz", &gzip(&json(&table)));
    parquet(&directory.path().join("all.parquet"), &batches(&table, 64));
    fs::create_dir(directory.path().join("parts")).unwrap();
    for (index, part) in table.chunks(90).enumerate() {
        let name = format!("parts/{}", 9 - index);
        parquet(
            &directory.path().join(format!("{name}.parquet")),
            &batches(part, 50),
        );
        write(&format!("{name}.csv"), csv(part).as_bytes());
    }
    write("parts/_SUCCESS", b"");
    let gz = |format: FileFormat| match format {
        FileFormat::Csv {
            delimiter, quote, ..
        } => FileFormat::Csv {
            delimiter,
            quote,
            gzip: true,
        },
        _ => FileFormat::Json { gzip: true },
    };
    let tabs = FileFormat::Csv {
        delimiter: b'\t',
        quote: b'"',
        gzip: false,
    };
    let json = FileFormat::Json { gzip: false };
    for unit in [Unit::Row, by_person(2, 2)] {
        let query = query(unit);
        let expected = answer_batches(&query, &batches(&table, 1000), &Options::default()).unwrap();
        for (path, format) in [
            ("all.csv", plain_csv()),
            ("all.csv.gz", gz(plain_csv())),
            ("all.tsv", tabs.clone()),
            ("crlf.csv", plain_csv()),
            ("mark.csv", plain_csv()),
            ("all.jsonl", json.clone()),
            ("all.jsonl.gz", gz(json.clone())),
            ("all.parquet", FileFormat::Parquet),
            ("parts", plain_csv()),
            ("parts/*.parquet", FileFormat::Parquet),
            ("parts", FileFormat::Parquet),
        ] {
            for threads in [1, 2, 7] {
                let found = run(&query, source(&directory, path, format.clone()), threads);
                assert_eq!(found, expected, "{path} by {threads} threads");
            }
        }
    }
}

#[test]
fn a_file_read_in_pieces_has_every_row_once() {
    let directory = TempDir::new().unwrap();
    let rows = 150_000u64;
    let mut csv = String::from("person,region,cost,age\n");
    let mut json = String::new();
    for i in 0..rows {
        let (person, age) = (i % 1000, i % 97);
        csv += &format!("{person},north,{},{age}\n", (i % 40) as f64 / 4.0);
        json += &format!(
            "{{\"person\":{person},\"region\":\"north\",\"cost\":{},\"age\":{age}}}\n",
            (i % 40) as f64 / 4.0
        );
    }
    fs::write(directory.path().join("big.csv"), &csv).unwrap();
    fs::write(directory.path().join("big.jsonl"), &json).unwrap();
    let query = query(Unit::Row);
    let one = run(&query, source(&directory, "big.csv", plain_csv()), 1);
    assert_eq!(one.rows, rows);
    assert_eq!(
        one,
        run(&query, source(&directory, "big.csv", plain_csv()), 3)
    );
    let json = FileFormat::Json { gzip: false };
    assert_eq!(one, run(&query, source(&directory, "big.jsonl", json), 3));
}

#[test]
fn every_type_of_parquet_is_read_as_the_same_numbers_as_its_text() {
    let directory = TempDir::new().unwrap();
    let big = (1i64 << 53) + 1;
    let decimal = Decimal128Array::from(vec![Some(110), Some(-225), None])
        .with_precision_and_scale(10, 2)
        .unwrap();
    let names: DictionaryArray<Int32Type> = vec!["1", "x", "4"].into_iter().collect();
    let columns: Vec<(&str, ArrayRef, [&str; 3])> = vec![
        (
            "whole",
            Arc::new(Int64Array::from(vec![Some(big), None, Some(-3)])),
            ["9007199254740993", "", "-3"],
        ),
        ("decimal", Arc::new(decimal), ["1.10", "-2.25", ""]),
        (
            "flag",
            Arc::new(BooleanArray::from(vec![true, false, true])),
            ["true", "false", "1"],
        ),
        (
            "day",
            Arc::new(Date32Array::from(vec![0, 19_000, -1])),
            ["0", "19000", "-1"],
        ),
        (
            "words",
            Arc::new(StringViewArray::from(vec![
                Some("12.5"),
                Some("twelve"),
                None,
            ])),
            ["12.5", "nan", ""],
        ),
        ("named", Arc::new(names), ["1", "x", "4"]),
        (
            "text",
            Arc::new(StringArray::from(vec!["1e3", "+4", " 5"])),
            ["1000", "4", "5"],
        ),
    ];
    let batch =
        RecordBatch::try_from_iter(columns.iter().map(|c| (c.0, Arc::clone(&c.1)))).unwrap();
    parquet(&directory.path().join("t.parquet"), &[batch]);
    let mut csv = columns
        .iter()
        .map(|column| column.0)
        .collect::<Vec<_>>()
        .join(",");
    for row in 0..3 {
        let cells: Vec<&str> = columns.iter().map(|column| column.2[row]).collect();
        csv += &format!("\n{}", cells.join(","));
    }
    fs::write(directory.path().join("t.csv"), csv).unwrap();
    let numeric = |name: &str| numbers(name, ("-1e16", "1e16"), 15, Missing::Drop);
    let fine = |name: &str| numbers(name, ("-100", "30000"), -20, Missing::Drop);
    let moments = columns
        .iter()
        .flat_map(|column| [numeric(column.0), fine(column.0)]);
    let query = Query {
        tables: vec![Table {
            scope: Default::default(),
            keys: vec![],
            aggregates: moments.map(Aggregate::Moments).collect(),
        }],
        ..query(Unit::Row)
    };
    let text = run(&query, source(&directory, "t.csv", plain_csv()), 2);
    let typed = run(
        &query,
        source(&directory, "t.parquet", FileFormat::Parquet),
        2,
    );
    assert_eq!(text, typed);
    // The decimals −2.25 and 1.1 in steps of 2^-20 above −100.
    let steps = |x: f64| Integer::from(((x + 100.0) * 2f64.powi(20) + 0.5).floor() as i64);
    let Aggregated::Moments { rows, sum, .. } = &typed.tables[0][0].values[3] else {
        panic!("the third column's moments");
    };
    assert_eq!((*rows, sum), (2, &(steps(1.1) + steps(-2.25))));
}

/// A row that is read twice would move sums by twice the sensitivity.
#[cfg(unix)]
#[test]
fn a_file_with_several_names_is_read_once() {
    let directory = TempDir::new().unwrap();
    fs::create_dir(directory.path().join("old")).unwrap();
    fs::write(directory.path().join("a.csv"), "x\n1\n").unwrap();
    let print = |paths: &[&str]| {
        fingerprint(&Source::Files(Files {
            paths: paths.iter().map(|path| (*path).to_owned()).collect(),
            base: directory.path().to_owned(),
            format: plain_csv(),
        }))
        .unwrap()
    };
    let once = print(&["a.csv"]);
    assert_eq!(once, print(&["a.csv", "./a.csv", "old/../a.csv"]));
    std::os::unix::fs::symlink("a.csv", directory.path().join("latest.csv")).unwrap();
    assert_eq!(once, print(&["*.csv"]));
    assert_eq!(once, print(&["."]));
    fs::write(directory.path().join("b.csv"), "x\n1\n").unwrap();
    assert_ne!(
        once,
        print(&["*.csv"]),
        "equal bytes in two files are two files"
    );
}

#[test]
fn a_fingerprint_is_of_the_bytes_and_not_of_the_names() {
    let directory = TempDir::new().unwrap();
    for (name, text) in [
        ("a.csv", "x\n1\n"),
        ("b.csv", "x\n2\n"),
        ("c.csv", "x\n1\n"),
    ] {
        fs::write(directory.path().join(name), text).unwrap();
    }
    let print = |path: &str| fingerprint(&source(&directory, path, plain_csv())).unwrap();
    assert_eq!(print("a.csv"), print("c.csv"));
    assert_ne!(print("a.csv"), print("b.csv"));
    assert_eq!(print("."), print("*.csv"));
    assert_ne!(
        print("[ab].csv"),
        print("[bc].csv"),
        "the order of files counts"
    );
    assert_eq!(print("a.csv").len(), 64);
}
