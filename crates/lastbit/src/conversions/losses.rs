use lastbit_exact::{Down, Rational, Up};

use super::charges::{Charge, Charges};
use super::checks::at_least_zero;
use super::composition_rule::CompositionRule;
use super::loss_bound::LossBound;
use super::{optimal_composition, renyi_to_approximate_epsilon, zcdp_to_approximate_epsilon};
use crate::Error;
use crate::measures::RenyiCurve;

/// The losses of releases to be made, in any order, each chosen with the results of those before it
/// in sight.
///
/// ```
/// use lastbit::conversions::{CompositionRule, Losses, LossBound};
/// use lastbit::{Down, Up};
/// // 100 selections by the exponential mechanism at ε = 0.1.
/// let losses = Losses::repeated(LossBound::BoundedRange(Up::exact(0.1)), 100)?;
/// let charges = losses.charges(Down::exact(1e-6))?;
/// assert_eq!(charges.epsilon(CompositionRule::Basic).unwrap().get(), 10.000000000000002);
/// assert!(charges.best().unwrap().epsilon < charges.epsilon(CompositionRule::Zcdp));
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Losses {
    /// At least one, each with a positive count and a loss that is zero or more and finite.
    releases: Vec<(LossBound, u64)>,
}

impl Losses {
    /// Releases and how often each is made.
    ///
    /// ```
    /// use lastbit::conversions::{CompositionRule, LossBound, Losses};
    /// use lastbit::{Down, Up};
    /// let losses =
    ///     Losses::new([(LossBound::Pure(Up::ONE), 2), (LossBound::Laplace(Up::exact(0.5)), 4)])?;
    /// let charges = losses.charges(Down::ZERO)?;
    /// assert_eq!(charges.epsilon(CompositionRule::Basic), Some(Up::exact(4.0)));
    /// # Ok::<(), lastbit::Error>(())
    /// ```
    pub fn new(releases: impl IntoIterator<Item = (LossBound, u64)>) -> Result<Losses, Error> {
        let releases: Vec<_> = releases.into_iter().filter(|&(_, k)| k > 0).collect();
        if releases.is_empty() {
            return Err(Error::composition(
                "the plan has no releases; give at least one",
            ));
        }
        for (release, _) in &releases {
            release.rho()?;
        }
        Ok(Losses { releases })
    }

    /// The same release, `count` times.
    ///
    /// ```
    /// use lastbit::conversions::{Losses, LossBound};
    /// use lastbit::Up;
    /// assert!(Losses::repeated(LossBound::Pure(Up::ONE), 3).is_ok());
    /// assert!(Losses::repeated(LossBound::Pure(Up::ONE), 0).is_err());
    /// ```
    pub fn repeated(release: LossBound, count: u64) -> Result<Losses, Error> {
        Losses::new([(release, count)])
    }

    /// The smallest ε at `delta` that each rule proves, side by side. At `δ = 0` only pure
    /// rules have one.
    pub fn charges(&self, delta: Down) -> Result<Charges, Error> {
        let value = at_least_zero("delta", delta)?;
        if value > 1.0 {
            return Err(Error::distance(format!(
                "delta must be at most 1, got {delta}; it is a probability"
            )));
        }
        let charges = self
            .rules()
            .into_iter()
            .map(|rule| {
                let epsilon = match self.charge(rule, delta) {
                    Ok(epsilon) => epsilon.filter(|epsilon| epsilon.is_finite()),
                    // A sum beyond the largest double, or too many releases for this rule.
                    Err(error) if error.is_unbounded() || error.is_composition() => None,
                    Err(error) => return Err(error),
                };
                Ok(Charge { rule, epsilon })
            })
            .collect::<Result<_, Error>>()?;
        Ok(Charges::new(charges))
    }

    /// The range η of all together if all releases are fixed in advance; `None` if one has no
    /// bounded range.
    ///
    /// **Proof.** The loss of independent releases is the sum of their losses, each in an interval
    /// of its own. A release chosen by the results of others may shift its interval with them, so
    /// this does not hold adaptively. ∎
    ///
    /// ```
    /// use lastbit::conversions::{LossBound, Losses};
    /// use lastbit::Up;
    /// let losses =
    ///     Losses::new([(LossBound::BoundedRange(Up::ONE), 2), (LossBound::Pure(Up::ONE), 1)])?;
    /// assert_eq!(losses.eta_if_fixed()?, Some(Up::exact(4.0)));
    /// # Ok::<(), lastbit::Error>(())
    /// ```
    pub fn eta_if_fixed(&self) -> Result<Option<Up>, Error> {
        self.sum(LossBound::eta)
    }

