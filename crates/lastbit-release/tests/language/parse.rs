//! What a plan says of rows and cells, and what it cannot say: with the line and the column.

use std::collections::BTreeSet;
use std::fs;

use lastbit_release::plan::{ColumnKind, NumberKind, Plan, PlanError};
use lastbit_release::statistic;

/// A plan with these lines in `[source]`, these columns, and this statistic.
fn plan(source: &str, columns: &str, statistic: &str) -> Result<Plan, PlanError> {
    Plan::parse(&format!(
        "[source]\nfiles = \"x.csv\"\n{source}\n[privacy]\nneighbours = \"add-remove\"\nunit = \
         \"who\"\nmost_rows = 2\n[budget]\nepsilon = 1\n{columns}\n[[statistics]]\nname = \
         \"s\"\n{statistic}\n"
    ))
}

fn column(text: &str) -> Result<Plan, PlanError> {
    plan("", &format!("[columns.x]\n{text}"), "kind = \"count\"")
}

fn labels(text: &str) -> Vec<String> {
    column(text).unwrap().columns[0].labels()
}

#[track_caller]
fn refused(plan: Result<Plan, PlanError>, words: &str) {
    let error = plan.unwrap_err();
    assert!(error.place().is_some(), "{error}");
    assert!(error.message().contains(words), "{error}");
}

#[test]
fn errors_in_expressions_have_their_place_in_the_plan() {
    let error = plan(
        "where = \"age >= 18 and sum(x) > 1\"",
        "",
        "kind = \"count\"",
    )
    .unwrap_err();
    let place = error.place().unwrap();
    // `sum` stands at character 23 of line 3.
    assert_eq!((place.line, place.column), (3, 24), "{error}");
    let error = plan("", "", "kind = \"count\"\nwhere = '''\nage >\n  18 and'''").unwrap_err();
    assert!(error.place().unwrap().line >= 14, "{error}");
    let error = plan("where = \"a = \\\"\"", "", "kind = \"count\"").unwrap_err();
    assert_eq!(error.place().unwrap().line, 3, "{error}");
}

#[test]
fn limits_and_filters_of_a_statistic() {
    let plan = plan(
        "",
        "",
        "kind = \"count\"\nwhere = \"age > 3\"\nmost_rows = 5\nmost_groups = 1",
    )
    .unwrap();
    let scope = &plan.statistics[0].scope;
    assert_eq!(scope.filter.as_ref().unwrap().written(), "age > 3");
    assert_eq!((scope.most_rows, scope.most_groups), (Some(5), None));
    assert_eq!(scope.limits(&plan.unit), Some((5, 1)));
    refused(
        self::plan("", "", "kind = \"count\"\nmost_rows = 0"),
        "from 1 on",
    );
    let rows = "[source]\nfiles = \"x.csv\"\n\
        [privacy]\nneighbours = \"add-remove\"\n\
        [budget]\nepsilon = 1\n\
        [[statistics]]\nname = \"s\"\nkind = \"count\"\nmost_rows = 2";
    refused(Plan::parse(rows), "`most_rows` is for a unit");
}

#[test]
fn a_filter_makes_the_number_of_rows_unknown() {
    let text = |filter: &str| {
        format!(
            "[source]\nfiles = \"x.csv\"\n[privacy]\nneighbours = \"change-one\"\nrows = \
             10\n[budget]\nepsilon = 1\n[columns.x]\nlower = 0\nupper = 1\nmissing = \
             0\n[[statistics]]\nname = \"s\"\nkind = \"mean\"\nof = \"x\"\n{filter}"
        )
    };
    let rows = |filter| {
        Plan::parse(&text(filter)).unwrap().statistics[0]
            .kind
            .public_rows()
    };
    assert_eq!(rows(""), Some(10));
    assert_eq!(rows("where = \"y = 1\""), None);
}

