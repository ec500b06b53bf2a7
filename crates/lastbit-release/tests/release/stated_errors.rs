//! What is stated beside a published number holds for the rows of the file as they are: through
//! written files and whole releases.
#![cfg(feature = "engine")]

use std::fmt::Write as _;
use std::fs;
use std::sync::Arc;

use lastbit_release::account::price;
use lastbit_release::engine::TableEngine;
use lastbit_release::plan::Plan;
use lastbit_release::present::{Cell, Report};
use lastbit_release::release::release;

/// Releases a plan of `x.csv` with these rows.
fn released(plan: &str, csv: &str) -> Report {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("x.csv"), csv).unwrap();
    let plan = Plan::parse_in(plan, directory.path()).unwrap();
    let engine = TableEngine::default();
    let ledger = directory.path().join("ledger");
    let released = release(&plan, &ledger, &engine, Arc::new(|_, _| {})).unwrap();
    released.report().clone()
}

/// A spread of numbers from 0 to 1, the same in every run.
fn fraction(index: u64) -> f64 {
    (index.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11) as f64 / (1u64 << 53) as f64
}

fn number(text: Option<&String>) -> f64 {
    text.unwrap().parse().unwrap()
}

/// One unit of the last digit, or one step of the grid, such as `2^-3`, if that is more.
fn resolution(text: &str, grid: &str) -> f64 {
    let decimals = text
        .split_once('.')
        .map_or(0, |(_, decimals)| decimals.len());
    let exponent: i32 = grid.strip_prefix("2^").unwrap().parse().unwrap();
    0.1f64.powi(decimals as i32).max(2f64.powi(exponent))
}

/// Whether some number within `off` has a rank that is off by no more than the error, and whether
/// the interval holds the quantile by several definitions. `rows` increase.
fn holds(cell: &Cell, off: f64, rows: &[f64]) -> (bool, bool) {
    let share: f64 = cell.label.parse().unwrap();
    let n = rows.len() as f64;
    let text = cell.value.as_ref().unwrap();
    let (value, off) = (number(Some(text)), off * (1.0 + 1e-9));
    let rank = number(cell.error.as_ref());
    let below = rows.partition_point(|row| *row < value - off) as f64;
    let at_most = rows.partition_point(|row| *row <= value + off) as f64;
    let in_rank = at_most >= share * n - rank && below <= share * n + rank;
    let (lower, upper) = (number(cell.lower.as_ref()), number(cell.upper.as_ref()));
    let row = |place: f64| rows[(place as usize).clamp(1, rows.len()) - 1];
    let inside = [0.0, 0.5, 1.0 - share, share, 1.0].iter().all(|more| {
        let place = share * n + more;
        let (floor, ceil) = (row(place.floor()), row(place.ceil()));
        let quantile = floor + (place - place.floor()) * (ceil - floor);
        lower <= quantile + 1e-9 && quantile <= upper + 1e-9
    });
    (in_rank, inside && lower <= value && value <= upper)
}

/// Refuses more failures than 5 % explain, but for a chance of 1e-9 under the binomial law.
fn covered(claims: &[(bool, bool)], most: usize) {
    let failed = |of: fn(&(bool, bool)) -> bool| claims.iter().filter(|claim| !of(claim)).count();
    assert!(failed(|claim| claim.0) <= most, "ranks: {claims:?}");
    assert!(failed(|claim| claim.1) <= most, "intervals: {claims:?}");
}

#[test]
fn quantiles_hold_where_the_bounds_are_far_wider_than_the_rows() {
    let groups: Vec<String> = (0..60).map(|group| format!("g{group}")).collect();
    let mut csv = String::from("g,x\n");
    let mut rows = vec![Vec::new(); groups.len()];
    for index in 0..60 * 1500 {
        // Values from 0.05 to 0.45.
        let x = (0.05 + 0.4 * fraction(index)) * 1e4;
        let x = x.round() / 1e4;
        let group = index as usize % groups.len();
        rows[group].push(x);
        writeln!(csv, "{},{x}", groups[group]).unwrap();
    }
    rows.iter_mut()
        .for_each(|rows| rows.sort_by(f64::total_cmp));
    let plan = format!(
        "[source]\nfiles = \"x.csv\"\n\
         [privacy]\nneighbours = \"add-remove\"\n\
         [budget]\nepsilon = 5\n\
         [columns.x]\nlower = 0\nupper = 1e6\n\
         [columns.g]\ncategories = {groups:?}\n\
         [[statistics]]\nname = \"q\"\nkind = \"quantiles\"\nof = \"x\"\nby = \"g\"\n\
         at = [0.1, 0.5, 0.9]\n"
    );
    let report = released(&plan, &csv);
    let claims: Vec<(bool, bool)> = report.statistics[0]
        .cells
        .iter()
        .map(|cell| {
            let group = groups.iter().position(|name| *name == cell.group[0]);
            let off = resolution(cell.value.as_ref().unwrap(), &report.statistics[0].grid);
            // Far below the spread of the rows.
            assert!(off <= 0.01, "{cell:?}");
            holds(cell, off, &rows[group.unwrap()])
        })
        .collect();
    assert_eq!(claims.len(), 180);
    covered(&claims, 31);
}

