use lastbit_exact::{Rational, Up};

use super::checks::loss;
use super::curve::{self, Orders};
use super::pure_to_zcdp;
use crate::Error;
use crate::measures::RenyiCurve;
use crate::wide::Moment;

/// Pure ε → Rényi: the curve `ε(α) ≥ (ln cosh((α−½)ε) − ln cosh(ε/2))/(α−1)`, below both ε and the
/// line `αρ` of zCDP.
///
/// **Proof.** [`pure_to_zcdp`] shows that randomized response has the largest divergence, and that
/// this is it. It grows with α, and with ε. ∎
///
/// ```
/// use lastbit::conversions::{pure_to_renyi, pure_to_zcdp};
/// use lastbit::Up;
/// let curve = pure_to_renyi(Up::ONE)?;
/// let at_eight = curve.epsilon(Up::exact(8.0))?;
/// assert!(at_eight.get() < 1.0 && at_eight < Up::exact(8.0) * pure_to_zcdp(Up::ONE)?);
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn pure_to_renyi(epsilon: Up) -> Result<RenyiCurve, Error> {
    let exact = Rational::try_from(loss("epsilon", epsilon)?).unwrap_or(Rational::ZERO);
    let rho = pure_to_zcdp(epsilon)?;
    Ok(curve::below_line(epsilon, rho, move |orders| {
        moment(&exact, orders)
    }))
}

/// `(α−1)·D_α = (α−1)ε + ln(1 + e^(−(2α−1)ε)) − ln(1 + e^-ε)`.
fn moment(epsilon: &Rational, orders: &Orders) -> Option<Moment> {
    let ln_one_plus_exp = |x: &Rational| (&Moment::ONE + &Moment::exp_neg(x)).ln();
    let far = ln_one_plus_exp(&(&(&orders.order + &orders.tau) * epsilon))?;
    let near = ln_one_plus_exp(epsilon)?;
    Some(&Moment::of(&(&orders.tau * epsilon)) + &(&far - &near))
}
