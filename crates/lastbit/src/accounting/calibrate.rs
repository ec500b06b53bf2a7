//! The largest loss that each of several releases may have.

use lastbit_exact::{Down, Rational, Up};

use super::{Composition, Pair};
use crate::Error;
use crate::conversions::{LossBound, Losses};

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
    largest(|parameter| composes(&pair, parameter, count, delta, target))
}

/// The largest η with which `count` releases of bounded range are (ε, δ) private together, rounded
/// down to about six digits: by their pairs, or by their Rényi curves where these allow more.
///
/// ```
/// use lastbit::accounting::{Pair, calibrate, calibrate_bounded_range};
/// use lastbit_exact::{Down, Rational};
/// let (epsilon, delta) = (Rational::from(2i64), Down::exact(1e-6));
/// let by_pairs = calibrate(Pair::bounded_range, 10, &epsilon, delta)?;
/// assert!(calibrate_bounded_range(10, &epsilon, delta)? > by_pairs);
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn calibrate_bounded_range(
    count: u64,
    epsilon: &Rational,
    delta: Down,
) -> Result<Rational, Error> {
    super::pair::loss("epsilon", epsilon)?;
    let target = Down::from_rational(epsilon).get();
    largest(|eta| {
        let losses = Losses::repeated(LossBound::BoundedRange(Up::exact(eta)), count)?;
        match losses.renyi_epsilon(delta) {
            Ok(epsilon) if epsilon.get() <= target => return Ok(true),
            Err(error) if !error.is_unbounded() => return Err(error),
            _ => {}
        }
        composes(Pair::bounded_range, eta, count, delta, target)
    })
}

/// Whether releases of this parameter have an ε of at most `target` by their pairs.
fn composes(
    pair: impl Fn(&Rational) -> Result<Pair, Error>,
    parameter: f64,
    count: u64,
    delta: Down,
    target: f64,
) -> Result<bool, Error> {
    let exact = crate::finite("the loss", parameter)?;
    let all = match pair(&exact) {
        Ok(pair) => Composition::new(&[(pair, count)], delta)?,
        // Beyond what a pair takes.
        Err(error) if error.is_unbounded() => return Ok(false),
        Err(error) => return Err(error),
    };
    Ok(all.epsilon_above(delta)?.get() <= target)
}

/// The largest parameter that was tried and fits.
fn largest(fits: impl Fn(f64) -> Result<bool, Error>) -> Result<Rational, Error> {
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
