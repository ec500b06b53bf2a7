use core::fmt;
use core::ops::{Add, Div, Mul, Neg, Sub};
use core::str::FromStr;

use dashu_base::{Abs, BitTest, Signed};
use dashu_ratio::RBig;

use crate::directed::printable;
use crate::{Dyadic, Integer, Natural, NotFinite, Rounding};

/// An exact rational number in lowest terms.
///
/// ```
/// use lastbit_exact::Rational;
/// let tenth: Rational = "0.1".parse().unwrap();
/// assert_eq!(tenth, Rational::new(1, 10));
/// assert_eq!(tenth.to_string(), "0.1");
/// assert_eq!(Rational::new(1, 3).to_string(), "1/3");
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rational(RBig);

/// Zero.
impl Default for Rational {
    fn default() -> Rational {
        Rational::ZERO
    }
}

/// Why a text is not a number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseRationalError {
    /// The text is not a decimal (`-12.5e-3`) or a fraction (`1/3`).
    #[error(
        "`{0}` is not a number; write a decimal such as 0.1 or 2.5e-3, or a fraction such as 1/3"
    )]
    Syntax(String),
    /// A fraction with denominator zero.
    #[error("`{0}` divides by zero")]
    ZeroDenominator(String),
    /// More digits, or a larger exponent, than any use needs.
    #[error("`{0}` is out of range; at most 5000 digits and a decimal exponent within ±5000")]
    Range(String),
}

/// The longest decimal, in digits, and the largest decimal exponent that is read.
const DECIMAL_LIMIT: usize = 5000;

impl Rational {
    /// Zero.
    pub const ZERO: Rational = Rational(RBig::ZERO);
    /// One.
    pub const ONE: Rational = Rational(RBig::ONE);

    /// `numerator / denominator`.
    ///
    /// # Panics
    /// If the denominator is zero.
    pub fn new(numerator: impl Into<Integer>, denominator: impl Into<Integer>) -> Rational {
        Rational(RBig::from_parts_signed(
            numerator.into().0,
            denominator.into().0,
        ))
    }

    /// The numerator, with the sign.
    pub fn numerator(&self) -> Integer {
        Integer(self.0.numerator().clone())
    }

    /// The denominator, positive.
    pub fn denominator(&self) -> Natural {
        Natural(self.0.denominator().clone())
    }

    /// Whether this is zero.
    pub fn is_zero(&self) -> bool {
        self.0.is_zero()
    }

    /// Whether this is below zero.
    pub fn is_negative(&self) -> bool {
        self.0.is_negative()
    }

    /// Whether this is above zero.
    pub fn is_positive(&self) -> bool {
        !self.is_zero() && !self.is_negative()
    }

    /// The magnitude.
    pub fn abs(&self) -> Rational {
        Rational(self.0.clone().abs())
    }

    /// `1 / self`; `None` for zero.
    pub fn recip(&self) -> Option<Rational> {
        (!self.is_zero()).then(|| &Rational::ONE / self)
    }

    /// The largest integer at or below this number.
    pub fn floor(&self) -> Integer {
        Integer(self.0.floor())
    }

    /// The smallest integer at or above this number.
    pub fn ceil(&self) -> Integer {
        Integer(self.0.ceil())
    }

    /// The nearest integer, ties toward +∞: `floor(self + 1/2)`.
    pub fn round_ties_up(&self) -> Integer {
        if let Some((numerator, denominator)) = self.small_parts() {
            let twice = (2 * i128::from(denominator), 2 * i128::from(numerator));
            return Integer::from((twice.1 + i128::from(denominator)).div_euclid(twice.0));
        }
        self.round_ties_up_of_any()
    }

    fn round_ties_up_of_any(&self) -> Integer {
        (self + &Rational::new(1, 2)).floor()
    }

