//! Whole releases through a ledger.

use lastbit_exact::Rational;
use lastbit_testing::{Empty, Quiet};

use super::memory::{Memory, Row};
use crate::ledger::{Ledger, LedgerError};
use crate::loss::Loss;
use crate::plan::Plan;
use crate::present::{PublishedStatistic, Report};
use crate::release::{At, Identity, ReleaseError, Released, release_as_seen, release_with};

const PLAN: &str = r#"
title = "Test"
[source]
files = "x.csv"
[privacy]
neighbours = "add-remove"
[budget]
epsilon = 100_000
[columns.x]
edges = [0, 4, 8]
unit = "m"
[columns.y]
lower = -16
upper = 16
unit = "s"
[columns.ward]
categories = ["a", "b"]
other = "b"
[[statistics]]
name = "count"
kind = "count"
by = "ward"
[[statistics]]
name = "sum"
kind = "sum"
of = "y"
[[statistics]]
name = "mean"
kind = "mean"
of = "x"
by = "ward"
[[statistics]]
name = "variance"
kind = "variance"
of = "x"
[[statistics]]
name = "covariance"
kind = "covariance"
of = ["x", "y"]
[[statistics]]
name = "histogram"
kind = "histogram"
of = "x"
[[statistics]]
name = "quantiles"
kind = "quantiles"
of = "x"
at = [0.25, 0.5, 0.75]
"#;

fn rows() -> Vec<Row> {
    let cells = [
        ("a", "1", "-3.5"),
        ("a", "2", "10"),
        ("b", "7", "99"),
        ("c", "5", ""),
        ("b", "4", "0.25"),
        ("a", "", "1"),
    ];
    cells
        .iter()
        .map(|&(ward, x, y)| {
            [("ward", ward), ("x", x), ("y", y)]
                .into_iter()
                .filter(|(_, text)| !text.is_empty())
                .map(|(column, text)| (column, text.to_owned()))
                .collect()
        })
        .collect()
}

fn statistic<'a>(report: &'a Report, name: &str) -> &'a PublishedStatistic {
    report.statistics.iter().find(|s| s.name == name).unwrap()
}

/// Group, label and value of each cell.
fn cells(report: &Report, name: &str) -> Vec<(String, String, f64)> {
    statistic(report, name)
        .cells
        .iter()
        .map(|cell| {
            let value = cell.value.as_ref().unwrap().parse().unwrap();
            (cell.group.join("/"), cell.label.clone(), value)
        })
        .collect()
}

fn values(report: &Report, name: &str) -> Vec<f64> {
    cells(report, name).into_iter().map(|cell| cell.2).collect()
}

#[test]
fn without_noise_every_statistic_is_what_it_says() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ledger");
    let plan = Plan::parse(PLAN).unwrap();
    let engine = Memory::new(rows());
    let released = release_with(&plan, &path, &engine, &mut Quiet).unwrap();
    let Released::New(report) = &released else {
        panic!("new")
    };
    assert_eq!(
        cells(report, "count"),
        [("a".into(), "".into(), 3.0), ("b".into(), "".into(), 3.0)]
    );
    let near = |found: f64, exact: f64| assert!((found - exact).abs() < 1e-3, "{found} {exact}");
    // y: −3.5, 10, 16 (clamped), 0.25, 1.
    near(values(report, "sum")[0], 23.75);
    near(values(report, "mean")[0], 1.5);
    near(values(report, "mean")[1], 16.0 / 3.0);
    // x: 1, 2, 7, 5, 4.
    near(values(report, "variance")[0], 5.7);
    // (1, −3.5), (2, 10), (7, 16), (4, 0.25): mean 3.5 and 5.6875.
    let exact = (-2.5 * (-3.5 - 5.6875) - 1.5 * (10.0 - 5.6875)
        + 3.5 * (16.0 - 5.6875)
        + 0.5 * (0.25 - 5.6875))
        / 3.0;
    near(values(report, "covariance")[0], exact);
    assert_eq!(
        cells(report, "histogram"),
        [
            ("".into(), "below 4".into(), 2.0),
            ("".into(), "4 or more".into(), 3.0)
        ]
    );
    // Sorted 1, 2, 4, 5, 7: with 1.25 rows, 2.5 and 3.75 at or below.
    let quantiles = values(report, "quantiles");
    near(quantiles[0], 2.0);
    near(quantiles[1], 4.0);
    near(quantiles[2], 5.0);
    assert_eq!(statistic(report, "variance").unit, "m²");
    assert_eq!(statistic(report, "covariance").unit, "m·s");
    assert_eq!(report.receipt.data, None);

    // Again: the same numbers, at no cost.
    let again = release_with(&plan, &path, &engine, &mut Quiet).unwrap();
    assert!(matches!(&again, Released::Stored { .. }));
    assert_eq!(again.report(), released.report());
    let ledger = Ledger::view(&path).unwrap();
    assert_eq!(ledger.account().spent.main, Rational::from(100_000i64));

    // Other data are another release, for which nothing is left.
    let other = Memory::new(rows()[1..].to_vec());
    let refused = release_with(&plan, &path, &other, &mut Quiet).unwrap_err();
    assert!(
        matches!(refused, ReleaseError::Ledger(LedgerError::Refused(_))),
        "{refused}"
    );
    assert!(refused.spent().is_none());
}

