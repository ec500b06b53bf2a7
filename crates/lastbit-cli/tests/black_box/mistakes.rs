//! Mistakes that stewards make: each is found before it costs anything, or told.
//!
//! *Warned of* is by `plan` and reports, *asked* on a terminal, *told* on standard error elsewhere.
//!
//! | the mistake | what happens | the test |
//! |---|---|---|
//! | a wrong public number of rows | refused; `inspect` compares | here, `data`, `inspections` |
//! | categories that never match | `inspect` names them and what is there instead | here |
//! | everything spent by the first release | warned of, asked, told | here, `terminal` |
//! | the same plan again on changed data | told, asked | `changes`, `terminal` |
//! | the same plan again on the same data | free, and `plan` says so | `prices`, `changes` |
//! | a huge ε | warned of, asked | `prices`, `terminal` |
//! | a draft that is not filled in | refused | here, `drafts` |
//! | a misspelt column, kind or key | refused, with the nearest name | here |
//! | a misspelt file | refused | here |
//! | a misspelt column of JSON | `inspect` warns of it | `data` |
//! | cells in another notation, or out of bounds | `inspect` counts them | here, `inspections` |
//! | a file in another format, or damaged | refused, with the remedy | here, `data` |
//! | a limit or a filter that leaves out much | `inspect` counts what is lost | `inspections` |
//! | an output that cannot be written | refused before it spends | here, `outputs` |
//! | two first releases at once, or a second directory | one ledger, one budget | `ledgers` |
//! | another budget than that of the ledger | refused | here |
//! | a budget raised for a plan that spends all of it | told that [spend] is missing | here |
//! | one statistic corrected after a release | told which are bought again | here, `terminal` |
//! | a kind by the name that others give it | refused, with ours | here |
//! | a question in SQL that says no loss | refused | `query` |
//! | an interrupt while data are read | costs nothing | `data`, `serve` |

use crate::support::{Here, PEOPLE, plan};

#[test]
fn mistakes_in_plans_cost_nothing() {
    let here = Here::new();
    let good = plan(50);
    let draft = here.run(&["draft", "people.csv"]).succeeded().out;
    let rows = "neighbours = \"change-one\"\nrows = 499";
    let mistakes: [(&str, String, &str); 10] = [
        ("draft", draft, "still to fill in"),
        (
            "column",
            good.replace("columns.age", "columns.agee")
                .replace("\"age\"", "\"agee\""),
            "did you mean `age`?",
        ),
        (
            "rows",
            good.replace("neighbours = \"add-remove\"", rows)
                .replace(PEOPLE, ""),
            "500 rows",
        ),
        ("file", good.replace("people.csv", "peple.csv"), "peple.csv"),
        (
            "kind",
            good.replace("\"count\"", "\"cuont\""),
            "did you mean `count`?",
        ),
        (
            "key",
            good.replace("epsilon", "epsilom"),
            "did you mean `epsilon`?",
        ),
        (
            "spend",
            format!("{good}\n[spend]\nepsilon = 2\n"),
            "more than [budget]",
        ),
        (
            "bounds",
            good.replace("[0, 50, 100]", "[0, 100, 50]"),
            "increase",
        ),
        (
            "discovered",
            good.replace("edges = [0, 50, 100]", "discover = true"),
            "are not public",
        ),
        ("toml", good.replace("[budget]", "[budget"), "TOML"),
    ];
    for (name, text, words) in mistakes {
        let (file, ledger) = (format!("{name}.toml"), format!("{name}.ledger"));
        here.write(&file, text);
        here.run(&["release", &file, "--ledger", &ledger])
            .failed(words);
        let spent = here.spent(&ledger);
        assert!(
            spent.is_none() || spent.as_deref() == Some("0"),
            "{name}: {spent:?}"
        );
    }
    // Outputs that cannot be written, and a plan of another budget.
    here.write("good.toml", &good);
    here.run(&[
        "release",
        "good.toml",
        "--ledger",
        "kept.ledger",
        "--html",
        "no/such/place.html",
    ])
    .failed("place.html");
    here.write("other.toml", good.replace("epsilon = 1", "epsilon = 3"));
    here.run(&["release", "good.toml", "--ledger", "kept.ledger"])
        .succeeded();
    here.run(&["release", "other.toml", "--ledger", "kept.ledger"])
        .failed("budget");
    assert_eq!(here.spent("kept.ledger").as_deref(), Some("1"));
}

