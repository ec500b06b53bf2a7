//! The peer that the benches compare with: the textbook Laplace mechanism in doubles. **It leaks. Never use it.** And a stopwatch, scores
//! and rows.

use std::time::Instant;

use lastbit_noise::entropy::{Entropy, EntropyError};

/// `f + Laplace(λ)` in plain doubles: one word of randomness, `f64::ln`, one addition. Not private: the low bits of its output
/// reveal `f` (Mironov 2012).
#[inline]
pub fn unsafe_naive_laplace(
    value: f64,
    scale: f64,
    entropy: &mut impl Entropy,
) -> Result<f64, EntropyError> {
    let word = entropy.word()?;
    let uniform = ((word >> 11) as f64 + 0.5) * (1.0 / (1u64 << 53) as f64);
    let noise = -scale * uniform.ln();
    Ok(value + if word & 1 == 1 { -noise } else { noise })
}

/// Nanoseconds a turn, in the fastest of several runs of `n` turns each.
pub fn fastest(n: usize, mut run: impl FnMut(usize)) -> f64 {
    (0..9)
        .map(|_| {
            let start = Instant::now();
            run(n);
            start.elapsed().as_nanos() as f64 / n as f64
        })
        .fold(f64::INFINITY, f64::min)
}

/// The candidates of a selection.
pub const CANDIDATES: usize = 100_000;

/// Scores of five shapes, which a selection must take the same time for.
pub fn score_shapes(count: usize) -> [(&'static str, Vec<f64>); 5] {
    let mut peak = vec![0.0; count];
    peak[count / 3] = 1e6;
    let wide = fractions().map(|u| (u - 0.5) * 1e308);
    [
        ("equal", vec![1.0; count]),
        ("peak", peak),
        ("ramp", (0..count).map(|i| i as f64).collect()),
        (
            "random",
            fractions().take(count).map(|u| u * count as f64).collect(),
        ),
        ("huge", wide.take(count).collect()),
    ]
}

/// Rows all over `u64`, in no order.
pub fn spread_rows(count: usize) -> Vec<u64> {
    let rows = 1..=count as u64;
    rows.map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .collect()
}

/// A fixed walk through 53-bit fractions.
fn fractions() -> impl Iterator<Item = f64> {
    let mut word = 0x9E37_79B9_7F4A_7C15u64;
    std::iter::repeat_with(move || {
        word = word
            .wrapping_mul(0xD134_2543_DE82_EF95)
            .wrapping_add(0x2545_F491_4F6C_DD1D);
        (word >> 11) as f64 / (1u64 << 53) as f64
    })
}
