use core::fmt;
use std::sync::Arc;

use lastbit_exact::{Down, Up};

use super::Measure;
use crate::{Distance, Error, search};

/// The whole privacy profile: δ as a function of ε, `δ(ε) = sup_S P(S) − e^ε Q(S)` in both orders.
///
/// ```
/// # use lastbit::measures::PrivacyProfile;
/// assert_eq!(PrivacyProfile.to_string(), "privacy profile (ε ↦ δ)");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrivacyProfile;

impl Measure for PrivacyProfile {
    type Distance = ProfileCurve;
}

impl fmt::Display for PrivacyProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("privacy profile (ε ↦ δ)")
    }
}

type Delta = dyn Fn(Down) -> Result<Up, Error> + Send + Sync;

/// A curve ε ↦ δ(ε), rounded up.
///
/// δ falls as ε grows, so a claim about ε is evaluated at a *lower* bound of it: the types say so.
/// Two curves have no order that can be decided; read one at a δ with [`ProfileCurve::epsilon`] and
/// compare that.
///
/// ```
/// use lastbit::measures::ProfileCurve;
/// use lastbit::{Down, Up};
/// // Randomized response that tells the truth with probability 3/4: δ(ε) = max(0, 3/4 − e^ε/4).
/// let curve = ProfileCurve::new(|epsilon: Down| {
///     Ok((Up::exact(0.75) - epsilon.exp() / Up::exact(4.0)).max(Up::ZERO))
/// });
/// assert_eq!(curve.delta(Down::ZERO)?.get(), 0.5);
/// let epsilon = curve.epsilon(Down::ZERO)?; // pure: ln 3
/// assert!((epsilon.get() - 3f64.ln()).abs() < 1e-15);
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Clone)]
pub struct ProfileCurve(Arc<Delta>);

impl ProfileCurve {
    /// From a function with `δ(x) ≤ delta(ε)` for every `x ≥ ε ≥ 0`, which does not rise.
    pub fn new(delta: impl Fn(Down) -> Result<Up, Error> + Send + Sync + 'static) -> ProfileCurve {
        ProfileCurve(Arc::new(delta))
    }

    /// `δ(x) ≤ curve.delta(ε)` for every `x ≥ ε`, and at most 1.
    pub fn delta(&self, epsilon: Down) -> Result<Up, Error> {
        if epsilon.get() < 0.0 {
            return Err(Error::distance(format!(
                "epsilon must be zero or more, got {epsilon}; a profile is read at ε ≥ 0"
            )));
        }
        let delta = (self.0)(epsilon)?.min(Up::ONE);
        delta.check()?;
        Ok(delta)
    }

    /// The smallest f64 ε with `curve.delta(ε) ≤ delta`: the release is (ε, x) private for every
    /// `x ≥ delta`.
    pub fn epsilon(&self, delta: Down) -> Result<Up, Error> {
        let enough = |epsilon: f64| -> Result<bool, Error> {
            // Every f64 is its own lower bound; the range below holds only finite ones.
            Ok(self.delta(Down::exact(epsilon))?.get() <= delta.get())
        };
        let epsilon = search::find_smallest(0.0..=f64::MAX, enough)?;
        epsilon.map(Up::exact).ok_or_else(|| {
            Error::unbounded(format!(
                "the profile stays above delta {delta} at every epsilon; allow a larger delta"
            ))
        })
    }
}

impl Distance for ProfileCurve {
    /// Every reading is checked when it is made.
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}

impl fmt::Display for ProfileCurve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.delta(Down::ZERO) {
            Ok(delta) => write!(f, "ε ↦ δ with δ(0) = {delta}"),
            Err(_) => f.write_str("ε ↦ δ"),
        }
    }
}

impl fmt::Debug for ProfileCurve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProfileCurve({self})")
    }
}
