use lastbit_exact::{Dyadic, Interval, Rational, Rounding, exp_enclosure};

use super::order::{Enclosed, ln};
use crate::Error;

/// Two laws on finitely many outcomes, with exact probabilities: every measure of this crate, from
/// its definition.
///
/// For audits and tests, and to look at what a cast gives away. Each measure is the larger of both
/// orders of the two laws, as neighbours have no order. `None` stands for an infinite divergence.
///
/// ```
/// use lastbit::conversions::{FinitePair, pure_to_zcdp};
/// use lastbit::{Rational, Up};
/// // Randomized response that tells the truth with probability 3/4.
/// let [lie, truth] = [Rational::new(1, 4), Rational::new(3, 4)];
/// let pair = FinitePair::new(vec![truth.clone(), lie.clone()], vec![lie, truth])?;
/// let epsilon = pair.max_divergence().unwrap();
/// assert!(epsilon.contains(3f64.ln()));
/// assert!(pair.range_divergence().unwrap().hi() > 2.19);                    // 2 ln 3
/// let renyi = pair.renyi_divergence(&Rational::new(2, 1))?.unwrap();      // ln(7/3)
/// assert!(renyi.hi() <= 2.0 * pure_to_zcdp(epsilon.upper())?.get());
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinitePair {
    /// The probabilities of each outcome under the two laws; not both zero.
    outcomes: Vec<(Rational, Rational)>,
}

impl FinitePair {
    /// From the probabilities of each outcome under either law, each zero or more and of sum 1.
    pub fn new(p: Vec<Rational>, q: Vec<Rational>) -> Result<FinitePair, Error> {
        if p.len() != q.len() {
            return Err(Error::other(format!(
                "the laws have {} and {} outcomes; give an outcome that one of them lacks \
                 probability 0",
                p.len(),
                q.len()
            )));
        }
        for law in [&p, &q] {
            let sum = law.iter().fold(Rational::ZERO, |sum, x| &sum + x);
            if law.iter().any(Rational::is_negative) || sum != Rational::ONE {
                return Err(Error::other(
                    "probabilities must be zero or more and add up to 1 exactly; divide each by \
                     their sum",
                ));
            }
        }
        let outcomes = p.into_iter().zip(q);
        Ok(FinitePair {
            outcomes: outcomes
                .filter(|(p, q)| p.is_positive() || q.is_positive())
                .collect(),
        })
    }

    /// The smallest ε with `P(S) ≤ e^ε Q(S)` for every event, in both orders.
    pub fn max_divergence(&self) -> Option<Interval> {
        let (least, most) = self.extreme_ratios()?;
        // ln P/Q at its largest, or ln Q/P.
        let larger = most.max(&Rational::ONE / &least);
        Some(ln(&Enclosed::of(&larger)).to_interval())
    }

    /// The smallest η with `ln(P(x)/Q(x)) − ln(P(y)/Q(y)) ≤ η` for all outcomes, in both orders.
    ///
    /// An outcome that only one law can give makes it infinite: in the order that starts from that
    /// law its loss is infinite, however narrow the losses look from the other.
    pub fn range_divergence(&self) -> Option<Interval> {
        let (least, most) = self.extreme_ratios()?;
        Some(ln(&Enclosed::of(&(&most / &least))).to_interval())
    }

    /// `D_α = ln(Σ P^α Q^(1−α))/(α−1)` at an order `α > 1`, the larger of both orders of the laws.
    pub fn renyi_divergence(&self, order: &Rational) -> Result<Option<Interval>, Error> {
        let tau = order - &Rational::ONE;
        if !tau.is_positive() || *order > Rational::from(1i64 << 30) {
            return Err(Error::distance(format!(
                "the order must be above 1 and at most 2^30, got {order}"
            )));
        }
        if self.extreme_ratios().is_none() {
            return Ok(None);
        }
        let one_way = |law: fn(&(Rational, Rational)) -> (&Rational, &Rational)| {
            let mut sum = Enclosed::ZERO;
            for (p, q) in self.outcomes.iter().map(law) {
                // Q·(P/Q)^α
                let power = exp(&ln(&Enclosed::of(&(p / q))).times(order));
                sum = &sum + &power.times(q);
            }
            &ln(&sum) / &Enclosed::of(&tau)
        };
        let forward = one_way(|(p, q)| (p, q));
        let backward = one_way(|(p, q)| (q, p));
        Ok(Some(
            forward
                .to_interval()
                .max(backward.to_interval())
                .max(Interval::ZERO),
        ))
    }

    /// The smallest δ with `P(S) ≤ e^ε Q(S) + δ` for every event, in both orders.
    pub fn delta(&self, epsilon: &Rational) -> Result<Interval, Error> {
        if epsilon.is_negative() || *epsilon > Rational::from(1i64 << 30) {
            return Err(Error::distance(format!(
                "epsilon must be from 0 to 2^30, got {epsilon}"
            )));
        }
        let factor = exp(&Enclosed::of(epsilon));
        let one_way = |law: fn(&(Rational, Rational)) -> (&Rational, &Rational)| {
            // The best event holds the outcomes with P > e^ε Q.
            self.outcomes
                .iter()
                .map(law)
                .fold(Enclosed::ZERO, |sum, (p, q)| {
                    let excess = &Enclosed::of(p) - &factor.times(q);
                    &sum + &excess.at_least(&Dyadic::ZERO)
                })
        };
        let forward = one_way(|(p, q)| (p, q));
        let backward = one_way(|(p, q)| (q, p));
        Ok(forward.to_interval().max(backward.to_interval()))
    }

    /// The smallest and the largest `P/Q`; `None` if the supports differ.
    fn extreme_ratios(&self) -> Option<(Rational, Rational)> {
        let mut extremes: Option<(Rational, Rational)> = None;
        for (p, q) in &self.outcomes {
            if !p.is_positive() || !q.is_positive() {
                return None;
            }
            let ratio = p / q;
            extremes = Some(match extremes {
                None => (ratio.clone(), ratio),
                Some((least, most)) => (least.min(ratio.clone()), most.max(ratio)),
            });
        }
        extremes
    }
}

/// `e^x`, to 150 bits, for `|x| < 2^40`.
fn exp(x: &Enclosed) -> Enclosed {
    let lo = exp_enclosure(x.lo(), 150).lo().round(160, Rounding::Down);
    let hi = exp_enclosure(x.hi(), 150).hi().round(160, Rounding::Up);
    Enclosed::between(&lo, &hi)
}