/// A plan without `[spend]` asks for its whole budget, so that a larger one never helps.
#[test]
fn a_larger_budget_is_proposed_only_where_it_helps() {
    let here = Here::new();
    here.write("plan.toml", plan(50));
    here.run(&["release", "plan.toml"]).succeeded();
    here.write("plan.toml", plan(40));
    // A failure is known by all of its words: no larger budget stands among them.
    here.run(&["release", "plan.toml"])
        .failed("difference: ε = 1\nsay in [spend] what this release may use");
    here.write("plan.toml", plan(40) + "[spend]\nepsilon = 0.25\n");
    here.run(&["release", "plan.toml"])
        .failed("`lastbit ledger budget lastbit.ledger --epsilon 1.25`, and in the plan");
    here.run(&["ledger", "budget", "lastbit.ledger", "--epsilon", "1.25"])
        .succeeded();
    let raised = plan(40).replace("epsilon = 1\n", "epsilon = 1.25\n");
    here.write("plan.toml", raised + "[spend]\nepsilon = 0.25\n");
    here.run(&["release", "plan.toml"]).succeeded();
}

/// Who corrects one statistic of a plan that was released is told that the others are paid again.
#[test]
fn statistics_that_are_bought_again_are_named() {
    let here = Here::new();
    let spend = "[spend]\nepsilon = 0.25\n";
    here.write("plan.toml", plan(50) + spend);
    let words = |here: &Here| here.run(&["plan", "plan.toml"]).succeeded().out;
    let again = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(!again(&words(&here)).contains("under the same name"));
    here.run(&["release", "plan.toml"]).succeeded();
    assert!(!again(&words(&here)).contains("under the same name"));
    here.write("plan.toml", plan(40) + spend);
    let said = again(&words(&here));
    assert!(said.contains("All 2 statistics were published under the same name in row 2"));
    assert!(said.contains("(`people`, `ages`)"), "{said}");
    assert!(said.contains("so this release buys them again, with new noise."));
    here.write(
        "plan.toml",
        plan(40).replace("name = \"ages\"", "name = \"age groups\"") + spend,
    );
    let said = again(&words(&here));
    assert!(
        said.contains("1 of the 2 statistics was published"),
        "{said}"
    );
    assert!(said.contains("leave only that in the plan"), "{said}");
    let json = here
        .run(&["plan", "plan.toml", "--json"])
        .succeeded()
        .json();
    let before = &json["published_before"];
    assert_eq!(before["statistics"], serde_json::json!(["people"]));
    assert_eq!(before["ledger_row"], 2);
}

#[test]
fn kinds_are_known_by_the_names_that_others_give_them() {
    let here = Here::new();
    for (word, ours) in [
        ("median", "kind = \"quantiles\" and at = [0.5]"),
        ("average", "kind = \"mean\""),
        ("total", "kind = \"sum\""),
    ] {
        let kind = format!("\"{word}\"");
        here.write("plan.toml", plan(50).replace("\"histogram\"", &kind));
        here.run(&["plan", "plan.toml"]).failed(ours);
    }
}

/// A plan of one count by `column` at a loss so large that any noise at all has a probability below
/// e^-200.
fn by(column: &str, categories: &str) -> String {
    format!(
        r#"
title = "Groups"
[source]
files = "table.csv"
[privacy]
neighbours = "add-remove"
[budget]
epsilon = 1000
[columns.{column}]
categories = {categories}
[[statistics]]
name = "rows"
kind = "count"
by = ["{column}"]
"#
    )
}

fn counts(here: &Here) -> Vec<String> {
    let report = here
        .run(&["release", "plan.toml", "--json"])
        .succeeded()
        .json();
    let cells = report["statistics"][0]["cells"].as_array().unwrap();
    let value = |cell: &serde_json::Value| cell["value"].as_str().unwrap().to_owned();
    cells.iter().map(value).collect()
}

#[test]
fn categories_as_other_programs_write_them_match() {
    // As pandas writes a column with a missing cell, and its truth values.
    for (cells, categories) in [
        ("1.0\n2.0\n\n1.0\n", "[\"1\", \"2\"]"),
        ("True\nFalse\n\nTrue\n", "[\"true\", \"false\"]"),
    ] {
        let here = Here::empty();
        // A second column: a line of nothing is no row.
        let rows: String = cells.lines().map(|cell| format!("{cell},x\n")).collect();
        here.write("table.csv", format!("group,other\n{rows}"));
        here.write("plan.toml", by("group", categories));
        assert_eq!(counts(&here), ["2", "1"], "{categories}");
    }
}

