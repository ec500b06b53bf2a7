use core::fmt;
use std::sync::Arc;

use lastbit_exact::Up;

use super::Measure;
use crate::{Distance, Error};

/// Rényi differential privacy: ε as a function of the order, `D_α(P‖Q) ≤ ε(α)` for orders α > 1, in
/// both orders of P and Q.
///
/// ```
/// # use lastbit::measures::RenyiDivergence;
/// assert_eq!(RenyiDivergence.to_string(), "Rényi divergence (α ↦ ε)");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RenyiDivergence;

impl Measure for RenyiDivergence {
    type Distance = RenyiCurve;
}

impl fmt::Display for RenyiDivergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Rényi divergence (α ↦ ε)")
    }
}

type Epsilon = dyn Fn(Up) -> Result<Up, Error> + Send + Sync;

/// A curve α ↦ ε(α), rounded up.
///
/// The divergence grows with the order, so a claim about α is evaluated at an *upper* bound of it:
/// the types say so. Two curves have no order that can be decided; read them at an α and compare
/// that.
///
/// ```
/// use lastbit::measures::RenyiCurve;
/// use lastbit::Up;
/// let gaussian = RenyiCurve::new(|order| Ok(order * Up::exact(0.5))); // ρ = 1/2
/// assert_eq!(gaussian.epsilon(Up::exact(4.0))?.get(), 2.0);
/// assert!(gaussian.epsilon(Up::ONE).unwrap_err().is_distance());
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Clone)]
pub struct RenyiCurve(Arc<Epsilon>);

impl RenyiCurve {
    /// From a function with `D_x ≤ epsilon(α)` for every `1 < x ≤ α`, which does not fall.
    pub fn new(epsilon: impl Fn(Up) -> Result<Up, Error> + Send + Sync + 'static) -> RenyiCurve {
        RenyiCurve(Arc::new(epsilon))
    }

    /// `D_x ≤ curve.epsilon(α)` for every `1 < x ≤ α`.
    pub fn epsilon(&self, order: Up) -> Result<Up, Error> {
        if order.get() <= 1.0 || !order.is_finite() {
            return Err(Error::distance(format!(
                "a Rényi order must be above 1 and finite, got {order}; use 2, or the order that \
                 the conversion asks for"
            )));
        }
        let epsilon = (self.0)(order)?;
        epsilon.check()?;
        Ok(epsilon)
    }
}

impl Distance for RenyiCurve {
    /// Every reading is checked when it is made: a curve may be finite at some orders only.
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}

impl fmt::Display for RenyiCurve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.epsilon(Up::exact(2.0)) {
            Ok(epsilon) => write!(f, "α ↦ ε with ε(2) = {epsilon}"),
            Err(_) => f.write_str("α ↦ ε"),
        }
    }
}

impl fmt::Debug for RenyiCurve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RenyiCurve({self})")
    }
}
