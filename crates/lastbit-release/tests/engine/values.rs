//! Every value comes from where it is written: nothing that a Parquet file says about its values
//! stands in for them.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use super::common::{numbers, query};
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use lastbit_release::engine::query::{Aggregate, Aggregated, Answer, Key, Query, Table};
use lastbit_release::engine::{Options, answer};
use lastbit_release::plan::{Categories, FileFormat, Files, Missing, Numbers, Source, Unit};
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::arrow::{ArrowWriter, encode_arrow_schema};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use tempfile::TempDir;

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, a)| (n, a, true)))
        .unwrap()
}

fn write(path: &Path, batches: &[RecordBatch], properties: WriterProperties) {
    let file = File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batches[0].schema(), Some(properties)).unwrap();
    for batch in batches {
        writer.write(batch).unwrap();
        writer.flush().unwrap();
    }
    writer.close().unwrap();
}

fn x() -> Arc<Numbers> {
    numbers("x", ("0", "10"), 0, Missing::Drop)
}

fn ask(directory: &TempDir, path: &str, unit: Unit, table: Table) -> Answer {
    let format = match path.ends_with(".csv") {
        true => FileFormat::Csv {
            delimiter: b',',
            quote: b'"',
            gzip: false,
        },
        false => FileFormat::Parquet,
    };
    let query = Query {
        source: Source::Files(Files {
            paths: vec![path.into()],
            base: directory.path().to_owned(),
            format,
        }),
        tables: vec![table],
        ..query(unit)
    };
    answer(&query, &Options::default()).unwrap()
}

fn moments() -> Table {
    Table {
        scope: Default::default(),
        keys: vec![],
        aggregates: vec![Aggregate::Rows, Aggregate::Moments(x())],
    }
}

/// Statistics of a column of one number and many NaN say that all values are that number.
#[test]
fn nan_is_missing_whatever_the_statistics_say() {
    for version in [false, true] {
        let directory = TempDir::new().unwrap();
        let mut numbers = vec![7.0];
        numbers.resize(1000, f64::NAN);
        for more in [None, Some(8.0)] {
            numbers.extend(more);
            let column: ArrayRef = Arc::new(Float64Array::from(numbers.clone()));
            let statistics = match version {
                true => EnabledStatistics::Chunk,
                false => EnabledStatistics::Page,
            };
            let properties = WriterProperties::builder().set_statistics_enabled(statistics);
            let path = directory.path().join("t.parquet");
            write(&path, &[batch(vec![("x", column)])], properties.build());
            let csv: String = numbers.iter().map(|x| format!("{x}\n")).collect();
            fs::write(directory.path().join("t.csv"), format!("x\n{csv}")).unwrap();
            let found = ask(&directory, "t.parquet", Unit::Row, moments());
            assert_eq!(found, ask(&directory, "t.csv", Unit::Row, moments()));
            let sum = 7 + more.map_or(0, |_| 8);
            let Aggregated::Moments {
                rows, sum: found, ..
            } = &found.tables[0][0].values[1]
            else {
                panic!("moments");
            };
            assert_eq!((*rows, found), (1 + u64::from(more.is_some()), &sum.into()));
        }
    }
}

