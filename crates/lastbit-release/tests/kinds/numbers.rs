//! With a loss so large that the noise does not show, every kind gives the number that is computed
//! here.

use super::{holds, named, number, released};

/// Noise of this loss is far below the last digit of any number here.
const LOUD: &str = "[source]\nfiles = \"x.csv\"\n\
    [privacy]\nneighbours = \"add-remove\"\n\
    [budget]\nepsilon = 1e12\n";

const CSV: &str = "x,w,ward,age\n1,2,a,70\n2,0,b,65\n4,1,a,64.9\n3,4,c,\n,1,a,80\n9,1,,20\n";

fn plan(columns: &str, statistics: &str) -> String {
    format!("{LOUD}{columns}{statistics}")
}

const X: &str = "[columns.x]\nlower = 0\nupper = 8\n";
const W: &str = "[columns.w]\nlower = 0\nupper = 5\n";

fn statistic(name: &str, rest: &str) -> String {
    format!("[[statistics]]\nname = \"{name}\"\n{rest}\n")
}

#[test]
fn shares_of_categories_are_of_the_rows_that_have_one() {
    let columns = "[columns.ward]\ncategories = [\"a\", \"b\", \"c\", \"d\"]\n";
    let report = released(
        &plan(
            columns,
            &statistic("wards", "kind = \"share\"\nof = \"ward\""),
        ),
        CSV,
    );
    let cells = &named(&report, "wards").cells;
    let labels: Vec<&str> = cells.iter().map(|cell| cell.label.as_str()).collect();
    assert_eq!(labels, ["a", "b", "c", "d"]);
    // Six rows, of which one has no ward.
    for (cell, exact) in cells.iter().zip([3.0 / 5.0, 0.2, 0.2, 0.0]) {
        assert!((number(&cell.value) - exact).abs() < 1e-6, "{cell:?}");
        assert!(holds(cell, exact), "{cell:?}");
    }
}

#[test]
fn the_share_of_a_condition_leaves_out_rows_for_which_it_is_unknown() {
    let report = released(
        &plan(
            "",
            &statistic("old", "kind = \"share\"\nof = \"age >= 65\""),
        ),
        CSV,
    );
    let cells = &named(&report, "old").cells;
    assert_eq!(cells.len(), 1);
    // 70, 65 and 80 of five known ages.
    assert!((number(&cells[0].value) - 0.6).abs() < 1e-6, "{cells:?}");
    assert!(holds(&cells[0], 0.6));
}

/// Else a reader takes the share of those with a known age for one of all rows.
#[test]
fn the_share_of_a_condition_says_which_rows_it_is_about() {
    let columns = "[columns.age]\nas = \"age + 1\"\nlower = 0\nupper = 100\n\
                   [columns.x]\nlower = 0\nupper = 8\nmissing_codes = [9]\n";
    let statistics = statistic(
        "old",
        "kind = \"share\"\nof = \"age >= 65 or number(x) > 4\"",
    );
    let report = released(&plan(columns, &statistics), CSV);
    let old = named(&report, "old");
    assert_eq!(
        old.about,
        [
            "every row, except rows for which `age >= 65 or number(x) > 4` is neither true nor \
             false",
            "`age` in `age >= 65 or number(x) > 4` is the cell of the file",
            "`x` of 9 is missing",
        ]
    );
    // Of 70, 65, 64.9 and 80; not of the empty age beside x = 3, nor of 20, whose x is a code.
    assert!(holds(&old.cells[0], 0.75), "{:?}", old.cells);
}

#[test]
fn what_is_said_of_a_derived_column_names_the_codes_in_it() {
    let columns = "[columns.x]\nlower = 0\nupper = 8\nmissing_codes = [9]\n\
                   [columns.double]\nas = \"x * 2\"\nlower = 0\nupper = 16\n";
    let statistics = statistic("mean", "kind = \"mean\"\nof = \"double\"");
    let report = released(&plan(columns, &statistics), CSV);
    let about = &named(&report, "mean").about;
    assert!(
        about.contains(&"`x` of 9 is missing".to_owned()),
        "{about:?}"
    );
}

#[test]
fn shares_are_from_0_to_1_whatever_the_noise() {
    let plan = "[source]\nfiles = \"x.csv\"\n\
        [privacy]\nneighbours = \"add-remove\"\n\
        [budget]\nepsilon = 0.05\n\
        [columns.ward]\ncategories = [\"a\", \"b\", \"c\", \"d\"]\n";
    for _ in 0..20 {
        let report = released(
            &format!(
                "{plan}{}",
                statistic("wards", "kind = \"share\"\nof = \"ward\"")
            ),
            CSV,
        );
        for cell in &named(&report, "wards").cells {
            if cell.value.is_some() {
                let (value, error) = (number(&cell.value), number(&cell.error));
                assert!((0.0..=1.0).contains(&value), "{cell:?}");
                assert!(error <= 1.0 + 1e-9, "{cell:?}");
            }
        }
    }
}

