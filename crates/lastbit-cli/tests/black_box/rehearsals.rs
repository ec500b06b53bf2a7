//! Rehearsals and prices before the data are read: as many rows as errors assume, and their names.

use serde_json::Value;

use crate::support::{Here, PEOPLE, plan};

/// Means of wages, in all and by a column of so many towns.
fn wages(expected: u64, more: &str) -> String {
    let towns: Vec<String> = (0..20).map(|town| format!("\"town {town}\"")).collect();
    format!(
        r#"
title = "Wages"
expected_rows = {expected}
[source]
files = "wages.csv"
[privacy]
neighbours = "add-remove"
[budget]
epsilon = 1
[columns.wage]
lower = 0
upper = 1000
[columns.age]
lower = 0
upper = 100
[columns.town]
categories = [{}]
[[statistics]]
name = "mean wage"
kind = "mean"
of = "wage"
[[statistics]]
name = "by town"
kind = "mean"
of = "wage"
by = ["town"]
{more}"#,
        towns.join(", ")
    )
}

#[test]
fn a_rehearsal_has_the_rows_that_planned_errors_assume() {
    let here = Here::empty();
    here.write("plan.toml", wages(15_000, ""));
    let planned = here
        .run(&["plan", "plan.toml", "--json"])
        .succeeded()
        .json();
    let rehearsed = here
        .run(&["rehearse", "plan.toml", "--json"])
        .succeeded()
        .json();
    for statistic in 0..2 {
        let planned = planned["statistics"][statistic]["error"].as_f64().unwrap();
        let cells = rehearsed["statistics"][statistic]["cells"]
            .as_array()
            .unwrap();
        for cell in cells {
            let error: f64 = cell["error"].as_str().unwrap().parse().unwrap();
            // Rows are hashed into groups, the same always. For noise to halve or double the
            // count it would move it by thousands, which has a probability below e^-100.
            let ratio = error / planned;
            assert!(
                (0.5..2.0).contains(&ratio),
                "{statistic}: {error} {planned}"
            );
        }
    }
}

#[test]
fn what_is_too_noisy_at_the_expected_rows_is_marked() {
    let here = Here::empty();
    let regression = "[[statistics]]\nname = \"line\"\nkind = \"regression\"\nof = \"wage\"\n\
        on = [\"age\"]\n";
    let shown = |expected: u64, more: &str| {
        here.write("plan.toml", wages(expected, more));
        let out = here.run(&["plan", "plan.toml"]).succeeded().out;
        assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
        let json = here
            .run(&["plan", "plan.toml", "--json"])
            .succeeded()
            .json();
        let noisy: Vec<bool> = (json["statistics"].as_array().unwrap().iter())
            .map(|statistic| statistic["too_noisy"] == Value::Bool(true))
            .collect();
        (out.split_whitespace().collect::<Vec<_>>().join(" "), noisy)
    };
    let (words, noisy) = shown(3, "");
    assert!(words.contains("too noisy at 3 rows"), "{words}");
    assert!(words.contains("“Too noisy at”: in a group of the rows that the plan expects"));
    assert_eq!(noisy, [true, true]);
    let (words, noisy) = shown(15_000, "");
    assert!(!words.to_lowercase().contains("too noisy"), "{words}");
    assert_eq!(noisy, [false, false]);
    // The error of a regression hangs on the data: it is not "never" small.
    let (words, _) = shown(15_000, regression);
    assert!(!words.contains("never"), "{words}");
    assert!(
        words.contains("“Known with the release”: this error hangs on the data too"),
        "{words}"
    );
}

