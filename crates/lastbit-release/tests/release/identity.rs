//! Which release it is: the canonical text and its hash, byte by byte. A change here makes every
//! stored release a new one, which is charged again.

use lastbit_release::account::price;
use lastbit_release::plan::Plan;
use lastbit_release::release::Identity;

fn identity(plan: &str) -> Identity {
    let plan = Plan::parse(plan).unwrap();
    Identity::new(&plan, &price(&plan).unwrap())
}

const LAPLACE: &str = r#"
title = "Visits"
confidence = 0.9
accountant = "pure"
expected_rows = 100
[source]
files = ["2025.csv.gz", "2026.csv.gz"]
delimiter = ";"
[privacy]
neighbours = "add-remove"
unit = "patient id"
most_rows = 3
most_groups = 2
[budget]
epsilon = 4
delta = 1e-6
[columns.ward]
categories = ["north", "sud\n=", "wést"]
other = "wést"
[columns.town]
discover = true
[columns.age]
edges = [0, 18, "200/3", 100]
unit = "years"
grid = -4
typical = 40
[columns.cost]
lower = -0.5
upper = 5_000
missing = 0.30
grid = -2
[columns.unused]
lower = 0
upper = 1
[[statistics]]
name = "towns"
kind = "count"
by = "town"
loss = 0.5
[[statistics]]
name = "ages"
kind = "histogram"
of = "age"
by = "ward"
loss = 0.75
[[statistics]]
name = "mean cost"
kind = "mean"
of = "cost"
loss = 0.25
[[statistics]]
name = "quartiles"
kind = "quantiles"
of = "cost"
at = [0.25, "1/3", 0.75]
loss = 0.75
"#;

const GAUSSIAN: &str = r#"
[source]
files = "rows.parquet"
[privacy]
neighbours = "change-one"
rows = 1000
[budget]
rho = 1
[columns.x]
lower = 0
upper = 10
missing = 5
grid = 0
[columns.y]
lower = -1
upper = 1
grid = -3
[[statistics]]
name = "sum of x"
kind = "sum"
of = "x"
loss = 0.125
[[statistics]]
name = "both"
kind = "covariance"
of = ["x", "y"]
loss = 0.125
"#;

#[test]
fn the_text_and_its_hash_stay_what_they_are() {
    let [laplace, gaussian] = [LAPLACE, GAUSSIAN].map(identity);
    assert_eq!(laplace.text(), include_str!("../data/identity-laplace.txt"));
    assert_eq!(
        gaussian.text(),
        include_str!("../data/identity-gaussian.txt")
    );
    assert_eq!(
        [laplace.hex(), gaussian.hex()],
        [
            "3b921cea4a2c60ce7b1b03337eae9735e36a3aef81ed56b3e59368c07c8cf02b",
            "aca3ac503a450e7a0f5cb8d219ec63bbca68d02e68ee82666141dcad7c6719a4",
        ]
    );
}

#[test]
fn what_is_not_computed_does_not_matter() {
    let first = identity(LAPLACE);
    for (from, to) in [
        ("title = \"Visits\"", "title = \"Clinic\" # a comment"),
        ("epsilon = 4", "epsilon = \"40e-1\""),
        ("epsilon = 4", "epsilon = 5"),
        (
            "delta = 1e-6",
            "delta = 1e-6\n[spend]\nepsilon = 3\ndelta = 1e-6",
        ),
        ("2025.csv.gz", "elsewhere/2025.csv.gz"),
        ("typical = 40", "typical = 50"),
        ("expected_rows = 100", "expected_rows = 200"),
        ("[columns.unused]", "[columns.renamed]"),
        ("title = \"Visits\"", "publish_fingerprint = true"),
        (
            "most_rows = 3\nmost_groups = 2",
            "most_groups = 2\nmost_rows = 3",
        ),
    ] {
        assert!(LAPLACE.contains(from));
        assert_eq!(identity(&LAPLACE.replace(from, to)), first, "{to}");
    }
    // The same losses as shares of what is left.
    let shared = GAUSSIAN
        .replace("loss = 0.125", "weight = 7")
        .replace("rho = 1", "rho = 1\n[spend]\nrho = 0.25");
    assert_eq!(identity(&shared), identity(GAUSSIAN));
}

#[test]
fn what_is_computed_and_with_which_noise_matters() {
    let mut seen = vec![identity(LAPLACE)];
    for (from, to) in [
        ("confidence = 0.9", "confidence = 0.95"),
        ("delimiter = \";\"", "delimiter = \",\""),
        ("delimiter", "gzip = false\ndelimiter"),
        ("delimiter", "quote = \"'\"\ndelimiter"),
        ("add-remove", "change-one"),
        ("patient id", "patient"),
        ("most_rows = 3", "most_rows = 4"),
        ("most_groups = 2", "most_groups = 1"),
        ("\"north\"", "\"nord\""),
        ("other = \"wést\"", "other = \"north\""),
        ("other = \"wést\"", ""),
        ("[0, 18,", "[0, 19,"),
        ("unit = \"years\"", "unit = \"months\""),
        ("lower = -0.5", "lower = -0.25"),
        ("upper = 5_000", "upper = 5_001"),
        ("missing = 0.30", "missing = 0.25"),
        ("missing = 0.30", "missing = \"drop\""),
        ("grid = -2", "grid = -3"),
        ("name = \"towns\"", "name = \"places\""),
        ("kind = \"mean\"", "kind = \"variance\""),
        ("at = [0.25,", "at = [0.2,"),
        ("by = \"ward\"", ""),
        ("loss = 0.5\n", "loss = 0.4\n"),
        ("loss = 0.25", "loss = 0.2"),
        (
            "at = [0.25, \"1/3\", 0.75]\nloss = 0.75",
            "at = [0.25, \"1/3\", 0.75]\nloss = 0.7",
        ),
        ("delta = 1e-6", "delta = 1e-7"),
    ] {
        assert!(LAPLACE.contains(from), "{from}");
        let other = identity(&LAPLACE.replacen(from, to, 1));
        assert!(!seen.contains(&other), "{to}");
        seen.push(other);
    }
    for (from, to) in [
        ("loss = 0.125", "loss = 0.1"),
        ("rows = 1000", "rows = 1001"),
        ("[\"x\", \"y\"]", "[\"y\", \"x\"]"),
    ] {
        assert_ne!(
            identity(&GAUSSIAN.replacen(from, to, 1)),
            identity(GAUSSIAN),
            "{to}"
        );
    }
}

/// A value cannot pass for lines of its own.
#[test]
fn values_cannot_be_lines() {
    let with = |name: &str| GAUSSIAN.replace("\"both\"", name);
    let one = identity(&with(r#""both\nkind=5:count""#));
    assert!(one.text().contains("statistic=17:both\nkind=5:count\n"));
    assert_ne!(one, identity(&with("\"both\"")));
}
