//! Prices: exact sums, sound errors, targets that are met.

use lastbit_exact::{Down, Rational, Up};
use lastbit_noise::{Gaussian, Laplace};
use lastbit_release::plan::{Accountant, Plan, Share};
use lastbit_release::price::{
    Form, Mechanism, Moment, Noise, PriceError, Tails, price, ratio_error,
};
use proptest::prelude::*;

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
        + &one("mean", "weight = 2");
    let plan = plan("epsilon = 2", &statistics);
    let prices = price(&plan).unwrap();
    let losses: Vec<&Rational> = prices.statistics.iter().map(|price| &price.loss).collect();
    assert_eq!(*losses[0], "0.25".parse().unwrap());
    let rest = &Rational::from(2i64) - &(losses[0] + losses[1]);
    assert_eq!(*losses[2], &rest / &Rational::from(3i64));
    assert_eq!(*losses[3], losses[2].scale(1));
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
                if prices.accountant == Accountant::Zcdp && budget.contains("delta") {
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
        .map(|i| one("count", &format!("by = \"g\"\n#{}", "x".repeat(i))))
        .collect();
    let prices = price(&plan("epsilon = 1\ndelta = 1e-6", &many)).unwrap();
    assert_eq!(prices.accountant, Accountant::Zcdp);
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
    assert_eq!(error(Accountant::Zcdp), 1.0);
    // One statistic alone needs no δ: nothing is gained from it.
    let alone = price(&plan("epsilon = 1\ndelta = 1e-6", &one("count", ""))).unwrap();
    assert_eq!(alone.accountant, Accountant::Pure);
    assert!(alone.loss.delta.is_zero());
    // Unless the plan says otherwise.
    let named = plan("epsilon = 1\ndelta = 1e-6", &one("count", ""));
    let named = Plan {
        accountant: Some(Accountant::Zcdp),
        ..named
    };
    let prices = price(&named).unwrap();
    assert_eq!(
        (prices.accountant, prices.comparison.len()),
        (Accountant::Zcdp, 1)
    );
}

#[test]
fn tails_bound_what_the_samplers_draw() {
    let tails = Tails::default();
    for (scale, grid) in [("3", 0i64), ("0.07", -9), ("120.5", -4)] {
        let scale: Rational = scale.parse().unwrap();
        for alpha in ["0.5", "0.05", "0.0001"] {
            let alpha: Rational = alpha.parse().unwrap();
            let laplace = Noise::Laplace {
                epsilon: Rational::ONE,
                scale: scale.clone(),
            };
            let gaussian = Noise::Gaussian {
                rho: Rational::ONE,
                variance: &scale * &scale,
            };
            let sampler = Laplace::new(&scale, grid).unwrap();
            let normal = Gaussian::with_variance(&(&scale * &scale), grid).unwrap();
            for (noise, is_laplace) in [(laplace, true), (gaussian, false)] {
                let t = Rational::try_from(tails.beyond(&noise, grid, &alpha).get()).unwrap();
                // P(cell ≤ −c) for the first cell beyond t, twice.
                let beyond = -((t.scale(-grid)).floor() + lastbit_exact::IBig::ONE);
                let tail = if is_laplace {
                    sampler.cumulative_probability(&Rational::ZERO, &beyond)
                } else {
                    normal.cumulative_probability(&Rational::ZERO, &beyond)
                };
                assert!(
                    2.0 * tail.hi() <= alpha.to_f64(lastbit_exact::Rounding::Up),
                    "{noise:?} {alpha}"
                );
            }
        }
    }
}

fn moments() -> Vec<Moment> {
    let plan = plan("epsilon = 1", &every(""));
    let prices = price(&plan).unwrap();
    assert!(matches!(plan.statistics[0].share, Share::Weight(_)));
    prices
        .statistics
        .iter()
        .filter_map(|price| match &price.form {
            Form::Shared { moment } => Some(moment.clone()),
            _ => None,
        })
        .collect()
}

