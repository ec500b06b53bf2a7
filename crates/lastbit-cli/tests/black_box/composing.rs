//! Ledgers that compose, through the command.

use crate::support::{Here, numbers};

/// A count with an edge of a filter at `age`, so that plans of different ages are different
/// releases.
fn plan(age: u32, spend: &str) -> String {
    format!(
        r#"
title = "People"
[source]
files = "people.csv"
where = "age >= {age}"
[privacy]
neighbours = "add-remove"
[budget]
epsilon = 2
delta = 1e-7
{spend}
[columns.age]
edges = [0, 50, 100]
[[statistics]]
name = "ages"
kind = "histogram"
of = "age"
"#
    )
}

/// The same question of thirty sets of rows.
fn many(age: u32, spend: &str) -> String {
    let one = plan(age, spend);
    let counts = (1..30).map(|rows| {
        format!("[[statistics]]\nname = \"{rows}\"\nkind = \"count\"\nwhere = \"age > {rows}\"\n")
    });
    one + &counts.collect::<String>()
}

fn error(here: &Here, plan: &str) -> f64 {
    let done = here.run(&["plan", plan, "--json"]).succeeded();
    let json: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    json["statistics"][0]["error"].as_f64().unwrap()
}

#[test]
fn ten_releases_of_a_tenth_each_have_little_more_than_a_third_of_the_errors_of_plain_sums() {
    let here = Here::new();
    // What a ledger that adds up plainly could give: each release a tenth of ε and of δ.
    here.write(
        "plain.toml",
        many(0, "[spend]\nepsilon = 0.2\ndelta = 1e-8"),
    );
    let plain = error(&here, "plain.toml");
    let tenth = "[spend]\npart = \"1/10\"";
    for step in 0..10 {
        here.write("plan.toml", many(step, tenth));
        let composed = error(&here, "plan.toml");
        assert!(plain > 2.8 * composed, "{plain} {composed}");
        let first = here.run(&["release", "plan.toml", "--json"]).succeeded();
        assert!(first.out.contains("\"loss\": \"ρ = 0.0"), "{}", first.out);
        let again = here.run(&["release", "plan.toml", "--json"]).succeeded();
        assert!(again.err.contains("at no cost"), "{}", again.err);
        assert_eq!(numbers(&first.out), numbers(&again.out));
        let show = here.run(&["ledger", "show", "lastbit.ledger"]).succeeded();
        let more = match 9 - step {
            0 => "not enough for one more like the last".to_owned(),
            more => format!("enough for {more} more like the last"),
        };
        let words = show.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(&more), "{}", show.out);
        assert!(words.contains(" at δ = 1e-7"), "{}", show.out);
    }
    here.write("plan.toml", plan(10, tenth));
    let refused = here
        .run(&["release", "plan.toml"])
        .refused("requested:  ρ = 0.0");
    assert!(
        refused
            .err
            .contains("\n  remaining:  ρ = 0, δ = 1e-8 of thresholds\n"),
        "{}",
        refused.err
    );
    // Neither a part by itself nor everything is left.
    for spend in ["[spend]\nepsilon = 0.2\ndelta = 1e-8", ""] {
        here.write("plan.toml", plan(11, spend));
        here.run(&["release", "plan.toml"])
            .refused("requested:  ρ = 0.0");
    }
    here.run(&["ledger", "check", "lastbit.ledger"]).succeeded();
    // The command that the refusal names makes room.
    let command = refused.err.split('`').nth(1).unwrap();
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    here.run(&words).succeeded();
    let epsilon = words[words.iter().position(|word| *word == "--epsilon").unwrap() + 1];
    let text = plan(12, "[spend]\nepsilon = 0.5\ndelta = 1e-8")
        .replace("epsilon = 2\n", &format!("epsilon = {epsilon}\n"));
    here.write("plan.toml", text);
    here.run(&["release", "plan.toml"]).succeeded();
}

