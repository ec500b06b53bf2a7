//! What an inspection counts, and what it says first: mistakes that make numbers say nothing.

use crate::support::{Done, Here, PEOPLE, plan};

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
fn plan_of_visits(unit: &str, filter: &str, more: &str) -> String {
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
    assert_eq!(inspect(plan_of_visits("patient", "", &age)), "");
    let missed = "[columns.missed]\ncategories = [\"yes\", \"no\"]\n";
    let wait = "[columns.wait]\nas = \"timestamp(day) - timestamp(asked)\"\nlower = 0\nupper = \
        90\nunit = \"days\"\n";
    let text = "[columns.day]\nlower = 0\nupper = 10\n";
    let narrow = "[columns.age2]\nas = \"age\"\nlower = 0\nupper = 40\n";
    let labels = "[columns.missed]\nlabels = { Y = \"missed\", N = \"came\" }\n";
    let one = "[columns.missed]\ncategories = [\"Yes\", \"no\"]\n";
    for (unit, filter, statistics, words) in [
        (
            "patient",
            "",
            missed.to_owned() + &of("by = \"missed\"", "count"),
            "ALL 40 cells of `missed` are not listed, such as \"No\", \"Yes\": are the categories \
             spelt as in the data?",
        ),
        (
            "patient",
            "",
            labels.to_owned() + &of("by = \"missed\"", "count"),
            "ALL 40 cells of `missed` are not listed",
        ),
        (
            "patient",
            "",
            one.to_owned() + &of("by = \"missed\"", "count"),
            "20 of 40 cells (50.0 %) of `missed` are not listed, such as \"No\"",
        ),
        (
            "patient",
            "",
            wait.to_owned() + &of("of = \"wait\"", "mean"),
            "ALL 40 cells of `wait` are cut to its bounds: are they wrong, or is it not in days?",
        ),
        (
            "patient",
            "",
            text.to_owned() + &of("of = \"day\"", "mean"),
            "ALL 40 cells of `day` are missing or cannot be read.",
        ),
        (
            "patient",
            "",
            narrow.replace("40", "30") + &of("of = \"age2\"", "mean"),
            "29 of 40 cells (72.5 %) of `age2` are cut to its bounds",
        ),
        (
            "patient",
            "where = \"age > 500\"",
            String::new(),
            "The filter keeps NONE of 40 rows.",
        ),
        (
            "patient",
            "where = \"age >= 0\"",
            String::new(),
            "The filter keeps all of 40 rows: does it do anything?",
        ),
        (
            "patient",
            "",
            of("where = \"age > 500\"", "count"),
            "The filter of \"s\" keeps NONE of 40 rows.",
        ),
        (
            "patient",
            "",
            of("of = \"age > 500\"", "share"),
            "\"s\": `age > 500` is true for no row.",
        ),
        (
            "visit",
            "",
            String::new(),
            "There are 40 different `visit` in 40 rows, almost one for each row",
        ),
        (
            "missed",
            "",
            String::new(),
            "There are only 2 different `missed` in 40 rows: does it say who somebody is?",
        ),
    ] {
        let shown = inspect(plan_of_visits(unit, filter, &statistics));
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
    here.write("plan.toml", plan_of_visits("patient", "", more));
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
        here.write(
            "plan.toml",
            plan_of_visits("patient", "", &more(expression, unit)),
        );
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

#[test]
fn inspect_counts_what_the_plan_loses_and_needs_its_flag() {
    let here = Here::empty();
    here.write(
        "t.csv",
        "who,ward,age\na,north,5\na,north,-3\na,nort,200\nb,south,100\nb,,x\n,north,50\n\
         c,south,0\n,nort,\n,Südflügel,7\n",
    );
    here.write(
        "plan.toml",
        r#"
title = "T"
[source]
files = "t.csv"
[privacy]
neighbours = "add-remove"
unit = "who"
most_rows = 2
[budget]
epsilon = 1
[columns.age]
lower = 0
upper = 100
[columns.ward]
categories = ["north", "south", "west"]
[[statistics]]
name = "mean age"
kind = "mean"
of = "age"
[[statistics]]
name = "wards"
kind = "count"
by = ["ward"]
[[statistics]]
name = "old"
kind = "share"
of = "age > 60"
"#,
    );
    let refused = here.run(&["inspect", "plan.toml"]);
    assert_eq!((refused.status, refused.out.as_str()), (Some(2), ""));
    assert!(refused.err.contains("--not-private"));
    let shown = here
        .run(&["inspect", "plan.toml", "--not-private"])
        .succeeded()
        .out;
    let unbroken = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "9 rows age: 1 cell",
        "age: 1 cell is below the lower bound and 1 above the upper one, 22.2 % of 9; 1 are \
         missing, and 1 are not a number (numbers are written 1234.5: without signs between \
         thousands, decimal commas, percent signs or units)",
        "ward: listed and do not occur: \"west\"; 1 cell is missing, and 3 are not listed: \
         \"nort\" (2), \"Südflügel\" (1)",
        "3 different who; 1 of them have more than most_rows = 2 rows in all; 3 rows",
        "mean age: the limits leave out 1 of 6 rows (most_rows = 2, most_groups = 1)",
        "old: `age > 60` is true for 2 rows, false for 5, and neither for 2, which do not count",
        "outside the",
    ] {
        assert!(unbroken.contains(words), "{words}: {shown}");
    }
    assert!(shown.lines().all(|line| line.chars().count() <= 80));
    // Rows of `a` in the wards: two of north; of `b`, one of south; of `c`, one. Nobody counts in
    // two groups.
    assert!(
        shown.contains("wards: the limits leave out 0 of 4 rows"),
        "{shown}"
    );
    assert_eq!(here.files(), ["plan.toml", "t.csv"]);
}

#[test]
fn inspect_compares_the_rows_of_the_plan_with_those_of_the_file() {
    let here = Here::new();
    let public = |rows: u32| {
        let neighbours = format!("neighbours = \"change-one\"\nrows = {rows}");
        let text = plan(50).replace("neighbours = \"add-remove\"", &neighbours);
        here.write("plan.toml", text.replace(PEOPLE, ""));
        let shown = here.run(&["inspect", "plan.toml", "--not-private"]);
        let shown = shown.succeeded().out;
        shown.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let words = "rows = 499 in the plan, and the data have 500: a release is refused";
    assert!(public(499).contains(words), "{}", public(499));
    here.run(&["release", "plan.toml"]).failed("500 rows");
    assert!(public(500).contains("rows = 500 in the plan, as in the data"));
    here.run(&["release", "plan.toml"]).succeeded();
}

#[test]
fn inspect_names_a_filter_that_keeps_nothing_where_every_row_is_a_unit() {
    let here = Here::new();
    let plan = plan(50);
    let of_none = "where = \"age > 500\"\n";
    here.write("plan.toml", format!("{plan}{of_none}"));
    let shown = here.run(&["inspect", "plan.toml", "--not-private"]);
    let words = "ages: its own filter leaves out 500 of 500 rows";
    assert!(shown.out.contains(words), "{}", shown.out);
}

#[test]
fn inspect_counts_what_the_limits_and_filter_of_each_statistic_leave_out() {
    let here = Here::empty();
    let rows: String = (0..12)
        .map(|i| format!("{},{},{i}\n", i / 6, i % 3))
        .collect();
    here.write("t.csv", format!("who,ward,day\n{rows}"));
    here.write(
        "plan.toml",
        r#"
title = "T"
[source]
files = "t.csv"
[privacy]
neighbours = "add-remove"
unit = "who"
most_rows = 2
most_groups = 3
[budget]
epsilon = 1
[columns.ward]
categories = ["0", "1", "2"]
[[statistics]]
name = "plan's limits"
kind = "count"
by = ["ward"]
[[statistics]]
name = "own limits"
kind = "count"
by = ["ward"]
most_rows = 1
most_groups = 2
[[statistics]]
name = "own filter"
kind = "count"
where = "day < 9"
most_rows = 5
"#,
    );
    let shown = here
        .run(&["inspect", "plan.toml", "--not-private"])
        .succeeded()
        .out;
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    // Two people, each with two rows in each of three wards, of which one has three on days below
    // 9.
    for line in [
        "plan's limits: the limits leave out 0 of 12 rows (most_rows = 2, most_groups = 3)",
        "own limits: the limits leave out 8 of 12 rows (most_rows = 1, most_groups = 2)",
        "own filter: its own filter leaves out 3 rows; the limits leave out 1 of 9 rows \
         (most_rows = 5, most_groups = 3)",
    ] {
        assert!(words.contains(line), "{line}: {shown}");
    }
}

#[test]
fn cells_are_compared_with_bounds_before_they_are_rounded() {
    let here = Here::empty();
    here.write("t.csv", format!("days\n{}", "30.4\n30\n12\n5\n".repeat(25)));
    here.write(
        "plan.toml",
        r#"
title = "T"
[source]
files = "t.csv"
[privacy]
neighbours = "add-remove"
[budget]
epsilon = 1000
[columns.days]
integer = true
lower = 0
upper = 30
[[statistics]]
name = "left out"
kind = "left-out"
of = "days"
[[statistics]]
name = "mean"
kind = "mean"
of = "days"
"#,
    );
    let shown = here.run(&["inspect", "plan.toml", "--not-private"]);
    let words = "0 cells are below the lower bound and 25 above the upper one";
    assert!(shown.out.contains(words), "{}", shown.out);
    let report = here.run(&["release", "plan.toml", "--json"]).succeeded();
    let report = report.json();
    let number = |statistic: usize, cell: usize| -> f64 {
        let value = &report["statistics"][statistic]["cells"][cell]["value"];
        value.as_str().unwrap().parse().unwrap()
    };
    // At this loss noise of a whole row has a probability below e^-100.
    assert!((number(0, 1) - 0.25).abs() < 0.01, "{report}");
    // It counts as 30 either way.
    assert!((number(1, 0) - 19.25).abs() < 0.1, "{report}");
}
