//! Plans whose rows are in a database: priced, rehearsed, inspected and released as those in files.

use std::fs;

use rusqlite::Connection;
use serde_json::json;

use crate::releases::release;
use crate::support::{PLAN, Served};

/// The plan over a database, with so much ε that a noisy count is the exact one but with
/// probability below e^-100.
fn plan(source: &str) -> String {
    PLAN.replace("files = \"wages.csv\"", source)
        .replace("epsilon = 1\n", "epsilon = 4000\n")
        .replace("epsilon = 0.25", "epsilon = 1000")
}

fn make(served: &Served, name: &str) {
    let database = Connection::open(served.path().join(name)).unwrap();
    database
        .execute_batch(
            "CREATE TABLE wages (wage INTEGER, place TEXT);
             INSERT INTO wages VALUES (1000, 'north'), (2000, 'south'), (3000, 'north');",
        )
        .unwrap();
}

#[test]
fn a_plan_over_sqlite_is_priced_rehearsed_inspected_and_released() {
    let served = Served::new();
    let cookie = served.log_in();
    make(&served, "wages.db");
    let text = plan("database = \"sqlite:wages.db\"\ntable = \"wages\"");
    fs::write(served.path().join("database.toml"), &text).unwrap();
    let body = json!({ "text": text });
    let looked = served.post(&cookie, "/api/plan", &body).json();
    assert_eq!(looked["price"]["loss"], "ε = 1000", "{looked}");
    let rehearsed = served.post(&cookie, "/api/rehearse", &body);
    assert_eq!(rehearsed.status, 200, "{}", rehearsed.body);
    let body = json!({ "text": text, "not_private": true });
    let inspected = served.post(&cookie, "/api/inspect", &body);
    assert_eq!(inspected.status, 200, "{}", inspected.body);
    assert!(inspected.body.contains("wage"), "{}", inspected.body);

    let done = release(&served, &cookie, "database.toml");
    let row = done["done"]["row"].as_i64().unwrap();
    let report = served.get(&cookie, &format!("/report/{row}/json")).json();
    let counts: Vec<_> = report["statistics"][0]["cells"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cell| (cell["group"][0].as_str(), cell["value"].as_str()))
        .collect();
    assert_eq!(
        counts,
        [(Some("north"), Some("2")), (Some("south"), Some("1"))]
    );
    // The same rows again cost nothing.
    let again = release(&served, &cookie, "database.toml");
    assert_eq!(again["done"]["row"], row);
    assert!(again["done"]["before"].is_string());
}

#[test]
fn a_database_and_its_password_stay_in_the_directory() {
    let served = Served::new();
    let cookie = served.log_in();
    for source in [
        "database = \"sqlite:../wages.db\"\ntable = \"wages\"",
        "database = \"duckdb:/srv/wages.db\"\ntable = \"wages\"",
        "database = \"postgresql://localhost/wages\"\ntable = \"wages\"\npassword_file = \
         \"../password\"",
    ] {
        let looked = served.post(&cookie, "/api/plan", &json!({ "text": plan(source) }));
        assert!(
            looked.body.contains("leads out of the directory"),
            "{}",
            looked.body
        );
    }
}

#[test]
fn postgresql_is_not_asked_for_files_of_other_directories() {
    let served = Served::new();
    let cookie = served.log_in();
    let asked = |options: &str| {
        let address = format!("postgresql://localhost/wages?sslmode=require{options}");
        let text = plan(&format!("database = \"{address}\"\ntable = \"wages\""));
        served.post(&cookie, "/api/plan", &json!({ "text": text }))
    };
    let words = "the client of PostgreSQL reads files wherever they are";
    for option in ["sslkey", "sslcert", "sslrootcert", "ssl%6Bey"] {
        let looked = asked(&format!("&{option}=/srv/secret"));
        assert!(looked.body.contains(words), "{}", looked.body);
    }
    for option in ["", "&sslrootcert=system"] {
        let looked = asked(option);
        assert!(!looked.body.contains(words), "{}", looked.body);
    }
}

#[test]
fn spark_is_not_asked_for_files_of_other_directories() {
    let served = Served::new();
    let cookie = served.log_in();
    let text = plan("database = \"spark:local[2]\"\nschema = \"parquet\"\ntable = \"/srv/wages\"");
    let looked = served.post(&cookie, "/api/plan", &json!({ "text": text }));
    let words = "Spark reads files wherever they are";
    assert!(looked.body.contains(words), "{}", looked.body);
    let body = json!({ "text": text, "not_private": true });
    let inspected = served.post(&cookie, "/api/inspect", &body);
    assert_ne!(inspected.status, 200, "{}", inspected.body);
    assert!(inspected.body.contains(words), "{}", inspected.body);
}

#[test]
fn a_database_that_is_not_there_costs_nothing() {
    let served = Served::new();
    let cookie = served.log_in();
    let text = plan("database = \"sqlite:none.db\"\ntable = \"wages\"");
    fs::write(served.path().join("database.toml"), text).unwrap();
    let failed = release(&served, &cookie, "database.toml");
    let words = failed["error"].as_str().unwrap();
    assert!(words.contains("no database at `none.db`"), "{words}");
    assert!(!served.path().join("lastbit.ledger").exists());
}
