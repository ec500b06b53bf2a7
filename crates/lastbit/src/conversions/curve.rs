//! Rényi curves from closed forms that cancel at small losses.

use lastbit_exact::{Rational, Up};

use crate::measures::RenyiCurve;
use crate::wide::Moment;

/// An order, exactly.
pub(super) struct Orders {
    /// `α`.
    pub(super) order: Rational,
    /// `α − 1`.
    pub(super) tau: Rational,
}

/// The curve `min(moment/(α−1), αρ, limit)`, all three upper bounds of the divergence.
///
/// The moment `(α−1)·D_α` is computed to 2^-380 or so; where that is not small against it, at
/// `(α−1)ε² < 2^-300`, the line `αρ` is as good. A moment of `None` is not known to be positive.
pub(super) fn below_line(
    limit: Up,
    rho: Up,
    moment: impl Fn(&Orders) -> Option<Moment> + Send + Sync + 'static,
) -> RenyiCurve {
    RenyiCurve::new(move |order| {
        let line = (order * rho).min(limit);
        // The curve refuses an order that is not finite or not above 1 before it comes here.
        let Some(order) = order.to_rational() else {
            return Ok(line);
        };
        let tau = &order - &Rational::ONE;
        let orders = Orders { order, tau };
        let Some(moment) = moment(&orders) else {
            return Ok(line);
        };
        let divergence = &moment / &Moment::of(&orders.tau);
        Ok(Up::from_dyadic(divergence.hi()).max(Up::ZERO).min(line))
    })
}
