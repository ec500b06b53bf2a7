//! Geometric noise has exactly its law.

use lastbit_exact::{Integer, Interval, Rational};
use lastbit_noise::entropy::{EntropyError, System};
use lastbit_noise::enumerate::{Prefix, masses};
use lastbit_noise::{Geometric, ScaleError};
use lastbit_testing::{Empty, Signed};

use crate::law::{agree, chi_square, number, walk};

const SCALES: [&str; 7] = ["1", "0.3", "2", "10/3", "1/5", "17.25", "100.5"];

/// The first bit of the stream is not used; for either value of it the draw is monotone in the
/// others.
fn enumerated(scale: &str, depth: u32) {
    let noise = Geometric::new(&number(scale)).unwrap();
    for first in [0, 1] {
        let found = masses(depth, |bits| noise.draw(&mut Signed::new(first, bits)));
        agree(scale, &[found], depth, |k| noise.probability(k));
    }
}

#[test]
fn the_first_20_bits_have_the_masses_of_the_law() {
    SCALES.iter().for_each(|scale| enumerated(scale, 20));
}

#[test]
fn the_first_80_bits_pass_through_the_second_tier_and_have_the_masses_of_the_law() {
    ["0.3", "1", "2"]
        .iter()
        .for_each(|scale| enumerated(scale, 80));
}

#[test]
fn two_million_draws_fit_the_law() {
    for scale in SCALES {
        let noise = Geometric::new(&number(scale)).unwrap();
        let mut entropy = System::default();
        let mut draws: Vec<i64> = (0..2_000_000)
            .map(|_| i64::try_from(noise.draw(&mut entropy).unwrap()).unwrap())
            .collect();
        chi_square(scale, SCALES.len(), &mut draws, |k| noise.probability(k));
    }
}

#[test]
fn a_draw_is_the_quantile_of_its_bits_at_all_scales() {
    // k is drawn if and only if e^(−(k+1)/scale) < U < e^(−k/scale).
    let unit = Rational::ONE.times_power_of_two(-63);
    for scale in ["1e300", "1e-300", "1e16", "1e30", "1e331", "1e-331"].map(number) {
        let noise = Geometric::new(&scale).unwrap();
        for word in walk(30).chain([1 << 20, 3 << 62]) {
            let mut stream = Prefix::of_words([word], 0x1234_5678_9ABC_DEF0);
            let k = Rational::from(noise.draw(&mut stream).unwrap());
            assert!(!k.is_negative());
            let power = |k: &Rational| Interval::from_rational(&-(k / &scale)).exp();
            let lowest = &Rational::from(word << 1 >> 1) * &unit;
            let highest = &lowest + &unit;
            let near = Rational::try_from(power(&k).hi()).unwrap();
            let far = Rational::try_from(power(&(&k + &Rational::ONE)).lo()).unwrap();
            assert!(near >= lowest && far <= highest, "{word:#x}");
        }
    }
}

#[test]
fn probabilities_add_up_to_one_less_the_rest() {
    for scale in SCALES.map(number) {
        let noise = Geometric::new(&scale).unwrap();
        let mut sum = (0..20).fold(Interval::ZERO, |sum, k| {
            sum + noise.probability(&Integer::from(k))
        });
        // P(k ≥ 20) = e^(−20/scale)
        sum = sum + Interval::from_rational(&-(&Rational::from(20i64) / &scale)).exp();
        assert!(sum.contains(1.0) && sum.width().get() < 1e-12, "{sum}");
        assert_eq!(noise.probability(&Integer::from(-1)), Interval::ZERO);
    }
}

#[test]
fn bad_parameters_and_an_empty_source_are_errors() {
    for bad in ["0", "-2"].map(number) {
        let expected = ScaleError::NotPositive(bad.clone());
        assert_eq!(Geometric::new(&bad).unwrap_err(), expected);
    }
    let noise = Geometric::new(&Rational::ONE).unwrap();
    assert_eq!(noise.draw(&mut Empty), Err(EntropyError::exhausted()));
}
