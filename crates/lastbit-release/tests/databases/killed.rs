//! While `cargo xtask cluster` kills workers of Spark and starts others: every integer that comes
//! is that of files.

use std::path::Path;
use std::time::Instant;

use lastbit_release::engine::sql::{Relation, dialect};

use super::cases::TABLES;
use super::identity::{Asked, compare_clinic_in};
use super::parquet_files::{clinic_batch, write_parquet};
use super::support::{say, session, variable};

/// How many kills are left.
fn left() -> u64 {
    let text = std::fs::read_to_string(variable("LASTBIT_TEST_KILLS")).unwrap();
    text.parse().unwrap()
}

/// The clinic, whose tasks take long enough to be hit, and after it a random table that was not
/// asked for yet, from the last on.
#[test]
fn workers_that_are_killed_change_no_integer() {
    let directory = tempfile::tempdir().unwrap();
    let [clinic, nasty] = ["clinic", "nasty"].map(|name| directory.path().join(name));
    let asked = Asked::new();
    write_parquet(&clinic, &clinic_batch());
    write_parquet(&nasty, &asked.batch());
    let relation = Relation::Table(vec!["parquet".to_owned(), clinic.display().to_string()]);
    let name = format!("\"parquet\".\"{}\"", nasty.display());
    let spark = dialect("spark").unwrap();
    let mut session = session(&variable("LASTBIT_TEST_SPARK"));
    let begin = Path::new(&variable("LASTBIT_TEST_KILLS")).with_extension("begin");
    std::fs::write(begin, "").unwrap();
    let (first, start) = (left(), Instant::now());
    let [mut clinics, mut tables] = [0; 2];
    for number in (0..TABLES).rev() {
        compare_clinic_in(&mut *session, spark, &relation);
        clinics += 1;
        say(&format!(
            "{clinics} clinics and {tables} tables, {} kills left",
            left()
        ));
        if left() == 0 {
            break;
        }
        tables += usize::from(asked.compare_one(&mut *session, spark, &name, number));
    }
    say(&format!(
        "{clinics} clinics and {tables} tables with {} of {first} kills in {:.0?}",
        first - left(),
        start.elapsed()
    ));
    assert_eq!(left(), 0, "not all were killed");
}