#[test]
fn groups_of_discovered_keys_come_from_a_count_of_the_same_rows() {
    let with = |second: &str| {
        Plan::parse(&format!(
            "[source]\nfiles = \"x.csv\"\n[privacy]\nneighbours = \"add-remove\"\nunit = \
             \"who\"\nmost_rows = 2\n[budget]\nepsilon = 1\ndelta = \
             1e-6\n[columns.town]\ndiscover = true\n[columns.x]\nlower = 0\nupper = \
             1\n[[statistics]]\nname = \"towns\"\nkind = \"count\"\nby = \"town\"\nwhere = \"age \
             > 3\"\n[[statistics]]\nname = \"s\"\nkind = \"mean\"\nof = \"x\"\nby = \
             \"town\"\n{second}"
        ))
    };
    with("where = \"age>3\"").unwrap();
    // Which towns are missing beside those that were published would be a fact without noise.
    refused(with(""), "with the same");
    refused(
        with("where = \"age > 4\""),
        "with the same `where` and limits",
    );
    refused(
        with("where = \"age > 3\"\nmost_groups = 2"),
        "with the same `where` and limits",
    );
}

#[test]
fn codes_are_values() {
    let plan = column("lower = 0\nupper = 1\nmissing_codes = [99.0, \"?\", \"NA\"]").unwrap();
    assert_eq!(
        plan.derive.codes,
        [(
            "x".to_owned(),
            vec!["99".to_owned(), "?".to_owned(), "NA".to_owned()]
        )]
    );
    refused(
        column("lower = 0\nupper = 1\nmissing_codes = [99, 99.0]"),
        "twice",
    );
    refused(
        column("lower = 0\nupper = 1\nmissing_codes = [\" \"]"),
        "missing anyway",
    );
    refused(
        column("as = \"y\"\nlower = 0\nupper = 1\nmissing_codes = [9]"),
        "nullif",
    );
    refused(
        column("lower = 0\nupper = 1\nmissing_codes = { a = 1 }"),
        "a text, a number",
    );
}

#[test]
fn categories_and_their_labels() {
    assert_eq!(
        labels("labels = { 1 = \"men\", 2 = \"women\" }"),
        ["men", "women"]
    );
    assert_eq!(
        labels("categories = [1, 2, 3]\nlabels = { \"2.0\" = \"two\" }"),
        ["1", "two", "3"]
    );
    assert_eq!(labels("categories = [true, \"no\"]"), ["true", "no"]);
    assert_eq!(labels("from = 2019\nto = 2021"), ["2019", "2020", "2021"]);
    assert_eq!(
        labels("categories = \"quarters\""),
        ["Q1", "Q2", "Q3", "Q4"]
    );
    assert_eq!(labels("categories = \"weekdays\"")[6], "Sunday");
    assert_eq!(labels("categories = \"months\"").len(), 12);
    assert_eq!(labels("categories = \"weeks\"").len(), 53);
    assert_eq!(labels("categories = \"hours\"")[0], "0");
    assert_eq!(labels("categories = [\"months\"]"), ["months"]);
    refused(column("categories = [1, \"1.0\"]"), "one value");
    refused(
        column("categories = [1, 2]\nlabels = { 3 = \"three\" }"),
        "none of the categories",
    );
    refused(
        column("categories = [1, 2]\nlabels = { 1 = \"2\" }"),
        "shown as \"2\"",
    );
    refused(column("labels = { 1 = \"\" }"), "empty");
    refused(column("from = 3\nto = 1"), "at least `from`");
    refused(column("from = 3"), "go together");
    refused(column("from = 1\nto = 2\ncategories = [1]"), "leave out");
    refused(column("categories = [1]\nlower = 0\nupper = 1"), "either");
}

