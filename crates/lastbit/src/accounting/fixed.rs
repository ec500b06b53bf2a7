//! What a release of several statistics costs, each by its law.

use lastbit_exact::{Down, Rational, Up};

use super::{Composition, Pair, gaussian_epsilon};
use crate::Error;

/// Losses that are fixed beforehand, each by what is known of its law: Gaussian noise as its
/// squared distance, Laplace noise, and selections of bounded range.
///
/// ```
/// use lastbit::accounting::FixedLosses;
/// use lastbit::Rational;
/// let mut all = FixedLosses::gaussian(Rational::new(1, 10));
/// all.add(&FixedLosses::gaussian(Rational::new(3, 20)));
/// let delta = Rational::new(1, 1_000_000);
/// assert!(all.epsilon(&delta)?.get() < 2.27); // by zCDP it is 2.44
/// all.add(&FixedLosses::bounded_range(Rational::new(1, 10), 3));
/// assert!(all.epsilon(&delta)?.get() < 2.4); // 2.57 if the ranges were added to it
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FixedLosses {
    mu_squared: Rational,
    /// Each kind and size once, with how often it comes.
    others: Vec<(Kind, Rational, u64)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Laplace,
    Range,
}

impl FixedLosses {
    /// Gaussian noise on what moves by at most μ standard deviations, in L2: `μ²`.
    pub fn gaussian(mu_squared: Rational) -> FixedLosses {
        FixedLosses {
            mu_squared,
            others: vec![],
        }
    }

    /// Laplace noise on one or several numbers that move by at most ε scales, in L1: see
    /// [`Pair::laplace`].
    pub fn laplace(epsilon: Rational) -> FixedLosses {
        FixedLosses {
            mu_squared: Rational::ZERO,
            others: vec![(Kind::Laplace, epsilon, 1)],
        }
    }

    /// So many selections of bounded range η each.
    pub fn bounded_range(eta: Rational, count: u64) -> FixedLosses {
        FixedLosses {
            mu_squared: Rational::ZERO,
            others: vec![(Kind::Range, eta, count)],
        }
    }

    /// Adds the losses of other releases.
    pub fn add(&mut self, more: &FixedLosses) {
        self.mu_squared = &self.mu_squared + &more.mu_squared;
        for (kind, size, count) in &more.others {
            let same = self
                .others
                .iter_mut()
                .find(|(other, of, _)| (other, of) == (kind, size));
            match same {
                Some((_, _, times)) => *times = times.saturating_add(*count),
                None => self.others.push((*kind, size.clone(), *count)),
            }
        }
    }

    /// The sum of squared distances if all noise is Gaussian.
    pub fn mu_squared(&self) -> Option<&Rational> {
        self.others.is_empty().then_some(&self.mu_squared)
    }

    /// An ε at δ, rounded up: the exact profile if all noise is Gaussian, else by the laws of all
    /// losses, on a grid of a few thousand points.
    pub fn epsilon(&self, delta: &Rational) -> Result<Up, Error> {
        if self.others.is_empty() {
            return gaussian_epsilon(&self.mu_squared, delta);
        }
        let mut pairs = Vec::with_capacity(1 + self.others.len());
        if self.mu_squared.is_positive() {
            let mu = Up::from_rational(&self.mu_squared).sqrt();
            pairs.push((Pair::gaussian(&crate::finite("mu", mu.get())?)?, 1));
        }
        for (kind, size, count) in &self.others {
            let pair = match kind {
                Kind::Laplace => Pair::laplace(size)?,
                Kind::Range => Pair::bounded_range(size)?,
            };
            pairs.push((pair, *count));
        }
        let delta = Down::from_rational(delta);
        Composition::coarse_epsilon(&pairs, delta)
    }
}
