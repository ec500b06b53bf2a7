use lastbit_exact::{Down, Up};

use crate::Error;
use crate::measures::{EpsilonDelta, ProfileCurve};

/// Profile → fixed (ε, δ) at a given δ: the smallest f64 ε with `δ(ε) ≤ δ`.
///
/// **Proof.** A profile bounds `sup_S P(S) − e^ε Q(S)` by `δ(ε)`; where that is at most δ the
/// release is (ε, δ) private. The inequality is checked, between doubles, at the ε that is
/// returned: a curve that rises somewhere costs tightness, not soundness. ∎
///
/// ```
/// use lastbit::conversions::{approximate_to_profile, profile_to_approximate, pure_to_approximate};
/// use lastbit::{Down, Up};
/// let profile = approximate_to_profile(&pure_to_approximate(Up::ONE)?)?;
/// assert_eq!(profile_to_approximate(&profile, Down::ZERO)?.loss().get(), 1.0);
/// assert!(profile_to_approximate(&profile, Down::exact(0.1))?.loss().get() < 0.86);
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn profile_to_approximate(profile: &ProfileCurve, delta: Down) -> Result<EpsilonDelta, Error> {
    let epsilon = profile.epsilon(delta)?;
    // A δ that is a lower bound of what may be spent, spent whole.
    EpsilonDelta::new(epsilon, Up::new(delta.get()).unwrap_or(Up::INFINITY))
}

/// Profile → fixed (ε, δ) at a given ε: `(ε, δ(ε))`.
///
/// **Proof.** That is what a profile states. ∎
///
/// ```
/// use lastbit::conversions::{approximate_to_profile, profile_at, pure_to_approximate};
/// use lastbit::{Down, Up};
/// let profile = approximate_to_profile(&pure_to_approximate(Up::ONE)?)?;
/// let loss = profile_at(&profile, Down::exact(0.5))?;
/// assert!(loss.delta().get() > 0.28 && loss.delta().get() < 0.29);
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn profile_at(profile: &ProfileCurve, epsilon: Down) -> Result<EpsilonDelta, Error> {
    let delta = profile.delta(epsilon)?;
    EpsilonDelta::new(Up::new(epsilon.get()).unwrap_or(Up::INFINITY), delta)
}
