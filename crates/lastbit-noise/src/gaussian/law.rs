//! The law of rounded normal noise, as enclosures.

use lastbit_exact::{Dyadic, Enclosure, Integer, Interval, Rational, Rounding};

use super::Gaussian;
use super::deviation::Deviation;
use super::tail::{Normal, between, density};

impl Gaussian {
    /// `P(draw(location) = cell)`, enclosed; the width is at most `2^-48` of the probability
    /// while that is a normal f64.
    ///
    /// ```
    /// use lastbit_exact::{Integer, Rational};
    /// use lastbit_noise::Gaussian;
    /// let noise = Gaussian::new(&Rational::ONE, 0)?;
    /// let p = noise.cell_probability(&Rational::ZERO, &Integer::ZERO);
    /// assert!(p.contains(0.38292492254802624)); // P(-1/2 < Z < 1/2)
    /// # Ok::<(), lastbit_noise::ScaleError>(())
    /// ```
    pub fn cell_probability(&self, location: &Rational, cell: &Integer) -> Interval {
        let half = Rational::new(1, 2);
        let offset =
            &Rational::from(cell.clone()) - &location.times_power_of_two(-self.grid_exponent);
        mass(
            Some(&(&offset - &half)),
            Some(&(&offset + &half)),
            &self.deviation,
        )
    }

    /// `P(draw(location) ≤ cell)`, enclosed; the width is at most `2^-48` of the probability
    /// while that is a normal f64.
    pub fn cumulative_probability(&self, location: &Rational, cell: &Integer) -> Interval {
        let half = Rational::new(1, 2);
        let offset =
            &Rational::from(cell.clone()) - &location.times_power_of_two(-self.grid_exponent);
        mass(None, Some(&(&offset + &half)), &self.deviation)
    }
}

/// The mass that the standard normal distribution puts between `lower ≤ upper`; `None` is infinity
/// on that side.
///
/// The width is at most `2^-48` of the mass while that is a normal f64, also far out in the tails
/// and for ends that nearly meet.
///
/// ```
/// use lastbit_exact::Rational;
/// use lastbit_noise::gaussian_mass;
/// let beyond = gaussian_mass(Some(&Rational::from(37i64)), None);
/// assert!(beyond.contains(5.725571222524577e-300) && beyond.width().get() <= 1e-312);
/// ```
pub fn gaussian_mass(lower: Option<&Rational>, upper: Option<&Rational>) -> Interval {
    mass(lower, upper, &Deviation::Rational(Rational::ONE))
}

/// Bits of the relative width before the ends are rounded to f64, which costs `2^-52` each.
const BITS: u32 = 52;

/// `Q(39) < e^(−39²/2) < 2^-1074`: from here on there is no positive f64 below the tail.
const BEYOND_F64: i64 = 39;

/// `Q(64) < e^(−64²/2) < 2^-2954`, less than `2^-1800·Q(39)`.
const NOTHING: i64 = 64;

/// `P(lower < σZ < upper)`.
fn mass(lower: Option<&Rational>, upper: Option<&Rational>, sigma: &Deviation) -> Interval {
    match (lower, upper) {
        (None, None) => Interval::ONE,
        (None, Some(b)) => mass(Some(&-b), None, sigma),
        (Some(a), None) if a.is_negative() => Interval::ONE - one_sided(&-a, sigma),
        (Some(a), None) => one_sided(a, sigma),
        (Some(a), Some(b)) if a >= b => Interval::ZERO,
        (Some(a), Some(b)) if &-a > b => two_sided(&-b, &-a, sigma),
        (Some(a), Some(b)) => two_sided(a, b, sigma),
    }
}

/// `P(σZ > a)` for `a ≥ 0`.
fn one_sided(a: &Rational, sigma: &Deviation) -> Interval {
    let x = sigma.standardise(a, BITS + MARGIN);
    if *x.lo() >= Dyadic::from(BEYOND_F64) {
        return tiny();
    }
    interval(&tail(&x, BITS))
}

/// `P(a < σZ < b)` for `|a| ≤ b`, `a < b`.
fn two_sided(a: &Rational, b: &Rational, sigma: &Deviation) -> Interval {
    // In the last case below, with 0 ≤ a: Q(x)e^(x²/2) falls, so Q(b)/Q(a) ≤ e^(−(b² − a²)/2) ≤
    // e^(−(b − a)b/2), and the mass is above 2^-56 of Q(a). With a < 0: (b − a)b > 2^-54 makes b >
    // 2^-28 and the mass above 2^-30. Either way a tail's relative error of 2^-bits is one of less
    // than 2^-BITS of the mass.
    let bits = BITS + 58;
    let far = sigma.standardise(b, bits + MARGIN);
    let inner = sigma.standardise(&a.abs(), bits + MARGIN);
    let near = if a.is_negative() {
        &Dyadic::ZERO
    } else {
        inner.lo()
    };
    if *near >= Dyadic::from(BEYOND_F64) {
        return tiny();
    }
    let width = sigma.standardise(&(b - a), BITS + 2);
    if width.hi() * far.hi() <= Dyadic::power_of_two(-i64::from(BITS) - 2) {
        // The density hardly changes: φ(near)/φ(far) ≤ e^((far − near)·far).
        let least = density(far.hi(), BITS + 2);
        let most = density(near, BITS + 2);
        return interval(&between(width.lo() * least.lo(), width.hi() * most.hi()));
    }
    let (inner, outer) = (tail(&inner, bits), tail(&far, bits));
    interval(&if a.is_negative() {
        between(
            &(&Dyadic::ONE - inner.hi()) - outer.hi(),
            &(&Dyadic::ONE - inner.lo()) - outer.lo(),
        )
    } else {
        between(inner.lo() - outer.hi(), inner.hi() - outer.lo())
    })
}

/// Bits that `x < 64` needs beyond those of `Q(x)`: `−Q'/Q` is below `x + 1`, so a relative error
/// of `x` grows by less than `x(x + 1) < 2^13` in `Q(x)`.
const MARGIN: u32 = 15;

/// `Q(x)` with `hi − lo ≤ 2^-bits · lo` for an `x` below 64 known to `bits + MARGIN` bits;
/// `[0, 2^-2954]` from there on.
fn tail(x: &Enclosure, bits: u32) -> Enclosure {
    if *x.lo() >= Dyadic::from(NOTHING) {
        return between(Dyadic::ZERO, Dyadic::power_of_two(-2954));
    }
    let normal = Normal::at(x.lo(), bits + 2);
    // The density falls from x.lo on.
    let fall = &x.width() * normal.density.hi();
    between(normal.tail.lo() - &fall, normal.tail.hi().clone())
}

/// Between zero and the smallest f64.
fn tiny() -> Interval {
    interval(&between(Dyadic::ZERO, Dyadic::power_of_two(-1074)))
}

/// The smallest f64 interval around a probability.
fn interval(p: &Enclosure) -> Interval {
    let lo = p.lo().to_f64(Rounding::Down).max(0.0);
    Interval::new(lo, p.hi().to_f64(Rounding::Up)).expect("rounding outward keeps the order")
}
