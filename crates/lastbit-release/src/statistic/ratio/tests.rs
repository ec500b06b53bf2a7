use std::sync::{Arc, OnceLock};

use lastbit::GridExponent;
use lastbit::mechanisms::{Scale, Variance};
use lastbit::tables::{Mix, MixedNoise, Noise, Tails};
use lastbit_exact::Rounding;
use proptest::prelude::*;

use super::super::covariance::Covariance;
use super::super::mean::Mean;
use super::super::variance::Variance as VarianceKind;
use super::*;
use crate::plan::Plan;

const PLAN: &str = r#"
[source]
files = "x.csv"
[privacy]
neighbours = "add-remove"
[budget]
epsilon = 1
[columns.x]
lower = -1
upper = 3
[columns.y]
lower = 0
upper = 10
[[statistics]]
name = "covariance"
kind = "covariance"
of = ["x", "y"]
"#;

/// A mean, a variance and a covariance.
fn moments() -> &'static [Box<dyn Moment>] {
    static MOMENTS: OnceLock<Vec<Box<dyn Moment>>> = OnceLock::new();
    MOMENTS.get_or_init(|| {
        let plan = Plan::parse(PLAN).unwrap();
        let numbers = |name| Arc::clone(plan.column(name).unwrap().kind.numbers().unwrap());
        let (x, y) = (numbers("x"), numbers("y"));
        vec![
            Box::new(Mean(Arc::clone(&x))),
            Box::new(VarianceKind(Arc::clone(&x))),
            Box::new(Covariance(x, y)),
        ]
    })
}

/// The statistic of rows at places in [0, 1], by its definition, and its noisy shares.
fn shares(moment: &dyn Moment, points: &[(f64, f64)], noise: &[f64]) -> (f64, Vec<f64>) {
    let n = points.len() as f64;
    let sum = |f: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>();
    let (mx, my) = (sum(&|p| p.0) / n, sum(&|p| p.1) / n);
    let (exact, shares) = match moment.word() {
        "mean" => (mx, vec![sum(&|p| 1.0 - p.0), sum(&|p| p.0)]),
        "variance" => (
            sum(&|p| (p.0 - mx) * (p.0 - mx)) / (n - 1.0),
            vec![
                sum(&|p| (1.0 - p.0) * (1.0 - p.0)),
                sum(&|p| 2.0 * p.0 * (1.0 - p.0)),
                sum(&|p| p.0 * p.0),
            ],
        ),
        _ => (
            sum(&|p| (p.0 - mx) * (p.1 - my)) / (n - 1.0),
            vec![
                sum(&|p| (1.0 - p.0) * (1.0 - p.1)),
                sum(&|p| p.0 * (1.0 - p.1)),
                sum(&|p| (1.0 - p.0) * p.1),
                sum(&|p| p.0 * p.1),
            ],
        ),
    };
    let noisy = shares.iter().zip(noise).map(|(share, noise)| share + noise);
    (exact, noisy.collect())
}

/// The statistic of noisy shares, between 0 and 1.
fn estimate(moment: &dyn Moment, shares: &[f64]) -> f64 {
    let total: f64 = shares.iter().sum();
    let bessel = total / (total - 1.0);
    match moment.word() {
        "mean" => shares[1] / total,
        "variance" => {
            let m = (shares[1] / 2.0 + shares[2]) / total;
            (shares[2] / total - m * m) * bessel
        }
        _ => {
            let (x, y) = (
                (shares[1] + shares[3]) / total,
                (shares[2] + shares[3]) / total,
            );
            (shares[3] / total - x * y) * bessel
        }
    }
}

