//! What a Rényi divergence at one order says about (ε, δ), and how an order is chosen.
//!
//! For laws with `D_α(P‖Q) ≤ D`, `α = 1 + τ`, every event S has `P(S) − e^ε Q(S) ≤ δ` with
//!
//! `ln δ = τ(D − ε) − G(τ)`,  `G(τ) = ln(1+τ) + τ·ln(1 + 1/τ)`
//!
//! which is `δ = e^((α−1)(D−ε))/(α−1)·(1−1/α)^α` (Canonne, Kamath and Steinke, 2020). **Proof.**
//! With the loss Z under P, `P(S) − e^ε Q(S) ≤ E[max(0, 1 − e^(ε−Z))]`; the function
//! `max(0, 1 − e^-z)·e^(-τz)` is largest at `e^-z = τ/(1+τ)`, where it is
//! `τ^τ/(1+τ)^(1+τ) = e^(−G(τ))`. So the mean is at most `e^(−G−τε)·E[e^(τZ)] ≤ e^(−G−τε+τD)`. ∎
//!
//! It holds at *every* order, so a search for the best one may be done in plain f64: only the last
//! evaluation, at the order found, is rigorous. As the order is a stationary point, its error
//! enters squared.

use core::convert::Infallible;

use lastbit_exact::{Dyadic, Up, Wide, exp_enclosure, ln_enclosure};

use crate::search::find_smallest;

/// Wide enough that the cancellation below leaves at least 70 bits.
pub(super) type Enclosed = Wide<160>;

/// The exact value of an f64; every caller knows that it is finite.
pub(super) fn dyadic(value: f64) -> Dyadic {
    Dyadic::try_from(value).unwrap_or(Dyadic::ZERO)
}

/// An exact f64.
pub(super) fn exact(value: f64) -> Enclosed {
    point(&dyadic(value))
}

/// A number by itself.
pub(super) fn point(value: &Dyadic) -> Enclosed {
    Enclosed::between(value, value)
}

/// `G(τ) = ln(1+τ) + τ·ln(1 + 1/τ)` for `τ > 0`.
pub(super) fn entropy(tau: &Dyadic) -> Enclosed {
    let (one, tau) = (Enclosed::ONE, &point(tau));
    // For 0 < z ≤ 1, G(1/z) = −ln z + (1+z)·ln(1+z)/z, and the second is 1 + z/2 − z²/6 + …,
    // alternating.
    let beyond = |z: &Enclosed| {
        let below = &(z * z) / &exact(6.0);
        let slack = Enclosed::between(&-below.hi(), &Dyadic::ZERO);
        &(&one + &z.times_power_of_two(-1)) + &slack
    };
    if *tau.hi() > Dyadic::power_of_two(40) {
        &ln(tau) + &beyond(&(&one / tau))
    } else if *tau.lo() < Dyadic::power_of_two(-40) {
        // G(τ) = τ·G(1/τ).
        tau * &(&beyond(tau) - &ln(tau))
    } else {
        // (1+τ)·ln(1+τ) − τ·ln τ is at least τ, and cancels no more than the 40 bits of τ.
        let above = tau + &one;
        &(&above * &ln(&above)) - &(tau * &ln(tau))
    }
}

/// About `G(τ)`, for searches.
#[expect(clippy::disallowed_methods, reason = "for searches")]
pub(super) fn entropy_near(tau: f64) -> f64 {
    tau.ln_1p() + tau * tau.recip().ln_1p()
}

/// `ln x` for `x > 0`, to 2^-200.
pub(super) fn ln(x: &Enclosed) -> Enclosed {
    let low = ln_enclosure(x.lo(), 200);
    if x.lo() == x.hi() {
        return Enclosed::between(low.lo(), low.hi());
    }
    Enclosed::between(low.lo(), ln_enclosure(x.hi(), 200).hi())
}

/// `e^ln ≤ probability_up(ln)`, at most 1.
pub(super) fn probability_up(ln: &Enclosed) -> Up {
    if !ln.hi().is_negative() {
        return Up::ONE;
    }
    Up::from_dyadic(exp_enclosure(ln.hi(), 64).hi()).min(Up::ONE)
}

/// `ln(1/δ)` for `0 < δ ≤ 1`.
pub(super) fn ln_recip(delta: f64) -> Enclosed {
    -&ln(&exact(delta))
}

/// The bound δ of an event beyond ε, from a divergence `D` at order `1 + τ`.
pub(super) fn delta_at(tau: &Dyadic, divergence: &Enclosed, epsilon: f64) -> Up {
    let gap = divergence - &exact(epsilon);
    probability_up(&(&(&point(tau) * &gap) - &entropy(tau)))
}

/// `D + (ln(1/δ) − G(τ))/τ`, zero if negative: the ε at which [`delta_at`] is δ.
pub(super) fn epsilon_at(tau: &Dyadic, divergence: &Enclosed, delta: f64) -> Up {
    let rest = rest_at(tau, delta);
    Up::from_dyadic((divergence + &rest).hi()).max(Up::ZERO)
}

/// `(ln(1/δ) − G(τ))/τ`.
pub(super) fn rest_at(tau: &Dyadic, delta: f64) -> Enclosed {
    &(&ln_recip(delta) - &entropy(tau)) / &point(tau)
}

/// The smallest positive f64 at which `above` holds, for a condition that holds from some number
/// on; the largest f64 if none.
///
/// It takes 63 steps whatever the scale.
pub(super) fn first_where(above: impl Fn(f64) -> bool) -> f64 {
    let positive = f64::from_bits(1)..=f64::MAX;
    // The largest is the answer also if nothing holds there.
    let Ok(found) = find_smallest(positive, |x| Ok::<_, Infallible>(x == f64::MAX || above(x)));
    found.unwrap_or(f64::MAX)
}

#[cfg(test)]
mod tests;
