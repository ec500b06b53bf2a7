//! Sessions of others: an engine asks one for statements and believes no more than it must.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use lastbit_release::engine::session::{Session, SessionError, SessionProblem};
use lastbit_release::engine::sql::{Relation, Rows, dialect, register};
use lastbit_release::engine::{Progress, SqlEngine};
use lastbit_release::plan::Plan;
use lastbit_release::release::{ReleaseError, Released, release};
use rusqlite::Connection;
use tempfile::TempDir;

use super::sqlite::run;

/// A cell that no message may hold.
const CELL: &str = "hunter2";

const PLAN: &str = r#"
[source]
files = "visits.csv"
[privacy]
neighbours = "add-remove"
unit = "person"
most_rows = 2
most_groups = 1
[budget]
epsilon = 1
[columns.ward]
categories = ["north", "south"]
[columns.cost]
lower = 0
upper = 100
missing = "drop"
[[statistics]]
name = "rows"
kind = "count"
by = "ward"
[[statistics]]
name = "cost"
kind = "mean"
of = "cost"
[[statistics]]
name = "quartile"
kind = "quantiles"
of = "cost"
at = [0.25]
"#;

/// What a session does instead of answering.
type Fault = dyn FnMut(&str, Rows) -> Result<Rows, SessionError> + Send;

/// A table of SQLite that others write to while it is read, without a transaction.
struct Open {
    reader: Connection,
    /// What was run.
    asked: Arc<Mutex<Vec<String>>>,
    fault: Box<Fault>,
}

impl Session for Open {
    fn rows(&mut self, sql: &str) -> Result<Rows, SessionError> {
        self.asked.lock().unwrap().push(sql.to_owned());
        let rows = run(&self.reader, sql);
        (self.fault)(sql, rows)
    }

    fn rows_watched(
        &mut self,
        sql: &str,
        watch: &mut dyn FnMut(f64),
    ) -> Result<Rows, SessionError> {
        watch(0.25);
        watch(0.75);
        self.rows(sql)
    }

    fn is_snapshot(&self) -> bool {
        false
    }
}

/// The first comment of the fingerprint's statement, and of others.
const FINGERPRINT: &str = "-- Which data";
const TYPES: &str = "r ON 1 = 1";

struct Database {
    directory: TempDir,
}

