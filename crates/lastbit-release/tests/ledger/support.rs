//! What the tests of ledgers share.

use std::path::{Path, PathBuf};
use std::process::Command;

use lastbit_exact::Rational;
use lastbit_release::ledger::{Ledger, Outcome, Request};
use lastbit_release::loss::{Loss, LossMeasure};
use rusqlite::Connection;
use tempfile::TempDir;

pub fn number(text: &str) -> Rational {
    text.parse().unwrap()
}

pub fn pure(epsilon: &str) -> Loss {
    Loss::pure(number(epsilon)).unwrap()
}

pub fn approximate(epsilon: &str, delta: &str) -> Loss {
    Loss::approximate(number(epsilon), number(delta)).unwrap()
}

pub fn rho(amount: &str, delta: &str) -> Loss {
    Loss::new(LossMeasure::ApproximateZcdp, number(amount), number(delta)).unwrap()
}

pub fn request(plan: &str, loss: Loss) -> Request {
    Request {
        plan: plan.into(),
        data: "data".into(),
        loss,
        description: format!("the release of {plan}"),
    }
}

/// Where a ledger can be made.
pub fn place() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.ledger");
    (directory, path)
}

/// Reserves and settles.
pub fn taken(ledger: &mut Ledger, plan: &str, loss: Loss) {
    match ledger.reserve(&request(plan, loss)).unwrap() {
        Outcome::Reserved(reserved) => ledger.settle(reserved, "{}").unwrap(),
        Outcome::Stored(stored) => panic!("stored: {stored:?}"),
    }
}

/// Changes a file as a person with write access and patience would: the triggers are taken away and
/// put back.
pub fn without_triggers(path: &Path, change: impl FnOnce(&Connection)) {
    let db = Connection::open(path).unwrap();
    let triggers: Vec<(String, String)> = db
        .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY rowid")
        .unwrap()
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    for (name, _) in &triggers {
        db.execute(&format!("DROP TRIGGER {name}"), []).unwrap();
    }
    change(&db);
    for (_, create) in &triggers {
        db.execute(create, []).unwrap();
    }
}

/// What the program of `docs/ledger.md` says about a ledger: whether it is right, its output and
/// its errors.
pub fn documented_program(path: &Path) -> (bool, String, String) {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/ledger.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let program = guide.split("```python\n").nth(1).unwrap();
    let program = program.split("```").next().unwrap();
    let output = Command::new("python3")
        .args(["-c", program])
        .arg(path)
        .output()
        .expect("python3 runs");
    (
        output.status.success(),
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}