#[test]
fn quantiles_hold_for_many_rows_with_wide_bounds() {
    let mut rows = Vec::new();
    let mut csv = String::from("income\n");
    for index in 0..200_000 {
        // Incomes around 30,000 with cents, a few of millions.
        let income = 30_000.0 * (-fraction(index).max(1e-9).ln()).powf(1.3);
        let income = (income * 100.0).round() / 100.0;
        rows.push(income);
        writeln!(csv, "{income}").unwrap();
    }
    rows.sort_by(f64::total_cmp);
    let at: Vec<String> = (1..20).map(|part| format!("\"{part}/20\"")).collect();
    let plan = format!(
        "[source]\nfiles = \"x.csv\"\n\
         [privacy]\nneighbours = \"add-remove\"\n\
         [budget]\nepsilon = 19\n\
         [columns.income]\nlower = 0\nupper = 1e9\n\
         [[statistics]]\nname = \"q\"\nkind = \"quantiles\"\nof = \"income\"\nat = [{}]\n",
        at.join(", ")
    );
    let mut claims = Vec::new();
    for _ in 0..3 {
        let report = released(&plan, &csv);
        let statistic = &report.statistics[0];
        claims.extend(statistic.cells.iter().map(|cell| {
            let off = resolution(cell.value.as_ref().unwrap(), &statistic.grid);
            assert!(off <= 1.0, "{cell:?}");
            holds(cell, off, &rows)
        }));
    }
    assert_eq!(claims.len(), 57);
    covered(&claims, 17);
}

/// A budget so large that noise does not matter.
const COARSE: &str = r#"
[source]
files = "x.csv"
[privacy]
neighbours = "add-remove"
[budget]
epsilon = 1_000_000_000
[columns.x]
edges = [0, 10, 20]
grid = 3
[columns.y]
lower = 0
upper = 10
grid = 4
[columns.z]
edges = [0, 0.7, 3]
[[statistics]]
name = "histogram"
kind = "histogram"
of = "x"
[[statistics]]
name = "by bin"
kind = "count"
by = "x"
[[statistics]]
name = "decimal edge"
kind = "histogram"
of = "z"
[[statistics]]
name = "mean"
kind = "mean"
of = "y"
[[statistics]]
name = "variance"
kind = "variance"
of = "y"
[[statistics]]
name = "covariance"
kind = "covariance"
of = ["x", "y"]
[[statistics]]
name = "sum"
kind = "sum"
of = "y"
[[statistics]]
name = "median"
kind = "quantiles"
of = "y"
"#;

/// Values and errors by the name of the statistic.
fn values<'a>(report: &'a Report, name: &str) -> Vec<&'a Cell> {
    let found = report.statistics.iter().find(|s| s.name == name).unwrap();
    found.cells.iter().collect()
}

