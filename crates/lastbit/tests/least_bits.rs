//! Mironov's check: whether something about the doubles that a mechanism publishes breaks
//! ε-differential privacy.

use std::collections::HashMap;

pub const DRAWS: usize = 1_000_000;
pub const EPSILON: f64 = 1.0;

/// What an attacker may look at in one double.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Feature {
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
/// Under ε-DP, given that a feature was seen n times in both runs together, the number of times in
/// one of them is at least binomial(n, q) with q = e^-ε/(1 + e^-ε) (stochastically), so P(at most
/// c) ≤ exp(−n·KL(c/n ‖ q)) for c/n < q. At most 10·DRAWS features are looked at, both ways; the
/// false-alarm probability of the whole test is at most 1e-9.
pub fn violation(draw: impl FnMut(f64) -> f64) -> Option<Feature> {
    violation_in(DRAWS, draw)
}

/// [`violation`] with this many draws for each neighbour, at most [`DRAWS`].
pub fn violation_in(draws: usize, mut draw: impl FnMut(f64) -> f64) -> Option<Feature> {
    let mut counts: HashMap<Feature, [u64; 2]> = HashMap::new();
    for (run, value) in [0.0, 1.0].into_iter().enumerate() {
        for _ in 0..draws {
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
