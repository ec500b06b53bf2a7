//! What the chain finds: edits, removals, insertions, reordering, and what only a hash kept
//! elsewhere can find.

use std::path::{Path, PathBuf};

use lastbit_release::ledger::{Check, Ledger, LedgerError, Outcome, Request, Witness, check};
use rusqlite::Connection;
use tempfile::TempDir;

use super::support::{documented_program, place, pure, request, without_triggers};

/// Rows: budget, then reserve and settle of a, b, c; then a reservation that nobody settled. ε =
/// 0.8 of 1 is spent.
fn sample() -> (TempDir, PathBuf) {
    let (directory, path) = place();
    let mut ledger = Ledger::open(&path, &pure("1")).unwrap();
    for plan in ["a", "b", "c", "d"] {
        let request = request(plan, pure("0.2"));
        let Outcome::Reserved(reserved) = ledger.reserve(&request).unwrap() else {
            panic!("nothing was settled");
        };
        if plan != "d" {
            ledger
                .settle(reserved, &format!("{{\"{plan}\":1}}"))
                .unwrap();
        }
    }
    (directory, path)
}

fn tamper(path: &Path, sql: &str) {
    without_triggers(path, |db| db.execute_batch(sql).unwrap());
}

fn found(path: &Path) -> Check {
    check(path, &[]).unwrap()
}

/// The check fails and says this about this row; nobody can reserve.
fn assert_found(sql: &str, row: Option<i64>, says: &str) {
    let (_directory, path) = sample();
    assert!(found(&path).passed());
    tamper(&path, sql);
    let found = found(&path);
    assert!(!found.passed(), "not found: {sql}");
    assert!(
        found
            .faults
            .iter()
            .any(|fault| fault.row == row && fault.what.contains(says)),
        "{sql}: {:?}",
        found.faults
    );
    let error = Ledger::open(&path, &pure("1")).unwrap_err();
    assert!(matches!(error, LedgerError::Altered { .. }), "{error}");
    assert!(Ledger::view(&path).is_err());
}

#[test]
fn edits_are_found_in_every_column() {
    for set in [
        "time = '2020-01-01T00:00:00.000Z'",
        "main = '0.1'",
        "main = '0.20'",
        "delta = '0.0'",
        "measure = 'zcdp'",
        "plan = 'other'",
        "data = 'other'",
        "description = NULL",
        "report = '{}'",
        "previous = hash",
        "hash = previous",
        "kind = 'budget'",
    ] {
        assert_found(
            &format!("UPDATE entries SET {set} WHERE row = 4"),
            Some(4),
            "",
        );
    }
    assert_found(
        "UPDATE entries SET reserve = 2 WHERE row = 5",
        Some(5),
        "its hash is not that of its contents: it was edited",
    );
    assert_found(
        "UPDATE entries SET main = '100' WHERE row = 1",
        Some(1),
        "it was edited",
    );
}

#[test]
fn removed_rows_are_found_wherever_they_were() {
    assert_found(
        "DELETE FROM entries WHERE row = 1",
        Some(2),
        "should be row 1",
    );
    assert_found(
        "DELETE FROM entries WHERE row = 4",
        Some(5),
        "rows are missing",
    );
    assert_found(
        "DELETE FROM entries WHERE row = 4; UPDATE entries SET row = row - 1 WHERE row > 4",
        Some(4),
        "it is not chained",
    );
    assert_found(
        "DELETE FROM entries WHERE row = 8",
        None,
        "the head says 8 entries",
    );
    assert_found("DELETE FROM entries", None, "the head says 8 entries");
    assert_found(
        "DELETE FROM entries; DELETE FROM head",
        None,
        "the head is missing",
    );
    assert_found(
        "DELETE FROM entries; UPDATE head SET entries = 0, hash = ''",
        None,
        "it has no budget",
    );
}

#[test]
fn reordered_and_inserted_rows_are_found() {
    assert_found(
        "UPDATE entries SET row = 100 WHERE row = 2; UPDATE entries SET row = 2 WHERE row = 4; \
         UPDATE entries SET row = 4 WHERE row = 100",
        Some(2),
        "it is not chained",
    );
    assert_found(
        "INSERT INTO entries SELECT 9, time, kind, measure, main, delta, plan, data, description, \
         reserve, report, previous, hash FROM entries WHERE row = 2; UPDATE head SET entries = 9",
        Some(9),
        "",
    );
    assert_found(
        "INSERT INTO entries SELECT 0, time, kind, measure, main, delta, plan, data, description, \
         reserve, report, previous, hash FROM entries WHERE row = 1",
        Some(0),
        "rows are missing",
    );
}

