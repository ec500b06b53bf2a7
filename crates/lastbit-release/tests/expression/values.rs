//! What expressions evaluate to: against DuckDB on thousands of random expressions over nasty
//! cells, from typed columns and from text, whole, in pieces and in another order.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, TimestampMicrosecondType};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Date32Array, Float64Array, RecordBatch, StringArray,
    TimestampMicrosecondArray,
};
use lastbit_release::expression::Expression;
use serde_json::Value as Json;

const VECTORS: &str = include_str!("../data/expression_vectors.jsonl");

/// What a row of a result says; numbers by value, with one zero.
fn shown(array: &ArrayRef) -> Vec<Option<String>> {
    let text = |row: usize| {
        use arrow_schema::DataType;
        match array.data_type() {
            DataType::Float64 => {
                format!("{:e}", array.as_primitive::<Float64Type>().value(row) + 0.0)
            }
            DataType::Boolean => array.as_boolean().value(row).to_string(),
            DataType::Date32 => array.as_primitive::<Date32Type>().value(row).to_string(),
            DataType::Timestamp(..) => {
                let times = array.as_primitive::<TimestampMicrosecondType>();
                times.value(row).to_string()
            }
            DataType::LargeUtf8 => array.as_string::<i64>().value(row).to_owned(),
            other => panic!("{other}"),
        }
    };
    let cell = |row| array.is_valid(row).then(|| text(row));
    (0..array.len()).map(cell).collect()
}

fn evaluate(text: &str, batch: &RecordBatch) -> Vec<Option<String>> {
    let expression = Expression::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    shown(&expression.evaluate(batch).unwrap())
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, a)| (n, a, true)))
        .unwrap()
}

/// A date as Python reads it back: days since 1970, by the oracle's own values.
fn day(text: &str) -> i32 {
    let parts: Vec<i64> = text.split('-').map(|part| part.parse().unwrap()).collect();
    // Counted one month after the other: slow, and not the calendar that is tested.
    let leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let months = |year| {
        [
            31,
            28 + i64::from(leap(year)),
            31,
            30,
            31,
            30,
            31,
            31,
            30,
            31,
            30,
            31,
        ]
    };
    let years: i64 = (1..parts[0]).map(|year| 365 + i64::from(leap(year))).sum();
    let in_year: i64 = months(parts[0])[..parts[1] as usize - 1].iter().sum();
    (years + in_year + parts[2] - 1 - 719_162) as i32
}

fn microsecond(text: &str) -> i64 {
    let (date, time) = text.split_once('T').unwrap();
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let parts: Vec<i64> = time.split(':').map(|part| part.parse().unwrap()).collect();
    let seconds = i64::from(day(date)) * 86_400 + parts[0] * 3600 + parts[1] * 60 + parts[2];
    seconds * 1_000_000 + format!("{fraction:0<6}").parse::<i64>().unwrap()
}

/// The oracle's table with typed columns, and as texts alone, as CSV has it.
fn tables() -> (RecordBatch, RecordBatch) {
    let columns: Json = serde_json::from_str(VECTORS.lines().next().unwrap()).unwrap();
    let cells = |name: &str| columns[name].as_array().unwrap().clone();
    let text = |cell: &Json| cell.as_str().map(str::to_owned);
    let mut typed: Vec<(&str, ArrayRef)> = Vec::new();
    let mut texts: Vec<(&str, ArrayRef)> = Vec::new();
    for name in ["n", "m", "t", "u", "d", "e", "s", "r", "b", "c", "dt", "st"] {
        let cells = cells(name);
        let array: ArrayRef = match name {
            "n" | "m" => {
                let number = |cell: &Json| text(cell).map(|cell| cell.parse::<f64>().unwrap());
                Arc::new(Float64Array::from_iter(cells.iter().map(number)))
            }
            "d" | "e" => Arc::new(Date32Array::from_iter(
                cells.iter().map(|cell| text(cell).map(|cell| day(&cell))),
            )),
            "s" | "r" => Arc::new(TimestampMicrosecondArray::from_iter(
                cells
                    .iter()
                    .map(|cell| text(cell).map(|cell| microsecond(&cell))),
            )),
            "b" | "c" => Arc::new(BooleanArray::from_iter(cells.iter().map(Json::as_bool))),
            _ => Arc::new(StringArray::from_iter(cells.iter().map(text))),
        };
        typed.push((name, array));
        let cell = |cell: &Json| match cell {
            Json::Bool(truth) => Some(if *truth { "True" } else { "FALSE" }.to_owned()),
            other => text(other).map(|text| format!(" {text}")),
        };
        texts.push((
            name,
            Arc::new(StringArray::from_iter(cells.iter().map(cell))),
        ));
    }
    (batch(typed), batch(texts))
}

