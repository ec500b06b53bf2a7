//! The least-significant-bits check: nothing about an output occurs for one of two neighbours and not, within e^ε, for the other.

use std::collections::HashMap;

use lastbit::Bounds;
use lastbit::mechanisms::snapping::{Arithmetic, Bound, Grid, Snapping};
use lastbit_noise::entropy::{Entropy, System};

const DRAWS: usize = 1_000_000;
const EPSILON: f64 = 1.0;

/// What an attacker may look at in one double.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Feature {
    Value(u64),
    Low8Bits(u8),
    Low16Bits(u16),
    /// The place of the last bit that is set; `i32::MIN` for zero.
    LastBit(i32),
    NegativeZero,
}

fn features(output: f64) -> impl Iterator<Item = Feature> {
    let bits = output.to_bits();
    let last_bit = if output == 0.0 {
        i32::MIN
    } else {
        let exponent = ((bits >> 52 & 0x7ff) as i32).max(1) - 1075;
        let mantissa = bits & ((1 << 52) - 1) | if bits >> 52 & 0x7ff == 0 { 0 } else { 1 << 52 };
        exponent + mantissa.trailing_zeros() as i32
    };
    [
        Feature::Value(bits),
        Feature::Low8Bits(bits as u8),
        Feature::Low16Bits(bits as u16),
        Feature::LastBit(last_bit),
    ]
    .into_iter()
    .chain((bits == 1 << 63).then_some(Feature::NegativeZero))
}

/// The feature that most clearly breaks ε-differential privacy, if any does.
///
/// Under ε-DP, given that a feature was seen n times in both runs together, the number of times in one of them is at least
/// binomial(n, q) with q = e^-ε/(1 + e^-ε) (stochastically), so P(at most c) ≤ exp(−n·KL(c/n ‖ q)) for c/n < q. At most
/// 10·DRAWS features are looked at, both ways; the false-alarm probability of the whole test is at most 1e-9.
fn violation(mut draw: impl FnMut(f64) -> f64) -> Option<Feature> {
    let mut counts: HashMap<Feature, [u64; 2]> = HashMap::new();
    for (run, value) in [0.0, 1.0].into_iter().enumerate() {
        for _ in 0..DRAWS {
            for feature in features(draw(value)) {
                counts.entry(feature).or_default()[run] += 1;
            }
        }
    }
    let q = (-EPSILON).exp() / (1.0 + (-EPSILON).exp());
    let threshold = (1e9 * 20.0 * DRAWS as f64).ln();
    let divergence = |share: f64| {
        let term = |a: f64, b: f64| if a == 0.0 { 0.0 } else { a * (a / b).ln() };
        term(share, q) + term(1.0 - share, 1.0 - q)
    };
    counts
        .into_iter()
        .map(|(feature, [a, b])| {
            let n = (a + b) as f64;
            let share = a.min(b) as f64 / n;
            let evidence = if share < q {
                n * divergence(share)
            } else {
                0.0
            };
            (feature, evidence)
        })
        .filter(|(_, evidence)| *evidence > threshold)
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(feature, _)| feature)
}

/// The textbook mechanism in doubles. It leaks; it is here to be caught.
fn unsafe_naive_laplace(value: f64, entropy: &mut impl Entropy) -> f64 {
    let word = entropy.word().unwrap();
    let uniform = ((word >> 11) as f64 + 0.5) * (1.0 / (1u64 << 53) as f64);
    let noise = uniform.ln() / EPSILON;
    value + if word & 1 == 1 { noise } else { -noise }
}

fn snapping(arithmetic: Arithmetic, grid: Grid) -> Snapping {
    Snapping::builder(Bounds::parse("-8", "8").unwrap(), "1".parse().unwrap())
        .epsilon("1".parse().unwrap())
        .bound(Bound::Value(16i64.into()))
        .arithmetic(arithmetic)
        .grid(grid)
        .build()
        .unwrap()
}

#[test]
fn the_naive_mechanism_is_caught_at_once() {
    let mut entropy = System::default();
    let caught = violation(|value| unsafe_naive_laplace(value, &mut entropy));
    assert!(caught.is_some(), "the check is blind");
}

#[test]
fn a_sign_of_zero_would_be_caught() {
    // Exact snapping whose zeros keep the sign of the sum before rounding: one neighbour gives −0.0 far more often.
    let mechanism = snapping(Arithmetic::Exact, Grid::Snapped);
    let mut entropy = System::default();
    let caught = violation(|value| {
        let output = mechanism.release(value, &mut entropy).unwrap();
        if output == 0.0 && value == 1.0 {
            -0.0
        } else {
            output
        }
    });
    assert!(matches!(
        caught,
        Some(Feature::NegativeZero | Feature::Value(_))
    ));
}

#[test]
fn exact_snapping_shows_nothing() {
    for grid in [Grid::Snapped, Grid::Fine(-4), Grid::Fine(-30)] {
        let mechanism = snapping(Arithmetic::Exact, grid);
        let mut entropy = System::default();
        let found = violation(|value| mechanism.release(value, &mut entropy).unwrap());
        assert_eq!(found, None, "{grid:?}");
    }
}

#[test]
fn binary64_snapping_shows_nothing() {
    let mechanism = snapping(Arithmetic::Binary64, Grid::Snapped);
    let mut entropy = System::default();
    assert_eq!(
        violation(|value| mechanism.release(value, &mut entropy).unwrap()),
        None
    );
}

#[test]
fn multi_snapping_shows_nothing() {
    let mechanism = snapping(Arithmetic::Multi, Grid::Snapped);
    let mut entropy = System::default();
    assert_eq!(
        violation(|value| mechanism.release(value, &mut entropy).unwrap()),
        None
    );
}

#[test]
fn zero_is_never_negative() {
    for arithmetic in [Arithmetic::Exact, Arithmetic::Binary64, Arithmetic::Multi] {
        let mechanism = snapping(arithmetic, Grid::Snapped);
        let mut entropy = System::default();
        let mut zeros = 0;
        for i in 0..20_000 {
            let value = [-0.0, 0.0, -0.3, 0.3, -1.0][i % 5];
            let output = mechanism.release(value, &mut entropy).unwrap();
            zeros += usize::from(output == 0.0);
            assert_ne!(output.to_bits(), 1 << 63, "{arithmetic:?}");
        }
        assert!(zeros > 1000);
    }
}
