//! Data that change: a plan spends again, and says so.

use crate::support::{Here, plan};

/// As `plan`, with a part of the budget for each release.
fn some(edge: u32) -> String {
    format!("{}[spend]\nepsilon = 0.25\n", plan(edge))
}

#[test]
fn a_plan_that_spends_again_on_changed_data_says_since_when() {
    let here = Here::new();
    here.write("plan.toml", some(50));
    let first = here.run(&["release", "plan.toml", "--json"]).succeeded();
    assert!(!first.err.contains("changed"), "{}", first.err);
    let time = first.json()["receipt"]["time"].as_str().unwrap().to_owned();
    // The same data again cost nothing, and did not change.
    let again = here.run(&["release", "plan.toml"]).succeeded();
    assert!(again.err.contains("at no cost") && !again.err.contains("changed"));
    let data = here.read("people.csv");
    here.write("people.csv", format!("{data}5\n"));
    let told = format!(
        "The data changed since the same was released, in row 2 of the ledger, {time}. New \
         numbers spend again: ε = 0.25 of ε = 0.75."
    );
    // No terminal: it is said, and goes on.
    let second = here.run_with(&["release", "plan.toml"], "no\n").succeeded();
    assert!(second.err.contains(&told), "{}", second.err);
    assert_eq!(here.spent("lastbit.ledger").as_deref(), Some("0.5"));
    // With other noise it is another release, of the same name.
    here.write("people.csv", format!("{data}5\n6\n"));
    here.write("plan.toml", some(50).replace("0.25", "0.125"));
    let third = here.run(&["release", "plan.toml"]).succeeded();
    assert!(
        third.err.contains("in row 4 of the ledger"),
        "{}",
        third.err
    );
    // Another question about these data changes nothing.
    here.write(
        "plan.toml",
        some(40).replace("0.25", "0.125").replace("ages", "halves"),
    );
    let other = here.run(&["release", "plan.toml"]).succeeded();
    assert!(!other.err.contains("changed"), "{}", other.err);
    // Nor do the old data: they have their numbers still.
    here.write("people.csv", data);
    here.write("plan.toml", some(50));
    let old = here.run(&["release", "plan.toml", "--json"]).succeeded();
    assert!(old.err.contains("row 2 of the ledger, ") && old.err.contains("at no cost"));
    assert_eq!(old.out, first.out);
    // Silence can be had.
    here.write("people.csv", "age\n1\n");
    let quiet = here
        .run(&["release", "plan.toml", "--yes", "--quiet"])
        .succeeded();
    assert_eq!(quiet.err, "");
    assert_eq!(here.spent("lastbit.ledger").as_deref(), Some("1"));
}

/// The plan that `docs/ledger.md` shows for monthly releases.
fn monthly() -> String {
    let page = include_str!("../../../../docs/ledger.md");
    let (_, rest) = page.split_once("```toml\n").unwrap();
    rest.split_once("```").unwrap().0.to_owned()
}

#[test]
fn monthly_releases_of_the_documents_spend_a_twelfth_each() {
    let here = Here::empty();
    here.write("plan.toml", monthly());
    let mut rows = String::from("patient,day,cost\n");
    for month in 1..=12 {
        for visit in 0..40 {
            rows += &format!(
                "{},2026-{month:02}-{:02},{}\n",
                visit % 25,
                1 + visit % 28,
                10 * visit
            );
        }
        here.write("visits.csv", &rows);
        // The month is the one thing that changes in the plan.
        let plan = monthly().replace("month(day) = 1", &format!("month(day) = {month}"));
        here.write(
            "plan.toml",
            plan.replace("January", &format!("month {month}")),
        );
        let done = here.run(&["release", "plan.toml", "--json"]).succeeded();
        let loss = done.json()["loss"].as_str().unwrap().to_owned();
        assert_eq!(loss, "ε = 1/12");
    }
    assert_eq!(here.spent("lastbit.ledger").as_deref(), Some("1"));
    // January again, though the file has grown: the year is spent.
    here.write("plan.toml", monthly());
    here.run(&["release", "plan.toml"]).refused("1/12");
}