    /// Numerator and denominator, if they fit.
    fn small_parts(&self) -> Option<(i64, u64)> {
        let numerator = i64::try_from(self.0.numerator()).ok()?;
        let denominator = u64::try_from(self.0.denominator()).ok()?;
        Some((numerator, denominator))
    }

    /// `self · 2^by`, exactly.
    pub fn times_power_of_two(&self, by: i64) -> Rational {
        let shift = by.unsigned_abs() as usize;
        if by >= 0 {
            Rational(RBig::from_parts(
                self.0.numerator() << shift,
                self.0.denominator().clone(),
            ))
        } else {
            Rational(RBig::from_parts(
                self.0.numerator().clone(),
                self.0.denominator() << shift,
            ))
        }
    }

    /// Clamped to `[lower, upper]`.
    pub fn clamp_to(&self, lower: &Rational, upper: &Rational) -> Rational {
        self.max(lower).min(upper).clone()
    }

    /// The smallest `e` with `2^e ≥ self`; `None` unless positive.
    pub fn ceil_log2(&self) -> Option<i64> {
        if !self.is_positive() {
            return None;
        }
        // numerator in [2^(a−1), 2^a), denominator in [2^(b−1), 2^b): the number is in (2^(a−b−1),
        // 2^(a−b+1)).
        let guess = self.0.numerator().bit_len() as i64 - self.0.denominator().bit_len() as i64;
        (guess..=guess + 1).find(|&e| *self <= Rational::from(&Dyadic::power_of_two(e)))
    }

    /// The bits of the longer of numerator and denominator: what arithmetic on this number costs.
    ///
    /// ```
    /// use lastbit_exact::Rational;
    /// assert_eq!(Rational::new(5, 8).bits(), 4);
    /// ```
    pub fn bits(&self) -> usize {
        let (numerator, denominator) = (self.0.numerator(), self.0.denominator());
        numerator.bit_len().max(denominator.bit_len())
    }

    /// The dyadic with the same value, if there is one.
    pub fn to_dyadic(&self) -> Option<Dyadic> {
        let denominator = self.0.denominator();
        let zeros = denominator.trailing_zeros()?;
        (denominator.bit_len() == zeros + 1).then(|| Dyadic::new(self.numerator(), -(zeros as i64)))
    }

    /// Rounded to `precision` significant bits, exponent unbounded; the contract of
    /// [`Dyadic::round`].
    pub fn round(&self, precision: usize, rounding: Rounding) -> Dyadic {
        self.with_sticky_bit(precision + 2)
            .round(precision, rounding)
    }

    /// The f64 in the given direction, with IEEE overflow and gradual underflow; zero is `+0.0`.
    pub fn to_f64(&self, rounding: Rounding) -> f64 {
        match self.small_parts() {
            Some((numerator, denominator)) => quotient(numerator, denominator, rounding),
            None => self.to_f64_of_any(rounding),
        }
    }

    fn to_f64_of_any(&self, rounding: Rounding) -> f64 {
        self.with_sticky_bit(56).to_f64(rounding)
    }

    /// The smallest f64 at or above this number whose shortest decimal, which is what JSON and
    /// other writers of f64 print, is at or above it too.
    ///
    /// ```
    /// use lastbit_exact::Rational;
    /// let tenth = Rational::new(1, 10); // the f64 0.1 is larger; its decimal is not smaller
    /// assert_eq!(tenth.printable_up(), 0.1);
    /// ```
    pub fn printable_up(&self) -> f64 {
        printable::<true>(self)
    }

    /// The mirror of [`Rational::printable_up`]: at or below.
    pub fn printable_down(&self) -> f64 {
        printable::<false>(self)
    }

