//! Profiles, compositions and filters against brute force over all outputs of small mechanisms.

use lastbit::accounting::{
    AdaptiveFilter, BestBounds, Composition, Currency, FilterLoss, FixedLosses, Pair, calibrate,
    gaussian_delta, gaussian_epsilon, gaussian_mu_squared, zcdp_delta, zcdp_epsilon,
    zcdp_total_variation,
};
use lastbit::conversions::{FinitePair, pure_to_zcdp, zcdp_to_approximate_delta};
use lastbit_exact::{Down, Interval, Rational, Up};

pub(super) fn rational(x: f64) -> Rational {
    Rational::try_from(x).unwrap()
}

/// `P(S) − e^ε·Q(S)` at its largest, over all outputs, in both orders.
pub(super) fn brute_force(outputs: &[(f64, f64)], epsilon: f64) -> f64 {
    let one_way = |turn: bool| -> f64 {
        let terms = outputs
            .iter()
            .map(|&(p, q)| if turn { (q, p) } else { (p, q) });
        terms.map(|(p, q)| (p - epsilon.exp() * q).max(0.0)).sum()
    };
    one_way(false).max(one_way(true))
}

/// All outputs of several releases.
pub(super) fn outputs(releases: &[Vec<(f64, f64)>]) -> Vec<(f64, f64)> {
    releases.iter().fold(vec![(1.0, 1.0)], |all, one| {
        let pairs = all
            .iter()
            .flat_map(|&(p, q)| one.iter().map(move |&(r, s)| (p * r, q * s)));
        pairs.collect()
    })
}

/// Both probabilities of each answer of randomized response.
pub(super) fn response(epsilon: f64, k: usize) -> Vec<(f64, f64)> {
    let lie = 1.0 / (epsilon.exp() + k as f64 - 1.0);
    let truth = lie * epsilon.exp();
    let mut list = vec![(truth, lie), (lie, truth)];
    list.extend((2..k).map(|_| (lie, lie)));
    list
}

/// Answers in f64 are within this of the exact ones.
pub(super) const ROUNDING: f64 = 1e-13;

pub(super) fn holds(delta: Interval, exact: f64, width: f64) {
    assert!(
        delta.lo() <= exact + ROUNDING && exact <= delta.hi() + ROUNDING,
        "{delta:?} {exact}"
    );
    assert!(delta.hi() - delta.lo() <= width, "{delta:?} {exact}");
}

#[test]
fn compositions_of_unequal_losses_equal_brute_force_over_all_outputs() {
    let losses = [0.5, 0.25, 0.375, 0.75];
    let releases: Vec<_> = losses.iter().map(|&loss| response(loss, 3)).collect();
    let all = outputs(&releases);
    assert_eq!(all.len(), 81);
    let pairs: Vec<_> = losses
        .iter()
        .map(|&loss| (Pair::response(&rational(loss), 3).unwrap(), 1))
        .collect();
    let composition = Composition::new(&pairs, Down::exact(1e-9)).unwrap();
    for i in 0..19 {
        let epsilon = f64::from(i) / 10.0;
        let delta = composition.delta(&rational(epsilon)).unwrap();
        holds(delta, brute_force(&all, epsilon), 2e-4);
    }
}

#[test]
fn the_pair_of_pure_losses_bounds_every_release_with_them() {
    // The optimal composition of unequal pure losses by its formula: all subsets.
    let losses = [0.7, 0.2, 0.4];
    let releases: Vec<_> = losses.iter().map(|&loss| response(loss, 2)).collect();
    let all = outputs(&releases);
    let pairs: Vec<_> = losses
        .iter()
        .map(|&loss| (Pair::pure(&rational(loss)).unwrap(), 1))
        .collect();
    let composition = Composition::new(&pairs, Down::exact(1e-9)).unwrap();
    for i in 0..13 {
        let epsilon = f64::from(i) / 10.0;
        let delta = composition.delta(&rational(epsilon)).unwrap();
        holds(delta, brute_force(&all, epsilon), 2e-4);
    }
    // Other releases that are as private have no larger δ.
    let others = outputs(&[response(0.7, 5), response(0.2, 3), response(0.4, 9)]);
    for i in 0..13 {
        let epsilon = f64::from(i) / 10.0;
        let delta = composition.delta_above(&rational(epsilon)).unwrap();
        assert!(brute_force(&others, epsilon) <= delta.get() + ROUNDING);
    }
}

