//! Against Spark: `cargo xtask cluster` starts a cluster and runs these tests.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use arrow_array::RecordBatch;
use lastbit_release::engine::session::{Session, SessionProblem};
use lastbit_release::engine::sql::{Relation, dialect};

use super::cases::TABLES;
use super::identity::{Asked, compare_clinic_in};
use super::parquet_files::{clinic_batch, write_parquet};
use super::support::{session, variable};

/// As a plan opens it; one for all tests, since it takes long to start. It ends with this process.
fn spark() -> MutexGuard<'static, Box<dyn Session>> {
    static SESSION: OnceLock<Mutex<Box<dyn Session>>> = OnceLock::new();
    let open = || Mutex::new(session(&variable("LASTBIT_TEST_SPARK")));
    let session = SESSION.get_or_init(open).lock();
    session.unwrap_or_else(PoisonError::into_inner)
}

/// A file that every worker of a cluster on this machine can read.
fn parquet(directory: &Path, batch: &RecordBatch) -> PathBuf {
    let path = directory.join("rows.parquet");
    write_parquet(&path, batch);
    path
}

/// A number of tables or kills that the command was asked for.
fn asked(name: &str, otherwise: usize) -> usize {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap(),
        Err(_) => otherwise,
    }
}

#[test]
fn a_session_reads_and_cannot_write() {
    let mut session = spark();
    let rows = session
        .rows("SELECT CAST(count(*) AS STRING), CAST(NULL AS STRING) FROM VALUES (1), (NULL)")
        .unwrap();
    assert_eq!(rows, [[Some("2".to_owned()), None]]);
    for (sql, problem) in [
        ("CREATE TABLE t (x INT)", SessionProblem::Refused),
        (
            "SET spark.sql.ansi.enabled = false",
            SessionProblem::Refused,
        ),
        (
            "SELECT 1 AS a) AS b; DROP TABLE t; SELECT (2",
            SessionProblem::Refused,
        ),
        ("SELECT * FROM no_such_table", SessionProblem::NoTable),
        (
            "SELECT no_such_column FROM VALUES (1)",
            SessionProblem::NoColumn,
        ),
        (
            "SELECT * FROM parquet.`/no/such/file`",
            SessionProblem::NoTable,
        ),
        (
            "SELECT CAST(CAST('hunter2' AS INT) AS STRING)",
            SessionProblem::Data,
        ),
        ("SELECT 1", SessionProblem::Shape),
    ] {
        let error = session.rows(sql).unwrap_err();
        assert_eq!(error.problem(), problem, "{sql}: {error}");
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }
}

#[test]
fn a_cell_that_breaks_a_task_is_not_shown() {
    let mut session = spark();
    // On a worker, where constants are not folded.
    let sql = "SELECT CAST(sum(CAST(concat('hunter2 ', id) AS BIGINT)) AS STRING) FROM range(100)";
    let error = session.rows(sql).unwrap_err();
    assert_eq!(error.problem(), SessionProblem::Data, "{error}");
    assert!(!error.to_string().contains("hunter2"), "{error}");
}

#[test]
fn a_text_reads_back_as_itself_and_nothing_in_it_is_replaced() {
    let mut session = spark();
    let dialect = dialect("spark").unwrap();
    for text in [
        "it's",
        "a\\b",
        "\\'",
        "''",
        "a\\'; --",
        "\\u0027",
        "${spark.app.name}",
        "$${env:HOME}",
        "\\$",
        "line\nbreak\r\t",
        "\u{2028}漢字🦀",
        "%_`\"",
    ] {
        let literal = dialect.literal(text).unwrap();
        let found = session.rows(&format!("SELECT {literal}")).unwrap();
        assert_eq!(found, [[Some(text.to_owned())]], "{literal}");
        let Ok(name) = dialect.identifier(text) else {
            assert!(text.contains("${"), "{text}");
            continue;
        };
        let sql = format!("SELECT r.{name} FROM (SELECT {literal} AS {name}) AS r");
        assert_eq!(
            session.rows(&sql).unwrap(),
            [[Some(text.to_owned())]],
            "{sql}"
        );
    }
}

#[test]
fn nasty_tables_have_the_integers_of_files() {
    let directory = tempfile::tempdir().unwrap();
    let asked_rows = Asked::new();
    let path = parquet(directory.path(), &asked_rows.batch());
    let name = format!("\"parquet\".\"{}\"", path.display());
    let first = asked("LASTBIT_TEST_TABLES", TABLES);
    asked_rows.compare_in(&mut **spark(), dialect("spark").unwrap(), &name, first);
}

#[test]
fn the_clinic_has_the_integers_of_its_files() {
    let directory = tempfile::tempdir().unwrap();
    let path = parquet(directory.path(), &clinic_batch());
    let relation = Relation::Table(vec!["parquet".to_owned(), path.display().to_string()]);
    compare_clinic_in(&mut **spark(), dialect("spark").unwrap(), &relation);
}
