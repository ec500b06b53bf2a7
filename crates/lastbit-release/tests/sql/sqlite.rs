//! SQLite in this process beside the file engine.

use lastbit_release::engine::sql::{
    Relation, Rows, Statements, dialect, register, types, types_sql,
};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, params};

use super::cases::{
    COLUMNS, Cases, MOST_ROWS, Row, SEED, TABLES, at_limits, compare, query, rows, statements,
};

pub fn table(connection: &Connection, rows: &[Row]) {
    let names = COLUMNS.map(|(name, _)| format!("\"{}\"", name.replace('"', "\"\"")));
    connection
        .execute_batch(&format!(
            "drop table if exists visits; create table visits ({})",
            names.join(", ")
        ))
        .unwrap();
    let mut insert = connection
        .prepare("insert into visits values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .unwrap();
    for row in rows {
        let [a, b, c, d] = &row.texts;
        let (born, at) = (row.born.map(|(_, text)| text), row.at.map(|(_, text)| text));
        let flag = row.flag.map(|flag| flag.to_string());
        let small = row.small.map(f64::from);
        insert
            .execute(params![
                a,
                b,
                c,
                d,
                row.cost,
                row.n,
                row.price_text(),
                born,
                at,
                small,
                flag
            ])
            .unwrap();
    }
}

pub fn run(connection: &Connection, sql: &str) -> Rows {
    let mut statement = connection
        .prepare(sql)
        .unwrap_or_else(|error| panic!("{error}: {sql}"));
    let count = statement.column_count();
    let mut found = statement.query([]).unwrap();
    let mut all = Vec::new();
    loop {
        let row = match found.next() {
            Ok(row) => row,
            Err(error) => panic!("{error}: {sql}"),
        };
        let Some(row) = row else { break };
        let cell = |place| match row.get_ref(place).unwrap() {
            ValueRef::Null => None,
            ValueRef::Text(text) => Some(String::from_utf8(text.to_vec()).unwrap()),
            other => panic!("a cell is {other:?}"),
        };
        all.push((0..count).map(cell).collect());
    }
    all
}

fn answer(
    connection: &Connection,
    statements: &Statements,
) -> lastbit_release::engine::query::Answer {
    let results: Vec<Rows> = statements
        .text()
        .iter()
        .map(|(_, sql)| run(connection, sql))
        .collect();
    statements.answer(&results).unwrap()
}

#[test]
fn sqlite_gives_the_integers_of_the_file_engine() {
    let connection = Connection::open_in_memory().unwrap();
    register(&connection).unwrap();
    let relation = Relation::Table(vec!["visits".to_owned()]);
    let dialect = dialect("sqlite").unwrap();
    let mut cases = Cases(SEED);
    let (mut compared, mut refused) = (0, 0);
    for case in 0..TABLES {
        let rows = rows(&mut cases, MOST_ROWS);
        let query = query(&mut cases);
        table(&connection, &rows);
        let columns = run(&connection, &types_sql(&query, &relation, dialect).unwrap());
        let Some((statements, expected)) =
            statements(&query, &rows, &relation, dialect, Some(&columns))
        else {
            refused += 1;
            continue;
        };
        compare(
            &answer(&connection, &statements),
            &expected,
            case,
            &statements,
        );
        compared += 1;
    }
    assert!(compared > 3 * TABLES / 4, "{refused} were refused");
}

#[test]
fn units_at_and_above_their_limits_keep_the_rows_of_the_file_engine() {
    let connection = Connection::open_in_memory().unwrap();
    register(&connection).unwrap();
    let relation = Relation::Table(vec!["visits".to_owned()]);
    let dialect = dialect("sqlite").unwrap();
    for (case, (rows, query)) in at_limits().into_iter().enumerate() {
        table(&connection, &rows);
        let columns = run(&connection, &types_sql(&query, &relation, dialect).unwrap());
        let (statements, expected) =
            statements(&query, &rows, &relation, dialect, Some(&columns)).unwrap();
        let found = answer(&connection, &statements);
        compare(&found, &expected, case, &statements);
    }
}

#[test]
fn a_fingerprint_tells_tables_apart_and_does_not_know_their_order() {
    let connection = Connection::open_in_memory().unwrap();
    register(&connection).unwrap();
    let relation = Relation::Query("select * from visits -- all of them".to_owned());
    let dialect = dialect("sqlite").unwrap();
    let mut cases = Cases(16);
    let query = query(&mut cases);
    let mut visits = rows(&mut cases, 30);
    let fingerprint = |rows: &[Row]| {
        table(&connection, rows);
        let columns = run(&connection, &types_sql(&query, &relation, dialect).unwrap());
        let columns = types(&query, &columns, dialect).unwrap();
        let statements = Statements::new(&query, &columns, &relation, dialect).unwrap();
        let found = run(&connection, statements.fingerprint());
        statements.fingerprint_of(&found).unwrap()
    };
    while visits.len() < 5 {
        visits = rows(&mut cases, 30);
    }
    let before = fingerprint(&visits);
    visits.reverse();
    assert_eq!(fingerprint(&visits), before);
    let mut fewer = visits.clone();
    fewer.pop();
    assert_ne!(fingerprint(&fewer), before);
    visits[0].texts = [const { None }; 4];
    visits[0].texts[0] = Some("somebody else".to_owned());
    visits[0].texts[2] = Some("31".to_owned());
    assert_ne!(fingerprint(&visits), before);
}

/// SQLite lets every name of a `with` be read by all of it, also by what stands before.
#[test]
fn a_table_may_be_called_as_a_stage_might_be() {
    let connection = Connection::open_in_memory().unwrap();
    register(&connection).unwrap();
    let dialect = dialect("sqlite").unwrap();
    let mut random = Cases(17);
    let mut cases = at_limits();
    cases.extend((0..10).map(|_| (rows(&mut random, 5), query(&mut random))));
    let mut compared = 0;
    for name in [
        "t", "T", "s0", "s1", "r0", "p", "u", "l1", "pairs", "counted", "hashed", "ranked",
        "staying", "above", "kept", "units", "parted", "one", "relation", "texts",
    ] {
        let relation = Relation::Table(vec![name.to_owned()]);
        for (case, (rows, query)) in cases.iter().enumerate() {
            table(&connection, rows);
            connection
                .execute_batch(&format!(
                    "drop table if exists \"{name}\"; alter table visits rename to \"{name}\""
                ))
                .unwrap();
            let columns = run(&connection, &types_sql(query, &relation, dialect).unwrap());
            let Some((statements, expected)) =
                statements(query, rows, &relation, dialect, Some(&columns))
            else {
                continue;
            };
            compare(
                &answer(&connection, &statements),
                &expected,
                case,
                &statements,
            );
            run(&connection, statements.fingerprint());
            compared += 1;
        }
    }
    assert!(compared > 200, "{compared}");
}
