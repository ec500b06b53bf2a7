use lastbit_exact::{Down, Up};

use super::ConversionError;
use super::error::delta_to_spend;
use super::order::first_where;

/// Profile → fixed (ε, δ): the smallest f64 ε with `profile(ε) ≤ δ`, for a profile that does not rise.
///
/// **Proof.** A profile bounds `sup_S P(S) − e^ε Q(S)` by `profile(ε)`; where that is at most δ the release is (ε, δ) private. The
/// inequality is checked, in f64 without rounding, at the ε that is returned: a profile that does rise somewhere costs
/// tightness, not soundness. ∎
///
/// The other fixed pair, at a given ε, is `(ε, profile(ε))`.
///
/// ```
/// use lastbit::conversions::{approximate_to_profile, profile_to_approximate};
/// use lastbit_exact::{Down, Up};
/// let profile = |epsilon| approximate_to_profile(Up::ONE, Up::exact(1e-6), epsilon);
/// assert_eq!(profile_to_approximate(profile, Down::exact(1e-6))?.get(), 1.0);
/// assert!(profile_to_approximate(profile, Down::exact(0.1))?.get() < 1.0);
/// # Ok::<(), lastbit::conversions::ConversionError>(())
/// ```
pub fn profile_to_approximate(
    profile: impl Fn(Down) -> Result<Up, ConversionError>,
    delta: Down,
) -> Result<Up, ConversionError> {
    let target = delta_to_spend(delta)?;
    if profile(Down::ZERO)?.get() <= target {
        return Ok(Up::ZERO);
    }
    // `first_where` only visits finite numbers. A profile that fails at one of them is not known to be below δ there.
    let enough =
        |epsilon: f64| profile(Down::exact(epsilon)).is_ok_and(|reached| reached.get() <= target);
    let epsilon = first_where(enough);
    if enough(epsilon) {
        Ok(Up::exact(epsilon))
    } else {
        // An error of the profile itself says more than its absence does.
        profile(Down::exact(epsilon))?;
        Err(ConversionError::ProfileAbove { delta: target })
    }
}
