//! Thresholds: δ from the exact tail of the noise, against the exact law of what is published.

use std::collections::BTreeMap;

use lastbit::MetricSpace;
use lastbit::domains::{AtomDomain, MapDomain};
use lastbit::mechanisms::{
    Delta, NoisyNumber, Scale, ThresholdGaussian, ThresholdLaplace, gaussian_threshold,
    laplace_threshold, threshold_gaussian, threshold_laplace,
};
use lastbit::metrics::{Contribution, ContributionDistance};
use lastbit_exact::{Integer, Rational};
use lastbit_noise::enumerate::Prefix;
use lastbit_noise::{Gaussian, Laplace};

use super::laws::*;

type Keys = AtomDomain<u64>;

fn counts<T: NoisyNumber>() -> MapDomain<Keys, AtomDomain<T>> {
    MapDomain::new(AtomDomain::new(), AtomDomain::new())
}

fn contribution(keys: u64, each: &str) -> Contribution {
    Contribution::new(keys, number(each)).unwrap()
}

fn laplace(scale: &str, grid: i64, threshold: &str) -> ThresholdLaplace<Keys, i64> {
    threshold_laplace(counts(), &scale.parse().unwrap(), grid, &number(threshold)).unwrap()
}

fn gaussian(variance: &str, grid: i64, threshold: &str) -> ThresholdGaussian<Keys, i64> {
    threshold_gaussian(
        counts(),
        &variance.parse().unwrap(),
        grid,
        &number(threshold),
    )
    .unwrap()
}

/// What becomes of one key on the integers: probability of no release, then of each cell from the
/// threshold on.
fn key_law(
    cumulative: impl Fn(&Rational, &Integer) -> f64,
    value: i64,
    threshold: i64,
) -> Vec<f64> {
    if value == 0 {
        return std::iter::once(1.0).chain([0.0; 80]).collect();
    }
    let value = Rational::from(value);
    // By symmetry, so that far tails keep their digits.
    let tail = |cell: i64| cumulative(&-&value, &Integer::from(-cell));
    std::iter::once(1.0 - tail(threshold))
        .chain((0..80).map(|i| tail(threshold + i) - tail(threshold + i + 1)))
        .collect()
}

/// `sup_S P(S) − e^ε Q(S)` for maps with two keys, in both orders.
fn delta_of(epsilon: f64, left: [&Vec<f64>; 2], right: [&Vec<f64>; 2]) -> f64 {
    let product = |law: [&Vec<f64>; 2]| -> Vec<f64> {
        let rows = law[0].iter();
        rows.flat_map(|a| law[1].iter().map(move |b| a * b))
            .collect()
    };
    let (p, q) = (product(left), product(right));
    let excess = |p: &[f64], q: &[f64]| -> f64 {
        let pairs = p.iter().zip(q);
        pairs.map(|(p, q)| (p - epsilon.exp() * q).max(0.0)).sum()
    };
    excess(&p, &q).max(excess(&q, &p))
}

#[test]
fn laplace_thresholds_are_private_between_all_small_maps() {
    for (scale, threshold) in [("1", 4), ("0.8", 3), ("2.5", 2)] {
        let sampler = Laplace::new(&number(scale), 0).unwrap();
        let law = |value| {
            key_law(
                |at, cell| sampler.cumulative_probability(at, cell).midpoint(),
                value,
                threshold,
            )
        };
        let laws: Vec<Vec<f64>> = (0..=4).map(law).collect();
        let release = laplace(scale, 0, &threshold.to_string());
        for x in 0..25 {
            for y in 0..25 {
                let [a, b, c, d] = [x / 5, x % 5, y / 5, y % 5];
                let map = |a: usize, b: usize| BTreeMap::from([(0, a as i64), (1, b as i64)]);
                let domain = counts::<i64>();
                let distance = domain
                    .distance(&ContributionDistance, &map(a, b), &map(c, d))
                    .unwrap();
                let loss = release.map(&distance).unwrap();
                let delta = delta_of(
                    loss.loss().get(),
                    [&laws[a], &laws[b]],
                    [&laws[c], &laws[d]],
                );
                let stated = loss.delta().get();
                assert!(delta <= stated + 1e-13, "{x} {y}: {delta} > {stated}");
                // Reached when every key that differs is absent from one map and has the largest
                // value in the other.
                let alone = (c == 0 && d == 0) && (a == b || a == 0 || b == 0);
                if alone {
                    assert!((delta - stated).abs() <= 1e-13, "{x} {y}: {delta} {stated}");
                }
            }
        }
    }
}

