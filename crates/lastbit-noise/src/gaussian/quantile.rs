//! The inverse of the normal tail, to any precision.

use lastbit_exact::{Dyadic, Enclosure, Rounding, ln_enclosure};

use super::tail::{Normal, between, divide};

/// Encloses every `z ≥ 0` with `least ≤ Q(z) ≤ most`, for `0 < least ≤ most ≤ 1/2`.
///
/// If the bounds are the same, `hi − lo ≤ 2^-bits`; if they are apart by a small part of
/// themselves, the enclosure is at most about twice as wide as need be, and `2^-bits`.
///
/// Only the last comparison matters for soundness: `Q` falls, so `Q(lo) ≥ most` and `Q(hi) ≤ least`
/// put every such `z` between `lo` and `hi`.
pub(super) fn upper_quantiles(least: &Dyadic, most: &Dyadic, bits: u32) -> Enclosure {
    debug_assert!(least.is_positive() && *most <= Dyadic::power_of_two(-1));
    let target = (least + most).times_power_of_two(-1);
    let width = most - least;
    let mut z = start(&target);
    let mut known = START_BITS;
    for attempt in 0.. {
        let wanted = bits + (6 << attempt);
        while known < wanted {
            known = newton(&mut z, &target, known, wanted);
        }
        // The mean value theorem: no z is farther from the middle than half the width divided by
        // the least density between.
        let density = Normal::at(&z, 16).density;
        let spread = divide(&width, density.lo(), 8, Rounding::Up).times_power_of_two(attempt);
        let spread = &spread + &Dyadic::power_of_two(-i64::from(bits) - 2);
        let lo = (&z - &spread).max(Dyadic::ZERO);
        let hi = &z + &spread;
        let tail_at = |z: &Dyadic| Normal::at(z, wanted).tail;
        if (lo.is_zero() || tail_at(&lo).lo() >= most) && tail_at(&hi).hi() <= least {
            return between(lo, hi);
        }
    }
    unreachable!("the spread grows until hi is far enough, and the precision until lo is")
}

/// How near [`start`] comes: about `2^-START_BITS`.
const START_BITS: u32 = 30;

/// An approximate `z` with `Q(z) = p`, by Newton's method for `ln Q`, which is nearly a parabola.
#[expect(clippy::disallowed_methods, reason = "where a search begins")]
fn start(p: &Dyadic) -> Dyadic {
    let twice_ln = -2.0 * ln_enclosure(p, 30).lo().to_f64(Rounding::NearestEven);
    let mut z = if twice_ln < 4.0 {
        2.5 * (0.5 - p.to_f64(Rounding::NearestEven))
    } else {
        (twice_ln - (core::f64::consts::TAU * twice_ln).ln()).sqrt()
    };
    for _ in 0..32 {
        let normal = Normal::at(&from_f64(z), 60);
        let ratio = |a: &Dyadic, b: &Dyadic| divide(a, b, 60, Rounding::Up).to_f64(Rounding::Up);
        let tail = normal.tail.lo();
        let step = ratio(tail, p).ln() * ratio(tail, normal.density.lo());
        z = (z + step).max(0.0);
        if step.abs() < 1.0 / (1 << 16) as f64 {
            break;
        }
    }
    from_f64(z)
}

/// One step for `Q` itself: from `known` right bits to about twice as many, at most `wanted`;
/// returns how many.
fn newton(z: &mut Dyadic, p: &Dyadic, known: u32, wanted: u32) -> u32 {
    // An error of e becomes about e²·z/2.
    let lost = z.floor_log2().unwrap_or(0).max(0) as u32 + 2;
    let next = (2 * known).saturating_sub(lost).clamp(known + 1, wanted);
    let normal = Normal::at(z, next + 4);
    let excess = normal.tail.lo() - p;
    let step = divide(&excess.abs(), normal.density.lo(), next, Rounding::Down);
    let moved = if excess.is_negative() {
        &*z - &step
    } else {
        &*z + &step
    };
    let unit = -i64::from(next) - 4;
    *z = Dyadic::new(moved.floor_in(unit), unit).max(Dyadic::ZERO);
    next
}

/// A number that the iteration keeps finite.
fn from_f64(z: f64) -> Dyadic {
    Dyadic::try_from(z).unwrap_or(Dyadic::ONE)
}
