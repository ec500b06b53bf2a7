//! A loss that is infinite with some probability.

use std::sync::Arc;

use lastbit_exact::{Interval, Rational, Up};

use super::pair::{Law, Tails};

/// Infinite with probability δ, else the loss of another law:
/// [`Pair::with_delta`](super::Pair::with_delta).
#[derive(Debug)]
pub(super) struct LawWithDelta {
    law: Arc<dyn Law>,
    exact: Rational,
    delta: Interval,
    rest: Interval,
}

impl LawWithDelta {
    pub(super) fn new(law: Arc<dyn Law>, delta: &Rational) -> LawWithDelta {
        LawWithDelta {
            law,
            exact: delta.clone(),
            delta: Interval::from_rational(delta),
            rest: Interval::from_rational(&(&Rational::ONE - delta)),
        }
    }
}

impl Law for LawWithDelta {
    fn profile(&self, z: Interval) -> Interval {
        self.delta + self.rest * self.law.profile(z)
    }

    fn epsilon(&self, delta: &Rational) -> Option<Up> {
        // What is left of δ, exactly, so that a pair has its own ε at its own δ.
        let left = delta - &self.exact;
        let rest = &Rational::ONE - &self.exact;
        if left.is_negative() {
            None
        } else if rest.is_zero() {
            Some(Up::ZERO)
        } else {
            self.law.epsilon(&(&left / &rest))
        }
    }

    fn tails(&self, z: Interval) -> Tails {
        let tails = self.law.tails(z);
        Tails {
            p: self.delta + self.rest * tails.p,
            q: self.rest * tails.q,
        }
    }

    fn infinite(&self) -> Interval {
        self.delta + self.rest * self.law.infinite()
    }

    fn atom(&self) -> Option<f64> {
        self.law.atom()
    }
}