fn vectors() -> impl Iterator<Item = (String, Vec<Option<String>>)> {
    VECTORS.lines().skip(1).map(|line| {
        let line: Json = serde_json::from_str(line).unwrap();
        let is_number = line["type"] == "number";
        let values = line["values"]
            .as_array()
            .unwrap()
            .iter()
            .map(|value| match value {
                Json::Null => None,
                Json::String(text) if is_number => {
                    Some(format!("{:e}", text.parse::<f64>().unwrap() + 0.0))
                }
                Json::String(text) => Some(text.clone()),
                other => Some(other.to_string()),
            });
        (
            line["expression"].as_str().unwrap().to_owned(),
            values.collect(),
        )
    })
}

#[test]
fn values_are_those_of_duckdb_from_typed_columns_and_from_text() {
    let (typed, texts) = tables();
    let mut seen = 0;
    for (text, expected) in vectors() {
        assert_eq!(evaluate(&text, &typed), expected, "{text}");
        assert_eq!(evaluate(&text, &texts), expected, "{text}, from text");
        // The one text means the same.
        let expression = Expression::parse(&text).unwrap();
        assert_eq!(
            Expression::parse(&expression.to_string()).unwrap(),
            expression,
            "{text}"
        );
        seen += 1;
    }
    assert!(seen >= 2000);
}

#[test]
fn a_row_has_the_same_value_in_any_batch() {
    let (typed, texts) = tables();
    for (text, _) in vectors() {
        let expression = Expression::parse(&text).unwrap();
        for table in [&typed, &texts] {
            let whole = shown(&expression.evaluate(table).unwrap());
            let rows = table.num_rows();
            let pieces = [(0, 1), (1, 0), (1, 12), (13, rows - 13)];
            let joined: Vec<_> = pieces
                .iter()
                .flat_map(|(from, count)| {
                    shown(&expression.evaluate(&table.slice(*from, *count)).unwrap())
                })
                .collect();
            assert_eq!(joined, whole, "{text}");
            let order: Vec<usize> = (0..rows).map(|row| row * 17 % rows).collect();
            let places =
                arrow_array::UInt64Array::from_iter_values(order.iter().map(|x| *x as u64));
            let moved = arrow_select::take::take_record_batch(table, &places).unwrap();
            let moved = shown(&expression.evaluate(&moved).unwrap());
            for (row, from) in order.iter().enumerate() {
                assert_eq!(moved[row], whole[*from], "{text}");
            }
        }
    }
}

/// The values of an expression over one column of texts, as CSV has it; `-` is null.
fn over(text: &str, cells: &[&str]) -> Vec<String> {
    let table = batch(vec![("x", Arc::new(StringArray::from_iter_values(cells)))]);
    evaluate(text, &table)
        .into_iter()
        .map(|cell| cell.unwrap_or("-".into()))
        .collect()
}

fn one(text: &str) -> String {
    over(text, &["1"]).remove(0)
}

