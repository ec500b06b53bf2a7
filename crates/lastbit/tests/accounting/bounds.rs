//! Where one pair stands for many releases, and at the ends of what can be computed.

use lastbit::accounting::{
    BestBounds, Composition, Divergences, Pair, gaussian_epsilon, zcdp_delta, zcdp_epsilon,
};
use lastbit::conversions::LossBound;
use lastbit_exact::{Down, Rational, Up};

use super::exact::{ROUNDING, brute_force, holds, outputs, rational, response};

/// All products of two-atom pairs of one range, each with its own t on a lattice.
fn products_of_a_range(eta: f64, releases: usize) -> Vec<Vec<(f64, f64)>> {
    let atoms = |j: u32| {
        let t = f64::from(j) / 8.0 * eta;
        let p = (eta.exp() - t.exp()) / (eta.exp() - 1.0);
        vec![(p, p * (-t).exp()), (1.0 - p, (1.0 - p) * (eta - t).exp())]
    };
    let mut lists: Vec<Vec<Vec<(f64, f64)>>> = vec![vec![]];
    for _ in 0..releases {
        let shorter = core::mem::take(&mut lists);
        for (list, j) in shorter
            .iter()
            .flat_map(|list| (0..=8).map(move |j| (list, j)))
        {
            lists.push([list.clone(), vec![atoms(j)]].concat());
        }
    }
    lists.iter().map(|list| outputs(list)).collect()
}

#[test]
fn the_lower_bound_of_bounded_ranges_is_below_what_some_releases_cost() {
    let (eta, count) = (2.0, 3);
    let products = products_of_a_range(eta, count);
    let pair = Pair::bounded_range(&rational(eta)).unwrap();
    let all = Composition::new(&[(pair, count as u64)], Down::exact(1e-9)).unwrap();
    for i in 0..11 {
        let z = f64::from(i) / 2.0;
        let delta = all.delta(&rational(z)).unwrap();
        let reached = products.iter().map(|law| brute_force(law, z));
        let reached = reached.fold(0.0, f64::max);
        assert!(delta.lo() <= reached + ROUNDING, "{z}: {delta:?} {reached}");
        assert!(delta.hi() >= reached - ROUNDING, "{z}: {delta:?} {reached}");
    }
    // And it says something.
    assert!(all.delta(&Rational::ONE).unwrap().lo() > 0.3);
}

#[test]
fn erratum_18_the_pairs_of_ranges_are_above_every_release() {
    let delta = Down::exact(1e-6);
    let pair = Pair::bounded_range(&Rational::ONE).unwrap();
    let all = Composition::coarse(&[(pair, 100)], delta).unwrap();
    let range = (LossBound::BoundedRange(Up::ONE), Rational::ZERO, 100);
    let losses = Divergences::new([range]).unwrap();
    let renyi = losses.epsilon(&Rational::new(1, 1_000_000)).unwrap();
    let by_pairs = all.epsilon(delta).unwrap();
    assert!(renyi.get() < 36.37 && by_pairs.hi() > 41.0);
    assert!(by_pairs.lo() <= renyi.get() && by_pairs.lo() > 30.0);
    let at = all.delta(&rational(36.37)).unwrap();
    let least = losses.delta(&rational(36.37)).unwrap();
    assert!(least.get() <= 1e-6 && at.lo() <= least.get());
    let level = Rational::new(1, 1_000_000_000i64);
    let power = all.power(&level).unwrap();
    let most = losses.power(&level).unwrap();
    assert!(power.lo() <= most.get() && most.get() <= power.hi());
}

fn most(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, f64::max)
}

/// Laws of one range, with a rest of mass δ that tells all.
fn with_rest(laws: &[(f64, f64)], delta: f64) -> Vec<(f64, f64)> {
    let shared = laws
        .iter()
        .map(|(p, q)| ((1.0 - delta) * p, (1.0 - delta) * q));
    shared.chain([(delta, 0.0), (0.0, delta)]).collect()
}

