use lastbit_exact::Up;

use super::checks::{bounded, loss};
use crate::Error;

/// Pure ε → bounded range: `η = 2ε`, exactly unless it overflows.
///
/// **Proof.** `P ≤ e^ε Q` and `Q ≤ e^ε P` make the supports equal and put every loss in `[−ε, ε]`,
/// of length 2ε, in both orders. Randomized response attains it. ∎
///
/// ```
/// use lastbit::conversions::pure_to_bounded_range;
/// use lastbit::Up;
/// assert_eq!(pure_to_bounded_range(Up::exact(0.5))?.get(), 1.0);
/// assert!(pure_to_bounded_range(Up::exact(-0.5)).is_err());
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn pure_to_bounded_range(epsilon: Up) -> Result<Up, Error> {
    loss("epsilon", epsilon)?;
    bounded(epsilon + epsilon)
}
