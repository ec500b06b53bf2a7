//! What the check and the documented program find in ledgers that compose, forged with all hashes
//! right.

use std::path::Path;

use lastbit_release::ledger::{Currency, Ledger, LedgerError, Terms, check};
use lastbit_release::loss::Loss;
use rusqlite::Connection;
use sha2::{Digest, Sha256};

use super::old::{COLUMNS, old_ledger};
use super::support::{
    approximate, documented_program, number, place, rho, taken, without_triggers,
};

/// Appends a budget to a ledger as somebody could who can write the file, with all hashes right.
fn append_budget(path: &Path, [main, delta, currency, thresholds, most]: [&str; 5]) {
    let db = Connection::open(path).unwrap();
    let (entries, head): (i64, String) = db
        .query_row("SELECT entries, hash FROM head", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .unwrap();
    let row = (entries + 1).to_string();
    let given = [
        ("previous", head.as_str()),
        ("row", &row),
        ("time", "2099-01-01T00:00:00.000Z"),
        ("kind", "budget"),
        ("measure", "approximate"),
        ("main", main),
        ("delta", delta),
        ("description", "x"),
        ("currency", currency),
        ("thresholds", thresholds),
        ("most", most),
    ];
    let mut canonical = "lastbit-ledger-2\n".to_owned();
    for name in format!("{COLUMNS} currency thresholds most").split(' ') {
        canonical += &match given.iter().find(|(given, _)| *given == name) {
            Some((_, value)) => format!("{name}={}:{value}\n", value.len()),
            None => format!("{name}=-\n"),
        };
    }
    let hash = Sha256::digest(&canonical);
    let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    let names: Vec<&str> = given.iter().map(|(name, _)| *name).collect();
    let values: Vec<String> = given
        .iter()
        .map(|(_, value)| format!("'{value}'"))
        .collect();
    let (names, values) = (names.join(", "), values.join(", "));
    let insert = format!("INSERT INTO entries ({names}, hash) VALUES ({values}, '{hash}')");
    db.execute(&insert, []).unwrap();
    db.execute(
        "UPDATE head SET entries = ?1, hash = ?2",
        rusqlite::params![entries + 1, hash],
    )
    .unwrap();
}

/// Budgets that an adaptive analyst could profit by, forged into the end of a ledger.
#[test]
fn the_documented_python_program_and_the_check_find_terms_that_changed_after_a_release() {
    let cases = [
        (
            ["2", "0.0000001", "gaussian", "0.00000001", "0.16"],
            Err("changes the currency after a release"),
            "the currency is fixed",
        ),
        (
            ["2", "0.0000001", "zcdp", "0.00000009", "0.06"],
            Err("moves δ between noise and thresholds"),
            "it moves δ between noise and thresholds",
        ),
        (
            ["3", "0.00000009", "zcdp", "0.00000001", "0.15"],
            Ok("trades ε for δ"),
            "trades ε for δ",
        ),
    ];
    for (terms, by_program, by_check) in cases {
        let (_directory, path) = place();
        let mut ledger = Ledger::open(&path, &approximate("2", "1e-7")).unwrap();
        taken(&mut ledger, "a", rho("0.001", "0"));
        drop(ledger);
        append_budget(&path, terms);
        let (fine, said, wrong) = documented_program(&path);
        match by_program {
            Ok(note) => assert!(fine && said.contains(note), "{said}{wrong}"),
            Err(why) => assert!(!fine && wrong.contains(why), "{wrong}"),
        }
        let found = check(&path, &[]).unwrap();
        assert_eq!(found.passed(), by_program.is_ok(), "{found:?}");
        let faults = found.faults.iter().map(|fault| fault.what.clone());
        let words: Vec<String> = faults.chain(found.notes).collect();
        assert!(
            words.iter().any(|text| text.contains(by_check)),
            "{words:?}"
        );
    }
}

/// The program of `docs/ledger.md` follows ledgers that compose, and finds a limit that is too
/// large.
#[test]
fn the_documented_python_program_follows_what_composes() {
    for currency in [Currency::Zcdp, Currency::Gaussian] {
        let (_directory, path) = place();
        old_ledger(&path);
        let mut ledger = Ledger::open_existing(&path).unwrap();
        let terms = Terms {
            currency,
            thresholds: number("1e-8"),
        };
        let budget = approximate("2", "1e-7");
        ledger
            .set_terms(&budget, |_| Some(terms.clone()), "")
            .unwrap();
        let tenth = Loss::new(terms.measure(), number("0.001"), number("1e-9")).unwrap();
        taken(&mut ledger, "b", tenth);
        let (fine, said, wrong) = documented_program(&path);
        assert!(fine, "{wrong}");
        assert!(
            said.starts_with("6 entries, approximate 1/2 of 2 spent, "),
            "{said}"
        );
        assert!(said.contains(" 1/1000 of "), "{said}");
        // A limit above what is private, written as if by this program.
        let entries = ledger.entries().unwrap();
        let most = &entries[3].limit.as_ref().unwrap().most;
        let more = (most * &number("1.01")).to_string();
        drop(ledger);
        without_triggers(&path, |db| {
            let mut previous = String::new();
            for row in 4..=6 {
                let names: Vec<String> = format!("{COLUMNS} currency thresholds most")
                    .split(' ')
                    .map(str::to_owned)
                    .collect();
                if row == 4 {
                    db.execute("UPDATE entries SET most = ?1 WHERE row = 4", [&more])
                        .unwrap();
                } else {
                    db.execute(
                        "UPDATE entries SET previous = ?1 WHERE row = ?2",
                        rusqlite::params![previous, row],
                    )
                    .unwrap();
                }
                let column = |name: &str| -> Option<String> {
                    let text =
                        format!("SELECT CAST({name} AS TEXT) FROM entries WHERE row = {row}");
                    db.query_row(&text, [], |row| row.get(0)).unwrap()
                };
                let limited = column("most").is_some();
                let mut canonical = format!("lastbit-ledger-{}\n", 1 + i32::from(limited));
                for name in &names[..if limited { 15 } else { 12 }] {
                    canonical += &match column(name) {
                        Some(value) => format!("{name}={}:{value}\n", value.len()),
                        None => format!("{name}=-\n"),
                    };
                }
                let hash = Sha256::digest(&canonical);
                previous = hash.iter().map(|byte| format!("{byte:02x}")).collect();
                db.execute(
                    "UPDATE entries SET hash = ?1 WHERE row = ?2",
                    rusqlite::params![previous, row],
                )
                .unwrap();
            }
            db.execute("UPDATE head SET hash = ?1", [&previous])
                .unwrap();
        });
        let (fine, _, wrong) = documented_program(&path);
        assert!(
            !fine && wrong.contains("row 4 allows more than is private"),
            "{wrong}"
        );
        let error = Ledger::view(&path).unwrap_err();
        assert!(matches!(error, LedgerError::Altered { .. }), "{error}");
        assert!(
            error
                .to_string()
                .contains("is the most that is known to be private"),
            "{error}"
        );
    }
}
