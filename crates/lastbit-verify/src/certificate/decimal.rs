//! The prover's bounds: reals rounded up to a fixed number of digits.

use lastbit_exact::{Dyadic, Enclosure, Integer, Outward, Rational};

/// Significant digits of every bound in a certificate.
pub(super) const DIGITS: u32 = 25;

/// The least number of [`DIGITS`] significant decimal digits that is at least the positive real
/// which `enclose` encloses more narrowly the more bits it is given; `None` if 2^15 bits do not
/// decide it.
pub(super) fn round_up(
    from_bits: u32,
    enclose: impl Fn(Outward) -> Option<Enclosure>,
) -> Option<Decimal> {
    let mut bits = from_bits;
    while bits <= 1 << 15 {
        let real = enclose(Outward::new(bits));
        if let Some(real) = real.filter(|real| real.lo().is_positive()) {
            let places = places_of(&Rational::from(real.hi()));
            let digits = |x: &Dyadic| (&Rational::from(x) * &power_of_ten(places)).ceil();
            let (lo, hi) = (digits(real.lo()), digits(real.hi()));
            if lo == hi {
                return Some(Decimal { digits: hi, places });
            }
        }
        bits *= 2;
    }
    None
}

/// `digits · 10^-places`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    pub digits: Integer,
    pub places: i64,
}

impl Decimal {
    pub fn value(&self) -> Rational {
        &Rational::from(self.digits.clone()) * &power_of_ten(-self.places)
    }

    /// In scientific notation, every digit.
    pub fn text(&self) -> String {
        let digits = self.digits.to_string();
        let (first, rest) = digits.split_at(1);
        let exponent = rest.len() as i64 - self.places;
        format!("{first}.{rest}e{exponent}")
    }
}

/// How many places make [`DIGITS`] digits of a positive number:
/// `10^(DIGITS−1) < x·10^places ≤ 10^DIGITS`.
fn places_of(x: &Rational) -> i64 {
    let binary = x.ceil_log2().unwrap_or(0);
    // log10(2) = 0.30103; the guess is at most one off.
    let mut places = i64::from(DIGITS) - binary * 30103 / 100_000 + 1;
    while x * &power_of_ten(places) > power_of_ten(i64::from(DIGITS)) {
        places -= 1;
    }
    while x * &power_of_ten(places) <= power_of_ten(i64::from(DIGITS) - 1) {
        places += 1;
    }
    places
}

pub(super) fn power_of_ten(exponent: i64) -> Rational {
    let power = Rational::from(Integer::from(10).pow(exponent.unsigned_abs() as usize));
    if exponent < 0 {
        &Rational::ONE / &power
    } else {
        power
    }
}
