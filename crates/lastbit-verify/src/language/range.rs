//! Where the values of an expression can lie for every positive value of the parameters: coarse,
//! but enough for signs.

use lastbit_exact::{Dyadic, Rational};

use super::constant::is_large;

/// An end of a range; `None` is infinite. An open end is not a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct End {
    value: Option<Rational>,
    open: bool,
}

impl End {
    const INFINITE: End = End {
        value: None,
        open: true,
    };

    fn at(value: Rational, open: bool) -> End {
        End {
            value: Some(value),
            open,
        }
    }
}

/// All numbers between two ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Range {
    lo: End,
    hi: End,
}

impl Range {
    /// One number.
    pub(super) fn point(value: Rational) -> Range {
        Range {
            lo: End::at(value.clone(), false),
            hi: End::at(value, false),
        }
    }

    /// Every number.
    pub(super) fn all() -> Range {
        Range {
            lo: End::INFINITE,
            hi: End::INFINITE,
        }
    }

    /// Every positive number.
    pub(super) fn positive() -> Range {
        Range {
            lo: End::at(Rational::ZERO, true),
            hi: End::INFINITE,
        }
    }

    /// (0, 1).
    pub(super) fn unit() -> Range {
        Range {
            lo: End::at(Rational::ZERO, true),
            hi: End::at(Rational::ONE, true),
        }
    }

    /// Whether 0 is outside.
    pub(super) fn excludes_zero(&self) -> bool {
        self.is_positive() || self.negated().is_positive()
    }

    /// Whether every number is above 0.
    pub(super) fn is_positive(&self) -> bool {
        let lo = self.lo.value.as_ref();
        lo.is_some_and(|lo| lo.is_positive() || lo.is_zero() && self.lo.open)
    }

    /// Whether no number is below 0.
    pub(super) fn is_nonnegative(&self) -> bool {
        self.lo.value.as_ref().is_some_and(|lo| !lo.is_negative())
    }

    /// Whether no number is above 0.
    pub(super) fn is_nonpositive(&self) -> bool {
        self.negated().is_nonnegative()
    }

    /// `−x`.
    pub(super) fn negated(&self) -> Range {
        let flip = |end: &End| End {
            value: end.value.as_ref().map(|value| -value),
            open: end.open,
        };
        Range {
            lo: flip(&self.hi),
            hi: flip(&self.lo),
        }
    }

    /// `x + y`.
    pub(super) fn plus(&self, other: &Range) -> Range {
        let sum = |a: &End, b: &End| match (&a.value, &b.value) {
            (Some(x), Some(y)) => End::at(x + y, a.open || b.open),
            _ => End::INFINITE,
        };
        Range {
            lo: sum(&self.lo, &other.lo),
            hi: sum(&self.hi, &other.hi),
        }
        .bounded()
    }

    /// `x · y`: between the products of ends.
    pub(super) fn times(&self, other: &Range) -> Range {
        let mut corners = Vec::with_capacity(4);
        for (a, a_sign) in [(&self.lo, -1), (&self.hi, 1)] {
            for (b, b_sign) in [(&other.lo, -1), (&other.hi, 1)] {
                corners.push(corner(a, a_sign, b, b_sign));
            }
        }
        Range {
            lo: smallest(&corners),
            hi: smallest(&corners.iter().map(Corner::negated).collect::<Vec<_>>()).negated(),
        }
        .bounded()
    }

    /// With ends that take little memory: a wider range of the same sign if need be. Each of many
    /// lines may square the line before.
    fn bounded(self) -> Range {
        let below = |end: End| match &end.value {
            Some(value) if is_large(value) => {
                if value.is_positive() {
                    End::at(Rational::ZERO, true)
                } else if *value > -Rational::ONE {
                    End::at(-Rational::ONE, false)
                } else {
                    End::INFINITE
                }
            }
            _ => end,
        };
        Range {
            lo: below(self.lo),
            hi: below(self.hi.negated()).negated(),
        }
    }

    /// `1 / x`, if 0 is outside.
    pub(super) fn reciprocal(&self) -> Option<Range> {
        if !self.excludes_zero() {
            return None;
        }
        let invert = |end: &End| match &end.value {
            None => End::at(Rational::ZERO, true),
            Some(value) => value
                .recip()
                .map_or(End::INFINITE, |x| End::at(x, end.open)),
        };
        Some(Range {
            lo: invert(&self.hi),
            hi: invert(&self.lo),
        })
    }

