//! Rigorous enclosures of `ln` and `exp` to any precision, on big integers alone.
//!
//! Each is a fixed-point computation in units of `2^-w` whose integer operations are exact or
//! floor; the error of every floor is counted in units, and the count is added on both sides at the
//! end. The counts are derived beside the code.

use core::ops::Neg;

use crate::{Dyadic, Interval, Rounding};

mod constants;
mod exp;
mod ln;
mod outward;
mod wide;

pub use exp::{EXP_ARGUMENT_BITS, exp_enclosure};
pub use ln::ln_enclosure;
pub use outward::Outward;
pub use wide::Wide;

/// Two numbers with a real between them: `lo ≤ value ≤ hi`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enclosure {
    lo: Dyadic,
    hi: Dyadic,
}

impl Enclosure {
    /// `[lo, hi]`; `None` if `lo > hi`.
    pub fn new(lo: Dyadic, hi: Dyadic) -> Option<Enclosure> {
        (lo <= hi).then_some(Enclosure { lo, hi })
    }

    /// The enclosure of a number by itself.
    pub fn exact(value: Dyadic) -> Enclosure {
        Enclosure {
            lo: value.clone(),
            hi: value,
        }
    }

    /// Any number between the two, whichever is the larger.
    pub fn between(one: Dyadic, other: Dyadic) -> Enclosure {
        if one <= other {
            Enclosure { lo: one, hi: other }
        } else {
            Enclosure { lo: other, hi: one }
        }
    }

    /// The lower end: `lo ≤ value`.
    pub fn lo(&self) -> &Dyadic {
        &self.lo
    }

    /// The upper end: `value ≤ hi`.
    pub fn hi(&self) -> &Dyadic {
        &self.hi
    }

    /// `hi − lo`, exactly.
    pub fn width(&self) -> Dyadic {
        &self.hi - &self.lo
    }

    /// Whether `lo ≤ x ≤ hi`.
    pub fn contains(&self, x: &Dyadic) -> bool {
        &self.lo <= x && x <= &self.hi
    }

    /// The enclosed value rounded to `precision` significant bits, if the enclosure is narrow
    /// enough to decide it.
    ///
    /// Rounding is monotone, so ends that round alike pin down everything between them.
    pub fn round(&self, precision: usize, rounding: Rounding) -> Option<Dyadic> {
        let lo = self.lo.round(precision, rounding);
        (lo == self.hi.round(precision, rounding)).then_some(lo)
    }

    /// `value · 2^by`, exactly.
    pub fn times_power_of_two(&self, by: i64) -> Enclosure {
        Enclosure {
            lo: self.lo.times_power_of_two(by),
            hi: self.hi.times_power_of_two(by),
        }
    }

    /// `|value|`.
    pub fn abs(&self) -> Enclosure {
        if self.lo.is_negative() && self.hi.is_positive() {
            Enclosure {
                lo: Dyadic::ZERO,
                hi: self.hi.clone().max(-&self.lo),
            }
        } else if self.lo.is_negative() {
            -self
        } else {
            self.clone()
        }
    }

    /// The smallest enclosure of both.
    pub fn hull(&self, other: &Enclosure) -> Enclosure {
        Enclosure {
            lo: self.lo.clone().min(other.lo.clone()),
            hi: self.hi.clone().max(other.hi.clone()),
        }
    }

    /// `max(value, floor)`.
    pub fn at_least(self, floor: &Dyadic) -> Enclosure {
        Enclosure {
            lo: self.lo.max(floor.clone()),
            hi: self.hi.max(floor.clone()),
        }
    }

    /// `min(value, ceiling)`.
    pub fn at_most(self, ceiling: &Dyadic) -> Enclosure {
        Enclosure {
            lo: self.lo.min(ceiling.clone()),
            hi: self.hi.min(ceiling.clone()),
        }
    }

    /// The smallest f64 interval around it.
    pub fn to_interval(&self) -> Interval {
        // A lower end below every double rounds to −∞ and one above every double to MAX, so the
        // ends are always in order and legal; the whole line would be sound too.
        Interval::new(self.lo.to_f64(Rounding::Down), self.hi.to_f64(Rounding::Up))
            .unwrap_or(Interval::WHOLE)
    }
}

impl Neg for &Enclosure {
    type Output = Enclosure;
    fn neg(self) -> Enclosure {
        Enclosure {
            lo: -&self.hi,
            hi: -&self.lo,
        }
    }
}

/// A real known in fixed point: `|real · 2^w − value| ≤ error`, the `w` being the caller's.
struct Fixed {
    value: crate::Integer,
    error: u64,
}

impl Fixed {
    /// The enclosure of the real, shifted by `exponent = −w` (or more, for a real scaled by a power
    /// of two).
    fn enclosure(self, exponent: i64) -> Enclosure {
        let error = crate::Integer::from(self.error);
        Enclosure {
            lo: Dyadic::new(&self.value - &error, exponent),
            hi: Dyadic::new(self.value + error, exponent),
        }
    }
}