#[test]
fn whole_numbers_dates_and_times() {
    let scale = |text: &str| {
        let plan = column(text).unwrap();
        let ColumnKind::Numbers(numbers) = &plan.columns[0].kind else {
            panic!("numbers");
        };
        (
            numbers.scale,
            numbers.bounds.lower().to_string(),
            numbers.grid.exponent().get(),
        )
    };
    assert_eq!(
        scale("integer = true\nlower = -3\nupper = 8"),
        (NumberKind::Whole, "-3".into(), 0)
    );
    assert_eq!(
        scale("date = true\nlower = 1970-01-03\nupper = \"2024-12-31\""),
        (NumberKind::Days, "2".into(), 0)
    );
    assert_eq!(
        scale(
            "time = true\nlower = 1970-01-01T00:01:00\nupper = \
             \"2024-12-31T10:00:00+01:00\"\noffset = \"+01:00\""
        ),
        (NumberKind::Seconds, "60".into(), 0)
    );
    refused(
        column("integer = true\nlower = 0.5\nupper = 8"),
        "whole bounds",
    );
    refused(
        column("integer = true\nlower = 0\nupper = 8\ngrid = -1"),
        "leave out `grid`",
    );
    refused(
        column("integer = true\ndate = true\nlower = 0\nupper = 8"),
        "keep one",
    );
    refused(
        column("date = true\nlower = 2024-02-30\nupper = 2024-12-31"),
        "",
    );
    refused(
        column("date = true\nlower = \"2024-02-30\"\nupper = 2024-12-31"),
        "is no date",
    );
    refused(
        column("date = true\nlower = 3\nupper = 2024-12-31"),
        "is no date",
    );
    refused(
        column("time = true\nlower = \"2024-01-01T00:00:00.5\"\nupper = 2024-12-31"),
        "whole seconds",
    );
    refused(
        column("date = true\nlower = 2024-01-01\nupper = 2024-12-31\noffset = \"Berlin\""),
        "offset",
    );
    refused(
        column("lower = 0\nupper = 1\noffset = \"+01:00\""),
        "date = true",
    );
    refused(
        column("lower = 0\nupper = 1\nevery = \"month\""),
        "dates and times",
    );
    refused(
        column("date = true\nlower = 2024-01-01\nupper = 2024-12-31\nunit = \"d\""),
        "unit of their own",
    );
    let sum = plan(
        "",
        "[columns.x]\ndate = true\nlower = 2024-01-01\nupper = 2024-12-31",
        "kind = \"sum\"\nof = \"x\"",
    );
    refused(sum, "sum means nothing");
}

#[test]
fn bins_of_dates_are_shown_as_dates() {
    assert_eq!(
        labels("date = true\nedges = [2024-01-01, 2024-02-01, 2024-12-31]"),
        ["before 2024-02-01", "2024-02-01 or later"]
    );
    assert_eq!(
        labels("date = true\nlower = 2023-12-15\nupper = 2024-02-10\nevery = \"month\""),
        ["2023-12 or earlier", "2024-01", "2024-02 or later"]
    );
    assert_eq!(
        labels("date = true\nlower = 2020-12-28\nupper = 2021-01-10\nevery = \"week\""),
        ["2020-W53 or earlier", "2021-W01 or later"]
    );
    assert_eq!(
        labels("time = true\nlower = 2023-01-01\nupper = 2024-06-01\nevery = \"year\""),
        ["2023 or earlier", "2024 or later"]
    );
    assert_eq!(
        labels("date = true\nlower = 2024-01-01\nupper = 2024-12-31\nevery = \"quarter\"").len(),
        4
    );
    // The last day has a bin of its own where a period begins with it.
    for (every, last) in [
        ("day", "2024-01-01 or later"),
        ("week", "2024-W01 or later"),
        ("month", "2024-01 or later"),
        ("quarter", "2024-Q1 or later"),
        ("year", "2024 or later"),
    ] {
        let all = labels(&format!(
            "date = true\nlower = 2023-12-30\nupper = 2024-01-01\nevery = \"{every}\""
        ));
        assert_eq!(all.last().map(String::as_str), Some(last), "{all:?}");
    }
}