#[test]
fn categories_that_never_match_are_refused_or_named_before_anything_is_spent() {
    let here = Here::empty();
    here.write("table.csv", "ward\nnorth\nnorth\nsouth\n");
    // What no cell can be is refused with the plan; spaces around a name are no part of it.
    here.write("plan.toml", by("ward", "[\"\", \"south\"]"));
    here.run(&["plan", "plan.toml"]).refused("empty text");
    here.run(&["release", "plan.toml"]).refused("empty text");
    here.write("plan.toml", by("ward", "[\" north\", \"south \"]"));
    let shown = here.run(&["inspect", "plan.toml", "--not-private"]);
    assert!(
        shown
            .out
            .contains("occurs; 0 cells are missing, and 0 are not listed")
    );
    // What no cell is, only the data show, and to the steward alone.
    here.write("plan.toml", by("ward", "[\"North\", \"South\"]"));
    let shown = here
        .run(&["inspect", "plan.toml", "--not-private"])
        .succeeded()
        .out;
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains(
            "listed and do not occur: \"North\", \"South\"; 0 cells are missing, and 3 are not \
             listed: \"north\" (2), \"south\" (1)"
        ),
        "{shown}"
    );
    assert_eq!(here.files(), ["plan.toml", "table.csv"]);
    here.write("plan.toml", by("ward", "[\"north\", \"south\"]"));
    let shown = here.run(&["inspect", "plan.toml", "--not-private"]);
    assert!(
        shown
            .out
            .contains("occurs; 0 cells are missing, and 0 are not listed")
    );
    assert_eq!(counts(&here), ["2", "1"]);
}

#[test]
fn a_first_release_that_would_spend_everything_says_so_before() {
    let here = Here::new();
    let shown = here.run(&["plan", "plan.toml"]).succeeded().out;
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(
        "This spends everything that is left, ε = 1: nothing can be released about these data \
         afterwards. To keep some, say in [spend]"
    ));
    let json = here.run(&["plan", "plan.toml", "--json"]).succeeded();
    assert_eq!(json.json()["spends_everything"], true);
    let draft = here.run(&["draft", "people.csv"]).succeeded().out;
    assert!(draft.contains("\n[spend]"), "{draft}");
    assert_eq!(here.files(), ["people.csv", "plan.toml"]);
    // Where nobody can be asked it is said, and what is left too; numbers are on standard output.
    let done = here.run(&["release", "plan.toml"]).succeeded();
    let told = "This release spent ε = 1, everything that was left. Nothing is left in ";
    assert!(done.err.contains(told), "{}", done.err);
    assert!(done.err.contains("lastbit.ledger") && !done.out.contains("Nothing is left"));
    // The same again spends nothing, and says nothing of the kind; nor does a small release.
    let again = here.run(&["release", "plan.toml"]).succeeded();
    assert!(!again.err.contains("This release spent"), "{}", again.err);
    let here = Here::new();
    here.write("plan.toml", format!("{}[spend]\nepsilon = 0.5\n", plan(50)));
    let done = here.run(&["release", "plan.toml"]).succeeded();
    assert!(!done.err.contains("This release spent"), "{}", done.err);
    // `--quiet` alone is about progress; with `--yes` there is silence.
    let here = Here::new();
    let quiet = here.run(&["release", "plan.toml", "--quiet"]).succeeded();
    assert!(quiet.err.contains(told), "{}", quiet.err);
    let here = Here::new();
    let quiet = here.run(&["release", "plan.toml", "--quiet", "--yes"]);
    assert_eq!(quiet.succeeded().err, "");
}

#[test]
fn where_nobody_is_asked_a_loss_that_protects_little_is_told() {
    let here = Here::new();
    let huge = plan(50).replace("epsilon = 1", "epsilon = 1000");
    here.write("plan.toml", format!("{huge}[spend]\nepsilon = 100\n"));
    let told = "WARNING: ε = 100 protects little";
    let done = here.run(&["release", "plan.toml"]).succeeded();
    assert!(done.err.contains(told), "{}", done.err);
    // What was released before spends nothing, and `--quiet --yes` is silence.
    let again = here.run(&["release", "plan.toml"]).succeeded();
    assert!(!again.err.contains("WARNING"), "{}", again.err);
    here.write("plan.toml", format!("{huge}[spend]\nepsilon = 200\n"));
    let quiet = here.run(&["release", "plan.toml", "--quiet", "--yes"]);
    assert_eq!(quiet.succeeded().err, "");
    let count = "select count(*) from people";
    let asked = here.run(&["query", "plan.toml", count, "--epsilon", "50"]);
    let err = asked.succeeded().err;
    assert!(err.contains("WARNING: ε = 50 protects little"), "{err}");
}

