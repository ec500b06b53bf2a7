//! What the language adds to interval arithmetic: rounded operations, clamps, grids, limits of
//! size.

use lastbit_exact::{Dyadic, Enclosure, Format, Integer, Outward};

use super::InputError;
use crate::language::{Diagnostic, Position, Ties};

/// Numbers have a size between 2^-this and 2^this: products and quotients of two then have an
/// exponent that a [`Dyadic`] can hold.
pub(super) const EXPONENT_LIMIT: i64 = 1 << 40;

/// Interval arithmetic at a working precision that a format can have.
pub(super) fn arithmetic(bits: u32) -> Outward {
    Outward::new(bits.min(*Format::PRECISIONS.end()))
}

/// All of x, and what rounding its numbers to nearest in a format with `unit_roundoff` η can give.
///
/// Let t > 0 and 2^e ≤ t < 2^(e+1). The nearest number of the format is at most half a last place,
/// `η·2^e`, from t, and is at least 2^e; so `|fl(t) − t| ≤ η·min(t, fl(t))`. Hence `fl(t) ≤ (1+η)t`
/// and `t ≤ (1+η)fl(t)`: `fl(t)` is in `[t/(1+η), t(1+η)]`. As fl is odd, for t < 0 it is in
/// `[t(1+η), t/(1+η)]`; and fl(0) = 0. So each end moves away from the middle according to its own
/// sign: a positive lower end is divided, a negative one multiplied, and an upper end the other way
/// round.
pub(super) fn widen(arithmetic: Outward, x: &Enclosure, unit_roundoff: &Dyadic) -> Enclosure {
    let factor = &Dyadic::ONE + unit_roundoff;
    let factor = Enclosure::exact(factor);
    let outward = |end: &Dyadic, away_from_zero: bool| {
        let end = Enclosure::exact(end.clone());
        if away_from_zero {
            arithmetic.mul(&end, &factor)
        } else {
            arithmetic.div(&end, &factor).expect("1 + η is not 0")
        }
    };
    ends(
        outward(x.lo(), x.lo().is_negative()).lo().clone(),
        outward(x.hi(), x.hi().is_positive()).hi().clone(),
    )
}

/// `clamp(x, b)` for every b in `bound`, which is positive: a nonnegative x gives `min(x, b)`,
/// which grows with b, a negative one `max(x, −b)`, which falls; and both grow with x.
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

/// Every number of x rounded to a multiple of `2^exponent`: rounding to a grid is monotone whatever
/// it does with ties.
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
            Ties::Even => (&up & Integer::ONE) == Integer::ONE,
            Ties::Away => x.is_negative(),
        };
    Dyadic::new(if down_instead { up - Integer::ONE } else { up }, exponent)
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