#[test]
fn the_outermost_bins_say_that_cells_beyond_the_bounds_are_in_them() {
    let ages = "edges = [0, 18, 65, 100]";
    assert_eq!(labels(ages), ["below 18", "[18, 65)", "65 or more"]);
    assert_eq!(
        labels(&format!("integer = true\n{ages}")),
        ["below 18", "[18, 65)", "65 or more"]
    );
    assert_eq!(labels("edges = [0, 2.5, 9]"), ["below 2.5", "2.5 or more"]);
    assert_eq!(labels("edges = [0, 100]"), ["any number"]);
    let year = |scale: &str| {
        format!("{scale} = true\nlower = 2024-02-01\nupper = 2024-11-30\nevery = \"year\"")
    };
    assert_eq!(labels(&year("date")), ["any date"]);
    assert_eq!(labels(&year("time")), ["any time"]);
    assert_eq!(
        labels("time = true\nedges = [2024-01-01, 2024-02-01, 2024-12-31]"),
        ["before 2024-02-01T00:00:00", "2024-02-01T00:00:00 or later"]
    );
    // Categories are matched: nothing else is in them.
    assert_eq!(labels("categories = [\"a\", \"b\"]"), ["a", "b"]);
}

#[test]
fn look_up_tables_have_one_row_a_key() {
    let directory = tempfile::TempDir::new().unwrap();
    let read = |table: &str| {
        fs::write(directory.path().join("wards.csv"), table).unwrap();
        let text = "[source]\nfiles = \"x.csv\"\n\
            [[source.lookup]]\nfile = \"wards.csv\"\nkey = \"ward\"\ncolumns = [\"region\"]\n\
            [privacy]\nneighbours = \"add-remove\"\n\
            [budget]\nepsilon = 1\n\
            [columns.region]\ncategories = [\"n\", \"s\"]\n\
            [[statistics]]\nname = \"s\"\nkind = \"histogram\"\nof = \"region\"";
        Plan::parse_in(text, directory.path())
    };
    let hash = |table: &str| read(table).unwrap().derive.lookups[0].hash(0);
    let one = hash("ward,region\n1,n\n2,s\n");
    // The same table, however it is written.
    assert_eq!(
        hash("region,ward,more\r\n\"s\",2.0,x\r\nn,1,\"a,\"\"b\"\"\n\""),
        one
    );
    assert_ne!(hash("ward,region\n1,n\n2,n\n"), one);
    refused(
        read("ward,region\n7,n\n2,n\n7.0,s\n"),
        "its rows 1 and 3 have the same `ward`",
    );
    refused(read("ward,region\n,n\n"), "its row 1 has no `ward`");
    refused(read("ward,regions\n1,n\n"), "no column `region`");
    refused(read("ward,region\n1\n"), "row 1 has 1 cells");
    refused(read("ward,region\n1,\"n\n"), "never closed");
    refused(
        read("ward,x,x,region\n1,1,1,n\n"),
        "its columns 2 and 3 have one name",
    );
    fs::remove_file(directory.path().join("wards.csv")).unwrap();
    let text = "[source]\nfiles = \"x.csv\"\n[[source.lookup]]\nfile = \"none.csv\"\nkey = \"a\"\n\
        columns = [\"b\"]";
    refused(Plan::parse_in(text, directory.path()), "none.csv");
    let text = text.replace("none.csv", ".");
    refused(
        Plan::parse_in(&text, directory.path()),
        "not a regular file",
    );
    let join = "join = [{ files = \"y.csv\", columns = [\"z\"], key = \"ward\" }]";
    refused(
        plan(join, "", "kind = \"count\""),
        "private tables are joined by the unit's column alone",
    );
}

#[test]
fn the_plans_of_the_documentation_can_be_priced() {
    let page = include_str!("../../../../docs/plan.md");
    let blocks: Vec<&str> = page.split("```toml\n").skip(1).collect();
    assert!(!blocks.is_empty());
    for block in blocks {
        let text = block.split("```").next().unwrap();
        let plan = Plan::parse(text).unwrap_or_else(|error| panic!("{error}"));
        lastbit_release::account::price(&plan).unwrap();
    }
}

#[test]
fn the_documentation_has_every_kind_of_statistic() {
    let row = |page: &'static str, start: &str| {
        let mut lines = page.lines();
        lines.find(|line| line.starts_with(start)).unwrap()
    };
    let page = include_str!("../../../../docs/plan.md");
    let listed: Vec<&str> = row(page, "| `kind` |")
        .split("`\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect();
    assert_eq!(listed, statistic::WORDS);
    let page = include_str!("../../../../docs/statistics.md");
    for word in statistic::WORDS {
        let explained = page.lines().any(|line| {
            let cell = line.split('|').nth(1).unwrap_or_default();
            cell.contains(&format!("`{word}`"))
        });
        assert!(explained, "docs/statistics.md has no row for `{word}`");
    }
}

