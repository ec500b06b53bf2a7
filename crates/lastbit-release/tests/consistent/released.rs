//! What is published adds up, and is within its errors.

use std::fs;
use std::sync::Arc;

use lastbit::GridExponent;
use lastbit::tables::Tails;
use lastbit_exact::{Rational, Up};
use lastbit_release::account::price;
use lastbit_release::engine::TableEngine;
use lastbit_release::plan::Plan;
use lastbit_release::present::{PublishedStatistic, Report, from_json, text, to_json};
use lastbit_release::release::release;
use lastbit_release::statistic::Mechanism;

fn plan(privacy: &str, budget: &str) -> String {
    format!(
        "title = \"t\"\nconsistent = true\n\
         [source]\nfiles = \"x.csv\"\n\
         [privacy]\n{privacy}\n\
         [budget]\n{budget}\n\
         [columns.ward]\ncategories = [\"a\", \"b\", \"c\"]\nother = \"c\"\n\
         [columns.sex]\ncategories = [\"f\", \"m\"]\nother = \"m\"\n\
         [columns.pay]\nlower = 0\nupper = 100\nmissing = 0\n\
         [[statistics]]\nname = \"both\"\nkind = \"count\"\nby = [\"ward\", \"sex\"]\n\
         [[statistics]]\nname = \"wards\"\nkind = \"count\"\nby = \"ward\"\nweight = 2\n\
         [[statistics]]\nname = \"sexes\"\nkind = \"count\"\nby = \"sex\"\n\
         [[statistics]]\nname = \"mean\"\nkind = \"mean\"\nof = \"pay\"\nby = \"sex\"\n\
         [[statistics]]\nname = \"all\"\nkind = \"count\"\n\
         [[statistics]]\nname = \"pay of wards\"\nkind = \"sum\"\nof = \"pay\"\nby = \"ward\"\n\
         [[statistics]]\nname = \"pay\"\nkind = \"sum\"\nof = \"pay\"\n"
    )
}

const ROWS: &str = "neighbours = \"add-remove\"";
const PEOPLE: &str =
    "neighbours = \"add-remove\"\nunit = \"person\"\nmost_rows = 3\nmost_groups = 2";

fn released(text: &str, csv: &str) -> Report {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("x.csv"), csv).unwrap();
    let plan = Plan::parse_in(text, directory.path()).unwrap();
    let ledger = directory.path().join("ledger");
    let released = release(&plan, &ledger, &TableEngine::default(), Arc::new(|_, _| {}));
    released.unwrap().report().clone()
}

fn named<'a>(report: &'a Report, name: &str) -> &'a PublishedStatistic {
    report.statistics.iter().find(|s| s.name == name).unwrap()
}

/// The sum of the printed numbers of cells whose group begins so.
fn sum(statistic: &PublishedStatistic, begins: &[&str]) -> Rational {
    let cells = statistic.cells.iter().filter(|c| {
        begins
            .iter()
            .all(|label| c.group.iter().any(|g| g == label))
    });
    cells.fold(Rational::ZERO, |sum, cell| {
        &sum + &cell.value.as_ref().unwrap().parse().unwrap()
    })
}

fn csv() -> String {
    let mut csv = "person,ward,sex,pay\n".to_owned();
    for row in 0..60 {
        let ward = ["a", "b", "z", ""][row % 4];
        let sex = ["f", "m", "x"][row % 3];
        csv += &format!("p{},{ward},{sex},{}\n", row / 2, row * 2 % 101);
    }
    csv
}

#[test]
fn printed_numbers_add_up_to_the_last_digit() {
    let budgets = ["epsilon = 0.3", "epsilon = 0.4\ndelta = 1e-6", "rho = 0.01"];
    for privacy in [ROWS, PEOPLE] {
        for budget in budgets {
            let report = released(&plan(privacy, budget), &csv());
            let [both, wards, sexes, all] =
                ["both", "wards", "sexes", "all"].map(|name| named(&report, name));
            for ward in ["a", "b", "c"] {
                assert_eq!(sum(both, &[ward]), sum(wards, &[ward]));
            }
            for sex in ["f", "m"] {
                assert_eq!(sum(both, &[sex]), sum(sexes, &[sex]));
            }
            for table in [both, wards, sexes] {
                assert_eq!(sum(table, &[]), sum(all, &[]), "{}", table.name);
            }
            let [of_wards, pay] = ["pay of wards", "pay"].map(|name| named(&report, name));
            assert_eq!(sum(of_wards, &[]), sum(pay, &[]));
            assert_eq!(all.adds_up_with, ["both", "wards", "sexes"]);
            assert_eq!(named(&report, "mean").adds_up_with, Vec::<String>::new());
            assert!(
                text(&report).contains("made to add up with"),
                "{}",
                text(&report)
            );
            assert_eq!(from_json(&to_json(&report)).unwrap(), report);
        }
    }
}

