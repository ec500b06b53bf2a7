use lastbit_exact::{Rational, Up};

use super::checks::loss;
use super::curve::{self, Orders};
use super::laplace_to_zcdp;
use crate::Error;
use crate::measures::RenyiCurve;
use crate::wide::Moment;

/// Laplace noise or exact snapping at ε → Rényi: the curve
/// `ε(α) ≥ ln((α·e^((α−1)ε) + (α−1)·e^(−αε))/(2α−1))/(α−1)`, below both ε and the line `αρ` of
/// zCDP.
///
/// **Proof.** The integral of `p^α q^(1−α)` for two Laplace densities at distance ε. It grows with
/// α, and with ε, as noise at a smaller distance is a function of noise at a larger one. ∎
///
/// ```
/// use lastbit::conversions::{laplace_to_renyi, pure_to_renyi};
/// use lastbit::Up;
/// let order = Up::exact(8.0);
/// assert!(laplace_to_renyi(Up::ONE)?.epsilon(order)? < pure_to_renyi(Up::ONE)?.epsilon(order)?);
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn laplace_to_renyi(epsilon: Up) -> Result<RenyiCurve, Error> {
    let exact = Rational::try_from(loss("epsilon", epsilon)?).unwrap_or(Rational::ZERO);
    let rho = laplace_to_zcdp(epsilon)?;
    Ok(curve::below_line(epsilon, rho, move |orders| {
        moment(&exact, orders)
    }))
}

/// `(α−1)·D_α = (α−1)ε + ln(1 − (α−1)(1 − e^(−(2α−1)ε))/(2α−1))`.
fn moment(epsilon: &Rational, orders: &Orders) -> Option<Moment> {
    let twice = &orders.order + &orders.tau;
    let rise = Moment::one_minus_exp_neg(&(&twice * epsilon));
    let rest = &Moment::ONE - &rise.times(&(&orders.tau / &twice));
    Some(&Moment::of(&(&orders.tau * epsilon)) + &rest.ln()?)
}
