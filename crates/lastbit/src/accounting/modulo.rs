//! Arithmetic modulo a prime.

use super::mass::{LIMBS, Mass};

/// Arithmetic modulo a prime below `2^62`, so that `4p < 2^64` bounds every sum of two values below
/// `2p`.
pub(super) struct Modulus {
    pub(super) prime: u64,
    /// `p^-1 mod 2^64`.
    inverse: u64,
    /// `⌊2^125/p⌋`, below `2^64` as `p > 2^61`.
    reciprocal: u64,
}

impl Modulus {
    pub(super) const fn new(prime: u64) -> Modulus {
        // Newton's iteration doubles the number of right bits, of which an odd number has three to
        // begin with.
        let mut inverse = prime;
        let mut i = 0;
        while i < 5 {
            inverse = inverse.wrapping_mul(2u64.wrapping_sub(prime.wrapping_mul(inverse)));
            i += 1;
        }
        Modulus {
            prime,
            inverse,
            reciprocal: ((1u128 << 125) / prime as u128) as u64,
        }
    }

    /// `a·b/2^64`, below `2p`, for a and b below `4p`: Montgomery's product.
    #[inline(always)]
    pub(super) fn multiply(&self, a: u64, b: u64) -> u64 {
        // Both below 2p, so that the product is below 4p² < 2^64·p.
        let product = u128::from(self.below_twice(a)) * u128::from(self.below_twice(b));
        let multiple = (product as u64).wrapping_mul(self.inverse);
        let reduction = (u128::from(multiple) * u128::from(self.prime)) >> 64;
        ((product >> 64) as u64) + self.prime - reduction as u64
    }

    /// A value below `4p`, made one below `2p`.
    #[inline(always)]
    pub(super) fn below_twice(&self, a: u64) -> u64 {
        a.min(a.wrapping_sub(2 * self.prime))
    }

    /// A value below `2p`, made one below p.
    #[inline(always)]
    pub(super) fn below_prime(&self, a: u64) -> u64 {
        a.min(a.wrapping_sub(self.prime))
    }

    pub(super) fn power(&self, base: u64, mut exponent: u64) -> u64 {
        let (mut result, mut square) = (1, base);
        while exponent > 0 {
            let factor = Factor::new(self, square);
            if exponent & 1 == 1 {
                result = self.below_prime(factor.times(result, self));
            }
            square = self.below_prime(factor.times(square, self));
            exponent >>= 1;
        }
        result
    }

    /// The inverse of a number.
    pub(super) fn inverted(&self, number: u64) -> u64 {
        self.power(number, self.prime - 2)
    }

    /// Masses modulo p, below `2p`.
    pub(super) fn load(&self, masses: &[Mass]) -> Vec<u64> {
        // 2^64 mod p, as p is above 2^61.
        let word = (u128::from(u64::MAX) % u128::from(self.prime)) as u64 + 1;
        let word = Factor::new(self, word % self.prime);
        let mut weights = [Factor::new(self, 1); LIMBS];
        for i in 1..LIMBS {
            let next = word.times(weights[i - 1].number, self);
            weights[i] = Factor::new(self, self.below_prime(next));
        }
        let one = |mass: &Mass| {
            let mut sum = 0;
            for (limb, weight) in mass.limbs().iter().zip(&weights) {
                if *limb != 0 {
                    sum = self.below_twice(sum + weight.times(*limb, self));
                }
            }
            sum
        };
        masses.iter().map(one).collect()
    }
}

/// A number to multiply many others with (Shoup).
#[derive(Clone, Copy, Debug)]
pub(super) struct Factor {
    /// Below p.
    pub(super) number: u64,
    /// `⌊number·2^64/p⌋`.
    pub(super) quotient: u64,
}

impl Factor {
    /// For a number below p.
    pub(super) fn new(modulus: &Modulus, number: u64) -> Factor {
        // number·2^64/p is number·2^125/p/2^61; a number below 2^62 times less than one unit of the
        // reciprocal is less than 2, and two floors: less than 3 too small.
        let product = u128::from(number) * u128::from(modulus.reciprocal);
        let mut quotient = (product >> 61) as u64;
        // number·2^64 − quotient·p, below 4p < 2^64.
        let mut rest = 0u64.wrapping_sub(quotient.wrapping_mul(modulus.prime));
        while rest >= modulus.prime {
            rest -= modulus.prime;
            quotient += 1;
        }
        Factor { number, quotient }
    }

    /// The product with any word, below `2p`.
    ///
    /// **Proof.** With `q = ⌊word·quotient/2^64⌋`, `word·number/p − q` is at least 0, and less than
    /// 1 for this floor and `word/2^64` for that of the quotient: less than 2. ∎
    #[inline(always)]
    pub(super) fn times(self, word: u64, modulus: &Modulus) -> u64 {
        let q = ((u128::from(word) * u128::from(self.quotient)) >> 64) as u64;
        word.wrapping_mul(self.number)
            .wrapping_sub(q.wrapping_mul(modulus.prime))
    }
}
