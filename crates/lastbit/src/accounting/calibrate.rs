//! The largest loss that each of several releases may have.

use lastbit_exact::{Down, Rational};

use super::{Composition, Pair};
use crate::Error;

/// The largest parameter with which `count` releases are (ε, δ) private together, rounded down to
/// about six digits.
///
/// `pair` makes the pair of a parameter; the loss must grow with it.
///
/// **Proof.** The parameter that is returned was tried: its composition has an ε of at most the one
/// asked for at δ. ∎
///
/// ```
/// use lastbit::accounting::{Pair, calibrate};
/// use lastbit_exact::{Down, Rational};
/// let each = calibrate(Pair::laplace, 100, &Rational::ONE, Down::exact(1e-6))?;
/// assert!(each > Rational::new(2, 100) && each < Rational::new(3, 100)); // plain sums allow 1/100
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn calibrate(
    pair: impl Fn(&Rational) -> Result<Pair, Error>,
    count: u64,
    epsilon: &Rational,
    delta: Down,
) -> Result<Rational, Error> {
    super::pair::loss("epsilon", epsilon)?;
    let target = Down::from_rational(epsilon).get();
    let fits = |parameter: f64| -> Result<bool, Error> {
        let exact = crate::finite("the loss", parameter)?;
        let all = match pair(&exact) {
            Ok(pair) => Composition::new(&[(pair, count)], delta)?,
            // Beyond what a pair takes.
            Err(error) if error.is_unbounded() => return Ok(false),
            Err(error) => return Err(error),
        };
        Ok(all.epsilon_above(delta)?.get() <= target)
    };
    let mut low = f64::from(2u8).powi(-30);
    if !fits(low)? {
        return Err(Error::unsolvable(
            "no loss above 2^-30 each is small enough; raise epsilon or delta, or make fewer \
             releases",
        ));
    }
    let mut high = 2.0 * low;
    while fits(high)? {
        low = high;
        high *= 2.0;
        if high > 1e6 {
            return Err(Error::unsolvable(
                "any loss will do; there is nothing to calibrate",
            ));
        }
    }
    // Twenty halvings of a factor of two: a millionth.
    for _ in 0..20 {
        let middle = (low + high) / 2.0;
        if fits(middle)? {
            low = middle;
        } else {
            high = middle;
        }
    }
    Ok(crate::finite("the loss", low)?)
}