#[test]
fn divergences_but_for_a_rest_are_above_every_product() {
    let (eta, count, own) = (2.0, 3, 0.01);
    let loss = LossBound::BoundedRange(Up::exact(eta));
    let sum = Divergences::new([(loss, rational(own), count as u64)]).unwrap();
    let pair = Pair::bounded_range(&rational(eta)).unwrap();
    let pair = pair.with_delta(&rational(own)).unwrap();
    let all = BestBounds::new(&[(pair, count as u64)], Down::exact(1e-9)).unwrap();
    let atoms = |j: u32| {
        let t = f64::from(j) / 4.0 * eta;
        let p = (eta.exp() - t.exp()) / (eta.exp() - 1.0);
        let laws = [(p, p * (-t).exp()), (1.0 - p, (1.0 - p) * (eta - t).exp())];
        with_rest(&laws, own)
    };
    let mut products = Vec::new();
    for (i, j, k) in (0..125).map(|n| (n % 5, n / 5 % 5, n / 25)) {
        products.push(outputs(&[atoms(i), atoms(j), atoms(k)]));
    }
    for i in 0..13 {
        let z = f64::from(i) / 2.0;
        let reached = most(products.iter().map(|law| brute_force(law, z)));
        let by_divergences = sum.delta(&rational(z)).unwrap().get();
        let bounds = all.delta(&rational(z)).unwrap();
        for upper in [by_divergences, bounds.hi()] {
            assert!(upper >= reached - ROUNDING, "{z}: {upper} {reached}");
        }
        assert!(bounds.hi() <= by_divergences && bounds.lo() <= reached + ROUNDING);
    }
    for level in [0.0, 1e-4, 0.1] {
        let reached = most(products.iter().map(|law| neyman_pearson(law, level)));
        let by_divergences = sum.power(&rational(level)).unwrap().get();
        assert!(by_divergences >= reached - ROUNDING, "{level}: {reached}");
    }
    // With δ below that of the rests nothing is known; a little above it is.
    assert!(!sum.epsilon(&rational(0.03)).unwrap().is_finite());
    assert!(sum.epsilon(&rational(0.0300001)).unwrap().is_finite());
}

#[test]
fn divergences_win_for_many_ranges_with_thresholds_and_are_unknown_of_samples() {
    let delta = Rational::new(1, 1_000_000);
    let range = Pair::bounded_range(&Rational::ONE).unwrap();
    let own = Rational::new(1, 1_000_000_000);
    let thresholds = [(range.clone().with_delta(&own).unwrap(), 100)];
    let smallest = Down::from_rational(&delta);
    let by_laws = BestBounds::by_laws(&thresholds, smallest).unwrap();
    let best = BestBounds::new(&thresholds, smallest).unwrap();
    let (by_laws, best) = (by_laws.epsilon(&delta), best.epsilon(&delta));
    let (by_laws, best) = (by_laws.unwrap(), best.unwrap());
    assert!(by_laws.hi() > 41.0 && best.hi() < 36.5 && best.lo() == by_laws.lo());
    let samples = [(range.poisson_sampled(&Rational::new(1, 2)).unwrap(), 100)];
    let both = [
        BestBounds::by_laws(&samples, smallest).unwrap(),
        BestBounds::new(&samples, smallest).unwrap(),
    ];
    let [by_laws, best] = both.map(|all| all.epsilon(&delta).unwrap());
    assert_eq!(by_laws.hi(), best.hi());
}

#[test]
fn geometric_noise_for_a_long_distance_costs_what_laplace_noise_does() {
    let epsilon = rational(0.5);
    let delta = Down::exact(1e-9);
    let costs = |pair: Pair| {
        let all = Composition::coarse(&[(pair, 100)], delta).unwrap();
        all.epsilon(delta).unwrap()
    };
    let geometric = costs(Pair::geometric(&epsilon, 1 << 16).unwrap());
    let laplace = costs(Pair::laplace(&epsilon).unwrap());
    // It is Laplace noise rounded to a fine grid: post-processing.
    assert!(geometric.lo() <= laplace.hi() && geometric.hi() < laplace.hi() + 1e-9);
    assert!(geometric.hi() > laplace.hi() - 1e-3 && geometric.lo() > laplace.lo() - 1e-2);
    // A loss too small for doubles is one of next to nothing.
    let tiny: Rational = "1e-295".parse().unwrap();
    assert!(
        Pair::geometric(&tiny, 1 << 16)
            .unwrap()
            .delta(&Rational::ZERO)
            .unwrap()
            .hi()
            < 1e-290
    );
}

