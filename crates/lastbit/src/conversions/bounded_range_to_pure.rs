use lastbit_exact::Up;

use super::checks::loss;
use crate::Error;

/// Bounded range η → pure: `ε = η`, exactly.
///
/// **Proof.** The losses `ln P(x)/Q(x)` lie in an interval of length η. It holds 0, since P and Q
/// both have total mass 1 on the same support and so neither is larger everywhere. Hence every
/// loss, in either order, is at most η. ∎
///
/// ```
/// use lastbit::conversions::bounded_range_to_pure;
/// use lastbit::Up;
/// assert_eq!(bounded_range_to_pure(Up::exact(0.5))?.get(), 0.5);
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn bounded_range_to_pure(eta: Up) -> Result<Up, Error> {
    loss("eta", eta)?;
    Ok(eta)
}
