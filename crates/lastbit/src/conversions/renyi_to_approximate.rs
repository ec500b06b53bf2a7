use lastbit_exact::{Down, Dyadic, Up};

use super::checks::{at_least_zero, bounded, delta_to_spend, loss};
use super::order::{self, Enclosed, dyadic, exact};
use crate::Error;
use crate::measures::{ProfileCurve, RenyiCurve};

/// Rényi at one order, `D_α ≤ D` → the δ of an ε: `δ ≥ e^((α−1)(D−ε))/(α−1)·(1−1/α)^α`, the
/// smallest such f64 up to one.
///
/// **Proof.** Let Z be the loss under P, `τ = α − 1`. Every event S has
/// `P(S) − e^ε Q(S) ≤ E[max(0, 1 − e^(ε−Z))]`. Now `max(0, 1 − e^-z)·e^(-τz)` is largest at
/// `e^-z = τ/(1+τ)`, where it is `e^-G` with `G = ln(1+τ) + τ·ln(1 + 1/τ)`; so the mean is at most
/// `e^(−G−τε)·E[e^(τZ)] ≤ e^(−G−τε+τD)`, which is the formula. It grows with D and falls with ε. ∎
///
/// ```
/// use lastbit::conversions::renyi_order_to_delta;
/// use lastbit::{Down, Up};
/// // (1−1/α)^α/(α−1) is 1/4 at α = 2.
/// let delta = renyi_order_to_delta(Up::exact(2.0), Up::ONE, Down::ONE)?;
/// assert!(delta.get() >= 0.25 && delta.get() < 0.2500001);
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn renyi_order_to_delta(order: Up, divergence: Up, epsilon: Down) -> Result<Up, Error> {
    let (tau, divergence) = at_order(order, divergence)?;
    let epsilon = at_least_zero("epsilon", epsilon)?;
    Ok(order::delta_at(&tau, &divergence, epsilon))
}

/// Rényi at one order, `D_α ≤ D` → the ε of a δ: `ε ≥ D + (ln(1/δ) − G(α−1))/(α−1)`, the smallest
/// such f64 up to one.
///
/// **Proof.** [`renyi_order_to_delta`], solved for ε. It grows with D and falls with δ. ∎
///
/// ```
/// use lastbit::conversions::renyi_order_to_epsilon;
/// use lastbit::{Down, Up};
/// let epsilon = renyi_order_to_epsilon(Up::exact(2.0), Up::ONE, Down::exact(0.25))?;
/// assert!(epsilon.get() >= 1.0 && epsilon.get() < 1.000001);
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn renyi_order_to_epsilon(order: Up, divergence: Up, delta: Down) -> Result<Up, Error> {
    let (tau, divergence) = at_order(order, divergence)?;
    let delta = delta_to_spend(delta)?;
    bounded(order::epsilon_at(&tau, &divergence, delta))
}

/// Rényi curve → the smallest ε of a δ, over the orders that a search finds best.
///
/// **Proof.** [`renyi_order_to_epsilon`] holds at every order; any search is sound. This one takes
/// powers of two of `α − 1`, then narrows down around the best. ∎
///
/// ```
/// use lastbit::conversions::{
///     renyi_to_approximate_epsilon, zcdp_to_approximate_epsilon, zcdp_to_renyi,
/// };
/// use lastbit::{Down, Up};
/// let (rho, delta) = (Up::exact(0.5), Down::exact(1e-6));
/// let epsilon = renyi_to_approximate_epsilon(&zcdp_to_renyi(rho)?, delta)?;
/// assert!(epsilon.get() <= zcdp_to_approximate_epsilon(rho, delta)?.get() * (1.0 + 1e-9));
/// # Ok::<(), lastbit::Error>(())
/// ```
#[expect(
    clippy::disallowed_methods,
    reason = "chooses an order; what it gives is enclosed"
)]
pub fn renyi_to_approximate_epsilon(curve: &RenyiCurve, delta: Down) -> Result<Up, Error> {
    let target = -delta_to_spend(delta)?.ln();
    let order = best_order(curve, |tau, divergence| {
        divergence + (target - order::entropy_near(tau)) / tau
    })?;
    renyi_order_to_epsilon(order, curve.epsilon(order)?, delta)
}

