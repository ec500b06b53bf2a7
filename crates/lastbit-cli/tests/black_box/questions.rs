//! What a question in SQL may spend, and which ones have an answer elsewhere.

use crate::support::Here;

/// A plan that takes a quarter of a budget in ε and δ, of which a question may take less.
const PLAN: &str = r#"
title = "People"
[source]
files = "people.csv"
[privacy]
neighbours = "add-remove"
[budget]
epsilon = 4
delta = 1e-7
[spend]
part = "1/4"
[columns.age]
lower = 0
upper = 100
[[statistics]]
name = "people"
kind = "count"
"#;

const COUNT: &str = "select count(*) from people where age >= 18";

#[test]
fn what_the_command_line_may_spend_goes_before_the_part_in_the_plan() {
    let here = Here::new();
    here.write("plan.toml", PLAN);
    let priced = |arguments: &[&str]| -> f64 {
        let all = [&["query", "plan.toml", COUNT, "--price"], arguments].concat();
        let out = here.run(&all).succeeded().out;
        let loss = out
            .lines()
            .find(|line| line.trim_start().starts_with("loss "));
        let rho = loss.and_then(|line| line.split("ρ = ").nth(1));
        let digits: String = rho
            .unwrap_or_else(|| panic!("{out}"))
            .chars()
            .take_while(|c| c.is_ascii_digit() || *c == '.')
            .collect();
        digits.trim_end_matches('.').parse().unwrap()
    };
    // The quarter of the plan is of ρ, and ε = 0.2 is a hundredth of it.
    let part = priced(&[]);
    let stated = priced(&["--epsilon", "0.2", "--delta", "1e-9"]);
    assert!(part > 0.05 && stated < 0.001, "{part} {stated}");
    // Also if it says just as much as the part of ε and of δ: another ρ than the part of ρ.
    let same = priced(&["--epsilon", "1", "--delta", "2.5e-8"]);
    assert!(stated < same && same < part / 2.0, "{same}");
    // It is what is spent, too.
    let arguments = ["--epsilon", "0.2", "--delta", "1e-9", "--json"];
    let all = [&["query", "plan.toml", COUNT], &arguments[..]].concat();
    here.run(&all).succeeded();
    let shown = here.run(&["ledger", "show", "lastbit.ledger"]).succeeded();
    let spent = shown
        .out
        .split_once("spent")
        .map(|(_, rest)| rest.to_owned());
    let rho = spent.as_deref().and_then(|rest| rest.split("ρ = ").nth(1));
    let rho: String = rho
        .unwrap_or_else(|| panic!("{}", shown.out))
        .chars()
        .take_while(|c| c.is_ascii_digit() || *c == '.')
        .collect();
    let rho: f64 = rho.trim_end_matches('.').parse().unwrap();
    assert!(rho < 0.001, "{}", shown.out);
}

#[test]
fn counting_different_people_is_a_statistic_of_a_plan() {
    let here = Here::new();
    let statement = "select count(distinct age) from people";
    let asked = here.run(&["query", "plan.toml", statement, "--epsilon", "0.1"]);
    asked.refused("write a statistic of kind = \"units\" into the plan");
    assert!(!here.path("lastbit.ledger").exists());
}

#[test]
fn a_loss_that_is_not_said_in_the_words_of_the_command_has_its_remedy() {
    let here = Here::new();
    let done = here.run(&["convert", "--epsilon", "1"]);
    assert_eq!(done.status, Some(2), "{}", done.err);
    for remedy in ["--from pure:1", "--from approx:1,1e-6"] {
        assert!(done.err.contains(remedy), "{}", done.err);
    }
    let done = here.run(&["convert", "--epsilon", "1", "--delta", "1e-9"]);
    assert_eq!(done.status, Some(2), "{}", done.err);
    assert!(done.err.contains("--from approx:1,1e-9"), "{}", done.err);
    let done = here.run(&["convert"]);
    assert_eq!(done.status, Some(2), "{}", done.err);
    assert!(done.err.contains("--from"), "{}", done.err);
    // A budget and what may be spent of it have the same keys.
    for (spend, remedy) in [
        (
            "epsilon = 0.5",
            "[spend] lacks `delta`; add it, or write part = \"1/4\"",
        ),
        (
            "rho = 0.1",
            "[spend] has `rho`, and [budget] has `epsilon` and `delta`",
        ),
    ] {
        here.write("plan.toml", PLAN.replace("part = \"1/4\"", spend));
        here.run(&["plan", "plan.toml"]).refused(remedy);
    }
    let pure = PLAN.replace("delta = 1e-7\n", "");
    let spend = "epsilon = 0.5\ndelta = 1e-9";
    here.write("plan.toml", pure.replace("part = \"1/4\"", spend));
    here.run(&["plan", "plan.toml"])
        .refused("[spend] has `delta`, and [budget] has none; leave it out");
}

/// Statistics of a plan may be made to add up, those of a question are not: what the plan ties is
/// told by the places of its own statistics.
#[test]
fn a_question_to_a_plan_that_adds_up_is_answered_by_itself() {
    let here = Here::new();
    let own = PLAN.split_once("[[statistics]]").unwrap().0;
    let plan = format!(
        "consistent = true\n{own}[columns.sex]\ncategories = [\"f\", \"m\"]\nother = \"m\"\n\
         [[statistics]]\nname = \"people\"\nkind = \"count\"\n\
         [[statistics]]\nname = \"by sex\"\nkind = \"count\"\nby = \"sex\"\n"
    )
    .replace("epsilon = 4\n", "epsilon = 4000000000\n")
    .replace("delta = 1e-7\n", "")
    .replace("[spend]\npart = \"1/4\"\n", "");
    here.write("plan.toml", plan);
    let rows: String = (0..100)
        .map(|row| format!("{row},{}\n", ["f", "m"][row % 2]))
        .collect();
    here.write("people.csv", format!("age,sex\n{rows}"));
    // At this loss no number is off by one half but for a probability below 10^-9.
    let asked = |statement: &str| {
        let arguments = [
            "query",
            "plan.toml",
            statement,
            "--epsilon",
            "10000",
            "--json",
        ];
        let out = here.run(&arguments).succeeded().out;
        let report: serde_json::Value = serde_json::from_str(&out).unwrap();
        let statistics = report["statistics"].as_array().unwrap().clone();
        statistics
            .iter()
            .flat_map(|one| one["cells"].as_array().unwrap().clone())
            .map(|cell| {
                let value: f64 = cell["value"].as_str().unwrap().parse().unwrap();
                value.round()
            })
            .collect::<Vec<f64>>()
    };
    assert_eq!(asked("select count(*) from people"), [100.0]);
    assert_eq!(
        asked("select count(*), sum(age) from people"),
        [100.0, 4950.0]
    );
    let by = asked("select sex, count(*), sum(age) from people group by sex");
    assert_eq!(by, [50.0, 50.0, 2450.0, 2500.0]);
}