    /// `ln x` for positive x: its sign, from the side of 1 on which x lies.
    pub(super) fn ln(&self) -> Range {
        let one = Some(&Rational::ONE);
        let zero = |end: &End| End::at(Rational::ZERO, end.open || end.value.as_ref() != one);
        let above = self.lo.value.as_ref() >= one;
        let below = self
            .hi
            .value
            .as_ref()
            .is_some_and(|hi| *hi <= Rational::ONE);
        Range {
            lo: if above { zero(&self.lo) } else { End::INFINITE },
            hi: if below { zero(&self.hi) } else { End::INFINITE },
        }
    }

    /// `clamp(x, bound)` for a positive bound.
    pub(super) fn clamped(&self, bound: &Range) -> Range {
        // Each end: a nonnegative x gives min(x, bound), smallest for the smallest bound; a
        // negative one max(x, −bound), smallest for the largest.
        let low_end = |x: &End, bound: &Range| match &x.value {
            Some(value) if !value.is_negative() => lower(x, &bound.lo),
            _ => {
                let least = bound.negated().lo;
                match (&x.value, &least.value) {
                    (Some(a), Some(b)) if a < b => least,
                    (None, _) => least,
                    _ => x.clone(),
                }
            }
        };
        Range {
            lo: low_end(&self.lo, bound),
            hi: low_end(&self.negated().lo, bound).negated(),
        }
    }

    /// Rounded to a grid of any step: only the sign stays.
    pub(super) fn on_a_grid(&self) -> Range {
        let zero = || End::at(Rational::ZERO, false);
        Range {
            lo: if self.is_nonnegative() {
                zero()
            } else {
                End::INFINITE
            },
            hi: if self.is_nonpositive() {
                zero()
            } else {
                End::INFINITE
            },
        }
    }

    /// Rounded to a format of any precision. Rounding is monotone and keeps powers of two; with
    /// exponents unbounded only 0 becomes 0.
    pub(super) fn rounded(&self) -> Range {
        let outward = |end: &End| match &end.value {
            None => End::INFINITE,
            Some(value) if value.is_zero() => end.clone(),
            Some(value) => End::at(power_below(value), false),
        };
        Range {
            lo: outward(&self.lo),
            hi: outward(&self.negated().lo).negated(),
        }
    }
}

impl End {
    fn negated(self) -> End {
        End {
            value: self.value.map(|value| -value),
            open: self.open,
        }
    }
}

/// The largest number at or below x that is a power of two or minus one, for `x ≠ 0`.
fn power_below(x: &Rational) -> Rational {
    let power = |e: i64| Rational::from(&Dyadic::power_of_two(e));
    match x.abs().ceil_log2() {
        Some(e) if x.is_negative() => -power(e),
        Some(e) if *x == power(e) => power(e),
        Some(e) => power(e - 1),
        None => Rational::ZERO,
    }
}

/// The smaller of two lower ends; closed if either of equal ends is.
fn lower(a: &End, b: &End) -> End {
    match (&a.value, &b.value) {
        (None, _) | (_, None) => End::INFINITE,
        (Some(x), Some(y)) if x == y => End::at(x.clone(), a.open && b.open),
        (Some(x), Some(y)) => {
            if x < y {
                a.clone()
            } else {
                b.clone()
            }
        }
    }
}

/// A product of two ends: finite, or infinite with a sign.
enum Corner {
    Finite(End),
    Infinite { negative: bool },
}

impl Corner {
    fn negated(&self) -> Corner {
        match self {
            Corner::Finite(end) => Corner::Finite(end.clone().negated()),
            Corner::Infinite { negative } => Corner::Infinite {
                negative: !negative,
            },
        }
    }
}

/// The product of two ends; the sides say which infinity an infinite end is.
fn corner(a: &End, a_side: i32, b: &End, b_side: i32) -> Corner {
    let sign = |end: &End, side: i32| match &end.value {
        None => side,
        Some(value) => i32::from(value.is_positive()) - i32::from(value.is_negative()),
    };
    let product = sign(a, a_side) * sign(b, b_side);
    match (&a.value, &b.value) {
        (Some(x), Some(y)) if product != 0 => Corner::Finite(End::at(x * y, a.open || b.open)),
        _ if product != 0 => Corner::Infinite {
            negative: product < 0,
        },
        // A product is 0 only if a factor is: open unless a factor has a closed end at 0.
        _ => {
            let attained =
                |end: &End| !end.open && end.value.as_ref().is_some_and(Rational::is_zero);
            Corner::Finite(End::at(Rational::ZERO, !attained(a) && !attained(b)))
        }
    }
}

fn smallest(corners: &[Corner]) -> End {
    let mut least: Option<End> = None;
    for corner in corners {
        match corner {
            Corner::Infinite { negative: true } => return End::INFINITE,
            Corner::Infinite { negative: false } => {}
            Corner::Finite(end) => {
                least = Some(least.map_or_else(|| end.clone(), |least| lower(&least, end)));
            }
        }
    }
    least.unwrap_or(End::INFINITE)
}
