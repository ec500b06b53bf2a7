//! Pairs of laws that dominate a release.

use core::fmt;
use core::ops::RangeInclusive;
use std::sync::Arc;

use lastbit_exact::{Down, Interval, Rational, Up};

use super::atoms::Atoms;
use super::bounded_range::BoundedRange;
use super::gaussian::Gaussian;
use super::geometric::Geometric;
use super::laplace::Laplace;
use super::sampled::{Direction, Sampled};
use super::search::first_double;
use super::with_delta::LawWithDelta;
use crate::Error;
use crate::conversions::{LossBound, gaussian_to_zcdp};

/// One order of a pair of laws: the loss `Z = ln dP/dQ` under P.
///
/// With `Y = e^-Z = dQ/dP` the profile is `δ(z) = E[max(0, 1 − e^z·Y)]`, for z of either sign.
pub(super) trait Law: fmt::Debug + Send + Sync {
    /// `δ(z)`, enclosed for every z inside; narrow relative to itself where z is.
    fn profile(&self, z: Interval) -> Interval;

    /// `δ(k·step)` for every k, for steps whose multiples are doubles.
    fn profile_on(&self, step: f64, places: RangeInclusive<i64>) -> Vec<Interval> {
        let at = |k| self.profile(Interval::point(k as f64 * step));
        places.map(at).collect()
    }

    /// `P(Z > z)` and `Q(Z > z)`, enclosed for every z inside.
    fn tails(&self, z: Interval) -> Tails;

    /// At or above the smallest `z ≥ 0` with `δ(z) ≤ delta`; `None` if no double is known to be.
    fn epsilon(&self, delta: &Rational) -> Option<Up> {
        let target = Down::from_rational(delta).get();
        first_double(|z| self.profile(Interval::point(z)).hi() <= target).map(Up::exact)
    }

    /// `P(Z = ∞)`.
    fn infinite(&self) -> Interval {
        Interval::ZERO
    }

    /// μ, if this is Gaussian noise: several are one, with `μ² = Σμᵢ²`.
    fn mu(&self) -> Option<Interval> {
        None
    }

    /// The loss of the heaviest atom, about; `None` if the loss has a density alone.
    fn atom(&self) -> Option<f64> {
        None
    }
}

/// The mass of all outcomes with a loss above some number, under either law.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tails {
    pub(super) p: Interval,
    pub(super) q: Interval,
}

impl Tails {
    pub(super) const ALL: Tails = Tails {
        p: Interval::ONE,
        q: Interval::ONE,
    };
    pub(super) const NONE: Tails = Tails {
        p: Interval::ZERO,
        q: Interval::ZERO,
    };

    pub(super) fn hull(self, other: Tails) -> Tails {
        Tails {
            p: self.p.hull(other.p),
            q: self.q.hull(other.q),
        }
    }
}

/// Two laws that are at least as easy to tell apart as what a kind of release makes of any two
/// neighbours, in both orders.
///
/// A release is *dominated* by (P, Q) if `sup_S M(x)(S) − e^z·M(x')(S) ≤ δ(z)` for all neighbours
/// x, x' and all z of either sign, where δ is the profile of (P, Q). Releases made one after
/// another, also with earlier results in sight, are then dominated by the product of their pairs,
/// as long as the pairs are fixed beforehand:
///
/// **Proof.** Let `Y_2` be `dQ/dP` of the later release and `Y_1` that of the earlier. Given the
/// result of the earlier, `E[max(0, 1 − e^z·y_1·Y_2)] ≤ δ_2(z + ln y_1)`, and `y ↦ δ_2(z + ln y)`
/// is a convex function of y that falls. Every such function that tends to 0 is a mixture of
/// `max(0, 1 − sy)`, so its mean over `Y_1` is at most the mean over the law of the first pair. ∎
/// (Zhu, Dong and Wang, 2022.)
///
/// ```
/// use lastbit::accounting::Pair;
/// use lastbit::{Down, Rational};
/// let laplace = Pair::laplace(&Rational::ONE)?;
/// let delta = laplace.delta(&Rational::ZERO)?;
/// assert!(delta.contains(1.0 - (-0.5f64).exp()));
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pair {
    /// The orders that differ: one for pairs whose orders have the same profile.
    pub(super) orders: Vec<Arc<dyn Law>>,
    /// As many laws, of one release of the kind, for lower bounds; `None` if one release has those
    /// of `orders`.
    pub(super) attained: Option<Vec<Arc<dyn Law>>>,
    /// What is known of its Rényi divergences, and the δ of events outside which that holds; `None`
    /// if nothing is.
    pub(super) divergence: Option<(LossBound, Rational)>,
}

impl Pair {
    /// Every ε-DP release.
    ///
    /// The pair is [randomized response](Pair::response) between two answers.
    ///
    /// **Proof.** For `−ε ≤ z ≤ ε`: `M(x)(S) = p` and `M(x')(S) = q` obey `p ≤ e^ε q` and
    /// `1 − q ≤ e^ε(1 − p)`. Under these, `p − e^z q` is largest where both are equations, at
    /// `q = 1/(1 + e^ε)`, which randomized response attains. Above ε both profiles are 0, below −ε
    /// both are `1 − e^z`. ∎ (Kairouz, Oh and Viswanath, 2015.) So products of these pairs are the
    /// optimal composition of unequal pure losses (Murtagh and Vadhan, 2016).
    pub fn pure(epsilon: &Rational) -> Result<Pair, Error> {
        Pair::response(epsilon, 2)
    }

