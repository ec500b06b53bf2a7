//! Amplification by sampling against exact laws, and the samplers themselves.

use std::collections::BTreeSet;

use lastbit::composition::{
    Amplified, filtered, poisson_subsample, sequential, subsample_without_replacement,
};
use lastbit::domains::{AtomDomain, VectorDomain};
use lastbit::measures::{Approximate, EpsilonDelta, MaxDivergence};
use lastbit::metrics::{ChangeOneDistance, Metric, SymmetricDistance};
use lastbit::{Measurement, MetricSpace, PrivacyMap};
use lastbit_exact::{Dyadic, Rational, Up, exp_enclosure, ln_enclosure};
use lastbit_noise::bernoulli;

use super::support::{Law, bounds, exact, hockey_stick, largest_ratio, law, reaches};

type Rows = VectorDomain<AtomDomain<bool>>;

fn rows() -> Rows {
    VectorDomain::new(AtomDomain::new())
}

/// Whether any row is true, told truly with probability 5/6: ratios of 5 at any distance.
fn any<M: Metric<Distance = u64>>(
    domain: Rows,
    metric: M,
) -> Measurement<Rows, M, MaxDivergence, bool>
where
    Rows: MetricSpace<M, Carrier = Vec<bool>>,
{
    let truth = Rational::new(5, 6);
    Measurement::new(
        domain,
        metric,
        MaxDivergence,
        move |rows: &Vec<bool>, mut entropy| {
            Ok(rows.contains(&true) == bernoulli(&truth, &mut entropy)?)
        },
        PrivacyMap::new(|&d_in| {
            Ok(if d_in == 0 {
                Up::ZERO
            } else {
                Up::exact(5.0).ln()
            })
        }),
    )
    .unwrap()
}

/// The same, but the truth is shown openly with probability 1/6.
fn leaky<M: Metric<Distance = u64>>(
    domain: Rows,
    metric: M,
) -> Measurement<Rows, M, Approximate, u8>
where
    Rows: MetricSpace<M, Carrier = Vec<bool>>,
{
    let (truth, delta) = (Rational::new(5, 6), Rational::new(1, 6));
    let loss = EpsilonDelta::new(Up::exact(5.0).ln(), Up::from_rational(&delta)).unwrap();
    Measurement::new(
        domain,
        metric,
        Approximate(MaxDivergence),
        move |rows: &Vec<bool>, mut entropy| {
            let shown = bernoulli(&delta, &mut entropy)?;
            let lie = !shown && !bernoulli(&truth, &mut entropy)?;
            Ok(2 * u8::from(shown) + u8::from(rows.contains(&true) != lie))
        },
        PrivacyMap::new(move |_| Ok(loss.clone())),
    )
    .unwrap()
}

/// Every multiset of at most `most` truth values.
fn data_sets(most: usize) -> Vec<Vec<bool>> {
    let of_size = |size: usize| (0..=size).map(move |yes| (0..size).map(|i| i < yes).collect());
    (0..=most).flat_map(of_size).collect()
}

/// The data sets, their laws, and how far apart each pair is.
fn pairs<'a, T, M: Metric<Distance = u64>>(
    sets: &'a [Vec<bool>],
    laws: &'a [Law<T>],
    domain: &'a Rows,
    metric: &'a M,
) -> impl Iterator<Item = (u64, &'a Law<T>, &'a Law<T>)>
where
    Rows: MetricSpace<M, Carrier = Vec<bool>>,
{
    sets.iter().zip(laws).flat_map(move |(x, p)| {
        let others = sets.iter().zip(laws);
        others.map(move |(y, q)| (domain.distance(metric, x, y).unwrap(), p, q))
    })
}

#[test]
fn poisson_sampling_amplifies_pure_losses_as_claimed() {
    let sampled = poisson_subsample(&any(rows(), SymmetricDistance), &Rational::new(1, 3)).unwrap();
    let sets = data_sets(3);
    let laws: Vec<Law<bool>> = sets
        .iter()
        .map(|set| law(6, |words| sampled.invoke_with(set, words)))
        .collect();
    let mut largest = Rational::ONE;
    for (distance, p, q) in pairs(&sets, &laws, &rows(), &SymmetricDistance) {
        let ratio = largest_ratio(p, q);
        assert!(
            bounds(sampled.map(&distance).unwrap(), &ratio),
            "{ratio} at {distance}"
        );
        if distance == 1 {
            largest = largest.max(ratio);
        }
    }
    // 1 + (5 − 1)/3, and no smaller loss would do.
    assert_eq!(largest, Rational::new(7, 3));
    assert!(reaches(sampled.map(&1).unwrap(), &largest));
}

