use core::fmt;

use lastbit_exact::{Down, Rational, Up};

use super::checks::{at_least_zero, loss};
use super::{
    bounded_range_to_renyi, bounded_range_to_zcdp, laplace_to_renyi, laplace_to_zcdp,
    optimal_composition, pure_to_bounded_range, pure_to_renyi, pure_to_zcdp,
    renyi_to_approximate_delta, renyi_to_approximate_epsilon, zcdp_to_approximate_epsilon,
    zcdp_to_renyi,
};
use crate::Error;
use crate::measures::RenyiCurve;

/// What is known of the loss of one release.
///
/// ```
/// use lastbit::conversions::LossBound;
/// use lastbit_exact::Up;
/// let [pure, laplace, selection] =
///     [LossBound::Pure, LossBound::Laplace, LossBound::BoundedRange].map(|kind| kind(Up::ONE));
/// assert_eq!(pure.epsilon(), selection.epsilon());
/// // The more is known the less it costs under zCDP, and at every Rényi order.
/// assert!(selection.rho()? < laplace.rho()? && laplace.rho()? < pure.rho()?);
/// let order = Up::exact(8.0);
/// assert!(selection.renyi()?.epsilon(order)? < pure.renyi()?.epsilon(order)?);
/// assert_eq!((pure.eta()?, selection.eta()?), (Some(Up::exact(2.0)), Some(Up::ONE)));
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum LossBound {
    /// ε-DP, nothing else.
    Pure(Up),
    /// Laplace noise or exact snapping at ε.
    Laplace(Up),
    /// η-bounded range, such as the exponential mechanism.
    BoundedRange(Up),
    /// ρ-zCDP, such as Gaussian noise.
    Zcdp(Up),
}

impl LossBound {
    /// The loss under pure differential privacy; `None` if there is no bound.
    pub fn epsilon(self) -> Option<Up> {
        match self {
            LossBound::Pure(loss) | LossBound::Laplace(loss) | LossBound::BoundedRange(loss) => {
                Some(loss)
            }
            LossBound::Zcdp(_) => None,
        }
    }

    /// The loss under zCDP, by all that is known.
    pub fn rho(self) -> Result<Up, Error> {
        match self {
            LossBound::Pure(epsilon) => pure_to_zcdp(epsilon),
            LossBound::Laplace(epsilon) => laplace_to_zcdp(epsilon),
            LossBound::BoundedRange(eta) => bounded_range_to_zcdp(eta),
            LossBound::Zcdp(rho) => {
                loss("rho", rho)?;
                Ok(rho)
            }
        }
    }

    /// The length of the interval that the loss lies in; `None` if there is no bound.
    pub fn eta(self) -> Result<Option<Up>, Error> {
        match self {
            LossBound::Pure(epsilon) | LossBound::Laplace(epsilon) => {
                pure_to_bounded_range(epsilon).map(Some)
            }
            LossBound::BoundedRange(eta) => {
                loss("eta", eta)?;
                Ok(Some(eta))
            }
            LossBound::Zcdp(_) => Ok(None),
        }
    }

    /// The loss at every Rényi order, by all that is known.
    pub fn renyi(self) -> Result<RenyiCurve, Error> {
        match self {
            LossBound::Pure(epsilon) => pure_to_renyi(epsilon),
            LossBound::Laplace(epsilon) => laplace_to_renyi(epsilon),
            LossBound::BoundedRange(eta) => bounded_range_to_renyi(eta),
            LossBound::Zcdp(rho) => zcdp_to_renyi(rho),
        }
    }

    /// The release with everything forgotten but that it is ε-DP.
    fn blurred(self) -> LossBound {
        self.epsilon().map_or(self, LossBound::Pure)
    }
}

