//! Gaussian noise alone: the exact profile, and both its inverses.

use lastbit_exact::{Down, Interval, Rational, Up};

use super::gaussian::Gaussian;
use super::pair::{Law, loss};
use super::search::{first_double, last_double};
use crate::Error;

/// The smallest δ at ε of releases by Gaussian noise whose squared distances, in standard
/// deviations, add up to `mu_squared`.
///
/// `δ(ε) = Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ)`, enclosed to about 10^-10 of itself.
///
/// **Proof.** A release of distance μ compares `N(0, 1)` with `N(μ, 1)`, or a function of them:
/// rounding to a grid is one. Several are normal vectors at distance `√Σμᵢ²`, which a rotation
/// turns into the first coordinate. The best event at ε holds what is left of `μ/2 − ε/μ`. ∎ (Balle
/// and Wang, 2018.) It holds too if each μᵢ is chosen with earlier results in sight, as long as the
/// sum stays within a bound fixed beforehand: see [`AdaptiveFilter`](super::AdaptiveFilter).
///
/// ```
/// use lastbit::accounting::gaussian_delta;
/// use lastbit::Rational;
/// // 100 releases with σ = 10Δ.
/// let delta = gaussian_delta(&Rational::ONE, &Rational::ONE)?;
/// assert!(delta.contains(0.12693673750664397) && delta.width().get() < 1e-11);
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn gaussian_delta(mu_squared: &Rational, epsilon: &Rational) -> Result<Interval, Error> {
    loss("epsilon", epsilon)?;
    let mu = root(mu_squared)?;
    Ok(profile(mu, Interval::from_rational(epsilon)))
}

/// The smallest ε at δ of releases by Gaussian noise, rounded up: the inverse of
/// [`gaussian_delta`].
///
/// ```
/// use lastbit::accounting::gaussian_epsilon;
/// use lastbit::Rational;
/// let epsilon = gaussian_epsilon(&Rational::ONE, &Rational::new(1, 1_000_000))?;
/// assert!(epsilon.get() > 4.886 && epsilon.get() < 4.887); // by zCDP it is 5.22
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn gaussian_epsilon(mu_squared: &Rational, delta: &Rational) -> Result<Up, Error> {
    let (mu, delta) = (root(mu_squared)?, delta_to_spend(delta)?);
    let epsilon = first_double(|z| profile(mu, Interval::point(z)).upper() <= delta);
    epsilon.map(Up::exact).ok_or_else(|| {
        Error::unbounded("no double is a large enough epsilon; use more noise, or a larger delta")
    })
}

/// The largest sum of squared distances with which releases by Gaussian noise are (ε, δ) private,
/// rounded down.
///
/// ```
/// use lastbit::accounting::gaussian_mu_squared;
/// use lastbit::Rational;
/// let squared = gaussian_mu_squared(&Rational::from(2i64), &Rational::new(1, 10_000_000))?;
/// assert!((squared.get().sqrt() - 0.408).abs() < 1e-3); // by zCDP it is 0.385
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn gaussian_mu_squared(epsilon: &Rational, delta: &Rational) -> Result<Down, Error> {
    loss("epsilon", epsilon)?;
    let (z, delta) = (Interval::from_rational(epsilon), delta_to_spend(delta)?);
    let mu = last_double(|mu| {
        let mu = Interval::point(mu);
        mu.hi() <= LARGEST && profile(mu, z).upper() <= delta
    });
    // The product of the mu found, which is exact, by itself.
    Ok(Down::exact(mu) * Down::exact(mu))
}

/// Beyond this nothing is hidden, and squares overflow.
const LARGEST: f64 = 1e6;

fn profile(mu: Interval, z: Interval) -> Interval {
    if mu.hi() == 0.0 {
        return Interval::ZERO;
    }
    let delta = Gaussian::enclosed(mu).profile(z);
    delta.min(Interval::ONE)
}

/// `√x` for a sum of squares.
fn root(squared: &Rational) -> Result<Interval, Error> {
    if squared.is_negative() {
        return Err(Error::distance(format!(
            "a sum of squares must be zero or more, got {squared}"
        )));
    }
    let mu = Interval::from_rational(squared).sqrt();
    if mu.hi() > LARGEST {
        return Err(Error::unbounded(
            "noise of a millionth of the distance hides nothing; use more of it",
        ));
    }
    Ok(mu)
}

/// A δ that a bound may reach: rounded down.
pub(super) fn delta_to_spend(delta: &Rational) -> Result<Up, Error> {
    if !delta.is_positive() || *delta > Rational::ONE {
        return Err(Error::distance(format!(
            "delta must be above 0 and at most 1, got {delta}; it is a probability"
        )));
    }
    // As a number to compare upper bounds with.
    Ok(Up::exact(Down::from_rational(delta).get()))
}
