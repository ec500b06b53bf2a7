//! `lastbit release` killed at any moment: what was shown is in the ledger, and the ledger is never
//! overspent.
#![cfg(all(feature = "engine", unix))]

use std::process::Child;
use std::time::{Duration, Instant};

use lastbit_release::ledger::{Event, Ledger};
use serde_json::Value;

use crate::support::Here;

const KILLS: u32 = 200;
/// Releases that are begun at most until as many were killed.
const ATTEMPTS: u32 = 5 * KILLS;
/// Fewer than releases may be begun: the last ones may meet an empty budget.
const BUDGET: u32 = 250;

fn plan(number: u32) -> String {
    format!(
        r#"
title = "People"
[source]
files = "people.csv"
[privacy]
neighbours = "add-remove"
[budget]
epsilon = {BUDGET}
[columns.age]
edges = [0, {}, 5000]
[[statistics]]
name = "ages"
kind = "histogram"
of = "age"
loss = 1
"#,
        number + 1
    )
}

fn release(here: &Here, number: u32) -> Child {
    here.write("plan.toml", plan(number));
    here.command(&["release", "plan.toml", "--json", "--html", "page.html"])
        .spawn()
        .unwrap()
}

#[test]
fn a_release_that_is_killed_shows_nothing_that_is_not_in_the_ledger() {
    let here = &Here::empty();
    let rows: String = (0..2000).map(|i| format!("{}\n", i % 997)).collect();
    here.write("people.csv", format!("age\n{rows}"));

    // The first releases find nothing in the caches, so the quickest of some tells how long one
    // takes.
    let whole = (ATTEMPTS + 1..=ATTEMPTS + 4)
        .map(|number| {
            let begun = Instant::now();
            let output = release(here, number).wait_with_output().unwrap();
            assert!(output.status.success());
            begun.elapsed()
        })
        .min()
        .unwrap();

    let (mut killed, mut refused, mut shown) = (0, 0, 0);
    for number in 1..=ATTEMPTS {
        if killed == KILLS {
            break;
        }
        let page = here.path("page.html");
        let _ = std::fs::remove_file(&page);
        let mut child = release(here, number);
        // Every moment of a release, in steps that visit all of it.
        std::thread::sleep(whole * (number * 61 % KILLS) / KILLS + Duration::from_millis(1));
        let _ = child.kill();
        let output = child.wait_with_output().unwrap();
        match output.status.code() {
            None => killed += 1,
            Some(0) => {}
            Some(code) => {
                let message = String::from_utf8_lossy(&output.stderr);
                assert!(code == 1 && message.contains("remaining"), "{message}");
                refused += 1;
            }
        }
        // A page is there whole or not at all.
        if let Ok(page) = std::fs::read_to_string(&page) {
            assert!(page.trim_end().ends_with("</html>"));
        }
        let mut ledger = Ledger::open_existing(&here.path("lastbit.ledger")).unwrap();
        let account = ledger.account();
        assert!(account.spent.main <= account.budget.main);
        let Ok(report) = serde_json::from_slice::<Value>(&output.stdout) else {
            continue;
        };
        shown += 1;
        let settled = ledger.entries().unwrap().into_iter().any(|entry| {
            matches!(entry.event, Event::Settle { report: stored, .. }
                if serde_json::from_str::<Value>(&stored).unwrap() == report)
        });
        assert!(settled, "a report was shown that is not in the ledger");
    }
    assert_eq!(killed, KILLS);
    println!("{killed} killed, {refused} refused, {shown} shown");
}