#[test]
fn names_in_the_header_are_checked_before_a_release_and_no_row_is() {
    let here = Here::new();
    // A word that would be seen if it was printed.
    here.write(
        "people.csv",
        "age,town\nZYXWVUTSRQPONMLK,ZYXWVUTSRQPONMLK\n",
    );
    for (name, text) in [
        (
            "column",
            plan(50)
                .replace("columns.age", "columns.agee")
                .replace("\"age\"", "\"agee\""),
        ),
        (
            "unit",
            plan(50).replace(
                "neighbours = \"add-remove\"",
                "neighbours = \"add-remove\"\nunit = \"townn\"\nmost_rows = 1",
            ),
        ),
        (
            "filter",
            plan(50).replace("[privacy]", "where = \"agee > 3\"\n[privacy]"),
        ),
    ] {
        here.write("plan.toml", text);
        let wrong = if name == "unit" { "townn" } else { "agee" };
        for command in ["plan", "rehearse"] {
            let done = here.run(&[command, "plan.toml"]);
            let done = done.refused(&format!("has no column `{wrong}`"));
            assert!(!done.err.contains("ZYXW"), "{}", done.err);
        }
    }
    here.write("plan.toml", plan(50));
    for command in ["plan", "rehearse"] {
        let done = here.run(&[command, "plan.toml"]).succeeded();
        assert!(!done.out.contains("ZYXW") && !done.err.contains("ZYXW"));
    }
    // A first line that may be a row is not shown; it has no such name all the same.
    here.write("people.csv", "ZYXWVUTSRQPONMLK,7\n");
    for command in ["plan", "rehearse"] {
        let done = here
            .run(&[command, "plan.toml"])
            .refused("has no column `age`");
        assert!(!done.err.contains("ZYXW"), "{}", done.err);
    }
    // Without the file nothing is known of names.
    std::fs::remove_file(here.path("people.csv")).unwrap();
    for command in ["plan", "rehearse"] {
        here.run(&[command, "plan.toml"]).succeeded();
    }
}

#[test]
fn a_draft_of_csv_is_narrow_offers_dates_and_expects_rows() {
    let here = Here::empty();
    here.write("visits.csv", "PatientId,ScheduledDay,AppointmentDay,Age\n");
    let draft = here.run(&["draft", "visits.csv"]).succeeded().out;
    let is_narrow = |line: &str| line.chars().count() <= 100;
    assert!(draft.lines().all(is_narrow), "{draft}");
    for name in ["ScheduledDay", "AppointmentDay"] {
        let section = format!("[columns.\"{name}\"]  # of dates, by its name\ndate = true\n");
        assert!(draft.contains(&section), "{draft}");
    }
    assert!(draft.contains("\nexpected_rows = 1000\n"), "{draft}");
}

#[test]
fn a_rehearsal_reads_nothing_spends_nothing_and_is_marked_in_every_form() {
    let here = Here::new();
    std::fs::remove_file(here.path("people.csv")).unwrap();
    let text = here.run(&["rehearse", "plan.toml"]).succeeded();
    assert!(text.out.starts_with("INVENTED") && text.err.is_empty());
    assert_eq!(text.out.matches("INVENTED").count(), 2);
    let report = here
        .run(&[
            "rehearse",
            "plan.toml",
            "--json",
            "--csv",
            "out.csv",
            "--html",
            "out.html",
        ])
        .succeeded()
        .json();
    assert_eq!(report["invented"], true);
    assert_eq!(report["receipt"]["ledger_row"], 0);
    assert!(
        here.read("out.html")
            .contains("<p class=\"invented\" role=\"note\">INVENTED")
    );
    assert!(
        here.read("out.html")
            .contains("<title>Invented: People</title>")
    );
    let method = here.run(&["rehearse", "plan.toml", "--method", "-"]);
    assert_eq!(method.succeeded().out.matches("INVENTED").count(), 2);
    let csv = here.read("out.csv");
    assert!(csv.lines().count() == 4 && csv.lines().all(|line| line.ends_with(",invented")));
    assert_eq!(here.files(), ["out.csv", "out.html", "plan.toml"]);
    // What is released is not marked.
    let here = Here::new();
    let released = here.run(&["release", "plan.toml", "--json"]).succeeded();
    assert!(released.json().get("invented").is_none());
    assert!(!released.out.to_lowercase().contains("invented"));
}

#[test]
fn a_rehearsal_shows_the_rows_that_the_plan_expects() {
    let here = Here::empty();
    let text = plan(50).replace("epsilon = 1", "epsilon = 1000");
    let public = text
        .replace("\"add-remove\"", "\"change-one\"\nrows = 123456789")
        .replace(PEOPLE, "");
    here.write("plan.toml", format!("expected_rows = 5000\n{text}"));
    here.write("public.toml", &public);
    let first = |plan: &str| -> f64 {
        let report = here.run(&["rehearse", plan, "--json"]).succeeded().json();
        let histogram = report["statistics"].as_array().unwrap().last().unwrap();
        let cells = histogram["cells"].as_array().unwrap().iter();
        cells
            .map(|cell| cell["value"].as_str().unwrap().parse::<f64>().unwrap())
            .sum()
    };
    // At this loss any noise at all has a probability below e^-200.
    assert_eq!(first("plan.toml"), 5000.0);
    assert_eq!(first("public.toml"), 123_456_789.0);
}
