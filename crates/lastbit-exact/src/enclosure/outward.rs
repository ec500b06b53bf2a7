use super::{Enclosure, exp_enclosure, ln_enclosure};
use crate::{Dyadic, Format, Rational, Rounding};

/// Interval arithmetic with ends of at most `bits` significant bits, rounded outward.
///
/// Contract of every operation `f`: if `x` and `y` lie in the arguments and `f(x, y)` is defined,
/// it lies in the result. Memory is bounded by the lengths of the ends, whatever their exponents.
///
/// [`Wide`](super::Wide) is the same with operators, for a number of bits that the program states.
///
/// ```
/// use lastbit_exact::{Dyadic, Enclosure, Outward, Rational};
/// let arithmetic = Outward::new(200);
/// let third = arithmetic.rational(&Rational::new(1, 3));
/// let one = arithmetic.mul(&third, &Enclosure::exact(Dyadic::from(3)));
/// assert!(one.contains(&Dyadic::ONE) && one.width() < Dyadic::power_of_two(-198));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outward {
    // Its operations hold at every precision of 2 bits or more.
    format: Format,
}

/// `e^x` for `x < −LARGEST_EXPONENT` is enclosed by `[0, 2^SMALLEST_POWER]`: `6000/ln 2 > 8192`.
const LARGEST_EXPONENT: u32 = 6000;
const SMALLEST_POWER: i64 = -8192;

impl Outward {
    /// Ends of at most `bits` bits; of 2 if `bits` is less.
    pub const fn new(bits: u32) -> Outward {
        let precision = if bits < 2 { 2 } else { bits };
        Outward {
            format: Format::of_any_precision(precision),
        }
    }

    /// How many bits an end has at most.
    pub const fn bits(self) -> u32 {
        self.format.precision()
    }

    /// `x`.
    pub fn rational(self, x: &Rational) -> Enclosure {
        self.ends(|rounding| self.format.round_rational(x, rounding))
    }

    /// `x`, with ends that are not too long.
    pub fn round(self, x: &Enclosure) -> Enclosure {
        Enclosure {
            lo: self.format.round(&x.lo, Rounding::Down),
            hi: self.format.round(&x.hi, Rounding::Up),
        }
    }

    /// `x + y`.
    pub fn add(self, x: &Enclosure, y: &Enclosure) -> Enclosure {
        Enclosure {
            lo: self.format.add(&x.lo, &y.lo, Rounding::Down),
            hi: self.format.add(&x.hi, &y.hi, Rounding::Up),
        }
    }

    /// `x − y`.
    pub fn sub(self, x: &Enclosure, y: &Enclosure) -> Enclosure {
        Enclosure {
            lo: self.format.sub(&x.lo, &y.hi, Rounding::Down),
            hi: self.format.sub(&x.hi, &y.lo, Rounding::Up),
        }
    }

    /// `x · y`.
    pub fn mul(self, x: &Enclosure, y: &Enclosure) -> Enclosure {
        if !x.lo.is_negative() && !y.lo.is_negative() {
            return self.round(&Enclosure {
                lo: &x.lo * &y.lo,
                hi: &x.hi * &y.hi,
            });
        }
        // The extremes of a product are at corners.
        let first = &x.lo * &y.lo;
        let (mut lo, mut hi) = (first.clone(), first);
        for corner in [&x.lo * &y.hi, &x.hi * &y.lo, &x.hi * &y.hi] {
            lo = lo.min(corner.clone());
            hi = hi.max(corner);
        }
        self.round(&Enclosure { lo, hi })
    }

    /// `x / y`; `None` if 0 is in y.
    pub fn div(self, x: &Enclosure, y: &Enclosure) -> Option<Enclosure> {
        if y.hi.is_negative() {
            return self.div(&-x, &-y);
        }
        if !y.lo.is_positive() {
            return None;
        }
        // Dividing by the lower end moves an end of x away from zero, by the upper end toward zero.
        let below = if x.lo.is_negative() { &y.lo } else { &y.hi };
        let above = if x.hi.is_negative() { &y.hi } else { &y.lo };
        Some(Enclosure {
            lo: self.format.div(&x.lo, below, Rounding::Down).ok()?,
            hi: self.format.div(&x.hi, above, Rounding::Up).ok()?,
        })
    }

    /// `√x` for every `x ≥ 0` inside; `None` if there is none.
    pub fn sqrt(self, x: &Enclosure) -> Option<Enclosure> {
        if x.hi.is_negative() {
            return None;
        }
        let root = |end: &Dyadic| {
            if end.is_positive() {
                self.root(end)
            } else {
                Enclosure::exact(Dyadic::ZERO)
            }
        };
        Some(Enclosure {
            lo: root(&x.lo).lo,
            hi: root(&x.hi).hi,
        })
    }

    /// `ln x`; `None` unless all of x is positive.
    pub fn ln(self, x: &Enclosure) -> Option<Enclosure> {
        Some(Enclosure {
            lo: self.format.ln(&x.lo, Rounding::Down).ok()?,
            hi: self.format.ln(&x.hi, Rounding::Up).ok()?,
        })
    }