/// The statistic of rows at places between 0 and 1 by its definition, and from their shares with noise.
fn ratio(moment: &Moment, points: &[(f64, f64)], noise: &[f64]) -> (f64, f64, f64) {
    let n = points.len() as f64;
    let mean = |f: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / n;
    let shares: Vec<f64> = match moment {
        Moment::Mean(_) => vec![mean(&|p| 1.0 - p.0), mean(&|p| p.0)],
        Moment::Variance(_) => vec![
            mean(&|p| (1.0 - p.0) * (1.0 - p.0)),
            mean(&|p| 2.0 * p.0 * (1.0 - p.0)),
            mean(&|p| p.0 * p.0),
        ],
        Moment::Covariance(..) => vec![
            mean(&|p| (1.0 - p.0) * (1.0 - p.1)),
            mean(&|p| p.0 * (1.0 - p.1)),
            mean(&|p| (1.0 - p.0) * p.1),
            mean(&|p| p.0 * p.1),
        ],
    };
    let noisy: Vec<f64> = shares
        .iter()
        .zip(noise)
        .map(|(share, noise)| share * n + noise)
        .collect();
    let total: f64 = noisy.iter().sum();
    let bessel = total / (total - 1.0);
    let (mx, my) = (mean(&|p| p.0), mean(&|p| p.1));
    let (exact, estimate) = match moment {
        Moment::Mean(_) => (mx, noisy[1] / total),
        Moment::Variance(_) => {
            let m = (noisy[1] / 2.0 + noisy[2]) / total;
            let exact = mean(&|p| (p.0 - mx) * (p.0 - mx)) * n / (n - 1.0);
            (exact, (noisy[2] / total - m * m) * bessel)
        }
        Moment::Covariance(..) => {
            let (x, y) = ((noisy[1] + noisy[3]) / total, (noisy[2] + noisy[3]) / total);
            let exact = mean(&|p| (p.0 - mx) * (p.1 - my)) * n / (n - 1.0);
            (exact, (noisy[3] / total - x * y) * bessel)
        }
    };
    (exact, estimate, total)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// The proof of `ratio_error`, on random rows with noise at or within its bound.
    #[test]
    fn the_error_of_a_ratio_is_bounded(
        points in prop::collection::vec((prop::sample::select(vec![0.0, 0.1, 0.5, 0.93, 1.0]), 0.0..=1.0f64), 2..9),
        copies in 1usize..40,
        noise in prop::collection::vec(prop::sample::select(vec![-1.0, 1.0, 0.3, 0.0]), 4),
        t in 0.01..4.0f64,
    ) {
        let points: Vec<(f64, f64)> = points.iter().cycle().take(points.len() * copies).copied().collect();
        let noise: Vec<f64> = noise.iter().map(|sign| sign * t).collect();
        for moment in moments_once() {
            let (exact, estimate, total) = ratio(moment, &points, &noise);
            if total <= 1.5 { continue; }
            let width = moment.width().to_f64(lastbit_exact::Rounding::NearestEven);
            let (low, high) = moment.range();
            let clamp = |x: f64| match moment {
                Moment::Mean(_) => x.clamp(0.0, 1.0),
                _ => (x * width).clamp(
                    low.to_f64(lastbit_exact::Rounding::Down), high.to_f64(lastbit_exact::Rounding::Up)) / width,
            };
            let bound = ratio_error(moment, Up::exact(t), Down::exact(total), Down::exact(points.len() as f64));
            let error = (clamp(estimate) - exact).abs() * width;
            prop_assert!(error <= bound.get() * (1.0 + 1e-9) + 1e-9, "{moment:?}: {error} above {bound}");
        }
    }
}

fn moments_once() -> &'static [Moment] {
    static MOMENTS: std::sync::OnceLock<Vec<Moment>> = std::sync::OnceLock::new();
    MOMENTS.get_or_init(moments)
}

#[test]
fn a_count_of_discovered_keys_has_a_threshold_for_its_delta() {
    let text = plan(
        "epsilon = 1\ndelta = 1e-6",
        "[columns.town]\ndiscover = true\n[[statistics]]\nname = \"towns\"\nkind = \"count\"\nby = \"town\"\n",
    );
    let prices = price(&text).unwrap();
    let price = &prices.statistics[0];
    let threshold = price.threshold.as_ref().unwrap();
    assert_eq!(threshold.delta, prices.loss.delta);
    let Mechanism::Noise {
        noise: Noise::Laplace { scale, .. },
        grid,
    } = &price.mechanism
    else {
        panic!("Laplace")
    };
    // Two rows in each of three groups.
    assert_eq!(*scale, Rational::from(6i64));
    let law = Laplace::new(scale, *grid).unwrap();
    let reached = |least: &Rational| {
        let one = law
            .cumulative_probability(&Rational::from(-2i64), &(-least.ceil()))
            .hi();
        1.0 - (1.0 - one).powi(3)
    };
    assert!(reached(&threshold.least) <= 1e-6);
    assert!(reached(&(&threshold.least - &Rational::ONE)) > 1e-6);
}