#[test]
fn geometric_noise_equals_brute_force_over_a_window() {
    let (epsilon, distance) = (1.25f64, 5i32);
    let q = (-epsilon / f64::from(distance)).exp();
    let mass = |k: i32| (1.0 - q) / (1.0 + q) * q.powi(k.abs());
    // Beyond the window the mass is below 1e-21.
    let one: Vec<_> = (-200..=205)
        .map(|y| (mass(y), mass(y - distance)))
        .collect();
    let pair = Pair::geometric(&rational(epsilon), 5).unwrap();
    for i in 0..13 {
        let z = f64::from(i) / 10.0;
        holds(
            pair.delta(&rational(z)).unwrap(),
            brute_force(&one, z),
            1e-12,
        );
    }
    let twice = outputs(&[one.clone(), one]);
    let composition = Composition::new(&[(pair, 2)], Down::exact(1e-9)).unwrap();
    for i in 0..25 {
        let z = f64::from(i) / 10.0;
        holds(
            composition.delta(&rational(z)).unwrap(),
            brute_force(&twice, z),
            2e-4,
        );
    }
}

#[test]
fn every_release_of_a_bounded_range_is_below_its_pair_and_some_touch_it() {
    let eta = 1.0f64;
    let pair = Pair::bounded_range(&rational(eta)).unwrap();
    for i in 0..10 {
        let epsilon = f64::from(i) / 10.0;
        let delta = pair.delta(&rational(epsilon)).unwrap();
        let mut most: f64 = 0.0;
        // Two atoms, t and t − η; and three, by the exponential mechanism on scores.
        for j in 0..=1000 {
            let t = f64::from(j) / 1000.0 * eta;
            let p = (eta.exp() - t.exp()) / (eta.exp() - 1.0);
            let laws = [(p, p * (-t).exp()), (1.0 - p, (1.0 - p) * (eta - t).exp())];
            most = most.max(brute_force(&laws, epsilon));
        }
        for (a, b) in [(0.3, 0.9), (0.0, 1.0), (0.5, 0.5)] {
            let weights = |shift: f64| [1.0f64, (shift * a).exp(), (shift * b).exp()];
            let (x, y) = (weights(0.0), weights(eta));
            let (s, t): (f64, f64) = (x.iter().sum(), y.iter().sum());
            let laws: Vec<_> = x.iter().zip(y).map(|(p, q)| (p / s, q / t)).collect();
            most = most.max(brute_force(&laws, epsilon));
        }
        assert!(most <= delta.hi() + ROUNDING, "{epsilon}: {most} {delta:?}");
        assert!(delta.lo() <= most + 1e-6, "{epsilon}: {most} {delta:?}");
    }
}

#[test]
fn samples_equal_brute_force_over_both_orders() {
    let (loss, rate) = (1.5f64, 0.25f64);
    let base = response(loss, 3);
    // With one row more, the sample holds it with probability q: (1−q)A + qC against A.
    let one: Vec<_> = base
        .iter()
        .map(|&(c, a)| ((1.0 - rate) * a + rate * c, a))
        .collect();
    let pair = Pair::response(&rational(loss), 3)
        .unwrap()
        .poisson_sampled(&rational(rate))
        .unwrap();
    for i in 0..15 {
        let z = f64::from(i) / 10.0;
        holds(
            pair.delta(&rational(z)).unwrap(),
            brute_force(&one, z),
            1e-12,
        );
    }
    let thrice = outputs(&[one.clone(), one.clone(), one]);
    let composition = Composition::new(&[(pair, 3)], Down::exact(1e-9)).unwrap();
    for i in 0..25 {
        let z = f64::from(i) / 10.0;
        holds(
            composition.delta(&rational(z)).unwrap(),
            brute_force(&thrice, z),
            1e-3,
        );
    }
}

