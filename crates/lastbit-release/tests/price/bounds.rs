//! Prices: exact sums, sound errors, targets that are met.

use lastbit::tables::Noise;
use lastbit_exact::Rational;
use lastbit_noise::Laplace;
use lastbit_release::account::{PriceError, price};
use lastbit_release::plan::{Accountant, Plan};
use lastbit_release::statistic::Mechanism;

fn plan(budget: &str, statistics: &str) -> Plan {
    Plan::parse(&format!(
        r#"
expected_rows = 1000
[source]
files = "x.csv"
[privacy]
neighbours = "add-remove"
unit = "person"
most_rows = 2
most_groups = 3
[budget]
{budget}
[columns.x]
lower = -1
upper = 3
[columns.y]
lower = 0
upper = 10
[columns.g]
categories = ["a", "b", "c", "d"]
{statistics}"#
    ))
    .unwrap()
}

fn one(kind: &str, more: &str) -> String {
    let of = match kind {
        "count" => "",
        "covariance" => "of = [\"x\", \"y\"]",
        _ => "of = \"x\"",
    };
    format!(
        "[[statistics]]\nname = \"{kind}{}\"\nkind = \"{kind}\"\n{of}\n{more}\n",
        more.len()
    )
}

fn every(more: &str) -> String {
    [
        "count",
        "sum",
        "mean",
        "variance",
        "covariance",
        "quantiles",
    ]
    .iter()
    .map(|kind| one(kind, more))
    .collect()
}

#[test]
fn losses_add_up_to_the_budget_exactly() {
    for (budget, main) in [("epsilon = 0.7", "0.7"), ("rho = 0.013", "0.013")] {
        let prices = price(&plan(budget, &(every("weight = 3") + &every("by = \"g\"")))).unwrap();
        let sum = prices
            .statistics
            .iter()
            .fold(Rational::ZERO, |sum, price| &sum + &price.loss);
        assert_eq!(sum, main.parse().unwrap());
        assert_eq!(prices.loss.main, sum);
        assert_eq!(
            &prices.statistics[0].loss / &prices.statistics[6].loss,
            Rational::from(3i64)
        );
    }
}

#[test]
fn locks_keep_their_loss_and_the_rest_share() {
    let statistics = one("count", "loss = 0.25")
        + &one("sum", "error = 40")
        + &one("mean", "")
        // Of other rows, so that it does not share the noise of the first.
        + &one("mean", "weight = 2\nwhere = \"x > 0\"");
    let plan = plan("epsilon = 2", &statistics);
    let prices = price(&plan).unwrap();
    let losses: Vec<&Rational> = prices.statistics.iter().map(|price| &price.loss).collect();
    assert_eq!(*losses[0], "0.25".parse().unwrap());
    let rest = &Rational::from(2i64) - &(losses[0] + losses[1]);
    assert_eq!(*losses[2], &rest / &Rational::from(3i64));
    assert_eq!(*losses[3], losses[2].times_power_of_two(1));
    // 2 rows of at most 3, in one group: ε = 6·ln 20/40, and a little for the grid.
    assert!(prices.statistics[1].error.unwrap().get() <= 40.0);
    let found = losses[1].to_f64(lastbit_exact::Rounding::NearestEven);
    assert!((found - 6.0 * 20f64.ln() / 40.0).abs() < 1e-3, "{found}");
    assert_eq!(prices.loss.main, Rational::from(2i64));
}

#[test]
fn an_error_target_is_met_by_the_smallest_loss() {
    for budget in ["epsilon = 50", "rho = 50", "epsilon = 50\ndelta = 1e-6"] {
        for (kind, target) in [
            ("count", "30"),
            ("sum", "55.5"),
            ("mean", "0.2"),
            ("variance", "0.9"),
            ("covariance", "3"),
            ("quantiles", "120"),
        ] {
            for by in ["", "by = \"g\""] {
                let priced = |share: &str| {
                    price(&plan(budget, &one(kind, &format!("{share}\n{by}")))).unwrap()
                };
                let prices = priced(&format!("error = {target}"));
                let [found] = &prices.statistics[..] else {
                    panic!("one")
                };
                let target: Rational = target.parse().unwrap();
                let error = Rational::try_from(found.error.unwrap().get()).unwrap();
                assert!(error <= target, "{kind} {budget}");
                if prices.accountant != Accountant::Pure && budget.contains("delta") {
                    continue;
                }
                let less = &found.loss * &Rational::new(9_999, 10_000);
                let cheaper = priced(&format!("loss = \"{less}\""));
                let error = Rational::try_from(cheaper.statistics[0].error.unwrap().get()).unwrap();
                assert!(error > target, "{kind} {budget}: {less} is enough");
            }
        }
    }
}