#[test]
fn cells_are_read_by_how_they_are_used() {
    let cells = [
        "7", "7.0", " +7e0 ", "07", "", " ", "NaN", "inf", "1e400", "true", "False", "abc", ".5",
        "1_0", "0x10",
    ];
    assert_eq!(
        over("number(x)", &cells),
        [
            "7e0", "7e0", "7e0", "7e0", "-", "-", "-", "inf", "inf", "1e0", "0e0", "-", "5e-1",
            "-", "-"
        ]
    );
    assert_eq!(
        over("x", &cells),
        [
            "7", "7", "7", "07", "-", "-", "NaN", "inf", "1e400", "true", "false", "abc", ".5",
            "1_0", "0x10"
        ]
    );
    assert_eq!(
        over(
            "boolean(x)",
            &["true", "TRUE", "1", "1.0", "false", "0", "yes", "2", ""]
        ),
        [
            "true", "true", "true", "true", "false", "false", "-", "-", "-"
        ]
    );
    assert_eq!(
        over(
            "date(x)",
            &[
                "1970-01-02",
                " 1970-01-02 ",
                "1970-01-02T23:59",
                "1970-01-02 00:30+01:00",
                "1970-1-2",
                "2"
            ]
        ),
        ["1", "1", "1", "0", "-", "-"]
    );
    assert_eq!(
        over(
            "timestamp(x)",
            &[
                "1970-01-01",
                "1970-01-01T00:00:00.0000019",
                "1970-01-01 00:01Z",
                "1970-01-01T24:00",
                "1970-01-01T00:00:60",
                "1970-01-01T00:00:00.1234567890",
                "0001-01-01T00:00+00:01",
                "9999-12-31T23:59-00:01",
                "1970-01-01 01:00+0100"
            ]
        ),
        ["0", "1", "60000000", "-", "-", "-", "-", "-", "0"]
    );
    // By value.
    assert_eq!(
        over("x = '7'", &cells)[..4],
        ["true", "true", "true", "false"]
    );
    assert_eq!(over("x = 7", &cells)[..4], ["true", "true", "true", "true"]);
    assert_eq!(
        over("x in (7, 'TRUE')", &cells)[..4],
        ["true", "true", "true", "false"]
    );
    assert_eq!(over("x in (7, 'TRUE')", &cells)[9], "true");
    assert_eq!(over("upper(x) = 'TRUE'", &cells)[9..11], ["true", "false"]);
    assert_eq!(
        over("x is null", &cells)[3..8],
        ["false", "true", "true", "false", "false"]
    );
    // A condition reads its cell as one.
    let table = batch(vec![(
        "x",
        Arc::new(StringArray::from(vec!["1", "no", "0"])),
    )]);
    let condition = Expression::condition("not x").unwrap();
    let values = shown(&condition.evaluate(&table).unwrap());
    assert_eq!(values, [Some("false".into()), None, Some("true".into())]);
}

#[test]
fn what_has_no_value_is_null() {
    for text in [
        "1 / 0",
        "0 / 0",
        "-1 / 0",
        "1 % 0",
        "1e308 * 10",
        "-1e308 - 1e308",
        "sqrt(-1)",
        "number('inf') - number('inf')",
        "number('inf') + 1",
        "abs(number('inf'))",
        "number('x')",
        "1 + null",
        "substr('abc', 0)",
        "substr('abc', 1.5)",
        "substr('abc', 1, -1)",
        "text(0.5 + 0)",
        "text(number('1e17'))",
        "date '9999-12-31' + 1",
        "date '0001-01-01' - 1",
        "date '2024-01-01' + 0.5",
        "date '2024-01-01' + 1e300",
        "date('2023-02-29')",
        "timestamp('2024-01-31T25:00')",
        "at_offset(timestamp '9999-12-31 23:00', '+02:00')",
        "'a' || null",
        "concat('a', null)",
        "null = null",
        "null in (1)",
        "1 in (2, null)",
        "not (null = 1)",
        "true and null",
        "false or null",
        "nullif(1, 1)",
        "case when null then 1 end",
    ] {
        assert_eq!(one(text), "-", "{text}");
    }
    for (text, value) in [
        ("7 / 2", "3.5e0"),
        ("-7 % 3", "-1e0"),
        ("7 % -3", "1e0"),
        ("5.5 % 2", "1.5e0"),
        ("1 / number('inf')", "0e0"),
        ("number('inf') > 1e308", "true"),
        ("0 = -0.0", "true"),
        ("round(2.5)", "3e0"),
        ("round(-2.5)", "-3e0"),
        ("round(0.49999999999999994)", "0e0"),
        ("trunc(-1.7)", "-1e0"),
        ("false and null", "false"),
        ("true or null", "true"),
        ("(1 in (2, null)) is null", "true"),
        ("least(2, null, 1)", "1e0"),
        ("greatest(null, 'b', 'a')", "b"),
        ("coalesce(null, 'x')", "x"),
        ("length('e\u{301}')", "2e0"),
        ("upper('straße')", "STRAßE"),
        ("trim('\u{3000} a b\u{a0}')", "a b"),
        ("substr('漢字x', 2, 1)", "字"),
        ("substr('abc', 9)", ""),
        ("length(substr('abc', 9)) = 0", "true"),
        ("'100%' like '100!%' escape '!'", "true"),
        ("'100x' like '100!%' escape '!'", "false"),
        ("'a\\b' like 'a\\b'", "true"),
        ("text(year(date '0001-01-01'))", "1"),
        ("text(-0.0 * 1)", "0"),
        ("text(date '0001-01-01')", "0001-01-01"),
        (
            "text(timestamp '2024-01-31 10:00:00.5')",
            "2024-01-31T10:00:00.500",
        ),
        ("text(1 = 1)", "true"),
        ("number(date '1970-01-11')", "1e1"),
        ("number(timestamp '1970-01-01 00:00:01.5')", "1.5e0"),
        ("timestamp '1970-01-02' - date '1970-01-01'", "8.64e4"),
        ("date '2024-03-01' - date '2024-02-01'", "2.9e1"),
        ("week(date '2021-01-03')", "5.3e1"),
        ("weekday(date '2024-01-01')", "1e0"),
        (
            "hour(at_offset(timestamp '2024-01-31 23:30', '+01:00'))",
            "0e0",
        ),
        ("'10' < '9'", "true"),
        ("'1' = '1.0'", "true"),
        ("9007199254740992 + 1", "9.007199254740992e15"),
    ] {
        assert_eq!(one(text), value, "{text}");
    }
}