#[test]
fn a_coarse_grid_breaks_neither_bins_nor_bounds_nor_errors() {
    for y in [7.0, 9.5, 10.0, 2.0] {
        let mut csv = String::from("x,y,z\n");
        for index in 0..1000 {
            let y = if index % 10 == 0 { 0.0 } else { y };
            writeln!(csv, "9,{y},0.7").unwrap();
        }
        let report = released(COARSE, &csv);
        for name in ["histogram", "by bin"] {
            let counts: Vec<f64> = values(&report, name)
                .iter()
                .map(|cell| number(cell.value.as_ref()))
                .collect();
            assert_eq!(counts, [1000.0, 0.0], "{name}");
        }
        let edge: Vec<f64> = values(&report, "decimal edge")
            .iter()
            .map(|cell| number(cell.value.as_ref()))
            .collect();
        assert_eq!(edge, [0.0, 1000.0]);
        let variance = 0.09 * y * y * 1000.0 / 999.0;
        for (name, exact, low, high) in [
            ("mean", 0.9 * y, 0.0, 10.0),
            ("variance", variance, 0.0, 50.0),
            ("covariance", 0.0, -100.0, 100.0),
            ("sum", 900.0 * y, 0.0, f64::INFINITY),
        ] {
            let [cell] = values(&report, name)[..] else {
                panic!("one")
            };
            let (value, error) = (number(cell.value.as_ref()), number(cell.error.as_ref()));
            assert!((low..=high).contains(&value), "{name} of {y}: {value}");
            assert!(
                (value - exact).abs() <= error,
                "{name} of {y}: {value} ± {error}, not {exact}"
            );
        }
        // Rounding of rows does not add up.
        let sum = values(&report, "sum")[0];
        assert!(number(sum.error.as_ref()) < 1.0, "{:?}", sum.error);
        let median = values(&report, "median")[0];
        let (lower, upper) = (number(median.lower.as_ref()), number(median.upper.as_ref()));
        assert!(
            (0.0..=y).contains(&lower) && (y..=10.0).contains(&upper),
            "{median:?}"
        );
        assert!((0.0..=10.0).contains(&number(median.value.as_ref())));
    }
}

#[test]
fn a_public_number_of_rows_is_no_guess_where_rows_are_left_out() {
    let plan = |missing: &str, guess: &str| {
        let text = format!(
            "{guess}\n\
             [source]\nfiles = \"x.csv\"\n\
             [privacy]\nneighbours = \"change-one\"\nrows = 1000\n\
             [budget]\nepsilon = 1\n\
             [columns.x]\nlower = 0\nupper = 8\nmissing = {missing}\n\
             [[statistics]]\nname = \"mean\"\nkind = \"mean\"\nof = \"x\"\n"
        );
        price(&Plan::parse(&text).unwrap())
            .unwrap()
            .statistics
            .remove(0)
    };
    // Nobody knows how many of the 1,000 rows have a number.
    assert!(plan("\"drop\"", "").error.is_none());
    assert_eq!(plan("\"drop\"", "expected_rows = 50").rows, Some(50));
    assert_eq!(plan("0", "expected_rows = 50").rows, Some(1000));
}

/// A quantile without an interval says its rank error, which holds, and is written with a few
/// digits.
#[test]
fn a_quantile_without_an_interval_is_right_in_rank() {
    let mut rows: Vec<f64> = (0..4000)
        .map(|index| fraction(index) * 900.0 + 50.0)
        .collect();
    let csv = rows.iter().fold("x\n".to_owned(), |mut csv, row| {
        let _ = writeln!(csv, "{row}");
        csv
    });
    rows.sort_by(f64::total_cmp);
    // A release is wrong with a probability of at most 1e-10.
    let plan = "title = \"t\"\nconfidence = 0.9999999999\n[source]\nfiles = \"x.csv\"\n[privacy]\n\
                neighbours = \"add-remove\"\n[budget]\nepsilon = 3\n[columns.x]\n\
                lower = 0\nupper = 1000\n[[statistics]]\nname = \"q\"\nkind = \"quantiles\"\n\
                of = \"x\"\nat = [0.1, 0.5, 0.9]\ninterval = false\n";
    let report = released(plan, &csv);
    let statistic = &report.statistics[0];
    for cell in &statistic.cells {
        assert_eq!((&cell.lower, &cell.upper), (&None, &None));
        let text = cell.value.as_ref().unwrap();
        assert!(text.len() <= 7, "{text}");
        let (share, value): (f64, f64) = (cell.label.parse().unwrap(), text.parse().unwrap());
        let off = resolution(text, "2^-20");
        let rank = number(cell.error.as_ref());
        let below = rows.partition_point(|row| *row < value - off) as f64;
        let at_most = rows.partition_point(|row| *row <= value + off) as f64;
        assert!(at_most >= share * 4000.0 - rank && below <= share * 4000.0 + rank);
    }
    let notes = report.notes.join(" ");
    assert!(notes.contains("A quantile without an interval"), "{notes}");
    assert!(!notes.contains("Its interval"), "{notes}");
}
