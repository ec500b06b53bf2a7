//! `lastbit release`, with the engine: what is printed, what is spent, and what is not.
#![cfg(feature = "engine")]

use crate::support::{Here, numbers, plan};

#[test]
fn a_release_is_printed_once_it_is_paid_for_and_then_is_free() {
    let here = Here::empty();
    here.write("plan.toml", plan(50));

    // Without the file: nothing is spent.
    here.run(&["release", "plan.toml"]).failed("people.csv");
    assert_eq!(here.files(), ["plan.toml"]);

    let rows: String = (0..500).map(|i| format!("{}\n", i % 97)).collect();
    here.write("people.csv", format!("age\n{rows}"));
    let first = here
        .run(&[
            "release",
            "plan.toml",
            "--json",
            "--csv",
            "out.csv",
            "--html",
            "out.html",
        ])
        .succeeded();
    assert_eq!(first.json()["loss"], "ε = 1");
    let count: i64 = numbers(&first.out)[0].as_ref().unwrap().parse().unwrap();
    // Laplace noise of scale 2: beyond 60 with probability below 1e-12.
    assert!((440..560).contains(&count), "{count}");
    assert!(here.read("out.csv").contains("people"));
    assert!(here.read("out.html").contains("<svg"));
    assert!(here.path("lastbit.ledger").exists());

    // Again: the same bytes, and it says that they were free.
    let again = here.run(&["release", "plan.toml", "--json"]).succeeded();
    assert_eq!(again.out, first.out);
    assert!(again.err.contains("at no cost"), "{}", again.err);

    // Another plan beside it spends from the same ledger, and finds nothing left.
    here.write("other.toml", plan(30));
    let refused = here.run(&["release", "other.toml"]).refused("requested");
    for part in ["remaining", "difference"] {
        assert!(refused.err.contains(part), "{}", refused.err);
    }
    assert!(!here.path("other.ledger").exists());

    // Of two ledgers none is chosen.
    std::fs::copy(here.path("lastbit.ledger"), here.path("copy.ledger")).unwrap();
    let unclear = here.run(&["release", "other.toml"]);
    unclear.failed("copy.ledger");
    assert!(unclear.err.contains("--ledger"), "{}", unclear.err);
}