#[test]
fn with_hardly_any_noise_the_numbers_are_exact() {
    let report = released(&plan(ROWS, "epsilon = 1e6"), &csv());
    assert_eq!(sum(named(&report, "all"), &[]), Rational::from(60u64));
    assert_eq!(
        sum(named(&report, "both"), &["a", "f"]),
        Rational::from(5u64)
    );
    // Of 15 rows each in a and b, the rest is c.
    assert_eq!(sum(named(&report, "wards"), &["c"]), Rational::from(30u64));
}

#[test]
fn a_public_number_of_rows_is_what_groups_add_up_to() {
    let text = "consistent = true\n\
        [source]\nfiles = \"x.csv\"\n\
        [privacy]\nneighbours = \"change-one\"\nrows = 60\n\
        [budget]\nepsilon = 0.1\n\
        [columns.ward]\ncategories = [\"a\", \"b\", \"c\"]\nother = \"c\"\n\
        [[statistics]]\nname = \"wards\"\nkind = \"histogram\"\nof = \"ward\"\n";
    let report = released(text, &csv());
    let wards = named(&report, "wards");
    assert_eq!(sum(wards, &[]), Rational::from(60u64));
    assert!(
        wards
            .about
            .iter()
            .any(|words| words == "made to add up to the public number of rows")
    );
}

/// Errors after the projection, against noise drawn by itself. With a probability of at most 0.05
/// to miss, 180 misses or more in 2000 draws have a probability below e^(−2000·D(0.09‖0.05)) <
/// 2e-12 by Chernoff's bound, and there are 26 numbers.
#[test]
fn stated_errors_hold_after_the_projection() {
    let draws = 2000;
    for budget in ["epsilon = 0.8", "rho = 0.02"] {
        let plan = Plan::parse(&plan(ROWS, budget)).unwrap();
        let prices = price(&plan).unwrap();
        let family = &plan.families[0];
        let tied = |member: usize| {
            let index = family.members[member].statistic;
            prices.statistics[index].tied.as_ref().unwrap()
        };
        // A table of 6 cells with these rows, and its margins.
        let full: Vec<Rational> = [5u64, 0, 17, 3, 44, 9].map(Rational::from).to_vec();
        let zero = |count: u64| vec![Rational::ZERO; count as usize];
        let mut exact: Vec<Vec<Rational>> = family
            .members
            .iter()
            .map(|m| zero(family.cells(m)))
            .collect();
        for (cell, value) in full.iter().enumerate() {
            let axes = [cell / 2, cell % 2];
            for (member, table) in family.members.iter().zip(&mut exact) {
                let place = member
                    .axes
                    .iter()
                    .fold(0, |place, &axis| place * family.sizes[axis] + axes[axis]);
                table[place] = &table[place] + value;
            }
        }
        assert_eq!(tied(0).projection.apply(&exact), exact);
        let mut misses: Vec<Vec<u32>> = exact.iter().map(|t| vec![0; t.len()]).collect();
        let draw = |index: usize, numbers: &Vec<Rational>| -> Vec<Rational> {
            let price = &prices.statistics[index];
            let drawn = |index: usize, numbers: &Vec<Rational>| {
                let Mechanism::Noise { noise, grid } = &prices.statistics[index].mechanism else {
                    unreachable!()
                };
                match budget.starts_with("rho") {
                    true => noise.zcdp(*grid).unwrap().invoke(numbers).unwrap(),
                    false => noise.pure(*grid).unwrap().invoke(numbers).unwrap(),
                }
            };
            match &price.shared {
                None => drawn(index, numbers),
                // One of two sums that add up to the number.
                Some(shared) => {
                    let sums = numbers
                        .iter()
                        .flat_map(|n| [n.clone(), Rational::ZERO])
                        .collect();
                    let noisy = drawn(shared.host, &sums);
                    noisy
                        .chunks(2)
                        .flat_map(|pair| shared.mix.apply(pair))
                        .collect()
                }
            }
        };
        for _ in 0..draws {
            let noisy: Vec<Vec<Rational>> = family
                .members
                .iter()
                .zip(&exact)
                .map(|(member, numbers)| draw(member.statistic, numbers))
                .collect();
            let projection = &tied(0).projection;
            let made = projection.apply(&noisy);
            let published = projection.rounded(&made, 0);
            for (member, misses) in misses.iter_mut().enumerate() {
                for (cell, misses) in misses.iter_mut().enumerate() {
                    let value = &published[member][cell];
                    let rounding = (value - &made[member][cell]).abs();
                    let off = (value - &exact[member][cell]).abs();
                    let bound = tied(member).off_by(&rounding).get();
                    *misses += u32::from(off > Rational::try_from(bound).unwrap());
                }
            }
        }
        assert!(
            misses.iter().flatten().all(|&count| count < 180),
            "{misses:?}"
        );
    }
}