#[test]
fn one_law_alone_is_bounded_by_its_own_profile() {
    // Two Gaussians are one: exact to more digits than a grid has.
    let mu = |n| Pair::gaussian(&Rational::from(n)).unwrap();
    let delta = Rational::new(1, 1_000_000);
    let all = BestBounds::new(&[(mu(3i64), 1), (mu(2i64), 4)], Down::exact(1e-6)).unwrap();
    let closed = gaussian_epsilon(&Rational::from(25i64), &delta)
        .unwrap()
        .get();
    let epsilon = all.epsilon(&delta).unwrap();
    assert!(
        (epsilon.hi() - closed).abs() < 1e-9 * closed,
        "{epsilon:?} {closed}"
    );
    // An (ε, δ) release has its own ε at its own δ.
    let own = Pair::approximate(&Rational::ONE, &delta).unwrap();
    let all = BestBounds::new(&[(own, 1)], Down::from_rational(&delta)).unwrap();
    let epsilon = all.epsilon(&delta).unwrap();
    assert!(
        epsilon.hi() <= 1.000_000_1 && epsilon.lo() <= 1.0,
        "{epsilon:?}"
    );
}

/// The largest `P(S)` of all tests S with `Q(S) ≤ level`, by the lemma of Neyman and Pearson.
fn neyman_pearson(laws: &[(f64, f64)], level: f64) -> f64 {
    let mut laws = laws.to_vec();
    laws.retain(|(p, q)| p + q > 0.0);
    laws.sort_by(|a, b| (b.0 / b.1).total_cmp(&(a.0 / a.1)));
    let (mut power, mut left) = (0.0, level);
    for (p, q) in laws {
        let share = if q <= left { 1.0 } else { left / q };
        power += share * p;
        left -= share * q;
    }
    power
}

#[test]
fn the_power_about_samples_is_that_of_finding_a_person_who_is_there() {
    let (loss, rate) = (3f64, 0.25f64);
    // With the person in the data, the sample holds them with probability q.
    let one: Vec<_> = response(loss, 2)
        .iter()
        .map(|&(c, a)| ((1.0 - rate) * a + rate * c, a))
        .collect();
    let twice = outputs(&[one.clone(), one]);
    let pair = Pair::pure(&rational(loss)).unwrap();
    let pair = pair.poisson_sampled(&rational(rate)).unwrap();
    let all = Composition::new(&[(pair, 2)], Down::exact(1e-9)).unwrap();
    for level in [0.0, 0.01, 0.1, 0.5, 0.8, 0.95, 1.0] {
        let exact = neyman_pearson(&twice, level);
        holds(all.power(&rational(level)).unwrap(), exact, 1e-3);
    }
}

#[test]
fn releases_that_hide_all_cost_nothing() {
    let zero = Rational::ZERO;
    let tiny: Rational = "1e-300".parse().unwrap();
    let nothing = [
        Pair::pure(&zero).unwrap(),
        Pair::gaussian(&zero).unwrap(),
        Pair::bounded_range(&zero).unwrap(),
        Pair::laplace(&zero).unwrap(),
        Pair::laplace(&Rational::ONE)
            .unwrap()
            .poisson_sampled(&tiny)
            .unwrap(),
    ];
    for pair in nothing {
        let delta = Down::exact(1e-6);
        let all = Composition::new(&[(pair, 10)], delta).unwrap();
        assert_eq!(all.epsilon(delta).unwrap().hi(), 0.0);
        assert!(all.delta(&zero).unwrap().hi() < 1e-298);
        let level = Rational::new(1, 20);
        assert!(all.power(&level).unwrap().hi() < 0.050_000_000_1);
    }
}