#[test]
fn poisson_sampling_amplifies_approximate_losses_as_claimed() {
    let sampled =
        poisson_subsample(&leaky(rows(), SymmetricDistance), &Rational::new(1, 3)).unwrap();
    let sets = data_sets(3);
    let laws: Vec<Law<u8>> = sets
        .iter()
        .map(|set| law(6, |words| sampled.invoke_with(set, words)))
        .collect();
    let mut largest = Rational::ZERO;
    for (distance, p, q) in pairs(&sets, &laws, &rows(), &SymmetricDistance) {
        let Ok(claimed) = sampled.map(&distance) else {
            continue;
        };
        let delta = hockey_stick(p, q, *claimed.loss());
        assert!(delta <= exact(claimed.delta()), "{delta} at {distance}");
        if distance == 1 {
            largest = largest.max(delta);
        }
    }
    // δ/3 is reached up to the bits that e^ε was rounded by.
    assert!(largest > Rational::new(999, 1000) * Rational::new(1, 18));
    assert_eq!(
        sampled.map(&1).unwrap().delta(),
        Up::from_rational(&Rational::new(1, 6)) * Up::from_rational(&Rational::new(1, 3))
    );
}

#[test]
fn sampling_without_replacement_amplifies_as_claimed() {
    for size in 1..=3usize {
        let small = rows().with_size(size);
        let whole = rows().with_size(3);
        let sets: Vec<Vec<bool>> = data_sets(3)
            .into_iter()
            .filter(|set| set.len() == 3)
            .collect();
        let sampled =
            subsample_without_replacement(&any(small.clone(), ChangeOneDistance), 3).unwrap();
        let laws: Vec<Law<bool>> = sets
            .iter()
            .map(|set| law(6, |words| sampled.invoke_with(set, words)))
            .collect();
        let mut largest = Rational::ONE;
        for (distance, p, q) in pairs(&sets, &laws, &whole, &ChangeOneDistance) {
            let ratio = largest_ratio(p, q);
            assert!(
                bounds(sampled.map(&distance).unwrap(), &ratio),
                "{ratio} at {distance}"
            );
            if distance == 1 {
                largest = largest.max(ratio);
            }
        }
        assert_eq!(largest, Rational::ONE + Rational::new(4 * size as i64, 3));
        assert!(reaches(sampled.map(&1).unwrap(), &largest));

        let sampled = subsample_without_replacement(&leaky(small, ChangeOneDistance), 3).unwrap();
        let laws: Vec<Law<u8>> = sets
            .iter()
            .map(|set| law(6, |words| sampled.invoke_with(set, words)))
            .collect();
        for (distance, p, q) in pairs(&sets, &laws, &whole, &ChangeOneDistance) {
            let Ok(claimed) = sampled.map(&distance) else {
                continue;
            };
            assert!(hockey_stick(p, q, *claimed.loss()) <= exact(claimed.delta()));
        }
    }
}

/// Shows its rows: no privacy at all, to see what was sampled.
fn shown<M: Metric<Distance = u64>>(
    domain: VectorDomain<AtomDomain<u64>>,
    metric: M,
) -> Measurement<VectorDomain<AtomDomain<u64>>, M, MaxDivergence, Vec<u64>>
where
    VectorDomain<AtomDomain<u64>>: MetricSpace<M, Carrier = Vec<u64>>,
{
    let map = PrivacyMap::new(|_| Ok(Up::ONE));
    Measurement::new(
        domain,
        metric,
        MaxDivergence,
        |rows: &Vec<u64>, _| Ok(rows.clone()),
        map,
    )
    .unwrap()
}

#[test]
fn every_sample_has_exactly_its_probability() {
    let domain = || VectorDomain::new(AtomDomain::<u64>::new());
    let rows: Vec<u64> = (0..4).collect();
    let poisson =
        poisson_subsample(&shown(domain(), SymmetricDistance), &Rational::new(1, 4)).unwrap();
    let samples = law(4, |words| poisson.invoke_with(&rows, words));
    assert_eq!(samples.len(), 16);
    for (sample, mass) in &samples {
        let out = (4 - sample.len()) as u32;
        assert_eq!(*mass, Rational::new(3i64.pow(out), 256));
    }
    let two =
        subsample_without_replacement(&shown(domain().with_size(2), ChangeOneDistance), 4).unwrap();
    let samples = law(12, |words| two.invoke_with(&rows, words));
    assert_eq!(samples.len(), 6);
    assert!(samples.values().all(|mass| *mass == Rational::new(1, 6)));
    assert!(
        samples
            .keys()
            .all(|sample| sample.iter().collect::<BTreeSet<_>>().len() == 2)
    );
}

#[test]
fn a_sample_of_a_sample_is_a_sample_at_the_product_of_rates() {
    let release = any(rows(), SymmetricDistance);
    let half = poisson_subsample(&release, &Rational::new(1, 2)).unwrap();
    let nested = poisson_subsample(&half, &Rational::new(1, 3)).unwrap();
    let direct = poisson_subsample(&release, &Rational::new(1, 6)).unwrap();
    for set in data_sets(2) {
        let nested = law(6, |words| nested.invoke_with(&set, words));
        assert_eq!(nested, law(6, |words| direct.invoke_with(&set, words)));
    }
    let (nested, direct) = (nested.map(&1).unwrap().get(), direct.map(&1).unwrap().get());
    assert!((nested - direct).abs() < 4.0 * f64::EPSILON);
}