#[test]
fn a_loss_that_may_be_infinite_equals_brute_force() {
    let delta = 0.01;
    let mut one: Vec<_> = response(0.5, 2)
        .iter()
        .map(|(p, q)| (p * (1.0 - delta), q * (1.0 - delta)))
        .collect();
    one.extend([(delta, 0.0), (0.0, delta)]);
    let twice = outputs(&[one.clone(), one.clone()]);
    let pair = Pair::approximate(&rational(0.5), &rational(delta)).unwrap();
    let composition = Composition::new(&[(pair.clone(), 2)], Down::exact(1e-9)).unwrap();
    for i in 0..12 {
        let z = f64::from(i) / 10.0;
        holds(
            pair.delta(&rational(z)).unwrap(),
            brute_force(&one, z),
            1e-12,
        );
        holds(
            composition.delta(&rational(z)).unwrap(),
            brute_force(&twice, z),
            2e-4,
        );
    }
    // A sample of it: in one order the row cannot show.
    let sampled: Vec<_> = one.iter().map(|&(c, a)| (0.5 * a + 0.5 * c, a)).collect();
    let pair = pair.poisson_sampled(&Rational::new(1, 2)).unwrap();
    for i in 0..6 {
        let z = f64::from(i) / 10.0;
        holds(
            pair.delta(&rational(z)).unwrap(),
            brute_force(&sampled, z),
            1e-12,
        );
    }
}

#[test]
fn one_release_has_the_epsilon_of_its_own_delta() {
    let check = |pair: Pair, delta: &str, expected: f64| {
        let epsilon = pair.epsilon(&delta.parse().unwrap()).unwrap().unwrap();
        assert!((epsilon.get() - expected).abs() < 1e-4, "{epsilon}");
        // Just below it, the δ is larger.
        let below = rational(epsilon.get() * (1.0 - 1e-9));
        assert!(pair.delta(&below).unwrap().hi() > delta.parse::<f64>().unwrap() * (1.0 - 1e-12));
    };
    let one = Rational::ONE;
    check(Pair::pure(&one).unwrap(), "0.4", 0.2078);
    check(Pair::laplace(&one).unwrap(), "0.1", 0.7893);
    let range = Pair::bounded_range(&one).unwrap();
    check(range.clone(), "0.0774046863", 0.5);
    assert!(
        range
            .delta(&rational(0.5))
            .unwrap()
            .contains(0.0774046863156908)
    );
    let approximate = Pair::approximate(&one, &"1e-6".parse().unwrap()).unwrap();
    let own = approximate.epsilon(&"1e-6".parse().unwrap()).unwrap();
    assert_eq!(own, Some(Up::ONE));
    assert_eq!(approximate.epsilon(&"1e-7".parse().unwrap()).unwrap(), None);
}

#[test]
fn the_power_of_the_best_test_equals_brute_force() {
    // Of randomized response: all of the likelier answer, then a share of the other.
    let epsilon = 1f64;
    let pair = Pair::pure(&rational(epsilon)).unwrap();
    let composition = Composition::new(&[(pair, 1)], Down::exact(1e-9)).unwrap();
    let lie = 1.0 / (1.0 + epsilon.exp());
    for level in [0.0, 0.05, 0.2, lie, 0.5, 0.9, 1.0] {
        let exact = if level <= lie {
            level * epsilon.exp()
        } else {
            1.0 - lie + (level - lie) * (-epsilon).exp()
        };
        holds(composition.power(&rational(level)).unwrap(), exact, 1e-4);
    }
}

