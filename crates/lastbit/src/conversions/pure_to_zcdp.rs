use std::sync::LazyLock;

use lastbit_exact::{Interval, Up};

use super::checks::loss;
use super::order::dyadic;
use super::series::{Alternating, factorial, tangent_numbers};
use crate::Error;

/// Pure ε → zCDP: `ρ ≥ ε·tanh(ε/2)`, at most one double above the smallest such f64.
///
/// **Proof.** Let `D_α(P‖Q)` be the Rényi divergence of laws with `e^-ε ≤ dP/dQ ≤ e^ε`. As `x^α` is
/// convex, `E_Q[(dP/dQ)^α]` is largest when `dP/dQ` takes only its two extremes: randomized
/// response, for which, with `s = α − 1/2`,
///
/// `(α−1)·D_α = ln cosh(sε) − ln cosh(ε/2)`.
///
/// `cosh √V = Π (1 + V/((n−½)²π²))`, so `ln cosh(sε)` is a sum of concave functions of `v = s²` and
/// lies below its tangent at `v = 1/4`, where the right side is 0 and its slope in v is
/// `ε·tanh(ε/2)`. As `s² − 1/4 = α(α−1)`, `(α−1)·D_α ≤ α(α−1)·ε·tanh(ε/2)` for every α > 1.
/// Equality holds as α → 1: no smaller ρ will do. The bound grows with ε, so it holds for every ε
/// below an upper bound. ∎
///
/// ```
/// use lastbit::conversions::pure_to_zcdp;
/// use lastbit::Up;
/// let rho = pure_to_zcdp(Up::ONE)?;
/// // the customary ε²/2 is 0.5
/// assert!(rho.get() >= 0.46211715726000975 && rho.get() < 0.4621171572600101);
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn pure_to_zcdp(epsilon: Up) -> Result<Up, Error> {
    let value = loss("epsilon", epsilon)?;
    if value <= 2.0 {
        let epsilon = dyadic(value);
        let square = &epsilon * &epsilon;
        return Ok(SERIES.times(
            &square.times_power_of_two(-1),
            &square.times_power_of_two(-3),
        ));
    }
    // ε·tanh(ε/2) = ε − 2ε/(e^ε + 1), and from here on the second is below a quarter of the first.
    let x = Interval::point(value);
    Ok((x - (x + x) / (x.exp() + Interval::ONE)).upper())
}

/// `ε·tanh(ε/2) = (ε²/2)·A(ε²/8)` for `ε ≤ 2`: `tanh(u)/u = Σ (−1)^n T_(n+1) u^(2n)/(2n+1)!`, and
/// `u² = 2·(ε²/8)`. The terms of `tanh 1` fall by at least 2/5 each.
static SERIES: LazyLock<Alternating> = LazyLock::new(|| {
    let tangents = tangent_numbers(64);
    Alternating::new(|n| (&tangents[n] << n, factorial(2 * n + 1)))
});
