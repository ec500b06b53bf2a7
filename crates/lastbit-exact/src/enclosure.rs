//! Rigorous enclosures of `ln` and `exp` to any precision, on big integers alone.
//!
//! Each is a fixed-point computation in units of `2^-w` whose integer operations are exact or floor; the error of every
//! floor is counted in units, and the count is added on both sides at the end. The counts are derived beside the code.

use crate::{Dyadic, Rounding};

mod constants;
mod exp;
mod ln;

pub use exp::{EXP_ARGUMENT_BITS, exp_enclosure};
pub use ln::ln_enclosure;

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

    /// The enclosed value rounded to `precision` significant bits, if the enclosure is narrow enough to decide it.
    ///
    /// Rounding is monotone, so ends that round alike pin down everything between them.
    pub fn round(&self, precision: usize, rounding: Rounding) -> Option<Dyadic> {
        let lo = self.lo.round(precision, rounding);
        (lo == self.hi.round(precision, rounding)).then_some(lo)
    }
}

/// A real known in fixed point: `|real · 2^w − value| ≤ error`, the `w` being the caller's.
struct Fixed {
    value: crate::IBig,
    error: u64,
}

impl Fixed {
    /// The enclosure of the real, shifted by `exponent = −w` (or more, for a real scaled by a power of two).
    fn enclosure(self, exponent: i64) -> Enclosure {
        let error = crate::IBig::from(self.error);
        Enclosure {
            lo: Dyadic::new(&self.value - &error, exponent),
            hi: Dyadic::new(self.value + error, exponent),
        }
    }
}
