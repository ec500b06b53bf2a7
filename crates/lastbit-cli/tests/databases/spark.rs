use arrow_array::RecordBatch;

use super::common::{clinic, counts, hostile, refused, released, released_counts};
use super::parquet_files::{clinic_batch, texts, write_parquet};
use super::support::{Done, Here};
use super::writers::variable;

/// The rows of a file that every worker of a cluster on this machine can read.
fn source(here: &Here, name: &str) -> String {
    let path = here.path(name).display().to_string();
    format!(
        "database = \"{}\"\nschema = \"parquet\"\ntable = \"{path}\"",
        variable("LASTBIT_TEST_SPARK")
    )
}

fn write(here: &Here, column: &str, cells: &[Option<&str>]) {
    let columns = [(column, texts(cells), true)];
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    write_parquet(&here.path("rows.parquet"), &batch);
}

#[test]
fn the_clinic_is_released_with_the_numbers_of_its_files() {
    let here = Here::empty();
    write_parquet(&here.path("visits.parquet"), &clinic_batch());
    let [spark, files] = clinic(&source(&here, "visits.parquet"));
    let found = released_counts(&here, &spark);
    assert_eq!(found, released_counts(&Here::empty(), &files));
    here.write("plan.toml", &spark);
    let again = here.run(&["release", "plan.toml", "--json"]).succeeded();
    assert!(again.err.contains("at no cost"));
    assert!(again.out.contains("gives no snapshot"), "{}", again.out);
}

#[test]
fn hostile_names_and_reserved_words_are_names() {
    let here = Here::empty();
    let names = hostile();
    let numbered = names.iter().enumerate();
    let cells = numbered.flat_map(|(place, name)| vec![Some(name.as_str()); place + 1]);
    write(&here, "select", &cells.collect::<Vec<_>>());
    let plan = counts(&source(&here, "rows.parquet"), "select", &names);
    let expected: Vec<_> = (1..=names.len())
        .map(|count| Some(count.to_string()))
        .collect();
    assert_eq!(released(&here, &plan), expected);
}

#[test]
fn what_is_missing_is_said_and_costs_nothing_and_no_cell_is_shown() {
    let here = Here::empty();
    let cells = ["north", "a cell that nobody may see"].map(Some);
    write(&here, "ward", &cells);
    let names = ["north".to_owned()];
    let from = |name: &str, column: &str| counts(&source(&here, name), column, &names);
    refused(&here, &from("other.parquet", "ward"), "no such table");
    refused(&here, &from("rows.parquet", "Ward"), "no such column");
    let (database, table) = (
        variable("LASTBIT_TEST_SPARK"),
        here.path("rows.parquet").display().to_string(),
    );
    let query = format!(
        "database = \"{database}\"\nquery = \"\"\"select ward from \"parquet\".\"{table}\" where \
         cast(ward as double) > 0\"\"\""
    );
    let done = refused(&here, &counts(&query, "ward", &names), "SQLSTATE 22018");
    assert!(!done.err.contains("nobody may see"), "{}", done.err);
    let nobody = "database = \"spark:local[0]\"\ntable = \"t\"";
    refused(&here, &counts(nobody, "ward", &names), "spark://host:7077");
}

#[test]
fn whatever_way_spark_ends_is_said_in_our_words() {
    let here = Here::empty();
    let package = here.path("fake/pyspark");
    std::fs::create_dir_all(&package).unwrap();
    std::fs::write(package.join("__init__.py"), "").unwrap();
    std::fs::write(package.join("sql.py"), include_str!("fake_pyspark.py")).unwrap();
    // What is not to be imported: the command runs here.
    here.write("json.py", "raise SystemExit('a cell that nobody may see')");
    let names = ["north".to_owned()];
    let source = "database = \"spark:local[2]\"\ntable = \"t\"";
    here.write("plan.toml", counts(source, "ward", &names));
    for (fails, words) in [
        ("unreachable", "cannot be reached"),
        ("collation", "compares texts by a collation"),
        ("exit", "connection to the database was lost"),
        ("stopped", "connection to the database was lost"),
        ("state", "SQLSTATE 22018"),
        ("no state", "the database failed"),
        ("number", "in another shape"),
    ] {
        let mut command = here.command(&["release", "plan.toml", "--yes", "--ledger", "x.ledger"]);
        command
            .env("PYTHONPATH", here.path("fake"))
            .env("FAKE_SPARK", fails);
        let done = Done::of(command).refused(words);
        assert!(!done.err.contains("nobody may see"), "{}", done.err);
    }
    let mut command = here.command(&["release", "plan.toml", "--yes", "--ledger", "x.ledger"]);
    command.env("LASTBIT_PYTHON", here.path("no python"));
    Done::of(command).refused("no Python with pyspark");
    if let Some(spent) = here.spent("x.ledger") {
        assert_eq!(spent, "0");
    }
}