/// A file of two row groups of which only the first has statistics: 50 times "a", then 50 long
/// texts, all different.
fn half_described(directory: &TempDir) {
    let long: Vec<String> = (0..50).map(|i| format!("{i:05000}")).collect();
    let text = |texts: Vec<&str>| -> ArrayRef { Arc::new(StringArray::from(texts)) };
    let parts = [
        ("with", text(vec!["a"; 50]), EnabledStatistics::Chunk),
        (
            "without",
            text(long.iter().map(String::as_str).collect()),
            EnabledStatistics::None,
        ),
    ];
    let mut schema = None;
    let mut chunks = Vec::new();
    for (name, column, statistics) in parts {
        let path = directory.path().join(name);
        let batch = batch(vec![("who", Arc::clone(&column)), ("key", column)]);
        let properties = WriterProperties::builder().set_statistics_enabled(statistics);
        write(&path, &[batch], properties.build());
        let file = File::open(&path).unwrap();
        let metadata = parquet::file::metadata::ParquetMetaDataReader::new()
            .parse_and_finish(&file)
            .unwrap();
        let root = metadata.file_metadata().schema_descr().root_schema_ptr();
        schema.get_or_insert(root);
        chunks.push((file, metadata.row_group(0).clone()));
    }
    let out = File::create(directory.path().join("t.parquet")).unwrap();
    let mut writer = parquet::file::writer::SerializedFileWriter::new(
        out,
        schema.unwrap(),
        Arc::new(WriterProperties::default()),
    )
    .unwrap();
    for (file, group) in chunks {
        let mut to = writer.next_row_group().unwrap();
        for column in group.columns() {
            let close = parquet::column::writer::ColumnCloseResult {
                bytes_written: column.compressed_size() as u64,
                rows_written: group.num_rows() as u64,
                metadata: column.clone(),
                bloom_filter: None,
                column_index: None,
                offset_index: None,
            };
            to.append_column(&file, close).unwrap();
        }
        to.close().unwrap();
    }
    writer.close().unwrap();
}

#[test]
fn a_row_group_without_bounds_is_read_as_it_is() {
    let directory = TempDir::new().unwrap();
    half_described(&directory);
    let categories = Arc::new(Categories {
        column: "key".into(),
        names: vec!["a".into(), "other".into()],
        other: Some(1),
    });
    let table = Table {
        scope: Default::default(),
        keys: vec![],
        aggregates: vec![Aggregate::Categories(categories)],
    };
    let found = ask(&directory, "t.parquet", Unit::Row, table);
    assert_eq!(
        found.tables[0][0].values,
        [Aggregated::Counts(vec![50, 50])]
    );
    // As a unit: 51 people, of whom each counts once.
    let unit = Unit::Column {
        name: "who".into(),
        most_rows: 1,
        most_groups: 1,
    };
    let rows = Table {
        scope: Default::default(),
        keys: vec![],
        aggregates: vec![Aggregate::Rows],
    };
    let found = ask(&directory, "t.parquet", unit, rows);
    assert_eq!(found.tables[0][0].values, [Aggregated::Rows(51)]);
    let discovered = Table {
        scope: Default::default(),
        keys: vec![Key::Discovered {
            column: "key".into(),
        }],
        aggregates: vec![Aggregate::Rows],
    };
    let found = ask(&directory, "t.parquet", Unit::Row, discovered);
    assert_eq!(found.tables[0].len(), 51);
}

