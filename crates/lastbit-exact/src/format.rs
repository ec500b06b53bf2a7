mod ln;

use crate::{
    Dyadic, EXP_ARGUMENT_BITS, Enclosure, Integer, Natural, Rational, Rounding, exp_enclosure,
    ln_enclosure,
};

/// Binary floating point of `p` significant bits and unbounded exponent: `fl_p` and its directed
/// kin.
///
/// Values are [`Dyadic`]s of at most `p` significant bits. Every operation is correctly rounded:
/// the result is the exact result rounded once in the given direction. Operands may have more than
/// `p` bits; they are taken exactly.
///
/// ```
/// use lastbit_exact::{Dyadic, Format, Rounding};
/// let format = Format::new(118)?;
/// let third = format.div(&Dyadic::ONE, &Dyadic::from(3), Rounding::Down)?;
/// assert!(format.mul(&third, &Dyadic::from(3), Rounding::Up) <= Dyadic::ONE);
/// assert_eq!(format.ln(&Dyadic::ONE, Rounding::Up)?, Dyadic::ZERO);
/// # Ok::<(), lastbit_exact::FormatError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    precision: u32,
}

/// Why a [`Format`] or one of its operations has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// A precision outside 2..=1000.
    #[error("a format has 2 to 1000 significant bits, got {0}")]
    Precision(u32),
    /// Division by zero.
    #[error("division by zero; test the divisor first")]
    DivisionByZero,
    /// A logarithm of zero or of a negative number.
    #[error("ln needs a positive number, got {0:?}")]
    LnDomain(Dyadic),
    /// An exponential of a number at or beyond ±2^40.
    #[error("exp needs an argument between -2^40 and 2^40, got {0:?}")]
    ExpRange(Dyadic),
}

impl Format {
    /// The precisions that [`Format::new`] takes.
    pub const PRECISIONS: core::ops::RangeInclusive<u32> = 2..=1000;
    /// The significand of binary64, `p = 53`.
    pub const BINARY64: Format = Format { precision: 53 };

    /// The format of `precision` significant bits.
    pub fn new(precision: u32) -> Result<Format, FormatError> {
        if Format::PRECISIONS.contains(&precision) {
            Ok(Format { precision })
        } else {
            Err(FormatError::Precision(precision))
        }
    }

    /// A format of more bits than the public ones have: the operations hold at every precision of 2
    /// or more.
    pub(crate) const fn of_any_precision(precision: u32) -> Format {
        Format { precision }
    }

    /// The number of significant bits, `p`.
    pub const fn precision(self) -> u32 {
        self.precision
    }

    /// `η = 2^-p`: rounding to nearest changes a number by at most this much of itself.
    pub fn unit_roundoff(self) -> Dyadic {
        Dyadic::power_of_two(-i64::from(self.precision))
    }

    /// Whether the number has at most `p` significant bits.
    pub fn contains(self, x: &Dyadic) -> bool {
        x.mantissa().bit_len() <= self.bits()
    }

    /// The number rounded to this format; the contract of [`Dyadic::round`].
    pub fn round(self, x: &Dyadic, rounding: Rounding) -> Dyadic {
        x.round(self.bits(), rounding)
    }

    /// The rational rounded to this format; the contract of [`Dyadic::round`].
    pub fn round_rational(self, x: &Rational, rounding: Rounding) -> Dyadic {
        x.round(self.bits(), rounding)
    }

    /// `x + y`, correctly rounded. Memory is bounded by the operands' own length, whatever their
    /// exponents.
    pub fn add(self, x: &Dyadic, y: &Dyadic, rounding: Rounding) -> Dyadic {
        let (Some(x_top), Some(y_top)) = (x.floor_log2(), y.floor_log2()) else {
            return self.round(if x.is_zero() { y } else { x }, rounding);
        };
        let (large, large_top, small, small_top) = if x_top >= y_top {
            (x, x_top, y, y_top)
        } else {
            (y, y_top, x, x_top)
        };
        // Say |small| < 2^step. `large` is a multiple of 2^step; so are all numbers of the format,
        // and all midpoints of two neighbours, of size at least 2^(large_top − 1), which the sum
        // has. So the sum lies strictly between two multiples of 2^step, nothing that rounding
        // tells apart is between them, and any other number there rounds alike.
        let step = large
            .exponent()
            .min(large_top - 2 - i64::from(self.precision));
        if small_top < step {
            let half = Dyadic::power_of_two(step - 1);
            let stand_in = if small.is_negative() { -&half } else { half };
            return self.round(&(large + &stand_in), rounding);
        }
        self.round(&(x + y), rounding)
    }

    /// `x − y`, correctly rounded, as [`Format::add`].
    pub fn sub(self, x: &Dyadic, y: &Dyadic, rounding: Rounding) -> Dyadic {
        self.add(x, &-y, rounding)
    }