#[test]
fn sums_of_both_kinds_of_noise_have_a_bound() {
    use lastbit::tables::{Noise, Term};
    let tails = Tails::default();
    let (laplace, gaussian) = (
        Noise::Laplace("2".parse().unwrap()),
        Noise::Gaussian("9".parse().unwrap()),
    );
    let beta: lastbit::Beta = "0.05".parse().unwrap();
    let term = |noise, weights| Term {
        noise,
        grid: GridExponent::new(-60).unwrap(),
        weights,
    };
    let one = vec![(Up::exact(1.0), 1)];
    let of = |terms: &[Term<'_>]| tails.of_sum(terms, &beta).get();
    let [l, g] = [&laplace, &gaussian].map(|noise| of(&[term(noise, one.clone())]));
    let both = of(&[term(&laplace, one.clone()), term(&gaussian, one.clone())]);
    // 2·ln 20 and 3·1.96.
    assert!(
        (l - 5.9915).abs() < 1e-3 && (g - 5.8799).abs() < 1e-3,
        "{l} {g}"
    );
    assert!(both > l.max(g) && both < 1.3 * (l + g), "{both}");
    // Of a hundred of them the bound grows like the root.
    let many = of(&[term(&laplace, vec![(Up::exact(1.0), 100)])]);
    assert!(many > 10.0 * 2.0 * 2.0 && many < 10.0 * 2.0 * 4.5, "{many}");
}

/// Errors of the same four tables of the same rows, made to add up or not.
fn errors(consistent: bool, kind: &str, budget: &str) -> Vec<f64> {
    let table = |by: &str| format!("[[statistics]]\nname = \"all {by}\"\n{kind}\n{by}\n");
    let tables = ["by = ['g', 'h']", "by = 'g'", "by = 'h'", ""].map(table);
    let text = format!(
        "consistent = {consistent}\n[source]\nfiles = \"x.csv\"\n[privacy]\n{ROWS}\n\
         [budget]\n{budget}\n[columns.x]\nlower = 0\nupper = 1\nmissing = 0\n\
         [columns.g]\ncategories = [\"a\", \"b\", \"c\", \"d\", \"e\"]\nother = \"e\"\n\
         [columns.h]\ncategories = [\"u\", \"v\", \"w\"]\nother = \"w\"\n{}",
        tables.join("")
    );
    let prices = price(&Plan::parse(&text).unwrap()).unwrap();
    let errors = prices.statistics.iter();
    errors.map(|price| price.error.unwrap().get()).collect()
}

#[test]
fn numbers_that_add_up_have_smaller_errors_than_apart() {
    // Counts are rounded together by up to two rows, so that errors of a few rows can grow.
    let cases = [
        ("kind = \"sum\"\nof = \"x\"", "epsilon = 4"),
        ("kind = \"sum\"\nof = \"x\"", "epsilon = 0.4"),
        ("kind = \"sum\"\nof = \"x\"", "rho = 2"),
        ("kind = \"count\"", "epsilon = 0.4"),
        ("kind = \"count\"", "rho = 0.02"),
    ];
    for (kind, budget) in cases {
        let [tied, apart] = [true, false].map(|consistent| errors(consistent, kind, budget));
        for (tied, apart) in tied.iter().zip(&apart) {
            assert!(tied < apart, "{kind} {budget}: {tied} above {apart}");
        }
    }
}
