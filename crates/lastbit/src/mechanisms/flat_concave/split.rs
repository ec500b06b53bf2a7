use lastbit_exact::{Rational, Up};

use super::IntervalSelection;
use crate::measures::EpsilonDelta;
use crate::quality::QualityError;
use crate::{Delta, Epsilon, Error, ParameterError};

/// How the selections of N levels share a loss.
///
/// N levels make `3N − 2` selections: each level above the last selects an interval of either of
/// two covers and then a point, and the last level selects a point alone. All cost ε; the
/// `2(N − 1)` selections of intervals also cost δ if they are by stability.
///
/// ```
/// use lastbit::mechanisms::flat_concave::Split;
/// let flat = Split::new(2)?;
/// assert_eq!((flat.selections(), flat.interval_selections()), (4, 2));
/// assert_eq!(flat.epsilon(&"1".parse()?)?, "0.25".parse()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// At least 1.
    levels: u32,
}

impl Split {
    /// For N = `levels` ≥ 1.
    pub fn new(levels: u32) -> Result<Split, QualityError> {
        if levels == 0 {
            return Err(QualityError::NoLevels);
        }
        Ok(Split { levels })
    }

    /// `3N − 2`.
    pub fn selections(self) -> u64 {
        3 * u64::from(self.levels) - 2
    }

    /// `2(N − 1)`.
    pub fn interval_selections(self) -> u64 {
        2 * (u64::from(self.levels) - 1)
    }

    /// ε of each selection, for a loss of `total` in all.
    pub fn epsilon(self, total: &Epsilon) -> Result<Epsilon, ParameterError> {
        Epsilon::new(total.get() / &Rational::from(self.selections()))
    }

    /// Selection by stability with the δ of each selection of an interval, for `total` in all; by
    /// the exponential mechanism if there is no δ, or no interval to select.
    pub fn selection(self, total: Option<&Delta>) -> IntervalSelection {
        match (total, self.interval_selections()) {
            (None, _) | (_, 0) => IntervalSelection::Exponential,
            (Some(total), count) => IntervalSelection::Stability(total.shared_by(count)),
        }
    }

    /// `((3N − 2)ε, 2(N − 1)δ)`: the loss in all, for ε and δ of each selection.
    pub fn loss(self, epsilon: &Epsilon, delta: Option<&Delta>) -> Result<EpsilonDelta, Error> {
        let epsilon = epsilon.get() * &Rational::from(self.selections());
        let delta = delta.map_or(Up::ZERO, |delta| {
            Up::from_rational(&(delta.get() * &Rational::from(self.interval_selections())))
        });
        EpsilonDelta::new(Up::from_rational(&epsilon), delta)
    }
}
