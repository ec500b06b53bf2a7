//! While `cargo xtask cluster` kills workers of Spark and starts others: every integer that comes
//! is that of files.

use lastbit_release::engine::sql::{Relation, dialect};

use super::identity::compare_clinic_in;
use super::parquet_files::{clinic_batch, write_parquet};
use super::support::{session, variable};

/// How many kills are left.
fn left() -> u64 {
    let text = std::fs::read_to_string(variable("LASTBIT_TEST_KILLS")).unwrap();
    text.parse().unwrap()
}

#[test]
fn workers_that_are_killed_change_no_integer() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("rows.parquet");
    write_parquet(&path, &clinic_batch());
    let relation = Relation::Table(vec!["parquet".to_owned(), path.display().to_string()]);
    let mut session = session(&variable("LASTBIT_TEST_SPARK"));
    let (first, mut compared) = (left(), 0);
    while left() > 0 {
        compare_clinic_in(&mut *session, dialect("spark").unwrap(), &relation);
        compared += 1;
    }
    println!("{compared} comparisons with {first} kills");
    assert!(compared > 0, "nobody was killed");
}
