//! Units, categories and discovered keys are what they say, in every format and however they are
//! spelled.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, BooleanArray, Decimal128Array, DictionaryArray, Float32Array, Float64Array,
    Int32Array, Int64Array, LargeStringArray, RecordBatch, StringArray, StringViewArray,
    UInt64Array,
};
use lastbit_release::engine::query::{
    Aggregate, Aggregated, Answer, Derive, Group, Key, KeyValue, Query, Table,
};
use lastbit_release::engine::{Options, answer};
use lastbit_release::plan::{Categories, FileFormat, Files, Source, Unit};
use parquet::arrow::ArrowWriter;
use tempfile::TempDir;

/// Rows by unit (one counts of each), by category and by discovered key, of the column `x` in one
/// file.
struct Seen {
    units: u64,
    categories: Vec<u64>,
    keys: Vec<(String, u64)>,
}

fn rows(group: &Group) -> u64 {
    match group.values[0] {
        Aggregated::Rows(rows) => rows,
        ref other => panic!("{other:?}"),
    }
}

fn seen(directory: &Path, file: &str, format: FileFormat, names: &[&str]) -> Seen {
    let column = "x".to_owned();
    let table = |keys| Table {
        scope: Default::default(),
        keys,
        aggregates: vec![Aggregate::Rows],
    };
    let query = |unit, tables| Query {
        derive: Derive::default(),
        source: Source::Files(Files {
            paths: vec![file.into()],
            base: directory.to_owned(),
            format: format.clone(),
        }),
        unit,
        tables,
        hash_key: [3; 32],
    };
    let ask = |query: Query| -> Answer { answer(&query, &Options::default()).unwrap() };
    let one_each = Unit::Column {
        name: column.clone(),
        most_rows: 1,
        most_groups: 1,
    };
    let categories = Key::Categories(Arc::new(Categories {
        column: column.clone(),
        names: names.iter().map(|&name| name.to_owned()).collect(),
        other: None,
    }));
    let keys = ask(query(
        Unit::Row,
        vec![
            table(vec![categories]),
            table(vec![Key::Discovered { column }]),
        ],
    ));
    Seen {
        units: rows(&ask(query(one_each, vec![table(vec![])])).tables[0][0]),
        categories: keys.tables[0].iter().map(rows).collect(),
        keys: keys.tables[1]
            .iter()
            .map(|group| match &group.key[0] {
                KeyValue::Discovered(text) => (text.clone(), rows(group)),
                other => panic!("{other:?}"),
            })
            .collect(),
    }
}

fn csv_format() -> FileFormat {
    FileFormat::Csv {
        delimiter: b',',
        quote: b'"',
        gzip: false,
    }
}

fn csv(directory: &TempDir, cells: &[&str], names: &[&str]) -> Seen {
    let lines: String = cells.iter().map(|cell| format!("\"{cell}\"\n")).collect();
    fs::write(directory.path().join("x.csv"), format!("x\n{lines}")).unwrap();
    seen(directory.path(), "x.csv", csv_format(), names)
}

fn json(directory: &TempDir, cells: &[&str], names: &[&str]) -> Seen {
    let lines: String = cells
        .iter()
        .map(|cell| format!("{{\"x\": {cell}}}\n"))
        .collect();
    fs::write(directory.path().join("x.json"), lines).unwrap();
    let format = FileFormat::Json { gzip: false };
    seen(directory.path(), "x.json", format, names)
}

fn of_parquet(directory: &TempDir, column: ArrayRef, names: &[&str]) -> Seen {
    let batch = RecordBatch::try_from_iter_with_nullable([("x", column, true)]).unwrap();
    let file = File::create(directory.path().join("x.parquet")).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    seen(directory.path(), "x.parquet", FileFormat::Parquet, names)
}

fn owned(keys: &[(&str, u64)]) -> Vec<(String, u64)> {
    keys.iter()
        .map(|(key, rows)| ((*key).to_owned(), *rows))
        .collect()
}

#[test]
fn one_number_is_one_unit_category_and_key_however_it_is_spelled() {
    let directory = TempDir::new().unwrap();
    let spelled = [
        "7", "7.0", "7e0", "+7", " 7 ", "70E-1", "-0.0", "0", "0e3", "07",
    ];
    let seen = csv(&directory, &spelled, &["7.00", "0", "07"]);
    assert_eq!(seen.units, 3);
    assert_eq!(seen.categories, [6, 3, 1]);
    assert_eq!(seen.keys, owned(&[("0", 3), ("07", 1), ("7", 6)]));

    let spelled = [
        "7", "7.0", "7e0", "\" 7\"", "\"7.0\"", "-0.0", "0", "\"07\"",
    ];
    let seen = json(&directory, &spelled, &["7.00", "0", "07"]);
    assert_eq!(seen.units, 3);
    assert_eq!(seen.categories, [5, 2, 1]);
    assert_eq!(seen.keys, owned(&[("0", 2), ("07", 1), ("7", 5)]));
}

