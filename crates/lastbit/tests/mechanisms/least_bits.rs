//! Noise on grids shows nothing in the last bits of what it publishes; the same noise added in
//! doubles does.

use lastbit::domains::{AtomDomain, VectorDomain};
use lastbit::mechanisms::{Variance, gaussian, laplace};
use lastbit_noise::entropy::{Entropy, System};
use lastbit_testing::unsafe_naive_laplace;

use crate::least_bits::{EPSILON, Feature, violation_in};

fn violation(draw: impl FnMut(f64) -> f64) -> Option<Feature> {
    violation_in(300_000, draw)
}

/// Gaussian noise of this σ has a loss below ε = 1 at distance 1 unless it is beyond 7.9σ, which
/// has a probability below 1e-14: in 600,000 draws, nothing that adds to the stated false-alarm
/// probability.
const SIGMA: i64 = 8;

/// The textbook mechanism in doubles. It leaks; it is here to be caught.
fn unsafe_naive_gaussian(value: f64, entropy: &mut impl Entropy) -> f64 {
    let mut uniform = || {
        let word = entropy.word().unwrap();
        ((word >> 11) as f64 + 0.5) * (1.0 / (1u64 << 53) as f64)
    };
    let radius = (-2.0 * uniform().ln()).sqrt();
    value + SIGMA as f64 * radius * (std::f64::consts::TAU * uniform()).cos()
}

#[test]
fn the_naive_mechanisms_are_caught() {
    let mut entropy = System::default();
    assert!(
        violation(|value| unsafe_naive_laplace(value, EPSILON.recip(), &mut entropy).unwrap())
            .is_some()
    );
    assert!(violation(|value| unsafe_naive_gaussian(value, &mut entropy)).is_some());
}

#[test]
fn laplace_on_grids_shows_nothing() {
    for grid in [-4, -30] {
        let noise = laplace(AtomDomain::<f64>::new(), &"1".parse().unwrap(), grid).unwrap();
        let mut entropy = System::default();
        let found = violation(|value| noise.invoke_with(&value, &mut entropy).unwrap());
        assert_eq!(found, None, "2^{grid}");
    }
}

#[test]
fn gaussian_on_grids_shows_nothing() {
    let variance = Variance::of_sigma(SIGMA.into()).unwrap();
    for grid in [-4, -30] {
        let noise = gaussian(AtomDomain::<f64>::new(), &variance, grid).unwrap();
        let mut entropy = System::default();
        let found = violation(|value| noise.invoke_with(&value, &mut entropy).unwrap());
        assert_eq!(found, None, "2^{grid}");
    }
}

#[test]
fn vectors_show_nothing() {
    let noise = laplace(
        VectorDomain::new(AtomDomain::<f64>::new()),
        &"1".parse().unwrap(),
        -20,
    )
    .unwrap();
    let mut entropy = System::default();
    let mut ready: [Vec<f64>; 2] = Default::default();
    let found = violation(|value| {
        let ready = &mut ready[usize::from(value == 1.0)];
        if ready.is_empty() {
            *ready = noise.invoke_with(&vec![value; 1000], &mut entropy).unwrap();
        }
        ready.pop().unwrap()
    });
    assert_eq!(found, None);
}

#[test]
fn zero_is_never_negative() {
    let scale = "0.5".parse().unwrap();
    let noise = laplace(VectorDomain::new(AtomDomain::<f64>::new()), &scale, 0).unwrap();
    let values: Vec<f64> = (0..20_000)
        .map(|i| [-0.0, 0.0, -0.3, 0.3, -1.0][i % 5])
        .collect();
    let outputs = noise.invoke(&values).unwrap();
    assert!(outputs.iter().filter(|output| **output == 0.0).count() > 1000);
    assert!(outputs.iter().all(|output| output.to_bits() != 1 << 63));
    let scalar = laplace(AtomDomain::<f64>::new(), &scale, 0).unwrap();
    let fine = laplace(AtomDomain::<f64>::new(), &scale, 950).unwrap(); // by the second tier
    for value in &values[..500] {
        assert_ne!(scalar.invoke(value).unwrap().to_bits(), 1 << 63);
        assert_eq!(fine.invoke(value).unwrap().to_bits(), 0);
    }
}