/// Rényi curve → the smallest δ of an ε, over the orders that a search finds best.
///
/// **Proof.** As for [`renyi_to_approximate_epsilon`]. ∎
///
/// ```
/// use lastbit::conversions::{renyi_to_approximate_delta, zcdp_to_renyi};
/// use lastbit::{Down, Up};
/// let delta = renyi_to_approximate_delta(&zcdp_to_renyi(Up::exact(0.5))?, Down::exact(5.23))?;
/// assert!(delta.get() < 1e-6);
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn renyi_to_approximate_delta(curve: &RenyiCurve, epsilon: Down) -> Result<Up, Error> {
    let target = at_least_zero("epsilon", epsilon)?;
    let order = best_order(curve, |tau, divergence| {
        tau * (divergence - target) - order::entropy_near(tau)
    })?;
    renyi_order_to_delta(order, curve.epsilon(order)?, epsilon)
}

/// Rényi curve → profile: [`renyi_to_approximate_delta`] at every ε.
///
/// ```
/// use lastbit::conversions::{renyi_to_profile, zcdp_to_renyi};
/// use lastbit::{Down, Up};
/// let profile = renyi_to_profile(&zcdp_to_renyi(Up::exact(0.5))?);
/// assert!(profile.delta(Down::exact(5.23))?.get() < 1e-6);
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn renyi_to_profile(curve: &RenyiCurve) -> ProfileCurve {
    let curve = curve.clone();
    ProfileCurve::new(move |epsilon| renyi_to_approximate_delta(&curve, epsilon))
}

/// An order at which `price(τ, D)` is about the smallest, in f64. A curve may be undefined at some
/// orders, not at all of them.
fn best_order(curve: &RenyiCurve, price: impl Fn(f64, f64) -> f64) -> Result<Up, Error> {
    let at = |exponent: f64| -> Result<Candidate, Error> {
        let order = Up::ONE + Up::exact(exponent.exp2());
        let divergence = curve.epsilon(order)?.get();
        Ok(Candidate {
            exponent,
            order,
            price: price(order.get() - 1.0, divergence),
        })
    };
    let mut best = at(-40.0);
    for exponent in -39..=60 {
        let next = at(f64::from(exponent));
        let better = match (&next, &best) {
            (Ok(next), Ok(best)) => next.price < best.price,
            (next, _) => next.is_ok(),
        };
        if better {
            best = next;
        }
    }
    let mut best = best?;
    // Each round looks at both sides of the best so far and halves the step; it ends with α − 1
    // known to 30 bits.
    let mut step = 0.5;
    for _ in 0..30 {
        for exponent in [best.exponent - step, best.exponent + step] {
            match at(exponent) {
                Ok(next) if next.price < best.price => best = next,
                _ => {}
            }
        }
        step /= 2.0;
    }
    Ok(best.order)
}

struct Candidate {
    /// `log2(α − 1)`, before rounding.
    exponent: f64,
    order: Up,
    price: f64,
}

/// `τ = α − 1` and the divergence, exactly. A claim about all orders up to α holds at α.
fn at_order(order: Up, divergence: Up) -> Result<(Dyadic, Enclosed), Error> {
    if order.get() <= 1.0 || !order.is_finite() {
        return Err(Error::distance(format!(
            "a Rényi order must be above 1 and finite, got {order}; use 2, or the order at which \
             the divergence is known"
        )));
    }
    let divergence = loss("divergence", divergence)?;
    Ok((&dyadic(order.get()) - &Dyadic::ONE, exact(divergence)))
}
