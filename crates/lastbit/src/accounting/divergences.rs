//! Rényi divergences of many releases, each but for events of some probability.

use lastbit_exact::{Down, Rational, Up};

use crate::Error;
use crate::conversions::{
    LossBound, Losses, renyi_to_approximate_delta, renyi_to_approximate_epsilon,
};
use crate::measures::RenyiCurve;

/// What releases cost together by the sum of their Rényi divergences, where each divergence holds
/// but for events of some probability, such as those of a threshold. Losses are fixed beforehand.
///
/// **Proof.** If a release has the laws P and Q with `P = (1−α)P_0 + αP_1`, `Q = (1−β)Q_0 + βQ_1`
/// and `α, β ≤ δ`, then both are `(1−δ)·P_0` and `(1−δ)·Q_0` and a rest of mass δ. Let each release
/// also tell whether it is of the rest; that is no more private. Given that none of several
/// releases is, which has a probability of at least `1 − Σδ` under either law, they are releases
/// whose divergences add up, also adaptively. So an event S has
/// `P(S) − e^ε·Q(S) ≤ d + (1−d)·δ_0(ε)`, where `δ_0` is the profile by the sum and `d = Σδ`: it
/// grows with d, as `δ_0 ≤ 1`. ∎
///
/// ```
/// use lastbit::accounting::Divergences;
/// use lastbit::conversions::LossBound;
/// use lastbit::{Rational, Up};
/// let range = LossBound::BoundedRange(Up::ONE);
/// let losses = Divergences::new([(range, Rational::ZERO, 100)])?;
/// let delta = Rational::new(1, 1_000_000);
/// assert!(losses.epsilon(&delta)?.get() < 36.37);
/// // With thresholds that spend half of δ.
/// let own = &delta / &Rational::from(200u64);
/// let losses = Divergences::new([(range, own, 100)])?;
/// assert!(losses.epsilon(&delta)?.get() < 37.0);
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Debug)]
pub struct Divergences {
    sum: RenyiCurve,
    /// At least the probability of all those events together; at most 1.
    own: Rational,
}

impl Divergences {
    /// Of releases: what is known of each, the probability of the events outside which it holds,
    /// and how often it is made.
    pub fn new(
        releases: impl IntoIterator<Item = (LossBound, Rational, u64)>,
    ) -> Result<Divergences, Error> {
        let mut own = Rational::ZERO;
        let mut losses = Vec::new();
        for (loss, delta, count) in releases {
            probability("delta", &delta)?;
            own = &own + &(&delta * &Rational::from(count));
            losses.push((loss, count));
        }
        Ok(Divergences {
            sum: Losses::new(losses)?.renyi()?,
            own: own.min(Rational::ONE),
        })
    }

    /// At or above the smallest ε at δ; infinite where no finite ε is known to hold.
    pub fn epsilon(&self, delta: &Rational) -> Result<Up, Error> {
        probability("delta", delta)?;
        let left = delta - &self.own;
        if !left.is_positive() {
            return Ok(Up::INFINITY);
        }
        // Some δ is left, so that own events are not all.
        let left = Down::from_rational(&(&left / &(&Rational::ONE - &self.own)));
        match renyi_to_approximate_epsilon(&self.sum, left) {
            Err(error) if error.is_unbounded() => Ok(Up::INFINITY),
            epsilon => epsilon,
        }
    }

    /// At or above the smallest δ at ε, at most 1.
    pub fn delta(&self, epsilon: &Rational) -> Result<Up, Error> {
        self.delta_at(Down::from_rational(epsilon))
    }

    fn delta_at(&self, epsilon: Down) -> Result<Up, Error> {
        let delta = renyi_to_approximate_delta(&self.sum, epsilon)?.min(Up::ONE);
        let rest = Up::from_rational(&(&Rational::ONE - &self.own));
        Ok((Up::from_rational(&self.own) + rest * delta).min(Up::ONE))
    }

    /// At least the power of every test at a level: the probability that it finds a person who is
    /// in the data, if it finds one who is not with probability at most `level`.
    ///
    /// **Proof.** As an event S, `P(S) ≤ δ(ε) + e^ε·Q(S)` for every ε. This search is over some. ∎
    ///
    /// ```
    /// use lastbit::accounting::Divergences;
    /// use lastbit::conversions::LossBound;
    /// use lastbit::{Rational, Up};
    /// let range = LossBound::BoundedRange(Up::ONE);
    /// let losses = Divergences::new([(range, Rational::ZERO, 100)])?;
    /// let level: Rational = "1e-25".parse().unwrap();
    /// assert!(losses.power(&level)?.get() < 1e-6);
    /// # Ok::<(), lastbit::Error>(())
    /// ```
    pub fn power(&self, level: &Rational) -> Result<Up, Error> {
        probability("the level of a test", level)?;
        let level = Up::from_rational(level);
        let at = |epsilon: f64| -> Result<Up, Error> {
            let delta = self.delta_at(Down::exact(epsilon))?;
            Ok(delta + Up::exact(epsilon).exp() * level)
        };
        // The best is where the odds are of the level's order; then a finer search around it.
        let mut best = (0.0, at(0.0)?);
        let mut step = 64.0;
        let end = 704.0;
        for _ in 0..6 {
            let middle: f64 = best.0;
            for k in -8..=11 {
                let epsilon = middle + f64::from(k) * step;
                if (0.0..=end).contains(&epsilon) {
                    let power = at(epsilon)?;
                    if power < best.1 {
                        best = (epsilon, power);
                    }
                }
            }
            step /= 8.0;
        }
        Ok(best.1.min(Up::ONE))
    }
}

fn probability(name: &str, value: &Rational) -> Result<(), Error> {
    if value.is_negative() || *value > Rational::ONE {
        return Err(Error::distance(format!(
            "{name} must be a probability from 0 to 1, got {value}"
        )));
    }
    Ok(())
}
