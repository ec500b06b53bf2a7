use core::fmt;

use lastbit_exact::Rational;

use super::{Approximate, GaussianDivergence, MaxDivergence, Measure, ZeroConcentratedDivergence};
use crate::{Distance, Error};

/// A measure whose losses are exact rationals, for ledgers that add exactly and compare with
/// decimals.
///
/// One tenth is no f64: rounded up, ten releases of it are above a budget of one. Exactly, they are
/// the budget.
///
/// ```
/// use lastbit::composition::Composable;
/// use lastbit::measures::{Exact, MaxDivergence};
/// use lastbit::Rational;
/// let total = Exact(MaxDivergence).compose(&vec![Rational::new(1, 10); 10])?;
/// assert_eq!(total, Rational::ONE);
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exact<M>(pub M);

macro_rules! exact {
    ($($measure:ty),*) => {
        $(impl Measure for Exact<$measure> {
            type Distance = Rational;
        }

        /// The loss and the δ are both exact; of `Approximate<Exact<M>>` only the loss is.
        impl Measure for Exact<Approximate<$measure>> {
            type Distance = ExactWithDelta;
        })*
    };
}
exact!(
    MaxDivergence,
    ZeroConcentratedDivergence,
    GaussianDivergence
);

/// A loss that holds up to probability δ, both exact. Sums of δ may exceed 1: then they promise
/// nothing, and are above every budget.
///
/// ```
/// use lastbit::composition::Composable;
/// use lastbit::measures::{Approximate, Exact, ExactWithDelta, MaxDivergence};
/// use lastbit::Rational;
/// let loss = ExactWithDelta {
///     loss: Rational::new(1, 10),
///     delta: Rational::new(1, 10_000_000),
/// };
/// let total = Exact(Approximate(MaxDivergence)).compose(&vec![loss; 10])?;
/// assert_eq!((total.loss, total.delta), (Rational::ONE, Rational::new(1, 1_000_000)));
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExactWithDelta {
    /// ε, ρ or μ².
    pub loss: Rational,
    /// δ.
    pub delta: Rational,
}

impl Distance for ExactWithDelta {
    fn check(&self) -> Result<(), Error> {
        self.loss.check()?;
        self.delta.check()
    }
}

impl fmt::Display for ExactWithDelta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.loss, self.delta)
    }
}

impl<M: fmt::Display> fmt::Display for Exact<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, exactly", self.0)
    }
}