#[test]
fn a_weighted_mean_and_a_weighted_sum() {
    let report = released(
        &plan(
            &format!("{X}{W}"),
            &(statistic("mean", "kind = \"mean\"\nof = \"x\"\nweights = \"w\"")
                + &statistic("total", "kind = \"sum\"\nof = \"x\"\nweights = \"w\"")),
        ),
        CSV,
    );
    // 9 is clamped to 8; the row without an x is left out.
    let rows = [(1.0, 2.0), (2.0, 0.0), (4.0, 1.0), (3.0, 4.0), (8.0, 1.0)];
    let total: f64 = rows.iter().map(|(x, w)| x * w).sum();
    let weight: f64 = rows.iter().map(|(_, w)| w).sum();
    let mean = &named(&report, "mean").cells[0];
    assert!(
        (number(&mean.value) - total / weight).abs() < 1e-5,
        "{mean:?}"
    );
    assert!(holds(mean, total / weight), "{mean:?}");
    let sum = &named(&report, "total").cells[0];
    assert!(holds(sum, total), "{sum:?} {total}");
    // Rounding of 2^40 rows is in the error: 2^-11 of the farthest row.
    assert!(number(&sum.error) < 0.1, "{sum:?}");
}

#[test]
fn weights_that_may_be_negative_are_refused() {
    let text = plan(
        &format!("{X}[columns.w]\nlower = -1\nupper = 5\n"),
        &statistic("mean", "kind = \"mean\"\nof = \"x\"\nweights = \"w\""),
    );
    let error = lastbit_release::plan::Plan::parse(&text).unwrap_err();
    assert!(
        error.to_string().contains("weights are not negative"),
        "{error}"
    );
}

/// Rows of x from 0 to 8 and y = 1 + x/2 − w/4 and a little more.
fn lines() -> (String, Vec<[f64; 3]>) {
    let mut rows = Vec::new();
    let mut csv = String::from("x,w,y\n");
    for row in 0..300u32 {
        let x = f64::from(row % 17) / 2.0;
        let w = f64::from((row * 7) % 11) / 4.0;
        let y = 1.0 + x / 2.0 - w / 4.0 + f64::from((row * 5) % 3) / 8.0;
        csv += &format!("{x},{w},{y}\n");
        rows.push([x, w, y]);
    }
    (csv, rows)
}

const Y: &str = "[columns.y]\nlower = -2\nupper = 14\n";

#[test]
fn a_correlation_is_that_of_the_rows() {
    let (csv, rows) = lines();
    let report = released(
        &plan(
            &format!("{X}{W}{Y}"),
            &statistic("r", "kind = \"correlation\"\nof = [\"x\", \"y\"]"),
        ),
        &csv,
    );
    let n = rows.len() as f64;
    let mean = |f: &dyn Fn(&[f64; 3]) -> f64| rows.iter().map(f).sum::<f64>() / n;
    let (mx, my) = (mean(&|r| r[0]), mean(&|r| r[2]));
    let spread = |f: &dyn Fn(&[f64; 3]) -> f64| mean(f);
    let exact = spread(&|r| (r[0] - mx) * (r[2] - my))
        / (spread(&|r| (r[0] - mx).powi(2)) * spread(&|r| (r[2] - my).powi(2))).sqrt();
    let cell = &named(&report, "r").cells[0];
    assert!(
        (number(&cell.value) - exact).abs() < 1e-5,
        "{cell:?} {exact}"
    );
    assert!(holds(cell, exact), "{cell:?} {exact}");
}

#[test]
fn a_regression_solves_the_normal_equations() {
    let (csv, rows) = lines();
    let report = released(
        &plan(
            &format!("{X}{W}{Y}"),
            &statistic(
                "line",
                "kind = \"regression\"\nof = \"y\"\non = [\"x\", \"w\"]",
            ),
        ),
        &csv,
    );
    let cells = &named(&report, "line").cells;
    let labels: Vec<&str> = cells.iter().map(|cell| cell.label.as_str()).collect();
    assert_eq!(labels, ["intercept", "x", "w"]);
    let beta: Vec<f64> = cells.iter().map(|cell| number(&cell.value)).collect();
    // The residuals are orthogonal to 1, x and w.
    let residual = |row: &[f64; 3]| row[2] - beta[0] - beta[1] * row[0] - beta[2] * row[1];
    for column in [None, Some(0), Some(1)] {
        let sum: f64 = rows
            .iter()
            .map(|row| residual(row) * column.map_or(1.0, |column: usize| row[column]))
            .sum();
        assert!(sum.abs() < 1e-2, "{column:?} {sum} {cells:?}");
    }
    for cell in cells {
        assert!(number(&cell.error) < 1e-4, "{cell:?}");
    }
}

