use super::clinic::{fill_clinic, literal};
use super::common::{clinic, counts, hostile, nowhere, refused, released, released_counts};
use super::support::Here;
use super::writers::{Writer, variable};

fn source(table: &str) -> String {
    as_user("postgres", &format!("table = \"{table}\""))
}

fn as_user(user: &str, rest: &str) -> String {
    let url = variable("LASTBIT_TEST_POSTGRESQL").replace("//postgres@", &format!("//{user}@"));
    format!("database = \"{url}\"\n{rest}")
}

fn wards() -> [String; 2] {
    ["north", "south"].map(str::to_owned)
}

/// A small table of wards.
fn table(writer: &mut Writer, name: &str) {
    writer.run(&format!("CREATE TABLE {name} (ward text, cost text)"));
    writer.run(&format!(
        "INSERT INTO {name} VALUES ('north', '1'), ('south', '2'), ('south', 'a cell that nobody \
         may see')"
    ));
}

#[test]
fn the_clinic_is_released_with_the_numbers_of_its_files() {
    let mut writer = Writer::postgresql();
    writer.run("CREATE DATABASE clinic");
    let mut writer = Writer::postgresql_database("clinic");
    fill_clinic(&mut |sql| writer.run(sql), "text");
    let here = Here::empty();
    let source = source("visits").replace("/postgres?", "/clinic?");
    let [database, files] = clinic(&source);
    let found = released_counts(&here, &database);
    assert_eq!(found, released_counts(&Here::empty(), &files));
    here.write("plan.toml", &database);
    let again = here.run(&["release", "plan.toml", "--json"]);
    assert!(again.succeeded().err.contains("at no cost"));
}

#[test]
fn a_password_is_used_and_stands_nowhere() {
    const SECRET: &str = "hunter2+/ö@:%41";
    let mut writer = Writer::postgresql();
    table(&mut writer, "guarded");
    writer.run(&format!(
        "CREATE ROLE secretive LOGIN PASSWORD {}",
        literal(SECRET)
    ));
    writer.run("GRANT SELECT ON guarded TO secretive");
    let here = Here::empty();
    let plan = |rest: &str| {
        let source = as_user("secretive", &format!("table = \"guarded\"\n{rest}"));
        counts(&source, "ward", &wards())
    };
    here.write("plan.toml", plan("password_env = \"VISITS_PASSWORD\""));
    let arguments = [
        "release",
        "plan.toml",
        "--yes",
        "--json",
        "--csv",
        "out.csv",
        "--html",
        "out.html",
    ];
    let mut command = here.command(&arguments);
    command.env("VISITS_PASSWORD", SECRET);
    let done = super::support::Done::of(command).succeeded();
    assert!(!done.out.contains(SECRET) && !done.err.contains(SECRET));
    let mut command = here.command(&["release", "plan.toml", "--yes", "--ledger", "x.ledger"]);
    command.env("VISITS_PASSWORD", format!("{SECRET} and more"));
    let done = super::support::Done::of(command).refused("refused the log-in");
    assert!(!done.err.contains(SECRET), "{}", done.err);
    nowhere(here.path("").as_path(), SECRET);
    refused(
        &here,
        &plan("password_env = \"NOT_SET_ANYWHERE\""),
        "no password",
    );
    refused(&here, &plan(""), "refused the log-in");
    here.write("password", format!("{SECRET}\n"));
    assert_eq!(
        released(&here, &plan("password_file = \"password\"")),
        ["1", "2"].map(|text| Some(text.to_owned()))
    );
}

#[test]
fn hostile_names_and_reserved_words_are_names() {
    let mut writer = Writer::postgresql();
    let names = hostile();
    writer.run("CREATE TABLE \"order\"\"s; --\" (\"select\" text)");
    for (count, name) in names.iter().enumerate() {
        let rows = vec![format!("({})", literal(name)); count + 1].join(", ");
        writer.run(&format!("INSERT INTO \"order\"\"s; --\" VALUES {rows}"));
    }
    let here = Here::empty();
    let found = released(&here, &counts(&source("order\\\"s; --"), "select", &names));
    let expected: Vec<_> = (1..=names.len())
        .map(|count| Some(count.to_string()))
        .collect();
    assert_eq!(found, expected);
    let with_nul = [names, vec!["NUL \0".to_owned()]].concat();
    refused(
        &here,
        &counts(&source("order\\\"s; --"), "select", &with_nul),
        "NUL",
    );
}