    /// Randomized response among `categories`, ε-DP: the true one with probability
    /// `e^ε/(e^ε + k − 1)`.
    pub fn response(epsilon: &Rational, categories: u64) -> Result<Pair, Error> {
        loss("epsilon", epsilon)?;
        if categories < 2 {
            return Err(Error::composition(format!(
                "randomized response needs two categories or more, got {categories}"
            )));
        }
        let known = LossBound::Pure(Up::from_rational(epsilon));
        Ok(Pair::symmetric(Atoms::response(epsilon, categories), known))
    }

    /// Two-sided geometric noise on an integer that moves by `distance`: ε-DP in all.
    pub fn geometric(epsilon: &Rational, distance: u64) -> Result<Pair, Error> {
        loss("epsilon", epsilon)?;
        if distance == 0 || distance > FARTHEST {
            return Err(Error::composition(format!(
                "geometric noise hides a distance from 1 to {FARTHEST}, got {distance}; take \
                 Laplace noise for more"
            )));
        }
        let known = LossBound::Pure(Up::from_rational(epsilon));
        match Geometric::new(epsilon, distance) {
            Some(law) => Ok(Pair::symmetric(law, known)),
            // Next to nothing: what holds for every ε-DP release will do.
            None => Pair::pure(epsilon),
        }
    }

    /// Every (ε, δ) release.
    ///
    /// **Proof.** Such a release is a function of
    /// `randomized response with probability 1 − δ, and otherwise the answer itself` (Kairouz, Oh
    /// and Viswanath, 2015); for δ = 0 that is [`Pair::pure`]. ∎
    pub fn approximate(epsilon: &Rational, delta: &Rational) -> Result<Pair, Error> {
        Pair::pure(epsilon)?.with_delta(delta)
    }

    /// Laplace noise, or exact snapping, on one or several numbers that move by at most ε scales in
    /// L1: ε-DP. Rounding to a grid is post-processing.
    ///
    /// **Proof** that several numbers are no worse than one. It is enough that noise on two that
    /// move by a and b is dominated by noise on one that moves by `a + b`; let `a ≥ b`. The profile
    /// of one is `h_a(z) = 1 − e^((z−a)/2)` for `|z| ≤ a` and 0 above; that of two is the mean of
    /// `h_a(z − L)` over the loss L of the second, which is b with probability 1/2, −b with
    /// `e^-b/2`, and has the density `e^(−(b−l)/2)/4` between. As
    /// `E[e^(−L/2)] = (1 + b/2)·e^(−b/2)`, for `|z| ≤ a − b` that is `1 − (1 + b/2)·e^((z−a−b)/2)`.
    /// For `z = a − b + u`, `0 ≤ u ≤ 2b`, losses below `z − a` add
    /// `E[max(0, e^((z−L−a)/2) − 1)] = (u/4)·e^(u/2−b)`, so it is `1 − (1 + b/2 − u/4)·e^(u/2−b)`.
    /// Both are at most `h_(a+b)(z) = 1 − e^((z−a−b)/2)`. Both orders are alike, so it holds for z
    /// below 0 too. ∎
    pub fn laplace(epsilon: &Rational) -> Result<Pair, Error> {
        loss("epsilon", epsilon)?;
        let known = LossBound::Laplace(Up::from_rational(epsilon));
        Ok(Pair::symmetric(Laplace::new(epsilon), known))
    }

    /// Gaussian noise on a number or vector that moves by at most `mu` standard deviations in L2.
    /// Rounding to a grid is post-processing.
    pub fn gaussian(mu: &Rational) -> Result<Pair, Error> {
        loss("mu", mu)?;
        if *mu > Rational::from(1i64 << 20) {
            return Err(Error::unbounded(
                "noise of a millionth of the distance hides nothing; use more of it",
            ));
        }
        Ok(if mu.is_zero() {
            Pair::response(mu, 2)?
        } else {
            let rho = gaussian_to_zcdp(&(mu * mu));
            let known = LossBound::Zcdp(Up::from_rational(&rho));
            Pair::symmetric(Gaussian::new(mu), known)
        })
    }

    /// Every release of η-bounded range, such as the exponential mechanism.
    ///
    /// No one release has this pair: it is the worst of another release at every ε. So products of
    /// it are above what any releases of these ranges cost together, and sums of Rényi divergences
    /// may be smaller. Lower bounds are about randomized response at `ε = η/2`, whose losses `±η/2`
    /// have this range.
    pub fn bounded_range(eta: &Rational) -> Result<Pair, Error> {
        loss("eta", eta)?;
        let half = Pair::response(&(eta * &Rational::new(1, 2)), 2)?;
        Ok(if eta.is_zero() {
            half
        } else {
            let known = LossBound::BoundedRange(Up::from_rational(eta));
            Pair {
                attained: Some(half.orders),
                ..Pair::symmetric(BoundedRange::new(eta), known)
            }
        })
    }

