use lastbit_exact::Up;

use super::checks::loss;
use crate::Error;
use crate::measures::EpsilonDelta;

/// Pure ε → (ε, δ): `(ε, 0)`, exactly.
///
/// **Proof.** `P(S) ≤ e^ε Q(S) = e^ε Q(S) + 0` for every event S. ∎
///
/// ```
/// use lastbit::conversions::pure_to_approximate;
/// use lastbit::Up;
/// let loss = pure_to_approximate(Up::ONE)?;
/// assert_eq!((*loss.loss(), loss.delta()), (Up::ONE, Up::ZERO));
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn pure_to_approximate(epsilon: Up) -> Result<EpsilonDelta, Error> {
    loss("epsilon", epsilon)?;
    EpsilonDelta::new(epsilon, Up::ZERO)
}