#[test]
fn advice_fits_what_the_plan_says_already() {
    let here = Here::new();
    here.write("plan.toml", format!("{}[spend]\nepsilon = 0.5\n", plan(50)));
    here.run(&["release", "plan.toml"]).succeeded();
    here.write("plan.toml", format!("{}[spend]\nepsilon = 0.5\n", plan(60)));
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    // All that is left, by a plan that says what it may use.
    let shown = words(&here.run(&["plan", "plan.toml"]).succeeded().out);
    assert!(
        shown.contains("To keep some, lower what [spend] says."),
        "{shown}"
    );
    let done = here.run(&["release", "plan.toml"]).succeeded();
    assert!(
        done.err.contains("everything that was left"),
        "{}",
        done.err
    );
    assert!(!done.err.contains("[spend]"), "{}", done.err);
    // More than is left.
    here.write("plan.toml", format!("{}[spend]\nepsilon = 0.5\n", plan(70)));
    let shown = words(&here.run(&["plan", "plan.toml"]).succeeded().out);
    assert!(
        shown.contains("will be refused")
            && shown.contains("To take less, lower what [spend] says.")
    );
}

#[test]
fn tables_in_other_formats_are_refused_with_the_remedy() {
    let here = Here::empty();
    let plan = |file: &str, more: &str| {
        let files = format!("files = \"{file}\"\n{more}");
        here.write(
            "plan.toml",
            plan(50).replace("files = \"people.csv\"\n", &files),
        );
    };
    let utf16 =
        |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    here.write("semicolons.csv", "RespId;age;town\n1;30;x\n2;40;y\n");
    here.write("array.json", "\u{feff} [{\"age\": 30}, {\"age\": 40}]\n");
    here.write("marked.csv", utf16("\u{feff}age\n30\n"));
    here.write("bare.csv", utf16("age\n30\n"));
    for (file, remedy) in [
        ("array.json", "jq -c '.[]'"),
        ("marked.csv", "iconv -f utf-16 -t utf-8"),
        ("bare.csv", "iconv -f utf-16 -t utf-8"),
    ] {
        here.run(&["draft", file]).refused(remedy);
        plan(file, "");
        here.run(&["release", "plan.toml"]).refused(remedy);
        here.run(&["inspect", "plan.toml", "--not-private"])
            .refused(remedy);
    }
    plan("semicolons.csv", "");
    let done = here.run(&["release", "plan.toml"]);
    done.failed("write delimiter = \";\" in [source]");
    assert!(!here.path("lastbit.ledger").exists());
    // A draft sees it in the header.
    let draft = here.run(&["draft", "semicolons.csv"]).succeeded().out;
    assert!(draft.contains("\ndelimiter = \";\"\n") && draft.contains("[columns.\"town\"]"));
    assert!(draft.contains("may say who: \"RespId\""), "{draft}");
    plan("semicolons.csv", "delimiter = \";\"\n");
    here.run(&["release", "plan.toml"]).succeeded();
}

#[test]
fn a_draft_of_many_columns_leaves_little_to_fill_in() {
    let here = Here::empty();
    let names: Vec<String> = (0..40).map(|i| format!("question {i}")).collect();
    here.write(
        "survey.csv",
        format!("RespId,birthday,{}\n", names.join(",")),
    );
    let draft = here.run(&["draft", "survey.csv"]).succeeded().out;
    assert!(draft.contains("\n# [columns.\"birthday\"]  # of dates, by its name\n# date = true\n"));
    let done = here.run(&["plan", "plan.toml"]);
    done.failed("plan.toml");
    here.write("plan.toml", &draft);
    let places = "still to fill in: what the report is called (and 4 more places)";
    here.run(&["plan", "plan.toml"]).refused(places);
}

/// The lines of a recipe in `docs/plan.md`.
fn recipe(column: &str) -> String {
    let page = include_str!("../../../../docs/plan.md");
    let (_, section) = page
        .split_once("### Cells that are written in another way")
        .unwrap();
    let (_, rest) = section.split_once(&format!("[columns.{column}]")).unwrap();
    let ends = [rest.find("\n\n"), rest.find("```")];
    let end = ends.into_iter().flatten().min().unwrap();
    let lines = rest[..end].trim_end();
    format!("[columns.{column}]{lines}\n")
}

