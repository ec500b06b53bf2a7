//! The prover's arithmetic: enclosures by rationals, and bounds rounded up to a fixed number of digits.

use lastbit_exact::{Dyadic, IBig, Rational, Rounding, exp_enclosure, ln_enclosure};

/// Significant digits of every bound in a certificate.
pub(super) const DIGITS: u32 = 25;

/// A real between two dyadics.
#[derive(Clone, Debug)]
pub(super) struct Range {
    pub lo: Dyadic,
    pub hi: Dyadic,
}

impl Range {
    pub fn one() -> Range {
        Range {
            lo: Dyadic::ONE,
            hi: Dyadic::ONE,
        }
    }

    /// A rational, to `2·bits` places after the point: what it multiplies is as small as η.
    pub fn of(x: &Rational, bits: u32) -> Range {
        let places = 2 * i64::from(bits);
        let scaled = x.scale(places);
        Range {
            lo: Dyadic::new(scaled.floor(), -places),
            hi: Dyadic::new(scaled.ceil(), -places),
        }
    }

    /// `e^x` for a rational |x| < 2^40, to a relative `2^(3−bits)`.
    pub fn exp(x: &Rational, bits: u32) -> Range {
        let places = i64::from(bits);
        let argument = Dyadic::new(x.scale(places).floor(), -places);
        let enclosure = exp_enclosure(&argument, bits);
        // x is above the argument by less than 2^-places, and e^z ≤ 1 + 2z for z ≤ 1.
        let hi = enclosure.hi() + &enclosure.hi().scale(1 - places);
        Range {
            lo: enclosure.lo().clone(),
            hi,
        }
    }

    /// `ln x` for a positive rational.
    pub fn ln(x: &Rational, bits: u32) -> Range {
        let end = |direction| ln_enclosure(&x.round(bits as usize, direction), bits);
        Range {
            lo: end(Rounding::Down).lo().clone(),
            hi: end(Rounding::Up).hi().clone(),
        }
    }

    pub fn plus(&self, other: &Range) -> Range {
        Range {
            lo: &self.lo + &other.lo,
            hi: &self.hi + &other.hi,
        }
    }

    pub fn minus(&self, other: &Range) -> Range {
        Range {
            lo: &self.lo - &other.hi,
            hi: &self.hi - &other.lo,
        }
    }

    /// For factors that are not negative.
    pub fn times(&self, other: &Range) -> Range {
        Range {
            lo: &self.lo * &other.lo,
            hi: &self.hi * &other.hi,
        }
    }

    /// To `bits` bits, for a positive denominator and a numerator that is not negative.
    pub fn over(&self, other: &Range, bits: u32) -> Range {
        let quotient = |a: &Dyadic, b: &Dyadic, direction| {
            (&Rational::from(a) / &Rational::from(b)).round(bits as usize, direction)
        };
        Range {
            lo: quotient(&self.lo, &other.hi, Rounding::Down),
            hi: quotient(&self.hi, &other.lo, Rounding::Up),
        }
    }
}

/// The least number of [`DIGITS`] significant decimal digits that is at least the positive real which `enclose` encloses more
/// narrowly the more bits it is given; `None` if 2^15 bits do not decide it.
pub(super) fn round_up(from_bits: u32, enclose: impl Fn(u32) -> Range) -> Option<Decimal> {
    let mut bits = from_bits;
    while bits <= 1 << 15 {
        let range = enclose(bits);
        if range.lo.is_positive() {
            let places = places_of(&Rational::from(&range.hi));
            let digits = |x: &Dyadic| (&Rational::from(x) * &power_of_ten(places)).ceil();
            let (lo, hi) = (digits(&range.lo), digits(&range.hi));
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
    pub digits: IBig,
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

/// How many places make [`DIGITS`] digits of a positive number: `10^(DIGITS−1) < x·10^places ≤ 10^DIGITS`.
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
    let power = Rational::from(IBig::from(10).pow(exponent.unsigned_abs() as usize));
    if exponent < 0 {
        &Rational::ONE / &power
    } else {
        power
    }
}
