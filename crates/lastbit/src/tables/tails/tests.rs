use lastbit_noise::{Gaussian, Laplace};

use super::*;
use crate::mechanisms::{Scale, Variance};

/// `P(|Σ aᵢXᵢ| > t)` by adding up the density of the last noise times the tail of the others.
fn brute(scales: &[f64], t: f64) -> f64 {
    let (&scale, others) = scales.split_last().unwrap();
    if others.is_empty() {
        return (-t.max(0.0) / scale).exp();
    }
    // One-sided tails: P(S > u) is half of P(|S| > |u|), or one less it.
    let upper = |u: f64| {
        let half = 0.5 * brute(others, u.abs());
        if u >= 0.0 { half } else { 1.0 - half }
    };
    let (steps, reach) = (400, 30.0);
    let width = 2.0 * reach / f64::from(steps);
    let sum: f64 = (0..steps)
        .map(|i| {
            let x = -reach + (f64::from(i) + 0.5) * width;
            0.5 * (-x.abs()).exp() * width * upper(t - scale * x)
        })
        .sum();
    2.0 * sum
}

#[test]
fn the_tail_of_a_combination_is_that_of_the_convolution() {
    let tails = Tails::default();
    let noise = Noise::Laplace("1".parse().unwrap());
    let cases: [&[f64]; 8] = [
        &[1.0],
        &[0.5, 0.5],
        &[0.9, 0.1],
        &[0.25, 0.5, 0.25],
        &[1.0, 0.0, 0.5],
        &[0.0, 0.5, 0.0],
        &[0.3, 0.31],
        &[1.0, 0.7, 0.4],
    ];
    for weights in cases {
        for beta in ["0.3", "0.05", "0.001"] {
            let beta: Beta = beta.parse().unwrap();
            let bounds: Vec<Up> = weights.iter().map(|&weight| Up::exact(weight)).collect();
            // A grid so fine that it does not matter.
            let t = tails
                .combined(&noise, GridExponent::new(-60).unwrap(), &bounds, &beta)
                .get();
            let scales: Vec<f64> = weights.iter().copied().filter(|&w| w > 0.0).collect();
            let exact = brute(&scales, t);
            let beta = beta.get().to_f64(lastbit_exact::Rounding::NearestEven);
            assert!(exact <= beta * 1.01, "{weights:?}: {exact} above {beta}");
            // Rounding weights up costs at most 3 % in t.
            assert!(
                brute(&scales, t * 0.97) >= beta * 0.99,
                "{weights:?} {beta}"
            );
        }
    }
}

#[test]
fn four_equal_weights_are_bounded_tightly() {
    // The sum of four Laplace noises: P(|S| > t) = e^−t (1 + 11t/16 + 3t²/16 + t³/48).
    let exact =
        |t: f64| (-t).exp() * (1.0 + 11.0 * t / 16.0 + 3.0 * t * t / 16.0 + t.powi(3) / 48.0);
    let tails = Tails::default();
    let noise = Noise::Laplace("1".parse().unwrap());
    for beta in ["0.05", "1e-6"] {
        let beta: Beta = beta.parse().unwrap();
        let t = tails
            .combined(
                &noise,
                GridExponent::new(-60).unwrap(),
                &[Up::ONE; 4],
                &beta,
            )
            .get();
        let beta = beta.get().to_f64(lastbit_exact::Rounding::NearestEven);
        assert!(exact(t) <= beta && exact(t * 0.96) > beta, "{t} at {beta}");
    }
}

#[test]
fn tails_bound_what_the_samplers_draw() {
    let tails = Tails::default();
    for (scale, grid) in [("3", 0i64), ("0.07", -9), ("120.5", -4)] {
        let scale: Rational = scale.parse().unwrap();
        for beta in ["0.5", "0.05", "0.0001"] {
            let beta: Beta = beta.parse().unwrap();
            let laplace = Noise::Laplace(Scale::new(scale.clone()).unwrap());
            let gaussian = Noise::Gaussian(Variance::new(&scale * &scale).unwrap());
            let sampler = Laplace::new(&scale, grid).unwrap();
            let normal = Gaussian::with_variance(&(&scale * &scale), grid).unwrap();
            for (noise, is_laplace) in [(laplace, true), (gaussian, false)] {
                let t = Rational::try_from(
                    tails
                        .beyond(&noise, GridExponent::new(grid).unwrap(), &beta)
                        .get(),
                )
                .unwrap();
                // P(cell ≤ −c) for the first cell beyond t, twice.
                let beyond = -((t.times_power_of_two(-grid)).floor() + lastbit_exact::Integer::ONE);
                let tail = if is_laplace {
                    sampler.cumulative_probability(&Rational::ZERO, &beyond)
                } else {
                    normal.cumulative_probability(&Rational::ZERO, &beyond)
                };
                assert!(
                    2.0 * tail.hi() <= beta.get().to_f64(lastbit_exact::Rounding::Up),
                    "{noise:?} {beta}"
                );
            }
        }
    }
}