#[test]
fn a_calibrated_loss_fits_and_a_larger_one_does_not() {
    let (epsilon, delta) = (Rational::ONE, Rational::new(1, 1_000_000));
    for pair in [Pair::laplace, Pair::pure, Pair::bounded_range] {
        let each = calibrate(pair, 20, &epsilon, &delta).unwrap();
        let price = |each: &Rational| {
            let releases = [(pair(each).unwrap(), 20)];
            let all = BestBounds::new(&releases, Down::from_rational(&delta)).unwrap();
            all.epsilon_above(&delta).unwrap().get()
        };
        assert!(price(&each) <= 1.0);
        assert!(price(&(&each * &Rational::new(100_001, 100_000))) > 1.0);
    }
}

#[test]
fn gaussian_inverses_meet_the_profile() {
    for (epsilon, delta) in [
        ("2", "1e-7"),
        ("0.1", "1e-3"),
        ("10", "1e-30"),
        ("0", "0.3"),
    ] {
        let (epsilon, delta): (Rational, Rational) =
            (epsilon.parse().unwrap(), delta.parse().unwrap());
        let squared = gaussian_mu_squared(&epsilon, &delta).unwrap();
        let squared = rational(squared.get());
        let at = gaussian_delta(&squared, &epsilon).unwrap();
        let target = Down::from_rational(&delta).get();
        assert!(
            at.hi() <= target && at.hi() >= target * (1.0 - 1e-9),
            "{at:?}"
        );
        let back = gaussian_epsilon(&squared, &delta).unwrap();
        assert!((back.get() - Down::from_rational(&epsilon).get()).abs() < 1e-9);
    }
    // The figures of the plan that asked for it: μ = 0.408 where zCDP allows 0.385.
    let squared = gaussian_mu_squared(&Rational::from(2i64), &"1e-7".parse().unwrap()).unwrap();
    assert!((squared.get().sqrt() - 0.408).abs() < 5e-4);
}

#[test]
fn zcdp_near_zero_holds_for_releases_that_are_zcdp() {
    assert_eq!(
        zcdp_total_variation(Up::exact(0.5)).unwrap(),
        Up::exact(0.5)
    );
    for loss in [0.1, 0.5, 1.0, 2.0, 4.0] {
        let rho = pure_to_zcdp(Up::exact(loss)).unwrap();
        let [p, q] = [response(loss, 2)[0].0, response(loss, 2)[0].1].map(rational);
        let (p_rest, q_rest) = (&Rational::ONE - &p, &Rational::ONE - &q);
        let pair = FinitePair::new(vec![p, p_rest], vec![q, q_rest]).unwrap();
        for i in 0..20 {
            let epsilon = f64::from(i) / 10.0;
            let bound = zcdp_delta(rho, Down::exact(epsilon)).unwrap();
            let exact = pair.delta(&rational(epsilon)).unwrap();
            assert!(bound.get() >= exact.lo(), "{loss} {epsilon}");
            assert!(bound <= zcdp_to_approximate_delta(rho, Down::exact(epsilon)).unwrap());
        }
    }
    for mu in [0.1, 0.5, 1.0, 2.0] {
        let rho = Up::exact(mu * mu / 2.0);
        for i in 0..20 {
            let epsilon = f64::from(i) / 10.0;
            let exact = gaussian_delta(&rational(mu * mu), &rational(epsilon)).unwrap();
            assert!(zcdp_delta(rho, Down::exact(epsilon)).unwrap().get() >= exact.lo());
            let delta = Down::exact(exact.lo());
            assert!(zcdp_epsilon(rho, delta).unwrap().get() >= epsilon * (1.0 - 1e-9));
        }
    }
}

