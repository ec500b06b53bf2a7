//! The largest loss that each of several releases may have.

use lastbit_exact::{Down, Rational};

use super::{BestBounds, Pair};
use crate::Error;

/// The largest parameter with which `count` releases are (ε, δ) private together, rounded down to
/// about six digits.
///
/// `pair` makes the pair of a parameter; the loss must grow with it.
///
/// **Proof.** The parameter that is returned was tried: its [`BestBounds`] have an ε of at most the
/// one asked for at δ. ∎
///
/// ```
/// use lastbit::accounting::{Pair, calibrate};
/// use lastbit::Rational;
/// let delta = Rational::new(1, 1_000_000);
/// let each = calibrate(Pair::laplace, 100, &Rational::ONE, &delta)?;
/// assert!(each > Rational::new(2, 100) && each < Rational::new(3, 100)); // plain sums allow 1/100
/// // Ranges by their divergences, which allow more than their pairs: 0.906.
/// let epsilon = Rational::new(3637, 100);
/// assert!(calibrate(Pair::bounded_range, 100, &epsilon, &delta)? >= Rational::ONE);
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn calibrate(
    pair: impl Fn(&Rational) -> Result<Pair, Error>,
    count: u64,
    epsilon: &Rational,
    delta: &Rational,
) -> Result<Rational, Error> {
    super::pair::loss("epsilon", epsilon)?;
    let target = Down::from_rational(epsilon).get();
    let smallest = Down::from_rational(delta);
    largest(target, |parameter| {
        let exact = crate::finite("the loss", parameter)?;
        let all = match pair(&exact) {
            Ok(pair) => BestBounds::new(&[(pair, count)], smallest)?,
            // Beyond what a pair takes.
            Err(error) if error.is_unbounded() => return Ok(f64::INFINITY),
            Err(error) => return Err(error),
        };
        Ok(all.epsilon_above(delta)?.get())
    })
}

/// Powers of two between which a parameter is looked for.
const SMALLEST: i32 = -30;
const LARGEST: i32 = 20;

/// How near to each other what fits and what does not are in the end.
const CLOSE: f64 = 1e-6;

/// The largest parameter that was tried and costs at most `target`.
fn largest(target: f64, price: impl Fn(f64) -> Result<f64, Error>) -> Result<Rational, Error> {
    let excess = |parameter: f64| price(parameter).map(|epsilon| epsilon - target);
    let (mut low, mut high) = (f64::from(2u8).powi(SMALLEST), f64::from(2u8).powi(LARGEST));
    let (mut below, mut above) = (excess(low)?, excess(high)?);
    if below > 0.0 {
        return Err(Error::unsolvable(
            "no loss above 2^-30 each is small enough; raise epsilon or delta, or make fewer \
             releases",
        ));
    }
    if above <= 0.0 {
        return Err(Error::unsolvable(
            "any loss will do; there is nothing to calibrate",
        ));
    }
    // Which end was moved last: 1 for the upper. An end that stays twice counts for half (the
    // method of Illinois), so that both come near.
    let mut moved = 0;
    for turn in 0.. {
        if high <= (1.0 + CLOSE) * low {
            break;
        }
        let line = low - below * (high - low) / (above - below);
        let guess = if high > 2.0 * low {
            // The exponent first: far from the target a price is 0 or infinite.
            (low * high).sqrt()
        } else if turn % 4 == 3 || !line.is_finite() {
            f64::midpoint(low, high)
        } else {
            line.clamp(low * (1.0 + CLOSE / 3.0), high * (1.0 - CLOSE / 3.0))
        };
        let tried = excess(guess)?;
        if tried <= 0.0 {
            (low, below) = (guess, tried);
            above *= if moved == -1 { 0.5 } else { 1.0 };
            moved = -1;
        } else {
            (high, above) = (guess, tried);
            below *= if moved == 1 { 0.5 } else { 1.0 };
            moved = 1;
        }
    }
    Ok(crate::finite("the loss", low)?)
}
