use core::fmt;

use lastbit_exact::Rational;

use super::{MaxDivergence, Measure, ZeroConcentratedDivergence};

/// A measure whose losses are exact rationals, for ledgers that add exactly and compare with
/// decimals.
///
/// One tenth is no f64: rounded up, ten releases of it are above a budget of one. Exactly, they are
/// the budget.
///
/// ```
/// use lastbit::composition::Composable;
/// use lastbit::measures::{Exact, MaxDivergence};
/// use lastbit_exact::Rational;
/// let total = Exact(MaxDivergence).compose(&vec![Rational::new(1, 10); 10])?;
/// assert_eq!(total, Rational::ONE);
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exact<M>(pub M);

impl Measure for Exact<MaxDivergence> {
    type Distance = Rational;
}

impl Measure for Exact<ZeroConcentratedDivergence> {
    type Distance = Rational;
}

impl<M: fmt::Display> fmt::Display for Exact<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, exactly", self.0)
    }
}
