//! Ledger files.

use std::cell::RefCell;
use std::fs;

use lastbit_release::ledger::{Ledger, Outcome, Request, check};
use lastbit_release::loss::Loss;
use tempfile::TempDir;

thread_local! {
    static HERE: RefCell<Option<TempDir>> = const { RefCell::new(None) };
}

/// A file that somebody changed is checked and looked at, or refused.
pub fn run(input: &[u8]) {
    HERE.with_borrow_mut(|here| {
        let here = here.get_or_insert_with(|| tempfile::tempdir().expect("a directory"));
        let path = here.path().join("changed.ledger");
        fs::write(&path, input).expect("a file");
        let _ = check(&path, &[]);
        if let Ok(ledger) = Ledger::view(&path) {
            let _ = ledger.account().remaining();
        }
    });
}

/// A ledger with a release that was settled and one that was not, and the one of version 0.1.0.
pub fn corpus() -> Vec<Vec<u8>> {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("made.ledger");
    let pure = |text: &str| Loss::pure(text.parse().expect("a number")).expect("a loss");
    let mut ledger = Ledger::open(&path, &pure("1")).expect("a ledger");
    for (plan, loss) in [("a", "0.5"), ("b", "0.25")] {
        let request = Request {
            plan: plan.into(),
            data: "data".into(),
            loss: pure(loss),
            description: "a release".into(),
        };
        if let Outcome::Reserved(reserved) = ledger.reserve(&request).expect("enough budget")
            && plan == "a"
        {
            ledger.settle(reserved, "{\"schema\":1}").expect("settled");
        }
    }
    drop(ledger);
    let mut corpus = super::texts!["crates/lastbit-cli/tests/data/version-0.1.0/stored.sqlite"];
    corpus.push(fs::read(path).expect("the file"));
    corpus
}
