//! Random nasty tables, and random queries over them.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, Float32Array, Float64Array, Int64Array,
    RecordBatch, StringArray, TimestampMicrosecondArray,
};
use lastbit_exact::Rational;
use lastbit_release::engine::query::{Aggregate, Answer, Derive, Key, Query, States, Table};
use lastbit_release::engine::sql::{CellType, Dialect, Relation, SqlError, Statements, types};
use lastbit_release::engine::{Options, answer_batches};
use lastbit_release::expression::Expression;
use lastbit_release::plan::{
    Categories, FileFormat, Files, Lookup, Missing, Numbers, Scope, Source, Unit,
};
pub use lastbit_testing::Cases;

use crate::engine::common::{LONG_ID, numbers};

/// How many random tables every database is compared on, from which seed and of how many rows.
pub const TABLES: usize = 1000;
pub const SEED: u64 = 15;
pub const MOST_ROWS: u64 = 30;

/// The cells of one row, in the order of [`COLUMNS`].
#[derive(Clone, Debug)]
pub struct Row {
    pub texts: [Option<String>; 4],
    pub cost: Option<f64>,
    pub n: Option<i64>,
    /// Of 10^-6.
    pub price: Option<i64>,
    /// Days since 1970, as a number and as text.
    pub born: Option<(i32, &'static str)>,
    /// Microseconds since 1970, as a number and as text.
    pub at: Option<(i64, &'static str)>,
    pub small: Option<f32>,
    pub flag: Option<bool>,
}

impl Row {
    /// The price with all its decimals.
    pub fn price_text(&self) -> Option<String> {
        self.price.map(|millionths| {
            let sign = if millionths < 0 { "-" } else { "" };
            let millionths = millionths.unsigned_abs();
            format!(
                "{sign}{}.{:06}",
                millionths / 1_000_000,
                millionths % 1_000_000
            )
        })
    }
}

/// The columns, with their types.
pub const COLUMNS: [(&str, CellType); 11] = [
    ("person", CellType::Text),
    ("the \"region\"", CellType::Text),
    ("age", CellType::Text),
    ("day", CellType::Text),
    ("cost", CellType::Float),
    ("select", CellType::Integer),
    ("price", CellType::Decimal),
    ("born", CellType::Date),
    ("at", CellType::Timestamp),
    ("small", CellType::Float32),
    ("flag", CellType::Boolean),
];

const PEOPLE: [&str; 16] = [
    "1",
    "2",
    "-3",
    "07",
    "ann",
    LONG_ID,
    " ann",
    "1.0",
    "+2",
    "ANN",
    "TRUE",
    "",
    "1e0",
    "\u{2003}ann\u{a0}\u{85}",
    "zoë, 12:",
    "sixteen bytes...",
];
const REGIONS: [&str; 16] = [
    "north",
    "south",
    "north ",
    "7",
    "7.0",
    "0.70e1",
    "",
    "a'b\\c\"d",
    "North",
    "-0.0",
    "1e-9",
    "123456789012345678901234567890123456789012e3",
    "0.000001",
    "true",
    "\u{3000}",
    "é|-|1:",
];
const AGES: [&str; 24] = [
    "17",
    " 18 ",
    "44.5",
    "-3",
    "1e3",
    "true",
    "FALSE",
    "old",
    "NaN",
    "",
    "inf",
    "-Infinity",
    "1e400",
    "1e-400",
    "0x10",
    "1_000",
    "12abc",
    ".5",
    "5.",
    "+7",
    "1d",
    "99",
    "0.49999999999999994",
    "4.9406564584124654e-324",
];
const DAYS: [&str; 14] = [
    "2024-01-31",
    "2024-02-29T23:59:59.9999999Z",
    "2023-02-29",
    "2020-12-31 10:30",
    "2021-01-03T00:00:00+01:00",
    "0001-01-01",
    "9999-12-31T23:59:59-0530",
    "2024-1-1",
    "",
    "1969-07-20t20:17:40z",
    "2024-01-01T24:00",
    " 2000-03-01 ",
    "1600-02-29 05:06:07.008",
    "0000-01-01",
];

const BORN: [Option<(i32, &str)>; 8] = [
    None,
    Some((0, "1970-01-01")),
    Some((-1, "1969-12-31")),
    Some((19_782, "2024-02-29")),
    Some((-719_162, "0001-01-01")),
    Some((2_932_896, "9999-12-31")),
    Some((10_957, "2000-01-01")),
    Some((-135_081, "1600-02-29")),
];
const DAY: i64 = 86_400_000_000;
const AT: [Option<(i64, &str)>; 7] = [
    None,
    Some((0, "1970-01-01 00:00:00")),
    Some((-1, "1969-12-31 23:59:59.999999")),
    Some((19_782 * DAY + 45_000_500_000, "2024-02-29 12:30:00.5")),
    Some((-719_162 * DAY, "0001-01-01 00:00:00")),
    Some((2_932_897 * DAY - 1, "9999-12-31 23:59:59.999999")),
    Some((19_782 * DAY + 1, "2024-02-29 00:00:00.000001")),
];

fn text(cases: &mut Cases, from: &[&str]) -> Option<String> {
    match cases.below(8) {
        0 => None,
        _ => Some(cases.pick(from).to_owned()),
    }
}

pub fn rows(cases: &mut Cases, most: u64) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for _ in 0..cases.below(most + 1) {
        // Equal rows, often.
        if !rows.is_empty() && cases.below(4) == 0 {
            let again = rows[cases.below(rows.len() as u64) as usize].clone();
            rows.push(again);
            continue;
        }
        rows.push(Row {
            texts: [
                text(cases, &PEOPLE),
                text(cases, &REGIONS),
                text(cases, &AGES),
                text(cases, &DAYS),
            ],
            cost: cases.pick(&[
                None,
                Some(f64::NAN),
                Some(f64::INFINITY),
                Some(f64::NEG_INFINITY),
                Some(-0.0),
                Some(-5.0),
                Some(0.125),
                Some(0.375),
                Some(-0.125),
                Some(0.12499999999999999),
                Some(3.3),
                Some(9.9),
                Some(1e300),
                Some(5e-324),
                Some(0.1),
            ]),
            n: cases.pick(&[
                None,
                Some(0),
                Some(1),
                Some(3),
                Some(-7),
                Some(i64::MAX),
                Some(i64::MIN),
                Some(9_007_199_254_740_993),
            ]),
            // The largest is not a double.
            price: cases.pick(&[
                None,
                Some(0),
                Some(3_300_000),
                Some(-125_000),
                Some(125_000),
                Some(374_999),
                Some(7_000_000),
                Some(9_007_199_254_740_993),
                Some(-999_999_999_999_999_999),
                Some(1),
            ]),
            born: cases.pick(&BORN),
            at: cases.pick(&AT),
            small: cases.pick(&[
                None,
                Some(f32::NAN),
                Some(f32::INFINITY),
                Some(f32::NEG_INFINITY),
                Some(-0.0),
                Some(0.1),
                Some(0.125),
                Some(-7.375),
                Some(f32::MAX),
                Some(f32::from_bits(1)),
            ]),
            flag: cases.pick(&[None, Some(false), Some(true)]),
        });
    }
    rows
}

/// The rows with the types of a database that has them; or else as SQLite keeps them: decimals,
/// dates, times and conditions as text, and all fractions as doubles.
pub fn batch(rows: &[Row], is_typed: bool) -> RecordBatch {
    let texts = |place: usize| -> ArrayRef {
        let cells: StringArray = rows.iter().map(|row| row.texts[place].as_deref()).collect();
        Arc::new(cells)
    };
    let cost: Float64Array = rows.iter().map(|row| row.cost).collect();
    let n: Int64Array = rows.iter().map(|row| row.n).collect();
    let [price, born, at, small, flag]: [ArrayRef; 5] = match is_typed {
        true => {
            let price = rows.iter().map(|row| row.price.map(i128::from));
            let price = price.collect::<Decimal128Array>();
            let born = rows.iter().map(|row| row.born.map(|(days, _)| days));
            let at = rows.iter().map(|row| row.at.map(|(time, _)| time));
            [
                Arc::new(price.with_precision_and_scale(18, 6).unwrap()),
                Arc::new(born.collect::<Date32Array>()),
                Arc::new(at.collect::<TimestampMicrosecondArray>()),
                Arc::new(rows.iter().map(|row| row.small).collect::<Float32Array>()),
                Arc::new(rows.iter().map(|row| row.flag).collect::<BooleanArray>()),
            ]
        }
        false => {
            let price = rows.iter().map(Row::price_text);
            let born = rows.iter().map(|row| row.born.map(|(_, text)| text));
            let at = rows.iter().map(|row| row.at.map(|(_, text)| text));
            let small = rows.iter().map(|row| row.small.map(f64::from));
            let flag = rows.iter().map(|row| row.flag.map(|flag| flag.to_string()));
            [
                Arc::new(price.collect::<StringArray>()),
                Arc::new(born.collect::<StringArray>()),
                Arc::new(at.collect::<StringArray>()),
                Arc::new(small.collect::<Float64Array>()),
                Arc::new(flag.collect::<StringArray>()),
            ]
        }
    };
    let columns: [ArrayRef; 11] = [
        texts(0),
        texts(1),
        texts(2),
        texts(3),
        Arc::new(cost),
        Arc::new(n),
        price,
        born,
        at,
        small,
        flag,
    ];
    let named = COLUMNS.iter().map(|(name, _)| *name).zip(columns);
    RecordBatch::try_from_iter_with_nullable(named.map(|(name, array)| (name, array, true)))
        .unwrap()
}

const CONDITIONS: [&str; 18] = [
    "age >= 18",
    "\"the \"\"region\"\"\" in ('north', '7', 'a''b\\c\"d')",
    "\"the \"\"region\"\"\" like 'n%_h'",
    "not (cost < 3)",
    "length(\"the \"\"region\"\"\") > 3",
    "cost is null or age is not null",
    "date(day) >= date '2000-03-01'",
    "coalesce(\"the \"\"region\"\"\", 'x') <> 'south'",
    "\"the \"\"region\"\"\" < 'nz'",
    "cost between -5 and 9 or \"select\" = 3",
    "person = '1' or starts_with(person, 'an')",
    "(age = '17') is not true",
    "hour(day) < 12",
    "boolean(age)",
    "price >= 0.125",
    "date(born) < date '2000-01-01'",
    "timestamp(at) >= timestamp '1970-01-01 00:00:00'",
    "boolean(flag) or small is null",
];

const NUMBERS: [&str; 38] = [
    "cost * 2.5 - \"select\"",
    "cost / \"select\"",
    "\"select\" * \"select\" * 1e300",
    "cost * cost * 1e-300 * 1e-20",
    "1 / cost",
    "cost / 1e300 / 1e20",
    "1e308 + cost * 1e8",
    "sqrt(cost)",
    "round(cost * 2)",
    "floor(cost * 3)",
    "ceil(cost)",
    "abs(\"select\")",
    "trunc(cost)",
    "least(cost, \"select\")",
    "greatest(cost, \"select\", 4)",
    "number(age)",
    "month(day)",
    "week(day)",
    "date(day) - date '2024-01-01'",
    "timestamp(day) - timestamp '2024-01-01 00:00:00'",
    "year(day)",
    "weekday(day)",
    "quarter(day)",
    "hour(at_offset(day, '+05:30'))",
    "case when cost > 3 then 1 when cost > 0 then 2 else \"select\" end",
    "number(date_trunc('quarter', day))",
    "number(date_trunc('week', day)) + number(date_trunc('year', day))",
    "nullif(\"select\", 3)",
    "number(date(day) + \"select\")",
    "-cost",
    "price * 2 - small",
    "number(price) / 3",
    "small * 1e30",
    "date(born) - date '2000-01-01'",
    "year(born) * 100 + month(born)",
    "hour(at)",
    "timestamp(at) - timestamp '1970-01-01 00:00:00'",
    "case when boolean(flag) then price else cost end",
];

const TEXTS: [&str; 17] = [
    "upper(\"the \"\"region\"\"\")",
    "lower(person)",
    "substr(\"the \"\"region\"\"\", 2, 3)",
    "substr(age, \"select\")",
    "concat(\"the \"\"region\"\"\", age)",
    "concat(age, '.0')",
    "trim(age)",
    "coalesce(\"the \"\"region\"\"\", age)",
    "text(\"select\" * 1)",
    "nullif(\"the \"\"region\"\"\", 'north')",
    "text(date(day))",
    "case person when '1' then age when 'ann' then \"the \"\"region\"\"\" else 'x' end",
    "greatest(\"the \"\"region\"\"\", age)",
    "text(date_trunc('month', day))",
    "text(date(born))",
    "text(price)",
    "concat(text(flag), age)",
];

fn missing(cases: &mut Cases) -> Missing {
    match cases.below(3) {
        0 => Missing::Value(Rational::from(2i64)),
        _ => Missing::Drop,
    }
}

/// One of some columns of numbers: on coarse grids, and on one of 2^40 steps.
fn column(cases: &mut Cases, names: &[&str]) -> Arc<Numbers> {
    let name = cases.pick(names);
    let missing = missing(cases);
    let (bounds, exponent) = cases.pick(&[
        (("-1", "9"), -2),
        (("0", "1099511627776"), 0),
        (("0", "100"), 3),
        (("-12345.678", "99999.5"), -20),
        (("-0.001", "0.001"), -45),
    ]);
    let mut numbers = Numbers::clone(&numbers(name, bounds, exponent, missing));
    let (low, high) = (
        numbers.bounds.lower().clone(),
        numbers.bounds.upper().clone(),
    );
    let middle = [&low + &high].map(|x| x.times_power_of_two(-1));
    numbers.edges = Some([vec![low], middle.to_vec(), vec![high]].concat());
    Arc::new(numbers)
}

/// A query of a few tables with everything that a plan can ask for.
pub fn query(cases: &mut Cases) -> Query {
    let derived = |name: &str, text: &str| {
        let expression = Expression::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        (name.to_owned(), expression)
    };
    let derive = Derive {
        codes: match cases.below(2) {
            0 => vec![],
            _ => vec![
                ("age".to_owned(), vec!["99".to_owned(), "old".to_owned()]),
                ("cost".to_owned(), vec!["-5".to_owned(), "0.1".to_owned()]),
                ("select".to_owned(), vec!["3".to_owned()]),
            ],
        },
        joins: vec![],
        lookups: vec![Arc::new(
            Lookup::new(
                "the \"region\"",
                &["part".to_owned(), "weight".to_owned()],
                [
                    ("north", "up", "1.5"),
                    ("7.0", "o'clock\\", ""),
                    ("true", "", "2e3"),
                ]
                .map(|(key, part, weight)| {
                    (key.to_owned(), vec![part.to_owned(), weight.to_owned()])
                }),
            )
            .unwrap(),
        )],
        filter: match cases.below(3) {
            0 => Some(Expression::condition(cases.pick(&CONDITIONS)).unwrap()),
            _ => None,
        },
        columns: vec![
            derived("x", cases.pick(&NUMBERS)),
            derived("y", cases.pick(&NUMBERS)),
            derived("t", cases.pick(&TEXTS)),
        ],
    };
    let names = [
        "cost", "age", "select", "x", "y", "price", "small", "flag", "weight", "born", "at", "day",
    ];
    let categories = |cases: &mut Cases| {
        let column = cases.pick(&[
            "the \"region\"",
            "t",
            "age",
            "select",
            "cost",
            "part",
            "x",
            "price",
            "born",
            "flag",
            "small",
        ]);
        Arc::new(Categories {
            column: column.to_owned(),
            names: [
                "north",
                "7",
                "17",
                "up",
                "3",
                "0.1",
                "a'b\\c\"d",
                "true",
                "o'clock\\",
                "3.3",
                "2024-02-29",
            ]
            .map(String::from)
            .to_vec(),
            other: cases.pick(&[None, Some(2)]),
        })
    };
    let unit = match cases.below(4) {
        0 => Unit::Row,
        _ => Unit::Column {
            name: cases
                .pick(&["person", "person", "select", "t", "born", "price"])
                .to_owned(),
            most_rows: 1 + cases.below(3),
            most_groups: 1 + cases.below(3),
        },
    };
    let mut tables = Vec::new();
    for _ in 0..1 + cases.below(3) {
        let keys = (0..cases.below(3)).map(|_| match cases.below(3) {
            0 => Key::Categories(categories(cases)),
            1 => Key::Bins(column(cases, &names)),
            _ => Key::Discovered {
                column: cases
                    .pick(&[
                        "person",
                        "the \"region\"",
                        "t",
                        "age",
                        "select",
                        "part",
                        "price",
                        "born",
                        "flag",
                    ])
                    .to_owned(),
            },
        });
        let keys: Vec<Key> = keys.collect();
        let mut aggregates: Vec<Aggregate> = (0..1 + cases.below(4))
            .map(|_| {
                let x = column(cases, &names[..9]);
                let y = column(cases, &names[..9]);
                match cases.below(11) {
                    0 => Aggregate::Rows,
                    1 => Aggregate::Sum(x),
                    2 | 3 => Aggregate::Moments(x),
                    4 => Aggregate::Products(x, y),
                    5 => Aggregate::FineProducts(x, y),
                    6 => Aggregate::Bins(x),
                    7 => Aggregate::Categories(categories(cases)),
                    8 => Aggregate::States(match cases.below(3) {
                        0 => States::Numbers(x),
                        1 => States::Categories(categories(cases)),
                        _ => States::Discovered("t".to_owned()),
                    }),
                    9 => Aggregate::Gram(vec![x, y, column(cases, &names[..3])]),
                    _ => Aggregate::Offsets(x),
                }
            })
            .collect();
        if unit != Unit::Row && cases.below(5) == 0 {
            aggregates = vec![Aggregate::Kept];
        }
        let filter = match cases.below(3) {
            0 => Some(Expression::condition(cases.pick(&CONDITIONS)).unwrap()),
            1 => Some(Expression::condition("x > 0 or t = '7'").unwrap()),
            _ => None,
        };
        tables.push(Table {
            scope: Scope {
                filter,
                most_rows: cases.pick(&[None, Some(2)]),
                most_groups: None,
            },
            keys,
            aggregates,
        });
    }
    Query {
        source: Source::Files(Files {
            paths: vec![],
            base: PathBuf::new(),
            format: FileFormat::Parquet,
        }),
        derive,
        unit,
        tables,
        hash_key: [9; 32],
    }
}

/// Units within their limits, exactly at them, one row or one group above, and far above; asked
/// with limits that none is above, some are and all are. In both ways in which rows that stay are
/// counted: as sums, and one by one.
pub fn at_limits() -> Vec<(Vec<Row>, Query)> {
    let region = "the \"region\"";
    // Rows of each unit in each group; the second unit is spelled in two ways.
    let units: [(&[&str], [usize; 4]); 6] = [
        (&["within"], [1, 1, 0, 0]),
        (&["7", "7.0"], [2, 2, 0, 0]),
        (&["one row above"], [3, 2, 0, 0]),
        (&["one group above"], [2, 0, 2, 2]),
        (&["both", " both "], [3, 2, 4, 0]),
        (&["far above"], [5, 6, 7, 8]),
    ];
    let regions = ["north", "south ", "7.0", "a'b\\c\"d"];
    let mut rows = Vec::new();
    for (names, counts) in units {
        for (group, count) in counts.into_iter().enumerate() {
            for copy in 0..count {
                let name = names[copy % names.len()];
                let texts = [Some(name), Some(regions[group]), None, None];
                rows.push(Row {
                    texts: texts.map(|text| text.map(String::from)),
                    // Some rows are equal.
                    cost: Some((copy / 2) as f64),
                    n: None,
                    price: None,
                    born: None,
                    at: None,
                    small: None,
                    flag: None,
                });
            }
        }
    }
    let cost = Arc::new(Numbers::clone(&numbers(
        "cost",
        ("-1", "9"),
        -2,
        Missing::Drop,
    )));
    let listed = Key::Categories(Arc::new(Categories {
        column: region.to_owned(),
        names: ["north", "south", "7", "west"].map(String::from).to_vec(),
        other: Some(3),
    }));
    let discovered = Key::Discovered {
        column: region.to_owned(),
    };
    let sums = vec![Aggregate::Rows, Aggregate::Moments(cost.clone())];
    let one_by_one = vec![Aggregate::Offsets(cost.clone()), Aggregate::Sum(cost)];
    let mut tables = Vec::new();
    for keys in [vec![listed.clone()], vec![discovered], vec![]] {
        for aggregates in [sums.clone(), one_by_one.clone(), vec![Aggregate::Kept]] {
            tables.push(Table {
                scope: Scope {
                    filter: None,
                    most_rows: None,
                    most_groups: None,
                },
                keys: keys.clone(),
                aggregates,
            });
        }
    }
    let limits = [(8, 4), (7, 4), (8, 3), (2, 2), (3, 2), (2, 3), (1, 1)];
    let query = |(most_rows, most_groups)| Query {
        source: Source::Files(Files {
            paths: vec![],
            base: PathBuf::new(),
            format: FileFormat::Parquet,
        }),
        derive: Derive {
            codes: vec![],
            joins: vec![],
            lookups: vec![],
            filter: None,
            columns: vec![],
        },
        unit: Unit::Column {
            name: "person".to_owned(),
            most_rows,
            most_groups,
        },
        tables: tables.clone(),
        hash_key: [7; 32],
    };
    limits.map(|limits| (rows.clone(), query(limits))).to_vec()
}

/// The statements, or `None` if the dialect refuses this query; the file engine's answer is
/// computed for the others.
pub fn statements(
    query: &Query,
    rows: &[Row],
    relation: &Relation,
    dialect: &'static dyn Dialect,
    columns: Option<&[Vec<Option<String>>]>,
) -> Option<(Statements, Answer)> {
    let columns = match columns {
        Some(rows) => types(query, rows, dialect).unwrap(),
        None => COLUMNS.map(|(name, cell)| (name.to_owned(), cell)).to_vec(),
    };
    let is_typed = columns.iter().any(|(_, cell)| *cell != CellType::Dynamic);
    let statements = Statements::new(query, &columns, relation, dialect);
    match statements {
        Ok(statements) => {
            let options = Options::default();
            let answer = answer_batches(query, &[batch(rows, is_typed)], &options).unwrap();
            Some((statements, answer))
        }
        Err(SqlError::Unsupported { .. } | SqlError::Type { .. }) => None,
        Err(error) => panic!("{error}: {query:?}"),
    }
}

/// Shows where two answers differ.
pub fn compare(found: &Answer, expected: &Answer, case: usize, statements: &Statements) {
    if found == expected {
        return;
    }
    assert_eq!(found.rows, expected.rows, "case {case}");
    for (place, (found, expected)) in found.tables.iter().zip(&expected.tables).enumerate() {
        if found != expected {
            let text = &statements.text()[place + 1].1;
            panic!("case {case}, table {place}\n{found:#?}\ninstead of\n{expected:#?}\n{text}");
        }
    }
}
