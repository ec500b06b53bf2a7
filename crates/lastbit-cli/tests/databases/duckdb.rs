use super::clinic::{fill_clinic, literal};
use super::common::{clinic, counts, hostile, refused, released, released_counts};
use super::support::Here;
use super::writers::Writer;

const SOURCE: &str = "database = \"duckdb:visits.duckdb\"\n";

#[test]
fn the_clinic_is_released_with_the_numbers_of_its_files() {
    let here = Here::empty();
    let mut writer = Writer::duckdb(&here.path("visits.duckdb"));
    fill_clinic(&mut |sql| writer.run(sql), "varchar");
    drop(writer);
    let [database, files] = clinic(&format!("{SOURCE}table = \"visits\""));
    let found = released_counts(&here, &database);
    assert_eq!(found, released_counts(&Here::empty(), &files));
    here.write("plan.toml", &database);
    let again = here.run(&["release", "plan.toml", "--json"]);
    assert!(again.succeeded().err.contains("at no cost"));
}

#[test]
fn hostile_names_and_reserved_words_are_names() {
    let here = Here::empty();
    let mut writer = Writer::duckdb(&here.path("visits.duckdb"));
    let names = hostile();
    writer.run("CREATE TABLE \"order\"\"s; --\" (\"select\" varchar)");
    for (count, name) in names.iter().enumerate() {
        let rows = vec![format!("({})", literal(name)); count + 1].join(", ");
        writer.run(&format!("INSERT INTO \"order\"\"s; --\" VALUES {rows}"));
    }
    drop(writer);
    let source = format!("{SOURCE}table = \"order\\\"s; --\"");
    let found = released(&here, &counts(&source, "select", &names));
    let expected: Vec<_> = (1..=names.len())
        .map(|count| Some(count.to_string()))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn what_is_missing_is_said_and_costs_nothing_and_no_cell_is_shown() {
    let here = Here::empty();
    let names = ["north".to_owned()];
    let plan = |rest: &str| counts(&format!("{SOURCE}{rest}"), "ward", &names);
    refused(&here, &plan("table = \"t\""), "no database at");
    let mut writer = Writer::duckdb(&here.path("visits.duckdb"));
    writer.run("CREATE TABLE t AS SELECT 'north' AS ward, 'a cell that nobody may see' AS cost");
    drop(writer);
    refused(&here, &plan("table = \"u\""), "no such table");
    refused(
        &here,
        &counts(&format!("{SOURCE}table = \"t\""), "yard", &names),
        "no",
    );
    here.write("visits.csv", "ward\nnorth\n");
    refused(&here, &plan("table = \"visits.csv\""), "");
    let query = "query = \"select ward, cast(cost as double precision) as cost from t where \
        cast(cost as double precision) > 0\"";
    let done = refused(&here, &plan(query), "Conversion Error");
    assert!(!done.err.contains("nobody may see"), "{}", done.err);
    here.write(
        "visits.duckdb",
        "this is no database, but it is long enough to be read as the header of one".repeat(100),
    );
    refused(&here, &plan("table = \"t\""), "");
}
