//! Which statistics are tied, and why others are not.

use lastbit_release::account::price;
use lastbit_release::plan::Plan;

/// A plan with these lines about privacy, and these statistics: a name, a kind, and further lines.
fn plan(privacy: &str, statistics: &[(&str, &str, &str)]) -> Result<Plan, String> {
    let mut text = format!(
        "consistent = true\n[source]\nfiles = \"x.csv\"\n[privacy]\n{privacy}\n\
         [budget]\nepsilon = 1\ndelta = 1e-6\n\
         [columns.ward]\ncategories = [\"a\", \"b\", \"c\"]\nother = \"c\"\n\
         [columns.sex]\ncategories = [\"f\", \"m\", \"?\"]\nother = \"?\"\n\
         [columns.diet]\ncategories = [\"d\", \"e\"]\n\
         [columns.age]\nedges = [0, 40, 80]\nmissing = 50\n\
         [columns.pay]\nlower = -10\nupper = 30\n\
         [columns.town]\ndiscover = true\n"
    );
    for (name, kind, more) in statistics {
        text += &format!("[[statistics]]\nname = \"{name}\"\nkind = \"{kind}\"\n{more}\n");
    }
    Plan::parse(&text).map_err(|error| error.to_string())
}

const ROWS: &str = "neighbours = \"add-remove\"";
const PEOPLE: &str =
    "neighbours = \"add-remove\"\nunit = \"person\"\nmost_rows = 2\nmost_groups = 3";

/// The names of the statistics of each family.
fn families(plan: &Plan) -> Vec<Vec<&str>> {
    let name = |index: usize| plan.statistics[index].name.as_str();
    let families = plan.families.iter();
    families
        .map(|family| family.members.iter().map(|m| name(m.statistic)).collect())
        .collect()
}

#[test]
fn counts_histograms_and_sums_of_the_same_rows_are_tied() {
    let found = plan(
        ROWS,
        &[
            ("all", "count", ""),
            ("by ward", "count", "by = \"ward\""),
            ("ages by ward", "histogram", "of = \"age\"\nby = \"ward\""),
            ("pay", "sum", "of = \"pay\""),
            ("pay by age", "sum", "of = \"pay\"\nby = \"age\""),
            ("by diet", "count", "by = \"diet\""),
            ("by diet and sex", "count", "by = [\"diet\", \"sex\"]"),
            ("mean pay", "mean", "of = \"pay\"\nexpected_rows = 100"),
        ],
    )
    .unwrap();
    assert_eq!(
        families(&found),
        [
            vec!["all", "by ward", "ages by ward"],
            vec!["pay", "pay by age"],
            vec!["by diet", "by diet and sex"],
        ]
    );
    assert_eq!(found.apart, Vec::<String>::new());
    let prices = price(&found).unwrap();
    let with = |index: usize| prices.statistics[index].tied.as_ref().map(|t| &t.with[..]);
    assert_eq!(
        with(0),
        Some(&["by ward".to_owned(), "ages by ward".to_owned()][..])
    );
    assert_eq!(with(7), None);
}

#[test]
fn statistics_of_other_rows_are_left_apart_with_the_reason() {
    let of = |second: (&str, &str, &str)| {
        let more = [
            ("all", "count", ""),
            ("by ward", "count", "by = \"ward\""),
            second,
        ];
        plan(ROWS, &more).unwrap().apart.join("\n")
    };
    let apart = of(("by diet", "count", "by = \"diet\""));
    assert!(
        apart.contains(
            "\"by diet\" is not made to add up with \"all\": rows without a listed `diet` are left \
             out of one of them; name one of its categories as `other`"
        ),
        "{apart}"
    );
    let apart = of(("old", "count", "where = \"number(age) > 60\""));
    assert!(apart.contains("different conditions in `where`"), "{apart}");
    let apart = of(("by town", "count", "by = \"town\""));
    assert!(
        apart.contains("below their threshold are not shown"),
        "{apart}"
    );
}

#[test]
fn a_plan_of_which_nothing_adds_up_is_refused() {
    let refused = plan(
        ROWS,
        &[
            ("all", "count", ""),
            ("diets", "histogram", "of = \"diet\""),
        ],
    );
    let refused = refused.unwrap_err();
    assert!(
        refused.contains("no statistics are made to add up"),
        "{refused}"
    );
    assert!(refused.contains("`diet`"), "{refused}");
    let lone = plan(ROWS, &[("all", "count", "")]).unwrap_err();
    assert!(
        lone.contains("no two of them count or add the same"),
        "{lone}"
    );
}

#[test]
fn margins_of_a_unit_with_several_rows_are_of_the_rows_of_the_finest() {
    let found = plan(
        PEOPLE,
        &[
            ("all", "count", ""),
            ("by ward and age", "count", "by = [\"ward\", \"age\"]"),
            ("by age", "count", "by = \"age\""),
            ("by sex", "count", "by = \"sex\""),
            ("ages", "histogram", "of = \"age\""),
        ],
    )
    .unwrap();
    assert_eq!(families(&found), [["all", "by ward and age", "by age"]]);
    assert_eq!(
        [0, 1, 2, 3].map(|index| found.finest(index)),
        [Some(1), None, Some(1), None]
    );
    let apart = found.apart.join("\n");
    assert!(
        apart.contains("\"by sex\" is not made to add up with \"by ward and age\""),
        "{apart}"
    );
    assert!(apart.contains("\"ages\" is not made to add up"), "{apart}");
    // A person has 2 rows in each of 3 groups, all of which may be in one margin.
    let prices = price(&found).unwrap();
    let norms = |index: usize| prices.statistics[index].norms.to_string();
    assert_eq!(norms(0), "L1 = 6, L2² = 36");
    assert_eq!(norms(1), "L1 = 6, L2² = 12");
    assert_eq!(norms(2), "L1 = 6, L2² = 36");
}

#[test]
fn units_add_up_only_where_each_counts_in_one_group() {
    let units = |groups: u64| {
        let privacy = format!(
            "neighbours = \"add-remove\"\nunit = \"person\"\nmost_rows = 2\nmost_groups = {groups}"
        );
        plan(
            &privacy,
            &[
                ("all", "units", ""),
                ("by ward", "units", "by = \"ward\""),
                ("rows", "count", ""),
                ("rows by ward", "count", "by = \"ward\""),
            ],
        )
        .unwrap()
    };
    assert_eq!(
        families(&units(1)),
        [["all", "by ward"], ["rows", "rows by ward"]]
    );
    let several = units(2);
    assert_eq!(families(&several), [["rows", "rows by ward"]]);
    assert!(
        several.apart[0].contains("a unit counts in several groups"),
        "{:?}",
        several.apart
    );
}

#[test]
fn an_error_target_that_rounding_breaks_is_refused() {
    let targeted = |target: &str| {
        let more = format!("by = [\"ward\", \"sex\"]\nerror = {target}");
        let found = plan(ROWS, &[("all", "count", ""), ("fine", "count", &more)]).unwrap();
        price(&found).map(|prices| prices.statistics[1].error.unwrap().get())
    };
    let refused = targeted("3").map_err(|error| error.to_string());
    assert!(refused.unwrap_err().contains("above its target of 3"));
}
