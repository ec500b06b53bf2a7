//! Interval arithmetic with ends of bounded length, and the widening of a rounded operation.

use lastbit_exact::{Dyadic, Enclosure, Format, IBig, Rational, Rounding};

use super::InputError;
use crate::language::{Diagnostic, Position, Ties};

/// Numbers have a size between 2^-this and 2^this: products and quotients of two then have an exponent that a [`Dyadic`] can hold.
pub(super) const EXPONENT_LIMIT: i64 = 1 << 40;

/// The arithmetic of intervals whose ends have at most this many bits, rounded outward.
#[derive(Clone, Copy, Debug)]
pub(super) struct Intervals(pub(super) Format);

impl Intervals {
    /// Ends of `bits` bits, or of as many as a format may have.
    pub(super) fn of_bits(bits: u32) -> Intervals {
        let bits = bits.clamp(*Format::PRECISIONS.start(), *Format::PRECISIONS.end());
        Intervals(Format::new(bits).expect("the precision was clamped to those that exist"))
    }

    pub(super) fn rational(self, x: &Rational) -> Enclosure {
        ends(
            self.0.round_rational(x, Rounding::Down),
            self.0.round_rational(x, Rounding::Up),
        )
    }

    pub(super) fn add(self, x: &Enclosure, y: &Enclosure) -> Enclosure {
        ends(
            self.0.add(x.lo(), y.lo(), Rounding::Down),
            self.0.add(x.hi(), y.hi(), Rounding::Up),
        )
    }

    pub(super) fn mul(self, x: &Enclosure, y: &Enclosure) -> Enclosure {
        self.corners(x, y, |a, b, rounding| self.0.mul(a, b, rounding))
    }

    /// `x / y`; `None` if 0 is in y.
    pub(super) fn div(self, x: &Enclosure, y: &Enclosure) -> Option<Enclosure> {
        let off_zero = y.lo().is_positive() || y.hi().is_negative();
        off_zero.then(|| {
            self.corners(x, y, |a, b, rounding| {
                self.0.div(a, b, rounding).expect("y keeps off 0")
            })
        })
    }

    /// `ln x`; `None` unless x is positive.
    pub(super) fn ln(self, x: &Enclosure) -> Option<Enclosure> {
        let lo = self.0.ln(x.lo(), Rounding::Down).ok()?;
        Some(ends(lo, self.0.ln(x.hi(), Rounding::Up).ok()?))
    }

    /// An operation that is monotone in each argument for each value of the other has its extremes at the ends.
    fn corners(
        self,
        x: &Enclosure,
        y: &Enclosure,
        operation: impl Fn(&Dyadic, &Dyadic, Rounding) -> Dyadic,
    ) -> Enclosure {
        let all = |rounding| {
            let operation = &operation;
            let pairs = [
                (x.lo(), y.lo()),
                (x.lo(), y.hi()),
                (x.hi(), y.lo()),
                (x.hi(), y.hi()),
            ];
            let needed = if x.lo() == x.hi() && y.lo() == y.hi() {
                1
            } else {
                4
            };
            pairs
                .into_iter()
                .take(needed)
                .map(move |(a, b)| operation(a, b, rounding))
        };
        ends(
            all(Rounding::Down).min().expect("at least one corner"),
            all(Rounding::Up).max().expect("at least one corner"),
        )
    }

    /// All of x, and what rounding its numbers to nearest in a format with `unit_roundoff` η can give.
    ///
    /// Let t > 0 and 2^e ≤ t < 2^(e+1). The nearest number of the format is at most half a last place, `η·2^e`, from t, and
    /// is at least 2^e; so `|fl(t) − t| ≤ η·min(t, fl(t))`. Hence `fl(t) ≤ (1+η)t` and `t ≤ (1+η)fl(t)`: `fl(t)` is in
    /// `[t/(1+η), t(1+η)]`. As fl is odd, for t < 0 it is in `[t(1+η), t/(1+η)]`; and fl(0) = 0. So each end moves away from the
    /// middle according to its own sign: a positive lower end is divided, a negative one multiplied, and an upper end the
    /// other way round.
    pub(super) fn widen(self, x: &Enclosure, unit_roundoff: &Dyadic) -> Enclosure {
        let factor = &Dyadic::ONE + unit_roundoff;
        let outward = |end: &Dyadic, rounding: Rounding, away_from_zero: bool| {
            if end.is_zero() {
                Dyadic::ZERO
            } else if away_from_zero {
                self.0.mul(end, &factor, rounding)
            } else {
                self.0.div(end, &factor, rounding).expect("1 + η is not 0")
            }
        };
        ends(
            outward(x.lo(), Rounding::Down, x.lo().is_negative()),
            outward(x.hi(), Rounding::Up, x.hi().is_positive()),
        )
    }
}