#[test]
fn kinds_have_different_words() {
    let words: BTreeSet<&str> = statistic::WORDS.into_iter().collect();
    assert_eq!(words.len(), statistic::KINDS.len());
}

#[test]
fn private_files_are_never_looked_up_nor_told() {
    let directory = tempfile::TempDir::new().unwrap();
    let people = "ward,region\nSECRET,n\nSECRET,s\n";
    for name in ["people.csv", "joined.csv", "copy.csv"] {
        fs::write(directory.path().join(name), people).unwrap();
    }
    let text = |files: &str, file: &str, join: &str| {
        format!(
            "[source]\nfiles = \"{files}\"\n{join}\n\
             [[source.lookup]]\nfile = \"{file}\"\nkey = \"ward\"\ncolumns = [\"region\"]\n\
             [privacy]\nneighbours = \"add-remove\"\nunit = \"id\"\nmost_rows = 1\n\
             [budget]\nepsilon = 1\n\
             [columns.region]\ncategories = [\"n\", \"s\"]\n\
             [[statistics]]\nname = \"s\"\nkind = \"histogram\"\nof = \"region\""
        )
    };
    let message = |files: &str, file: &str, join: &str| {
        let read = Plan::parse_in(&text(files, file, join), directory.path());
        let message = read.unwrap_err().to_string();
        assert!(!message.contains("SECRET"), "{message}");
        message
    };
    let private = "this is a file of the private data";
    for (files, file) in [
        ("people.csv", "people.csv"),
        ("people.csv", "./people.csv"),
        ("p*.csv", "people.csv"),
    ] {
        let message = message(files, file, "");
        assert!(message.contains(private), "{message}");
    }
    // A copy is not known as such, and even so no cell is told.
    let copied = message("people.csv", "copy.csv", "");
    assert!(copied.contains("its rows 1 and 2 have the same `ward`"));
    fs::write(
        directory.path().join("joined.csv"),
        "ward,region\nSECRET,n\n",
    )
    .unwrap();
    let join = "join = [{ files = \"joined.csv\", columns = [\"z\"] }]";
    let joined = message("people.csv", "joined.csv", join);
    assert!(joined.contains(private), "{joined}");
}

#[test]
fn what_limits_leave_out_is_told_for_the_groups_that_it_is_about() {
    use lastbit_release::account::price;
    use lastbit_release::present::{about, plan_warnings};
    let plan = |limits: &str, by: &str| {
        let text = format!(
            "[source]\nfiles = \"x.csv\"\n\
             [privacy]\nneighbours = \"add-remove\"\nunit = \"id\"\nmost_rows = 1\n\
             [budget]\nepsilon = 1\n\
             [columns.ward]\ncategories = [\"n\", \"s\"]\n\
             [[statistics]]\nname = \"rows\"\nkind = \"count\"\n{by}\n\
             [[statistics]]\nname = \"left\"\nkind = \"left-out\"\n{limits}"
        );
        Plan::parse(&text).unwrap()
    };
    let phrases = |plan: &Plan| {
        let prices = price(plan).unwrap();
        about(plan, &plan.statistics[1], &prices.statistics[1]).join("; ")
    };
    let (by, limits) = ("by = \"ward\"", "limits_by = \"ward\"");
    let wrong = plan("", by);
    assert!(phrases(&wrong).contains("limits of statistics without groups, and of no others"));
    let words = plan_warnings(&wrong).join(" ");
    assert!(words.contains("not for statistics by `ward`"), "{words}");
    let right = plan(limits, by);
    assert!(phrases(&right).contains("limits of statistics by `ward`, and of no others"));
    assert!(plan_warnings(&right).is_empty());
    assert!(plan_warnings(&plan("", "")).is_empty());
}