#[test]
fn a_regression_on_a_column_without_spread_gives_no_number() {
    let mut csv = String::from("x,y\n");
    for row in 0..50 {
        csv += &format!("3,{}\n", f64::from(row) / 10.0);
    }
    let text = plan(
        &format!("{X}{Y}"),
        &statistic("line", "kind = \"regression\"\nof = \"y\"\non = \"x\""),
    )
    .replace("epsilon = 1e12", "epsilon = 1");
    let report = released(&text, &csv);
    for cell in &named(&report, "line").cells {
        assert_eq!((&cell.value, &cell.error), (&None, &None));
    }
}

#[test]
fn the_most_frequent_categories_come_first() {
    let columns = "[columns.ward]\ncategories = [\"d\", \"c\", \"b\", \"a\"]\n";
    let report = released(
        &plan(
            columns,
            &statistic("top", "kind = \"top\"\nof = \"ward\"\nmost = 2"),
        ),
        CSV,
    );
    let cells = &named(&report, "top").cells;
    let shown: Vec<(&str, f64)> = cells
        .iter()
        .map(|cell| (cell.label.as_str(), number(&cell.value)))
        .collect();
    // b and c have one row each; c comes first in the plan.
    assert_eq!(shown, [("a", 3.0), ("c", 1.0)]);
}

#[test]
fn the_most_frequent_discovered_values_come_first() {
    let mut csv = String::from("town\n");
    for (town, rows) in [("oslo", 40), ("rome", 90), ("kyiv", 60), ("bonn", 1)] {
        csv += &format!("{town}\n").repeat(rows);
    }
    let text = plan(
        "[columns.town]\ndiscover = true\n",
        &statistic("top", "kind = \"top\"\nof = \"town\"\nmost = 2"),
    )
    .replace("epsilon = 1e12", "epsilon = 50\ndelta = 1e-6");
    let report = released(&text, &csv);
    let top = named(&report, "top");
    let shown: Vec<&str> = top
        .cells
        .iter()
        .map(|cell| cell.group[0].as_str())
        .collect();
    assert_eq!(shown, ["rome", "kyiv"]);
    assert!((number(&top.cells[0].value) - 90.0).abs() <= 3.0);
}

#[test]
fn private_bounds_are_the_powers_of_two_around_the_rows() {
    let mut csv = String::from("x\n");
    for row in 0..200 {
        csv += &format!("{}\n", 3.0 + f64::from(row % 60));
    }
    csv += "-5000\n";
    let text = plan(
        "[columns.x]\nlower = -1_000_000\nupper = 1_000_000\n",
        &statistic("bounds", "kind = \"bounds\"\nof = \"x\""),
    )
    .replace("epsilon = 1e12", "epsilon = 2");
    let report = released(&text, &csv);
    let cells = &named(&report, "bounds").cells;
    let labels: Vec<&str> = cells.iter().map(|cell| cell.label.as_str()).collect();
    assert_eq!(labels, ["lower", "upper", "rows outside"]);
    // From 3 to 62, but for one row. The four rows of 3 may be too few to be seen, and so may the
    // twelve from 4 to 7: noise of scale 1/2 exceeds 12 with probability below 1e-10.
    assert!(["2", "4", "8"].contains(&cells[0].value.as_deref().unwrap()));
    assert_eq!(cells[1].value.as_deref(), Some("64"));
}

