//! Uniform integers: `floor(n·U)` of one lazy uniform real `U`.
//!
//! `U` is known by its first bits; when the cell of reals that begin with them contains a multiple
//! of `1/n`, more bits of the same `U` are drawn. So every value has probability exactly `1/n`, and
//! the result is monotone in the bit stream.
//!
//! *Time.* The number of words drawn depends on `n` and on the bits drawn, and on nothing else.

use lastbit_exact::{Natural, Rational};

use crate::entropy::{Entropy, EntropyError};

/// Why no uniform integer was drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UniformError {
    /// There is no integer below zero to draw.
    #[error("a uniform integer below 0 does not exist; ask for one below a positive number")]
    EmptyRange,
    /// The entropy source failed.
    #[error(transparent)]
    Entropy(#[from] EntropyError),
}

/// A uniform integer in `0..n`: each with probability exactly `1/n`.
///
/// Reads one word, and one more with probability below `n/2^64`.
///
/// ```
/// use lastbit_noise::{entropy::System, uniform_u64_below};
/// let die = 1 + uniform_u64_below(6, &mut System::default())?;
/// assert!((1..=6).contains(&die));
/// # Ok::<(), lastbit_noise::UniformError>(())
/// ```
#[inline]
pub fn uniform_u64_below(n: u64, entropy: &mut impl Entropy) -> Result<u64, UniformError> {
    let largest = n.checked_sub(1).ok_or(UniformError::EmptyRange)?;
    // n·U = whole + (fraction + [0, n))/2^64.
    let (whole, mut fraction) = wide_product(n, entropy.word()?);
    while fraction.checked_add(largest).is_none() {
        // The bits to come may carry into `whole`: they add `carry` to the fraction, and at most
        // one more.
        let (carry, next) = wide_product(n, entropy.word()?);
        match fraction.overflowing_add(carry) {
            // fraction + carry + 1 < 2·2^64, so there is no second carry.
            (_, true) => return Ok(whole + 1),
            (u64::MAX, false) => fraction = next,
            (_, false) => return Ok(whole),
        }
    }
    Ok(whole)
}

/// A uniform integer in `0..n`: each with probability exactly `1/n`.
///
/// Reads words until `k` bits are known with no multiple of `1/n` inside their cell: that many are
/// not enough with probability below `n/2^k`.
///
/// ```
/// use lastbit_exact::Natural;
/// use lastbit_noise::{entropy::System, uniform_below};
/// let n = Natural::from(10u8).pow(40);
/// assert!(uniform_below(&n, &mut System::default())? < n);
/// # Ok::<(), lastbit_noise::UniformError>(())
/// ```
pub fn uniform_below(n: &Natural, entropy: &mut impl Entropy) -> Result<Natural, UniformError> {
    if let Ok(small) = u64::try_from(n) {
        return uniform_u64_below(small, entropy).map(Natural::from);
    }
    let mut length = 0;
    let mut bits = Natural::ZERO;
    loop {
        bits = (bits << 64) | Natural::from(entropy.word()?);
        length += 64;
        // n·U is in [product, product + n)/2^length.
        let product = n * &bits;
        let lowest = &product >> length;
        let highest = (product + n - Natural::ONE) >> length;
        if lowest == highest {
            return Ok(lowest);
        }
    }
}

/// The law of [`uniform_below`]: `P(value) = 1/n` for `value < n`, else 0.
pub fn uniform_law(n: &Natural, value: &Natural) -> Rational {
    if value < n {
        Rational::new(1, n.clone())
    } else {
        Rational::ZERO
    }
}

/// `a·b = high·2^64 + low`.
#[inline]
fn wide_product(a: u64, b: u64) -> (u64, u64) {
    let product = u128::from(a) * u128::from(b);
    ((product >> 64) as u64, product as u64)
}

#[cfg(test)]
mod tests;
