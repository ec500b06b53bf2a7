//! The loss of Gaussian noise.

use core::ops::RangeInclusive;

use lastbit_exact::{Interval, Rational};

use super::normal::{excess, tail};
use super::pair::{Law, Tails};

/// Standard normal noise on a number that moves by μ.
///
/// The loss is normal with mean `μ²/2` and variance `μ²` under P and mean `−μ²/2` under Q, so
/// `P(Z > z) = P(N > a)` and `Q(Z > z) = P(N > b)` with `a = z/μ − μ/2`, `b = a + μ`; and
/// `δ(z) = P(N > a) − e^z·P(N > b)`.
#[derive(Debug)]
pub(super) struct Gaussian {
    mu: Interval,
}

impl Gaussian {
    /// For `μ > 0`.
    pub(super) fn new(mu: &Rational) -> Gaussian {
        Gaussian::enclosed(Interval::from_rational(mu))
    }

    /// For μ known by an enclosure above 0.
    pub(super) fn enclosed(mu: Interval) -> Gaussian {
        Gaussian { mu }
    }

    fn ends(&self, z: Interval) -> (Interval, Interval) {
        let (place, half) = (z / self.mu, self.mu * Interval::point(0.5));
        (place - half, place + half)
    }
}

impl Law for Gaussian {
    fn profile(&self, z: Interval) -> Interval {
        if z.hi() < 0.0 {
            return mirrored(z, self.profile(-z));
        }
        if z.lo() < 0.0 {
            let below = Interval::new(z.lo(), -f64::MIN_POSITIVE).unwrap_or(z);
            let above = Interval::new(0.0, z.hi()).unwrap_or(z);
            return self.profile(below).hull(self.profile(above));
        }
        let (a, b) = self.ends(z);
        excess(a, b, self.mu)
    }

    /// The same as one by one, with what a point and its negative share computed once.
    fn profile_on(&self, step: f64, places: RangeInclusive<i64>) -> Vec<Interval> {
        let at = |k: i64| Interval::point(k as f64 * step);
        let (first, last) = places.into_inner();
        let upper = last.max(-first).max(0);
        // Where all are on one side, from the nearest to 0 on.
        let lower = first.max(-last).max(0);
        let known: Vec<Interval> = (lower..=upper).map(|k| self.profile(at(k))).collect();
        let known = |k: i64| known[(k - lower) as usize];
        (first..=last)
            .map(|k| match k < 0 {
                true => mirrored(at(k), known(-k)),
                false => known(k),
            })
            .collect()
    }

    fn mu(&self) -> Option<Interval> {
        Some(self.mu)
    }

    fn tails(&self, z: Interval) -> Tails {
        let (a, b) = self.ends(z);
        Tails {
            p: tail(a),
            q: tail(b),
        }
    }
}

/// `δ(z)` from `δ(−z)`: both orders have one profile, so `δ(z) = 1 − e^z + e^z·δ(−z)`.
fn mirrored(z: Interval, other: Interval) -> Interval {
    -z.exp_m1() + z.exp() * other
}

#[cfg(test)]
mod tests;