#[test]
fn targets_that_do_not_fit_are_named_with_the_smallest_sufficient_budget() {
    let statistics = one("count", "error = 1") + &one("sum", "loss = 0.5") + &one("mean", "");
    let error = price(&plan("epsilon = 1", &statistics)).unwrap_err();
    let PriceError::Infeasible(infeasible) = &error else {
        panic!("{error}")
    };
    assert_eq!(infeasible.targets.len(), 2);
    let text = error.to_string();
    assert!(
        text.contains(" for an error of 1\n")
            && text.contains("the smallest sufficient budget is ε = "),
        "{text}"
    );
    // With the targets alone, that budget is enough, and a little less is not.
    let targets = one("count", "error = 1") + &one("sum", "loss = 0.5");
    let enough = &infeasible.needed.main;
    assert!(price(&plan(&format!("epsilon = \"{enough}\""), &targets)).is_ok());
    let less = enough * &Rational::new(999_999, 1_000_000);
    assert!(price(&plan(&format!("epsilon = \"{less}\""), &targets)).is_err());
}

#[test]
fn the_smallest_budget_with_a_delta_is_enough_too() {
    let targets = one("mean", "error = 0.02") + &one("count", "error = 5");
    let error = price(&plan("epsilon = 0.1\ndelta = 1e-6", &targets)).unwrap_err();
    let PriceError::Infeasible(infeasible) = &error else {
        panic!("{error}")
    };
    let enough = format!("epsilon = \"{}\"\ndelta = 1e-6", infeasible.needed.main);
    let prices = price(&plan(&enough, &targets)).unwrap();
    assert!(prices.loss.main <= infeasible.needed.main);
}

#[test]
fn the_cheapest_sound_accountant_is_used() {
    let many: String = (0..30)
        // Each of other rows, so that none shares the noise of another.
        .map(|i| {
            let rows = format!("where = \"x > {i}\"");
            one("count", &format!("by = \"g\"\n{rows}\n#{}", "x".repeat(i)))
        })
        .collect();
    let prices = price(&plan("epsilon = 1\ndelta = 1e-6", &many)).unwrap();
    assert_eq!(prices.accountant, Accountant::Gaussian);
    let error = |name: Accountant| {
        prices
            .comparison
            .iter()
            .find(|offer| offer.accountant == name)
            .unwrap()
            .relative_error
            .unwrap()
    };
    assert!(
        error(Accountant::Pure) > error(Accountant::Optimal) && error(Accountant::Optimal) > 1.0
    );
    // Exact composition of Gaussian noise is some per cent better than sums of ρ, and so is the way
    // by laws.
    assert!(error(Accountant::Zcdp) > 1.04 && error(Accountant::Optimal) > error(Accountant::Zcdp));
    assert!((error(Accountant::Pld) - 1.0).abs() < 1e-3);
    assert_eq!(error(Accountant::Gaussian), 1.0);
    // One statistic alone needs no δ: nothing is gained from it.
    let alone = price(&plan("epsilon = 1\ndelta = 1e-6", &one("count", ""))).unwrap();
    assert_eq!(alone.accountant, Accountant::Pure);
    assert!(alone.loss.delta.is_zero());
    // Unless the plan says otherwise.
    let mut named = plan("epsilon = 1\ndelta = 1e-6", &one("count", ""));
    named.accountant = Some(Accountant::Zcdp);
    let prices = price(&named).unwrap();
    assert_eq!(
        (prices.accountant, prices.comparison.len()),
        (Accountant::Zcdp, 1)
    );
}

#[test]
fn a_count_of_discovered_keys_has_a_threshold_for_its_delta() {
    let text = plan(
        "epsilon = 1\ndelta = 1e-6",
        "[columns.town]\ndiscover = true\n[[statistics]]\nname = \"towns\"\nkind = \"count\"\nby \
         = \"town\"\n",
    );
    let prices = price(&text).unwrap();
    let price = &prices.statistics[0];
    let threshold = price.threshold.as_ref().unwrap();
    assert_eq!(threshold.delta, prices.loss.delta);
    let Mechanism::Noise {
        noise: Noise::Laplace(scale),
        grid,
    } = &price.mechanism
    else {
        panic!("Laplace")
    };
    // Two rows in each of three groups.
    assert_eq!(*scale.get(), Rational::from(6i64));
    let law = Laplace::new(scale.get(), *grid).unwrap();
    let reached = |least: &Rational| {
        let one = law
            .cumulative_probability(&Rational::from(-2i64), &(-least.ceil()))
            .hi();
        1.0 - (1.0 - one).powi(3)
    };
    assert!(reached(&threshold.least) <= 1e-6);
    assert!(reached(&(&threshold.least - &Rational::ONE)) > 1e-6);
}

#[test]
fn a_quantile_without_an_interval_has_all_of_the_loss() {
    for (budget, least, most) in [
        ("epsilon = 1", 1.999, 2.001),
        ("rho = 0.1", 1.40, 1.42),
        ("epsilon = 1\ndelta = 1e-7", 1.3, 2.001),
    ] {
        let of = |more: &str| {
            let prices = price(&plan(budget, &one("quantiles", more))).unwrap();
            let price = &prices.statistics[0];
            assert_eq!(price.margins().len(), usize::from(more.is_empty()));
            (price.loss.clone(), price.error.unwrap().get())
        };
        let ((loss, with), (same, without)) = (of(""), of("interval = false"));
        assert_eq!(loss, same, "{budget}");
        let ratio = with / without;
        assert!(least < ratio && ratio < most, "{budget}: {ratio}");
    }
}
