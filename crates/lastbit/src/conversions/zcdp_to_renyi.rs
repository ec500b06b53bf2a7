use lastbit_exact::Up;

use super::checks::loss;
use crate::Error;
use crate::measures::RenyiCurve;

/// zCDP ρ → Rényi: the curve `ε(α) = α·ρ`, each the smallest such f64.
///
/// **Proof.** That is the definition of zCDP: the inequality `D_α ≤ αρ` for every order above 1,
/// not for some of them. It grows with α and ρ, so upper bounds of both give an upper bound. ∎
///
/// ```
/// use lastbit::conversions::zcdp_to_renyi;
/// use lastbit::Up;
/// let curve = zcdp_to_renyi(Up::exact(0.5))?;
/// assert_eq!(curve.epsilon(Up::exact(4.0))?.get(), 2.0);
/// assert!(curve.epsilon(Up::ONE).unwrap_err().is_distance());
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn zcdp_to_renyi(rho: Up) -> Result<RenyiCurve, Error> {
    loss("rho", rho)?;
    Ok(RenyiCurve::new(move |order| Ok(order * rho)))
}
