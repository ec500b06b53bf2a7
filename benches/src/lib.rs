//! The peer that the benches compare with: the textbook Laplace mechanism in doubles. **It leaks. Never use it.** And a stopwatch.

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
