//! `U*`: the uniform distribution over p-bit floating-point numbers in (0, 1), each with the weight of its last place.

use lastbit_exact::{Dyadic, IBig, UBig};

use crate::entropy::{Entropy, EntropyError};

/// A draw of `U*` at `p` bits: `significand · 2^-(exponent + p − 1)`, the significand having exactly `p` bits.
///
/// `P(U* = (1 + m/2^(p−1))·2^-e) = 2^-e · 2^-(p−1)` for every `e ≥ 1`: the exponent is unbounded, so no draw underflows and
/// no output of a mechanism becomes unreachable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UStar {
    significand: UBig,
    exponent: u64,
    precision: u32,
}

impl UStar {
    /// The value with this mantissa (`0 ≤ mantissa < 2^(p−1)`) and exponent `e ≥ 1`: `(1 + mantissa/2^(p−1))·2^-e`.
    ///
    /// ```
    /// use lastbit_exact::{Dyadic, UBig};
    /// use lastbit_noise::UStar;
    /// assert_eq!(UStar::new(UBig::from(1u8), 1, 3).value(), Dyadic::new(5, -3));
    /// ```
    ///
    /// # Panics
    /// If the mantissa or the exponent is out of range.
    pub fn new(mantissa: UBig, exponent: u64, precision: u32) -> UStar {
        let leading = UBig::ONE << (precision as usize - 1);
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
        let mut significand = UBig::ONE;
        let mut missing = precision - 1;
        while missing > 0 {
            let take = missing.min(64);
            significand =
                (significand << take as usize) | UBig::from(entropy.word()? >> (64 - take));
            missing -= take;
        }
        Ok(UStar {
            significand,
            exponent,
            precision,
        })
    }

    /// The exact value.
    pub fn value(&self) -> Dyadic {
        Dyadic::new(
            IBig::from(self.significand.clone()),
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
    /// One word gives the sign, the fraction and the first eleven coin flips of the exponent; once in 2^11 draws another
    /// word goes on flipping.
    #[inline]
    pub fn draw(entropy: &mut impl Entropy) -> Result<SignedUStar64, EntropyError> {
        let word = entropy.word()?;
        let coins = (word << 53) | 1 << 52; // 11 coins, then a stop
        let mut exponent = u64::from(coins.leading_zeros()) + 1;
        if exponent > 11 {
            exponent = 11 + geometric_exponent(entropy)?;
        }
        Ok(SignedUStar64 {
            negative: word >> 63 == 1,
            fraction: word >> 11 & ((1 << 52) - 1),
            exponent,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out the given words, then fails.
    struct Script(Vec<u64>);
    impl Entropy for Script {
        fn fill(&mut self, words: &mut [u64]) -> Result<(), EntropyError> {
            for word in words {
                if self.0.is_empty() {
                    return Err(EntropyError::exhausted());
                }
                *word = self.0.remove(0);
            }
            Ok(())
        }
    }

    #[test]
    fn masses_of_all_values_down_to_an_exponent_sum_to_one_less_the_rest() {
        let (precision, last) = (5, 9);
        let mut total = Dyadic::ZERO;
        for exponent in 1..=last {
            for mantissa in 0..1u32 << (precision - 1) {
                let u = UStar::new(UBig::from(mantissa), exponent, precision);
                assert!(u.value() < Dyadic::ONE && u.value().is_positive());
                total = &total + &u.probability();
            }
        }
        assert_eq!(&Dyadic::ONE - &total, Dyadic::power_of_two(-(last as i64)));
    }

    #[test]
    fn an_exponent_beyond_every_double_is_drawn_not_truncated() {
        let mut words = vec![0; 20]; // 1280 zeros
        words.push(1 << 62); // one more zero, then a one
        words.push(u64::MAX);
        let u = UStar::draw(53, &mut Script(words)).unwrap();
        assert_eq!(u.value().floor_log2(), Some(-1282));
    }

    #[test]
    fn mantissas_wider_than_a_word_use_the_high_bits_of_the_next() {
        let words = vec![1 << 63, u64::MAX, 1 << 63];
        let u = UStar::draw(66, &mut Script(words)).unwrap();
        // 1, then 64 ones, then a one: all 66 bits set, e = 1.
        assert_eq!(u.value(), &Dyadic::ONE - &Dyadic::power_of_two(-66));
    }

    #[test]
    fn signed_draws_agree_with_the_law_bit_by_bit() {
        let coins = |c: u64| SignedUStar64::draw(&mut Script(vec![c, 1 << 63])).unwrap();
        assert_eq!(coins(1 << 10).exponent, 1);
        assert_eq!(coins(1).exponent, 11);
        assert_eq!(coins(0).exponent, 12);
        assert!(coins(1 << 63).negative && !coins(1 << 62).negative);
        assert_eq!(coins(1 << 11).fraction, 1);
        assert_eq!(coins(1 << 62).fraction, 1 << 51);
        // Exponents of the eleven coins, exhaustively: e has 2^(11−e) of the 2^11 patterns.
        for e in 1..=11u64 {
            let count = (1..1u64 << 11).filter(|&c| coins(c).exponent == e).count();
            assert_eq!(count, 1 << (11 - e));
        }
    }
}