/// The schema that Arrow's writers embed says how they held the values; it must not say what the
/// values are.
#[test]
fn an_embedded_schema_changes_nothing() {
    let directory = TempDir::new().unwrap();
    let table = batch(vec![
        ("x", Arc::new(Int64Array::from(vec![5, 6, 7])) as ArrayRef),
        ("key", Arc::new(StringArray::from(vec!["a", "b", "a"]))),
    ]);
    let dictionary = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8));
    let lies: [&[(&str, DataType)]; 5] = [
        &[("x", DataType::Date64), ("key", dictionary)],
        &[
            (
                "x",
                DataType::Timestamp(arrow_schema::TimeUnit::Nanosecond, None),
            ),
            ("key", DataType::Binary),
        ],
        &[
            ("x", DataType::Duration(arrow_schema::TimeUnit::Second)),
            ("key", DataType::LargeUtf8),
        ],
        &[("x", DataType::Utf8), ("key", DataType::Float64)],
        &[("y", DataType::Int64)],
    ];
    let mut embedded: Vec<String> = lies
        .iter()
        .map(|fields| {
            let field = |(name, kind): &(&str, DataType)| Field::new(*name, kind.clone(), true);
            encode_arrow_schema(&Schema::new(fields.iter().map(field).collect::<Vec<_>>()))
        })
        .collect();
    embedded.extend(["".into(), "no base64 £".into(), "////".into()]);
    for lie in embedded {
        let path = directory.path().join("t.parquet");
        let properties = WriterProperties::builder()
            .set_key_value_metadata(Some(vec![KeyValue::new("ARROW:schema".into(), lie)]));
        let options = ArrowWriterOptions::new()
            .with_properties(properties.build())
            .with_skip_arrow_metadata(true);
        let file = File::create(&path).unwrap();
        let mut writer = ArrowWriter::try_new_with_options(file, table.schema(), options).unwrap();
        writer.write(&table).unwrap();
        writer.close().unwrap();
        let key = Arc::new(Categories {
            column: "key".into(),
            names: vec!["a".into(), "b".into()],
            other: None,
        });
        let sums = Table {
            scope: Default::default(),
            keys: vec![],
            aggregates: vec![Aggregate::Moments(x()), Aggregate::Categories(key)],
        };
        let found = ask(&directory, "t.parquet", Unit::Row, sums);
        let Aggregated::Moments { rows, sum, .. } = &found.tables[0][0].values[0] else {
            panic!("moments");
        };
        assert_eq!((*rows, sum), (3, &18.into()));
        assert_eq!(found.tables[0][0].values[1], Aggregated::Counts(vec![2, 1]));
    }
}

/// As pyarrow writes an empty table: a row group without rows, whose columns have a dictionary and
/// no page of data.
#[test]
fn a_row_group_may_have_no_rows() {
    let directory = TempDir::new().unwrap();
    let empty = include_bytes!("../data/no_rows.parquet");
    fs::write(directory.path().join("t.parquet"), empty).unwrap();
    let only = Table {
        scope: Default::default(),
        keys: vec![],
        aggregates: vec![Aggregate::Rows],
    };
    assert_eq!(ask(&directory, "t.parquet", Unit::Row, only).rows, 0);
    let column = Table {
        scope: Default::default(),
        keys: vec![Key::Discovered { column: "x".into() }],
        aggregates: vec![Aggregate::Rows],
    };
    let found = ask(&directory, "t.parquet", Unit::Row, column);
    assert_eq!((found.rows, found.tables[0].len()), (0, 0));
}

/// The number of rows is counted in pages: a footer that claims another one is refused.
#[test]
fn rows_are_counted_and_not_believed() {
    let directory = TempDir::new().unwrap();
    let column: ArrayRef = Arc::new(Int64Array::from(vec![1; 77]));
    let path = directory.path().join("t.parquet");
    write(
        &path,
        &[batch(vec![("x", column)])],
        WriterProperties::default(),
    );
    let only = Table {
        scope: Default::default(),
        keys: vec![],
        aggregates: vec![Aggregate::Rows],
    };
    let found = ask(&directory, "t.parquet", Unit::Row, only.clone());
    assert_eq!(found.rows, 77);
    // In the compact protocol 77 is 0x9a 0x01; 78 is 0x9c 0x01. The footer has it for the file, the
    // row group and the column.
    let mut bytes = fs::read(&path).unwrap();
    let footer = bytes.len() - 8 - {
        let tail = &bytes[bytes.len() - 8..];
        u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]) as usize
    };
    let places: Vec<usize> = (footer..bytes.len() - 1)
        .filter(|i| bytes[*i..*i + 2] == [0x9a, 0x01])
        .collect();
    assert!(places.len() >= 2);
    for place in places {
        bytes[place] = 0x9c;
    }
    fs::write(&path, bytes).unwrap();
    let query = Query {
        source: Source::Files(Files {
            paths: vec!["t.parquet".into()],
            base: directory.path().to_owned(),
            format: FileFormat::Parquet,
        }),
        tables: vec![only],
        ..query(Unit::Row)
    };
    let message = answer(&query, &Options::default()).unwrap_err().to_string();
    assert!(message.contains("78 rows, and has 77"), "{message}");
}
