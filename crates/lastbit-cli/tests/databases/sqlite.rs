use rusqlite::Connection;

use super::clinic::{fill_clinic, literal};
use super::common::{clinic, counts, hostile, refused, released, released_counts};
use super::support::Here;

const SOURCE: &str = "database = \"sqlite:visits.db\"\n";

fn writer(here: &Here) -> Connection {
    Connection::open(here.path("visits.db")).unwrap()
}

#[test]
fn the_clinic_is_released_with_the_numbers_of_its_files() {
    let here = Here::empty();
    let connection = writer(&here);
    connection.execute_batch("BEGIN").unwrap();
    fill_clinic(&mut |sql| connection.execute_batch(sql).unwrap(), "text");
    connection.execute_batch("COMMIT").unwrap();
    let [database, files] = clinic(&format!("{SOURCE}table = \"visits\""));
    let found = released_counts(&here, &database);
    assert_eq!(found, released_counts(&Here::empty(), &files));
    here.write("plan.toml", &database);
    let again = here.run(&["release", "plan.toml", "--json"]);
    assert!(again.succeeded().err.contains("at no cost"));
    // Another row is other data.
    connection
        .execute_batch("INSERT INTO visits SELECT * FROM visits LIMIT 1")
        .unwrap();
    let other = here.run(&["release", "plan.toml", "--json", "--yes"]);
    other.refused("budget");
}

#[test]
fn hostile_names_and_reserved_words_are_names() {
    let here = Here::empty();
    let connection = writer(&here);
    let names = hostile();
    connection
        .execute_batch("CREATE TABLE \"order\"\"s; --\" (\"select\" text)")
        .unwrap();
    for (count, name) in names.iter().enumerate() {
        let rows = vec![format!("({})", literal(name)); count + 1].join(", ");
        connection
            .execute_batch(&format!("INSERT INTO \"order\"\"s; --\" VALUES {rows}"))
            .unwrap();
    }
    let source = format!("{SOURCE}table = \"order\\\"s; --\"");
    let found = released(&here, &counts(&source, "select", &names));
    let expected: Vec<_> = (1..=names.len())
        .map(|count| Some(count.to_string()))
        .collect();
    assert_eq!(found, expected);
    // Nothing that was called so happened.
    let left: i64 = connection
        .query_row("SELECT count(*) FROM \"order\"\"s; --\"", [], |row| {
            row.get(0)
        })
        .unwrap();
    assert_eq!(left as usize, names.len() * (names.len() + 1) / 2);
}

#[test]
fn what_is_missing_locked_or_damaged_is_said_and_costs_nothing() {
    let here = Here::empty();
    let names = ["north".to_owned()];
    let plan = |rest: &str| counts(&format!("{SOURCE}{rest}"), "ward", &names);
    refused(&here, &plan("table = \"t\""), "no database at `visits.db`");
    let connection = writer(&here);
    connection
        .execute_batch("CREATE TABLE t (ward text); INSERT INTO t VALUES ('north')")
        .unwrap();
    refused(&here, &plan("table = \"u\""), "no such table");
    refused(
        &here,
        &counts(&format!("{SOURCE}table = \"t\""), "yard", &names),
        "no such column",
    );
    connection.execute_batch("BEGIN EXCLUSIVE").unwrap();
    refused(
        &here,
        &plan("table = \"t\""),
        "locked by somebody who writes",
    );
    connection.execute_batch("COMMIT").unwrap();
    drop(connection);
    let text = "this is no database, and longer than the header of one would be".repeat(100);
    here.write("visits.db", text);
    refused(&here, &plan("table = \"t\""), "no such database");
}

#[test]
fn outputs_never_replace_the_database_or_a_password() {
    let here = Here::empty();
    writer(&here)
        .execute_batch("CREATE TABLE t (ward text); INSERT INTO t VALUES ('north')")
        .unwrap();
    let names = ["north".to_owned()];
    here.write(
        "plan.toml",
        counts(&format!("{SOURCE}table = \"t\""), "ward", &names),
    );
    for out in ["visits.db", "visits.db-wal"] {
        here.run(&["release", "plan.toml", "--yes", "--csv", out, "--force"])
            .refused("this is the data");
    }
}

#[test]
fn plans_with_secrets_or_queries_that_mix_rows_are_refused() {
    let here = Here::empty();
    let names = ["north".to_owned()];
    let plan = |source: &str| counts(source, "ward", &names);
    let done = refused(
        &here,
        &plan("database = \"postgresql://reader:hunter2@host/clinic\"\ntable = \"t\""),
        "password_env",
    );
    assert!(!done.err.contains("hunter2"), "{}", done.err);
    let done = refused(
        &here,
        &plan("database = \"postgresql://host/clinic\"\ntable = \"t\"\npassword = \"hunter2\""),
        "password_env",
    );
    assert!(!done.err.contains("hunter2"), "{}", done.err);
    let done = refused(
        &here,
        &plan(
            "database = \"postgresql://host/clinic\"\ntable = \"t\"\npassword_env = \"hunter2!\"",
        ),
        "and not the password",
    );
    assert!(!done.err.contains("hunter2"), "{}", done.err);
    for (source, words) in [
        ("table = \"t\"\nfiles = \"x.csv\"", "leave out one of them"),
        (
            "table = \"t\"\nquery = \"select * from t\"",
            "leave out one of them",
        ),
        ("", "which rows"),
        ("query = \"select distinct ward from t\"", "DISTINCT"),
        ("table = \"t\"\npassword_env = \"X\"", "takes no password"),
    ] {
        refused(&here, &plan(&format!("{SOURCE}{source}")), words);
    }
}
