//! `U*`: the uniform distribution over p-bit floating-point numbers in (0, 1), each with the weight
//! of its last place.

use core::hint::select_unpredictable;

use lastbit_exact::{Dyadic, Integer, Natural, Short, ShortFormat};

use crate::entropy::{Entropy, EntropyError};

/// A draw of `U*` at `p` bits: `significand · 2^-(exponent + p − 1)`, the significand having
/// exactly `p` bits.
///
/// `P(U* = (1 + m/2^(p−1))·2^-e) = 2^-e · 2^-(p−1)` for every `e ≥ 1`: the exponent is unbounded,
/// so no draw underflows and no output of a mechanism becomes unreachable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UStar {
    significand: Natural,
    exponent: u64,
    precision: u32,
}

impl UStar {
    /// The value with this mantissa (`0 ≤ mantissa < 2^(p−1)`) and exponent `e ≥ 1`:
    /// `(1 + mantissa/2^(p−1))·2^-e`.
    ///
    /// ```
    /// use lastbit_exact::{Dyadic, Natural};
    /// use lastbit_noise::UStar;
    /// assert_eq!(UStar::new(Natural::from(1u8), 1, 3).value(), Dyadic::new(5, -3));
    /// ```
    ///
    /// # Panics
    /// If the mantissa or the exponent is out of range.
    pub fn new(mantissa: Natural, exponent: u64, precision: u32) -> UStar {
        let leading = Natural::ONE << (precision as usize - 1);
        assert!(mantissa < leading && exponent >= 1);
        UStar {
            significand: leading | mantissa,
            exponent,
            precision,
        }
    }

    /// Draws at `precision ≥ 2` bits.
    pub fn draw(precision: u32, entropy: &mut impl Entropy) -> Result<UStar, EntropyError> {
        let exponent = geometric_exponent(entropy)?;
        let mut significand = Natural::ONE;
        let mut missing = precision - 1;
        while missing > 0 {
            let take = missing.min(64);
            significand =
                (significand << take as usize) | Natural::from(entropy.word()? >> (64 - take));
            missing -= take;
        }
        Ok(UStar {
            significand,
            exponent,
            precision,
        })
    }

    /// The same draw from the same words, as a number of a short format.
    #[inline]
    pub fn draw_short(
        format: ShortFormat,
        entropy: &mut impl Entropy,
    ) -> Result<Short, EntropyError> {
        let exponent = geometric_exponent(entropy)?;
        let precision = format.precision();
        let first = (precision - 1).min(64);
        let second = precision - 1 - first; // at most 55
        let mut significand = 1u128 << first | u128::from(entropy.word()? >> (64 - first));
        if second > 0 {
            significand = significand << second | u128::from(entropy.word()? >> (64 - second));
        }
        Ok(Short::new(
            significand,
            1 - exponent as i64 - i64::from(precision),
        ))
    }

    /// The exact value.
    pub fn value(&self) -> Dyadic {
        Dyadic::new(
            Integer::from(self.significand.clone()),
            1 - self.exponent as i64 - self.precision as i64,
        )
    }

    /// The exact probability of this value: `2^-(e + p − 1)`.
    pub fn probability(&self) -> Dyadic {
        Dyadic::power_of_two(1 - self.exponent as i64 - self.precision as i64)
    }
}

/// `e` with probability `2^-e`, `e = 1, 2, …`: one more than the zeros before the first one.
pub(crate) fn geometric_exponent(entropy: &mut impl Entropy) -> Result<u64, EntropyError> {
    let mut zeros = 0u64;
    loop {
        let word = entropy.word()?;
        zeros += u64::from(word.leading_zeros());
        if word != 0 {
            return Ok(zeros + 1);
        }
    }
}

/// A draw of `U*` at 53 bits together with a fair sign: `1.fraction · 2^-exponent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignedUStar64 {
    /// Whether the sign is minus.
    pub negative: bool,
    /// The 52 bits after the leading one.
    pub fraction: u64,
    /// `e ≥ 1`.
    pub exponent: u64,
}

impl SignedUStar64 {
    /// One word gives the sign, the fraction and the first eleven coin flips of the exponent. The
    /// next has the flips that follow, and is read even if there are none, so that the time does
    /// not tell; further words are needed once in 2^75 draws.
    #[inline]
    pub fn draw(entropy: &mut impl Entropy) -> Result<SignedUStar64, EntropyError> {
        let (word, more) = (entropy.word()?, entropy.word()?);
        let coins = (word << 53) | 1 << 52; // 11 coins, then a stop
        let exponent = u64::from(coins.leading_zeros()) + 1;
        let mut later = 12 + u64::from(more.leading_zeros());
        if (exponent > 11) & (more == 0) {
            later = 75 + geometric_exponent(entropy)?;
        }
        let exponent = select_unpredictable(exponent > 11, later, exponent);
        Ok(SignedUStar64 {
            negative: word >> 63 == 1,
            fraction: word >> 11 & ((1 << 52) - 1),
            exponent,
        })
    }
}

#[cfg(test)]
mod tests;
