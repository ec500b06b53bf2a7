//! A plan pays once for statistics that are made of the same noisy numbers.

use std::collections::BTreeSet;

use lastbit_exact::Rational;
use lastbit_release::account::{Prices, price};
use lastbit_release::plan::Plan;
use lastbit_release::statistic::{Mechanism, Mix, Polynomial, Span, Symbol};

use super::{holds, named, number, released};

fn x() -> Polynomial {
    Polynomial::of(Symbol::Place("x".to_owned()))
}

fn span(numbers: Vec<Polynomial>) -> Span {
    Span {
        needs: BTreeSet::new(),
        numbers,
    }
}

fn mean() -> Span {
    span(vec![Polynomial::one().plus(-1, &x()), x()])
}

fn variance() -> Span {
    let t = x();
    let left = Polynomial::one().plus(-1, &t);
    let middle = left.times(&t);
    span(vec![
        left.times(&left),
        middle.plus(1, &middle),
        t.times(&t),
    ])
}

#[test]
fn a_count_is_of_a_mean_is_of_a_variance_and_not_the_other_way_round() {
    let count = span(vec![Polynomial::one()]);
    let number = |text: &str| text.parse::<Rational>().unwrap();
    let factors = |rows: &[&[&str]]| {
        let row = |row: &&[&str]| row.iter().map(|text| number(text)).collect();
        Some(Mix::Sums(rows.iter().map(row).collect()))
    };
    assert_eq!(count.from(&mean()), factors(&[&["1", "1"]]));
    assert_eq!(count.from(&variance()), factors(&[&["1", "1", "1"]]));
    let halves = factors(&[&["1", "0.5", "0"], &["0", "0.5", "1"]]);
    assert_eq!(mean().from(&variance()), halves);
    assert_eq!(mean().from(&mean()), Some(Mix::Same));
    assert_eq!(variance().from(&mean()), None);
    assert_eq!(mean().from(&count), None);
}

#[test]
fn statistics_of_other_rows_share_nothing() {
    let mut count = span(vec![Polynomial::one()]);
    count.needs.insert("x".to_owned());
    assert_eq!(count.from(&mean()), None);
}

/// A plan of x, whose missing cells are dropped or not, with these statistics `(kind, of, more)`.
fn plan(missing: &str, budget: &str, statistics: &[(&str, &str, &str)]) -> String {
    let mut text = format!(
        "[source]\nfiles = \"x.csv\"\n\
         [privacy]\nneighbours = \"add-remove\"\n\
         [budget]\n{budget}\n\
         [columns.x]\nlower = 0\nupper = 1\nmissing = {missing}\n\
         [columns.y]\nlower = 0\nupper = 2\nmissing = 0\n\
         [columns.g]\ncategories = [\"a\", \"b\"]\nother = \"b\"\n"
    );
    for (place, (kind, of, more)) in statistics.iter().enumerate() {
        text += &format!("[[statistics]]\nname = \"{place} {kind}\"\nkind = \"{kind}\"\n");
        if !of.is_empty() {
            text += &format!("of = {of}\n");
        }
        text += &format!("{more}\n");
    }
    text
}

fn prices(text: &str) -> Prices {
    price(&Plan::parse(text).unwrap()).unwrap()
}

fn hosts(prices: &Prices) -> Vec<Option<usize>> {
    let shared = prices.statistics.iter().map(|price| price.shared.as_ref());
    shared
        .map(|shared| shared.map(|shared| shared.host))
        .collect()
}

#[test]
fn counts_means_and_variances_of_the_same_rows_pay_once() {
    let all = [
        ("count", "", "expected_rows = 100"),
        ("mean", "\"x\"", "expected_rows = 100"),
        ("variance", "\"x\"", "expected_rows = 100"),
    ];
    for budget in ["epsilon = 1", "rho = 0.1", "epsilon = 1\ndelta = 1e-6"] {
        let prices = prices(&plan("0", budget, &all));
        assert_eq!(hosts(&prices), [Some(2), Some(2), None], "{budget}");
        let sum = prices
            .statistics
            .iter()
            .fold(Rational::ZERO, |sum, price| &sum + &price.loss);
        // All of the budget is the variance's.
        assert_eq!(sum, prices.statistics[2].loss);
        assert!(prices.statistics[0].loss.is_zero());
    }
    // Rows without an x count, but not in the mean.
    let dropped = prices(&plan("\"drop\"", "epsilon = 1", &all));
    assert_eq!(hosts(&dropped), [None, Some(2), None]);
}

