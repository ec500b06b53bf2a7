//! Bernoulli draws with exact probabilities: whether one lazy uniform real `U` lies below the
//! probability.
//!
//! `U` is known by its first bits; while the cell of reals that begin with them contains the
//! probability, more bits of the same `U` are drawn. So `true` has exactly the stated probability,
//! rational or not.
//!
//! *Time.* One word is drawn, and another with probability at most `2^-64` ([`bernoulli`]) or about
//! `2^-50` ([`bernoulli_exp`]). The number of words depends on the parameter and the bits drawn.
//! The time of the arithmetic depends on the parameter's size and, in `bernoulli_exp`, on whether
//! the fast round decides; it is not constant in the parameter, so a parameter that is itself
//! secret is not hidden.

use lastbit_exact::{Enclosure, Integer, Interval, Rational, Rounding, exp_enclosure};

use crate::LazyUniform;
use crate::entropy::{Entropy, EntropyError};

/// Why no Bernoulli variable was drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BernoulliError {
    /// Not a probability.
    #[error("a probability must be between 0 and 1, got {0}")]
    NotAProbability(Rational),
    /// `exp(−x)` of a negative `x` is not a probability.
    #[error("exp(-x) is a probability for x at or above 0, got x = {0}")]
    NegativeExponent(Rational),
    /// The entropy source failed.
    #[error(transparent)]
    Entropy(#[from] EntropyError),
}

/// True with probability exactly `p`, `0 ≤ p ≤ 1`.
///
/// ```
/// use lastbit_exact::Rational;
/// use lastbit_noise::{bernoulli, entropy::System};
/// assert!(bernoulli(&Rational::ONE, &mut System::default())?);
/// assert!(bernoulli(&Rational::new(3, 2), &mut System::default()).is_err());
/// # Ok::<(), lastbit_noise::BernoulliError>(())
/// ```
pub fn bernoulli(p: &Rational, entropy: &mut impl Entropy) -> Result<bool, BernoulliError> {
    bernoulli_law(p)?;
    // U < p, digit by digit in base 2^64: the digits of p are the quotients of a long division.
    let mut rest = p.clone();
    loop {
        let scaled = rest.times_power_of_two(64);
        let digit = scaled.floor();
        let word = Integer::from(entropy.word()?);
        if word != digit {
            return Ok(word < digit);
        }
        rest = scaled - Rational::from(digit);
        if rest.is_zero() {
            // U begins with all of p.
            return Ok(false);
        }
    }
}

/// The law of [`bernoulli`]: `P(true) = p`, or why there is none.
pub fn bernoulli_law(p: &Rational) -> Result<Rational, BernoulliError> {
    if p.is_negative() || *p > Rational::ONE {
        return Err(BernoulliError::NotAProbability(p.clone()));
    }
    Ok(p.clone())
}

/// True with probability exactly `exp(−x)`, `x ≥ 0`.
///
/// ```
/// use lastbit_exact::Rational;
/// use lastbit_noise::{bernoulli_exp, entropy::System};
/// assert!(bernoulli_exp(&Rational::ZERO, &mut System::default())?);
/// assert!(bernoulli_exp(&Rational::new(-1, 2), &mut System::default()).is_err());
/// # Ok::<(), lastbit_noise::BernoulliError>(())
/// ```
pub fn bernoulli_exp(x: &Rational, entropy: &mut impl Entropy) -> Result<bool, BernoulliError> {
    check_exponent(x)?;
    let word = entropy.word()?;
    match below_exp_f64(word, x) {
        Some(below) => Ok(below),
        None => below_exp(word, x, entropy),
    }
}

/// The law of [`bernoulli_exp`]: `P(true) = exp(−x)`, enclosed with `hi − lo ≤ 2^-bits · lo` for
/// `x < 2^40`, and by `[0, 2^(−2^40)]` from there on.
///
/// ```
/// use lastbit_exact::{Rational, Rounding};
/// use lastbit_noise::bernoulli_exp_law;
/// let law = bernoulli_exp_law(&Rational::new(1, 3), 100)?;
/// assert_eq!(law.lo().to_f64(Rounding::NearestEven), 0.7165313105737893);
/// # Ok::<(), lastbit_noise::BernoulliError>(())
/// ```
pub fn bernoulli_exp_law(x: &Rational, bits: u32) -> Result<Enclosure, BernoulliError> {
    check_exponent(x)?;
    Ok(exp_of_negative(x, bits))
}

fn check_exponent(x: &Rational) -> Result<(), BernoulliError> {
    if x.is_negative() {
        return Err(BernoulliError::NegativeExponent(x.clone()));
    }
    Ok(())
}

/// Whether every `U` that begins with the word lies below `exp(−x)`, or none does; `None` if f64
/// intervals cannot tell.
fn below_exp_f64(word: u64, x: &Rational) -> Option<bool> {
    let probability = (-Interval::from_rational(x)).exp();
    // 53 bits of U: both ends of its cell are exact in f64.
    let cell = word >> 11;
    let unit = 1.0 / (1u64 << 53) as f64;
    let (lower, upper) = (cell as f64 * unit, (cell + 1) as f64 * unit);
    if upper <= probability.lo() {
        Some(true)
    } else if lower >= probability.hi() {
        Some(false)
    } else {
        None
    }
}

/// Whether `U < exp(−x)`, `U` beginning with the word.
fn below_exp(word: u64, x: &Rational, entropy: &mut impl Entropy) -> Result<bool, BernoulliError> {
    let mut uniform = LazyUniform::with_prefix(word, 64);
    // exp(−x) ≤ 2^-zeros, so `length − zeros` bits of it reach as far as `length` bits of U.
    let zeros = usize::try_from(x.floor()).unwrap_or(usize::MAX);
    loop {
        let bits = 64 + uniform.length().saturating_sub(zeros);
        let probability = exp_of_negative(x, u32::try_from(bits).unwrap_or(u32::MAX));
        // exp(−x) is irrational unless x = 0, so it is never an end of a cell, and some number of
        // bits decides.
        if uniform.upper() <= *probability.lo() {
            return Ok(true);
        }
        if uniform.lower() >= *probability.hi() {
            return Ok(false);
        }
        uniform.refine_to(2 * uniform.length(), entropy)?;
    }
}

/// Encloses `exp(−x)`, `x ≥ 0`, with `hi − lo ≤ 2^-bits · lo` for `x < 2^40`.
fn exp_of_negative(x: &Rational, bits: u32) -> Enclosure {
    let bits = bits.max(1) + 2;
    // At this many significant bits, x < 2^integer_bits is off by less than 2^-bits. Then, with d =
    // 2^-bits, hi/lo ≤ (1 + d)² e^d ≤ 1 + 4d, as d ≤ 1/8.
    let integer_bits = x.ceil_log2().unwrap_or(0).clamp(0, 41) as usize + 1;
    let precision = bits as usize + integer_bits;
    let largest = exp_enclosure(&-&x.round(precision, Rounding::Down), bits);
    let smallest = exp_enclosure(&-&x.round(precision, Rounding::Up), bits);
    Enclosure::new(smallest.lo().clone(), largest.hi().clone()).expect(
        "exp(−x) is in both enclosures, so the lower end of one is at most the upper end of the \
         other",
    )
}

#[cfg(test)]
mod tests;
