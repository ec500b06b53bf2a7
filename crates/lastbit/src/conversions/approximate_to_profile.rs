use lastbit_exact::{Down, Up};

use crate::measures::{EpsilonDelta, ProfileCurve};
use crate::{Distance, Error};

/// Fixed (ε₀, δ₀) → profile: `δ(ε) ≥ δ₀` from ε₀ on, and before it
/// `δ(ε) ≥ δ₀ + (1−δ₀)·(1 − e^(ε−ε₀))/(1 + e^-ε₀)`, at most 5 doubles above the smallest such f64;
/// never above 1.
///
/// **Proof.** `P(S) ≤ e^ε₀ Q(S) + δ₀` in both orders makes (P, Q) a function of the pair (Kairouz,
/// Oh and Viswanath, 2015) that, with probability δ₀, tells the two laws apart, and else answers by
/// randomized response at ε₀. For that pair `sup_S P(S) − e^ε Q(S)` is δ₀ from the first part, plus
/// `(1−δ₀)·max(0, e^ε₀ − e^ε)/(1 + e^ε₀)` from the second; a function of it has no larger one. It
/// grows with ε₀ and δ₀ and falls with ε. ∎
///
/// ```
/// use lastbit::conversions::{approximate_to_profile, pure_to_approximate};
/// use lastbit::{Down, Up};
/// let profile = approximate_to_profile(&pure_to_approximate(Up::ONE)?)?;
/// assert_eq!(profile.delta(Down::ONE)?, Up::ZERO);
/// let total_variation = profile.delta(Down::ZERO)?;
/// assert!((total_variation.get() - 0.5f64.tanh()).abs() < 1e-15);
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn approximate_to_profile(loss: &EpsilonDelta) -> Result<ProfileCurve, Error> {
    loss.check()?;
    let (epsilon, delta) = (*loss.loss(), loss.delta());
    // The curve itself refuses a negative argument.
    Ok(ProfileCurve::new(move |at| {
        Ok(delta_at(epsilon, delta, at))
    }))
}

fn delta_at(epsilon: Up, delta: Up, at: Down) -> Up {
    let gap = epsilon - at;
    if gap.get() <= 0.0 {
        return delta;
    }
    // 1 − e^-gap grows with the gap, and the denominator 1 + e^-ε₀ falls with ε₀.
    let rise = -(-gap).exp_m1();
    let response = rise / (Down::ONE + (-epsilon).exp());
    let rest = Up::ONE - Down::exact(delta.get());
    (delta + rest * response).min(Up::ONE)
}
