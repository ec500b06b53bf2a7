use lastbit_exact::{Down, Up};

use super::ConversionError;
use super::error::{at_least, loss};

/// Fixed (ε₀, δ₀) → the profile at ε: `δ(ε) ≥ δ₀` from ε₀ on, and before it
/// `δ(ε) ≥ δ₀ + (1−δ₀)·(1 − e^(ε−ε₀))/(1 + e^-ε₀)`, within 6 units in the last place; never above 1.
///
/// **Proof.** `P(S) ≤ e^ε₀ Q(S) + δ₀` in both orders makes (P, Q) a function of the pair (Kairouz, Oh and Viswanath, 2015) that,
/// with probability δ₀, tells the two laws apart, and else answers by randomized response at ε₀. For that pair
/// `sup_S P(S) − e^ε Q(S)` is δ₀ from the first part, plus `(1−δ₀)·max(0, e^ε₀ − e^ε)/(1 + e^ε₀)` from the second; a function of
/// it has no larger one. It grows with ε₀ and δ₀ and falls with ε. ∎
///
/// Pure ε₀ is `δ₀ = 0`.
///
/// ```
/// use lastbit::conversions::approximate_to_profile;
/// use lastbit_exact::{Down, Up};
/// let (epsilon, delta) = (Up::exact(1.0), Up::exact(1e-6));
/// assert_eq!(approximate_to_profile(epsilon, delta, Down::ONE)?, delta);
/// let total_variation = approximate_to_profile(epsilon, delta, Down::ZERO)?;
/// assert!((total_variation.get() - 0.5f64.tanh()).abs() < 1e-6);
/// # Ok::<(), lastbit::conversions::ConversionError>(())
/// ```
pub fn approximate_to_profile(epsilon: Up, delta: Up, at: Down) -> Result<Up, ConversionError> {
    loss("epsilon", epsilon)?;
    if loss("delta", delta)? > 1.0 {
        return Err(ConversionError::DeltaAboveOne(delta.get()));
    }
    at_least("epsilon", at)?;
    let gap = epsilon - at;
    if gap.get() <= 0.0 {
        return Ok(delta);
    }
    // 1 − e^-gap grows with the gap, and the denominator 1 + e^-ε₀ falls with ε₀.
    let rise = -(-gap).exp_m1();
    let response = rise / (Down::ONE + (-epsilon).exp());
    let rest = Up::ONE - Down::exact(delta.get());
    Ok((delta + rest * response).min(Up::ONE))
}
