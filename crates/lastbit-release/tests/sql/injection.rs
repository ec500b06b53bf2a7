//! Whatever names and texts a plan holds, the statements have the tokens of a plan with harmless
//! ones, and parse as one query each.

use std::path::PathBuf;
use std::sync::Arc;

use lastbit_release::engine::query::{Aggregate, Derive, Key, Query, Table};
use lastbit_release::engine::sql::{CellType, Relation, Statements, dialect, dialects, types_sql};
use lastbit_release::expression::Expression;
use lastbit_release::plan::{Categories, FileFormat, Files, Lookup, Missing, Scope, Source, Unit};
use lastbit_testing::Cases;
use sqlparser::dialect::{
    DatabricksDialect, Dialect as Grammar, DuckDbDialect, GenericDialect, PostgreSqlDialect,
    SQLiteDialect,
};
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, Tokenizer};

use crate::engine::common::numbers;

fn grammar(name: &str) -> Box<dyn Grammar> {
    match name {
        "postgresql" => Box::new(PostgreSqlDialect {}),
        "duckdb" => Box::new(DuckDbDialect {}),
        "sqlite" => Box::new(SQLiteDialect {}),
        "spark" => Box::new(DatabricksDialect {}),
        _ => Box::new(GenericDialect {}),
    }
}

/// A query in which one text stands wherever a plan can have one.
fn query(text: &str) -> Query {
    let quoted = format!("\"{}\"", text.replace('"', "\"\""));
    let literal = text.replace('\'', "''");
    let parse = |text: &str| Expression::condition(text).unwrap();
    Query {
        source: Source::Files(Files {
            paths: vec![],
            base: PathBuf::new(),
            format: FileFormat::Parquet,
        }),
        derive: Derive {
            codes: vec![(text.to_owned(), vec![format!("{text}x")])],
            joins: vec![],
            lookups: vec![Arc::new(
                Lookup::new(
                    text,
                    &["found".to_owned()],
                    [(format!("{text}x"), vec![format!("{text}y")])],
                )
                .unwrap(),
            )],
            filter: Some(parse(&format!("{quoted} = '{literal}' or found = 'a'"))),
            columns: vec![(
                "t".to_owned(),
                Expression::parse(&format!("concat({quoted}, '{literal}')")).unwrap(),
            )],
        },
        unit: Unit::Column {
            name: text.to_owned(),
            most_rows: 2,
            most_groups: 1,
        },
        tables: vec![Table {
            scope: Scope {
                filter: Some(parse(&format!("t in ('{literal}', 'b')"))),
                ..Scope::default()
            },
            keys: vec![
                Key::Categories(Arc::new(Categories {
                    column: text.to_owned(),
                    names: vec![format!("{text}x"), "b".to_owned()],
                    other: None,
                })),
                Key::Discovered {
                    column: text.to_owned(),
                },
            ],
            aggregates: vec![Aggregate::Moments(numbers(
                text,
                ("0", "9"),
                0,
                Missing::Drop,
            ))],
        }],
        hash_key: [1; 32],
    }
}

/// How many statements a text has. Spark's are nested, and the parser goes as deep as they are.
fn how_many(sql: &str, name: &str) -> Result<usize, ParserError> {
    let parse = || {
        let grammar = grammar(name);
        let parser = Parser::new(grammar.as_ref()).with_recursion_limit(500);
        Ok(parser.try_with_sql(sql)?.parse_statements()?.len())
    };
    std::thread::scope(|scope| {
        let deep = std::thread::Builder::new().stack_size(256 << 20);
        deep.spawn_scoped(scope, parse).unwrap().join().unwrap()
    })
}

