//! What expressions mean, as their one text; and what is refused, with the place, the reason and
//! the remedy.

use std::time::{Duration, Instant};

use lastbit_release::expression::{Expression, MOST_BYTES, Type};
use proptest::prelude::*;

#[test]
fn columns_may_be_called_like_types_and_functions() {
    for (text, canonical) in [
        (
            "date >= date '2024-01-31'",
            r#"(date("date") >= date '2024-01-31')"#,
        ),
        (
            "month = 3 and year(date) = year",
            r#"((number("month") = 3) and (year(date("date")) = number("year")))"#,
        ),
        (
            "text = 'a' or number > 1",
            r#"((text("text") = 'a') or (number("number") > 1))"#,
        ),
        ("timestamp is null", r#"(text("timestamp") is null)"#),
        (
            "count + sum + value",
            r#"((number("count") + number("sum")) + number("value"))"#,
        ),
        (
            r#""order" = 1 and "CURRENT_USER" = 2"#,
            r#"((number("order") = 1) and (number("CURRENT_USER") = 2))"#,
        ),
    ] {
        let expression = Expression::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(expression.to_string(), canonical);
    }
}

/// Each text, and its one text. Releases are identified by the latter: no line of the file may ever
/// change.
#[test]
fn canonical_texts_are_those_of_the_file() {
    let golden = include_str!("../data/expression-canonical.txt");
    let mut seen = 0;
    for pair in golden.split("\n\n").filter(|pair| !pair.trim().is_empty()) {
        let (text, canonical) = pair.trim_matches('\n').split_once("\n=> ").unwrap();
        let expression = Expression::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(expression.to_string(), canonical, "{text}");
        // It is an expression, with itself as its text and the same meaning.
        let again =
            Expression::parse(canonical).unwrap_or_else(|error| panic!("{canonical}: {error}"));
        assert_eq!(again, expression, "{text}");
        seen += 1;
    }
    assert!(seen >= 60, "{seen}");
}

#[test]
fn columns_are_named_once_in_their_order() {
    let expression =
        Expression::parse(r#"case when b > number(a) then "the x" else b end + a"#).unwrap();
    assert_eq!(expression.columns(), ["b", "a", "the x"]);
    assert_eq!(expression.kind(), Type::Number);
    assert_eq!(Expression::parse("date(x)").unwrap().kind(), Type::Date);
    assert_eq!(
        Expression::condition("employed").unwrap().to_string(),
        r#"boolean("employed")"#
    );
}

#[test]
fn refusals_say_where_why_and_what_to_write() {
    let mut wrong = Vec::new();
    for (text, line, column, parts) in [
        ("age >= count(age)", 1, 8, &["other rows", "statistic"][..]),
        ("max(a, b)", 1, 1, &["other rows", "greatest"]),
        ("x > 1 and\n  avg(x) > 2", 2, 3, &["other rows"]),
        ("lag(x) over (order by y)", 1, 1, &["other rows"]),
        ("sum(x) over ()", 1, 1, &["other rows"]),
        ("row_number() over ()", 1, 1, &["other rows"]),
        (
            "x > (select avg(x) from t)",
            1,
            6,
            &["subquery", "other rows"],
        ),
        ("x in (select y from t)", 1, 1, &["subquery"]),
        ("exists (select 1)", 1, 9, &["subquery"]),
        ("random() < 0.5", 1, 1, &["another value each time"]),
        ("x < now()", 1, 5, &["when it is run", "date '2024-01-31'"]),
        ("x < current_date", 1, 5, &["when it is run"]),
        ("x < current_timestamp", 1, 5, &["when it is run"]),
        ("current_user = 'a'", 1, 1, &["session"]),
        ("to_char(x, 'MM')", 1, 1, &["locale"]),
        ("x collate \"de\" = 'a'", 1, 1, &["locale"]),
        ("ln(x)", 1, 1, &["last bits"]),
        ("power(x, 2)", 1, 1, &["last bits"]),
        (
            "mnth(x)",
            1,
            1,
            &["no function `mnth`", "did you mean `month`?"],
        ),
        (
            "frobnicate(x)",
            1,
            1,
            &["the functions are abs", "weekday, year"],
        ),
        ("length(a, b)", 1, 1, &["one argument", "2 are given"]),
        ("round(x, 2)", 1, 1, &["round(x * 100) / 100"]),
        ("a < b", 1, 1, &["in which order", "number(x)"]),
        ("a between b and c", 1, 1, &["in which order"]),
        ("date(x) >= '2024-01-31'", 1, 12, &["date '2024-01-31'"]),
        ("year(x) = 'y'", 1, 11, &["a number is needed", "number(…)"]),
        ("x + 'a'", 1, 5, &["a number is needed", "this is a text"]),
        ("x and 3", 1, 7, &["a condition is needed", "<> 0"]),
        ("(a = 1) + 1", 1, 2, &["case when"]),
        ("(a = 1) < (b = 1)", 1, 2, &["no order"]),
        ("date(x) - y", 1, 11, &["date(…)"]),
        ("date(x) * 2", 1, 1, &["nothing else"]),
        ("date(x + 1)", 1, 6, &["date '1970-01-01' +"]),
        ("timestamp(x) + 1", 1, 1, &["nothing else"]),
        ("date '2023-02-29'", 1, 6, &["no day `2023-02-29`"]),
        ("date '0000-01-01'", 1, 6, &["no day"]),
        ("timestamp '2024-01-31 25:00'", 1, 11, &["no time"]),
        ("x + interval '1 day'", 1, 14, &["date(x) + 7"]),
        ("x at time zone 'Europe/Berlin'", 1, 1, &["at_offset"]),
        (
            "at_offset(x, 'Europe/Berlin')",
            1,
            14,
            &["change from machine to machine"],
        ),
        ("date_trunc('decade', x)", 1, 12, &["'quarter'"]),
        ("date_trunc(y, x)", 1, 12, &["single quotes"]),
        ("cast(x as integer)", 1, 6, &["round(x)"]),
        ("cast(x as timestamp with time zone)", 1, 6, &["no type"]),
        ("try_cast(x as double)", 1, 10, &["cast(x as double)"]),
        ("t.x > 1", 1, 1, &["one name"]),
        ("x ilike 'a%'", 1, 1, &["lower(x) like"]),
        ("x similar to 'a%'", 1, 1, &["regular expressions"]),
        ("x like y", 1, 8, &["single quotes"]),
        ("x like 'a!' escape '!'", 1, 8, &["escape character"]),
        ("x = ''", 1, 5, &["is null"]),
        ("x in ('a', ' ')", 1, 12, &["is null"]),
        (
            "id = 9007199254740993",
            1,
            6,
            &["2^53", "'9007199254740993'"],
        ),
        ("x < 1e999", 1, 5, &["too large"]),
        ("x ^ 2", 1, 1, &["no operator"]),
        ("datediff(a, b)", 1, 1, &["date(x) - date(y)"]),
        ("", 1, 1, &["empty"]),
        (" -- nothing", 1, 1, &["empty"]),
        ("a b", 1, 3, &["`b` is not expected"]),
        ("a >", 1, 4, &["no SQL expression"]),
        ("a = 'x", 1, 5, &["Unterminated"]),
        ("a = 1; drop table t", 1, 6, &["`;` is not expected"]),
        ("(a = 1", 1, 7, &["no SQL expression"]),
    ] {
        let error = match (Expression::parse(text), Expression::condition(text)) {
            (Err(error), _) | (_, Err(error)) => error,
            _ => panic!("{text} is accepted"),
        };
        for part in parts {
            if !error.message().contains(part) {
                wrong.push(format!("{text}: {error}: {part}"));
            }
        }
        if (error.line(), error.column()) != (line, column) {
            wrong.push(format!("{text}: {error}"));
        }
        assert!(error.to_string().contains(error.message()));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_deep_or_long_is_refused_quickly() {
    let start = Instant::now();
    let texts = [
        format!("{}x{}", "(".repeat(5000), ")".repeat(5000)),
        format!("{}x{}", "(".repeat(60), ")".repeat(60)),
        "(".repeat(39),
        "not ".repeat(3000) + "x",
        "- ".repeat(3000) + "1",
        "case when ".repeat(1000),
        "case-".repeat(300) + "c",
        "abs(".repeat(1000) + "x",
        "x in (".repeat(500),
        "cast(".repeat(500),
        "date ".repeat(500),
        "substring(".repeat(400) + "x",
        "interval ".repeat(400),
        "x between ".repeat(350),
        "[".repeat(2000),
        "{".repeat(2000),
        "x".repeat(MOST_BYTES + 1),
        "x+".repeat(1999) + "x",
        "x+".repeat(7999) + "x",
        "x and ".repeat(2500) + "x",
        "coalesce(nullif(".repeat(100),
    ];
    for text in texts {
        assert!(Expression::parse(&text).is_err(), "{}", &text[..40]);
    }
    assert!(
        start.elapsed() < Duration::from_secs(60),
        "{:?}",
        start.elapsed()
    );
    // As long and as deep as is allowed.
    Expression::parse(&("x+".repeat(198) + "x")).unwrap();
    Expression::condition(&("x = 1 or ".repeat(900) + "x = 2")).unwrap();
    Expression::parse(&format!("{}x{}", "(".repeat(30), ")".repeat(30))).unwrap();
    let codes = vec!["7"; 1900].join(",");
    Expression::condition(&format!("x in ({codes})")).unwrap();
}

const WORDS: [&str; 62] = [
    "x",
    "y",
    "\"a b\"",
    "1",
    "2.5",
    "'t'",
    "'2024-01-31'",
    "null",
    "true",
    "(",
    ")",
    ",",
    "+",
    "-",
    "*",
    "/",
    "%",
    "||",
    "=",
    "<>",
    "<",
    ">=",
    "and",
    "or",
    "not",
    "is",
    "null",
    "in",
    "between",
    "like",
    "case",
    "when",
    "then",
    "else",
    "end",
    "cast(",
    "as",
    "double",
    "date",
    "timestamp",
    "interval",
    "abs(",
    "coalesce(",
    "nullif(",
    "date_trunc(",
    "'month'",
    "substr(",
    "extract(",
    "year",
    "from",
    "select",
    "over",
    "trim(",
    "escape",
    ".",
    ";",
    "--",
    "/*",
    "::",
    "[",
    "'",
    "\"",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn no_text_panics_or_takes_long(text in "\\PC{0,60}|[a-z0-9()'\"+*/<>=., -]{0,80}") {
        let start = Instant::now();
        if let Ok(expression) = Expression::parse(&text) {
            let canonical = expression.to_string();
            prop_assert_eq!(Expression::parse(&canonical).unwrap(), expression);
        }
        prop_assert!(start.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn no_words_panic_or_take_long(places in prop::collection::vec(0..WORDS.len(), 0..40)) {
        let words: Vec<&str> = places.iter().map(|place| WORDS[*place]).collect();
        let text = words.join(" ");
        let start = Instant::now();
        if let Ok(expression) = Expression::parse(&text) {
            let canonical = expression.to_string();
            prop_assert_eq!(Expression::parse(&canonical).unwrap(), expression);
        }
        prop_assert!(start.elapsed() < Duration::from_secs(30), "{}", text);
    }
}