#[test]
fn only_statistics_by_weight_and_of_the_same_groups_share() {
    let of = |more: [&'static str; 2]| {
        prices(&plan(
            "0",
            "epsilon = 1",
            &[("count", "", more[0]), ("mean", "\"x\"", more[1])],
        ))
    };
    assert_eq!(hosts(&of(["", ""])), [Some(1), None]);
    assert_eq!(hosts(&of(["by = \"g\"", "by = \"g\""])), [Some(1), None]);
    assert_eq!(hosts(&of(["by = \"g\"", ""])), [None, None]);
    assert_eq!(hosts(&of(["loss = 0.1", ""])), [None, None]);
    assert_eq!(hosts(&of(["", "loss = 0.1"])), [None, None]);
    assert_eq!(hosts(&of(["error = 50", ""])), [None, None]);
    // The count of two categories is of a histogram of them, and shares are its numbers.
    let counts = prices(&plan(
        "0",
        "epsilon = 1",
        &[
            ("share", "\"g\"", ""),
            ("histogram", "\"g\"", ""),
            ("count", "", ""),
        ],
    ));
    assert_eq!(hosts(&counts), [None, Some(0), Some(0)]);
    // A covariance has the means of both columns.
    let both = prices(&plan(
        "0",
        "epsilon = 1",
        &[
            ("mean", "\"x\"", ""),
            ("mean", "\"y\"", ""),
            ("covariance", "[\"x\", \"y\"]", ""),
        ],
    ));
    assert_eq!(hosts(&both), [Some(2), Some(2), None]);
}

#[test]
fn weights_of_those_that_join_go_to_the_one_that_is_drawn() {
    let prices = prices(&plan(
        "0",
        "epsilon = 1",
        &[
            ("count", "", "weight = 2"),
            ("mean", "\"x\"", "weight = 3"),
            ("sum", "\"y\"", "weight = 5"),
        ],
    ));
    assert_eq!(hosts(&prices), [Some(1), None, None]);
    let losses: Vec<String> = prices
        .statistics
        .iter()
        .map(|p| p.loss.to_string())
        .collect();
    assert_eq!(losses, ["0", "0.5", "0.5"]);
}

#[test]
fn the_error_of_a_count_and_a_mean_is_that_of_the_mean_alone() {
    let alone = prices(&plan(
        "0",
        "epsilon = 1",
        &[("mean", "\"x\"", "expected_rows = 400")],
    ));
    let both = prices(&plan(
        "0",
        "epsilon = 1",
        &[
            ("mean", "\"x\"", "expected_rows = 400"),
            ("count", "", "expected_rows = 400"),
        ],
    ));
    assert_eq!(alone.statistics[0].error, both.statistics[0].error);
    // Two Laplace noises of scale 1: P(|S| > t) = e^−t·(1 + t/2), at 5 % about 4.1; rounded to a
    // whole number.
    let count = both.statistics[1].error.unwrap().get();
    assert!((4.0..=5.0).contains(&count), "{count}");
}

#[test]
fn what_is_made_of_shared_noise_is_made_of_the_same_numbers() {
    let all = [
        ("count", "", ""),
        ("mean", "\"x\"", ""),
        ("variance", "\"x\"", ""),
        ("mean", "\"x\"", ""),
    ];
    let mut csv = String::from("x,y,g\n");
    for row in 0..400 {
        csv += &format!("{},1,a\n", f64::from(row % 100) / 100.0);
    }
    let report = released(&plan("0", "epsilon = 1e12", &all), &csv);
    let cell = |name: &str| named(&report, name).cells[0].clone();
    let m = 0.495;
    let exact = [400.0, m, 0.083325 * 400.0 / 399.0, m];
    for (name, exact) in ["0 count", "1 mean", "2 variance", "3 mean"]
        .iter()
        .zip(exact)
    {
        let cell = cell(name);
        assert!(
            (number(&cell.value) - exact).abs() < 1e-6,
            "{name} {cell:?}"
        );
        assert!(holds(&cell, exact), "{name} {cell:?}");
    }
    assert_eq!(
        named(&report, "0 count").loss,
        "shares the noise of \"2 variance\""
    );
    // With noise, the two means are one number.
    let report = released(&plan("0", "epsilon = 0.5", &all), &csv);
    let cell = |name: &str| named(&report, name).cells[0].clone();
    assert_eq!(cell("1 mean"), cell("3 mean"));
    assert_eq!(
        number(&cell("0 count").value),
        number(&cell("0 count").value).round()
    );
}

