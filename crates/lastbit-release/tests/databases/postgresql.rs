use lastbit_release::engine::session::SessionProblem;
use lastbit_release::engine::sql::dialect;

use super::clinic::fill_clinic;
use super::identity::{Asked, compare_clinic};
use super::neighbours;
use super::support::{Writer, session, variable};

#[test]
fn a_session_reads_one_snapshot_and_cannot_write() {
    let mut writer = Writer::postgresql();
    writer.run("CREATE TABLE snapshot (x integer)");
    writer.run("INSERT INTO snapshot VALUES (1), (NULL)");
    let mut session = session(&variable("LASTBIT_TEST_POSTGRESQL"));
    let count = "SELECT CAST(count(*) AS text), CAST(NULL AS text) FROM snapshot";
    let before = session.rows(count).unwrap();
    assert_eq!(before, [[Some("2".to_owned()), None]]);
    writer.run("INSERT INTO snapshot VALUES (3)");
    assert_eq!(session.rows(count).unwrap(), before);
    let error = session.rows("INSERT INTO snapshot VALUES (4) RETURNING 'x'");
    assert_eq!(error.unwrap_err().problem(), SessionProblem::ReadOnly);
}

#[test]
fn a_unit_moves_no_integer_by_more_than_its_claim() {
    let mut writer = Writer::postgresql();
    neighbours::fill(&mut |sql| writer.run(sql), "text");
    let mut session = session(&variable("LASTBIT_TEST_POSTGRESQL"));
    neighbours::compare(&mut session, dialect("postgresql").unwrap());
}

#[test]
fn nasty_tables_have_the_integers_of_files() {
    let mut writer = Writer::postgresql();
    let asked = Asked::new();
    asked.fill(&mut |sql| writer.run(sql), "text");
    let mut session = session(&variable("LASTBIT_TEST_POSTGRESQL"));
    asked.compare(&mut session, dialect("postgresql").unwrap());
}

#[test]
fn the_clinic_has_the_integers_of_its_files() {
    let mut writer = Writer::postgresql();
    writer.run("CREATE DATABASE exact_clinic");
    let mut writer = Writer::postgresql_database("exact_clinic");
    fill_clinic(&mut |sql| writer.run(sql), "text");
    let url = variable("LASTBIT_TEST_POSTGRESQL").replace("/postgres?", "/exact_clinic?");
    compare_clinic(&mut session(&url), dialect("postgresql").unwrap());
}