/// `−x`.
pub(super) fn negate(x: &Enclosure) -> Enclosure {
    ends(-x.hi(), -x.lo())
}

/// The smallest interval that holds both.
pub(super) fn hull(x: &Enclosure, y: &Enclosure) -> Enclosure {
    ends(x.lo().min(y.lo()).clone(), x.hi().max(y.hi()).clone())
}

/// `clamp(x, b)` for every b in `bound`, which is positive: a nonnegative x gives `min(x, b)`, which grows with b, a negative one
/// `max(x, −b)`, which falls; and both grow with x.
pub(super) fn clamp(x: &Enclosure, bound: &Enclosure) -> Enclosure {
    let least = |lo: &Dyadic, bound: &Enclosure| {
        if lo.is_negative() {
            lo.max(&-bound.hi()).clone()
        } else {
            lo.min(bound.lo()).clone()
        }
    };
    ends(least(x.lo(), bound), -&least(&-x.hi(), bound))
}

/// Every number of x rounded to a multiple of `2^exponent`: rounding to a grid is monotone whatever it does with ties.
pub(super) fn round(x: &Enclosure, exponent: i64, ties: Ties) -> Enclosure {
    ends(
        round_number(x.lo(), exponent, ties),
        round_number(x.hi(), exponent, ties),
    )
}

/// The nearest multiple of `2^exponent`.
pub(super) fn round_number(x: &Dyadic, exponent: i64, ties: Ties) -> Dyadic {
    let Some(top) = x.floor_log2() else {
        return Dyadic::ZERO;
    };
    if x.exponent() >= exponent {
        return x.clone(); // a multiple already
    }
    if top < exponent - 1 {
        return Dyadic::ZERO; // below half a step
    }
    let up = x.round_in(exponent);
    // The mantissa is odd, so half-way is where the last bit is worth half a step.
    let tie = x.exponent() == exponent - 1;
    let down_instead = tie
        && match ties {
            Ties::Up => false,
            Ties::Even => (&up & IBig::ONE) == IBig::ONE,
            Ties::Away => x.is_negative(),
        };
    Dyadic::new(if down_instead { up - IBig::ONE } else { up }, exponent)
}

/// `Ok` if the ends can be computed with.
pub(super) fn check_size(name: &str, x: &Enclosure) -> Result<(), InputError> {
    if has_size(x.lo()) && has_size(x.hi()) {
        Ok(())
    } else {
        Err(InputError::Size(name.to_owned()))
    }
}

/// The interval, if its ends can be computed with.
pub(super) fn sized(x: Enclosure, at: Position) -> Result<Enclosure, Diagnostic> {
    if has_size(x.lo()) && has_size(x.hi()) {
        Ok(x)
    } else {
        Err(out_of_size(at))
    }
}

/// Whether the size is between `2^±EXPONENT_LIMIT`, and the exponent not far below it.
pub(super) fn has_size(x: &Dyadic) -> bool {
    x.floor_log2()
        .is_none_or(|top| top.abs() <= EXPONENT_LIMIT && x.exponent().abs() <= 2 * EXPONENT_LIMIT)
}

pub(super) fn out_of_size(at: Position) -> Diagnostic {
    Diagnostic::new(
        at,
        format!("this number is beyond 2^±{EXPONENT_LIMIT} in size"),
        "use parameters and inputs of moderate size",
    )
}

pub(super) fn ends(lo: Dyadic, hi: Dyadic) -> Enclosure {
    Enclosure::new(lo, hi).expect("lower ends are rounded down and upper ends up")
}
