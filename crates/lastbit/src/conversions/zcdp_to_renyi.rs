use lastbit_exact::Up;

use super::ConversionError;
use super::error::{bounded, loss};

/// zCDP ρ → Rényi: `D_α ≤ α·ρ`, the smallest such f64, at an order `α > 1`.
///
/// **Proof.** That is the definition of zCDP: the inequality for every order above 1, not for some of them. It grows with α and
/// ρ, so upper bounds of both give an upper bound. ∎
///
/// ```
/// use lastbit::conversions::zcdp_to_renyi;
/// use lastbit_exact::Up;
/// assert_eq!(zcdp_to_renyi(Up::exact(0.5), Up::exact(4.0))?.get(), 2.0);
/// assert!(zcdp_to_renyi(Up::exact(0.5), Up::ONE).is_err());
/// # Ok::<(), lastbit::conversions::ConversionError>(())
/// ```
pub fn zcdp_to_renyi(rho: Up, order: Up) -> Result<Up, ConversionError> {
    loss("rho", rho)?;
    check_order(order)?;
    bounded("epsilon", order * rho)
}

/// An order that is above 1 and finite.
pub(super) fn check_order(order: Up) -> Result<f64, ConversionError> {
    if order.get() > 1.0 && order.is_finite() {
        Ok(order.get())
    } else {
        Err(ConversionError::Order(order.get()))
    }
}
