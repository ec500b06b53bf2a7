//! Noise on integers, and randomized response: laws and losses that are known exactly.

use lastbit::conversions::pure_to_zcdp;
use lastbit::domains::{AtomDomain, VectorDomain};
use lastbit::mechanisms::{
    geometric, laplace_zcdp, randomized_response, randomized_response_bool, truth_for_epsilon,
};
use lastbit_exact::{Integer, Interval, Rational, Up};
use lastbit_noise::Geometric;
use lastbit_noise::entropy::System;
use lastbit_noise::enumerate::Prefix;
use lastbit_testing::Words;

use super::laws::*;

#[test]
fn geometric_noise_is_the_difference_of_two_draws_with_the_law_and_the_loss_stated() {
    for scale in ["0.4", "1", "7/3"] {
        let noise = geometric(AtomDomain::<i64>::new(), &scale.parse().unwrap()).unwrap();
        let one_sided = Geometric::new(&number(scale)).unwrap();
        for start in 0..2000 {
            let mut words = Words::walk(2, start);
            let (mut first, mut second) = (Words::walk(2, start), Words::walk(2, start));
            second.read = 1;
            let difference =
                one_sided.draw(&mut first).unwrap() - one_sided.draw(&mut second).unwrap();
            let output = noise.invoke_with(&-3, &mut words).unwrap();
            assert_eq!(Integer::from(output), difference - Integer::from(3));
        }
        // The difference has the law (1 − q)/(1 + q)·q^|k|.
        let q = (-Interval::from_rational(&(Rational::ONE / number(scale)))).exp();
        let law = |k: i64| {
            let tail = q.powi(k.unsigned_abs() as i32);
            (Interval::ONE - q) / (Interval::ONE + q) * tail
        };
        for k in -5i64..=5 {
            let sum: f64 = (0..200)
                .map(|j| {
                    let p = |n: i64| one_sided.probability(&Integer::from(n)).midpoint();
                    p(j + k.max(0)) * p(j - k.min(0))
                })
                .sum();
            assert!((sum - law(k).midpoint()).abs() <= 1e-14);
        }
        // Its log-likelihood ratio between neighbours is ±d/s at every output that is not between
        // them.
        for d in [1i64, 3] {
            let stated = noise.map(&Rational::from(d)).unwrap().get();
            let ratios = (-20..=20).map(|k| (law(k).midpoint() / law(k - d).midpoint()).ln());
            let most = ratios.fold(0.0f64, |most, ratio| most.max(ratio.abs()));
            assert!((most - stated).abs() <= 1e-12 * stated.max(1.0));
        }
    }
}

#[test]
fn geometric_noise_as_zcdp_is_randomized_response_and_not_laplace() {
    // At distance 1 the KL divergence, the limit of the Rényi divergences at order 1, is
    // ε·tanh(ε/2): ε + e^-ε − 1 is less.
    let (mut divergence, q) = (0.0, (-1f64).exp());
    for k in -200i32..=200 {
        let p = |k: i32| (1.0 - q) / (1.0 + q) * q.powi(k.abs());
        divergence += p(k) * (p(k) / p(k - 1)).ln();
    }
    assert!((divergence - pure_to_zcdp(Up::ONE).unwrap().get()).abs() <= 1e-12);
    let laplace = laplace_zcdp(AtomDomain::<i64>::new(), &"1".parse().unwrap(), 0).unwrap();
    assert!(laplace.map(&Rational::ONE).unwrap().get() < 0.8 * divergence);
}

#[test]
fn geometric_draws_fit_the_law() {
    const DRAWS: u64 = 1_000_000;
    let noise = geometric(
        VectorDomain::new(AtomDomain::<i64>::new()),
        &"1.5".parse().unwrap(),
    )
    .unwrap();
    let outputs = noise.invoke(&vec![10; DRAWS as usize]).unwrap();
    let q = (-1.0 / 1.5f64).exp();
    let law = |k: i64| (1.0 - q) / (1.0 + q) * q.powi((k - 10).abs() as i32);
    fits(&outputs, (0..=20).map(|k| (k, law(k))));
}

#[test]
fn randomized_response_has_exactly_the_stated_probabilities() {
    // p − r = 1/2 is decided by the first bit of the first word; the second word picks one of four.
    let answer =
        randomized_response(AtomDomain::<u64>::new(), [10, 20, 30, 40], &number("5/8")).unwrap();
    for value in [10, 20, 30, 40, 77] {
        let mut counts = [0; 4];
        for keep in [0, u64::MAX] {
            for quarter in 0..4u64 {
                let mut bits = Prefix::of_words([keep, quarter << 62], 0);
                let output = answer.invoke_with(&value, &mut bits).unwrap();
                assert_eq!(bits.words_read(), 2);
                counts[output as usize / 10 - 1] += 1;
            }
        }
        // In eighths: p = 5/8 and r = 1/8, or 1/4 each.
        for (category, count) in [10, 20, 30, 40].into_iter().zip(counts) {
            let expected = if value == 77 {
                2
            } else {
                1 + 4 * u64::from(category == value)
            };
            assert_eq!(count, expected, "{value} {category}");
        }
    }
    assert!((answer.map(&1).unwrap().get() - 5f64.ln()).abs() <= 1e-15);
    assert_eq!(answer.map(&0).unwrap(), Up::ZERO);
    assert_eq!(answer.map(&7).unwrap(), answer.map(&1).unwrap());
}

#[test]
fn randomized_response_draws_fit_the_law() {
    let answer = randomized_response(
        AtomDomain::<String>::new(),
        ["a", "b", "c"].map(String::from),
        &number("0.7"),
    )
    .unwrap();
    for (value, law) in [
        ("a", [0.7, 0.15, 0.15]),
        ("c", [0.15, 0.15, 0.7]),
        ("x", [1.0 / 3.0; 3]),
    ] {
        let value = value.to_string();
        let mut entropy = System::default();
        let outputs: Vec<String> = (0..200_000)
            .map(|_| answer.invoke_with(&value, &mut entropy).unwrap())
            .collect();
        fits(
            &outputs,
            ["a", "b", "c"].map(String::from).into_iter().zip(law),
        );
    }
}

#[test]
fn the_truth_for_a_loss_is_within_it_and_no_more_than_rounding_below() {
    for categories in [2, 3, 10, 1000] {
        for epsilon in [
            "1e-20", "1e-9", "0.001", "0.1", "1/3", "1", "2.5", "10", "40", "700",
        ] {
            let truth = truth_for_epsilon(categories, &epsilon.parse().unwrap()).unwrap();
            let values: Vec<u64> = (0..categories).collect();
            let answer = randomized_response(AtomDomain::new(), values, &truth).unwrap();
            let stated = Rational::try_from(answer.map(&1).unwrap().get()).unwrap();
            let wanted = number(epsilon);
            assert!(stated <= wanted, "{categories} {epsilon}");
            let least = &wanted * &(Rational::ONE - Rational::ONE.times_power_of_two(-49));
            assert!(stated >= least, "{categories} {epsilon}");
            // The exact ratio is e^ε at most, as an enclosure shows.
            let ratio = &truth * &Rational::from(categories - 1) / (Rational::ONE - truth);
            assert!(Interval::from_rational(&ratio).lo() <= Up::from_rational(&wanted).exp().get());
        }
    }
    let huge = truth_for_epsilon(2, &"1e9".parse().unwrap()).unwrap();
    assert!(
        randomized_response_bool(&huge)
            .unwrap()
            .map(&1)
            .unwrap()
            .get()
            > 709.0
    );
}
