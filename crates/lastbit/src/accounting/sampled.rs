//! The loss of a release from a secret sample.

use std::sync::Arc;

use lastbit_exact::{Interval, Rational};

use super::pair::{Law, Tails};

/// Which of two neighbours has one row more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// The loss compares the larger data set with the smaller.
    Removal,
    /// The loss compares the smaller with the larger.
    Addition,
}

/// One order of a release from a Poisson sample at rate q.
///
/// **Proof.** Let y be x and one row more. For a sample T of x, of weight `w_T`, let
/// `A = Σ w_T·M(T)` and `C = Σ w_T·M(T + row)`; the answers have the laws A for x and
/// `B = (1−q)A + qC` for y. Write `H_s(C, A) = sup_S C(S) − s·A(S)`, which is at most
/// `Σ w_T·H_s(M(T + row), M(T)) ≤ f(s)` with `f(e^z) = δ(z)` for the pair of M.
/// - *Removal.* `B − e^z·A = q(C − s·A)` with `s = (e^z − 1 + q)/q`. So the profile is at most
///   `q·f(s)` if `s ≥ 0`, else `1 − e^z`.
/// - *Addition.* `A − e^z·B = t·A − e^z·q·C` with `t = 1 − e^z(1−q)`. So the profile is at most
///   `t·f(e^z·q/t)` if `t > 0`, else 0.
///
/// Both are attained by the pair of M in the place of C and A, or of A and C, so they are the
/// profiles of pairs of laws: `((1−q)Q + qP, Q)` and `(P, (1−q)P + qQ)`. In the first the loss
/// exceeds z where that of M exceeds `ln s`, in the second where it exceeds
/// `−ln((e^-z − 1 + q)/q)`. ∎
#[derive(Debug)]
pub(super) struct Sampled {
    law: Arc<dyn Law>,
    rate: Interval,
    rest: Interval,
    direction: Direction,
}

impl Sampled {
    pub(super) fn new(law: Arc<dyn Law>, rate: &Rational, direction: Direction) -> Sampled {
        Sampled {
            law,
            rate: Interval::from_rational(rate),
            rest: Interval::from_rational(&(&Rational::ONE - rate)),
            direction,
        }
    }

    /// `(e^z − 1 + q)/q − 1` for a removal, `(e^-z − 1 + q)/q − 1` for an addition: above −1 where
    /// the sample matters.
    fn ratio(&self, z: Interval) -> Interval {
        let exponent = match self.direction {
            Direction::Removal => z,
            Direction::Addition => -z,
        };
        exponent.exp_m1() / self.rate
    }

    /// The loss of M that corresponds to z; `None` where the ratio is not known to be positive.
    fn place(&self, z: Interval) -> Option<Interval> {
        let ratio = self.ratio(z);
        (ratio.lo() > -1.0).then(|| match self.direction {
            Direction::Removal => ratio.ln_1p(),
            Direction::Addition => -ratio.ln_1p(),
        })
    }

    /// Whether z is beyond the end of the loss on the side where the sample does not matter.
    fn is_beyond(&self, z: Interval) -> bool {
        self.ratio(z).hi() < -1.0
    }
}

impl Law for Sampled {
    fn profile(&self, z: Interval) -> Interval {
        let trivial = (-z.exp_m1()).max(Interval::ZERO);
        let Some(place) = self.place(z) else {
            return match self.direction {
                _ if self.is_beyond(z) && self.direction == Direction::Removal => trivial,
                _ if self.is_beyond(z) => Interval::ZERO,
                // Between the trivial profile and what it is at s = 0, or at t = 0.
                Direction::Removal => trivial.hull(self.rate),
                Direction::Addition => {
                    Interval::ZERO.hull((-z.exp_m1() + self.rate * z.exp()).max(Interval::ZERO))
                }
            };
        };
        match self.direction {
            Direction::Removal => (self.rate * self.law.profile(place)).max(trivial),
            Direction::Addition => {
                // t = e^z·q·(1 + ratio), as 1 − e^z(1−q) = e^z(e^-z − 1 + q).
                let t = z.exp() * self.rate * (Interval::ONE + self.ratio(z));
                (t * self.law.profile(place)).max(trivial)
            }
        }
    }

    fn tails(&self, z: Interval) -> Tails {
        let Some(place) = self.place(z) else {
            let beyond = match self.direction {
                Direction::Removal => Tails::ALL,
                Direction::Addition => Tails::NONE,
            };
            // Near the end anything may be true.
            return if self.is_beyond(z) {
                beyond
            } else {
                Tails::ALL.hull(Tails::NONE)
            };
        };
        let tails = self.law.tails(place);
        match self.direction {
            Direction::Removal => Tails {
                p: self.rest * tails.q + self.rate * tails.p,
                q: tails.q,
            },
            Direction::Addition => Tails {
                p: tails.p,
                q: self.rest * tails.p + self.rate * tails.q,
            },
        }
    }

    fn infinite(&self) -> Interval {
        match self.direction {
            Direction::Removal => self.rate * self.law.infinite(),
            Direction::Addition => Interval::ZERO,
        }
    }

    fn atom(&self) -> Option<f64> {
        None
    }
}
