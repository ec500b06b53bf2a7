//! Tables in memory. That they have the answers of files, the other tests of this folder show:
//! `answer_batches` is their scan.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, Decimal64Array, Decimal128Array, DictionaryArray, Float64Array, RecordBatch,
    StringArray, StringViewArray,
};
use arrow_schema::{Field, Schema};
use lastbit_release::engine::{
    Engine, EngineError, MemoryEngine, MemoryTable, Options, memory_fingerprint, scan_memory,
};
use lastbit_release::plan::Plan;
use lastbit_release::release::{Released, release};

fn table(columns: &[(&str, ArrayRef)], cut: usize) -> MemoryTable {
    let field =
        |(name, array): &(&str, ArrayRef)| Field::new(*name, array.data_type().clone(), true);
    let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
    let arrays = columns.iter().map(|(_, array)| Arc::clone(array)).collect();
    let whole = RecordBatch::try_new(Arc::clone(&schema), arrays).unwrap();
    let rows = whole.num_rows();
    let batches = (0..rows)
        .step_by(cut)
        .map(|start| whole.slice(start, cut.min(rows - start)));
    MemoryTable::new(schema, batches.collect()).unwrap()
}

fn fingerprint(columns: &[(&str, ArrayRef)], cut: usize) -> String {
    memory_fingerprint(&table(columns, cut)).unwrap()
}

const TOWNS: [Option<&str>; 5] = [Some("Rome"), None, Some(""), Some("Łódź"), Some("Rome")];

fn coded() -> DictionaryArray<Int32Type> {
    let mut builder = StringDictionaryBuilder::<Int32Type>::new();
    TOWNS.iter().for_each(|town| builder.append_option(*town));
    builder.finish()
}

#[test]
fn a_fingerprint_is_of_the_cells_alone() {
    let costs = || {
        Arc::new(Float64Array::from(vec![
            Some(1.5),
            None,
            Some(f64::NAN),
            Some(-0.0),
            Some(2.0),
        ]))
    };
    let plain: ArrayRef = Arc::new(StringArray::from(TOWNS.to_vec()));
    let views: ArrayRef = Arc::new(StringViewArray::from(TOWNS.to_vec()));
    let expected = fingerprint(&[("town", plain.clone()), ("cost", costs())], 5);
    for cut in 1..5 {
        for town in [plain.clone(), views.clone(), Arc::new(coded()) as ArrayRef] {
            assert_eq!(
                fingerprint(&[("town", town), ("cost", costs())], cut),
                expected
            );
        }
    }
    // What lies under a missing cell is no part of them.
    let hidden = Float64Array::new(
        vec![1.5, 99.0, f64::NAN, -0.0, 2.0].into(),
        Some(vec![true, false, true, true, true].into()),
    );
    assert_eq!(
        fingerprint(&[("town", plain.clone()), ("cost", Arc::new(hidden))], 2),
        expected
    );
    let wide = Decimal128Array::from(vec![Some(150), None])
        .with_precision_and_scale(9, 2)
        .unwrap();
    let narrow = Decimal64Array::from(vec![Some(150), None])
        .with_precision_and_scale(9, 2)
        .unwrap();
    assert_eq!(
        fingerprint(&[("x", Arc::new(wide))], 1),
        fingerprint(&[("x", Arc::new(narrow))], 2)
    );
}

#[test]
fn other_cells_names_and_orders_have_other_fingerprints() {
    let texts = |cells: &[Option<&str>]| Arc::new(StringArray::from(cells.to_vec())) as ArrayRef;
    let numbers = |cells: Vec<Option<f64>>| Arc::new(Float64Array::from(cells)) as ArrayRef;
    let tables: Vec<Vec<(&str, ArrayRef)>> = vec![
        vec![("a", texts(&[Some("x"), Some("y")]))],
        vec![("a", texts(&[Some("y"), Some("x")]))],
        vec![("a", texts(&[Some("xy"), Some("")]))],
        vec![("a", texts(&[Some("xy"), None]))],
        vec![("b", texts(&[Some("x"), Some("y")]))],
        vec![("a", texts(&[Some("x")]))],
        vec![("a", numbers(vec![Some(0.0), Some(1.0)]))],
        vec![("a", numbers(vec![None, Some(1.0)]))],
        vec![("a", numbers(vec![Some(1.0), None]))],
        vec![("a", numbers(vec![Some(-0.0), Some(1.0)]))],
        vec![
            ("a", numbers(vec![Some(0.0), Some(1.0)])),
            ("b", texts(&[None, None])),
        ],
    ];
    let mut seen: Vec<String> = tables
        .iter()
        .map(|columns| fingerprint(columns, 1))
        .collect();
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), tables.len());
}

const PLAN: &str = r#"
[source]
files = "nowhere.parquet"
[privacy]
neighbours = "add-remove"
[budget]
epsilon = 1_000_000
[columns.town]
categories = ["Rome", "Łódź"]
[[statistics]]
name = "towns"
kind = "histogram"
of = "town"
"#;

#[test]
fn a_release_reads_the_table_and_not_the_files() {
    let directory = tempfile::tempdir().unwrap();
    let plan = Plan::parse(PLAN).unwrap();
    let engine = MemoryEngine {
        table: table(&[("town", Arc::new(coded()))], 2),
        options: Options::default(),
        stop: Arc::default(),
    };
    let ledger = directory.path().join("test.ledger");
    let quiet = || Arc::new(|_, _| {});
    let Released::New(report) = release(&plan, &ledger, &engine, quiet()).unwrap() else {
        panic!("nothing was released before");
    };
    let values: Vec<_> = report.statistics[0]
        .cells
        .iter()
        .map(|cell| cell.value.as_deref())
        .collect();
    assert_eq!(values, [Some("2"), Some("1")]);
    let plain: ArrayRef = Arc::new(StringArray::from(TOWNS.to_vec()));
    let same = MemoryEngine {
        table: table(&[("town", plain)], 5),
        options: Options::default(),
        stop: Arc::default(),
    };
    assert!(matches!(
        release(&plan, &ledger, &same, quiet()).unwrap(),
        Released::Stored { .. }
    ));
}

#[test]
fn a_table_that_lacks_a_column_is_refused_by_its_name() {
    let plan = Plan::parse(PLAN).unwrap();
    let (query, _) = lastbit_release::statistic::query(&plan, [0; 32]);
    let engine = MemoryEngine {
        table: table(&[("towns", Arc::new(coded()))], 2),
        options: Options::default(),
        stop: Arc::default(),
    };
    let refused = engine.check(&query).unwrap_err().to_string();
    assert!(refused.contains("did you mean `towns`"), "{refused}");
}

#[test]
fn a_scan_that_was_stopped_says_so() {
    let plan = Plan::parse(PLAN).unwrap();
    let (query, _) = lastbit_release::statistic::query(&plan, [0; 32]);
    let table = table(&[("town", Arc::new(coded()))], 2);
    let stop = AtomicBool::new(true);
    let stopped = scan_memory(&table, &query, &Options::default(), Arc::new(|_| {}), &stop);
    assert!(matches!(stopped, Err(EngineError::Stopped)));
}
