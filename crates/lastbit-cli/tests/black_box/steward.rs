//! Before anything is spent: drafts, rehearsals, inspections, what is left, and the mistakes that
//! must cost nothing.

use crate::support::{Done, Here, plan};

/// No value of the hostile table can be seen by chance: each has at least 15 digits, or is a word
/// of its own.
const SECRETS: [&str; 6] = [
    "quaggamire",
    "zephyrotic",
    "918273645546372",
    "817263544536271",
    "xylopharynx",
    "726354453627180",
];

/// The count of all rows, which is public under change-one.
const PEOPLE: &str = "[[statistics]]\nname = \"people\"\nkind = \"count\"\n";

fn hostile() -> Here {
    let here = Here::empty();
    here.write(
        "table.csv",
        "who,town,wage\nquaggamire,zephyrotic,918273645546372\n\
         xylopharynx,zephyrotic,817263544536271\n726354453627180,,\n",
    );
    let text = r#"
title = "Hostile"
[source]
files = "table.csv"
[privacy]
neighbours = "add-remove"
unit = "who"
most_rows = 1
[budget]
epsilon = 1
delta = 1e-6
[spend]
epsilon = 0.25
delta = 1e-7
[columns.wage]
lower = 0
upper = 10
[columns.town]
discover = true
[[statistics]]
name = "towns"
kind = "count"
by = ["town"]
[[statistics]]
name = "wages"
kind = "mean"
of = "wage"
"#;
    here.write("plan.toml", text);
    here.write(
        "unknown.toml",
        text.replace("of = \"wage\"", "of = \"pay\"")
            .replace("columns.wage", "columns.pay"),
    );
    here.write(
        "rows.toml",
        text.replace(
            "neighbours = \"add-remove\"\nunit = \"who\"\nmost_rows = 1",
            "neighbours = \"change-one\"\nrows = 17",
        ),
    );
    here
}

#[test]
fn nothing_computed_from_rows_is_seen_outside_of_release_and_inspect() {
    let here = hostile();
    here.write(
        "table.jsonl",
        "{\"who\": \"quaggamire\", \"wage\": 918273645546372}\n",
    );
    let runs: Vec<Done> = [
        &["plan", "plan.toml"][..],
        &["plan", "plan.toml", "--json"],
        &["plan", "plan.toml", "--html", "-"],
        &["rehearse", "plan.toml"],
        &["rehearse", "plan.toml", "--json"],
        &["rehearse", "plan.toml", "--csv", "-"],
        &["rehearse", "plan.toml", "--html", "-"],
        &["rehearse", "plan.toml", "--method", "-"],
        &["rehearse", "plan.toml", "--parquet", "-"],
        &["draft", "table.csv"],
        &["draft", "table.jsonl"],
        &["inspect", "plan.toml"],
        &["inspect", "unknown.toml", "--not-private"],
        &["release", "unknown.toml"],
        &["release", "plan.toml", "--quiet"],
        &["ledger", "show", "lastbit.ledger"],
        &["plan", "plan.toml"],
        &["ledger", "history", "lastbit.ledger"],
        &["ledger", "check", "lastbit.ledger"],
        &["ledger", "history", "lastbit.ledger", "--json"],
        &[
            "query",
            "plan.toml",
            "select max(wage) from t",
            "--epsilon",
            "0.1",
        ],
        &["query", "plan.toml", "select * from t", "--epsilon", "0.1"],
        &[
            "query",
            "plan.toml",
            "select avg(pay) from t",
            "--epsilon",
            "0.1",
        ],
        &[
            "query",
            "plan.toml",
            "select avg(wage) from t",
            "--epsilon",
            "9",
        ],
        &[
            "query",
            "plan.toml",
            "select avg(wage) from t",
            "--epsilon",
            "0.1",
            "--price",
        ],
        &[
            "query",
            "unknown.toml",
            "select avg(pay) from t",
            "--epsilon",
            "0.1",
        ],
        &["release", "rows.toml", "--ledger", "rows.ledger"],
    ]
    .iter()
    .map(|arguments| here.run(arguments))
    .collect();
    let mut runs = runs;
    runs.extend(damaged(&here));
    for done in &runs {
        for secret in SECRETS {
            assert!(!done.out.contains(secret), "{secret}: {}", done.out);
            assert!(!done.err.contains(secret), "{secret}: {}", done.err);
        }
    }
    // The test can see: without a header a first row of words is taken for names, and all but the
    // refused ones said something.
    here.write("bare.csv", "quaggamire,zephyrotic\n");
    let bare = here.run(&["draft", "bare.csv"]).succeeded();
    assert!(SECRETS[..2].iter().all(|secret| bare.out.contains(secret)));
    let said = runs.iter().filter(|done| done.status == Some(0));
    assert_eq!(said.filter(|done| done.out.len() > 100).count(), 18);
}

