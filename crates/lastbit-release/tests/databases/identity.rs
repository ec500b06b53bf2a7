//! Random nasty tables and queries: every integer of a database is that of the file engine.
//!
//! All tables are rows of one table of the database, told apart by a number.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::{ArrayRef, Int32Array, RecordBatch};
use lastbit_release::account::price;
use lastbit_release::engine::Options;
use lastbit_release::engine::query::{Answer, Query};
use lastbit_release::engine::session::Session;
use lastbit_release::engine::sql::{Dialect, Relation, Statements, types, types_sql};
use lastbit_release::plan::Plan;
use lastbit_release::release::Identity;
use lastbit_release::statistic;

use super::cases::{
    Cases, MOST_ROWS, Row, SEED, TABLES, at_limits, batch, compare, query, rows, statements,
};
use super::support::say;

/// The rows of each random table, and of those of [`at_limits`] after them; queries that a dialect
/// refuses are left out.
pub struct Asked {
    tables: Vec<Vec<Row>>,
    /// Of each random table.
    queries: Vec<Query>,
}

impl Asked {
    pub fn new() -> Asked {
        let mut cases = Cases(SEED);
        let random = (0..TABLES).map(|_| (rows(&mut cases, MOST_ROWS), query(&mut cases)));
        let (mut tables, queries): (Vec<_>, Vec<_>) = random.unzip();
        tables.extend(at_limits().into_iter().map(|(rows, _)| rows));
        Asked { tables, queries }
    }

    /// Fills the table `nasty`.
    pub fn fill(&self, run: &mut dyn FnMut(&str), text: &str) {
        run(&format!(
            "CREATE TABLE nasty (number integer, person {text}, \"the \"\"region\"\"\" {text}, \
             age {text}, day {text}, cost double precision, \"select\" bigint, price \
             decimal(18, 6), born date, \"at\" timestamp, small real, flag boolean)"
        ));
        let numbered = self.tables.iter().enumerate();
        let rows: Vec<String> = numbered
            .flat_map(|(number, rows)| rows.iter().map(move |row| written(number, row)))
            .collect();
        for rows in rows.chunks(2000) {
            run(&format!("INSERT INTO nasty VALUES {}", rows.join(", ")));
        }
        run("CREATE INDEX nasty_number ON nasty (number)");
    }

    /// The rows of all tables, each with the number of its table.
    pub fn batch(&self) -> RecordBatch {
        let numbered = self.tables.iter().enumerate();
        let numbers = numbered.flat_map(|(number, rows)| vec![number as i32; rows.len()]);
        let numbers: ArrayRef = Arc::new(numbers.collect::<Int32Array>());
        let batch = batch(&self.tables.concat(), true);
        let schema = batch.schema();
        let names = schema.fields().iter().map(|field| field.name().clone());
        let columns = names.zip(batch.columns().iter().cloned());
        let columns = [("number".to_owned(), numbers)].into_iter().chain(columns);
        RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true)))
            .unwrap()
    }

    /// Asks for the integers of every table, and compares them with those of the file engine.
    pub fn compare(&self, session: &mut dyn Session, dialect: &'static dyn Dialect) {
        for (place, (rows, query)) in at_limits().into_iter().enumerate() {
            let number = TABLES + place;
            let relation = Relation::Query(format!("SELECT * FROM nasty WHERE number = {number}"));
            let columns = session
                .rows(&types_sql(&query, &relation, dialect).unwrap())
                .unwrap();
            let asked = statements(&query, &rows, &relation, dialect, Some(&columns));
            let (statements, expected) = asked.unwrap();
            compare(
                &answer(session, &statements),
                &expected,
                number,
                &statements,
            );
        }
        self.compare_in(session, dialect, "nasty", TABLES);
    }

    /// Of the first so many tables, which are rows of a table with another name.
    pub fn compare_in(
        &self,
        session: &mut dyn Session,
        dialect: &'static dyn Dialect,
        name: &str,
        first: usize,
    ) {
        let (start, mut said) = (Instant::now(), Instant::now());
        let mut refused = 0;
        for number in 0..first {
            refused += usize::from(!self.compare_one(session, dialect, name, number));
            if said.elapsed() > Duration::from_secs(20) || number + 1 == first {
                said = Instant::now();
                let elapsed = start.elapsed();
                let (tables, name) = (number + 1, dialect.name());
                say(&format!(
                    "{tables} tables in {name}, {refused} refused, {elapsed:.0?}"
                ));
            }
        }
        assert!(
            refused < first / 4 + 4,
            "{refused} of {first} queries were refused"
        );
    }

    /// Of one random table; whether the dialect answers its query.
    pub fn compare_one(
        &self,
        session: &mut dyn Session,
        dialect: &'static dyn Dialect,
        name: &str,
        number: usize,
    ) -> bool {
        let query = &self.queries[number];
        let relation = Relation::Query(format!("SELECT * FROM {name} WHERE number = {number}"));
        let columns = session
            .rows(&types_sql(query, &relation, dialect).unwrap())
            .unwrap();
        let asked = statements(
            query,
            &self.tables[number],
            &relation,
            dialect,
            Some(&columns),
        );
        let Some((statements, expected)) = asked else {
            return false;
        };
        compare(
            &answer(session, &statements),
            &expected,
            number,
            &statements,
        );
        true
    }
}

