//! Signs of sums of exponentials with rational coefficients and exponents.

use lastbit_exact::{Dyadic, Integer, Rational, exp_enclosure};

/// `Σ coefficient · e^exponent`.
#[derive(Clone, Debug, Default)]
pub(super) struct Sum(Vec<(Rational, Rational)>);

impl Sum {
    pub fn new() -> Sum {
        Sum(Vec::new())
    }

    pub fn term(mut self, coefficient: Rational, exponent: Rational) -> Sum {
        self.0.push((coefficient, exponent));
        self
    }

    pub fn constant(self, value: Rational) -> Sum {
        self.term(value, Rational::ZERO)
    }

    /// Bounds of the sum, from exponents cut to `bits` places and coefficients to twice as many.
    fn bounds(&self, bits: u32) -> (Dyadic, Dyadic) {
        let places = i64::from(bits);
        let mut sum = (Dyadic::ZERO, Dyadic::ZERO);
        for (coefficient, exponent) in &self.0 {
            let below = Dyadic::new(exponent.times_power_of_two(places).floor(), -places);
            let power = exp_enclosure(&below, bits);
            // The exponent exceeds `below` by less than 2^-places, and e^z ≤ 1 + 2z for z ≤ 1.
            let high = power.hi() + &power.hi().times_power_of_two(1 - places);
            let scaled = coefficient.times_power_of_two(2 * places);
            let least = Dyadic::new(scaled.floor(), -2 * places);
            let most = Dyadic::new(scaled.ceil(), -2 * places);
            let ends = if coefficient.is_negative() {
                (&least * &high, &most * power.lo())
            } else {
                (&least * power.lo(), &most * &high)
            };
            sum = (&sum.0 + &ends.0, &sum.1 + &ends.1);
        }
        sum
    }
}

/// The sign of a sum; `None` if 2^15 bits do not decide it, or an exponent is 64 or more (none is
/// in a proof).
pub(super) fn sign(sum: &Sum, from_bits: u32) -> Option<i32> {
    let limit = Rational::from(64i64);
    if sum.0.iter().any(|(_, exponent)| exponent.abs() >= limit) {
        return None;
    }
    let mut bits = from_bits;
    while bits <= 1 << 15 {
        let (low, high) = sum.bounds(bits);
        if !low.is_negative() {
            return Some(1);
        }
        if high.is_negative() {
            return Some(-1);
        }
        bits *= 2;
    }
    None
}

/// The unit of the 25th digit: the power of ten u with `10^24 < v/u ≤ 10^25`; `None` unless v is
/// positive.
pub(super) fn unit_of(v: &Rational) -> Option<Rational> {
    // v lies in (2^(e−1), 2^e]; begin at a power of ten above it, and go down.
    let e = v.ceil_log2()?;
    let mut top = e.max(0) * 302 / 1000 + 1 - (-e).max(0) * 301 / 1000 + 1;
    while power_of_ten(top - 1) >= *v {
        top -= 1;
    }
    Some(power_of_ten(top - 25))
}

fn power_of_ten(exponent: i64) -> Rational {
    let power = Rational::from(Integer::from(10).pow(exponent.unsigned_abs() as usize));
    match exponent {
        0.. => power,
        _ => &Rational::ONE / &power,
    }
}
