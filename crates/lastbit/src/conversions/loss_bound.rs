use lastbit_exact::Up;

use super::checks::loss;
use super::{
    bounded_range_to_renyi, bounded_range_to_zcdp, laplace_to_renyi, laplace_to_zcdp,
    pure_to_bounded_range, pure_to_renyi, pure_to_zcdp, zcdp_to_renyi,
};
use crate::Error;
use crate::measures::RenyiCurve;

/// What is known of the loss of one release.
///
/// ```
/// use lastbit::conversions::LossBound;
/// use lastbit::Up;
/// let [pure, laplace, selection] =
///     [LossBound::Pure, LossBound::Laplace, LossBound::BoundedRange].map(|kind| kind(Up::ONE));
/// assert_eq!(pure.epsilon(), selection.epsilon());
/// // The more is known the less it costs under zCDP, and at every Rényi order.
/// assert!(selection.rho()? < laplace.rho()? && laplace.rho()? < pure.rho()?);
/// let order = Up::exact(8.0);
/// assert!(selection.renyi()?.epsilon(order)? < pure.renyi()?.epsilon(order)?);
/// assert_eq!((pure.eta()?, selection.eta()?), (Some(Up::exact(2.0)), Some(Up::ONE)));
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum LossBound {
    /// ε-DP, nothing else.
    Pure(Up),
    /// Laplace noise or exact snapping at ε.
    Laplace(Up),
    /// η-bounded range, such as the exponential mechanism.
    BoundedRange(Up),
    /// ρ-zCDP, such as Gaussian noise.
    Zcdp(Up),
}

impl LossBound {
    /// The loss under pure differential privacy; `None` if there is no bound.
    pub fn epsilon(self) -> Option<Up> {
        match self {
            LossBound::Pure(loss) | LossBound::Laplace(loss) | LossBound::BoundedRange(loss) => {
                Some(loss)
            }
            LossBound::Zcdp(_) => None,
        }
    }

    /// The loss under zCDP, by all that is known.
    pub fn rho(self) -> Result<Up, Error> {
        match self {
            LossBound::Pure(epsilon) => pure_to_zcdp(epsilon),
            LossBound::Laplace(epsilon) => laplace_to_zcdp(epsilon),
            LossBound::BoundedRange(eta) => bounded_range_to_zcdp(eta),
            LossBound::Zcdp(rho) => {
                loss("rho", rho)?;
                Ok(rho)
            }
        }
    }

    /// The length of the interval that the loss lies in; `None` if there is no bound.
    pub fn eta(self) -> Result<Option<Up>, Error> {
        match self {
            LossBound::Pure(epsilon) | LossBound::Laplace(epsilon) => {
                pure_to_bounded_range(epsilon).map(Some)
            }
            LossBound::BoundedRange(eta) => {
                loss("eta", eta)?;
                Ok(Some(eta))
            }
            LossBound::Zcdp(_) => Ok(None),
        }
    }

    /// The loss at every Rényi order, by all that is known.
    pub fn renyi(self) -> Result<RenyiCurve, Error> {
        match self {
            LossBound::Pure(epsilon) => pure_to_renyi(epsilon),
            LossBound::Laplace(epsilon) => laplace_to_renyi(epsilon),
            LossBound::BoundedRange(eta) => bounded_range_to_renyi(eta),
            LossBound::Zcdp(rho) => zcdp_to_renyi(rho),
        }
    }

    /// The release with everything forgotten but that it is ε-DP.
    pub(super) fn blurred(self) -> LossBound {
        self.epsilon().map_or(self, LossBound::Pure)
    }
}
