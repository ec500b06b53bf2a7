use core::cmp::Ordering;
use core::fmt;
use core::ops::{Add, Mul, Neg, Sub};

use crate::rounding::shift_right_rounded;
use crate::{Integer, Natural, Rounding};

/// An exact binary number `mantissa · 2^exponent`.
///
/// Canonical: the mantissa is odd, or the number is zero with exponent 0; so `==` on fields is `==`
/// on values. The exponent is within ±2^61, which no f64 or decimal comes near; an operation that
/// would leave that range panics.
///
/// Sums, [`floor_in`](Dyadic::floor_in) and conversions to [`Rational`](crate::Rational) are exact,
/// so they take as many bits as the exponents are apart; comparison, rounding and
/// [`Format`](crate::Format) do not.
///
/// ```
/// use lastbit_exact::Dyadic;
/// let half = Dyadic::try_from(0.5).unwrap();
/// assert_eq!(&half + &half, Dyadic::from(1));
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Dyadic {
    mantissa: Integer,
    exponent: i64,
}

/// A NaN or an infinity where a finite number was needed.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{0} is not a finite number")]
pub struct NotFinite(pub f64);

/// The largest magnitude of an exponent.
const EXPONENT_LIMIT: u64 = 1 << 61;

impl Dyadic {
    /// Zero.
    pub const ZERO: Dyadic = Dyadic {
        mantissa: Integer::ZERO,
        exponent: 0,
    };
    /// One.
    pub const ONE: Dyadic = Dyadic {
        mantissa: Integer::ONE,
        exponent: 0,
    };

    /// `mantissa · 2^exponent`, made canonical.
    pub fn new(mantissa: impl Into<Integer>, exponent: i64) -> Dyadic {
        let mantissa = mantissa.into();
        match mantissa.trailing_zeros() {
            None => Dyadic::ZERO,
            Some(0) => Dyadic::odd(mantissa, exponent),
            Some(zeros) => Dyadic::odd(mantissa >> zeros, exponent.saturating_add(zeros as i64)),
        }
    }

    /// `mantissa · 2^exponent` for an odd mantissa.
    fn odd(mantissa: Integer, exponent: i64) -> Dyadic {
        // With this, sums and differences of two exponents, and of an exponent and a bit length,
        // fit an i64.
        assert!(
            exponent.unsigned_abs() <= EXPONENT_LIMIT,
            "the binary exponent {exponent} is beyond ±2^61"
        );
        Dyadic { mantissa, exponent }
    }

    /// `2^exponent`.
    pub fn power_of_two(exponent: i64) -> Dyadic {
        Dyadic::odd(Integer::ONE, exponent)
    }

    /// The odd mantissa (zero for zero).
    pub fn mantissa(&self) -> &Integer {
        &self.mantissa
    }

    /// The exponent of the odd mantissa.
    pub fn exponent(&self) -> i64 {
        self.exponent
    }

    /// Whether this is zero.
    pub fn is_zero(&self) -> bool {
        self.mantissa.is_zero()
    }

    /// Whether this is below zero.
    pub fn is_negative(&self) -> bool {
        self.mantissa.is_negative()
    }

    /// Whether this is above zero.
    pub fn is_positive(&self) -> bool {
        !self.is_zero() && !self.is_negative()
    }

    /// The magnitude.
    pub fn abs(&self) -> Dyadic {
        if self.is_negative() {
            -self
        } else {
            self.clone()
        }
    }

    /// `floor(log2 |self|)`; `None` for zero.
    pub fn floor_log2(&self) -> Option<i64> {
        (!self.is_zero()).then(|| self.exponent + self.mantissa.bit_len() as i64 - 1)
    }

    /// `self · 2^by`, exactly.
    pub fn times_power_of_two(&self, by: i64) -> Dyadic {
        if self.is_zero() {
            Dyadic::ZERO
        } else {
            Dyadic::odd(self.mantissa.clone(), self.exponent.saturating_add(by))
        }
    }

