use lastbit_exact::{Down, Dyadic, Up};

use super::ConversionError;
use super::error::{at_least, bounded, delta_to_spend, loss};
use super::order::{self, Loss, dyadic, exact};
use super::zcdp_to_renyi::check_order;

/// Rényi (α, D) → (ε, δ): `δ ≥ e^((α−1)(D−ε))/(α−1)·(1−1/α)^α`, the smallest such f64 up to one.
///
/// **Proof.** Let Z be the loss under P, `τ = α − 1`. Every event S has `P(S) − e^ε Q(S) ≤ E[max(0, 1 − e^(ε−Z))]`. Now
/// `max(0, 1 − e^-z)·e^(-τz)` is largest at `e^-z = τ/(1+τ)`, where it is `e^-G` with `G = ln(1+τ) + τ·ln(1 + 1/τ)`; so the mean is
/// at most `e^(−G−τε)·E[e^(τZ)] ≤ e^(−G−τε+τD)`, which is the formula. It grows with D and falls with ε. ∎
///
/// ```
/// use lastbit::conversions::renyi_to_approximate_delta;
/// use lastbit_exact::{Down, Up};
/// // (1−1/α)^α/(α−1) is 1/4 at α = 2.
/// let delta = renyi_to_approximate_delta(Up::exact(2.0), Up::ONE, Down::ONE)?;
/// assert!(delta.get() >= 0.25 && delta.get() < 0.2500001);
/// # Ok::<(), lastbit::conversions::ConversionError>(())
/// ```
pub fn renyi_to_approximate_delta(
    order: Up,
    divergence: Up,
    epsilon: Down,
) -> Result<Up, ConversionError> {
    let (tau, divergence) = point(order, divergence)?;
    let epsilon = at_least("epsilon", epsilon)?;
    Ok(order::delta_at(&tau, &divergence, epsilon))
}

/// Rényi (α, D) at some orders → (ε, δ): the smallest ε at a given δ over the orders given, rounded up.
///
/// **Proof.** Each order gives a bound by [`renyi_to_approximate_delta`], solved for ε: `D + (ln(1/δ) − G(τ))/τ`. All hold, so the
/// smallest does. It grows with D and falls with δ. ∎
///
/// ```
/// use lastbit::conversions::{renyi_to_approximate_epsilon, zcdp_to_renyi};
/// use lastbit_exact::{Down, Up};
/// let rho = Up::exact(0.5);
/// let curve = [2, 4, 6, 8, 16].map(|order| (Up::from(order), zcdp_to_renyi(rho, Up::from(order)).unwrap()));
/// let epsilon = renyi_to_approximate_epsilon(&curve, Down::exact(1e-6))?;
/// assert!(epsilon.get() < 5.3);
/// # Ok::<(), lastbit::conversions::ConversionError>(())
/// ```
pub fn renyi_to_approximate_epsilon(
    curve: &[(Up, Up)],
    delta: Down,
) -> Result<Up, ConversionError> {
    let delta = delta_to_spend(delta)?;
    let mut best = None::<Up>;
    for &(order, divergence) in curve {
        let (tau, divergence) = point(order, divergence)?;
        let epsilon = order::epsilon_at(&tau, &divergence, delta);
        best = Some(best.map_or(epsilon, |best| best.min(epsilon)));
    }
    bounded("epsilon", best.ok_or(ConversionError::NoOrders)?)
}

/// `τ = α − 1` and the divergence, exactly.
fn point(order: Up, divergence: Up) -> Result<(Dyadic, Loss), ConversionError> {
    let order = check_order(order)?;
    let divergence = loss("divergence", divergence)?;
    Ok((&dyadic(order) - &Dyadic::ONE, exact(divergence)))
}