    /// A dyadic that rounds as this number does in every format of fewer than `bits` significant
    /// bits: the truncated quotient of at least `bits` bits, then one bit that says whether
    /// anything was cut off. Number and dyadic lie on the same side of, or both on, every number of
    /// fewer than `bits` bits and every midpoint of two such neighbours.
    fn with_sticky_bit(&self, bits: usize) -> Dyadic {
        let (negative, magnitude) = self.numerator().into_parts();
        let denominator = self.denominator();
        let shift = bits as i64 + denominator.bit_len() as i64 - magnitude.bit_len() as i64;
        let (scaled, divisor) = if shift >= 0 {
            (magnitude << shift as usize, denominator)
        } else {
            (magnitude, denominator << shift.unsigned_abs() as usize)
        };
        let (quotient, remainder) = scaled.div_rem(divisor);
        let sticky = (quotient << 1) + Natural::from(!remainder.is_zero());
        Dyadic::new(Integer::from_parts(negative, sticky), -shift - 1)
    }
}

/// `numerator / denominator` as the f64 in the given direction; zero is `+0.0`. Its exponent is
/// within ±64, so that it neither overflows nor underflows.
fn quotient(numerator: i64, denominator: u64, rounding: Rounding) -> f64 {
    let magnitude = numerator.unsigned_abs();
    if magnitude == 0 {
        return 0.0;
    }
    let bits = |number: u64| 64 - number.leading_zeros() as i32;
    // The truncated quotient has 55 or 56 bits, and a last bit says whether anything was cut off.
    // Shifted parts have at most 56 + 64 bits.
    let shift = 55 + bits(denominator) - bits(magnitude);
    let (scaled, divisor) = match shift >= 0 {
        true => (u128::from(magnitude) << shift, u128::from(denominator)),
        false => (u128::from(magnitude), u128::from(denominator) << -shift),
    };
    let truncated = scaled / divisor;
    let cut = scaled != truncated * divisor;
    let sticky = (truncated as u64) << 1 | u64::from(cut);
    let drop = bits(sticky) - 53;
    let (kept, rest) = (sticky >> drop, sticky & ((1 << drop) - 1));
    let against_half = rest.cmp(&(1 << (drop - 1)));
    let direction = rounding.of_magnitude(numerator < 0);
    let is_more = direction.increments(kept % 2 == 1, against_half, rest != 0);
    // At most 2^53, times a power of two.
    let magnitude = (kept + u64::from(is_more)) as f64 * power_of_two(drop - shift - 1);
    if numerator < 0 { -magnitude } else { magnitude }
}

/// `2^exponent` within ±200.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

impl TryFrom<f64> for Rational {
    type Error = NotFinite;
    /// The exact value of a finite f64.
    fn try_from(value: f64) -> Result<Rational, NotFinite> {
        Dyadic::try_from(value).map(|dyadic| Rational::from(&dyadic))
    }
}

impl From<&Dyadic> for Rational {
    fn from(value: &Dyadic) -> Rational {
        let shift = value.exponent().unsigned_abs() as usize;
        if value.exponent() >= 0 {
            Rational(RBig::from(&value.mantissa().0 << shift))
        } else {
            Rational(RBig::from_parts(
                value.mantissa().0.clone(),
                (Natural::ONE << shift).0,
            ))
        }
    }
}

impl From<Dyadic> for Rational {
    fn from(value: Dyadic) -> Rational {
        Rational::from(&value)
    }
}

impl From<i64> for Rational {
    fn from(value: i64) -> Rational {
        Rational(RBig::from(value))
    }
}

impl From<u64> for Rational {
    fn from(value: u64) -> Rational {
        Rational(RBig::from(value))
    }
}

impl From<Integer> for Rational {
    fn from(value: Integer) -> Rational {
        Rational(RBig::from(value.0))
    }
}

impl FromStr for Rational {
    type Err = ParseRationalError;

    /// Reads a decimal (`-12.5e-3`) or a fraction of two (`1/3`), exactly.
    fn from_str(text: &str) -> Result<Rational, ParseRationalError> {
        let trimmed = text.trim();
        match trimmed.split_once('/') {
            None => parse_decimal(trimmed),
            Some((numerator, denominator)) => {
                let denominator = parse_decimal(denominator.trim())?;
                if denominator.is_zero() {
                    return Err(ParseRationalError::ZeroDenominator(excerpt(trimmed)));
                }
                Ok(&parse_decimal(numerator.trim())? / &denominator)
            }
        }
    }
}

