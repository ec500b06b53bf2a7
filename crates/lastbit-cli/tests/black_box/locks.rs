//! What else this process does with the file of a ledger takes nothing from its locks.
//!
//! A process that closes any descriptor of a file loses the locks that SQLite has on it. Who closes
//! a ledger as the last one removes its log: if it takes itself for the last one because the locks
//! of another process are gone, that one goes on with a log that is no longer there, and no longer
//! sees what others spend.

use std::fs::File;

use lastbit_release::ledger::{Ledger, Request};
use lastbit_release::loss::Loss;

use crate::support::{Here, plan};

/// A ledger is open here, another process looks at it and closes it, and a third one spends: what
/// is left covers nothing more, whoever asks.
#[test]
fn a_backup_in_the_same_process_takes_no_lock_away() {
    let here = Here::new();
    let spend = |edge: u32, epsilon: &str| {
        let text = format!("{}[spend]\nepsilon = {epsilon}\n", plan(edge));
        here.write("plan.toml", text);
        here.release();
    };
    spend(50, "0.4");
    let mut ledger = Ledger::open_existing(&here.path("lastbit.ledger")).unwrap();
    // Of the file, and of all that is beside it.
    for name in here.files() {
        drop(File::open(here.path(name)).unwrap());
    }
    here.run(&["ledger", "show", "lastbit.ledger"]).succeeded();
    spend(40, "0.5");
    let request = Request {
        plan: "another".into(),
        data: "data".into(),
        loss: Loss::pure("0.4".parse().unwrap()).unwrap(),
        description: "another".into(),
    };
    let error = ledger.reserve(&request).unwrap_err().to_string();
    assert!(error.contains("ε = 0.1"), "{error}");
    drop(ledger);
    assert_eq!(here.files(), ["lastbit.ledger", "people.csv", "plan.toml"]);
    here.run(&["ledger", "check", "lastbit.ledger"]).succeeded();
}

/// Else another user of the ledger would go without them.
#[test]
fn locks_have_the_permissions_of_the_ledger() {
    let here = Here::new();
    here.release();
    for mode in [0o600, 0o660] {
        here.set_mode("lastbit.ledger", mode);
        let ledger = Ledger::open_existing(&here.path("lastbit.ledger")).unwrap();
        assert_eq!(here.mode(".lastbit.ledger.open"), mode);
        drop(ledger);
        assert!(!here.files().contains(&".lastbit.ledger.open".to_owned()));
    }
}

/// What stands in the place of a lock and is none is said at once, and nothing waits for it.
#[test]
fn a_lock_that_is_no_file_is_refused() {
    let here = Here::new();
    here.release();
    std::os::unix::fs::symlink("nowhere", here.path(".lastbit.ledger.open")).unwrap();
    here.run(&["release", "plan.toml"])
        .refused("it is not a regular file; remove it");
    // Nor is a report written there.
    std::fs::remove_file(here.path(".lastbit.ledger.open")).unwrap();
    for lock in [".lastbit.ledger.open", ".lastbit.ledger.turn"] {
        here.run(&["release", "plan.toml", "--csv", lock])
            .refused("this is the name of a ledger");
    }
}
