//! The loss of geometric noise.

use lastbit_exact::{Interval, Rational};

use super::pair::{Law, Tails};

/// Two-sided geometric noise, `P(k) = (1−q)/(1+q)·q^|k|` with `q = e^-s`, against the same around
/// d; `s = ε/d`.
///
/// The loss at y is `(|y − d| − |y|)·s`: the atoms are `(d − 2y)·s` for `y = 0, …, d`, where the
/// first stands for all `y ≤ 0` and the last for all `y ≥ d`. For `0 ≤ y < d` the atoms down to
/// that of y have the masses `1 − q^(y+1)/(1+q)` under P and `q^(d−y)/(1+q)` under Q. If these are
/// the atoms above z, then `δ(z)(1+q) = 1 + q − q^(y+1) − e^z·q^(d−y)`, which is
/// `(1 − e^(z−(d−y)s)) + q(1 − e^(−ys))`: no term is negative, as `z ≥ (d − 2y − 2)s` and
/// `z < (d − 2y)s`. For a z of which y is not known it is the largest over all y that may be: each
/// is `P(S) − e^z·Q(S)` of some event.
#[derive(Debug)]
pub(super) struct Geometric {
    epsilon: Interval,
    /// s, above 0.
    step: Interval,
    /// d.
    distance: f64,
    /// q, and `1 + q`.
    ratio: Interval,
    whole: Interval,
}

impl Geometric {
    /// The law for a positive ε; `None` if a step of the loss is too small for doubles.
    pub(super) fn new(epsilon: &Rational, distance: u64) -> Option<Geometric> {
        let step = Interval::from_rational(&(epsilon / &Rational::from(distance)));
        let ratio = (-step).exp();
        (step.lo() > 1e-290).then(|| Geometric {
            epsilon: Interval::from_rational(epsilon),
            step,
            // At most 2^16: a double.
            distance: distance as f64,
            ratio,
            whole: Interval::ONE + ratio,
        })
    }

    /// The fewest and the most atoms that may be above z.
    fn above(&self, z: Interval) -> (f64, f64) {
        // Those with y < (d − z/s)/2.
        let until = (Interval::point(self.distance) - z / self.step) * Interval::point(0.5);
        let count = |until: f64| until.ceil().clamp(0.0, self.distance + 1.0);
        (count(until.lo()), count(until.hi()))
    }

    /// `P(S) − e^z·Q(S)`, S being the first `count` atoms.
    fn gain(&self, count: f64, z: Interval) -> Interval {
        if count == 0.0 {
            return Interval::ZERO;
        }
        if count > self.distance {
            return -z.exp_m1();
        }
        let before = self.step * Interval::point(1.0 - count);
        let after = z - self.step * Interval::point(self.distance + 1.0 - count);
        (-after.exp_m1() - self.ratio * before.exp_m1()) / self.whole
    }

    /// `δ` at a point.
    fn at(&self, z: f64) -> Interval {
        let z = Interval::point(z);
        let (mut count, most) = self.above(z);
        let mut largest = self.gain(count, z).max(Interval::ZERO);
        while count < most {
            count += 1.0;
            largest = largest.max(self.gain(count, z));
        }
        largest
    }

    /// The masses of the first `count` atoms.
    fn sum(&self, count: f64) -> Tails {
        if count == 0.0 {
            return Tails::NONE;
        }
        if count > self.distance {
            return Tails::ALL;
        }
        let power = |k: f64| (-(self.step * Interval::point(k))).exp() / self.whole;
        Tails {
            p: Interval::ONE - power(count),
            q: power(self.distance + 1.0 - count),
        }
    }
}

impl Law for Geometric {
    fn profile(&self, z: Interval) -> Interval {
        let upper = self.at(z.lo());
        if z.lo() == z.hi() {
            return upper;
        }
        let lower = self.at(z.hi()).lower();
        Interval::between(lower, upper.upper()).unwrap_or(Interval::WHOLE)
    }

    fn tails(&self, z: Interval) -> Tails {
        let (fewest, most) = self.above(z);
        self.sum(fewest).hull(self.sum(most))
    }

    fn atom(&self) -> Option<f64> {
        Some(self.epsilon.lo())
    }
}