/// The largest δ at ε that an analyst can reach who, after each answer, chooses the next release
/// from a menu, as long as a filter admits it: by trying everything.
fn best_attack(
    filter: &AdaptiveFilter,
    menu: &[(f64, FilterLoss)],
    loss: f64,
    epsilon: f64,
    depth: u32,
) -> f64 {
    let mut best = (1.0 - (epsilon - loss).exp()).max(0.0);
    if depth == 0 {
        return best;
    }
    for (each, charge) in menu {
        let mut next = filter.clone();
        if next.charge(charge).is_err() {
            continue;
        }
        let truth = 1.0 / (1.0 + (-each).exp());
        let up = best_attack(&next, menu, loss + each, epsilon, depth - 1);
        let down = best_attack(&next, menu, loss - each, epsilon, depth - 1);
        best = best.max(truth * up + (1.0 - truth) * down);
    }
    best
}

#[test]
fn no_adaptive_analyst_exceeds_a_filter() {
    for (epsilon, delta) in [(1.0, 0.2), (0.5, 0.1), (0.25, 0.05)] {
        let filter = AdaptiveFilter::new(
            Currency::Zcdp,
            &rational(epsilon),
            &rational(delta),
            &Rational::ZERO,
        )
        .unwrap();
        let menu: Vec<_> = [0.3, 0.6]
            .into_iter()
            .map(|share| {
                let each = share * epsilon;
                let rho = rational(pure_to_zcdp(Up::exact(each)).unwrap().get());
                (each, FilterLoss::zcdp(rho, Rational::ZERO).unwrap())
            })
            .collect();
        let reached = best_attack(&filter, &menu, 0.0, epsilon, 8);
        assert!(reached <= delta, "{reached} of {delta}");
        assert!(reached > 0.0);
        // The attack finds a filter that is too large: one for twice the ε and ten times the δ.
        let planted = AdaptiveFilter::new(
            Currency::Zcdp,
            &rational(2.0 * epsilon),
            &rational((10.0 * delta).min(0.9)),
            &Rational::ZERO,
        )
        .unwrap();
        let reached = best_attack(&planted, &menu, 0.0, epsilon, 8);
        assert!(reached > delta, "{reached} of {delta}");
    }
}

/// A filter that spends one δ on Gaussian noise and on thresholds alike, whichever the analyst asks
/// for, is not (ε, δ) private: who has seen a large loss goes on with noise, who has seen a small
/// one takes the rest of δ.
#[test]
fn erratum_17_a_shared_delta_is_exceeded_by_an_adaptive_analyst() {
    let (epsilon, delta) = (Rational::ONE, Rational::new(1, 100));
    let whole = rational(gaussian_mu_squared(&epsilon, &delta).unwrap().get());
    let half = whole.times_power_of_two(-1);
    let mu = Down::from_rational(&half).get().sqrt();
    // What is left of δ after the first release, as (1 − s) outside of s: δ_1 + s ≤ δ.
    let first = gaussian_delta(&half, &epsilon).unwrap();
    let share = Down::from_rational(&delta).get() - first.hi();
    assert!(share > 0.0);
    let normal = |x: f64| lastbit_noise::gaussian_mass(None, Some(&rational(x)));
    // A lower bound of E[max(V_noise, V_threshold)] over the first loss, in small steps.
    let steps = 2000;
    let (low, high) = (-6.0 * mu, 7.0 * mu);
    let mut reached = 0.0;
    let mut noise_alone = 0.0;
    for i in 0..steps {
        let z = low + (high - low) * f64::from(i) / f64::from(steps);
        let next = low + (high - low) * f64::from(i + 1) / f64::from(steps);
        let place = |z: f64| (z - mu * mu / 2.0) / mu;
        let mass = normal(place(next)).lo() - normal(place(z)).hi();
        // Both values grow with the loss, so their values at the lower end are least.
        let gone = 1.0 - z;
        let by_noise = if gone >= 0.0 {
            gaussian_delta(&half, &rational(gone)).unwrap().lo()
        } else {
            let other = gaussian_delta(&half, &rational(-gone)).unwrap().lo();
            1.0 - gone.exp() + gone.exp() * other
        };
        let by_threshold = share + (1.0 - share) * (1.0 - gone.exp()).max(0.0);
        reached += mass.max(0.0) * by_noise.max(by_threshold);
        noise_alone += mass.max(0.0) * by_noise;
    }
    // Either way alone is within the budget.
    assert!(noise_alone <= 0.01);
    // Both together are not.
    assert!(reached > 0.0115, "{reached}");
}