#[test]
fn gaussian_thresholds_are_private_given_that_no_new_key_appears() {
    // (ρ, δ): the conditional laws are ρ-close, and the condition has probability 1 − δ.
    let (variance, threshold) = ("4", 9);
    let sampler = Gaussian::with_variance(&number(variance), 0).unwrap();
    let law = |value| {
        key_law(
            |at, cell| sampler.cumulative_probability(at, cell).midpoint(),
            value,
            threshold,
        )
    };
    let release = gaussian(variance, 0, &threshold.to_string());
    for (from, to) in [(1, 2), (3, 5), (7, 8), (8, 12)] {
        let distance = contribution(1, &(to - from).to_string());
        let rho = *release.map(&distance).unwrap().loss();
        for order in [1.01, 2.0, 4.0, 8.0] {
            let both = [[from, to], [to, from]].map(|[p, q]| {
                let terms = law(p).into_iter().zip(law(q));
                let sum: f64 = terms
                    .filter(|(p, q)| *p > 0.0 && *q > 0.0)
                    .map(|(p, q)| (order * p.ln() + (1.0 - order) * q.ln()).exp())
                    .sum();
                sum.ln() / (order - 1.0)
            });
            assert!(
                both[0].max(both[1]) <= order * rho.get() + 1e-9,
                "{from} {to} {order}"
            );
        }
    }
    for keys in [1, 2, 7] {
        let loss = release.map(&contribution(keys, "1")).unwrap();
        assert_eq!(loss.loss().get(), keys as f64 / 8.0);
        let published = 1.0 - law(1)[0];
        let some = -(keys as f64 * (-published).ln_1p()).exp_m1();
        assert!((loss.delta().get() / some - 1.0).abs() <= 1e-6);
    }
}

#[test]
fn delta_is_the_probability_that_the_program_publishes_a_key() {
    let release = laplace("1.5", 1, "7");
    let map = BTreeMap::from([(3, 2i64)]);
    let law = signed_law(40, |entropy| {
        // Monotone: none, then the values from the threshold on.
        Ok(release
            .invoke_with(&map, entropy)?
            .get(&3)
            .copied()
            .unwrap_or(i64::MIN))
    });
    assert!(
        law.keys()
            .all(|value| *value == i64::MIN || (*value >= 8 && value % 2 == 0))
    );
    let (lo, hi) = &law[&i64::MIN];
    let delta =
        Rational::try_from(release.map(&contribution(1, "2")).unwrap().delta().get()).unwrap();
    assert!(delta >= Rational::ONE - Rational::from(hi));
    assert!(delta <= Rational::ONE - Rational::from(lo) + Rational::ONE.times_power_of_two(-50));

    let release = gaussian("2", 0, "5");
    let map = BTreeMap::from([(3, 1i64)]);
    let law = monotone_law(30, |entropy| {
        Ok(release
            .invoke_with(&map, entropy)?
            .get(&3)
            .copied()
            .unwrap_or(i64::MIN))
    });
    let (lo, hi) = &law[&i64::MIN];
    let delta =
        Rational::try_from(release.map(&contribution(1, "1")).unwrap().delta().get()).unwrap();
    assert!(delta >= Rational::ONE - Rational::from(hi));
    assert!(delta <= Rational::ONE - Rational::from(lo) + Rational::ONE.times_power_of_two(-50));
}

#[test]
fn delta_follows_the_closed_form_from_small_to_large() {
    // τ = ½ exp(−(T − ½ − Δ∞)/s), computed apart for s = 1/2, T = 20, Δ∞ = 1: ½ e^-37.
    let release = laplace("0.5", 0, "20");
    let tau = 4.266_523_812_872_033e-17;
    for (keys, factor) in [(1, 1.0), (3, 3.0), (1_000_000, 1e6)] {
        let delta = release.map(&contribution(keys, "1")).unwrap().delta().get();
        assert!((delta / (tau * factor) - 1.0).abs() <= 1e-9, "{delta}");
    }
    // Far more keys than 1/τ: a key appears for certain. A threshold below the value: τ is above
    // one half.
    assert_eq!(
        release
            .map(&contribution(u64::MAX, "1"))
            .unwrap()
            .delta()
            .get(),
        1.0
    );
    assert!(
        laplace("1", 0, "-100")
            .map(&contribution(1, "1"))
            .unwrap()
            .delta()
            .get()
            > 0.999
    );
    assert!(
        laplace("1", 0, "1000")
            .map(&contribution(1, "1"))
            .unwrap()
            .delta()
            .get()
            > 0.0
    );
    let nobody = release.map(&contribution(0, "1")).unwrap();
    assert_eq!((nobody.loss().get(), nobody.delta().get()), (0.0, 0.0));
}