#[test]
fn the_chain_of_the_host_costs_its_price() {
    let text = plan(
        "0",
        "epsilon = 1",
        &[("count", "", ""), ("variance", "\"x\"", "")],
    );
    let prices = prices(&text);
    let [count, variance] = &prices.statistics[..] else {
        panic!("two statistics");
    };
    assert_eq!(count.mechanism, variance.mechanism);
    assert!(matches!(variance.mechanism, Mechanism::Noise { .. }));
    let proved = variance
        .chain
        .loss(variance.loss_unit, &variance.mechanism, None)
        .unwrap();
    assert_eq!(*proved.loss(), variance.loss);
    assert_eq!(variance.loss, Rational::ONE);
}

#[test]
fn statistics_with_filters_or_limits_of_their_own_share_only_with_each_other() {
    let of = |more: [&'static str; 3]| {
        hosts(&prices(&plan(
            "0",
            "epsilon = 1",
            &[
                ("count", "", more[0]),
                ("mean", "\"x\"", more[1]),
                ("variance", "\"x\"", more[2]),
            ],
        )))
    };
    let adult = "where = \"number(age) >= 18\"";
    assert_eq!(of([adult, "", ""]), [None, Some(2), None]);
    assert_eq!(of([adult, adult, ""]), [Some(1), None, None]);
    assert_eq!(of([adult, adult, adult]), [Some(2), Some(2), None]);
}

/// The plan with these statistics, and the same plan with filters that are always true and all
/// different, so that nothing can be shared.
fn together_and_apart(budget: &str, statistics: &[(&str, &str, &str)]) -> [Prices; 2] {
    let filters: Vec<String> = statistics
        .iter()
        .enumerate()
        .map(|(place, (.., more))| format!("{more}\nwhere = \"{place} < {}\"", statistics.len()))
        .collect();
    let apart: Vec<(&str, &str, &str)> = statistics
        .iter()
        .zip(&filters)
        .map(|((kind, of, _), more)| (*kind, *of, more.as_str()))
        .collect();
    [statistics, &apart[..]].map(|all| prices(&plan("0", budget, all)))
}

#[test]
fn no_error_grows_because_noise_is_shared() {
    let light = "weight = 1\nexpected_rows = 3000";
    let heavy = "weight = 4\nexpected_rows = 3000";
    let sets: [&[(&str, &str, &str)]; 6] = [
        &[("count", "", heavy), ("left-out", "\"x\"", light)],
        &[("count", "", light), ("left-out", "\"x\"", light)],
        &[("count", "", heavy), ("mean", "\"x\"", light)],
        &[
            ("count", "", heavy),
            ("mean", "\"x\"", heavy),
            ("variance", "\"x\"", light),
        ],
        &[
            ("count", "", light),
            ("mean", "\"x\"", heavy),
            ("variance", "\"x\"", light),
            ("sum", "\"y\"", light),
        ],
        &[
            ("mean", "\"x\"", heavy),
            ("mean", "\"y\"", light),
            ("covariance", "[\"x\", \"y\"]", light),
        ],
    ];
    let budgets = ["epsilon = 1", "rho = 0.1", "epsilon = 1\ndelta = 1e-6"];
    let mut is_shared = false;
    for budget in budgets {
        for set in sets {
            let [together, apart] = together_and_apart(budget, set);
            assert!(hosts(&apart).iter().all(Option::is_none));
            is_shared |= hosts(&together).iter().any(Option::is_some);
            for (both, own) in together.statistics.iter().zip(&apart.statistics) {
                let (both, own) = (both.error.unwrap().get(), own.error.unwrap().get());
                // Under (ε, δ) the laws of losses allow what is found to four digits.
                assert!(both <= own * 1.001, "{budget} {set:?}: {both} above {own}");
                assert!(both <= own || budget.contains("delta"), "{budget} {set:?}");
            }
        }
    }
    assert!(is_shared);
}

#[test]
fn a_heavy_count_keeps_its_noise_beside_a_light_statistic_of_the_same_rows() {
    let of = |weight: &'static str| {
        let count = ("count", "", weight);
        prices(&plan(
            "0",
            "epsilon = 1",
            &[count, ("left-out", "\"x\"", "")],
        ))
    };
    // Three Laplace noises of scale 1 against one of scale 2, and of scale 5/4.
    assert_eq!(hosts(&of("weight = 1")), [Some(1), None]);
    assert_eq!(hosts(&of("weight = 4")), [None, None]);
    // The heavy mean goes its own way, and the count follows it.
    let three = prices(&plan(
        "0",
        "epsilon = 1",
        &[
            ("count", "", "weight = 1"),
            ("mean", "\"x\"", "weight = 40"),
            ("variance", "\"x\"", "weight = 1"),
        ],
    ));
    assert_eq!(hosts(&three), [Some(1), None, None]);
}
