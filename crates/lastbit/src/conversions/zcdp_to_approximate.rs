use lastbit_exact::{Down, Dyadic, Rounding, Up};

use super::checks::{at_least_zero, bounded, delta_to_spend, loss};
use super::order::{self, Enclosed, dyadic, exact, first_where, point};
use crate::Error;
use crate::measures::ProfileCurve;

/// zCDP ρ → (ε, δ): the smallest ε at a given δ, rounded up; within 1 unit in the last place of the
/// best over all orders.
///
/// `ε = min over τ > 0 of (1+τ)ρ + (ln(1/δ) − G(τ))/τ`, and never below 0. δ is a *lower* bound of
/// what may be spent.
///
/// **Proof.** `D_α ≤ αρ` at every order `α = 1 + τ`; the rest is the bound of a Rényi divergence at
/// one order, solved for ε, which [`renyi_order_to_delta`](super::renyi_order_to_delta) proves. The
/// derivative in τ is zero where `τ²ρ + ln(1+τ) = ln(1/δ)`, whose left side increases: one
/// solution, the minimum. It is found in f64 and the bound evaluated there with intervals. ε grows
/// with ρ and falls with δ. ∎
///
/// ```
/// use lastbit::conversions::zcdp_to_approximate_epsilon;
/// use lastbit::{Down, Up};
/// let epsilon = zcdp_to_approximate_epsilon(Up::exact(0.5), Down::exact(1e-6))?;
/// assert!(epsilon.get() > 5.22 && epsilon.get() < 5.23); // ρ + 2·√(ρ·ln(1/δ)) is 5.76
/// # Ok::<(), lastbit::Error>(())
/// ```
#[expect(
    clippy::disallowed_methods,
    reason = "chooses an order; what it gives is enclosed"
)]
pub fn zcdp_to_approximate_epsilon(rho: Up, delta: Down) -> Result<Up, Error> {
    let (rho, delta) = (loss("rho", rho)?, delta_to_spend(delta)?);
    if rho == 0.0 || delta == 1.0 {
        return Ok(Up::ZERO);
    }
    let target = -delta.ln();
    let tau = dyadic(first_where(|tau| tau * tau * rho + tau.ln_1p() >= target));
    bounded(order::epsilon_at(&tau, &linear(rho, &tau), delta))
}

/// zCDP ρ → (ε, δ): the smallest δ at a given ε, rounded up; within 1 unit in the last place of the
/// best over all orders.
///
/// `ln δ = min over τ > 0 of τ((1+τ)ρ − ε) − G(τ)`. ε is a *lower* bound: a smaller one has a
/// larger δ.
///
/// **Proof.** As for [`zcdp_to_approximate_epsilon`]; the right side is convex in τ and its
/// derivative `(2τ+1)ρ − ε − ln(1 + 1/τ)` increases through zero. δ grows with ρ and falls with ε.
/// ∎
///
/// ```
/// use lastbit::conversions::zcdp_to_approximate_delta;
/// use lastbit::{Down, Up};
/// let delta = zcdp_to_approximate_delta(Up::exact(0.5), Down::exact(5.23))?;
/// assert!(delta.get() > 9e-7 && delta.get() < 1e-6);
/// # Ok::<(), lastbit::Error>(())
/// ```
#[expect(
    clippy::disallowed_methods,
    reason = "chooses an order; what it gives is enclosed"
)]
pub fn zcdp_to_approximate_delta(rho: Up, epsilon: Down) -> Result<Up, Error> {
    let (rho, epsilon) = (loss("rho", rho)?, at_least_zero("epsilon", epsilon)?);
    if rho == 0.0 {
        return Ok(Up::ZERO);
    }
    let tau = dyadic(first_where(|tau| {
        (2.0 * tau + 1.0) * rho >= epsilon + tau.recip().ln_1p()
    }));
    Ok(order::delta_at(&tau, &linear(rho, &tau), epsilon))
}

/// zCDP ρ → profile: [`zcdp_to_approximate_delta`] at every ε.
///
/// ```
/// use lastbit::conversions::zcdp_to_profile;
/// use lastbit::{Down, Up};
/// let profile = zcdp_to_profile(Up::exact(0.5))?;
/// assert!(profile.delta(Down::exact(5.23))?.get() < 1e-6);
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn zcdp_to_profile(rho: Up) -> Result<ProfileCurve, Error> {
    loss("rho", rho)?;
    Ok(ProfileCurve::new(move |epsilon| {
        zcdp_to_approximate_delta(rho, epsilon)
    }))
}

/// (ε, δ) → the largest ρ that meets it, rounded *down*: any release that is ρ-zCDP is then (ε, δ)
/// private; within 1 unit in the last place of the best over all orders.
///
/// `ρ = max over τ > 0 of (ε − (ln(1/δ) − G(τ))/τ)/(1+τ)`.
///
/// **Proof.** The bound of [`zcdp_to_approximate_epsilon`] at τ, solved for ρ; it holds at every τ.
/// At the best, `ρ = (ln(1/δ) − ln(1+τ))/τ²` and `ε = (1+2τ)ρ − ln(1 + 1/τ)`. The first falls with
/// τ, and the best ε grows with ρ, so along these pairs ε falls with τ: one solution. ∎
///
/// ```
/// use lastbit::conversions::{zcdp_for_approximate, zcdp_to_approximate_epsilon};
/// use lastbit::{Down, Up};
/// let rho = zcdp_for_approximate(Down::ONE, Down::exact(1e-6))?;
/// let epsilon = zcdp_to_approximate_epsilon(Up::exact(rho.get()), Down::exact(1e-6))?;
/// assert!((epsilon.get() - 1.0).abs() < 1e-14);
/// # Ok::<(), lastbit::Error>(())
/// ```
#[expect(
    clippy::disallowed_methods,
    reason = "chooses an order; what it gives is enclosed"
)]
pub fn zcdp_for_approximate(epsilon: Down, delta: Down) -> Result<Down, Error> {
    let (epsilon, delta) = (at_least_zero("epsilon", epsilon)?, delta_to_spend(delta)?);
    let target = -delta.ln();
    let tau = dyadic(first_where(|tau| {
        let rho = (target - tau.ln_1p()) / tau / tau;
        tau > 1e300 || (1.0 + 2.0 * tau) * rho < epsilon + tau.recip().ln_1p()
    }));
    let rest = order::rest_at(&tau, delta);
    let rho = &(&exact(epsilon) - &rest) / &(&Enclosed::ONE + &point(&tau));
    let rho = rho.lo().to_f64(Rounding::Down).clamp(0.0, f64::MAX);
    Ok(Down::exact(rho))
}

/// `(1 + τ)·ρ`.
fn linear(rho: f64, tau: &Dyadic) -> Enclosed {
    &(&Enclosed::ONE + &point(tau)) * &exact(rho)
}
