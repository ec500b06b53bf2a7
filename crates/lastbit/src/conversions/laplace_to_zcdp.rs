use std::sync::LazyLock;

use lastbit_exact::{Interval, Natural, Up};

use super::checks::loss;
use super::order::dyadic;
use super::series::{Alternating, factorial};
use crate::Error;

/// Laplace noise or exact snapping at ε → zCDP: `ρ ≥ ε + e^-ε − 1`, at most one double above the
/// smallest such f64.
///
/// **Proof.** Exact snapping is a function of real Laplace noise, so the noise decides. Between two
/// Laplace laws of scale 1 at distance ε, with `s = α − 1/2`,
///
/// `(α−1)·D_α = −ε/2 + ln F(s²)`, `F(s²) = cosh(sε) + (ε/2)·sinh(sε)/(sε)`.
///
/// F is an entire function of `v = s²` of order 1/2. At `v = −y²/ε²` it is
/// `cos y + (ε/2)·(sin y)/y`, and its zeros are the eigenvalues of `−φ″ = y²φ`, `φ(0) = 0`,
/// `φ′(1) + (ε/2)φ(1) = 0`: self-adjoint and positive, so every y is real. Hence
/// `F(v) = F(0)·Π(1 + v/v_n)` with `v_n > 0`, and `ln F` is concave in `v ≥ 0`: it lies below its
/// tangent at `v = 1/4`, where `(α−1)·D_α` is 0 and its slope in v is the Kullback–Leibler
/// divergence `ε + e^-ε − 1`. As `s² − 1/4 = α(α−1)`, `D_α ≤ α·(ε + e^-ε − 1)` for every α > 1, and
/// no smaller ρ will do. The bound grows with ε. ∎ (In Coq, for
/// rounded noise: `laplace_zcdp` in `proofs/LaplaceCast.v`.)
///
/// It is for noise of the Laplace *law*: a release that is merely ε-DP needs
/// [`pure_to_zcdp`](super::pure_to_zcdp).
///
/// ```
/// use lastbit::conversions::{laplace_to_zcdp, pure_to_zcdp};
/// use lastbit::Up;
/// let rho = laplace_to_zcdp(Up::ONE)?; // e^-1
/// assert!(rho.get() >= 0.36787944117144233 && rho < pure_to_zcdp(Up::ONE)?);
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn laplace_to_zcdp(epsilon: Up) -> Result<Up, Error> {
    let value = loss("epsilon", epsilon)?;
    if value <= 2.0 {
        let epsilon = dyadic(value);
        let square = &epsilon * &epsilon;
        return Ok(SERIES.times(
            &square.times_power_of_two(-1),
            &epsilon.times_power_of_two(-2),
        ));
    }
    // e^-ε − 1 is above −1 and the result above 1.
    let x = Interval::point(value);
    Ok((x + (-x).exp_m1()).upper())
}

/// `ε + e^-ε − 1 = (ε²/2)·A(ε/4)` for `ε ≤ 2`: the series of the exponential from its third term
/// on. Its terms fall by at least `ε/3 ≤ 2/3` each.
static SERIES: LazyLock<Alternating> =
    LazyLock::new(|| Alternating::new(|n| (Natural::ONE << (2 * n + 1), factorial(n + 2))));
