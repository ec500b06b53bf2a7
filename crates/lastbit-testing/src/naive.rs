//! A mechanism that leaks, to be caught and to be timed.

use lastbit_noise::entropy::{Entropy, EntropyError};

/// `f + Laplace(λ)` in plain doubles: one word of randomness, `f64::ln`, one addition. **It leaks.
/// Never use it.** The low bits of its output reveal `f` (Mironov 2012).
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