/// What is said about tables that cannot be read, each with a secret where it is damaged.
fn damaged(here: &Here) -> Vec<Done> {
    let plan = here.read("plan.toml");
    let mut runs = Vec::new();
    for (file, bytes) in [
        ("ragged.csv", &b"who,town,wage\nquaggamire,zephyrotic\n"[..]),
        (
            "open.csv",
            b"who,town,wage\nxylopharynx,\"zephyrotic,918273645546372\n",
        ),
        ("latin.csv", b"who,town,wage\nquaggamire\xff,zephyrotic,1\n"),
        (
            "cut.jsonl",
            b"{\"who\": \"quaggamire\", \"wage\": 918273645546372\n",
        ),
        (
            "twice.jsonl",
            b"{\"who\": \"a\", \"who\": \"quaggamire\", \"wage\": 1}\n",
        ),
        (
            "array.json",
            b"[{\"who\": \"quaggamire\", \"wage\": 918273645546372}]\n",
        ),
        (
            "text.parquet",
            b"PAR1quaggamire,zephyrotic,918273645546372PAR1",
        ),
        (
            "plain.csv.gz",
            b"who,town,wage\nquaggamire,zephyrotic,918273645546372\n",
        ),
    ] {
        here.write(file, bytes);
        let name = format!("{file}.toml");
        here.write(&name, plan.replace("table.csv", file));
        for arguments in [
            &["release", &name, "--ledger", "damaged.ledger"][..],
            &["inspect", &name, "--not-private"],
            &[
                "query",
                &name,
                "select avg(wage) from t",
                "--epsilon",
                "0.1",
                "--ledger",
                "damaged.ledger",
            ],
        ] {
            let done = here.run(arguments);
            // It is about the file.
            done.failed(file);
            runs.push(done);
        }
    }
    runs
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

#[test]
fn a_draft_of_every_format_names_columns_and_is_refused_until_filled() {
    let here = Here::empty();
    here.write("a.csv", "person_id,\"the \"\"age\"\"\"\n1,2\n");
    here.write("a.jsonl", "{\"person_id\": 1, \"town\": \"x\"}\n");
    for (file, column) in [
        ("a.csv", r#"[columns."the \"age\""]"#),
        ("a.jsonl", "[columns.\"town\"]"),
    ] {
        let draft = here.run(&["draft", file]).succeeded().out;
        assert!(draft.contains(column), "{draft}");
        assert!(draft.contains("may say who: \"person_id\""));
        here.write("plan.toml", &draft);
        here.run(&["plan", "plan.toml"]).refused("still to fill in");
        here.run(&["rehearse", "plan.toml"])
            .refused("still to fill in");
        here.run(&["release", "plan.toml"])
            .refused("still to fill in");
    }
    here.run(&["draft", "none.csv"]).refused("none.csv");
    here.write("a.bin", "x");
    here.run(&["draft", "a.bin"]).refused("format");
    assert_eq!(here.files(), ["a.bin", "a.csv", "a.jsonl", "plan.toml"]);
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
fn a_plan_says_what_is_left_and_a_pipe_is_never_asked() {
    let here = Here::new();
    let some = |edge| format!("{}[spend]\nepsilon = 0.6\n", plan(edge));
    let shown = here.run(&["plan", "plan.toml"]).succeeded().out;
    assert!(
        shown.contains("This spends everything that is left, ε = 1"),
        "{shown}"
    );
    here.write("plan.toml", some(50));
    let shown = here.run(&["plan", "plan.toml"]).succeeded().out;
    assert!(
        shown.contains("This spends more than half of what is left"),
        "{shown}"
    );
    // No terminal, no question; what was taken is told.
    let done = here.run_with(&["release", "plan.toml"], "no\n").succeeded();
    let told = "This release spent ε = 0.6, more than half of what was left. ε = 0.4 is left in ";
    assert!(done.err.contains(told), "{}", done.err);
    here.write("next.toml", some(40));
    let next = here
        .run(&["plan", "next.toml", "--json"])
        .succeeded()
        .json();
    assert_eq!(next["left"]["exact"], "0.4");
    assert_eq!(next["spends_everything"], false);
    let shown = here.run(&["plan", "next.toml"]).succeeded().out;
    assert!(shown.contains("This will be refused"), "{shown}");
    here.run(&["release", "next.toml"]).failed("0.4");
}

#[test]
fn a_plan_that_was_released_says_that_it_costs_nothing_on_the_same_data() {
    let here = Here::new();
    let released = here.run(&["release", "plan.toml", "--json"]).succeeded();
    let receipt = &released.json()["receipt"];
    let time = receipt["time"].as_str().unwrap();
    let shown = here.run(&["plan", "plan.toml"]).succeeded().out;
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    let told = format!(
        "Released before, in row 2 of the ledger, {time}: on the same data, the same numbers come \
         from there, at no cost. On data that changed since, it will be refused: it would spend \
         ε = 1, and ε = 0 is left."
    );
    assert!(words.contains(&told), "{shown}");
    let json = here.run(&["plan", "plan.toml", "--json"]).succeeded();
    assert_eq!(json.json()["released_before"]["ledger_row"], 2);
    here.run(&["plan", "plan.toml", "--html", "price.html"])
        .succeeded();
    assert!(here.read("price.html").contains(&told));
    // The same row as in the receipt.
    assert_eq!(receipt["ledger_row"], 2);
    let again = here.run(&["release", "plan.toml"]).succeeded();
    let told = format!("before: row 2 of the ledger, {time}");
    assert!(again.err.contains(&told), "{}", again.err);
    // Another plan was not.
    here.write("next.toml", plan(40));
    let json = here.run(&["plan", "next.toml", "--json"]).succeeded();
    assert!(json.json()["released_before"].is_null());
}

#[test]
fn prices_and_rehearsals_fit_80_columns() {
    let here = hostile();
    here.write("people.toml", plan(50));
    for arguments in [
        ["plan", "plan.toml"],
        ["plan", "people.toml"],
        ["rehearse", "plan.toml"],
        ["rehearse", "people.toml"],
    ] {
        let out = here.run(&arguments).succeeded().out;
        let longest = out.lines().max_by_key(|line| line.chars().count()).unwrap();
        assert!(longest.chars().count() <= 80, "{longest}");
    }
}

/// The snapshots in `cmd/plan.md` and `cmd/ledger.md` hold for every terminal: tables and prose are
/// made for 80 columns, and help follows the terminal.
#[test]
fn wider_terminals_show_the_same_tables() {
    let here = hostile();
    here.run(&["release", "plan.toml"]).succeeded();
    let at = |columns: &str, arguments: &[&str]| {
        let mut command = here.command(arguments);
        command.env("COLUMNS", columns);
        Done::of(command).succeeded().out
    };
    let widest = |text: &str| text.lines().map(|line| line.chars().count()).max();
    for arguments in [
        &["plan", "plan.toml"][..],
        &["inspect", "plan.toml", "--not-private"],
        &["release", "plan.toml"],
        &["release", "plan.toml", "--method", "-"],
        &["ledger", "show", "lastbit.ledger"],
        &["ledger", "history", "lastbit.ledger"],
    ] {
        let [narrow, wide] = ["80", "120"].map(|columns| at(columns, arguments));
        assert_eq!(narrow, wide, "{arguments:?}");
        assert!(widest(&narrow) <= Some(80), "{narrow}");
    }
    for command in [
        "draft", "inspect", "ledger", "plan", "rehearse", "release", "query",
    ] {
        for (columns, most) in [("80", 80), ("120", 120)] {
            let help = at(columns, &[command, "--help"]);
            assert!(widest(&help) <= Some(most), "{columns}: {help}");
        }
    }
}

#[test]
fn a_loss_that_protects_little_is_warned_of_everywhere() {
    let here = Here::new();
    here.write(
        "plan.toml",
        plan(50).replace("epsilon = 1", "epsilon = 1000"),
    );
    for arguments in [
        &["plan", "plan.toml"][..],
        &["plan", "plan.toml", "--json"],
        &["plan", "plan.toml", "--html", "-"],
        &["rehearse", "plan.toml", "--html", "-"],
        &["release", "plan.toml", "--json"],
        &["convert", "--from", "pure:1000"],
    ] {
        let out = here.run(arguments).succeeded().out;
        let words = out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("protects little"), "{out}");
    }
    let out = here.run(&["convert", "--from", "pure:1"]).succeeded().out;
    assert!(out.contains("73.2 %") && !out.contains("WARNING"), "{out}");
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

#[test]
fn what_is_computed_is_shown_in_the_words_of_the_plan() {
    let here = Here::empty();
    here.write(
        "plan.toml",
        r#"
title = "T"
expected_rows = 1000
[source]
files = "t.csv"
[privacy]
neighbours = "add-remove"
unit = "household"
most_rows = 5
[budget]
epsilon = 1
[columns.household]
as = "concat(street, house)"
discover = true
[[statistics]]
name = "of age"
kind = "share"
of = "age >= 18"
"#,
    );
    let report = here.run(&["rehearse", "plan.toml", "--json"]).succeeded();
    let statistic = &report.json()["statistics"][0];
    assert_eq!(statistic["of"][0], "age >= 18");
    let about = statistic["about"].as_array().unwrap();
    let derived = "`household` is `concat(street, house)`";
    assert!(about.iter().any(|phrase| phrase == derived), "{about:?}");
}