    /// `floor(self · 2^-exponent)`: how many whole steps of `2^exponent` lie at or below this
    /// number.
    pub fn floor_in(&self, exponent: i64) -> Integer {
        let shift = self.exponent.saturating_sub(exponent);
        if shift >= 0 {
            &self.mantissa << shift as usize
        } else {
            // A shift to the right rounds toward −∞.
            &self.mantissa >> shift.unsigned_abs() as usize
        }
    }

    /// `ceil(self · 2^-exponent)`.
    pub fn ceil_in(&self, exponent: i64) -> Integer {
        -((-self).floor_in(exponent))
    }

    /// The nearest multiple of `2^exponent`, ties toward +∞, counted in steps:
    /// `floor(self/2^exponent + 1/2)`.
    pub fn round_in(&self, exponent: i64) -> Integer {
        // floor(2x + 1) >> 1 = floor(x + 1/2).
        (self.floor_in(exponent.saturating_sub(1)) + Integer::ONE) >> 1
    }

    /// Rounded to `precision` significant bits, exponent unbounded.
    ///
    /// Contract: `Up` gives `result ≥ self`, `Down` gives `result ≤ self`, nearest is off by at
    /// most half a unit in the last place, toward zero gives `|result| ≤ |self|`; the result has at
    /// most `precision` significant bits.
    pub fn round(&self, precision: usize, rounding: Rounding) -> Dyadic {
        let bits = self.mantissa.bit_len();
        if bits <= precision {
            return self.clone();
        }
        let drop = bits - precision;
        // The mantissa is odd, so the floor cuts something; the fraction it cuts is one half only
        // if it is a single bit.
        let floor = &self.mantissa >> drop;
        let ceil_is_nearest = if drop == 1 {
            floor.bit(0)
        } else {
            self.mantissa.bit(drop - 1)
        };
        let up = match rounding {
            Rounding::Up => true,
            Rounding::Down => false,
            Rounding::TowardZero => self.is_negative(),
            Rounding::NearestEven => ceil_is_nearest,
        };
        let kept = if up { floor + Integer::ONE } else { floor };
        Dyadic::new(kept, self.exponent + drop as i64)
    }

    /// The f64 in the given direction, with IEEE overflow and gradual underflow; zero is `+0.0`.
    ///
    /// ```
    /// use lastbit_exact::{Dyadic, Rounding};
    /// let tiny = Dyadic::power_of_two(-2000);
    /// assert_eq!(tiny.to_f64(Rounding::Up), 5e-324);
    /// assert_eq!(tiny.to_f64(Rounding::Down), 0.0);
    /// ```
    pub fn to_f64(&self, rounding: Rounding) -> f64 {
        let Some(top) = self.floor_log2() else {
            return 0.0;
        };
        let (negative, magnitude) = self.mantissa.clone().into_parts();
        let direction = rounding.of_magnitude(negative);
        let sign = if negative { -1.0 } else { 1.0 };
        if top > 1023 {
            return match direction {
                crate::rounding::Magnitude::Truncate => sign * f64::MAX,
                _ => sign * f64::INFINITY,
            };
        }
        // The last place of the result: 52 below the top bit, never below 2^-1074.
        let last = (top - 52).max(-1074);
        let shift = self.exponent - last;
        let steps: Natural = if shift >= 0 {
            magnitude << shift as usize // at most 53 bits
        } else {
            let drop = shift.unsigned_abs() as usize;
            if drop > magnitude.bit_len() + 1 {
                // Below a quarter of the smallest step; only "away" sees it.
                return match direction {
                    crate::rounding::Magnitude::Away => sign * f64::from_bits(1),
                    _ => 0.0,
                };
            }
            shift_right_rounded(&magnitude, drop, direction)
        };
        // steps ≤ 2^53, so the conversion is exact; ldexp in two exact factors, overflow to
        // infinity is correct.
        let steps = u64::try_from(steps).expect("at most 2^53 steps") as f64;
        let value = if last >= -1022 {
            steps * power_of_two_f64(last)
        } else {
            // last ≥ −1074: 2^last as a product of two normal numbers; the result is a multiple of
            // 2^-1074, so exact.
            steps * power_of_two_f64(last + 200) * power_of_two_f64(-200)
        };
        if value == 0.0 { 0.0 } else { sign * value }
    }
}

