//! Damaged and hostile Parquet files: an error, never a panic, and no more memory than is allowed.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::common::{Cases, query};
use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray};
use lastbit_release::engine::query::{Aggregate, Answer, Key, Query, Table};
use lastbit_release::engine::{EngineError, Options, answer, check};
use lastbit_release::plan::{FileFormat, Files, Source, Unit};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterVersion};
use tempfile::TempDir;

fn ask(here: &Path, memory: usize) -> Result<Answer, EngineError> {
    let discovered = |column: &str| Key::Discovered {
        column: column.into(),
    };
    let query = Query {
        source: Source::Files(Files {
            paths: vec!["t.parquet".into()],
            base: here.to_owned(),
            format: FileFormat::Parquet,
        }),
        tables: ["s", "d", "f", "i", "b"]
            .map(|column| Table {
                scope: Default::default(),
                keys: vec![discovered(column)],
                aggregates: vec![Aggregate::Rows],
            })
            .to_vec(),
        ..query(Unit::Row)
    };
    check(&query)?;
    answer(&query, &Options { threads: 2, memory })
}

fn columns(rows: usize) -> RecordBatch {
    let text = |i: usize| (!i.is_multiple_of(7)).then(|| format!("text {}", i % 13));
    let columns: [(&str, ArrayRef); 5] = [
        ("s", Arc::new((0..rows).map(text).collect::<StringArray>())),
        ("d", Arc::new((0..rows).map(text).collect::<StringArray>())),
        (
            "f",
            Arc::new((0..rows).map(|i| i as f64).collect::<Float64Array>()),
        ),
        (
            "i",
            Arc::new((0..rows).map(|i| i as i64 % 9).collect::<Int64Array>()),
        ),
        (
            "b",
            Arc::new(
                (0..rows)
                    .map(|i| Some(i % 3 == 0))
                    .collect::<BooleanArray>(),
            ),
        ),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

fn written(version: WriterVersion, codec: Compression, text: Encoding) -> Vec<u8> {
    let properties = WriterProperties::builder()
        .set_writer_version(version)
        .set_compression(codec)
        .set_column_dictionary_enabled("s".into(), false)
        .set_column_encoding("s".into(), text)
        .set_column_dictionary_enabled("i".into(), false)
        .set_data_page_row_count_limit(20)
        .set_write_batch_size(10);
    let batch = columns(60);
    let mut bytes = Vec::new();
    let mut writer =
        ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties.build())).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn variants() -> Vec<Vec<u8>> {
    let zstd = Compression::ZSTD(ZstdLevel::default());
    let mut all = Vec::new();
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        for codec in [Compression::UNCOMPRESSED, zstd, Compression::SNAPPY] {
            for text in [
                Encoding::PLAIN,
                Encoding::DELTA_LENGTH_BYTE_ARRAY,
                Encoding::DELTA_BYTE_ARRAY,
            ] {
                all.push(written(version, codec, text));
            }
        }
    }
    all
}

#[test]
fn every_encoding_reads_the_same() {
    let directory = TempDir::new().unwrap();
    let mut first = None;
    for bytes in variants() {
        fs::write(directory.path().join("t.parquet"), bytes).unwrap();
        let found = ask(directory.path(), 1 << 24).unwrap();
        assert_eq!(*first.get_or_insert_with(|| found.clone()), found);
    }
}

/// Whatever the decoder of pages makes of them: what it does not foresee is caught and is an error
/// too.
#[test]
fn damaged_files_are_errors() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("t.parquet");
    let mut cases = Cases(11);
    let mut refused = 0;
    for (index, whole) in variants().into_iter().enumerate() {
        for _ in 0..300 {
            let mut bytes = whole.clone();
            match cases.below(4) {
                0 => bytes.truncate(cases.below(bytes.len() as u64) as usize),
                1 => {
                    let start = cases.below(bytes.len() as u64) as usize;
                    let end = (start + 1 + cases.below(40) as usize).min(bytes.len());
                    bytes.drain(start..end);
                }
                changes => {
                    for _ in 0..changes {
                        let place = cases.below(bytes.len() as u64) as usize;
                        bytes[place] = cases.next() as u8;
                    }
                }
            }
            fs::write(&path, bytes).unwrap();
            refused += u64::from(ask(directory.path(), 1 << 24).is_err());
        }
        assert!(refused > index as u64 * 20, "{refused}");
    }
}

#[test]
fn what_is_no_parquet_is_refused() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("t.parquet");
    let garbage = |length: usize, tail: &[u8]| {
        let mut bytes = b"PAR1".to_vec();
        bytes.extend((0..length).map(|i| (i * 37 % 251) as u8));
        bytes.extend_from_slice(tail);
        bytes
    };
    for bytes in [
        vec![],
        b"PAR1".to_vec(),
        b"PAR1PAR1".to_vec(),
        garbage(7, b"PAR1"),
        garbage(200, b"PAR1"),
        garbage(200, b"\x10\0\0\0PAR1"),
        garbage(200, b"\xff\xff\xff\xffPAR1"),
        garbage(200, b"\x40\0\0\0PARE"),
        // A list of 2^31 row groups: 0x49 begins field 4, which is a list.
        [
            &b"PAR1\x49\xfc\xff\xff\xff\xff\x07\0"[..],
            b"\x08\0\0\0PAR1",
        ]
        .concat(),
    ] {
        fs::write(&path, &bytes).unwrap();
        let message = ask(directory.path(), 1 << 24).unwrap_err().to_string();
        assert!(message.contains("t.parquet"), "{message}");
    }
}

/// A page that decompresses to far more than it has, and texts that are far longer together than
/// their pages.
#[test]
fn pages_beyond_the_memory_are_refused_and_long_texts_are_read_in_small_batches() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("t.parquet");
    let long = "x".repeat(1 << 18);
    for (dictionary, rows) in [(true, 4000), (false, 64)] {
        let mut bytes = Vec::new();
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_dictionary_enabled(dictionary)
            .set_dictionary_page_size_limit(4 << 20)
            .set_data_page_size_limit(1 << 26);
        let texts: StringArray = (0..200).map(|_| Some(long.as_str())).collect();
        let all: ArrayRef = Arc::new(texts);
        let rest = columns(200);
        let batch = RecordBatch::try_from_iter([
            ("s", all),
            ("d", Arc::clone(rest.column(1))),
            ("f", Arc::clone(rest.column(2))),
            ("i", Arc::clone(rest.column(3))),
            ("b", Arc::clone(rest.column(4))),
        ])
        .unwrap();
        let mut writer =
            ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties.build())).unwrap();
        for start in (0..rows).step_by(200) {
            writer
                .write(&batch.slice(0, 200.min(rows - start)))
                .unwrap();
        }
        writer.close().unwrap();
        fs::write(&path, &bytes).unwrap();
        let found = ask(directory.path(), 1 << 26).unwrap();
        assert_eq!(found.rows, rows as u64);
        assert_eq!(found.tables[0].len(), 1);
        // The dictionary, or a page, has 2^18 bytes or more.
        let message = ask(directory.path(), 1 << 18).unwrap_err().to_string();
        assert!(message.contains("memory"), "{message}");
    }
}
