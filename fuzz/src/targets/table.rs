//! Tables in files: CSV, JSON lines and Parquet.

use std::cell::RefCell;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray};
use lastbit_release::engine::query::Query;
use lastbit_release::engine::{Options, scan};
use lastbit_release::plan::Plan;
use lastbit_release::statistic::query;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::{WriterProperties, WriterVersion};
use tempfile::TempDir;

/// Every kind of column, for a unit of several rows.
const PLAN: &str = r#"
[source]
files = "FILE"
[privacy]
neighbours = "add-remove"
unit = "person"
most_rows = 3
most_groups = 2
[budget]
epsilon = 1
delta = 1e-6
[columns.age]
lower = 0
upper = 100
grid = -2
missing = 40
[columns.cost]
edges = [0, 10, 20]
missing = "drop"
[columns.town]
discover = true
[columns.ward]
categories = ["a", "b"]
other = "b"
[[statistics]]
name = "towns"
kind = "count"
by = "town"
[[statistics]]
name = "ages"
kind = "mean"
of = "age"
by = "ward"
[[statistics]]
name = "costs"
kind = "histogram"
of = "cost"
[[statistics]]
name = "both"
kind = "covariance"
of = ["age", "cost"]
"#;

/// The query of [`PLAN`] about a file, and where the file is.
struct Place {
    _directory: TempDir,
    path: PathBuf,
    query: Query,
}

impl Place {
    fn new(name: &str) -> Place {
        let directory = tempfile::tempdir().expect("a directory");
        let plan = Plan::parse_in(&PLAN.replace("FILE", name), directory.path());
        let plan = plan.expect("a right plan");
        let (query, _) = query(&plan, [7; 32]);
        Place {
            path: directory.path().join(name),
            _directory: directory,
            query,
        }
    }

    fn scan(&self, input: &[u8]) {
        fs::write(&self.path, input).expect("a file");
        // One thread, so that a panic is not caught on the way; a memory so small that what a
        // header claims is refused.
        let options = Options {
            threads: 1,
            memory: 1 << 22,
        };
        let _ = scan(&self.query, &options, Arc::new(|_| {}));
    }
}

macro_rules! formats {
    ($($(#[$doc:meta])* $run:ident, $file:literal;)*) => {$(
        $(#[$doc])*
        pub fn $run(input: &[u8]) {
            thread_local! {
                static PLACE: RefCell<Option<Place>> = const { RefCell::new(None) };
            }
            PLACE.with_borrow_mut(|place| {
                place.get_or_insert_with(|| Place::new($file)).scan(input);
            });
        }
    )*};
}

formats! {
    /// Comma separated values.
    csv, "t.csv";
    /// One JSON object a line.
    json, "t.jsonl";
    /// Apache Parquet.
    parquet, "t.parquet";
}

/// Quoted cells, missing cells, a mark in front, other ends of lines.
pub fn csv_corpus() -> Vec<Vec<u8>> {
    let texts = [
        "person,age,cost,town,ward\n1,30,5.5,Oslo,a\n1,31.25,15,Rome,b\n2,,,\"a, \"\"b\"\"\",c\n",
        "\u{feff}ward,town,cost,age,person\r\na,x,1e3,-0,p\r\nb,,nan,inf,\r\n",
    ];
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

/// Numbers, texts, nulls, escapes and other fields.
pub fn json_corpus() -> Vec<Vec<u8>> {
    let texts = [
        "{\"person\": 1, \"age\": 30, \"cost\": 5.5, \"town\": \"Oslo\", \"ward\": \
         \"a\"}\n{\"person\": \"2\", \"age\": null}\n",
        "{\"age\":1e400,\"person\":{\"x\":[1,2]},\"town\":\"\\u00e9\\n\",\"ward\":true}\n\n{}\n",
    ];
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

/// Small files, so that most changes are in headers: every codec, both versions of pages,
/// dictionaries and plain values.
pub fn parquet_corpus() -> Vec<Vec<u8>> {
    let columns: [(&str, ArrayRef); 5] = [
        ("person", Arc::new(Int64Array::from_iter_values([1, 1, 2]))),
        (
            "age",
            Arc::new(Float64Array::from(vec![Some(30.0), None, Some(31.25)])),
        ),
        ("cost", Arc::new(Int64Array::from_iter_values([5, 15, 25]))),
        (
            "town",
            Arc::new(StringArray::from_iter([Some("Oslo"), None, Some("Rome")])),
        ),
        (
            "ward",
            Arc::new(BooleanArray::from(vec![true, false, true])),
        ),
    ];
    let batch = RecordBatch::try_from_iter(columns).expect("columns of one length");
    let codecs = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(Default::default()),
        Compression::ZSTD(Default::default()),
        Compression::LZ4_RAW,
        Compression::BROTLI(Default::default()),
    ];
    let versions = [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0];
    let mut files = Vec::new();
    for (index, codec) in codecs.into_iter().enumerate() {
        let properties = WriterProperties::builder()
            .set_compression(codec)
            .set_writer_version(versions[index % 2])
            .set_dictionary_enabled(index % 3 != 0)
            .build();
        let mut file = Vec::new();
        let mut writer =
            ArrowWriter::try_new(&mut file, batch.schema(), Some(properties)).expect("a writer");
        writer.write(&batch).expect("written");
        writer.close().expect("closed");
        files.push(file);
    }
    files
}
