use lastbit_exact::Up;

use super::ConversionError;
use super::error::loss;

/// Pure ε → (ε, δ): `(ε, 0)`, exactly.
///
/// **Proof.** `P(S) ≤ e^ε Q(S) = e^ε Q(S) + 0` for every event S. ∎
///
/// ```
/// use lastbit::conversions::pure_to_approximate;
/// use lastbit_exact::Up;
/// assert_eq!(pure_to_approximate(Up::ONE)?, (Up::ONE, Up::ZERO));
/// # Ok::<(), lastbit::conversions::ConversionError>(())
/// ```
pub fn pure_to_approximate(epsilon: Up) -> Result<(Up, Up), ConversionError> {
    loss("epsilon", epsilon)?;
    Ok((epsilon, Up::ZERO))
}