/// `P(|S| > t)` by the characteristic function of the sum, inverted:
/// `1 − (2/π)∫ sin(ut)/u·Π 1/(1 + aᵢ²u²) du`.
fn inverted(scales: &[(f64, i32)], t: f64) -> f64 {
    let du = 1e-3;
    let inner: f64 = (0..60_000)
        .map(|i| {
            let u = (f64::from(i) + 0.5) * du;
            let law = scales
                .iter()
                .map(|&(a, count)| (1.0 + a * a * u * u).powi(-count));
            (u * t).sin() / u * law.product::<f64>() * du
        })
        .sum();
    1.0 - 2.0 / core::f64::consts::PI * inner
}

#[test]
fn the_tail_of_many_noises_holds_and_is_sharp() {
    let noise = Noise::Laplace("1".parse().unwrap());
    let cases: [&[(f64, i32)]; 7] = [
        &[(1.0, 7)],
        &[(1.0, 30)],
        &[(1.0, 400)],
        &[(1.0, 1), (0.25, 14), (0.125, 8)],
        &[(1.0, 1), (0.01, 50)],
        &[(1.0, 2), (0.0301, 500)],
        &[(1.0, 3), (0.9, 3), (0.333, 1)],
    ];
    for scales in cases {
        let weights = |&(a, count): &(f64, i32)| vec![Up::exact(a); count as usize];
        let weights: Vec<Up> = scales.iter().flat_map(weights).collect();
        for (text, beta) in [("0.3", 0.3), ("0.05", 0.05), ("0.001", 0.001)] {
            let exact: Beta = text.parse().unwrap();
            let of = |tails: Tails| {
                let grid = GridExponent::new(-60).unwrap();
                tails.combined(&noise, grid, &weights, &exact).get()
            };
            let (t, before) = (of(Tails::default()), of(Tails::by_moments()));
            let found = inverted(scales, t);
            assert!(found <= beta, "{scales:?}: {found} above {beta}");
            let less = t * 0.995;
            assert!(inverted(scales, less) > beta, "{scales:?} {beta}: {t}");
            assert!(t < before, "{scales:?} {beta}: {t} {before}");
        }
    }
    // Where the series is lost in rounding, the moments remain.
    let beta: Beta = "1e-30".parse().unwrap();
    let grid = GridExponent::new(-60).unwrap();
    let of = |tails: Tails| tails.combined(&noise, grid, &[Up::ONE; 9], &beta).get();
    assert!((of(Tails::default()) / of(Tails::by_moments()) - 1.0).abs() < 1e-2);
}

/// A guess of where a quantile is makes the search quick, and changes nothing that it finds.
#[test]
fn a_quantile_is_the_one_that_a_search_without_a_guess_finds() {
    for beta in ["0.05", "0.9", "1/320", "0.046875", "1e-9", "1e-40"] {
        let beta: Beta = beta.parse().unwrap();
        let half = beta.get().times_power_of_two(-1);
        let enough = |z: f64| {
            let tail = gaussian_mass(Some(&Rational::try_from(z).unwrap()), None).upper();
            Ok(Rational::try_from(tail.get()).unwrap() <= half)
        };
        let most = (-Interval::from_rational(&half).ln() * Interval::point(2.0)).sqrt();
        let most = most.hi().ceil().max(1.0) + 1.0;
        let least = if *beta.get() <= Rational::new(1, 2) {
            0.5
        } else {
            0.0
        };
        let found = solve::near_smallest_where(least..=most, 40, enough).unwrap();
        let expected = decimal::up(&Rational::try_from(found).unwrap(), DIGITS);
        let expected = Up::from_rational(&expected);
        assert_eq!(Tails::default().normal(&beta), expected, "{beta}");
        let guess = quantile_near(Down::from_rational(&half).get());
        assert!(
            (guess / found - 1.0).abs() < 2e-12,
            "{beta}: {guess} {found}"
        );
    }
}
