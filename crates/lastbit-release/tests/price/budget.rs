//! The budget that a refused plan is told to have is enough, as it is printed, and hardly more than
//! enough.

use lastbit_exact::Rational;
use lastbit_release::account::{PriceError, price};
use lastbit_release::plan::Plan;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// A statistic with a target: kind, grouping, and either a loss or an error.
#[derive(Clone, Debug)]
struct Target {
    kind: &'static str,
    grouped: bool,
    amount: f64,
    is_loss: bool,
}

fn target() -> impl Strategy<Value = Target> {
    let kind = prop::sample::select(vec![
        "count",
        "sum",
        "mean",
        "variance",
        "covariance",
        "histogram",
        "quantiles",
    ]);
    (kind, any::<bool>(), 0.0..1.0f64, any::<bool>()).prop_map(|(kind, grouped, place, is_loss)| {
        // From loose to tight, in the unit of the kind.
        let (loose, tight): (f64, f64) = match (is_loss, kind) {
            (true, _) => (0.01, 3.0),
            (_, "mean") => (0.5, 0.003),
            (_, "variance") => (2.0, 0.02),
            (_, "covariance") => (5.0, 0.1),
            (_, "quantiles") => (900.0, 20.0),
            _ => (80.0, 0.7),
        };
        let amount = loose * (tight / loose).powf(place);
        Target {
            kind,
            grouped,
            amount: (amount * 1e4).round() / 1e4,
            is_loss,
        }
    })
}

fn text(targets: &[Target], accountant: &str, budget: &str) -> String {
    let mut text = format!(
        r#"
expected_rows = 5000
{accountant}
[source]
files = "x.csv"
[privacy]
neighbours = "add-remove"
unit = "person"
most_rows = 2
most_groups = 2
[budget]
{budget}
[columns.x]
edges = [-1, 0.7, 3]
[columns.y]
lower = 0
upper = 10
[columns.g]
categories = ["a", "b", "c", "d"]
"#
    );
    for (index, target) in targets.iter().enumerate() {
        let of = match target.kind {
            "count" => "",
            "covariance" => "of = [\"x\", \"y\"]",
            _ => "of = \"x\"",
        };
        let by = if target.grouped { "by = \"g\"" } else { "" };
        let share = if target.is_loss { "loss" } else { "error" };
        text += &format!(
            "[[statistics]]\nname = \"s{index}\"\nkind = \"{}\"\n{of}\n{by}\n{share} = {}\n",
            target.kind, target.amount
        );
    }
    text
}

/// The number after `name = ` in the last line.
fn printed<'a>(message: &'a str, name: &str) -> Option<&'a str> {
    let line = message.lines().last()?;
    let (_, rest) = line.split_once(&format!("{name} = "))?;
    rest.split([',', ';']).next()
}

#[test]
fn the_smallest_sufficient_budget_is_enough_as_printed_and_not_far_from_the_least() {
    let mut runner = TestRunner::new_with_rng(
        Config::default(),
        TestRng::from_seed(RngAlgorithm::ChaCha, &[29; 32]),
    );
    let strategy = prop::collection::vec(target(), 1..5);
    let mut seen = 0;
    for case in 0..400 {
        let targets = strategy.new_tree(&mut runner).unwrap().current();
        let (accountant, symbol, key, delta) = match case % 5 {
            0 => ("", "ε", "epsilon", ""),
            1 => ("", "ρ", "rho", ""),
            2 => ("accountant = \"zcdp\"", "ε", "epsilon", "delta = 1e-7"),
            3 => ("accountant = \"pure\"", "ε", "epsilon", "delta = 1e-7"),
            _ => ("", "ε", "epsilon", "delta = 1e-7"),
        };
        let priced = |main: &str, delta: &str| {
            let budget = format!("{key} = \"{main}\"\n{delta}");
            price(&Plan::parse(&text(&targets, accountant, &budget)).unwrap())
        };
        let message = match priced("0.0001", delta) {
            Err(error @ PriceError::Infeasible(_)) => error.to_string(),
            Ok(_) => continue,
            Err(error) => panic!("{error}"),
        };
        seen += 1;
        let main = printed(&message, symbol).unwrap();
        let delta = printed(&message, "δ").map_or(String::new(), |d| format!("delta = \"{d}\""));
        let prices = priced(main, &delta)
            .unwrap_or_else(|error| panic!("{main} {delta} is not enough: {error}\n{message}"));
        let exact: Rational = main.parse().unwrap();
        assert!(prices.loss.main <= exact);
        let less = &exact * &Rational::new(999, 1000);
        assert!(
            priced(&less.to_string(), &delta).is_err(),
            "{main} is far more than enough\n{message}"
        );
    }
    assert!(seen > 300, "{seen}");
}