#[test]
fn laplace_noise_on_several_numbers_is_dominated_by_noise_on_one() {
    // The profile of two is the mean of the profile of one over the loss of the other: two atoms
    // and a density, by the middles of many cells.
    let profile = |a: f64, z: f64| match z {
        z if z >= a => 0.0,
        z if z <= -a => 1.0 - z.exp(),
        z => 1.0 - ((z - a) / 2.0).exp(),
    };
    for (a, b) in [(0.5, 0.5), (1.0, 0.25), (2.0, 1.5)] {
        let one = Pair::laplace(&rational(a + b)).unwrap();
        let two = [a, b].map(|each| (Pair::laplace(&rational(each)).unwrap(), 1));
        let composition = Composition::new(&two, Down::exact(1e-9)).unwrap();
        for i in 0..20 {
            let z = f64::from(i) / 20.0 * (a + b);
            let cells = 20_000;
            let width = 2.0 * b / f64::from(cells);
            let between: f64 = (0..cells)
                .map(|cell| {
                    let l = -b + width * (f64::from(cell) + 0.5);
                    width * (-(b - l) / 2.0).exp() / 4.0 * profile(a, z - l)
                })
                .sum();
            let atoms = profile(a, z - b) / 2.0 + (-b).exp() / 2.0 * profile(a, z + b);
            let exact = atoms + between;
            let bound = one.delta(&rational(z)).unwrap();
            assert!(exact <= bound.hi() + 1e-9, "{a} {b} {z}");
            let product = composition.delta(&rational(z)).unwrap();
            assert!(product.lo() <= exact + 1e-6 && exact <= product.hi() + 1e-6);
            // The formula of the proof.
            let u = (z - (a - b)).max(0.0);
            let formula = 1.0 - (1.0 + b / 2.0 - u / 4.0) * ((z - a - b) / 2.0).exp();
            assert!((formula - exact).abs() < 1e-6, "{formula} {exact}");
        }
    }
}

#[test]
fn gaussian_noise_composes_as_one_and_with_others() {
    let delta = Down::exact(1e-6);
    let pair = |mu: f64| Pair::gaussian(&rational(mu)).unwrap();
    let all = Composition::new(&[(pair(0.006), 10_000), (pair(0.8), 1)], delta).unwrap();
    let exact = gaussian_epsilon(&rational(1.0), &rational(1e-6)).unwrap();
    let found = all.epsilon(delta).unwrap();
    assert!(found.lo() <= exact.get() && exact.get() <= found.hi() + 1e-9);
    assert!(found.width().get() < 1e-3, "{found:?}");
    let mut losses = FixedLosses::gaussian(rational(0.25));
    losses.add(&FixedLosses::laplace(rational(0.125)));
    losses.add(&FixedLosses::bounded_range(rational(0.0625), 2));
    losses.add(&FixedLosses::bounded_range(rational(0.0625), 1));
    let pairs = [
        (pair(0.5), 1),
        (Pair::laplace(&rational(0.125)).unwrap(), 1),
        (Pair::bounded_range(&rational(0.0625)).unwrap(), 3),
    ];
    let fine = Composition::new(&pairs, delta).unwrap();
    let coarse = losses.epsilon(&rational(1e-6)).unwrap().get();
    let fine = fine.epsilon(delta).unwrap();
    assert!(
        fine.lo() <= coarse && coarse <= fine.hi() * (1.0 + 1e-3),
        "{coarse} {fine:?}"
    );
    assert_eq!(losses.mu_squared(), None);
}
