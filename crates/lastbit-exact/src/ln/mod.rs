//! The natural logarithm of an f64, correctly rounded in every direction.
//!
//! Three tiers, each with a proved error bound and a test that the bound decides the rounding:
//! double-double ([`double_double`]), fixed point of 128 and then 192 bits ([`fixed`]), and
//! enclosures of any precision ([`crate::ln_enclosure`]). The logarithm of a rational other than 1
//! is transcendental, so it is neither an f64 nor the midpoint of two, and some precision decides.

mod double_double;
pub(crate) mod fixed;
mod table;
#[cfg(test)]
mod tests;

use crate::{Dyadic, Rounding, ln_enclosure};

/// `ln x`, correctly rounded: `result ≥ ln x` for `Up`, `result ≤ ln x` for `Down`, and no f64 lies
/// between; nearest is off by less than half a unit in the last place.
///
/// `ln(1) = +0.0`; `ln(±0) = -∞`; `ln(+∞) = +∞`; a negative number or a NaN gives NaN. These do not
/// depend on the direction.
///
/// ```
/// use lastbit_exact::{Rounding, ln};
/// assert_eq!(ln(2.0, Rounding::NearestEven), std::f64::consts::LN_2);
/// assert_eq!(ln(2.0, Rounding::Up), std::f64::consts::LN_2.next_up());
/// assert_eq!(ln(2.0, Rounding::Down), std::f64::consts::LN_2);
/// ```
#[inline]
pub fn ln(x: f64, rounding: Rounding) -> f64 {
    if !is_positive_normal(x) {
        return rare(x, rounding);
    }
    let approximation = double_double::ln(x);
    match rounding {
        Rounding::NearestEven => match approximation.nearest() {
            Some(nearest) => nearest,
            None => slow(x).round(rounding),
        },
        _ => match approximation.neighbours() {
            Some((below, above)) => directed(below, above, rounding),
            None => slow(x).round(rounding),
        },
    }
}

/// `(below, above)` with `below ≤ ln x ≤ above`, in one evaluation: `ln` rounded down and up.
///
/// Neighbouring f64s, but `(0, 0)` for 1 and the special cases of [`ln`], where both are the same.
///
/// ```
/// let (below, above) = lastbit_exact::ln_bounds(10.0);
/// assert!(below < above && below.next_up() == above);
/// ```
#[inline]
pub fn ln_bounds(x: f64) -> (f64, f64) {
    if is_positive_normal(x)
        && let Some(neighbours) = double_double::ln(x).neighbours()
    {
        return neighbours;
    }
    (rare(x, Rounding::Down), rare(x, Rounding::Up))
}

#[inline(always)]
fn is_positive_normal(x: f64) -> bool {
    const SMALLEST: u64 = f64::MIN_POSITIVE.to_bits();
    x.to_bits().wrapping_sub(SMALLEST) < f64::INFINITY.to_bits() - SMALLEST
}

/// `below < ln x < above`, neighbours.
#[inline(always)]
fn directed(below: f64, above: f64, rounding: Rounding) -> f64 {
    match rounding {
        Rounding::Up => above,
        Rounding::Down => below,
        _ if above <= 0.0 => above,
        _ => below,
    }
}

/// What decides every rounding of a logarithm: its neighbours and the nearer of them.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rounded {
    below: f64,
    above: f64,
    nearest: f64,
}

impl Rounded {
    fn round(self, rounding: Rounding) -> f64 {
        match rounding {
            Rounding::NearestEven => self.nearest,
            _ => directed(self.below, self.above, rounding),
        }
    }
}

/// Any input; the double-double tier is not tried.
#[cold]
#[inline(never)]
fn rare(x: f64, rounding: Rounding) -> f64 {
    if x > 0.0 && x < f64::INFINITY {
        slow(x).round(rounding)
    } else if x == 0.0 {
        f64::NEG_INFINITY
    } else if x > 0.0 {
        x
    } else {
        f64::NAN
    }
}

/// The second and third tier; `x` positive and finite.
#[cold]
#[inline(never)]
fn slow(x: f64) -> Rounded {
    if x == 1.0 {
        return Rounded {
            below: 0.0,
            above: 0.0,
            nearest: 0.0,
        };
    }
    by_fixed::<2>(x)
        .or_else(|| by_fixed::<3>(x))
        .unwrap_or_else(|| by_enclosure(x, 256))
}

/// `x` positive, finite, not 1.
fn by_fixed<const N: usize>(x: f64) -> Option<Rounded> {
    let (mantissa, exponent) = split::<N>(x);
    let log = fixed::ln(&mantissa, exponent);
    // |ln x| = (bits + f)·2^last, 0 < f < 1, bits of 54 bits; last ≥ -53 - 53, so all is normal and
    // exact.
    let ([bits], last) = log.leading_bits::<1>(53)?;
    let step = f64::from_bits(((last + 1 + 1023) as u64) << 52);
    let inner = (bits >> 1) as f64 * step;
    let outer = ((bits >> 1) + 1) as f64 * step;
    let nearest = if bits & 1 == 1 { outer } else { inner };
    Some(if log.negative {
        Rounded {
            below: -outer,
            above: -inner,
            nearest: -nearest,
        }
    } else {
        Rounded {
            below: inner,
            above: outer,
            nearest,
        }
    })
}

/// `x = mantissa·2^-(64N-1) · 2^exponent`, top bit set; `x` positive and finite.
fn split<const N: usize>(x: f64) -> ([u64; N], i64) {
    let bits = x.to_bits();
    let (fraction, biased) = (bits << 12 >> 12, (bits >> 52) as i64);
    let (integer, last) = if biased == 0 {
        (fraction, -1074)
    } else {
        (fraction | 1 << 52, biased - 1075)
    };
    let zeros = integer.leading_zeros();
    let mut mantissa = [0; N];
    mantissa[N - 1] = integer << zeros;
    (mantissa, last + 63 - zeros as i64)
}

/// The third tier: enclosures of width at most `2^-bits`, then twice as many bits until one
/// decides.
fn by_enclosure(x: f64, mut bits: u32) -> Rounded {
    let exact = Dyadic::try_from(x).expect("x is finite");
    loop {
        let enclosure = ln_enclosure(&exact, bits);
        let decided = |rounding| {
            let low = enclosure.lo().to_f64(rounding);
            (low == enclosure.hi().to_f64(rounding)).then_some(low)
        };
        if let (Some(below), Some(above), Some(nearest)) = (
            decided(Rounding::Down),
            decided(Rounding::Up),
            decided(Rounding::NearestEven),
        ) {
            return Rounded {
                below,
                above,
                nearest,
            };
        }
        bits *= 2;
    }
}
