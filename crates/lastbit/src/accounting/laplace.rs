//! The loss of Laplace noise.

use lastbit_exact::{Interval, Rational};

use super::pair::{Law, Tails};

/// Laplace noise of scale 1 on a number that moves by ε.
///
/// The loss is ε left of both centres, −ε right of both, and falls by 2 for each unit between. The
/// best event at `−ε ≤ z ≤ ε` is `y ≤ (ε − z)/2`, of probability `1 − e^((z−ε)/2)/2` and
/// `e^(−(z+ε)/2)/2`, so that `δ(z) = 1 − e^((z−ε)/2)`.
#[derive(Debug)]
pub(super) struct Laplace {
    epsilon: Interval,
}

impl Laplace {
    pub(super) fn new(epsilon: &Rational) -> Laplace {
        Laplace {
            epsilon: Interval::from_rational(epsilon),
        }
    }
}

const HALF: Interval = Interval::point(0.5);

impl Law for Laplace {
    fn profile(&self, z: Interval) -> Interval {
        // Right of ε the first is negative; left of −ε the second, 1 − e^z, is the larger.
        let inside = -((z - self.epsilon) * HALF).exp_m1();
        inside.max(-z.exp_m1()).max(Interval::ZERO)
    }

    fn tails(&self, z: Interval) -> Tails {
        let inside = Tails {
            p: Interval::ONE - ((z - self.epsilon) * HALF).exp() * HALF,
            q: (-(z + self.epsilon) * HALF).exp() * HALF,
        };
        if z.lo() >= self.epsilon.hi() {
            Tails::NONE
        } else if z.hi() < -self.epsilon.hi() {
            Tails::ALL
        } else if z.lo() >= -self.epsilon.lo() && z.hi() < self.epsilon.lo() {
            inside
        } else if z.hi() >= self.epsilon.lo() {
            // Above −ε for certain, as ε is not below −ε; tails fall with z.
            let nearly = self.tails(below(z, self.epsilon.lo()));
            nearly.hull(Tails::NONE)
        } else {
            let nearly = Tails {
                p: Interval::ONE - (-self.epsilon).exp() * HALF,
                q: HALF,
            };
            inside.hull(nearly).hull(Tails::ALL)
        }
    }

    fn atom(&self) -> Option<f64> {
        Some(self.epsilon.lo())
    }
}

/// The lower end of z, or a number just below `limit`.
fn below(z: Interval, limit: f64) -> Interval {
    Interval::point(z.lo().min(limit.next_down()))
}
