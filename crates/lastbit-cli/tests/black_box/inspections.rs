//! What an inspection says first: mistakes that make every number say nothing.

use crate::support::{Done, Here};

/// Forty visits of twenty patients.
fn visits() -> Here {
    let here = Here::empty();
    let rows: String = (0..40)
        .map(|i| {
            let (patient, visit) = (i / 2, 1000 + i);
            let (missed, day) = (["Yes", "No"][i % 2], 1 + i % 5);
            format!(
                "{patient},{visit},{missed},2016-05-0{day},2016-05-09,{}\n",
                20 + i
            )
        })
        .collect();
    let header = "patient,visit,missed,asked,day,age";
    here.write("visits.csv", format!("{header}\n{rows}"));
    here
}

/// A plan with this unit, filter, and more columns and statistics.
fn plan(unit: &str, filter: &str, more: &str) -> String {
    format!(
        r#"
title = "Visits"
[source]
files = "visits.csv"
{filter}
[privacy]
neighbours = "add-remove"
unit = "{unit}"
most_rows = 2
[budget]
epsilon = 1
[columns.age]
lower = 0
upper = 120
[[statistics]]
name = "visits"
kind = "count"
{more}"#
    )
}

/// What stands under "Look at this first".
fn first(done: Done) -> String {
    let out = done.succeeded().out;
    let (_, rest) = out.split_once("Look at this first:\n").unwrap_or(("", ""));
    let (list, _) = rest.split_once("\n\n").unwrap_or(("", ""));
    list.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn what_makes_numbers_say_nothing_comes_first() {
    let here = visits();
    let inspect = |plan: String| {
        here.write("plan.toml", plan);
        first(here.run(&["inspect", "plan.toml", "--not-private"]))
    };
    let of = |column: &str, kind: &str| {
        format!("[[statistics]]\nname = \"s\"\nkind = \"{kind}\"\n{column}\n")
    };
    // Nothing is wrong: nothing comes first.
    let age = of("of = \"age\"", "mean");
    assert_eq!(inspect(plan("patient", "", &age)), "");
    let missed = "[columns.missed]\ncategories = [\"yes\", \"no\"]\n";
    let wait = "[columns.wait]\nas = \"timestamp(day) - timestamp(asked)\"\nlower = 0\nupper = \
        90\nunit = \"days\"\n";
    let text = "[columns.day]\nlower = 0\nupper = 10\n";
    let narrow = "[columns.age2]\nas = \"age\"\nlower = 0\nupper = 40\n";
    let labels = "[columns.missed]\nlabels = { Y = \"missed\", N = \"came\" }\n";
    let one = "[columns.missed]\ncategories = [\"Yes\", \"no\"]\n";
    for (plan, words) in [
        (
            plan(
                "patient",
                "",
                &(missed.to_owned() + &of("by = \"missed\"", "count")),
            ),
            "ALL 40 cells of `missed` are not listed, such as \"No\", \"Yes\": are the categories \
             spelt as in the data?",
        ),
        (
            plan(
                "patient",
                "",
                &(labels.to_owned() + &of("by = \"missed\"", "count")),
            ),
            "ALL 40 cells of `missed` are not listed",
        ),
        (
            plan(
                "patient",
                "",
                &(one.to_owned() + &of("by = \"missed\"", "count")),
            ),
            "20 of 40 cells (50.0 %) of `missed` are not listed, such as \"No\"",
        ),
        (
            plan(
                "patient",
                "",
                &(wait.to_owned() + &of("of = \"wait\"", "mean")),
            ),
            "ALL 40 cells of `wait` are cut to its bounds: are they wrong, or is it not in days?",
        ),
        (
            plan(
                "patient",
                "",
                &(text.to_owned() + &of("of = \"day\"", "mean")),
            ),
            "ALL 40 cells of `day` are missing or cannot be read.",
        ),
        (
            plan(
                "patient",
                "",
                &(narrow.replace("40", "30") + &of("of = \"age2\"", "mean")),
            ),
            "29 of 40 cells (72.5 %) of `age2` are cut to its bounds",
        ),
        (
            plan("patient", "where = \"age > 500\"", ""),
            "The filter keeps NONE of 40 rows.",
        ),
        (
            plan("patient", "where = \"age >= 0\"", ""),
            "The filter keeps all of 40 rows: does it do anything?",
        ),
        (
            plan("patient", "", &of("where = \"age > 500\"", "count")),
            "The filter of \"s\" keeps NONE of 40 rows.",
        ),
        (
            plan("patient", "", &of("of = \"age > 500\"", "share")),
            "\"s\": `age > 500` is true for no row.",
        ),
        (
            plan("visit", "", ""),
            "There are 40 different `visit` in 40 rows, almost one for each row",
        ),
        (
            plan("missed", "", ""),
            "There are only 2 different `missed` in 40 rows: does it say who somebody is?",
        ),
    ] {
        let shown = inspect(plan);
        assert!(shown.contains(words), "{words}: {shown}");
    }
    assert_eq!(here.files(), ["plan.toml", "visits.csv"]);
}

#[test]
fn an_inspection_has_percentages_labels_and_a_form_for_programs() {
    let here = visits();
    let more = "[columns.weekday]\nas = \"weekday(asked)\"\ncategories = \"weekdays\"\n\
        [columns.old]\nas = \"age\"\nlower = 0\nupper = 49\n\
        [[statistics]]\nname = \"days\"\nkind = \"count\"\nby = \"weekday\"\n\
        [[statistics]]\nname = \"mean\"\nkind = \"mean\"\nof = \"old\"\n";
    here.write("plan.toml", plan("patient", "", more));
    let inspect = ["inspect", "plan.toml", "--not-private"];
    let shown = here.run(&inspect).succeeded().out;
    assert!(shown.lines().all(|line| line.chars().count() <= 80));
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "old: 0 cells are below the lower bound and 10 above the upper one, 25.0 % of 40;",
        "listed and do not occur: \"5\" (Friday), \"6\" (Saturday);",
    ] {
        assert!(words.contains(part), "{part}: {shown}");
    }
    let json = here
        .run(&[&inspect[..], &["--json"]].concat())
        .succeeded()
        .json();
    assert!(
        json["not_private"]
            .as_str()
            .unwrap()
            .contains("NOT PRIVATE")
    );
    assert_eq!(json["rows"], 40);
    let column = |name: &str| {
        let columns = json["columns"].as_array().unwrap();
        columns
            .iter()
            .find(|column| column["name"] == name)
            .unwrap()
    };
    assert_eq!(column("old")["cut"], 10);
    assert_eq!(column("old")["cells"], 40);
    assert_eq!(column("weekday")["absent"], serde_json::json!(["5", "6"]));
    assert_eq!(json["units"]["units"], 20);
    let first: Vec<&str> = (json["look_first"].as_array().unwrap().iter())
        .filter_map(serde_json::Value::as_str)
        .collect();
    for told in [
        "10 of 40 cells (25.0 %) of `old` are cut to its bounds: are they wrong, or is it in \
         another unit?",
        "The limits leave out 20 of 40 rows of \"days\" (50.0 %).",
    ] {
        assert!(first.contains(&told), "{first:?}");
    }
    // It needs the same flag.
    let refused = here.run(&["inspect", "plan.toml", "--json"]);
    assert_eq!((refused.status, refused.out.as_str()), (Some(2), ""));
}