#[test]
fn cells_that_are_written_in_another_way_are_counted_and_can_be_read() {
    let here = Here::empty();
    here.write(
        "table.csv",
        "ADMIDATE,Disposition\n31/01/2024,Home\n01/12/2024,home\n15/06/2024,DIED\n",
    );
    let plan = |columns: &str, day: &str, by: &str| {
        here.write("plan.toml", by_outcome(columns, day, by));
        let done = here.run(&["inspect", "plan.toml", "--not-private"]);
        let out = done.succeeded().out;
        out.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let bad = "[columns.ADMIDATE]\ndate = true\nlower = 2024-01-01\nupper = 2024-12-31\n\
        [columns.Disposition]\ncategories = [\"home\", \"died\"]\n";
    let shown = plan(bad, "ADMIDATE", "Disposition");
    assert!(
        shown.contains("0 are missing, and 3 are not a date (dates are written 2024-01-31)"),
        "{shown}"
    );
    assert!(
        shown.contains("listed and do not occur: \"died\"; 0 cells are missing, and 2 are not"),
        "{shown}"
    );
    let good = recipe("admitted") + &recipe("outcome");
    let shown = plan(&good, "admitted", "outcome");
    assert!(shown.contains("; 0 are missing or not a date "), "{shown}");
    assert!(
        shown.contains("listed and do not occur: \"transfer\"; 0 cells are missing, and 0 are"),
        "{shown}"
    );
}

fn by_outcome(columns: &str, day: &str, by: &str) -> String {
    format!(
        r#"
title = "Discharges"
[source]
files = "table.csv"
[privacy]
neighbours = "add-remove"
[budget]
epsilon = 1
{columns}
[[statistics]]
name = "mean day"
kind = "mean"
of = "{day}"
[[statistics]]
name = "outcomes"
kind = "count"
by = ["{by}"]
"#
    )
}

/// What is wrong is named: the limit that an expression is beyond, the statistic, and the key to
/// change.
#[test]
fn limits_are_refused_by_their_own_names() {
    let here = Here::new();
    let plan = |source: &str, column: &str, rest: &str| {
        format!(
            "[source]\nfiles = \"people.csv\"\n{source}\n[privacy]\nneighbours = \
             \"add-remove\"\n[budget]\nepsilon = 1e-12\n[columns.age]\n{column}\n\
             [[statistics]]\nname = \"ages of all\"\nof = \"age\"\n{rest}\n"
        )
    };
    let filter = |text: &str| {
        plan(
            &format!("where = \"{text}\""),
            "lower = 0\nupper = 9",
            "kind = \"sum\"",
        )
    };
    let cases = |depth: usize| {
        let (open, close) = (
            "case when age = 1 then ".repeat(depth),
            " end".repeat(depth),
        );
        format!("{open}true{close}")
    };
    for depth in [42, 45, 60, 200] {
        for text in [
            format!("{}age = 1", "not ".repeat(depth)),
            cases(depth),
            format!("{}age = 1{}", "(".repeat(depth), ")".repeat(depth)),
        ] {
            here.write("plan.toml", filter(&text));
            let refused = here
                .run(&["plan", "plan.toml"])
                .refused("40 deep or deeper");
            assert!(!refused.err.contains("not expected"), "{}", refused.err);
        }
    }
    // What is wrong in another way is told as before.
    here.write("plan.toml", filter("not not age 1"));
    here.run(&["plan", "plan.toml"])
        .refused("`1` is not expected here");
    here.write(
        "plan.toml",
        filter(&format!("{}age = 1", "not ".repeat(20))),
    );
    here.run(&["plan", "plan.toml"]).succeeded();
    let quantiles = "kind = \"quantiles\"\nat = [0.5]";
    here.write("plan.toml", plan("", "lower = 0\nupper = 9", quantiles));
    let refused = here
        .run(&["plan", "plan.toml"])
        .refused("statistic \"ages of all\"");
    assert!(
        refused
            .err
            .contains("would hold all rows; spend more on it"),
        "{}",
        refused.err
    );
    let wide = "integer = true\nlower = 0\nupper = 1000000000000000000";
    here.write("plan.toml", plan("", wide, "kind = \"sum\""));
    let refused = here
        .run(&["plan", "plan.toml"])
        .refused("leave out `integer`");
    assert!(!refused.err.contains("grid"), "{}", refused.err);
}

#[test]
fn a_table_in_the_place_of_a_plan_is_named_as_one() {
    let here = Here::new();
    here.write("data.parquet", b"PAR1\xff\xfe");
    for table in ["people.csv", "data.parquet"] {
        for command in ["plan", "release"] {
            here.run(&[command, table]).refused(
                "this is a table, by its name; a plan is a TOML file, and `lastbit draft`",
            );
        }
    }
    // A plan of any name is read.
    here.write("plan.json", plan(50));
    here.run(&["plan", "plan.json"]).succeeded();
    assert!(!here.path("lastbit.ledger").exists());
}