#[test]
fn the_threshold_found_is_the_smallest() {
    for grid in [-3i64, 0, 2] {
        for keys in [1, 5] {
            for delta in ["1e-3", "1e-9", "1e-15"] {
                let (bound, each): (Delta, _) = (delta.parse().unwrap(), contribution(keys, "3/2"));
                let step = Rational::ONE.times_power_of_two(grid);
                let within = |delta: lastbit_exact::Up| {
                    Rational::try_from(delta.get()).unwrap() <= *bound.get()
                };

                let scale: Scale = "1.7".parse().unwrap();
                let threshold = laplace_threshold(&scale, grid, &each, &bound).unwrap();
                let delta = |threshold: &Rational| {
                    let domain = counts::<Rational>();
                    threshold_laplace(domain, &scale, grid, threshold)
                        .unwrap()
                        .map(&each)
                        .unwrap()
                        .delta()
                };
                assert!(within(delta(&threshold)) && !within(delta(&(&threshold - &step))));
                // Between two points of the grid a threshold is as good as the next point.
                assert_eq!(
                    delta(&(&threshold - &step.times_power_of_two(-1))),
                    delta(&threshold)
                );

                let variance = "6".parse().unwrap();
                let threshold = gaussian_threshold(&variance, grid, &each, &bound).unwrap();
                let delta = |threshold: &Rational| {
                    let domain = counts::<Rational>();
                    threshold_gaussian(domain, &variance, grid, threshold)
                        .unwrap()
                        .map(&each)
                        .unwrap()
                        .delta()
                };
                assert!(within(delta(&threshold)) && !within(delta(&(&threshold - &step))));
            }
        }
    }
}

#[test]
fn a_key_with_value_zero_is_a_key_that_is_not_there() {
    // At distance zero from each other, so that the laws must be the same: also under a threshold
    // that noise alone reaches.
    let release = laplace("100", 0, "-1000");
    for value in [0, 1] {
        let map = BTreeMap::from([(7, value)]);
        let mut bits = Prefix::of_words([u64::MAX / 3], u64::MAX / 5);
        let published = release.invoke_with(&map, &mut bits).unwrap();
        assert_eq!(published.len(), value as usize);
        assert_eq!(bits.words_read(), value as usize);
    }
    let doubles =
        threshold_laplace(counts::<f64>(), &"1".parse().unwrap(), -4, &number("-50")).unwrap();
    assert!(
        doubles
            .invoke(&BTreeMap::from([(1, -0.0)]))
            .unwrap()
            .is_empty()
    );
}

#[test]
fn what_is_published_reaches_the_threshold_in_the_order_of_the_keys() {
    let map: BTreeMap<u64, i64> = (0..500).map(|key| (key, key as i64 % 40)).collect();
    for release in [
        laplace("3", 1, "15.5").invoke(&map),
        gaussian("9", 1, "15.5").invoke(&map),
    ] {
        let published = release.unwrap();
        assert!(
            published
                .values()
                .all(|value| *value >= 16 && value % 2 == 0)
        );
        // Keys far above and far below: each is wrong with probability below e^-30.
        let large = laplace("0.5", 0, "20").invoke(&map).unwrap();
        for (key, value) in &map {
            if *value >= 35 || *value <= 5 {
                assert_eq!(large.contains_key(key), *value >= 35, "{key}");
            }
            if let Some(noisy) = large.get(key) {
                assert!((noisy - value).abs() <= 20, "the noise of another key");
            }
        }
        assert!(!published.is_empty());
    }
}

#[test]
fn thresholds_beyond_doubles_and_at_the_ends_of_integers_hold() {
    // The output saturates; the comparison does not.
    let high =
        threshold_laplace(counts::<i64>(), &"1".parse().unwrap(), 0, &number("1e30")).unwrap();
    assert!(
        high.invoke(&BTreeMap::from([(1, i64::MAX)]))
            .unwrap()
            .is_empty()
    );
    let low =
        threshold_laplace(counts::<i64>(), &"1".parse().unwrap(), 0, &number("-1e30")).unwrap();
    let published = low
        .invoke(&BTreeMap::from([(1, i64::MIN), (2, 5), (3, i64::MAX)]))
        .unwrap();
    assert_eq!(published.len(), 3);
    assert!(published[&3] > i64::MAX - 100 && published[&1] < i64::MIN + 100);
    let loss = low.map(&contribution(1, "1")).unwrap();
    assert_eq!(loss.delta().get(), 1.0);
}