/// `2^exponent` for a normal exponent.
fn power_of_two_f64(exponent: i64) -> f64 {
    debug_assert!((-1022..=1023).contains(&exponent));
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

impl TryFrom<f64> for Dyadic {
    type Error = NotFinite;
    /// The exact value of a finite f64; `-0.0` is zero.
    fn try_from(value: f64) -> Result<Dyadic, NotFinite> {
        if !value.is_finite() {
            return Err(NotFinite(value));
        }
        let bits = value.to_bits();
        let biased = (bits >> 52 & 0x7ff) as i64;
        let fraction = (bits & ((1 << 52) - 1)) as i64;
        let (mantissa, exponent) = if biased == 0 {
            (fraction, -1074)
        } else {
            (fraction | 1 << 52, biased - 1075)
        };
        let mantissa = if value.is_sign_negative() {
            -mantissa
        } else {
            mantissa
        };
        Ok(Dyadic::new(mantissa, exponent))
    }
}

impl From<i64> for Dyadic {
    fn from(value: i64) -> Dyadic {
        Dyadic::new(value, 0)
    }
}

impl From<Integer> for Dyadic {
    fn from(value: Integer) -> Dyadic {
        Dyadic::new(value, 0)
    }
}

impl Add for &Dyadic {
    type Output = Dyadic;
    fn add(self, other: &Dyadic) -> Dyadic {
        if self.is_zero() {
            return other.clone();
        }
        if other.is_zero() {
            return self.clone();
        }
        let exponent = self.exponent.min(other.exponent);
        Dyadic::new(self.floor_in(exponent) + other.floor_in(exponent), exponent)
    }
}

impl Sub for &Dyadic {
    type Output = Dyadic;
    fn sub(self, other: &Dyadic) -> Dyadic {
        self + &-other
    }
}

impl Mul for &Dyadic {
    type Output = Dyadic;
    fn mul(self, other: &Dyadic) -> Dyadic {
        if self.is_zero() || other.is_zero() {
            return Dyadic::ZERO;
        }
        // A product of odd numbers is odd.
        Dyadic::odd(
            &self.mantissa * &other.mantissa,
            self.exponent + other.exponent,
        )
    }
}

impl Neg for &Dyadic {
    type Output = Dyadic;
    fn neg(self) -> Dyadic {
        Dyadic {
            mantissa: -&self.mantissa,
            exponent: self.exponent,
        }
    }
}

impl Ord for Dyadic {
    fn cmp(&self, other: &Dyadic) -> Ordering {
        let sign = |x: &Dyadic| (x.is_positive() as i8) - (x.is_negative() as i8);
        let by_sign = sign(self).cmp(&sign(other));
        if by_sign != Ordering::Equal || self.is_zero() {
            return by_sign;
        }
        let by_size = self.floor_log2().cmp(&other.floor_log2());
        if by_size != Ordering::Equal {
            return if self.is_negative() {
                by_size.reverse()
            } else {
                by_size
            };
        }
        // Equal leading bits: the exponents differ by no more than a mantissa's length.
        let exponent = self.exponent.min(other.exponent);
        self.floor_in(exponent).cmp(&other.floor_in(exponent))
    }
}

impl PartialOrd for Dyadic {
    fn partial_cmp(&self, other: &Dyadic) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for Dyadic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}·2^{}", self.mantissa, self.exponent)
    }
}