fn answer(session: &mut dyn Session, statements: &Statements) -> Answer {
    let run = |(_, sql): (String, String)| {
        let rows = session.rows(&sql);
        rows.unwrap_or_else(|error| panic!("{error}\n{sql}"))
    };
    let results: Vec<_> = statements.text().into_iter().map(run).collect();
    statements.answer(&results).unwrap()
}

fn written(number: usize, row: &Row) -> String {
    let text = |cell: &Option<String>| match cell {
        None => "NULL".to_owned(),
        Some(text) => format!("'{}'", text.replace('\'', "''")),
    };
    let cast = |cell: Option<String>, to: &str| match cell {
        None => "NULL".to_owned(),
        Some(cell) => format!("CAST('{cell}' AS {to})"),
    };
    let texts: Vec<String> = row.texts.iter().map(text).collect();
    let numbers = [
        cast(row.cost.map(|x| format!("{x:e}")), "double precision"),
        cast(row.n.map(|n| n.to_string()), "bigint"),
        cast(row.price_text(), "decimal(18, 6)"),
        cast(row.born.map(|(_, text)| text.to_owned()), "date"),
        cast(row.at.map(|(_, text)| text.to_owned()), "timestamp"),
        cast(row.small.map(|x| format!("{x:e}")), "real"),
        cast(row.flag.map(|flag| flag.to_string()), "boolean"),
    ];
    format!("({number}, {}, {})", texts.join(", "), numbers.join(", "))
}

/// The exact integers of the example of a clinic, from a database that has its rows and from its
/// file.
pub fn compare_clinic(session: &mut dyn Session, dialect: &'static dyn Dialect) {
    let relation = Relation::Table(vec!["visits".to_owned()]);
    compare_clinic_in(session, dialect, &relation);
}

/// The same of another relation with the rows.
pub fn compare_clinic_in(
    session: &mut dyn Session,
    dialect: &'static dyn Dialect,
    relation: &Relation,
) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/clinic/plan.toml");
    let plan = Plan::read(&path).unwrap();
    let identity = Identity::new(&plan, &price(&plan).unwrap());
    let (query, _) = statistic::query(&plan, identity.hash());
    let expected = lastbit_release::engine::answer(&query, &Options::default()).unwrap();
    let columns = session
        .rows(&types_sql(&query, relation, dialect).unwrap())
        .unwrap();
    let columns = types(&query, &columns, dialect).unwrap();
    let statements = Statements::new(&query, &columns, relation, dialect).unwrap();
    compare(&answer(session, &statements), &expected, 0, &statements);
}