/// The losses of releases to be made, in any order, each chosen with the results of those before it
/// in sight.
///
/// ```
/// use lastbit::conversions::{Accountant, Losses, LossBound};
/// use lastbit_exact::{Down, Up};
/// // 100 selections by the exponential mechanism at ε = 0.1.
/// let losses = Losses::repeated(LossBound::BoundedRange(Up::exact(0.1)), 100)?;
/// let charges = losses.charges(Down::exact(1e-6))?;
/// assert_eq!(charges.epsilon(Accountant::Basic).unwrap().get(), 10.000000000000002);
/// assert!(charges.best().unwrap().epsilon < charges.epsilon(Accountant::Zcdp));
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
    /// use lastbit::conversions::{Accountant, LossBound, Losses};
    /// use lastbit_exact::{Down, Up};
    /// let losses =
    ///     Losses::new([(LossBound::Pure(Up::ONE), 2), (LossBound::Laplace(Up::exact(0.5)), 4)])?;
    /// assert_eq!(losses.charges(Down::ZERO)?.epsilon(Accountant::Basic), Some(Up::exact(4.0)));
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
    /// use lastbit_exact::Up;
    /// assert!(Losses::repeated(LossBound::Pure(Up::ONE), 3).is_ok());
    /// assert!(Losses::repeated(LossBound::Pure(Up::ONE), 0).is_err());
    /// ```
    pub fn repeated(release: LossBound, count: u64) -> Result<Losses, Error> {
        Losses::new([(release, count)])
    }

    /// The smallest ε at `delta` that each accountant proves, side by side. At `δ = 0` only pure
    /// accountants have one.
    pub fn charges(&self, delta: Down) -> Result<Charges, Error> {
        let value = at_least_zero("delta", delta)?;
        if value > 1.0 {
            return Err(Error::distance(format!(
                "delta must be at most 1, got {delta}; it is a probability"
            )));
        }
        let charges = self
            .accountants()
            .into_iter()
            .map(|accountant| {
                let epsilon = match self.charge(accountant, delta) {
                    Ok(epsilon) => epsilon.filter(|epsilon| epsilon.is_finite()),
                    // A sum beyond the largest double, or too many releases for this accountant.
                    Err(error) if error.is_unbounded() || error.is_composition() => None,
                    Err(error) => return Err(error),
                };
                Ok(Charge {
                    accountant,
                    epsilon,
                })
            })
            .collect::<Result<_, Error>>()?;
        Ok(Charges { charges })
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
    /// use lastbit_exact::Up;
    /// let losses =
    ///     Losses::new([(LossBound::BoundedRange(Up::ONE), 2), (LossBound::Pure(Up::ONE), 1)])?;
    /// assert_eq!(losses.eta_if_fixed()?, Some(Up::exact(4.0)));
    /// # Ok::<(), lastbit::Error>(())
    /// ```
    pub fn eta_if_fixed(&self) -> Result<Option<Up>, Error> {
        self.sum(LossBound::eta)
    }

    /// The accountants that can tell something of their own about these losses.
    fn accountants(&self) -> Vec<Accountant> {
        let any = |kind: fn(&LossBound) -> bool| self.releases.iter().any(|(r, _)| kind(r));
        let mut list = vec![
            Accountant::Basic,
            Accountant::Advanced,
            Accountant::Optimal,
            Accountant::Zcdp,
        ];
        if any(|r| matches!(r, LossBound::BoundedRange(_))) {
            list.extend([
                Accountant::BoundedRangeAdvanced,
                Accountant::BoundedRangeZcdp,
            ]);
        } else if any(|r| matches!(r, LossBound::Laplace(_))) {
            list.extend([Accountant::LaplaceAdvanced, Accountant::LaplaceZcdp]);
        }
        list.push(Accountant::Renyi);
        list
    }

    /// `None` where the accountant has no bound.
    fn charge(&self, accountant: Accountant, delta: Down) -> Result<Option<Up>, Error> {
        let blurred = || Losses {
            releases: self
                .releases
                .iter()
                .map(|&(release, count)| (release.blurred(), count))
                .collect(),
        };
        let spends_delta = delta.get() > 0.0;
        match accountant {
            Accountant::Basic => Ok(self.sum(|release| Ok(release.epsilon()))?),
            Accountant::Optimal => self.optimal(delta),
            _ if !spends_delta => Ok(None),
            Accountant::Advanced => blurred().advanced(delta),
            Accountant::BoundedRangeAdvanced | Accountant::LaplaceAdvanced => self.advanced(delta),
            Accountant::Zcdp => blurred().by_zcdp(delta),
            Accountant::BoundedRangeZcdp | Accountant::LaplaceZcdp => self.by_zcdp(delta),
            Accountant::Renyi => self.by_renyi(delta),
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

    /// Azuma's inequality; see [`Accountant::Advanced`].
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
    fn renyi(&self) -> Result<RenyiCurve, Error> {
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

    /// The smallest ε at `delta` by the sum of Rényi divergences, as [`Accountant::Renyi`].
    ///
    /// ```
    /// use lastbit::conversions::{LossBound, Losses};
    /// use lastbit_exact::{Down, Up};
    /// let losses = Losses::repeated(LossBound::BoundedRange(Up::ONE), 100)?;
    /// assert!(losses.renyi_epsilon(Down::exact(1e-6))?.get() < 36.37);
    /// # Ok::<(), lastbit::Error>(())
    /// ```
    pub fn renyi_epsilon(&self, delta: Down) -> Result<Up, Error> {
        renyi_to_approximate_epsilon(&self.renyi()?, delta)
    }

    /// The smallest δ at `epsilon` by the sum of Rényi divergences, at most 1.
    ///
    /// ```
    /// use lastbit::conversions::{LossBound, Losses};
    /// use lastbit_exact::{Down, Up};
    /// let losses = Losses::repeated(LossBound::BoundedRange(Up::ONE), 100)?;
    /// assert!(losses.renyi_delta(Down::exact(36.37))?.get() <= 1e-6);
    /// # Ok::<(), lastbit::Error>(())
    /// ```
    pub fn renyi_delta(&self, epsilon: Down) -> Result<Up, Error> {
        Ok(renyi_to_approximate_delta(&self.renyi()?, epsilon)?.min(Up::ONE))
    }

    /// At least the power of every test at a level, by the sum of Rényi divergences: the
    /// probability that it finds a person who is in the data, if it finds one who is not with
    /// probability at most `level`.
    ///
    /// **Proof.** As an event S, `P(S) ≤ δ(ε) + e^ε·Q(S)` for every ε. This search is over some. ∎
    ///
    /// ```
    /// use lastbit::conversions::{LossBound, Losses};
    /// use lastbit_exact::Up;
    /// let losses = Losses::repeated(LossBound::BoundedRange(Up::ONE), 100)?;
    /// assert!(losses.renyi_power(Up::exact(1e-25))?.get() < 1e-6);
    /// # Ok::<(), lastbit::Error>(())
    /// ```
    pub fn renyi_power(&self, level: Up) -> Result<Up, Error> {
        let curve = self.renyi()?;
        let at = |epsilon: f64| -> Result<Up, Error> {
            let delta = renyi_to_approximate_delta(&curve, Down::exact(epsilon))?;
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

    fn by_renyi(&self, delta: Down) -> Result<Option<Up>, Error> {
        self.renyi_epsilon(delta).map(Some)
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

/// A way to add up losses. All hold for releases chosen adaptively.
///
/// ```
/// use lastbit::conversions::Accountant;
/// assert_eq!(Accountant::BoundedRangeZcdp.name(), "bounded-range-zcdp");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accountant {
    /// `Σ ε`; spends no δ.
    ///
    /// **Proof.** Losses add up, and each is at most its ε. ∎ Bounded-range losses fixed in advance
    /// add up to the same, as a range.
    Basic,
    /// `Σ ε·tanh(ε/2) + √(2·ln(1/δ)·Σ ε²)` (Dwork, Rothblum and Vadhan, 2010, with the exact mean).
    ///
    /// **Proof.** Given those before it, a loss lies in `[−ε, ε]` and its mean is at most the ρ of
    /// [`pure_to_zcdp`]. By Azuma's inequality the sum exceeds the sum of means by t with
    /// probability at most `e^(−2t²/Σ(2ε)²)`, which is δ. Outside that event the whole loss is at
    /// most the bound. ∎
    Advanced,
    /// The smallest ε that holds for all ε-DP releases, if all have the same ε:
    /// [`optimal_composition`].
    Optimal,
    /// `Σ ε·tanh(ε/2)` as a ρ, converted by [`zcdp_to_approximate_epsilon`].
    ///
    /// **Proof.** `D_α` adds up at every order, also adaptively. ∎
    Zcdp,
    /// As [`Accountant::Advanced`], with the range η of a bounded-range loss instead of 2ε and its
    /// mean at most [`bounded_range_to_zcdp`].
    BoundedRangeAdvanced,
    /// As [`Accountant::Zcdp`], with [`bounded_range_to_zcdp`] for bounded-range releases: the
    /// adaptive way to compose them.
    BoundedRangeZcdp,
    /// As [`Accountant::Advanced`], with the mean of Laplace noise, [`laplace_to_zcdp`].
    LaplaceAdvanced,
    /// As [`Accountant::Zcdp`], with [`laplace_to_zcdp`] for Laplace noise.
    LaplaceZcdp,
    /// The sum of the whole Rényi curves, converted at the best order: never above zCDP but for
    /// rounding.
    ///
    /// **Proof.** `D_α` adds up at every order, also adaptively. ∎
    Renyi,
}

impl Accountant {
    /// A name for tables.
    pub fn name(self) -> &'static str {
        match self {
            Accountant::Basic => "basic",
            Accountant::Advanced => "advanced",
            Accountant::Optimal => "optimal",
            Accountant::Zcdp => "zcdp",
            Accountant::BoundedRangeAdvanced => "bounded-range-advanced",
            Accountant::BoundedRangeZcdp => "bounded-range-zcdp",
            Accountant::LaplaceAdvanced => "laplace-advanced",
            Accountant::LaplaceZcdp => "laplace-zcdp",
            Accountant::Renyi => "renyi",
        }
    }
}

impl fmt::Display for Accountant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What one accountant charges.
///
/// ```
/// use lastbit::conversions::{Accountant, Losses, LossBound};
/// use lastbit_exact::{Down, Up};
/// let charges = Losses::repeated(LossBound::Zcdp(Up::ONE), 1)?.charges(Down::exact(1e-6))?;
/// let basic = charges.charges()[0];
/// assert_eq!((basic.accountant, basic.epsilon), (Accountant::Basic, None));
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Charge {
    /// Who charges.
    pub accountant: Accountant,
    /// The smallest ε that this accountant proves; `None` if it has no bound for these losses.
    pub epsilon: Option<Up>,
}

/// The same losses under each accountant, side by side.
///
/// ```
/// use lastbit::conversions::{Accountant, LossBound, Losses};
/// use lastbit_exact::{Down, Up};
/// let charges =
///     Losses::repeated(LossBound::Pure(Up::exact(0.1)), 100)?.charges(Down::exact(1e-6))?;
/// for charge in charges.charges() {
///     if let Some(epsilon) = charge.epsilon {
///         println!("{:<10} ε = {epsilon:.4}", charge.accountant);
///     }
/// }
/// assert_eq!(charges.best().unwrap().accountant, Accountant::Optimal);
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Charges {
    charges: Vec<Charge>,
}

impl Charges {
    /// Every accountant that has something to say about the losses.
    pub fn charges(&self) -> &[Charge] {
        &self.charges
    }

    /// The charge with the smallest ε, the first of equals; `None` if no accountant has a bound.
    pub fn best(&self) -> Option<Charge> {
        let mut best: Option<Charge> = None;
        for &charge in &self.charges {
            let Some(epsilon) = charge.epsilon else {
                continue;
            };
            if best
                .and_then(|best| best.epsilon)
                .is_none_or(|least| epsilon < least)
            {
                best = Some(charge);
            }
        }
        best
    }

    /// What an accountant charges.
    pub fn epsilon(&self, accountant: Accountant) -> Option<Up> {
        self.charges
            .iter()
            .find(|charge| charge.accountant == accountant)
            .and_then(|charge| charge.epsilon)
    }
}
