//! Probabilities as whole numbers of a small unit.

use core::ops::{Add, AddAssign};

use lastbit_exact::{Down, Dyadic, Integer, Natural, Rounding, Up};

/// 64-bit words of a mass.
pub(super) const LIMBS: usize = 4;

/// A probability in units of `2^-bits`, the `bits` being the law's; below `2^256` units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mass([u64; LIMBS]);

impl Mass {
    pub(super) const ZERO: Mass = Mass([0; LIMBS]);
    pub(super) const UNIT: Mass = Mass([1, 0, 0, 0]);

    /// Probability one.
    pub(super) fn whole(bits: usize) -> Mass {
        let mut limbs = [0; LIMBS];
        limbs[bits / 64] = 1 << (bits % 64);
        Mass(limbs)
    }

    pub(super) fn from_limbs(limbs: [u64; LIMBS]) -> Mass {
        Mass(limbs)
    }

    pub(super) fn limbs(&self) -> &[u64; LIMBS] {
        &self.0
    }

    /// The fewest units that hold `p`, for `0 ≤ p ≤ 2`.
    pub(super) fn above(p: Up, bits: usize) -> Mass {
        Mass::of_double(p.get().clamp(0.0, 2.0), bits, true)
    }

    /// The most units that `p` holds, for `0 ≤ p ≤ 2`; none for a bound below 0.
    pub(super) fn below(p: Down, bits: usize) -> Mass {
        Mass::of_double(p.get().clamp(0.0, 2.0), bits, false)
    }

    fn of_double(p: f64, bits: usize, up: bool) -> Mass {
        if p == 0.0 {
            return Mass::ZERO;
        }
        // p = mantissa·2^exponent, exactly.
        let raw = p.to_bits();
        let field = ((raw >> 52) & 0x7ff) as i64;
        let fraction = raw & ((1 << 52) - 1);
        let (mantissa, exponent) = if field == 0 {
            (fraction, -1074)
        } else {
            (fraction | 1 << 52, field - 1075)
        };
        let shift = exponent + bits as i64;
        if shift < 0 {
            let kept = if shift <= -64 { 0 } else { mantissa >> -shift };
            let cut = shift <= -64 || kept << -shift != mantissa;
            return Mass([kept + u64::from(up && cut), 0, 0, 0]);
        }
        let (limb, rest) = (shift as usize / 64, shift as usize % 64);
        let wide = u128::from(mantissa) << rest;
        let mut limbs = [0; LIMBS];
        limbs[limb] = wide as u64;
        // p ≤ 2 and bits ≤ 245, so that the last limb is never passed by a word that is not zero.
        if limb + 1 < LIMBS {
            limbs[limb + 1] = (wide >> 64) as u64;
        }
        Mass(limbs)
    }

    /// The probability, rounded up.
    pub(super) fn upper(self, bits: usize) -> Up {
        Up::exact(self.double(bits, Rounding::Up))
    }

    /// The probability, rounded down.
    pub(super) fn lower(self, bits: usize) -> Down {
        Down::exact(self.double(bits, Rounding::Down))
    }

    fn double(self, bits: usize, rounding: Rounding) -> f64 {
        let Some(top) = self.0.iter().rposition(|limb| *limb != 0) else {
            return 0.0;
        };
        if top == 0 && self.0[0] < 1 << 53 {
            // Exact, and bits ≤ 245 leaves it a normal number.
            return self.0[0] as f64 * power_of_two(-(bits as i64));
        }
        let low = if top == 0 { 0 } else { self.0[top - 1] };
        let leading = (u128::from(self.0[top]) << 64) | u128::from(low);
        // The first 53 bits, and whether anything follows them.
        let length = 128 - leading.leading_zeros();
        let drop = length.saturating_sub(53);
        let mut kept = (leading >> drop) as u64;
        let cut = (u128::from(kept) << drop) != leading
            || self.0[..top.saturating_sub(1)]
                .iter()
                .any(|limb| *limb != 0);
        if cut && rounding == Rounding::Up {
            kept += 1;
        }
        let exponent = drop as i64 + 64 * (top as i64 - 1) - bits as i64;
        // kept ≤ 2^53 is exact, and so is the product: exponents are between −310 and 10.
        kept as f64 * power_of_two(exponent)
    }

    /// `self − other` for `other ≤ self`.
    pub(super) fn minus(self, other: Mass) -> Mass {
        let mut limbs = [0; LIMBS];
        let mut borrow = false;
        for (limb, (a, b)) in limbs.iter_mut().zip(self.0.iter().zip(other.0)) {
            let (part, first) = a.overflowing_sub(b);
            let (part, second) = part.overflowing_sub(u64::from(borrow));
            *limb = part;
            borrow = first || second;
        }
        debug_assert!(!borrow);
        Mass(limbs)
    }

    /// `⌊self·share/2^64⌋`.
    #[inline]
    pub(super) fn share(self, share: u64) -> Mass {
        let mut limbs = [0; LIMBS];
        let mut carry = (u128::from(self.0[0]) * u128::from(share)) >> 64;
        for i in 1..LIMBS {
            carry += u128::from(self.0[i]) * u128::from(share);
            limbs[i - 1] = carry as u64;
            carry >>= 64;
        }
        limbs[LIMBS - 1] = carry as u64;
        Mass(limbs)
    }

    fn natural(self) -> Natural {
        let limbs = self.0.iter().rev();
        limbs.fold(Natural::ZERO, |sum, limb| {
            (sum << 64) + Natural::from(*limb)
        })
    }

    /// `self·other/2^bits`, rounded up or down.
    pub(super) fn times(self, other: Mass, bits: usize, up: bool) -> Mass {
        let product = Dyadic::new(Integer::from(self.natural() * other.natural()), 0);
        let shifted = if up {
            product.ceil_in(bits as i64)
        } else {
            product.floor_in(bits as i64)
        };
        let (_, mut rest) = shifted.into_parts();
        let mut limbs = [0; LIMBS];
        for limb in &mut limbs {
            *limb = u64::try_from(&rest & Natural::from(u64::MAX)).unwrap_or(0);
            rest = rest >> 64;
        }
        Mass(limbs)
    }
}

/// `2^exponent`, for exponents of normal doubles.
fn power_of_two(exponent: i64) -> f64 {
    debug_assert!((-1022..=1023).contains(&exponent));
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

impl Add for Mass {
    type Output = Mass;
    #[inline]
    fn add(self, other: Mass) -> Mass {
        let mut limbs = [0; LIMBS];
        let mut carry = false;
        for (limb, (a, b)) in limbs.iter_mut().zip(self.0.iter().zip(other.0)) {
            let (part, first) = a.overflowing_add(b);
            let (part, second) = part.overflowing_add(u64::from(carry));
            *limb = part;
            carry = first || second;
        }
        debug_assert!(!carry);
        Mass(limbs)
    }
}

impl AddAssign for Mass {
    #[inline]
    fn add_assign(&mut self, other: Mass) {
        *self = *self + other;
    }
}

impl PartialOrd for Mass {
    fn partial_cmp(&self, other: &Mass) -> Option<core::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Mass {
    fn cmp(&self, other: &Mass) -> core::cmp::Ordering {
        self.0.iter().rev().cmp(other.0.iter().rev())
    }
}

#[cfg(test)]
mod tests;