    /// `ln(1/x)` for `0 < x ≤ 1`; relative width below `2^(3 − bits)`.
    ///
    /// # Panics
    /// Unless `x > 0`.
    pub fn ln_recip(self, x: &Rational) -> Enclosure {
        let bits = i64::from(self.bits());
        let gap = &Rational::ONE - x;
        let Some(top) = gap.round(8, Rounding::Down).floor_log2() else {
            return Enclosure::exact(Dyadic::ZERO);
        };
        if top < -bits {
            // gap ≤ −ln(1 − gap) ≤ gap + gap², and gap < 2^-bits.
            let gap = self.rational(&gap);
            let hi = &gap.hi + &gap.hi.times_power_of_two(-bits);
            return self.round(&Enclosure { lo: gap.lo, hi });
        }
        // ln(1/x) ≥ gap: that many bits more keep the width relative.
        let bits = self.bits() + (-top) as u32 + 2;
        // rounded ≤ x ≤ rounded(1 + 2^-(bits + 7)), so ln x is above ln rounded by at most
        // 2^-(bits + 7).
        let rounded = x.round(bits as usize + 8, Rounding::Down);
        let ln = ln_enclosure(&rounded, bits);
        let slack = Dyadic::power_of_two(-i64::from(bits) - 7);
        let lo = -&(ln.hi() + &slack);
        self.round(&Enclosure {
            lo: lo.max(Dyadic::ZERO),
            hi: -ln.lo(),
        })
    }

    /// `e^x` for `x < 2^40`; relative width below `2^(3 − bits)` unless `x < −6000` and
    /// `x < −bits`.
    ///
    /// # Panics
    /// If `x ≥ 2^40`.
    pub fn exp(self, x: &Rational) -> Enclosure {
        self.round(&exp(x, self.bits()))
    }

    /// `1 − e^-x` for `x ≥ 0`; relative width below `2^(3 − bits)`.
    pub fn one_minus_exp_neg(self, x: &Rational) -> Enclosure {
        let bits = i64::from(self.bits());
        let Some(top) = x.round(8, Rounding::Down).floor_log2() else {
            return Enclosure::exact(Dyadic::ZERO);
        };
        if top < -bits {
            // x − x²/2 ≤ 1 − e^-x ≤ x, and x < 2^-bits.
            let x = self.rational(x);
            let lo = &x.lo - &x.lo.times_power_of_two(-bits);
            return self.round(&Enclosure { lo, hi: x.hi });
        }
        // 1 − e^-x ≥ x/2 for x ≤ 1: that many bits more keep the width relative to the difference.
        let extra = (-top).max(0) as u32 + 2;
        let power = exp(&-x, self.bits() + extra);
        self.round(&Enclosure {
            lo: &Dyadic::ONE - &power.hi,
            hi: &Dyadic::ONE - &power.lo,
        })
    }

    /// `√x` for `x > 0`: for any `y > 0` the root lies between y and x/y.
    fn root(self, x: &Dyadic) -> Enclosure {
        // An even power of two brings x near 1, where f64 starts the iteration.
        let shift = x.floor_log2().unwrap_or(0) / 2;
        let near_one = x.times_power_of_two(-2 * shift);
        let start = near_one.to_f64(Rounding::NearestEven).sqrt();
        // The root of a number from 1/4 to 4 is finite and positive.
        let start = Dyadic::try_from(start).unwrap_or(Dyadic::ONE);
        let mut y = self.format.round(&start, Rounding::Down);
        let quotient = |y: &Dyadic, rounding| {
            let quotient = self.format.div(&near_one, y, rounding);
            quotient.expect("y is positive, as x/y is")
        };
        // Each step doubles the 50 correct bits.
        for _ in 0..self.bits().ilog2().saturating_sub(4) {
            let sum = &y + &quotient(&y, Rounding::Down);
            y = self
                .format
                .round(&sum.times_power_of_two(-1), Rounding::NearestEven);
        }
        Enclosure {
            lo: quotient(&y, Rounding::Down)
                .min(y.clone())
                .times_power_of_two(shift),
            hi: quotient(&y, Rounding::Up).max(y).times_power_of_two(shift),
        }
    }

    /// Both ends of one function.
    fn ends(self, end: impl Fn(Rounding) -> Dyadic) -> Enclosure {
        Enclosure {
            lo: end(Rounding::Down),
            hi: end(Rounding::Up),
        }
    }
}

/// `lo ≤ e^x ≤ hi` for `x < 2^40`, at `bits` bits; `hi` is at most 1 for `x ≤ 0`.
fn exp(x: &Rational, bits: u32) -> Enclosure {
    if *x < -Rational::from(i64::from(LARGEST_EXPONENT.max(bits))) {
        return Enclosure {
            lo: Dyadic::ZERO,
            hi: Dyadic::power_of_two(SMALLEST_POWER),
        };
    }
    // below ≤ x ≤ below + 2^-(bits + 2): that many places, and those before the point.
    let whole = x.abs().ceil_log2().map_or(0, |top| top.max(13)) as usize;
    let below = x.round(bits as usize + 3 + whole, Rounding::Down);
    let power = exp_enclosure(&below, bits);
    // e^x ≤ e^below · (1 + 2d) for d = x − below ≤ 1/2.
    let hi = power.hi() + &power.hi().times_power_of_two(-i64::from(bits) - 1);
    Enclosure {
        lo: power.lo,
        hi: if x.is_positive() {
            hi
        } else {
            hi.min(Dyadic::ONE)
        },
    }
}