#[test]
fn the_head_and_the_schema_are_watched_too() {
    assert_found("UPDATE head SET hash = 'x'", None, "the head says");
    assert_found("UPDATE head SET entries = 7", None, "the head says 7");
    let (_directory, path) = sample();
    let db = Connection::open(&path).unwrap();
    db.execute_batch(
        "CREATE TRIGGER forget AFTER INSERT ON entries BEGIN UPDATE head SET entries = 1; END",
    )
    .unwrap();
    drop(db);
    let error = Ledger::open(&path, &pure("1")).unwrap_err();
    assert!(
        error.to_string().contains("triggers are not those"),
        "{error}"
    );
}

#[test]
fn plain_sql_cannot_edit_remove_or_insert() {
    let (_directory, path) = sample();
    let db = Connection::open(&path).unwrap();
    for sql in [
        "UPDATE entries SET main = '0' WHERE row = 2",
        "DELETE FROM entries WHERE row = 8",
        "INSERT INTO entries SELECT 3, time, kind, measure, main, delta, plan, data, description, \
         reserve, report, previous, hash FROM entries WHERE row = 2",
        "DELETE FROM head",
    ] {
        let error = db.execute(sql, []).unwrap_err().to_string();
        assert!(error.contains("of a ledger"), "{error}");
    }
    drop(db);
    assert!(found(&path).passed());
}

/// Removing the last rows and correcting the head leaves a ledger that is whole in itself: only a
/// hash that was kept elsewhere finds it.
#[test]
fn a_cut_end_is_found_by_a_witness_and_by_nothing_else() {
    let (_directory, path) = sample();
    let (rows, head) = {
        let ledger = Ledger::view(&path).unwrap();
        let (rows, head) = ledger.head();
        (rows, head.to_owned())
    };
    let witness = |row| Witness {
        row,
        hash: head.clone(),
    };
    assert!(
        check(&path, &[witness(None), witness(Some(rows))])
            .unwrap()
            .passed()
    );
    assert!(!check(&path, &[witness(Some(rows - 1))]).unwrap().passed());
    tamper(
        &path,
        "DELETE FROM entries WHERE row > 5; UPDATE head SET entries = 5, hash = (SELECT hash FROM \
         entries WHERE row = 5)",
    );
    assert!(found(&path).passed());
    for row in [None, Some(rows)] {
        let found = check(&path, &[witness(row)]).unwrap();
        assert_eq!(found.faults.len(), 1);
        assert!(
            found.faults[0].what.contains("kept elsewhere"),
            "{:?}",
            found.faults
        );
    }
}

#[test]
fn a_ledger_that_is_cut_while_it_is_open_grants_nothing_more() {
    let (_directory, path) = sample();
    let mut ledger = Ledger::open(&path, &pure("1")).unwrap();
    tamper(
        &path,
        "DELETE FROM entries WHERE row > 5; UPDATE head SET entries = 5, hash = (SELECT hash FROM \
         entries WHERE row = 5)",
    );
    let request = Request {
        plan: "e".into(),
        data: "data".into(),
        loss: pure("0.2"),
        description: String::new(),
    };
    // The file is whole in itself; this process knows better, and does not forget.
    for _ in 0..2 {
        let error = ledger.reserve(&request).unwrap_err();
        assert!(error.to_string().contains("missing at its end"), "{error}");
    }
    assert!(ledger.entries().is_err());
    assert!(ledger.set_budget(&pure("2"), "").is_err());
    // A stored report that was edited since is not handed out.
    let (_directory, path) = sample();
    let mut ledger = Ledger::open(&path, &pure("1")).unwrap();
    tamper(&path, "UPDATE entries SET report = '{}' WHERE row = 3");
    let again = Request {
        plan: "a".into(),
        ..request
    };
    let error = ledger.reserve(&again).unwrap_err();
    assert!(
        error.to_string().contains("row 3: it was edited"),
        "{error}"
    );
}

/// The same verification in another language, by the text of `docs/ledger.md` alone.
#[test]
fn the_documented_python_program_agrees() {
    let (_directory, path) = sample();
    let head = Ledger::view(&path).unwrap().head().1.to_owned();
    let (fine, said, _) = documented_program(&path);
    assert!(fine, "{said}");
    assert_eq!(
        said,
        format!("8 entries, pure 4/5 of 1 spent, head {head}\n")
    );
    tamper(&path, "UPDATE entries SET description = 'x' WHERE row = 4");
    assert!(!documented_program(&path).0);
}
