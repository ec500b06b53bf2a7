//! The worst loss of a bounded range.

use lastbit_exact::{Interval, Rational};

use super::pair::{Law, Tails};

/// The pair whose profile is the largest of all η-bounded-range releases: for `−η ≤ z ≤ η`,
/// `δ(z) = (1 − e^(−(η−z)/2))²/(1 − e^-η)`.
///
/// **Proof.** The losses of a pair lie in `[t − η, t]` for some t; as `E[Y] = 1`, `0 ≤ t ≤ η`.
/// Spreading each Y to the ends `e^-t` and `e^(η−t)` keeps its mean and raises the mean of every
/// convex function of it; so the worst has two atoms, t with `p = (e^η − e^t)/(e^η − 1)` and
/// `t − η`. Its profile at z between is `p(1 − e^(z−t))`. With `s = e^t` that is
/// `(e^η − s)(1 − e^z/s)/(e^η − 1)`, which is largest at `s² = e^(η+z)`: the formula. Elsewhere it
/// is 0 or `1 − e^z`. The largest of profiles is convex in `e^z`, so it is the profile of a pair:
/// `P(Z > z) = δ − δ' = (1 − v)/(1 − e^-η)` and `Q(Z > z) = −e^-z·δ' = e^-z·v(1 − v)/(1 − e^-η)`,
/// `v = e^(−(η−z)/2)`. ∎ (For z ≥ 0: Dong, Durfee and Rogers, 2020.)
#[derive(Debug)]
pub(super) struct BoundedRange {
    eta: Interval,
    /// `1 − e^-η`.
    whole: Interval,
}

const HALF: Interval = Interval::point(0.5);

impl BoundedRange {
    pub(super) fn new(eta: &Rational) -> BoundedRange {
        let eta = Interval::from_rational(eta);
        BoundedRange {
            eta,
            whole: -(-eta).exp_m1(),
        }
    }

    /// `1 − v`, at least 0.
    fn rest(&self, z: Interval) -> Interval {
        (-((z - self.eta) * HALF).exp_m1()).max(Interval::ZERO)
    }
}

impl Law for BoundedRange {
    fn profile(&self, z: Interval) -> Interval {
        let trivial = -z.exp_m1();
        if z.hi() <= -self.eta.hi() {
            return trivial;
        }
        let rest = self.rest(z);
        let inside = rest * rest / self.whole;
        if z.lo() >= -self.eta.lo() {
            inside
        } else {
            inside.hull(trivial)
        }
    }

    fn tails(&self, z: Interval) -> Tails {
        if z.lo() >= self.eta.hi() {
            return Tails::NONE;
        }
        if z.hi() < -self.eta.hi() {
            return Tails::ALL;
        }
        let rest = self.rest(z);
        let v = ((z - self.eta) * HALF).exp();
        let inside = Tails {
            p: (rest / self.whole).min(Interval::ONE),
            q: ((-z).exp() * v * rest / self.whole).min(Interval::ONE),
        };
        // Both tails are continuous at both ends.
        if z.lo() < -self.eta.lo() {
            inside.hull(Tails::ALL)
        } else if z.hi() > self.eta.lo() {
            inside.hull(Tails::NONE)
        } else {
            inside
        }
    }
}