#[test]
fn every_type_of_parquet_says_the_same() {
    let directory = TempDir::new().unwrap();
    let texts = ["7", " 7.0", "0", "-0.0", "12.50", "1e21", "7e0"];
    let doubles = [7.0, 7.0, 0.0, -0.0, 12.5, 1e21, 7.0];
    let singles: Vec<f32> = doubles.iter().map(|x| *x as f32).collect();
    let dictionary: DictionaryArray<Int32Type> = texts.iter().copied().collect();
    let places = Int32Array::from_iter_values(0..7);
    let doubles_by_place = DictionaryArray::new(
        places,
        Arc::new(Float64Array::from(doubles.to_vec())) as ArrayRef,
    );
    let decimals = [700, 700, 0, 0, 1250, 10i128.pow(23), 700];
    let decimals = Decimal128Array::from(decimals.to_vec())
        .with_precision_and_scale(38, 2)
        .unwrap();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("text", Arc::new(StringArray::from(texts.to_vec()))),
        (
            "large text",
            Arc::new(LargeStringArray::from(texts.to_vec())),
        ),
        ("text view", Arc::new(StringViewArray::from(texts.to_vec()))),
        ("dictionary", Arc::new(dictionary)),
        ("double", Arc::new(Float64Array::from(doubles.to_vec()))),
        ("single", Arc::new(Float32Array::from(singles))),
        ("dictionary of doubles", Arc::new(doubles_by_place)),
        ("decimal", Arc::new(decimals)),
    ];
    for (what, column) in columns {
        assert_eq!(column.len(), 7);
        let seen = of_parquet(&directory, column, &["7.0", "0", "12.5", "1000e18"]);
        assert_eq!(seen.units, 4, "{what}");
        assert_eq!(seen.categories, [3, 2, 1, 1], "{what}");
        let keys = [
            ("0", 2),
            ("1000000000000000000000", 1),
            ("12.5", 1),
            ("7", 3),
        ];
        assert_eq!(seen.keys, owned(&keys), "{what}");
    }
    let whole: [(&str, ArrayRef); 3] = [
        ("32 bits", Arc::new(Int32Array::from(vec![7, 0, 7]))),
        ("64 bits", Arc::new(Int64Array::from(vec![7, 0, 7]))),
        ("unsigned", Arc::new(UInt64Array::from(vec![7, 0, 7]))),
    ];
    for (what, column) in whole {
        let seen = of_parquet(&directory, column, &["7.0", "-0"]);
        assert_eq!((seen.units, seen.categories), (2, vec![2, 1]), "{what}");
    }
    let beyond = UInt64Array::from(vec![u64::MAX, u64::MAX, 1]);
    let seen = of_parquet(
        &directory,
        Arc::new(beyond),
        &["1.8446744073709551615e19", "1"],
    );
    assert_eq!((seen.units, seen.categories), (2, vec![2, 1]));
}

#[test]
fn missing_cells_are_missing_in_every_format() {
    let directory = TempDir::new().unwrap();
    let doubles = Float64Array::from(vec![Some(f64::NAN), None, Some(1.0)]);
    let dictionary = DictionaryArray::new(
        Int32Array::from(vec![Some(0), None, Some(1)]),
        Arc::new(Float64Array::from(vec![f64::NAN, 1.0])) as ArrayRef,
    );
    for column in [Arc::new(doubles) as ArrayRef, Arc::new(dictionary)] {
        let seen = of_parquet(&directory, column, &["1"]);
        assert_eq!((seen.units, seen.keys), (1, owned(&[("1", 1)])));
    }
    let seen = csv(&directory, &["", " \u{a0}\u{2003}", "1"], &["1"]);
    assert_eq!((seen.units, seen.keys), (1, owned(&[("1", 1)])));
    let seen = json(&directory, &["null", "\"\"", "\"\\u3000\"", "1"], &["1"]);
    assert_eq!((seen.units, seen.keys), (1, owned(&[("1", 1)])));
}

#[test]
fn booleans_and_texts_match_by_value() {
    let directory = TempDir::new().unwrap();
    let names = ["TRUE", "False", " north\u{a0}"];
    let keys = owned(&[("false", 1), ("north", 2), ("true", 3)]);
    let cells = ["True", "true", "TRUE", "False", "north", "\u{2003}north "];
    let of_csv = csv(&directory, &cells, &names);
    let cells = [
        "true",
        "\"True\"",
        "\"TRUE\"",
        "false",
        "\"north\"",
        "\" north\\u00a0\"",
    ];
    let of_json = json(&directory, &cells, &names);
    for seen in [of_csv, of_json] {
        assert_eq!(seen.units, 3);
        assert_eq!(seen.categories, [3, 1, 2]);
        assert_eq!(seen.keys, keys);
    }
    let booleans = BooleanArray::from(vec![Some(true), Some(false), None, Some(true)]);
    let seen = of_parquet(&directory, Arc::new(booleans), &names);
    assert_eq!((seen.units, seen.categories), (2, vec![2, 1, 0]));
}