    /// The rules that can tell something of their own about these losses.
    fn rules(&self) -> Vec<CompositionRule> {
        let any = |kind: fn(&LossBound) -> bool| self.releases.iter().any(|(r, _)| kind(r));
        let mut list = vec![
            CompositionRule::Basic,
            CompositionRule::Advanced,
            CompositionRule::Optimal,
            CompositionRule::Zcdp,
        ];
        if any(|r| matches!(r, LossBound::BoundedRange(_))) {
            list.extend([
                CompositionRule::BoundedRangeAdvanced,
                CompositionRule::BoundedRangeZcdp,
            ]);
        } else if any(|r| matches!(r, LossBound::Laplace(_))) {
            list.extend([
                CompositionRule::LaplaceAdvanced,
                CompositionRule::LaplaceZcdp,
            ]);
        }
        list.push(CompositionRule::Renyi);
        list
    }

    /// `None` where the rule has no bound.
    fn charge(&self, rule: CompositionRule, delta: Down) -> Result<Option<Up>, Error> {
        let blurred = || Losses {
            releases: self
                .releases
                .iter()
                .map(|&(release, count)| (release.blurred(), count))
                .collect(),
        };
        let spends_delta = delta.get() > 0.0;
        match rule {
            CompositionRule::Basic => Ok(self.sum(|release| Ok(release.epsilon()))?),
            CompositionRule::Optimal => self.optimal(delta),
            _ if !spends_delta => Ok(None),
            CompositionRule::Advanced => blurred().advanced(delta),
            CompositionRule::BoundedRangeAdvanced | CompositionRule::LaplaceAdvanced => {
                self.advanced(delta)
            }
            CompositionRule::Zcdp => blurred().by_zcdp(delta),
            CompositionRule::BoundedRangeZcdp | CompositionRule::LaplaceZcdp => self.by_zcdp(delta),
            CompositionRule::Renyi => self.by_renyi(delta),
        }
    }

    /// `Σ k·loss`; `None` if a release has no such loss.
    fn sum(
        &self,
        loss: impl Fn(LossBound) -> Result<Option<Up>, Error>,
    ) -> Result<Option<Up>, Error> {
        let mut sum = Up::ZERO;
        for &(release, count) in &self.releases {
            let Some(loss) = loss(release)? else {
                return Ok(None);
            };
            sum += times(loss, count);
        }
        Ok(Some(sum))
    }

    /// Azuma's inequality; see [`CompositionRule::Advanced`].
    fn advanced(&self, delta: Down) -> Result<Option<Up>, Error> {
        let mean = self.sum(|release| release.rho().map(Some))?;
        let squares = self.sum(|release| Ok(release.eta()?.map(|eta| eta * eta)))?;
        let (Some(mean), Some(squares)) = (mean, squares) else {
            return Ok(None);
        };
        let ln_recip = -delta.ln();
        Ok(Some(mean + (ln_recip * squares / Down::exact(2.0)).sqrt()))
    }

    fn by_zcdp(&self, delta: Down) -> Result<Option<Up>, Error> {
        let Some(rho) = self.sum(|release| release.rho().map(Some))? else {
            return Ok(None);
        };
        zcdp_to_approximate_epsilon(rho, delta).map(Some)
    }

    /// The Rényi divergence of all together at every order: the sum.
    pub(crate) fn renyi(&self) -> Result<RenyiCurve, Error> {
        let curves = self
            .releases
            .iter()
            .map(|&(release, count)| Ok((release.renyi()?, count)))
            .collect::<Result<Vec<_>, Error>>()?;
        Ok(RenyiCurve::new(move |order| {
            curves.iter().try_fold(Up::ZERO, |sum, (curve, count)| {
                Ok(sum + times(curve.epsilon(order)?, *count))
            })
        }))
    }

    fn by_renyi(&self, delta: Down) -> Result<Option<Up>, Error> {
        renyi_to_approximate_epsilon(&self.renyi()?, delta).map(Some)
    }

    /// For losses that all have the same ε.
    fn optimal(&self, delta: Down) -> Result<Option<Up>, Error> {
        let (first, _) = self.releases[0];
        let Some(epsilon) = first.epsilon() else {
            return Ok(None);
        };
        let mut total = 0u64;
        for &(release, count) in &self.releases {
            if release.epsilon() != Some(epsilon) {
                return Ok(None);
            }
            total = total.saturating_add(count);
        }
        optimal_composition(epsilon, total, delta).map(Some)
    }
}

/// `k·loss`.
fn times(loss: Up, count: u64) -> Up {
    loss * Up::from_rational(&Rational::from(count))
}