    /// A release that is dominated by this pair but for events of probability δ, such as one with a
    /// threshold.
    ///
    /// **Proof.** Let `P = (1−α)P_0 + αP_1` and `Q = (1−β)Q_0 + βQ_1` with `α, β ≤ δ`. For an event
    /// S, let `a = P_0(S)` and `b = e^z·Q_0(S)`. Then `P(S) − e^z·Q(S) ≤ α + (1−α)a − (1−β)b`,
    /// which grows with α and with β, so it is at most `δ + (1−δ)(a − b)`. That is the profile of a
    /// loss that is infinite with probability δ, and as before otherwise. ∎
    pub fn with_delta(self, delta: &Rational) -> Result<Pair, Error> {
        if delta.is_negative() || *delta > Rational::ONE {
            return Err(Error::distance(format!(
                "delta must be a probability from 0 to 1, got {delta}"
            )));
        }
        if delta.is_zero() {
            return Ok(self);
        }
        let divergence = self.divergence.clone();
        let divergence = divergence.map(|(loss, own)| (loss, &own + delta));
        Ok(self.each(divergence, |laws| {
            let laws = laws.into_iter();
            laws.map(|law| Arc::new(LawWithDelta::new(law, delta)) as Arc<dyn Law>)
                .collect()
        }))
    }

    /// The release made from a secret Poisson sample: each row is in it with probability `rate`, by
    /// itself; for neighbours that differ by one row more or less. The pair must hold for these
    /// neighbours, in both orders alike.
    ///
    /// The proof is with the two orders that come of it, in `sampled.rs`: from here on they differ.
    pub fn poisson_sampled(self, rate: &Rational) -> Result<Pair, Error> {
        if !rate.is_positive() || *rate > Rational::ONE {
            return Err(Error::composition(format!(
                "a sampling rate must be above 0 and at most 1, got {rate}; it is the chance of \
                 one row to be in the sample"
            )));
        }
        if self.orders.len() > 1 {
            return Err(Error::composition(
                "a sample of a sample: multiply the rates, and sample once",
            ));
        }
        if *rate == Rational::ONE {
            return Ok(self);
        }
        let order = |law: &Arc<dyn Law>, direction| {
            Arc::new(Sampled::new(law.clone(), rate, direction)) as Arc<dyn Law>
        };
        // The removal first: `Composition::power` is about it.
        // Nothing is known of the divergences: from a sample a bounded range is none.
        Ok(self.each(None, |laws| {
            let laws = laws.iter();
            laws.flat_map(|law| [Direction::Removal, Direction::Addition].map(|d| order(law, d)))
                .collect()
        }))
    }

    /// `δ(ε)` of one release, enclosed.
    pub fn delta(&self, epsilon: &Rational) -> Result<Interval, Error> {
        loss("epsilon", epsilon)?;
        let z = Interval::from_rational(epsilon);
        let profiles = self.orders.iter().map(|law| law.profile(z));
        Ok(profiles
            .fold(Interval::ZERO, Interval::max)
            .min(Interval::ONE))
    }

    /// The smallest ε at δ of one release, rounded up; `None` if no finite ε holds.
    pub fn epsilon(&self, delta: &Rational) -> Result<Option<Up>, Error> {
        if delta.is_negative() || *delta > Rational::ONE {
            return Err(Error::distance(format!(
                "delta must be a probability from 0 to 1, got {delta}"
            )));
        }
        let mut most = Up::ZERO;
        for law in &self.orders {
            match law.epsilon(delta) {
                Some(epsilon) => most = most.max(epsilon),
                None => return Ok(None),
            }
        }
        Ok(Some(most))
    }

    fn symmetric(law: impl Law + 'static, known: LossBound) -> Pair {
        Pair {
            orders: vec![Arc::new(law)],
            attained: None,
            divergence: Some((known, Rational::ZERO)),
        }
    }

    /// With all laws changed in the same way.
    fn each(
        self,
        divergence: Option<(LossBound, Rational)>,
        change: impl Fn(Vec<Arc<dyn Law>>) -> Vec<Arc<dyn Law>>,
    ) -> Pair {
        Pair {
            orders: change(self.orders),
            attained: self.attained.map(change),
            divergence,
        }
    }
}

/// The largest distance of geometric noise; from there on its loss is that of Laplace noise.
const FARTHEST: u64 = 1 << 16;

/// A parameter that says something.
pub(super) fn loss(name: &'static str, value: &Rational) -> Result<(), Error> {
    if value.is_negative() {
        return Err(Error::distance(format!(
            "{name} must be zero or more, got {value}"
        )));
    }
    if *value > Rational::from(LARGEST_LOSS) {
        return Err(Error::unbounded(format!(
            "{name} is above {LARGEST_LOSS}, and hides nothing; use a smaller loss"
        )));
    }
    Ok(())
}

/// Losses beyond this are refused; `e^700` is still a double.
const LARGEST_LOSS: i64 = 700;
