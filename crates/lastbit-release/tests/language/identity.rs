//! What the plan says of rows and cells is part of which release it is, and old plans keep theirs.

use lastbit_release::account::price;
use lastbit_release::plan::Plan;
use lastbit_release::release::Identity;

const PLAN: &str = r#"
[source]
files = "x.csv"
where = "age >= 18"
[privacy]
neighbours = "add-remove"
unit = "who"
most_rows = 2
[budget]
epsilon = 1
[columns.hours]
integer = true
lower = 0
upper = 80
missing_codes = [99, "NA"]
[columns.sex]
labels = { 1 = "men", 2 = "women" }
[columns.day]
date = true
lower = 2024-01-01
upper = 2024-03-31
every = "month"
[columns.heavy]
as = "weight > 100"
categories = [true, false]
[[statistics]]
name = "hours"
kind = "mean"
of = "hours"
by = ["sex", "day"]
where = "heavy and status = 1"
most_rows = 3
most_groups = 6
"#;

fn identity(plan: &str) -> Identity {
    let plan = Plan::parse(plan).unwrap();
    Identity::new(&plan, &price(&plan).unwrap())
}

#[test]
fn the_text_is_written_down() {
    let text = identity(PLAN);
    let golden = include_str!("identity.txt");
    assert_eq!(text.text(), golden);
}

#[test]
fn what_changes_the_numbers_or_how_they_are_shown_changes_the_release() {
    let mut seen = vec![identity(PLAN)];
    for (from, to) in [
        ("age >= 18", "age > 18"),
        ("[99, \"NA\"]", "[99]"),
        ("integer = true", "grid = 0"),
        ("1 = \"men\"", "1 = \"male\""),
        ("every = \"month\"", "every = \"week\""),
        ("2024-03-31", "2024-03-30"),
        ("weight > 100", "weight >= 100"),
        ("status = 1\"", "status = 2\""),
        ("most_rows = 3", "most_rows = 4"),
        ("most_groups = 6", "most_groups = 5"),
    ] {
        assert!(PLAN.contains(from), "{from}");
        let other = identity(&PLAN.replacen(from, to, 1));
        assert!(!seen.contains(&other), "{to}");
        seen.push(other);
    }
}

#[test]
fn another_way_to_write_the_same_is_the_same_release() {
    let first = identity(PLAN);
    for (from, to) in [
        ("age >= 18", "(age>=18.0)"),
        ("[99, \"NA\"]", "[\"NA\", 99.0]"),
        (
            "categories = [true, false]",
            "categories = [\"true\", \"false\"]",
        ),
        ("2024-01-01", "\"2024-01-01\""),
        ("heavy and status = 1", "heavy AND status = 1.0"),
        // Not used.
        (
            "[columns.heavy]",
            "[columns.other]\nas = \"a + b\"\nlower = 0\nupper = 1\n[columns.heavy]",
        ),
    ] {
        assert!(PLAN.contains(from), "{from}");
        assert_eq!(identity(&PLAN.replacen(from, to, 1)), first, "{to}");
    }
    // Limits that are the plan's are none of the statistic's own.
    let own = PLAN.replacen("most_rows = 3", "most_rows = 2", 1);
    assert_eq!(
        identity(&own),
        identity(&PLAN.replacen("most_rows = 3\n", "", 1))
    );
}

#[test]
fn what_a_condition_reads_is_part_of_the_release() {
    let share = "kind = \"share\"\nof = \"number(income) > 50\"";
    let plan = |codes: &str| {
        let column = format!("[columns.income]\nlower = 0\nupper = 99\n{codes}\n[columns.sex]");
        let plan = PLAN.replace("[columns.sex]", &column);
        identity(&format!("{plan}[[statistics]]\nname = \"more\"\n{share}\n"))
    };
    assert_ne!(plan(""), plan("missing_codes = [98]"));
}

#[test]
fn the_bins_that_limits_are_by_are_part_of_the_release() {
    let left_out = "kind = \"left-out\"\nlimits_by = [\"age\"]";
    let plan = |edges: &str| {
        let column = format!("[columns.age]\nedges = {edges}\n[columns.sex]");
        let plan = PLAN.replace("[columns.sex]", &column);
        identity(&format!(
            "{plan}[[statistics]]\nname = \"more\"\n{left_out}\n"
        ))
    };
    assert_ne!(plan("[0, 50, 100]"), plan("[0, 10, 20, 100]"));
}