#[test]
fn cells_that_are_left_out_are_counted_by_why() {
    let csv = "x,ward\n1,a\n-4,b\n9,\n8,q\n,a\nten,a\n0,a\n100,z\n";
    let report = released(
        &plan(
            &format!("{X}[columns.ward]\ncategories = [\"a\", \"b\"]\nother = \"b\"\n"),
            &(statistic("x", "kind = \"left-out\"\nof = \"x\"")
                + &statistic("ward", "kind = \"left-out\"\nof = \"ward\"")),
        ),
        csv,
    );
    let shares = |name: &str| -> Vec<(String, f64)> {
        let cells = named(&report, name).cells.iter();
        cells
            .map(|cell| (cell.label.clone(), (8.0 * number(&cell.value)).round()))
            .collect()
    };
    let expected = |all: &[(&str, f64)]| -> Vec<(String, f64)> {
        all.iter().map(|(l, n)| ((*l).to_owned(), *n)).collect()
    };
    assert_eq!(
        shares("x"),
        expected(&[
            ("below the bounds", 1.0),
            ("above the bounds", 2.0),
            ("no number", 2.0)
        ])
    );
    assert_eq!(
        shares("ward"),
        expected(&[("missing", 1.0), ("not listed", 2.0)])
    );
}

#[test]
fn units_count_once_in_all_and_in_a_group() {
    let mut csv = String::from("person,ward\n");
    for (person, wards) in [("ada", "aab"), ("bob", "a"), ("cid", "abc"), ("", "a")] {
        for ward in wards.chars() {
            csv += &format!("{person},{ward}\n");
        }
    }
    let text = plan(
        "[columns.ward]\ncategories = [\"a\", \"b\", \"c\"]\n",
        &(statistic("people", "kind = \"units\"")
            + &statistic("by ward", "kind = \"units\"\nby = \"ward\"")
            + &statistic("rows", "kind = \"count\"\nby = \"ward\"")),
    )
    .replace(
        "\"add-remove\"",
        "\"add-remove\"\nunit = \"person\"\nmost_rows = 5\nmost_groups = 3",
    );
    let report = released(&text, &csv);
    let values = |name: &str| -> Vec<f64> {
        let cells = named(&report, name).cells.iter();
        cells.map(|cell| number(&cell.value)).collect()
    };
    assert_eq!(values("people"), [3.0]);
    assert_eq!(values("by ward"), [3.0, 2.0, 1.0]);
    assert_eq!(values("rows"), [4.0, 2.0, 1.0]);
    let people = named(&report, "people");
    assert_eq!(
        (people.kind.as_str(), people.unit.as_str()),
        ("units", "units")
    );
    // The noise of units is that of one row a group, not of five.
    let of = |name: &str| {
        let plan = lastbit_release::plan::Plan::parse(&text).unwrap();
        let prices = lastbit_release::account::price(&plan).unwrap();
        let place = plan.statistics.iter().position(|s| s.name == name).unwrap();
        prices.statistics[place].norms.l1.to_string()
    };
    assert_eq!(
        (of("people"), of("by ward"), of("rows")),
        ("1".into(), "3".into(), "15".into())
    );
}

#[test]
fn what_limits_leave_out_is_told_of_units_that_count_once() {
    let mut csv = String::from("person,ward\n");
    // With two rows a group and two groups: ada keeps all, bob 2 of 4, cid 2 of 3 groups, dan 1 of
    // 1; rows of nobody count nowhere.
    for (person, wards) in [
        ("ada", "aabb"),
        ("bob", "aaaa"),
        ("cid", "abc"),
        ("dan", "c"),
        ("", "aaa"),
    ] {
        for ward in wards.chars() {
            csv += &format!("{person},{ward}\n");
        }
    }
    let text = |more: &str| {
        plan(
            "[columns.ward]\ncategories = [\"a\", \"b\", \"c\"]\n",
            &statistic("left", &format!("kind = \"left-out\"\n{more}")),
        )
        .replace(
            "\"add-remove\"",
            "\"add-remove\"\nunit = \"person\"\nmost_rows = 2\nmost_groups = 2",
        )
    };
    for (more, units, rows) in [
        ("limits_by = \"ward\"", 2.0 / 4.0, (0.5 + 1.0 / 3.0) / 4.0),
        ("", 3.0 / 4.0, (0.5 + 0.5 + 1.0 / 3.0) / 4.0),
    ] {
        let report = released(&text(more), &csv);
        let cells = &named(&report, "left").cells;
        assert_eq!(cells.len(), 2);
        for (cell, exact) in cells.iter().zip([units, rows]) {
            assert!(
                (number(&cell.value) - exact).abs() < 1e-6,
                "{more} {cell:?} {exact}"
            );
            assert!(holds(cell, exact), "{more} {cell:?} {exact}");
        }
    }
    let error = |text: &str| {
        lastbit_release::plan::Plan::parse(text)
            .unwrap_err()
            .to_string()
    };
    assert!(error(&text("by = \"ward\"")).contains("limits_by"));
    let of_rows = plan("", &statistic("left", "kind = \"left-out\""));
    assert!(error(&of_rows).contains("every row is a unit"));
}