#[test]
fn a_price_that_nobody_saw_is_not_spent() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ledger");
    let plan = Plan::parse(PLAN).unwrap();
    let prices = crate::account::price(&plan).unwrap();
    let identity = Identity::new(&plan, &prices);
    let run = |seen: (&Identity, &Loss)| {
        release_as_seen(
            &plan,
            At::File(&path),
            &Memory::new(rows()),
            std::sync::Arc::new(|_, _| {}),
            seen,
            &mut |changed| panic!("the data did not change: {changed}"),
        )
    };
    let other = {
        let mut plan = plan.clone();
        plan.statistics.pop();
        Identity::new(&plan, &crate::account::price(&plan).unwrap())
    };
    let less = Loss::pure(Rational::from(99_999i64)).unwrap();
    for seen in [(&other, &prices.loss), (&identity, &less)] {
        let refused = run(seen).unwrap_err();
        assert!(matches!(refused, ReleaseError::Repriced), "{refused}");
        assert!(refused.spent().is_none());
        assert!(!path.exists());
    }
    let seen = (&identity, &prices.loss);
    assert!(matches!(run(seen), Ok(Released::New(_))));
    // What costs nothing is returned, whatever was seen.
    let again = run((&other, &less));
    assert!(matches!(again, Ok(Released::Stored { .. })));
}

#[test]
fn data_that_cannot_be_read_cost_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ledger");
    let plan = Plan::parse(PLAN).unwrap();
    let broken = Memory {
        rows: rows(),
        fails: true,
    };
    let error = release_with(&plan, &path, &broken, &mut Quiet).unwrap_err();
    assert_eq!(error.to_string(), "the disk is gone");
    assert!(error.spent().is_none());
    assert!(!path.exists());
}

#[test]
fn an_error_after_the_reservation_says_what_was_spent() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ledger");
    let plan = Plan::parse(PLAN).unwrap();
    let error = release_with(&plan, &path, &Memory::new(rows()), &mut Empty).unwrap_err();
    let message = error.to_string();
    assert!(
        message.ends_with("\nε = 100000 was reserved in row 2 of the ledger, and stays spent"),
        "{message}"
    );
    assert_eq!(*error.spent().unwrap(), plan.budget);
    let ledger = Ledger::view(&path).unwrap();
    assert_eq!(ledger.account().spent, plan.budget);
    assert_eq!(ledger.unsettled().len(), 1);
}

const TOWNS: &str = r#"
[source]
files = "x.csv"
[privacy]
neighbours = "add-remove"
[budget]
epsilon = 2
delta = 1e-6
[columns.town]
discover = true
[columns.x]
lower = 0
upper = 1
[[statistics]]
name = "mean"
kind = "mean"
of = "x"
by = "town"
[[statistics]]
name = "towns"
kind = "count"
by = "town"
"#;

#[test]
fn only_groups_with_a_large_count_are_spoken_of() {
    let directory = tempfile::tempdir().unwrap();
    let plan = Plan::parse(TOWNS).unwrap();
    let town = |name: &str| -> Row {
        [("town", name.to_owned()), ("x", "0.5".to_owned())]
            .into_iter()
            .collect()
    };
    let mut rows: Vec<Row> = (0..200).map(|_| town("Rome")).collect();
    rows.extend((0..3).map(|_| town("hamlet")));
    let released = release_with(
        &plan,
        &directory.path().join("ledger"),
        &Memory::new(rows),
        &mut Quiet,
    )
    .unwrap();
    for name in ["towns", "mean"] {
        let groups: Vec<String> = cells(released.report(), name)
            .into_iter()
            .map(|cell| cell.0)
            .collect();
        assert_eq!(groups, ["Rome"], "{name}");
    }
    assert_eq!(values(released.report(), "towns"), [200.0]);
}

#[test]
fn a_wrong_public_number_of_rows_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let text = r#"
[source]
files = "x.csv"
[privacy]
neighbours = "change-one"
rows = 7
[budget]
rho = 1
[columns.x]
lower = 0
upper = 8
missing = 1
[[statistics]]
name = "mean"
kind = "mean"
of = "x"
"#;
    let path = directory.path().join("ledger");
    let wrong = Plan::parse(text).unwrap();
    let error = release_with(&wrong, &path, &Memory::new(rows()), &mut Quiet).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("the data have 6 rows, and the plan says rows = 7"),
        "{error}"
    );
    let right = Plan::parse(&text.replace("rows = 7", "rows = 6")).unwrap();
    let path = directory.path().join("other");
    let released = release_with(&right, &path, &Memory::new(rows()), &mut Quiet).unwrap();
    // 1, 2, 7, 5, 4 and 1 for the missing one.
    assert!((values(released.report(), "mean")[0] - 20.0 / 6.0).abs() < 0.05);
}
