//! Mistakes about what is in the data, and numbers that are not what they seem.

use crate::support::Here;

/// A thousand rows of three hundred persons; `pay` is written by the caller.
fn payroll(pay: impl Fn(usize) -> String, more: &str) -> Here {
    let here = Here::empty();
    let rows: String = (0..1000)
        .map(|row| {
            let town = ["north", "south"][row % 2];
            let year = 2019 + row % 3;
            format!("{row},p{},{},{town},{year}\n", row % 300, pay(row))
        })
        .collect();
    here.write("pay.csv", format!("id,who,pay,town,year\n{rows}"));
    here.write(
        "plan.toml",
        format!(
            r#"
title = "Pay"
[source]
files = "pay.csv"
[privacy]
neighbours = "add-remove"
unit = "who"
most_rows = 4
most_groups = 2
[budget]
epsilon = 10
[columns.pay]
lower = 0
upper = 10000
[columns.town]
categories = ["north", "south"]
{more}"#
        ),
    );
    here
}

fn plainly(row: usize) -> String {
    (1000 + row).to_string()
}

const MEAN: &str = "[[statistics]]\nname = \"mean pay\"\nkind = \"mean\"\nof = \"pay\"\n";

/// What inspection says first, in one line.
fn first(here: &Here) -> String {
    let shown = here
        .run(&["inspect", "plan.toml", "--not-private"])
        .succeeded()
        .out;
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, after) = words.split_once("Look at this first:").unwrap_or(("", ""));
    after.split(" 1000 rows ").next().unwrap_or("").to_owned()
}

#[test]
fn numbers_that_are_written_otherwise_are_found_before_they_cost() {
    for written in ["\"1,234\"", "12%", "\"12,5\"", "1234 EUR"] {
        let here = payroll(|_| written.to_owned(), MEAN);
        let found = first(&here);
        let told = "ALL 1000 cells of `pay` are missing or cannot be read.";
        assert!(found.contains(told), "{written}: {found}");
        let out = here.run(&["inspect", "plan.toml", "--not-private"]).out;
        let words = out.split_whitespace().collect::<Vec<_>>().join(" ");
        let remedy = "without signs between thousands, decimal commas, percent signs or units";
        assert!(words.contains(remedy), "{out}");
        assert!(!here.path("lastbit.ledger").exists());
    }
    let here = payroll(plainly, MEAN);
    assert!(!first(&here).contains("cannot be read"));
}

#[test]
fn an_identifier_as_a_category_and_impossible_conditions_are_found_before_they_cost() {
    let more = "[columns.id]\ncategories = [1, 2, 3]\n[[statistics]]\nname = \"by id\"\n\
        kind = \"count\"\nby = \"id\"\n[[statistics]]\nname = \"rich\"\nkind = \"share\"\n\
        of = \"pay > 90000\"\n";
    let here = payroll(plainly, more);
    let found = first(&here);
    for told in [
        "997 of 1000 cells (99.7 %) of `id` are not listed",
        "\"rich\": `pay > 90000` is true for no row.",
    ] {
        assert!(found.contains(told), "{found}");
    }
}

#[test]
fn what_is_cut_or_left_out_is_found_from_a_twentieth_on() {
    // One cell of ten is above the bound, and a person has rows in several years.
    let more = "[columns.year]\ncategories = [2019, 2020, 2021]\n[[statistics]]\n\
        name = \"persons\"\nkind = \"units\"\n[[statistics]]\nname = \"by year\"\n\
        kind = \"count\"\nby = \"year\"\nmost_groups = 1\n";
    let here = payroll(
        |row| (if row % 10 == 0 { 20_000 } else { 3000 }).to_string(),
        &format!("{more}{MEAN}"),
    );
    let found = first(&here);
    assert!(
        found.contains("100 of 1000 cells (10.0 %) of `pay` are cut"),
        "{found}"
    );
    // Whoever is counted once is not left out.
    assert!(!found.contains("\"persons\""), "{found}");
}

#[test]
fn a_number_at_the_bound_of_its_column_is_doubted() {
    let more = "[columns.year]\nlower = 0\nupper = 100\n[[statistics]]\nname = \"mean year\"\n\
        kind = \"mean\"\nof = \"year\"\n";
    let here = payroll(plainly, more);
    let told = "ALL 1000 cells of `year` are cut to its bounds";
    assert!(first(&here).contains(told));
    // The mean of a thousand numbers that are all cut to 100. At ε = 10 its noise is above 5, a
    // twentieth of the bounds, with a probability far below 10^-9.
    let out = here.run(&["release", "plan.toml"]).succeeded().out;
    let words = out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("or beyond it and cut there: if many are cut, the mean without cuts"),
        "{out}"
    );
}

/// A sum of numbers from 0 on is not published below 0, whatever the noise: there are sixty groups
/// without a row, so that about half would be, and none is with a probability of 2^-60.
#[test]
fn sums_stay_within_the_range_of_the_plan() {
    let names: Vec<String> = (0..60).map(|name| format!("\"t{name}\"")).collect();
    let more = format!(
        "[columns.kind]\nas = \"town\"\ncategories = [{}]\n[[statistics]]\nname = \"all\"\n\
         kind = \"sum\"\nof = \"pay\"\nby = \"kind\"\n",
        names.join(", ")
    );
    let here = payroll(plainly, &more);
    let report = here.run(&["release", "plan.toml", "--json"]).succeeded();
    let report = report.json();
    let cells = report["statistics"][0]["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 60);
    for cell in cells {
        let value = cell["value"].as_str().unwrap();
        assert!(!value.starts_with('-'), "{value}");
    }
}

/// A label that is mended makes another release, with new noise, and that is said where nobody can
/// be asked.
#[test]
fn what_is_bought_again_is_said_off_a_terminal() {
    let here = payroll(plainly, &format!("[spend]\nepsilon = 1\n{MEAN}"));
    let text = here.read("plan.toml");
    here.write(
        "plan.toml",
        text.replace("upper = 10000\n", "upper = 10000\nunit = \"EU\"\n"),
    );
    let first = here.run(&["release", "plan.toml"]).succeeded();
    assert!(!first.err.contains("again"), "{}", first.err);
    here.write(
        "plan.toml",
        text.replace("upper = 10000\n", "upper = 10000\nunit = \"EUR\"\n"),
    );
    let second = here.run(&["release", "plan.toml"]).succeeded();
    let words = second.err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("so this release buys it again, with new noise"),
        "{words}"
    );
}

/// A mean of weighted rows says so in every form.
#[test]
fn a_weighted_mean_says_by_what() {
    let more = "[columns.year]\nlower = 0\nupper = 3000\n[[statistics]]\nname = \"mean pay\"\n\
        kind = \"mean\"\nof = \"pay\"\nweights = \"year\"\n";
    let here = payroll(plainly, more);
    let out = here.run(&["release", "plan.toml", "--html", "r.html", "--csv", "r.csv"]);
    let words = out
        .succeeded()
        .out
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(words.contains("mean of pay weighted by year"), "{words}");
    assert!(here.read("r.html").contains("weighted by"));
    assert!(
        here.read("r.csv")
            .contains("each row counts as often as its `year` says")
    );
    let json = here
        .run(&["release", "plan.toml", "--json"])
        .succeeded()
        .out;
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(report["statistics"][0]["weights"], "year");
}