#[test]
fn texts_that_join_others_are_bounded() {
    let half = "x".repeat(2048);
    assert_eq!(over("length(x || x)", &[&half]), ["4.096e3"]);
    assert_eq!(over("x || x || 'y'", &[&half]), ["-"]);
    // A cell may be longer.
    assert_eq!(over("length(x)", &[&half.repeat(3)]), ["6.144e3"]);
    let long = format!("x = '{}'", "y".repeat(4097));
    assert!(
        Expression::parse(&long)
            .unwrap_err()
            .message()
            .contains("4096")
    );
}

#[test]
fn numbers_and_dates_of_every_column_type_are_read() {
    use arrow_array::*;
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int8Array::from(vec![1, 2])),
        Arc::new(UInt64Array::from(vec![1, 2])),
        Arc::new(Float32Array::from(vec![1.0, 2.0])),
        Arc::new(LargeStringArray::from(vec!["1.0", "2"])),
        Arc::new(StringViewArray::from(vec!["1", "2.00"])),
        Arc::new(
            Decimal128Array::from(vec![100, 200])
                .with_precision_and_scale(5, 2)
                .unwrap(),
        ),
    ];
    for column in columns {
        let table = batch(vec![("x", column)]);
        for text in [
            "x + 1 = 2",
            "x = '1'",
            "x in ('1', 'a')",
            "x like '1'",
            "x = 1 and x is not null",
            "boolean(x)",
        ] {
            let values = evaluate(text, &table);
            assert_eq!(values[0].as_deref(), Some("true"), "{text} of {table:?}");
            assert_ne!(values[1].as_deref(), Some("true"), "{text} of {table:?}");
        }
        let error = Expression::parse("month(x)").unwrap().evaluate(&table);
        let is_text = table.column(0).data_type().to_string().contains("Utf8");
        assert_eq!(error.is_ok(), is_text);
    }
    let times: Vec<ArrayRef> = vec![
        Arc::new(TimestampSecondArray::from(vec![
            Some(-1),
            Some(i64::MAX),
            None,
        ])),
        Arc::new(TimestampMillisecondArray::from(vec![
            Some(-1),
            Some(i64::MIN),
            None,
        ])),
        Arc::new(TimestampNanosecondArray::from(vec![Some(-1), None, None]).with_timezone("UTC")),
        Arc::new(Date32Array::from(vec![Some(-1), Some(i32::MAX), None])),
        Arc::new(Date64Array::from(vec![Some(-1), Some(i64::MAX), None])),
        Arc::new(StringArray::from(vec![
            Some("1969-12-31T12:00Z"),
            Some("x"),
            None,
        ])),
    ];
    for column in times {
        let table = batch(vec![("x", column)]);
        assert_eq!(
            evaluate("year(x)", &table),
            [Some("1.969e3".into()), None, None]
        );
        assert_eq!(
            evaluate("x < date '1970-01-01'", &table),
            [Some("true".into()), None, None]
        );
        assert_eq!(
            evaluate("date(timestamp(x))", &table),
            [Some("-1".into()), None, None]
        );
    }
    let missing = Expression::parse("y + 1")
        .unwrap()
        .evaluate(&batch(vec![("x", Arc::new(Int8Array::from(vec![1])))]));
    assert!(missing.unwrap_err().to_string().contains("no column `y`"));
}