/// The value of the moment at the place 0: for a mean, the lower bound of the grid.
fn offset(moment: &dyn Moment) -> f64 {
    match moment.word() {
        "mean" => moment.columns()[0]
            .grid
            .bounds()
            .lower()
            .to_f64(Rounding::NearestEven),
        _ => 0.0,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// The proof of `Errors::ratio`: if every weighted sum of the noises is within its bound, the
    /// statistic is within the error.
    #[test]
    fn the_error_of_a_ratio_holds_where_its_event_does(
        points in prop::collection::vec(
            (prop::sample::select(vec![0.0, 0.1, 0.5, 0.93, 1.0]), 0.0..=1.0f64),
            2..9,
        ),
        copies in 1usize..40,
        signs in prop::collection::vec(prop::sample::select(vec![-1.0, 1.0, 0.3, 0.0]), 4),
        size in 0.01..1.5f64,
        gaussian in any::<bool>(),
    ) {
        let rows = points.len() * copies;
        let points: Vec<(f64, f64)> = points.iter().cycle().take(rows).copied().collect();
        let tails = Tails::default();
        let beta: Beta = "0.05".parse().unwrap();
        let errors = Errors { tails: &tails, beta: &beta };
        let scale = Rational::new(2, 1);
        let law = match gaussian {
            true => Noise::Gaussian(Variance::new(&scale * &scale).unwrap()),
            false => Noise::Laplace(Scale::new(scale).unwrap()),
        };
        let grid = GridExponent::new(-9).unwrap();
        let drawn = MixedNoise { noise: &law, grid, mix: &Mix::Same };
        let noised = Noised { drawn, made: None };
        let one = tails.beyond(&law, GridExponent::new(-9).unwrap(), &beta).get();
        for moment in moments() {
            let moment = &**moment;
            let noise: Vec<f64> = signs.iter().map(|sign| sign * one * size).collect();
            let (exact, noisy) = shares(moment, &points, &noise);
            let total: f64 = noisy.iter().sum();
            if total <= 1.5 { continue; }
            if !event(moment, &points, &noise, &tails, &law, &beta, exact) { continue; }
            let width = moment.width().to_f64(Rounding::NearestEven);
            let (low, high) = moment.range();
            let unclamped = offset(moment) + width * estimate(moment, &noisy);
            let published = Rational::try_from(unclamped).unwrap().clamp_to(&low, &high);
            let exactly = |&share: &f64| Rational::try_from(share).unwrap();
            let noisy: Vec<Rational> = noisy.iter().map(exactly).collect();
            let bound = errors.ratio(moment, &noised, &noisy, &published).unwrap();
            let published = published.to_f64(Rounding::NearestEven);
            let error = (published - (offset(moment) + width * exact)).abs();
            prop_assert!(error <= bound.get() * (1.0 + 1e-9) + 1e-9, "{moment:?}: {error} above \
                                                                      {bound}");
        }
    }
}

/// Whether each weighted sum is within its own bound, by the definition of the weights.
fn event(
    moment: &dyn Moment,
    points: &[(f64, f64)],
    noise: &[f64],
    tails: &Tails,
    law: &Noise,
    beta: &Beta,
    exact: f64,
) -> bool {
    let n = points.len() as f64;
    let mean = |f: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / n;
    let (mx, my) = (mean(&|p| p.0), mean(&|p| p.1));
    let part = |parts: u64, of: u64| beta.part(parts, of);
    let sums: Vec<(Vec<f64>, Beta)> = match moment.word() {
        "mean" => vec![(vec![-mx, 1.0 - mx], beta.clone())],
        "variance" => vec![
            (
                vec![
                    mx * mx - exact,
                    mx * mx - mx - exact,
                    (1.0 - mx) * (1.0 - mx) - exact,
                ],
                part(15, 16),
            ),
            (vec![-mx, 0.5 - mx, 1.0 - mx], part(1, 16)),
        ],
        _ => {
            let corner = |s: f64, t: f64| (s - mx) * (t - my) - exact;
            vec![
                (
                    vec![
                        corner(0.0, 0.0),
                        corner(1.0, 0.0),
                        corner(0.0, 1.0),
                        corner(1.0, 1.0),
                    ],
                    part(15, 16),
                ),
                (vec![-mx, 1.0 - mx, -mx, 1.0 - mx], part(1, 32)),
                (vec![-my, -my, 1.0 - my, 1.0 - my], part(1, 32)),
            ]
        }
    };
    sums.iter().all(|(weights, beta)| {
        let sum: f64 = weights.iter().zip(noise).map(|(w, noise)| w * noise).sum();
        let bounds: Vec<Up> = weights.iter().map(|w| Up::exact(w.abs())).collect();
        // A little less, so that rounding the parts of Laplace weights up cannot make the event of
        // the boxes the smaller one.
        sum.abs()
            <= 0.95
                * tails
                    .combined(law, GridExponent::new(-9).unwrap(), &bounds, beta)
                    .get()
    })
}
