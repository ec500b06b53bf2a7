//! Reading plans: exact numbers, and errors that say where and what to do.

use lastbit_release::loss::LossMeasure;
use lastbit_release::plan::{Allowance, ColumnKind, Missing, Plan};

const GOOD: &str = r#"title = "Visits"
[source]
files = ["visits.csv.gz"]
[privacy]
neighbours = "add-remove"
unit = "patient"
most_rows = 3
most_groups = 2
[budget]
epsilon = 0.1
delta = 1e-9
[columns.cost]
lower = 0
upper = 5_000.10
unit = "EUR"
missing = 0.30
[columns.age]
edges = [0, 18, 65.5, 100]
[columns.ward]
categories = ["north", "south"]
other = "south"
[columns.town]
discover = true
[[statistics]]
name = "visits"
kind = "count"
by = "ward"
[[statistics]]
name = "towns"
kind = "count"
by = ["town"]
loss = "1/30"
[[statistics]]
name = "cost"
kind = "mean"
of = "cost"
error = 12.5
[[statistics]]
name = "ages"
kind = "quantiles"
of = "age"
at = [0.1, 0.5]
weight = 2
"#;

/// The good plan with one text replaced, which must be there once.
fn with(from: &str, to: &str) -> String {
    assert_eq!(GOOD.matches(from).count(), 1, "{from}");
    GOOD.replacen(from, to, 1)
}