fn parse_decimal(text: &str) -> Result<Rational, ParseRationalError> {
    let syntax = || ParseRationalError::Syntax(excerpt(text));
    let range = || ParseRationalError::Range(excerpt(text));
    let (negative, unsigned) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let (digits, exponent) = match unsigned.split_once(['e', 'E']) {
        None => (unsigned, 0),
        Some((digits, exponent)) => {
            let unsigned_exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            if unsigned_exponent.is_empty()
                || !unsigned_exponent.bytes().all(|b| b.is_ascii_digit())
            {
                return Err(syntax());
            }
            (digits, exponent.parse::<i64>().map_err(|_| range())?)
        }
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.len() + fraction.len() == 0
        || !whole
            .bytes()
            .chain(fraction.bytes())
            .all(|b| b.is_ascii_digit())
    {
        return Err(syntax());
    }
    if whole.len() + fraction.len() > DECIMAL_LIMIT
        || exponent.unsigned_abs() > DECIMAL_LIMIT as u64
    {
        return Err(range());
    }
    let magnitude = Natural::of_digits(&format!("{whole}{fraction}")).ok_or_else(syntax)?;
    let tens = exponent - fraction.len() as i64;
    let power = Natural::from(10u8).pow(tens.unsigned_abs() as usize);
    let numerator = Integer::from_parts(negative, magnitude);
    Ok(if tens >= 0 {
        Rational::from(numerator * Integer::from(power))
    } else {
        Rational(RBig::from_parts(numerator.0, power.0))
    })
}

/// What an error message repeats of a text of any length.
fn excerpt(text: &str) -> String {
    match text.char_indices().nth(40) {
        None => text.to_owned(),
        Some((cut, _)) => format!("{}…", &text[..cut]),
    }
}

impl fmt::Display for Rational {
    /// The decimal if it ends, else the fraction; either reads back to the same number, up to the
    /// 5000 digits that are read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (negative, magnitude) = self.numerator().into_parts();
        let sign = if negative { "-" } else { "" };
        let denominator = self.denominator();
        let twos = denominator.trailing_zeros().unwrap_or(0);
        let mut rest = &denominator >> twos;
        let mut fives = 0;
        let five = Natural::from(5u8);
        while rest.is_multiple_of(&five) {
            rest /= &five;
            fives += 1;
        }
        if rest != Natural::ONE {
            return f.pad(&format!("{sign}{magnitude}/{denominator}"));
        }
        let places = twos.max(fives);
        let scaled = magnitude * Natural::from(2u8).pow(places - twos) * five.pow(places - fives);
        if places == 0 {
            return f.pad(&format!("{sign}{scaled}"));
        }
        let digits = format!("{:0>width$}", scaled.to_string(), width = places + 1);
        let (whole, fraction) = digits.split_at(digits.len() - places);
        f.pad(&format!("{sign}{whole}.{fraction}"))
    }
}

impl fmt::Debug for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident) => {
        impl $trait for &Rational {
            type Output = Rational;
            fn $method(self, other: &Rational) -> Rational {
                Rational((&self.0).$method(&other.0))
            }
        }
        impl $trait for Rational {
            type Output = Rational;
            fn $method(self, other: Rational) -> Rational {
                Rational(self.0.$method(other.0))
            }
        }
    };
}
operator!(Add, add);
operator!(Sub, sub);
operator!(Mul, mul);
operator!(Div, div);

impl Neg for &Rational {
    type Output = Rational;
    fn neg(self) -> Rational {
        Rational(-self.0.clone())
    }
}

impl Neg for Rational {
    type Output = Rational;
    fn neg(self) -> Rational {
        Rational(-self.0)
    }
}

#[cfg(test)]
mod tests;