#[test]
fn a_release_that_takes_everything_is_priced_by_itself_and_closes_its_ledger() {
    let here = Here::new();
    here.write("whole.toml", plan(0, ""));
    let priced = here.run(&["plan", "whole.toml", "--json"]).succeeded();
    let json: serde_json::Value = serde_json::from_str(&priced.out).unwrap();
    assert_eq!(json["loss"]["measure"], "approximate");
    let first = here.run(&["release", "whole.toml", "--json"]).succeeded();
    here.write("part.toml", plan(1, "[spend]\npart = 0.01"));
    let refused = here
        .run(&["release", "part.toml"])
        .refused("remaining:  ε = 0, δ = 1e-7");
    assert!(
        refused.err.contains("requested:  ε = 0.02, δ = 0"),
        "{}",
        refused.err
    );
    // The same release is found, also after the budget was raised and something else was released.
    here.run(&[
        "ledger",
        "budget",
        "lastbit.ledger",
        "--epsilon",
        "3",
        "--delta",
        "2e-7",
    ])
    .succeeded();
    let raised =
        |text: String| text.replace("epsilon = 2\ndelta = 1e-7", "epsilon = 3\ndelta = 2e-7");
    here.write("part.toml", raised(plan(1, "[spend]\npart = 0.01")));
    here.run(&["release", "part.toml"]).succeeded();
    let again = here.run(&["release", "whole.toml", "--json"]).succeeded();
    assert!(again.err.contains("at no cost"), "{}", again.err);
    assert_eq!(first.out, again.out);
}

#[test]
fn terms_that_a_plan_states_are_those_of_its_ledger() {
    let here = Here::new();
    let with = |terms: &str| {
        plan(0, "[spend]\npart = 0.1")
            .replace("delta = 1e-7\n", &format!("delta = 1e-7\n{terms}\n"))
    };
    here.write(
        "plan.toml",
        with("currency = \"gaussian\"\nthresholds = 1e-9"),
    );
    let out = here
        .run(&["release", "plan.toml", "--json"])
        .succeeded()
        .out;
    assert!(out.contains("\"loss\": \"μ² = 0.0"), "{out}");
    // Another question: the same one is answered from the ledger, whatever the plan says of
    // currencies.
    here.write(
        "other.toml",
        with("currency = \"zcdp\"").replace("where = \"age >= 0\"", "where = \"age >= 5\""),
    );
    let refused = here.run(&["release", "other.toml"]);
    assert_eq!(refused.status, Some(1));
    assert!(
        refused.err.contains("currency \"gaussian\""),
        "{}",
        refused.err
    );
    // One that states none takes the ledger's.
    here.write(
        "plan.toml",
        with("").replace("where = \"age >= 0\"", "where = \"age >= 1\""),
    );
    here.run(&["release", "plan.toml"]).succeeded();
    let quantiles =
        "[[statistics]]\nname = \"q\"\nkind = \"quantiles\"\nof = \"age\"\nat = [0.5]\n";
    here.write("plan.toml", with("") + quantiles);
    here.run(&["release", "plan.toml"])
        .refused("selects its values, without Gaussian noise");
    let change = [
        "ledger",
        "budget",
        "lastbit.ledger",
        "--epsilon",
        "2",
        "--currency",
        "zcdp",
    ];
    here.run(&change)
        .refused("fixed once something was released");
    here.run(&["ledger", "history", "lastbit.ledger", "--json"])
        .succeeded();
    for (spend, words) in [
        ("[spend]\npart = 2", "at most 1"),
        ("[spend]\npart = 0", "part"),
    ] {
        here.write("plan.toml", plan(0, spend));
        here.run(&["plan", "plan.toml"]).refused(words);
    }
    here.write(
        "plan.toml",
        plan(0, "").replace("delta = 1e-7", "currency = \"zcdp\""),
    );
    here.run(&["plan", "plan.toml"]).refused("add `delta`");
}