fn error(from: &str, to: &str) -> String {
    match Plan::parse(&with(from, to)) {
        Ok(_) => panic!("accepted {to}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn numbers_are_exactly_what_is_written() {
    let plan = Plan::parse(GOOD).unwrap();
    assert_eq!(plan.budget.measure, LossMeasure::Approximate);
    assert_eq!(plan.budget.main, "1/10".parse().unwrap());
    assert_eq!(plan.budget.delta, "1/1000000000".parse().unwrap());
    let ColumnKind::Numbers(cost) = &plan.column("cost").unwrap().kind else {
        panic!("cost is numeric");
    };
    assert_eq!(*cost.bounds.upper(), "50001/10".parse().unwrap());
    assert_eq!(cost.missing, Missing::Value("3/10".parse().unwrap()));
    assert_eq!(
        plan.statistics[1].allowance,
        Allowance::Loss("1/30".parse().unwrap())
    );
    let quantiles = &plan.statistics[3].kind;
    assert_eq!(quantiles.word(), "quantiles");
    assert_eq!(quantiles.parameters()[0], ("at", "0.1".to_owned()));
    // No double is between the text and the number.
    let long = with(
        "epsilon = 0.1",
        "epsilon = 0.10000000000000000000000000000001",
    );
    assert_ne!(Plan::parse(&long).unwrap().budget.main, plan.budget.main);
}

#[test]
fn errors_say_where_and_what_to_do() {
    let cases = [
        (
            "epsilon = 0.1",
            "epsilonn = 0.1",
            "10:1: unknown key `epsilonn` in [budget]; did you mean `epsilon`?",
        ),
        (
            "epsilon = 0.1",
            "epsilon = 0",
            "10:11: `epsilon` in [budget] must be positive, got 0",
        ),
        (
            "epsilon = 0.1",
            "epsilon = nan",
            "10:11: `epsilon` in [budget]: `nan` is not a number",
        ),
        (
            "epsilon = 0.1",
            "rho = 0.1",
            "[budget] must have `epsilon`, or `rho`, or `epsilon` and `delta`",
        ),
        (
            "delta = 1e-9",
            "delta = 1",
            "11:9: `delta` in [budget] must be strictly between 0 and 1, got 1",
        ),
        (
            "delta = 1e-9",
            "",
            "28:1: statistic \"towns\": discovered keys are published above a threshold",
        ),
        (
            "upper = 5_000.10",
            "upper = -1",
            "12:1: [columns.cost]: bounds [0, -1]: lower is above upper; swap them?",
        ),
        ("upper = 5_000.10", "upper = 0", "widen the bounds"),
        ("upper = 5_000.10", "", "[columns.cost] lacks `upper`"),
        (
            "missing = 0.30",
            "missing = 6000",
            "outside the bounds [0, 5000.1]",
        ),
        (
            "missing = 0.30",
            "missing = \"dorp\"",
            "did you mean `drop`?",
        ),
        (
            "edges = [0, 18, 65.5, 100]",
            "edges = [0, 18, 18]",
            "`edges` must increase, but 18 comes before 18",
        ),
        (
            "other = \"south\"",
            "other = \"east\"",
            "none of the categories",
        ),
        (
            "[\"north\", \"south\"]",
            "[\"south\", \"south\"]",
            "lists \"south\" twice",
        ),
        (
            "[\"north\", \"south\"]",
            "[\"south\", \" south\"]",
            "lists \"south\" and \" south\", which are one value",
        ),
        (
            "[\"north\", \"south\"]",
            "[\"1\", \"south\", \"1.0\"]",
            "lists \"1\" and \"1.0\", which are one value",
        ),
        (
            "[\"north\", \"south\"]",
            "[\"south\", \" \"]",
            "lists an empty text, but an empty cell is missing",
        ),
        (
            "of = \"cost\"",
            "of = \"costs\"",
            "there is no column `costs` in the plan; add [columns.costs]; did you mean `cost`?",
        ),
        (
            "of = \"cost\"",
            "of = \"ward\"",
            "`ward` has categories, and a mean is of numbers",
        ),
        (
            "kind = \"mean\"",
            "kind = \"average\"",
            "there is no kind \"average\" here; write kind = \"mean\"",
        ),
        (
            "kind = \"mean\"",
            "kind = \"kurtosis\"",
            "cannot be \"kurtosis\"; there are: bounds, correlation, count, covariance,",
        ),
        (
            "kind = \"mean\"",
            "kind = \"covariance\"",
            "must be of 2 columns, got 1",
        ),
        (
            "by = \"ward\"",
            "by = \"cost\"",
            "add `edges` to [columns.cost]",
        ),
        (
            "error = 12.5",
            "error = 12.5\nloss = 1",
            "more than one of `loss`, `weight` and `error`",
        ),
        (
            "at = [0.1, 0.5]",
            "at = [0.5, 1.5]",
            "a quantile is at a share from 0 to 1, got 1.5",
        ),
        (
            "at = [0.1, 0.5]",
            "at = [10, 50]",
            "from 0 to 1, got 10; write 0.1 for 10 %",
        ),
        (
            "name = \"towns\"",
            "name = \"visits\"",
            "two statistics are called \"visits\"",
        ),
        ("most_rows = 3", "", "[privacy] lacks `most_rows`"),
        (
            "most_rows = 3",
            "most_rows = 2.5",
            "must be a whole number from 1 on, got 2.5",
        ),
        (
            "neighbours = \"add-remove\"",
            "neighbours = \"change-one\"\nrows = 5",
            "leave out `rows`",
        ),
        (
            "unit = \"patient\"\nmost_rows = 3\nmost_groups = 2",
            "rows = 5",
            "`rows` is public only under",
        ),
        ("visits.csv.gz", "visits", "add format = \"csv\""),
        ("title = \"Visits\"", "title = ", "1:9: not TOML:"),
        (
            "title = \"Visits\"",
            "title = \"V\"\nacountant = \"pure\"",
            "did you mean `accountant`?",
        ),
        (
            "by = [\"town\"]",
            "by = [\"town\", \"ward\"]\n[[statistics]]\nname = \"x\"\nkind = \"sum\"\nof = \
             \"cost\"\nby = \"town\"",
            "add a statistic of kind = \"count\" by [\"town\"]",
        ),
    ];
    for (from, to, expected) in cases {
        let found = error(from, to);
        assert!(found.contains(expected), "{to}: {found}");
    }
}

#[test]
fn texts_of_any_kind_are_refused_without_panic() {
    for text in [
        "",
        "\u{feff}",
        "[",
        "a = 1",
        "statistics = 3",
        "[source]\nfiles = 3",
        "é = \"\u{0}\"",
    ] {
        assert!(Plan::parse(text).is_err(), "{text:?}");
    }
    // Every prefix, and every text with one byte gone.
    for at in 0..GOOD.len() {
        let _ = Plan::parse(&GOOD[..at]);
        let _ = Plan::parse(&format!("{}{}", &GOOD[..at], &GOOD[at + 1..]));
    }
}

#[test]
fn numbers_may_be_texts_wherever_numbers_are() {
    let plan = Plan::parse(&with("missing = 0.30", "missing = \"1/3\"")).unwrap();
    let ColumnKind::Numbers(cost) = &plan.column("cost").unwrap().kind else {
        panic!("cost is a number")
    };
    assert_eq!(cost.missing, Missing::Value("1/3".parse().unwrap()));
    let plan = Plan::parse(&with("at = [0.1, 0.5]", "at = \"1/3\"")).unwrap();
    let quantiles = &plan.statistics.last().unwrap().kind;
    assert_eq!(quantiles.parameters(), [("at", "1/3".to_owned())]);
}