#[test]
fn a_difference_in_seconds_that_is_said_to_be_in_days_is_warned_of() {
    let here = visits();
    let more = |expression: &str, unit: &str| {
        format!(
            "[columns.wait]\nas = \"{expression}\"\nlower = 0\nupper = 90\nunit = \"{unit}\"\n\
             [[statistics]]\nname = \"wait\"\nkind = \"mean\"\nof = \"wait\"\n"
        )
    };
    let timestamps = "timestamp(day) - timestamp(asked)";
    for (expression, unit, each) in [
        (timestamps, "days", Some("86400")),
        (timestamps, "Hours", Some("3600")),
        (timestamps, "minutes", Some("60")),
        (timestamps, "seconds", None),
        ("(timestamp(day) - timestamp(asked)) / 86400", "days", None),
        ("date(day) - date(asked)", "days", None),
    ] {
        here.write("plan.toml", plan("patient", "", &more(expression, unit)));
        let shown = here.run(&["plan", "plan.toml"]).succeeded().out;
        let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        let warning = "WARNING: `wait` is a difference of timestamps, which is in seconds";
        let json = here
            .run(&["plan", "plan.toml", "--json"])
            .succeeded()
            .json();
        let warnings = json["warnings"].as_array().unwrap().len();
        match each {
            None => assert!(!words.contains("WARNING") && warnings == 0, "{shown}"),
            Some(each) => {
                assert!(words.contains(warning), "{shown}");
                assert!(words.contains(&format!("Divide by {each}")), "{shown}");
                assert_eq!(warnings, 1);
            }
        }
    }
}
