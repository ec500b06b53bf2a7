//! Ledgers of earlier versions, and how they move on.

use std::path::Path;

use lastbit_release::ledger::{Currency, Ledger, LedgerError, Outcome, Terms, check};
use rusqlite::Connection;
use sha2::{Digest, Sha256};

use super::support::{approximate, number, place, request, rho, taken};

/// The columns of format 1 that are hashed, in order.
pub const COLUMNS: &str =
    "previous row time kind measure main delta plan data description reserve report";

/// A ledger as the versions before wrote it: format 1, a budget and one release that is settled.
pub fn old_ledger(path: &Path) {
    let db = Connection::open(path).unwrap();
    db.pragma_update(None, "application_id", 0x4c42_4c47)
        .unwrap();
    db.pragma_update(None, "user_version", 1).unwrap();
    for statement in [
        "CREATE TABLE entries (row INTEGER PRIMARY KEY, time TEXT NOT NULL, kind TEXT NOT NULL, \
         measure TEXT, main TEXT, delta TEXT, plan TEXT, data TEXT, description TEXT, reserve \
         INTEGER, report TEXT, previous TEXT NOT NULL, hash TEXT NOT NULL) STRICT",
        "CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), entries INTEGER NOT NULL, \
         hash TEXT NOT NULL) STRICT",
        "CREATE TRIGGER entries_are_final BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, \
         'entries of a ledger are final'); END",
        "CREATE TRIGGER entries_stay BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'entries \
         of a ledger stay'); END",
        "CREATE TRIGGER entries_follow BEFORE INSERT ON entries WHEN NEW.row <> (SELECT entries + \
         1 FROM head) BEGIN SELECT RAISE(ABORT, 'entries of a ledger follow each other'); END",
        "CREATE TRIGGER head_stays BEFORE DELETE ON head BEGIN SELECT RAISE(ABORT, 'the head of a \
         ledger stays'); END",
        "INSERT INTO head VALUES (1, 0, '')",
    ] {
        db.execute(statement, []).unwrap();
    }
    let hex = |bytes: &[u8]| {
        bytes
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>()
    };
    let identity = "ab".repeat(32);
    let data = hex(&Sha256::digest(format!(
        "lastbit-ledger-data\n{identity}\ndata"
    )));
    let mut previous = identity;
    for row in 1..=3 {
        let column = |name: &str| -> Option<String> {
            let text = |text: &str| Some(text.to_owned());
            match (name, row) {
                ("previous", _) => Some(previous.clone()),
                ("row", _) => Some(row.to_string()),
                ("time", _) => text("2026-03-01T09:30:00.000Z"),
                ("kind", _) => text(["budget", "reserve", "settle"][row - 1]),
                ("measure", 1 | 2) => text("approximate"),
                ("main", 1) => text("2"),
                ("delta", 1) => text("0.0000001"),
                ("main", 2) => text("0.5"),
                ("delta", 2) => text("0.00000001"),
                ("plan", 2) => text("a"),
                ("data", 2) => Some(data.clone()),
                ("description", 1) => text("first budget"),
                ("description", 2) => text("the release of a"),
                ("reserve", 3) => text("2"),
                ("report", 3) => text("{\"a\":1}"),
                _ => None,
            }
        };
        let mut canonical = "lastbit-ledger-1\n".to_owned();
        for name in COLUMNS.split(' ') {
            canonical += &match column(name) {
                Some(value) => format!("{name}={}:{value}\n", value.len()),
                None => format!("{name}=-\n"),
            };
        }
        let hash = hex(&Sha256::digest(&canonical));
        let value = |name: &str| column(name);
        db.execute(
            "INSERT INTO entries VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
            rusqlite::params![
                row as i64,
                value("time"),
                value("kind"),
                value("measure"),
                value("main"),
                value("delta"),
                value("plan"),
                value("data"),
                value("description"),
                value("reserve").map(|row| row.parse::<i64>().unwrap()),
                value("report"),
                previous.clone(),
                hash,
            ],
        )
        .unwrap();
        db.execute(
            "UPDATE head SET entries = ?1, hash = ?2",
            rusqlite::params![row as i64, hash],
        )
        .unwrap();
        previous = hash;
    }
}

fn version(path: &Path) -> i64 {
    let db = Connection::open(path).unwrap();
    db.query_row("PRAGMA user_version", [], |row| row.get(0))
        .unwrap()
}

#[test]
pub fn old_ledgers_keep_their_sums_until_they_are_told_to_compose() {
    let (_directory, path) = place();
    old_ledger(&path);
    let budget = approximate("2", "1e-7");
    let mut ledger = Ledger::open(&path, &budget).unwrap();
    // Open in two processes at once, of which one does not move it on.
    let mut other = Ledger::open(&path, &budget).unwrap();
    assert_eq!(ledger.account().remaining(), approximate("1.5", "9e-8"));
    assert_eq!(ledger.account().composed, None);
    let stored = ledger
        .reserve(&request("a", approximate("2", "0")))
        .unwrap();
    assert!(matches!(stored, Outcome::Stored(stored) if stored.report == "{\"a\":1}"));
    taken(&mut ledger, "b", approximate("0.5", "1e-8"));
    let error = ledger
        .reserve(&request("c", rho("0.001", "0")))
        .unwrap_err();
    assert!(
        matches!(error, LedgerError::MeasureDiffers { .. }),
        "{error}"
    );
    let error = ledger
        .reserve(&request("c", approximate("1.1", "0")))
        .unwrap_err();
    assert!(
        error.to_string().contains("remaining:  ε = 1, δ = 8e-8"),
        "{error}"
    );
    assert_eq!(version(&path), 1);
    // What is left composes from here on.
    let terms = Terms {
        currency: Currency::Zcdp,
        thresholds: number("1e-8"),
    };
    ledger
        .set_terms(&budget, |_| Some(terms.clone()), "compose")
        .unwrap();
    assert_eq!(version(&path), 2);
    let limit = terms.limit(&approximate("1", "8e-8"));
    let mut quarter = rho("0", "0");
    quarter.main = &limit.main / &number("4");
    taken(&mut other, "c", quarter.clone());
    assert_eq!(other.account().admits(&quarter), 3);
    taken(&mut ledger, "d", quarter.clone());
    let mut last = quarter;
    last.main = last.main.times_power_of_two(1);
    taken(&mut other, "e", last);
    assert!(
        ledger
            .reserve(&request("f", rho("1e-9", "0")))
            .unwrap_err()
            .is_refused()
    );
    let found = check(&path, &[]).unwrap();
    assert!(found.passed(), "{:?}", found.faults);
    let stored = other.reserve(&request("a", approximate("2", "0"))).unwrap();
    assert!(matches!(stored, Outcome::Stored(_)));
}

/// The first entry that only the new format can hold makes it one, in one transaction.
#[test]
fn a_ledger_that_cannot_be_moved_on_stays_as_it_was() {
    let (_directory, path) = place();
    old_ledger(&path);
    let mut ledger = Ledger::open_existing(&path).unwrap();
    let usual = Terms::usual(&approximate("0.4", "1e-7"));
    let error = ledger
        .set_terms(&approximate("0.4", "1e-7"), |_| usual, "")
        .unwrap_err();
    assert!(
        matches!(error, LedgerError::BudgetBelowSpent { .. }),
        "{error}"
    );
    drop(ledger);
    assert_eq!(version(&path), 1);
    assert_eq!(Ledger::view(&path).unwrap().head().0, 3);
}
