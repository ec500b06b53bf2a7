use lastbit_exact::{Rational, Up};

use super::bounded_range_to_zcdp;
use super::checks::loss;
use super::curve::{self, Orders};
use crate::Error;
use crate::measures::RenyiCurve;
use crate::wide::Moment;

/// Bounded range η → Rényi: with `c = 1 − e^-η` and `C = 1 − e^(−αη)`, the curve
/// `ε(α) ≥ (ln((C−c)/(c(α−1))) + α·ln((α−1)C/(α(C−c))))/(α−1)`, below both η and the line `αρ` of
/// zCDP.
///
/// **Proof.** As in [`bounded_range_to_zcdp_tight`](super::bounded_range_to_zcdp_tight) two values
/// of `dP/dQ`, of ratio `e^η`, are the worst. If the smaller has mass v under Q,
/// `E_Q[(dP/dQ)^α] = (1 − vC)/(1 − vc)^α`, which is largest at `v = (αc − C)/(cC(α−1))`: insert. It
/// grows with α and η. ∎
///
/// ```
/// use lastbit::conversions::{bounded_range_to_renyi, bounded_range_to_zcdp};
/// use lastbit::Up;
/// let curve = bounded_range_to_renyi(Up::ONE)?;
/// let at_eight = curve.epsilon(Up::exact(8.0))?;
/// assert!(at_eight < Up::exact(8.0) * bounded_range_to_zcdp(Up::ONE)?);
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn bounded_range_to_renyi(eta: Up) -> Result<RenyiCurve, Error> {
    let exact = Rational::try_from(loss("eta", eta)?).unwrap_or(Rational::ZERO);
    let rho = bounded_range_to_zcdp(eta)?;
    Ok(curve::below_line(eta, rho, move |orders| {
        moment(&exact, orders)
    }))
}

/// `(α−1)·D_α`. `C − c = e^-η·(1 − e^(−(α−1)η))`.
fn moment(eta: &Rational, orders: &Orders) -> Option<Moment> {
    let Orders { tau, order } = orders;
    let small = Moment::one_minus_exp_neg(eta).ln()?;
    let large = Moment::one_minus_exp_neg(&(order * eta)).ln()?;
    let rise = Moment::one_minus_exp_neg(&(tau * eta)).ln()?;
    let gap = &rise - &Moment::of(eta);
    let ln_tau = Moment::of(tau).ln()?;
    let first = &(&gap - &small) - &ln_tau;
    let second = &(&(&ln_tau + &large) - &Moment::of(order).ln()?) - &gap;
    Some(&first + &second.times(order))
}
