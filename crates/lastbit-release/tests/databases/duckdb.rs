use lastbit_release::engine::session::SessionProblem;
use lastbit_release::engine::sql::dialect;

use super::clinic::fill_clinic;
use super::identity::{Asked, compare_clinic};
use super::neighbours;
use super::support::{Writer, session};

#[test]
fn a_session_reads_and_cannot_write_or_read_files() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.duckdb");
    let mut writer = Writer::duckdb(&path);
    writer.run("CREATE TABLE t AS SELECT 1 AS x UNION ALL SELECT NULL");
    drop(writer);
    let mut session = session(&format!("duckdb:{}", path.display()));
    let rows = session
        .rows("SELECT CAST(count(*) AS text), CAST(NULL AS text) FROM t")
        .unwrap();
    assert_eq!(rows, [[Some("2".to_owned()), None]]);
    for sql in [
        "INSERT INTO t VALUES (4)",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM read_text('/etc/hostname')",
    ] {
        let error = session.rows(sql).unwrap_err();
        println!("{sql}: {error}");
        assert_ne!(error.problem(), SessionProblem::Shape, "{sql}");
    }
}

#[test]
fn a_unit_moves_no_integer_by_more_than_its_claim() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.duckdb");
    let mut writer = Writer::duckdb(&path);
    neighbours::fill(&mut |sql| writer.run(sql), "varchar");
    drop(writer);
    let mut session = session(&format!("duckdb:{}", path.display()));
    neighbours::compare(&mut session, dialect("duckdb").unwrap());
}

#[test]
fn nasty_tables_have_the_integers_of_files() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.duckdb");
    let mut writer = Writer::duckdb(&path);
    let asked = Asked::new();
    asked.fill(&mut |sql| writer.run(sql), "varchar");
    drop(writer);
    let mut session = session(&format!("duckdb:{}", path.display()));
    asked.compare(&mut session, dialect("duckdb").unwrap());
}

#[test]
fn the_clinic_has_the_integers_of_its_files() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.duckdb");
    let mut writer = Writer::duckdb(&path);
    fill_clinic(&mut |sql| writer.run(sql), "varchar");
    drop(writer);
    let mut session = session(&format!("duckdb:{}", path.display()));
    compare_clinic(&mut session, dialect("duckdb").unwrap());
}
