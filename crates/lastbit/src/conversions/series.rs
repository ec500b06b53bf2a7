//! Alternating power series in fixed point, for casts whose closed forms cancel at small losses.

use lastbit_exact::{Dyadic, Natural, Up};

/// Fraction bits of coefficients, argument and value.
const BITS: usize = 62;
/// How far the computed value may be from the exact one, in units of `2^-BITS`; counted at
/// [`Alternating::times`].
const ERROR: u64 = 8;
/// The largest argument, `1/2`.
const LARGEST: u64 = 1 << (BITS - 1);

/// `A(y) = c_0 − y(c_1 − y(c_2 − …))` for `0 ≤ y ≤ 1/2`, with `0 < y·c_(n+1) ≤ c_n < 2` and
/// `c_0 = 1`.
pub(super) struct Alternating {
    /// `floor(c_n·2^BITS)`.
    coefficients: Vec<u64>,
}

impl Alternating {
    /// From `c_n` as a fraction of two integers.
    pub(super) fn new(fraction: impl Fn(usize) -> (Natural, Natural)) -> Alternating {
        let mut coefficients = Vec::new();
        loop {
            let n = coefficients.len();
            let (numerator, denominator) = fraction(n);
            let scaled = (numerator << BITS) / denominator;
            // c_n < 2, so that it has at most BITS + 1 bits.
            coefficients.push(u64::try_from(scaled).unwrap_or(u64::MAX >> 1));
            // The rest is at most y^(n+1)·c_(n+1) ≤ y^n·c_n ≤ 2^-n·c_n: here below one unit.
            if coefficients[n] >> n.min(63) == 0 {
                return Alternating { coefficients };
            }
        }
    }

    /// `leading·A(y) ≤ times(leading, y)`, at most one double above the smallest such f64; for
    /// `leading ≥ 0`.
    ///
    /// Error, in units of 2^-BITS. Each bracket `A_n = c_n − y·A_(n+1)` is between 0 and `c_n`. Its
    /// floor of `c_n` and of the product cost a unit each, and what was lost before is halved, at
    /// least: fewer than 4 in all. The series stops where its rest is below 1 unit. The floor of y
    /// costs `|A′| < 2`. So `|computed − A(y)| < 8`. In the casts `A ≥ 1/2`, so the factor is too
    /// large by less than 2^-57 of itself: 1/16 of a unit in the last place, before the one
    /// rounding at the end.
    pub(super) fn times(&self, leading: &Dyadic, y: &Dyadic) -> Up {
        Up::from_dyadic(&(leading * &self.upper(y)))
    }

    /// `A(y) ≤ upper(y) < A(y) + 16·2^-BITS`.
    fn upper(&self, y: &Dyadic) -> Dyadic {
        let y = u64::try_from(y.floor_in(-(BITS as i64))).map_or(LARGEST, |y| y.min(LARGEST));
        let mut bracket = 0u64;
        for coefficient in self.coefficients.iter().rev() {
            let product = (u128::from(y) * u128::from(bracket)) >> BITS;
            // The product is at most c_n up to the errors counted above; c_n and y are below 2^63.
            bracket = coefficient.saturating_sub(product as u64);
        }
        Dyadic::new(bracket + ERROR, -(BITS as i64))
    }
}

/// The tangent numbers `T_1, T_2, …`: `tan x = Σ T_n x^(2n−1)/(2n−1)!`.
pub(super) fn tangent_numbers(count: usize) -> Vec<Natural> {
    // Derivatives of tan are polynomials in tan; this is the recurrence of their constant terms
    // (Brent and Harvey, 2011).
    let mut t = vec![Natural::ONE; count];
    for k in 1..count {
        t[k] = &t[k - 1] * Natural::from(k);
    }
    for k in 1..count {
        for j in k..count {
            t[j] = &t[j - 1] * Natural::from(j - k) + &t[j] * Natural::from(j - k + 2);
        }
    }
    t
}

/// `n!`.
pub(super) fn factorial(n: usize) -> Natural {
    (2..=n).fold(Natural::ONE, |product, k| product * Natural::from(k))
}

#[cfg(test)]
mod tests;