    /// `x · y`, correctly rounded.
    pub fn mul(self, x: &Dyadic, y: &Dyadic, rounding: Rounding) -> Dyadic {
        self.round(&(x * y), rounding)
    }

    /// `x / y`, correctly rounded.
    pub fn div(self, x: &Dyadic, y: &Dyadic, rounding: Rounding) -> Result<Dyadic, FormatError> {
        if y.is_zero() {
            return Err(FormatError::DivisionByZero);
        }
        if x.is_zero() {
            return Ok(Dyadic::ZERO);
        }
        let (x_negative, dividend) = x.mantissa().clone().into_parts();
        let (y_negative, divisor) = y.mantissa().clone().into_parts();
        // A quotient of at least p + 1 bits holds every midpoint; one more bit says whether the
        // rest is zero.
        let shift = (self.bits() + 1 + divisor.bit_len()).saturating_sub(dividend.bit_len());
        let (quotient, remainder) = (dividend << shift).div_rem(divisor);
        let sticky = (quotient << 1) + Natural::from(!remainder.is_zero());
        let exact_enough = Dyadic::new(
            Integer::from_parts(x_negative != y_negative, sticky),
            x.exponent() - y.exponent() - 1 - shift as i64,
        );
        Ok(self.round(&exact_enough, rounding))
    }

    /// `ln x`, correctly rounded, for `x > 0` of any exponent.
    pub fn ln(self, x: &Dyadic, rounding: Rounding) -> Result<Dyadic, FormatError> {
        if !x.is_positive() {
            return Err(FormatError::LnDomain(x.clone()));
        }
        if *x == Dyadic::ONE {
            return Ok(Dyadic::ZERO);
        }
        if let Some(result) = ln::by_limbs(x, self.precision, rounding) {
            return Ok(result);
        }
        // 2^top ≤ |ln x|, so 2^top times a relative precision is an absolute one.
        let top = ln_magnitude(x);
        Ok(self.refine(rounding, |relative| {
            ln_enclosure(x, (i64::from(relative) - top).max(0) as u32)
        }))
    }

    /// `e^x`, correctly rounded, for `|x| < 2^40`.
    pub fn exp(self, x: &Dyadic, rounding: Rounding) -> Result<Dyadic, FormatError> {
        let Some(top) = x.floor_log2() else {
            return Ok(Dyadic::ONE);
        };
        if top >= i64::from(EXP_ARGUMENT_BITS) {
            return Err(FormatError::ExpRange(x.clone()));
        }
        let p = i64::from(self.precision);
        if top < -p - 2 {
            // 0 < |e^x − 1| < 2^-(p+1), on the side of x's sign: strictly between 1 and the
            // midpoint next to it, which is 1 + 2^-p above and 1 − 2^-(p+1) below. So is 1 ±
            // 2^-(p+2).
            let little = Dyadic::power_of_two(-p - 2);
            let beside_one = if x.is_negative() {
                &Dyadic::ONE - &little
            } else {
                &Dyadic::ONE + &little
            };
            return Ok(self.round(&beside_one, rounding));
        }
        Ok(self.refine(rounding, |relative| exp_enclosure(x, relative)))
    }

    /// Ziv's loop: the first enclosure whose ends round alike gives the result.
    ///
    /// It ends because the value is never a number of the format or a midpoint: by Lindemann's
    /// theorem `ln x` (`x ≠ 1`) and `e^x` (`x ≠ 0`) are transcendental at rational `x`, so the
    /// value has a positive distance from every dyadic.
    fn refine(self, rounding: Rounding, enclose: impl Fn(u32) -> Enclosure) -> Dyadic {
        // A random value is undecided with probability about 2^-guard.
        let mut guard = 10;
        loop {
            let enclosure = enclose(self.precision + guard);
            if let Some(result) = enclosure.round(self.bits(), rounding) {
                return result;
            }
            guard *= 3;
        }
    }

    fn bits(self) -> usize {
        self.precision as usize
    }
}

/// Some `e` with `2^e ≤ |ln x|`, within 3 of the largest such, for positive `x ≠ 1`.
fn ln_magnitude(x: &Dyadic) -> i64 {
    let t = x.floor_log2().expect("x is positive");
    if t == 0 || t == -1 {
        // 1/2 ≤ x < 2, so |ln(1 + d)| ≥ |d| ln 2 ≥ |d|/2.
        let d = x - &Dyadic::ONE;
        d.floor_log2().expect("x is not 1") - 1
    } else {
        // |log2 x| ≥ t for t ≥ 1 and > −t − 1 for t ≤ −2; ln 2 > 1/2.
        let octaves = if t > 0 { t } else { -t - 1 };
        i64::from(octaves.ilog2()) - 1
    }
}