/// The tokens, with `S` for a text and `N` for a quoted name; and whether the text is one of those
/// that are said.
fn shape(sql: &str, name: &str, text: &str) -> (Vec<String>, bool) {
    let grammar = grammar(name);
    let tokens = Tokenizer::new(grammar.as_ref(), sql).tokenize();
    let tokens = tokens.unwrap_or_else(|error| panic!("{name}: {error}: {sql}"));
    // The grammars do not know Spark's division of whole numbers and DuckDB's `MATERIALIZED`.
    let known = sql.replace(" div ", " / ");
    let known = known.replace(" AS MATERIALIZED (", " AS (");
    let parsed = how_many(&known, name);
    let parsed = parsed.unwrap_or_else(|error| panic!("{name}: {error}: {sql}"));
    assert_eq!(parsed, 1, "{name}: {sql}");
    let mut said = false;
    let mut shape: Vec<String> = Vec::new();
    for token in tokens {
        shape.push(match token {
            Token::Whitespace(_) => continue,
            Token::SingleQuotedString(found) | Token::EscapedStringLiteral(found) => {
                said |= found.contains(text);
                "S".to_owned()
            }
            Token::Word(word) if word.quote_style.is_some() => {
                said |= word.value == text;
                "N".to_owned()
            }
            other => other.to_string(),
        });
    }
    // Spark joins a text from its quotes, backslashes and dollars, by number, and what is between.
    let mut joined: Vec<String> = Vec::new();
    let mut rest = shape.iter().peekable();
    while let Some(token) = rest.next() {
        let is_joined = token == "concat" && name == "spark";
        if is_joined {
            let mut depth = 0;
            for inner in rest.by_ref() {
                match inner.as_str() {
                    "(" => depth += 1,
                    ")" => depth -= 1,
                    "," | "S" | "char" | "36" | "39" | "92" => {}
                    other => panic!("{other} within a text: {sql}"),
                }
                if depth == 0 {
                    break;
                }
            }
            joined.push("S".to_owned());
        } else {
            joined.push(token.clone());
        }
    }
    (joined, said)
}

fn statements(text: &str, name: &str) -> Vec<String> {
    let dialect = dialect(name).unwrap();
    let query = query(text);
    let relation = Relation::Table(vec!["schema".to_owned(), text.to_owned()]);
    let types_sql = types_sql(&query, &relation, dialect).unwrap();
    let cell = match name {
        "sqlite" => CellType::Dynamic,
        _ => CellType::Text,
    };
    let columns = vec![(text.to_owned(), cell)];
    let statements = Statements::new(&query, &columns, &relation, dialect).unwrap();
    let mut all = vec![types_sql, statements.fingerprint().to_owned()];
    all.extend(statements.text().into_iter().map(|(_, sql)| sql));
    all
}

#[test]
fn no_name_or_text_changes_the_shape_of_a_statement() {
    let mut cases = Cases(33);
    let pieces = [
        "'",
        "\"",
        "`",
        "\\",
        "''",
        "\\'",
        "--",
        "/*",
        "*/",
        ";",
        "x'",
        "E'",
        "$$",
        "${",
        "$tag$",
        "\n",
        "\r",
        "\t",
        ")",
        "(",
        ",",
        " or 1=1 ",
        "; drop table visits; ",
        "%",
        "_",
        "!",
        "é",
        "\u{2028}",
        "\u{0}",
        "{",
        "}",
        "?",
        ":a",
        "@b",
        "[",
        "]",
        "#",
        "select",
        " union all ",
        "0",
    ];
    let mut hostile: Vec<String> = pieces.iter().map(|piece| format!("a{piece}b")).collect();
    hostile.push(format!("a{}b", "'\\\"".repeat(1_000)));
    for _ in 0..40 {
        let many = 1 + cases.below(6);
        let middle: String = (0..many).map(|_| cases.pick(&pieces)).collect();
        hostile.push(format!("a{middle}b"));
    }
    for one in dialects() {
        let name = one.name();
        let harmless: Vec<_> = statements("ab", name);
        let expected: Vec<Vec<String>> = harmless
            .iter()
            .map(|sql| shape(sql, name, "ab").0)
            .collect();
        for text in &hostile {
            if text.contains('\0') || (name == "spark" && text.contains("${")) {
                // Refused: NUL by every dialect, and what Spark would replace by it.
                let relation = Relation::Table(vec![text.clone()]);
                assert!(types_sql(&query(text), &relation, *one).is_err());
                continue;
            }
            let found = statements(text, name);
            for (sql, expected) in found.iter().zip(&expected) {
                let (shape, said) = shape(sql, name, text);
                assert_eq!(&shape, expected, "{name}: {text:?}");
                assert!(said || name == "spark", "{name}: {text:?}: {sql}");
            }
        }
    }
}

#[test]
fn a_text_of_a_dialect_reads_back_as_itself() {
    // The test above would miss a literal that ends where it should and says another text.
    for one in dialects().iter().filter(|one| one.name() != "spark") {
        for text in ["it's", "a\\b", "\\'", "''", "a\\'; --", "\\u0027"] {
            let grammar = grammar(one.name());
            let sql = one.literal(text).unwrap();
            let tokens = Tokenizer::new(grammar.as_ref(), &sql).tokenize().unwrap();
            let said = match tokens.as_slice() {
                [Token::SingleQuotedString(said) | Token::EscapedStringLiteral(said)] => said,
                other => panic!("{other:?}"),
            };
            assert_eq!(said, text, "{}", one.name());
        }
    }
}
