//! The profile of a law on a grid.

use lastbit_exact::{Down, Interval, Up};

use super::loss_distribution::LossDistribution;

/// The profile of a law at its points: linear in `e^z` between them.
///
/// From the last point down, `f_(k−1) = f_k + (1 − e^-step)·(C_k + m_k)` and
/// `C_(k−1) = e^-step·(C_k + m_k)`, where `C_k = Σ_(j>k) m_j·e^(z_k − z_j)`: sums of positive
/// numbers, enclosed.
#[derive(Debug)]
pub(super) struct Curve {
    step: f64,
    /// Points in falling order.
    points: Vec<Point>,
}

#[derive(Clone, Copy, Debug)]
struct Point {
    /// The loss is this many steps.
    place: i64,
    /// The profile there.
    delta: Interval,
    /// `C_k + m_k`: what a fall of z adds.
    slope: Interval,
}

impl Curve {
    pub(super) fn new(law: &LossDistribution) -> Curve {
        Curve::until(law, f64::INFINITY)
    }

    /// The part down to the first point whose profile may be above `target`: all that
    /// [`Curve::epsilon_above`] needs.
    pub(super) fn until(law: &LossDistribution, target: f64) -> Curve {
        let (step, bits) = (law.grid().step, law.grid().bits());
        let ratio = (-Interval::point(step)).exp();
        let fall = -(-Interval::point(step)).exp_m1();
        let enclosed = |mass: super::mass::Mass| {
            Interval::between(mass.lower(bits), mass.upper(bits)).unwrap_or(Interval::WHOLE)
        };
        let mut delta = enclosed(law.infinite());
        let mut above = Interval::ZERO;
        let mut points = Vec::new();
        for (place, mass) in law.descending() {
            let slope = above + enclosed(mass);
            points.push(Point {
                place,
                delta,
                slope,
            });
            if delta.hi() > target {
                break;
            }
            delta = delta + fall * slope;
            above = ratio * slope;
        }
        Curve { step, points }
    }

    /// Whether the profile may be above a number at the lowest point.
    pub(super) fn is_above(&self, target: f64) -> bool {
        self.points
            .last()
            .is_some_and(|point| point.delta.hi() > target)
    }

    /// `δ(z)`.
    pub(super) fn delta(&self, z: Interval) -> Interval {
        // A point that may or may not be above z is for the upper bound, and is not for the lower.
        let upper = self
            .points
            .partition_point(|point| self.loss(point).hi() > z.lo());
        let lower = self
            .points
            .partition_point(|point| self.loss(point).lo() > z.hi());
        let upper = self.line(upper, z.lo()).upper();
        let lower = self.line(lower, z.hi()).lower();
        Interval::between(lower, upper).unwrap_or(Interval::WHOLE)
    }

    /// The line through the lowest of the first `above` points, at z; below all points the last
    /// line goes on.
    fn line(&self, above: usize, z: f64) -> Interval {
        let Some(point) = above.checked_sub(1).map(|i| &self.points[i]) else {
            return self.points[0].delta;
        };
        let distance = (self.loss(point) - Interval::point(z)).max(Interval::ZERO);
        point.delta + -(-distance).exp_m1() * point.slope
    }

    /// At or above the smallest `ε ≥ 0` with `δ(ε) ≤ delta`.
    pub(super) fn epsilon_above(&self, delta: Down) -> Up {
        let target = delta.get();
        // All points whose profile is certain to be at most δ.
        let index = self
            .points
            .partition_point(|point| point.delta.hi() <= target);
        let Some(point) = index.checked_sub(1).map(|i| &self.points[i]) else {
            return Up::INFINITY;
        };
        let room = (delta - point.delta.upper()).max(Down::ZERO) / point.slope.upper();
        let epsilon = Interval::point(0.0).upper().max(
            self.lower_by(point, room.get().min(1.0 - f64::EPSILON))
                .upper(),
        );
        if index == self.points.len() || point.slope.hi() == 0.0 {
            // Nothing below adds anything, or the line goes on to the whole mass.
            return epsilon;
        }
        // Not below the next point, where more mass comes in.
        epsilon.max(self.loss(&self.points[index]).upper())
    }

    /// At or below the smallest `ε ≥ 0` with `δ(ε) ≤ delta`.
    pub(super) fn epsilon_below(&self, delta: Up) -> Down {
        let target = delta.get();
        let index = self
            .points
            .partition_point(|point| point.delta.lo() <= target);
        let Some(point) = index.checked_sub(1).map(|i| &self.points[i]) else {
            // The infinite mass alone is above δ: there is no such ε.
            return self.loss(&self.points[0]).lower().max(Down::ZERO);
        };
        let room = (delta - point.delta.lower()) / point.slope.lower();
        // Where nothing rises it is 0/0, and nothing is known of ε.
        if room.get().is_nan() || room.get() >= 1.0 {
            return Down::ZERO;
        }
        self.lower_by(point, room.get()).lower().max(Down::ZERO)
    }

    /// `z + ln(1 − room)`: where the line through a point has risen by `room < 1` of its slope.
    fn lower_by(&self, point: &Point, room: f64) -> Interval {
        self.loss(point) + Interval::point(-room).ln_1p()
    }

    /// `min_z δ(z) + e^z·level`.
    pub(super) fn power(&self, level: Interval) -> Interval {
        let mut least = Interval::ONE;
        for point in &self.points {
            least = least.min(point.delta + self.loss(point).exp() * level);
        }
        // At z → −∞ it is the whole mass; and at most 1.
        let whole = self
            .points
            .last()
            .map_or(Interval::ONE, |point| point.delta + point.slope);
        least.min(whole)
    }

    fn loss(&self, point: &Point) -> Interval {
        // An i64 below 2^53 is a double.
        Interval::point(point.place as f64) * Interval::point(self.step)
    }
}
