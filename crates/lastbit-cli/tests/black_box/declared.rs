//! Columns that the plan declares: compared as what they are, and in the files by their names.

use crate::support::Here;

const ROWS: &str = "day,at,Age\n2016-05-19,2016-05-19T10:00:00,9\n\
    2016-05-20,2016-05-20T10:00:00,17\n2016-05-21,2016-05-21T10:00:00,100\n";

/// A plan that counts the rows for which a condition is true, as the filter of the source, as that
/// of a statistic, or as the condition of a share.
fn plans(condition: &str) -> [String; 3] {
    let plan = |filter: &str, statistic: &str| {
        format!(
            r#"
title = "Visits"
[source]
files = "visits.csv"
{filter}
[privacy]
neighbours = "add-remove"
[budget]
epsilon = 1
[columns.day]
date = true
lower = 2016-01-01
upper = 2016-12-31
[columns.at]
time = true
lower = 2016-01-01T00:00:00
upper = 2016-12-31T00:00:00
[columns.Age]
integer = true
lower = 0
upper = 120
[[statistics]]
name = "rows"
{statistic}
"#
        )
    };
    [
        plan(&format!("where = \"{condition}\""), "kind = \"count\""),
        plan("", &format!("kind = \"count\"\nwhere = \"{condition}\"")),
        plan("", &format!("kind = \"share\"\nof = \"{condition}\"")),
    ]
}

#[test]
fn a_declared_column_is_not_compared_as_something_else() {
    let here = Here::empty();
    here.write("visits.csv", ROWS);
    for (condition, remedy) in [
        (
            "day >= '2016-05-20'",
            "`day` is a date in this plan, and here it would be compared as a \
          text: write date '2016-05-20', or text(day)",
        ),
        (
            "day >= '20/05/2016'",
            "write date '2024-01-31', or text(day)",
        ),
        ("day = '2016-05-20'", "write date '2016-05-20'"),
        ("day in ('2016-05-20')", "write date '2016-05-20'"),
        (
            "day >= 20160520",
            "compared as a number: write date '2016-05-20', or number(day)",
        ),
        ("day between 1 and 2", "write date '"),
        ("at < '2016-05-20'", "`at` is a time in this plan"),
        (
            "Age < '18'",
            "`Age` is a number in this plan, and here it would be compared as a text: \
          write 18, or text(Age) if that is meant",
        ),
        ("Age between '0' and '17'", "write 0,"),
        (
            "case when Age > 'x' then true else false end",
            "write a number, such as Age < 18",
        ),
    ] {
        for plan in plans(condition) {
            here.write("plan.toml", plan);
            let done = here.run(&["release", "plan.toml"]).refused(remedy);
            assert!(done.err.contains("plan.toml:"), "{}", done.err);
            here.run(&["plan", "plan.toml"]).refused(remedy);
        }
    }
    assert_eq!(here.files(), ["plan.toml", "visits.csv"]);
    // What is meant passes, and so does what is the same in both types.
    for condition in [
        "day >= date '2016-05-20'",
        "at < timestamp '2016-05-20T00:00:00'",
        "text(day) >= '2016'",
        "number(day) > 0",
        "day like '2016-%'",
        "Age < 18",
        "Age in (99, '?', 'NA')",
        "Age = '18'",
        "month(day) = 5",
    ] {
        for plan in plans(condition) {
            here.write("plan.toml", plan);
            here.run(&["plan", "plan.toml"]).succeeded();
        }
    }
    // A column without a declaration is a text where it is compared with one, as documented.
    let [plan, ..] = plans("other < '18'");
    here.write("visits.csv", ROWS.replace("day,at,Age", "day,at,other"));
    let undeclared = plan.replace(
        "[columns.Age]\ninteger = true\nlower = 0\nupper = 120\n",
        "",
    );
    here.write("plan.toml", undeclared);
    here.run(&["plan", "plan.toml"]).succeeded();
}