#[test]
fn a_collation_merges_no_names() {
    let mut writer = Writer::postgresql();
    writer.run(
        "CREATE COLLATION merging (provider = icu, locale = 'und-u-ks-level1', \
        deterministic = false)",
    );
    writer.run("CREATE TABLE merged (ward text COLLATE merging)");
    writer.run("INSERT INTO merged VALUES ('a'), ('A'), ('A'), ('á'), ('á'), ('á')");
    let here = Here::empty();
    let names = ["a", "A", "á"].map(str::to_owned);
    let found = released(&here, &counts(&source("merged"), "ward", &names));
    assert_eq!(found, ["1", "2", "3"].map(|text| Some(text.to_owned())));
}

#[test]
fn what_is_missing_or_forbidden_is_said_and_costs_nothing() {
    let mut writer = Writer::postgresql();
    table(&mut writer, "closed");
    writer.run("CREATE ROLE stranger LOGIN");
    let here = Here::empty();
    let plan = |source: &str| counts(source, "ward", &wards());
    refused(
        &here,
        &plan(&as_user("stranger", "table = \"closed\"")),
        "SQLSTATE 42501",
    );
    refused(
        &here,
        &plan(&as_user("nobody", "table = \"closed\"")),
        "refused the log-in",
    );
    refused(&here, &plan(&source("Closed")), "no such table");
    refused(&here, &counts(&source("closed"), "Ward", &wards()), "no");
    let elsewhere = source("closed").replace("host=", "host=/nowhere");
    refused(&here, &plan(&elsewhere), "cannot be reached");
    let other = source("closed").replace("/postgres?", "/no_such_database?");
    refused(&here, &plan(&other), "no such database");
}

#[test]
fn a_cell_that_breaks_a_query_is_not_shown() {
    let mut writer = Writer::postgresql();
    table(&mut writer, "broken");
    let here = Here::empty();
    let query = "query = \"select ward, cast(cost as double precision) as cost from broken where \
        cast(cost as double precision) > 0\"";
    let done = refused(
        &here,
        &counts(&as_user("postgres", query), "ward", &wards()),
        "SQLSTATE 22P02",
    );
    assert!(!done.err.contains("nobody may see"), "{}", done.err);
}

#[test]
fn a_statement_that_takes_too_long_ends_and_costs_nothing() {
    let mut writer = Writer::postgresql();
    table(&mut writer, "waiting");
    writer.run("CREATE ROLE hurried LOGIN");
    writer.run("ALTER ROLE hurried SET statement_timeout = '200ms'");
    writer.run(
        "CREATE VIEW slow AS SELECT w.* FROM waiting w, LATERAL (SELECT pg_sleep(30) WHERE \
        w.ward IS NOT NULL) s",
    );
    writer.run("GRANT SELECT ON slow TO hurried");
    let here = Here::empty();
    refused(
        &here,
        &counts(&as_user("hurried", "table = \"slow\""), "ward", &wards()),
        "SQLSTATE 57014",
    );
}

#[test]
fn a_connection_that_is_lost_in_the_middle_costs_nothing() {
    let mut writer = Writer::postgresql();
    table(&mut writer, "falling");
    // The fingerprint is read, and the connection ends with the first row of the statement after
    // it.
    writer.run(
        "CREATE FUNCTION fall() RETURNS boolean LANGUAGE plpgsql VOLATILE AS 'BEGIN IF \
        current_query() LIKE ''%falls%'' AND current_query() NOT LIKE ''%60)%'' THEN PERFORM \
        pg_terminate_backend(pg_backend_pid()); END IF; RETURN true; END'",
    );
    writer.run("CREATE VIEW falls AS SELECT f.* FROM falling f WHERE fall()");
    let here = Here::empty();
    refused(
        &here,
        &counts(&source("falls"), "ward", &wards()),
        "connection to the database was lost",
    );
}
