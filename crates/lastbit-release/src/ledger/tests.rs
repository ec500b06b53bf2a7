//! Tests that control the clock or SQLite.

use std::time::{Duration, SystemTime};

use super::*;

fn pure(epsilon: &str) -> Loss {
    Loss::pure(epsilon.parse().unwrap()).unwrap()
}

fn request(plan: &str) -> Request {
    Request {
        plan: plan.into(),
        data: "data".into(),
        loss: pure("0.125"),
        description: String::new(),
    }
}

fn before_1970() -> SystemTime {
    SystemTime::UNIX_EPOCH - Duration::from_secs(86_400)
}

#[test]
fn a_clock_that_goes_back_changes_nothing_but_a_note() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ledger");
    let mut ledger = Ledger::open(&path, &pure("1")).unwrap();
    let _ = ledger.reserve(&request("a")).unwrap();
    ledger.clock = before_1970;
    let Outcome::Reserved(late) = ledger.reserve(&request("b")).unwrap() else {
        panic!("nothing was settled");
    };
    assert_eq!(late.time(), "1969-12-31T00:00:00.000Z");
    assert_eq!(late.row(), 3);
    ledger.clock = SystemTime::now;
    ledger.settle(late, "{}").unwrap();
    assert_eq!(
        Ledger::open(&path, &pure("1")).unwrap().account().spent,
        pure("0.25")
    );
    let found = check(&path, &[]).unwrap();
    assert!(found.passed(), "{:?}", found.faults);
    assert_eq!(found.notes.len(), 2, "{:?}", found.notes);
    assert!(found.notes[0].starts_with("row 3: its time 1969-12-31T00:00:00.000Z is earlier"));
    assert!(found.notes[1].starts_with("row 2: reserved and not settled"));
}

#[test]
fn a_full_disk_is_an_error_that_spends_nothing_and_passes() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ledger");
    let mut ledger = Ledger::open(&path, &pure("1")).unwrap();
    let Outcome::Reserved(reserved) = ledger.reserve(&request("a")).unwrap() else {
        panic!("nothing was settled");
    };
    let before = (ledger.head().0, ledger.account().clone());
    let pages: i64 = ledger
        .db
        .query_row("PRAGMA page_count", [], |row| row.get(0))
        .unwrap();
    let limit = |ledger: &Ledger, pages: i64| {
        ledger
            .db
            .query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()))
            .unwrap();
    };
    limit(&ledger, pages);
    let long = Request {
        description: "x".repeat(100_000),
        ..request("b")
    };
    let error = ledger.reserve(&long).unwrap_err();
    assert!(matches!(error, LedgerError::Full(_)), "{error}");
    let error = ledger.settle(reserved, &"x".repeat(100_000)).unwrap_err();
    assert!(matches!(error, LedgerError::Full(_)), "{error}");
    assert_eq!((ledger.head().0, ledger.account().clone()), before);
    assert_eq!(Ledger::view(&path).unwrap().account(), &before.1);
    limit(&ledger, pages + 1000);
    let _ = ledger.reserve(&long).unwrap();
    assert!(check(&path, &[]).unwrap().passed());
}

#[test]
fn commits_wait_for_the_disk() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = Ledger::open(&directory.path().join("ledger"), &pure("1")).unwrap();
    let pragma = |name: &str| -> rusqlite::types::Value {
        ledger
            .db
            .query_row(&format!("PRAGMA {name}"), [], |row| row.get(0))
            .unwrap()
    };
    assert_eq!(pragma("journal_mode"), "wal".to_owned().into());
    // 2 is FULL.
    assert_eq!(pragma("synchronous"), 2i64.into());
    assert_eq!(pragma("wal_autocheckpoint"), 1i64.into());
    assert_eq!(pragma("trusted_schema"), 0i64.into());
}
