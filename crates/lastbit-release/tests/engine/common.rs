//! Random tables with everything that real ones have, and the queries over them.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use lastbit::Bounds;
use lastbit_exact::Rational;
use lastbit_release::engine::query::{Aggregate, Derive, Key, Query, Table};
use lastbit_release::plan::{Categories, FileFormat, Files, Missing, Numbers, Source, Unit};
pub use lastbit_testing::Cases;

/// A row: who, a text key, a number that may be null or NaN, and a text that should be a number.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub person: Option<String>,
    pub region: Option<String>,
    pub cost: Option<f64>,
    pub age: Option<String>,
}

impl Row {
    /// Of nobody, and without any value.
    pub fn empty() -> Row {
        Row {
            person: None,
            region: None,
            cost: None,
            age: None,
        }
    }
}

pub const LONG_ID: &str = "2f1c7a5e-8a41-4a6f-9a55-0d1f6f0c9b7e";

/// A row of somebody, or of nobody.
pub fn row(cases: &mut Cases, person: Option<String>) -> Row {
    let some = |text: &str| Some(text.to_owned());
    Row {
        person,
        region: cases.pick(&[
            some("north"),
            some("south"),
            some("west"),
            some(""),
            some("7"),
            None,
        ]),
        cost: cases.pick(&[
            None,
            Some(f64::NAN),
            Some(f64::INFINITY),
            Some(f64::NEG_INFINITY),
            Some(-0.0),
            Some(-5.0),
            Some(0.24),
            Some(0.25),
            Some(3.375),
            Some(9.9),
            Some(1e300),
        ]),
        age: cases.pick(&[
            None,
            some(""),
            some("old"),
            some("NaN"),
            some("17"),
            some(" 18 "),
            some("44.5"),
            some("-3"),
            some("1e3"),
            some("true"),
        ]),
    }
}

pub fn person(cases: &mut Cases) -> Option<String> {
    let name = |text: &str| Some(text.to_owned());
    cases.pick(&[
        name("1"),
        name("2"),
        name("-3"),
        name("07"),
        name("ann"),
        name(LONG_ID),
        None,
    ])
}

pub fn rows(cases: &mut Cases, most: u64) -> Vec<Row> {
    (0..cases.below(most + 1))
        .map(|_| {
            let person = person(cases);
            row(cases, person)
        })
        .collect()
}

/// The rows as columns, split into batches.
pub fn batches(rows: &[Row], size: usize) -> Vec<RecordBatch> {
    let batch = |rows: &[Row]| {
        let person: StringArray = rows.iter().map(|row| row.person.as_deref()).collect();
        let region: StringArray = rows.iter().map(|row| row.region.as_deref()).collect();
        let cost: Float64Array = rows.iter().map(|row| row.cost).collect();
        let age: StringArray = rows.iter().map(|row| row.age.as_deref()).collect();
        RecordBatch::try_from_iter_with_nullable([
            ("person", Arc::new(person) as ArrayRef, true),
            ("region", Arc::new(region), true),
            ("cost", Arc::new(cost), true),
            ("age", Arc::new(age), true),
        ])
        .unwrap()
    };
    rows.chunks(size.max(1)).map(batch).collect()
}

/// The same rows with people as whole numbers, for those whose names are.
pub fn whole_people(batch: &RecordBatch) -> RecordBatch {
    let mut columns = batch.columns().to_vec();
    let people = columns[0].clone();
    let people = people.as_any().downcast_ref::<StringArray>().unwrap();
    let whole: Int64Array = people
        .iter()
        .map(|name| name.map(|n| n.parse().unwrap()))
        .collect();
    columns[0] = Arc::new(whole);
    RecordBatch::try_from_iter(["person", "region", "cost", "age"].into_iter().zip(columns))
        .unwrap()
}

/// A column of numbers from one bound to another, on a grid of this exponent.
pub fn numbers(
    column: &str,
    (lower, upper): (&str, &str),
    exponent: i32,
    missing: Missing,
) -> Arc<Numbers> {
    let bounds = Bounds::parse(lower, upper).unwrap();
    Arc::new(Numbers::new(column, bounds, exponent, missing).unwrap())
}

pub fn cost(missing: Missing) -> Arc<Numbers> {
    numbers("cost", ("-1", "9"), -2, missing)
}

pub fn age(missing: Missing) -> Arc<Numbers> {
    numbers("age", ("0", "100"), 0, missing)
}

/// The ages in bins with these edges.
pub fn ages_at(edges: &[i64]) -> Arc<Numbers> {
    let mut ages = Numbers::clone(&age(Missing::Drop));
    ages.edges = Some(edges.iter().map(|&edge| Rational::from(edge)).collect());
    Arc::new(ages)
}

pub fn ages() -> Arc<Numbers> {
    ages_at(&[0, 18, 44, 100])
}

pub fn regions(other: Option<usize>) -> Arc<Categories> {
    Arc::new(Categories {
        column: "region".into(),
        names: vec!["north".into(), "south".into(), "7".into()],
        other,
    })
}

/// A query that uses every key and aggregate.
pub fn query(unit: Unit) -> Query {
    let all = vec![
        Aggregate::Rows,
        Aggregate::Sum(cost(Missing::Drop)),
        Aggregate::Moments(cost(Missing::Value(Rational::from(2i64)))),
        Aggregate::Moments(cost(Missing::Drop)),
        Aggregate::Products(cost(Missing::Drop), age(Missing::Drop)),
        Aggregate::Bins(ages()),
        Aggregate::Categories(regions(None)),
        Aggregate::Offsets(age(Missing::Value(Rational::from(40i64)))),
    ];
    let discovered = |column: &str| Key::Discovered {
        column: column.into(),
    };
    let table = |keys: Vec<Key>, aggregates: &[Aggregate]| Table {
        scope: Default::default(),
        keys,
        aggregates: aggregates.to_vec(),
    };
    Query {
        derive: Derive::default(),
        source: Source::Files(Files {
            paths: vec![],
            base: PathBuf::new(),
            format: FileFormat::Parquet,
        }),
        unit,
        tables: vec![
            table(vec![], &all),
            table(vec![Key::Categories(regions(None))], &all[..4]),
            table(
                vec![Key::Categories(regions(Some(1))), Key::Bins(ages())],
                &all[..2],
            ),
            table(vec![discovered("region")], &all[..2]),
            table(
                vec![discovered("region"), Key::Bins(ages()), discovered("age")],
                &all[..1],
            ),
        ],
        hash_key: [7; 32],
    }
}

pub fn by_person(most_rows: u64, most_groups: u64) -> Unit {
    Unit::Column {
        name: "person".into(),
        most_rows,
        most_groups,
    }
}