#[test]
fn releases_from_one_sample_are_composed_first_also_through_a_queryable() {
    let rate = Rational::new(1, 3);
    let release = any(rows(), SymmetricDistance);
    let budget = Up::exact(5.0).ln() * Up::from(2);
    let interactive = filtered(rows(), SymmetricDistance, MaxDivergence, 1, budget).unwrap();
    let sampled = poisson_subsample(&interactive, &rate).unwrap();
    let sets = data_sets(2);
    let laws: Vec<Law<(bool, bool)>> = sets
        .iter()
        .map(|set| {
            law(6, |words| {
                let mut queryable = sampled.invoke_with(set, words)?;
                Ok((
                    queryable.ask_with(&release, words)?,
                    queryable.ask_with(&release, words)?,
                ))
            })
        })
        .collect();
    let mut largest = Rational::ONE;
    for (distance, p, q) in pairs(&sets, &laws, &rows(), &SymmetricDistance) {
        if distance == 1 {
            largest = largest.max(largest_ratio(p, q));
        }
    }
    assert_eq!(largest, Rational::new(9, 1)); // 1 + (25 − 1)/3
    assert!(bounds(sampled.map(&1).unwrap(), &largest));
    assert!(reaches(sampled.map(&1).unwrap(), &largest));
    let listed =
        poisson_subsample(&sequential([release.clone(), release]).unwrap(), &rate).unwrap();
    assert!((listed.map(&1).unwrap().get() - sampled.map(&1).unwrap().get()).abs() < 1e-15);
}

#[test]
fn the_amplified_loss_is_an_upper_bound_within_4_ulp() {
    let (mut worst, mut tried) = (Rational::ZERO, 0);
    for decade in -9..=2 {
        for step in 0..9 {
            let epsilon = Up::exact((1.0 + 0.97 * f64::from(step)) * 10f64.powi(decade));
            if epsilon.get() > 700.0 {
                continue;
            }
            for rate in [(1, 1_000_000), (1, 97), (1, 3), (2, 3), (99, 100), (1, 1)] {
                let rate = Rational::new(rate.0, rate.1);
                let loss = MaxDivergence.amplify(&[epsilon], &rate).unwrap();
                // κ = 1 + q(e^ε − 1), from above and from below.
                let exp = exp_enclosure(&Dyadic::try_from(epsilon.get()).unwrap(), 300);
                let kappa = |exp: &Dyadic| {
                    &Rational::ONE + &(&rate * &(&Rational::from(exp) - &Rational::ONE))
                };
                let round = |x: &Rational, up| {
                    x.round(
                        400,
                        if up {
                            lastbit_exact::Rounding::Up
                        } else {
                            lastbit_exact::Rounding::Down
                        },
                    )
                };
                let most = ln_enclosure(&round(&kappa(exp.hi()), true), 300)
                    .hi()
                    .clone();
                let least = ln_enclosure(&round(&kappa(exp.lo()), false), 300)
                    .lo()
                    .clone();
                // Equal only at q = 1, where both are ε.
                let loss = exact(loss);
                assert!(
                    loss >= Rational::from(&least),
                    "ε {epsilon}, q {rate}: below"
                );
                assert!(
                    rate == Rational::ONE || loss >= Rational::from(&most),
                    "ε {epsilon}, q {rate}: below"
                );
                let ulps = &(&loss - &Rational::from(&least))
                    / &Rational::from(&least).times_power_of_two(-52);
                worst = worst.max(ulps);
                tried += 1;
            }
        }
    }
    assert!(tried > 500);
    assert!(worst <= Rational::from(4i64), "{worst}");
}

#[test]
fn rates_that_are_none_and_losses_beyond_exp_are_minded() {
    let release = any(rows(), SymmetricDistance);
    for rate in [Rational::new(-1, 2), Rational::new(3, 2)] {
        assert!(
            poisson_subsample(&release, &rate)
                .unwrap_err()
                .is_composition()
        );
        assert!(MaxDivergence.amplify(&[Up::ONE], &rate).is_err());
    }
    let sized = any(rows().with_size(3), SymmetricDistance);
    assert!(
        poisson_subsample(&sized, &Rational::new(1, 2))
            .unwrap_err()
            .to_string()
            .contains("without replacement")
    );
    let three = any(rows().with_size(3), ChangeOneDistance);
    assert_eq!(
        subsample_without_replacement(&three, 2)
            .unwrap_err()
            .to_string(),
        "cannot sample 3 of 2 rows without replacement; give a population of at least 3"
    );
    // e^2000 overflows; the loss does not: 2000 + ln(1/100).
    let loss = MaxDivergence
        .amplify(&[Up::exact(2000.0)], &Rational::new(1, 100))
        .unwrap();
    assert!(loss.get() < 2000.0 - 4.6 && loss.get() > 2000.0 - 4.7);
    assert_eq!(
        MaxDivergence.amplify(&[Up::ONE], &Rational::ZERO).unwrap(),
        Up::ZERO
    );
    assert_eq!(
        MaxDivergence.amplify(&[], &Rational::new(1, 2)).unwrap(),
        Up::ZERO
    );
}