#[test]
fn far_ends_of_the_gaussian_profile_are_exact_too() {
    // By mpmath at 80 digits: the ε at which the profile is δ. An end is beyond 38 in each.
    let far = [
        ("30", "1e-30", 793.0739976351505),
        ("20", "1e-100", 624.7880653692982),
        ("1", "1e-300", 37.4488479121391),
        ("25", "1e-200", 1066.9842499946678),
    ];
    for (mu, delta, epsilon) in far {
        let mu: Rational = mu.parse().unwrap();
        let found = gaussian_epsilon(&(&mu * &mu), &delta.parse().unwrap()).unwrap();
        let beyond = found.get() - epsilon;
        assert!((-1e-9..1e-6).contains(&beyond), "{mu} {delta}: {found}");
    }
}

/// At least the ρ of a release with two answers, `p` and `q` the probabilities of the first: over a
/// lattice of orders up to 50, and a little more for those between. Beyond, `D_α/α` is at most the
/// pure loss over 50.
fn rho_of_two_answers(p: f64, q: f64) -> f64 {
    let one_way = |p: f64, q: f64| {
        let kullback = p * (p / q).ln() + (1.0 - p) * ((1.0 - p) / (1.0 - q)).ln();
        let divergence = |i: i32| {
            let tau = (f64::from(i) / 100.0).exp();
            let order = 1.0 + tau;
            let sum = p.powf(order) * q.powf(-tau) + (1.0 - p).powf(order) * (1.0 - q).powf(-tau);
            sum.ln() / tau / order
        };
        (-300..=400).map(divergence).fold(kullback, f64::max)
    };
    one_way(p, q).max(one_way(q, p)) * 1.0001
}

/// `P(S) − e^ε·Q(S)` at its largest for outcomes with these probabilities.
fn beyond(epsilon: f64, outcomes: &[(f64, f64)]) -> f64 {
    let one = |&(p, q): &(f64, f64)| (p - epsilon.exp() * q).max(0.0);
    outcomes.iter().map(one).sum()
}

#[test]
fn erratum_17_two_releases_exceed_a_shared_delta_by_half() {
    let (epsilon, delta) = (1.0, 0.01);
    let converted = |rho: f64| {
        zcdp_delta(Up::exact(rho), Down::exact(epsilon))
            .unwrap()
            .get()
    };
    let all = 0.10341;
    assert!(converted(all) <= delta);
    // Two releases of half each are within the rule, and so are one and a threshold.
    let threshold = 0.00953;
    assert!(converted(all / 2.0) + threshold <= delta);
    let (first, second): ((f64, f64), (f64, f64)) = ((0.16058, 0.0837), (0.27556, 0.16061));
    for (p, q) in [first, second] {
        assert!(rho_of_two_answers(p, q) <= all / 2.0, "{p} {q}");
    }
    // After the answer that is unlikely, the second release; after the other, the threshold.
    let (p, q) = first;
    let spoken = [
        (p * second.0, q * second.1),
        (p * (1.0 - second.0), q * (1.0 - second.1)),
    ];
    let silent = ((1.0 - p) * (1.0 - threshold), (1.0 - q) * (1.0 - threshold));
    let reached = beyond(epsilon, &spoken) + (1.0 - p) * threshold + beyond(epsilon, &[silent]);
    assert!(reached > 1.5 * delta, "{reached}");
}

/// What `ledger show` compares with is no bound for an analyst who may stop.
#[test]
fn the_sum_so_far_is_exceeded_by_an_analyst_who_stops_after_a_large_loss() {
    let delta = 0.01;
    let (first, second): ((f64, f64), (f64, f64)) = ((0.139, 0.1174), (0.045, 0.0084));
    let spent = rho_of_two_answers(first.0, first.1);
    let more = spent + rho_of_two_answers(second.0, second.1);
    let claim = |rho: f64| {
        zcdp_epsilon(Up::exact(rho), Down::exact(delta))
            .unwrap()
            .get()
    };
    let (p, q) = (1.0 - first.0, 1.0 - first.1);
    let on = [
        (p * second.0, q * second.1),
        (p * (1.0 - second.0), q * (1.0 - second.1)),
    ];
    let reached = beyond(claim(spent), &[first]) + beyond(claim(more), &on);
    assert!(reached > 1.1 * delta, "{reached}");
}
