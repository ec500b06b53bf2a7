//! How many bits enclosures have on the way to a result in f64.

use lastbit_exact::Wide;

/// Enough for probabilities, whose formulas do not cancel.
pub(crate) type Probability = Wide<128>;
/// Enough for moments, whose formulas cancel up to 200 bits.
pub(crate) type Moment = Wide<384>;
