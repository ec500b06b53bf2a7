use core::cmp::Ordering;
use core::fmt;

use lastbit_exact::Up;

use super::{MaxDivergence, Measure};
use crate::{Distance, Error};

/// A measure up to probability δ: `Approximate<MaxDivergence>` is (ε, δ),
/// `Approximate<ZeroConcentratedDivergence>` is (ρ, δ).
///
/// ```
/// use lastbit::measures::{Approximate, MaxDivergence, ZeroConcentratedDivergence};
/// assert_eq!(Approximate::<MaxDivergence>::default().to_string(), "max divergence (ε) up to δ");
/// assert_eq!(
///     Approximate(ZeroConcentratedDivergence).to_string(),
///     "zero-concentrated divergence (ρ) up to δ"
/// );
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Approximate<M = MaxDivergence>(pub M);

impl<M: Measure> Measure for Approximate<M> {
    type Distance = WithDelta<M::Distance>;
}

impl<M: Measure> fmt::Display for Approximate<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} up to δ", self.0)
    }
}

/// The loss (ε, δ) of approximate differential privacy.
///
/// ```
/// # use lastbit::measures::EpsilonDelta;
/// # use lastbit::Up;
/// let loss = EpsilonDelta::new(Up::ONE, Up::exact(1e-6))?;
/// assert_eq!((loss.loss().get(), loss.delta().get()), (1.0, 1e-6));
/// # Ok::<(), lastbit::Error>(())
/// ```
pub type EpsilonDelta = WithDelta<Up>;

/// A loss (ε of [`Approximate<MaxDivergence>`], ρ of `Approximate<ZeroConcentratedDivergence>`)
/// that holds up to probability δ, both rounded up.
///
/// The order is partial: one is below another if it is in both parts, and of two that trade one
/// part for the other neither is below. A check that needs an order says no, never maybe.
///
/// ```
/// use lastbit::measures::EpsilonDelta;
/// use lastbit::Up;
/// let loss = |epsilon, delta| EpsilonDelta::new(Up::exact(epsilon), Up::exact(delta));
/// assert!(loss(1.0, 1e-9)? < loss(1.0, 1e-6)?);
/// assert!(loss(1.0, 1e-9)? <= loss(2.0, 1e-9)?);
/// assert!(!(loss(1.0, 1e-6)? <= loss(2.0, 1e-9)?)); // more δ for less ε
/// assert_eq!(loss(1.0, 1e-6)?.partial_cmp(&loss(2.0, 1e-9)?), None);
/// assert!(loss(1.0, 1.5).unwrap_err().is_distance());
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct WithDelta<L> {
    loss: L,
    delta: Up,
}

impl<L: Distance> WithDelta<L> {
    /// A checked loss and a δ in [0, 1].
    pub fn new(loss: L, delta: Up) -> Result<WithDelta<L>, Error> {
        let distance = WithDelta { loss, delta };
        distance.check()?;
        Ok(distance)
    }

    /// The loss outside the exceptional event: ε or ρ.
    pub fn loss(&self) -> &L {
        &self.loss
    }

    /// The probability δ of the exceptional event.
    pub fn delta(&self) -> Up {
        self.delta
    }
}

impl<L: Distance> Distance for WithDelta<L> {
    fn check(&self) -> Result<(), Error> {
        self.loss.check()?;
        if (0.0..=1.0).contains(&self.delta.get()) {
            return Ok(());
        }
        Err(Error::distance(format!(
            "delta must be a probability from 0 to 1, got {}; spread a smaller delta over the \
             releases",
            self.delta
        )))
    }
}

impl<L: PartialOrd> PartialOrd for WithDelta<L> {
    fn partial_cmp(&self, other: &WithDelta<L>) -> Option<Ordering> {
        let loss = self.loss.partial_cmp(&other.loss)?;
        let delta = self.delta.partial_cmp(&other.delta)?;
        match (loss, delta) {
            (Ordering::Equal, order) | (order, Ordering::Equal) => Some(order),
            (a, b) if a == b => Some(a),
            _ => None,
        }
    }
}

impl<L: fmt::Display> fmt::Display for WithDelta<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        fmt::Display::fmt(&self.loss, f)?;
        f.write_str(", ")?;
        fmt::Display::fmt(&self.delta, f)?;
        f.write_str(")")
    }
}
