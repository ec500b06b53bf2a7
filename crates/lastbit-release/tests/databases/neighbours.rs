//! The integers of 500 random tables, and of each of them without one of its units, are those of a
//! plain computation that shares no code with any engine, and one unit moves them by no more than
//! is claimed.
//!
//! All tables are rows of one table of the database, told apart by a number.

use std::collections::BTreeSet;

use lastbit_release::engine::query::{Answer, Query};
use lastbit_release::engine::session::Session;
use lastbit_release::engine::sql::{self, Dialect, Relation, Statements};
use lastbit_release::plan::Unit;

use super::engine::common::{Cases, Row, by_person, query, rows};
use super::engine::near::assert_near;
use super::engine::reference_engine::reference;

/// A table, the query that is asked of it, and the tables that it is compared with.
struct Case {
    query: Query,
    /// How many rows of a unit in a group, and how many groups.
    limits: (u64, u64),
    /// The whole table first.
    tables: Vec<Vec<Row>>,
}

const TABLES: usize = 500;

fn cases() -> Vec<Case> {
    let mut cases = Cases(11);
    let case = |_| {
        let table = rows(&mut cases, 6);
        let mut tables = vec![table.clone()];
        let limits = (1 + cases.below(3), 1 + cases.below(3));
        if cases.below(3) == 0 {
            if !table.is_empty() {
                let mut without = table.clone();
                without.remove(cases.below(table.len() as u64) as usize);
                tables.push(without);
            }
            return Case {
                query: query(Unit::Row),
                limits: (1, 1),
                tables,
            };
        }
        let people: BTreeSet<_> = table.iter().filter_map(|row| row.person.clone()).collect();
        let people: Vec<_> = people.into_iter().collect();
        if !people.is_empty() {
            let person = cases.pick(&people);
            let others = |row: &&Row| row.person.as_ref() != Some(&person);
            tables.push(table.iter().filter(others).cloned().collect());
        }
        Case {
            query: query(by_person(limits.0, limits.1)),
            limits,
            tables,
        }
    };
    (0..TABLES).map(case).collect()
}

/// Statements that fill the table `many`, whose texts have this type.
pub fn fill(run: &mut dyn FnMut(&str), text_type: &str) {
    run(&format!(
        "CREATE TABLE many (number integer, person {text_type}, region {text_type}, cost double \
         precision, age {text_type})"
    ));
    let tables = cases().into_iter().flat_map(|case| case.tables);
    let rows: Vec<String> = tables
        .enumerate()
        .flat_map(|(number, rows)| rows.into_iter().map(move |row| written(number, &row)))
        .collect();
    for rows in rows.chunks(2000) {
        run(&format!("INSERT INTO many VALUES {}", rows.join(", ")));
    }
    run("CREATE INDEX many_number ON many (number)");
}

fn written(number: usize, row: &Row) -> String {
    let text = |cell: &Option<String>| match cell {
        Some(text) => format!("'{text}'"),
        None => "NULL".to_owned(),
    };
    let cost = match row.cost {
        Some(cost) => format!("CAST('{cost:e}' AS double precision)"),
        None => "NULL".to_owned(),
    };
    let [person, region, age] = [&row.person, &row.region, &row.age].map(text);
    format!("({number}, {person}, {region}, {cost}, {age})")
}

/// Compares every table.
pub fn compare(session: &mut dyn Session, dialect: &'static dyn Dialect) {
    let mut number = 0;
    for case in cases() {
        let mut whole = None;
        for rows in &case.tables {
            let found = answer(session, dialect, &case.query, number);
            assert_eq!(
                found,
                reference(rows, &case.query),
                "table {number}: {rows:?}"
            );
            let whole = &*whole.get_or_insert_with(|| found.clone());
            assert_near(whole, &found, 1, case.limits.0, case.limits.1);
            number += 1;
        }
    }
    assert!(number > 800, "{number} tables are few");
}

fn answer(
    session: &mut dyn Session,
    dialect: &'static dyn Dialect,
    query: &Query,
    number: usize,
) -> Answer {
    let relation = Relation::Query(format!("SELECT * FROM many WHERE number = {number}"));
    let types = sql::types_sql(query, &relation, dialect).unwrap();
    let types = sql::types(query, &session.rows(&types).unwrap(), dialect).unwrap();
    let statements = Statements::new(query, &types, &relation, dialect).unwrap();
    let run = |(_, text): (String, String)| session.rows(&text).unwrap();
    let results: Vec<_> = statements.text().into_iter().map(run).collect();
    statements.answer(&results).unwrap()
}