impl Database {
    fn new() -> Database {
        let database = Database {
            directory: tempfile::tempdir().unwrap(),
        };
        database.write(&format!(
            "create table visits (person, ward, cost); insert into visits values ('ada', 'north', \
             1), ('ada', 'north', 2), ('ada', 'north', 3), ('bob', 'south', '{CELL}'), ('bob', \
             'south', 7), ('eve', 'north', null)"
        ));
        database
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn write(&self, sql: &str) {
        write(&self.path("visits.sqlite"), sql);
    }

    /// Releases by a session that does this.
    fn release(
        &self,
        progress: Progress,
        fault: impl FnMut(&str, Rows) -> Result<Rows, SessionError> + Send + 'static,
    ) -> (Result<Released, ReleaseError>, Vec<String>) {
        let reader = Connection::open(self.path("visits.sqlite")).unwrap();
        register(&reader).unwrap();
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let session = Open {
            reader,
            asked: asked.clone(),
            fault: Box::new(fault),
        };
        let relation = Relation::Table(vec!["visits".to_owned()]);
        let engine = SqlEngine::new(session, dialect("sqlite").unwrap(), relation);
        let plan = Plan::parse(PLAN).unwrap();
        let released = release(&plan, &self.path("visits.ledger"), &engine, progress);
        let asked = asked.lock().unwrap().clone();
        (released, asked)
    }

    /// Nothing is left beside the data.
    fn has_no_ledger(&self) -> bool {
        let files = std::fs::read_dir(self.directory.path()).unwrap();
        files
            .map(|file| file.unwrap().file_name())
            .all(|name| name == "visits.sqlite")
    }
}

fn write(path: &Path, sql: &str) {
    Connection::open(path).unwrap().execute_batch(sql).unwrap();
}

fn quiet() -> Progress {
    Arc::new(|_, _| {})
}

#[test]
fn a_row_that_comes_while_the_rows_are_read_refuses_the_release() {
    let database = Database::new();
    let path = database.path("visits.sqlite");
    let mut fingerprints = 0;
    // After everything was read, and before it is fingerprinted again.
    let (released, asked) = database.release(quiet(), move |sql, rows| {
        if sql.starts_with(FINGERPRINT) {
            fingerprints += 1;
        } else if fingerprints == 1 && sql.contains("part") {
            write(&path, "insert into visits values ('zoe', 'north', 4)");
        }
        Ok(rows)
    });
    assert!(
        matches!(released, Err(ReleaseError::Changed)),
        "{released:?}"
    );
    let is_fingerprint = |sql: &&String| sql.starts_with(FINGERPRINT);
    assert_eq!(asked.iter().filter(is_fingerprint).count(), 2);
    assert!(database.has_no_ledger());
}

#[test]
fn rows_that_stay_as_they_are_are_released_with_what_was_checked() {
    let database = Database::new();
    let (released, asked) = database.release(quiet(), |_, rows| Ok(rows));
    let released = released.unwrap();
    let notes = &released.report().notes;
    let says = |note: &String| note.contains("no snapshot");
    assert!(notes.iter().any(says), "{notes:?}");
    let is_fingerprint = |sql: &&String| sql.starts_with(FINGERPRINT);
    assert_eq!(asked.iter().filter(is_fingerprint).count(), 2);
    assert!(!database.has_no_ledger());
}

#[test]
fn the_part_that_a_session_says_is_done_arrives() {
    let database = Database::new();
    let told: Arc<Mutex<Vec<f64>>> = Arc::default();
    let parts = told.clone();
    let progress: Progress = Arc::new(move |_, part| parts.lock().unwrap().extend(part));
    let (released, asked) = database.release(progress, |_, rows| Ok(rows));
    released.unwrap();
    let is_of_scan = |sql: &&String| !sql.starts_with(FINGERPRINT) && !sql.contains(TYPES);
    let statements = asked.iter().filter(is_of_scan).count();
    assert!(statements > 2, "{asked:?}");
    let expected: Vec<f64> = (0..statements)
        .flat_map(|done| [0.0, 0.25, 0.75].map(|part| (done as f64 + part) / statements as f64))
        .collect();
    assert_eq!(*told.lock().unwrap(), expected);
}

/// What is wrong with the rows of a statement that shows `asked`.
fn malformed(
    asked: &'static str,
    mut wrong: impl FnMut(&mut Rows) + Send + 'static,
) -> impl FnMut(&str, Rows) -> Result<Rows, SessionError> + Send {
    move |sql, mut rows| {
        if sql.contains(asked) {
            wrong(&mut rows);
        }
        Ok(rows)
    }
}

/// What a release says that is refused, and costs nothing.
fn refused(fault: impl FnMut(&str, Rows) -> Result<Rows, SessionError> + Send + 'static) -> String {
    let database = Database::new();
    let (released, _) = database.release(quiet(), fault);
    let error = released.unwrap_err();
    assert!(error.spent().is_none() && database.has_no_ledger());
    let said = error.to_string();
    assert!(!said.contains(CELL), "{said}");
    said
}

#[test]
fn rows_of_another_shape_are_refused_without_a_cell() {
    const TABLE: &str = "part";
    const COUNT: &str = "-- All rows.";
    type Wrong = fn(&mut Rows);
    let cases: [(&str, &str, Wrong); 18] = [
        ("a text for a sum", TABLE, |rows| put_last(rows, CELL)),
        ("a fraction", TABLE, |rows| put_last(rows, "1.5")),
        ("a negative number", TABLE, |rows| put_last(rows, "-1")),
        ("a sign", TABLE, |rows| put_last(rows, "+1")),
        ("a number of 40 digits", TABLE, |rows| {
            put_last(rows, &"9".repeat(40));
        }),
        ("an empty text", TABLE, |rows| put_last(rows, "")),
        ("too few columns", TABLE, |rows| {
            rows.iter_mut().for_each(|row| drop(row.pop()));
        }),
        ("too many columns", TABLE, |rows| {
            rows.iter_mut()
                .for_each(|row| row.push(Some(CELL.to_owned())));
        }),
        ("no columns", TABLE, |rows| {
            rows.iter_mut().for_each(Vec::clear);
        }),
        ("sums of a group twice", TABLE, |rows| {
            let sums = rows.iter().find(|row| row[0].as_deref() == Some("0"));
            rows.push(sums.unwrap().clone());
        }),
        ("a count of a word twice", TABLE, |rows| {
            rows.extend(rows.clone());
        }),
        ("a group that is not public", TABLE, |rows| {
            rows[0][1] = Some("2".to_owned());
        }),
        ("a part that was not asked for", TABLE, |rows| {
            let mut row = rows[0].clone();
            row[0] = Some("7".to_owned());
            row[2] = Some("0".to_owned());
            rows.push(row);
        }),
        ("a text for a count", COUNT, |rows| put_last(rows, CELL)),
        ("two counts", COUNT, |rows| rows.extend(rows.clone())),
        ("no fingerprint", FINGERPRINT, Vec::clear),
        ("half a fingerprint", FINGERPRINT, |rows| {
            drop(rows[0].pop())
        }),
        ("a fingerprint of text", FINGERPRINT, |rows| {
            put_last(rows, CELL);
        }),
    ];
    for (what, asked, wrong) in cases {
        let said = refused(malformed(asked, wrong));
        assert!(said.contains("in another shape"), "{what}: {said}");
    }
    let said = refused(malformed(TYPES, |rows| rows.clear()));
    assert!(said.contains("in another shape"), "{said}");
}

/// In the last cell of the last row.
fn put_last(rows: &mut Rows, text: &str) {
    let row = rows.last_mut().unwrap();
    *row.last_mut().unwrap() = Some(text.to_owned());
}

#[test]
fn an_error_says_its_problem_and_never_its_text() {
    let message = format!("invalid input syntax: {CELL}");
    for text in [message.as_str(), CELL, "no number hunter2", "HUNTER"] {
        for problem in [SessionProblem::Data, SessionProblem::Other] {
            let text = text.to_owned();
            let said = refused(move |_, _| Err(SessionError::new(problem).with_code(&text)));
            assert!(said.contains("quote a cell"), "{said}");
            assert!(!said.to_lowercase().contains("hunter"), "{said}");
        }
    }
    let said = refused(|sql: &str, rows| match sql.contains("part") {
        true => Err(SessionError::new(SessionProblem::Lost).with_code("ORA-03113")),
        false => Ok(rows),
    });
    assert!(said.contains("was lost (ORA-03113)"), "{said}");
}
