//! The casts as methods of a measurement: the same function, its loss stated in another measure.

use lastbit_exact::{Down, Up};

use super::{
    approximate_to_profile, bounded_range_to_pure, bounded_range_to_zcdp, profile_to_approximate,
    pure_to_approximate, pure_to_bounded_range, pure_to_zcdp, renyi_to_approximate_epsilon,
    renyi_to_profile, zcdp_to_approximate_epsilon, zcdp_to_profile, zcdp_to_renyi,
};
use crate::measures::{
    Approximate, EpsilonDelta, MaxDivergence, PrivacyProfile, RangeDivergence, RenyiDivergence,
    ZeroConcentratedDivergence,
};
use crate::metrics::Metric;
use crate::{Error, Measurement, MetricSpace};

impl<DI: MetricSpace<MI>, MI: Metric, TO: 'static> Measurement<DI, MI, MaxDivergence, TO> {
    /// Pure ε → zCDP, by [`pure_to_zcdp`].
    ///
    /// ```
    /// # use lastbit::domains::AtomDomain;
    /// # use lastbit::measures::MaxDivergence;
    /// # use lastbit::metrics::DiscreteDistance;
    /// # use lastbit::{Measurement, PrivacyMap};
    /// # use lastbit::{Down, Up};
    /// # let pure = Measurement::new(
    /// #     AtomDomain::<bool>::new(),
    /// #     DiscreteDistance,
    /// #     MaxDivergence,
    /// #     |_, _| Ok(()),
    /// #     PrivacyMap::new(|_| Ok(Up::ONE)),
    /// # )?;
    /// assert_eq!(pure.map(&1)?.get(), 1.0);
    /// assert!(pure.to_zcdp().map(&1)?.get() < 0.47);
    /// let loss = pure.to_zcdp().to_approximate(Down::exact(1e-6))?.map(&1)?;
    /// assert_eq!(loss.delta().get(), 1e-6);
    /// # Ok::<(), lastbit::Error>(())
    /// ```
    pub fn to_zcdp(&self) -> Measurement<DI, MI, ZeroConcentratedDivergence, TO> {
        self.cast(ZeroConcentratedDivergence, |&epsilon| pure_to_zcdp(epsilon))
    }

    /// Pure ε → bounded range, by [`pure_to_bounded_range`].
    ///
    /// ```
    /// # use lastbit::domains::AtomDomain;
    /// # use lastbit::measures::MaxDivergence;
    /// # use lastbit::metrics::DiscreteDistance;
    /// # use lastbit::{Measurement, PrivacyMap};
    /// # use lastbit::Up;
    /// # let release = Measurement::new(
    /// #     AtomDomain::<bool>::new(),
    /// #     DiscreteDistance,
    /// #     MaxDivergence,
    /// #     |_, _| Ok(()),
    /// #     PrivacyMap::new(|_| Ok(Up::ONE)),
    /// # )?;
    /// assert_eq!(release.to_bounded_range().map(&1)?.get(), 2.0);
    /// # Ok::<(), lastbit::Error>(())
    /// ```
    pub fn to_bounded_range(&self) -> Measurement<DI, MI, RangeDivergence, TO> {
        self.cast(RangeDivergence, |&epsilon| pure_to_bounded_range(epsilon))
    }

    /// Pure ε → (ε, 0), by [`pure_to_approximate`].
    ///
    /// ```
    /// # use lastbit::domains::AtomDomain;
    /// # use lastbit::measures::MaxDivergence;
    /// # use lastbit::metrics::DiscreteDistance;
    /// # use lastbit::{Measurement, PrivacyMap};
    /// # use lastbit::Up;
    /// # let release = Measurement::new(
    /// #     AtomDomain::<bool>::new(),
    /// #     DiscreteDistance,
    /// #     MaxDivergence,
    /// #     |_, _| Ok(()),
    /// #     PrivacyMap::new(|_| Ok(Up::ONE)),
    /// # )?;
    /// assert_eq!(release.to_approximate().map(&1)?.delta(), Up::ZERO);
    /// # Ok::<(), lastbit::Error>(())
    /// ```
    pub fn to_approximate(&self) -> Measurement<DI, MI, Approximate<MaxDivergence>, TO> {
        self.cast(Approximate(MaxDivergence), |&epsilon| {
            pure_to_approximate(epsilon)
        })
    }

    /// Pure ε → profile, by [`approximate_to_profile`] at `δ = 0`.
    ///
    /// ```
    /// # use lastbit::domains::AtomDomain;
    /// # use lastbit::measures::MaxDivergence;
    /// # use lastbit::metrics::DiscreteDistance;
    /// # use lastbit::{Measurement, PrivacyMap};
    /// # use lastbit::{Down, Up};
    /// # let release = Measurement::new(
    /// #     AtomDomain::<bool>::new(),
    /// #     DiscreteDistance,
    /// #     MaxDivergence,
    /// #     |_, _| Ok(()),
    /// #     PrivacyMap::new(|_| Ok(Up::ONE)),
    /// # )?;
    /// // At δ = 0.1 a smaller ε will do.
    /// let loss = release.to_profile().to_approximate(Down::exact(0.1))?.map(&1)?;
    /// assert!(loss.loss().get() < 0.9);
    /// # Ok::<(), lastbit::Error>(())
    /// ```
    pub fn to_profile(&self) -> Measurement<DI, MI, PrivacyProfile, TO> {
        self.cast(PrivacyProfile, |&epsilon| {
            approximate_to_profile(&pure_to_approximate(epsilon)?)
        })
    }
}

impl<DI: MetricSpace<MI>, MI: Metric, TO: 'static> Measurement<DI, MI, RangeDivergence, TO> {
    /// Bounded range η → zCDP, by [`bounded_range_to_zcdp`]: the way to compose bounded-range
    /// releases adaptively.
    ///
    /// ```
    /// # use lastbit::domains::AtomDomain;
    /// # use lastbit::measures::RangeDivergence;
    /// # use lastbit::metrics::DiscreteDistance;
    /// # use lastbit::{Measurement, PrivacyMap};
    /// # use lastbit::Up;
    /// # let selection = Measurement::new(
    /// #     AtomDomain::<bool>::new(),
    /// #     DiscreteDistance,
    /// #     RangeDivergence,
    /// #     |_, _| Ok(()),
    /// #     PrivacyMap::new(|_| Ok(Up::ONE)),
    /// # )?;
    /// assert_eq!(selection.map(&1)?.get(), 1.0);
    /// assert_eq!(selection.to_pure().map(&1)?.get(), 1.0);
    /// assert!(selection.to_zcdp().map(&1)?.get() < 0.125); // η²/8
    /// # Ok::<(), lastbit::Error>(())
    /// ```
    pub fn to_zcdp(&self) -> Measurement<DI, MI, ZeroConcentratedDivergence, TO> {
        self.cast(ZeroConcentratedDivergence, |&eta| {
            bounded_range_to_zcdp(eta)
        })
    }

    /// Bounded range η → pure, by [`bounded_range_to_pure`].
    ///
    /// ```
    /// # use lastbit::domains::AtomDomain;
    /// # use lastbit::measures::RangeDivergence;
    /// # use lastbit::metrics::DiscreteDistance;
    /// # use lastbit::{Measurement, PrivacyMap};
    /// # use lastbit::Up;
    /// # let release = Measurement::new(
    /// #     AtomDomain::<bool>::new(),
    /// #     DiscreteDistance,
    /// #     RangeDivergence,
    /// #     |_, _| Ok(()),
    /// #     PrivacyMap::new(|_| Ok(Up::ONE)),
    /// # )?;
    /// assert_eq!(release.to_pure().map(&1)?.get(), 1.0);
    /// # Ok::<(), lastbit::Error>(())
    /// ```
    pub fn to_pure(&self) -> Measurement<DI, MI, MaxDivergence, TO> {
        self.cast(MaxDivergence, |&eta| bounded_range_to_pure(eta))
    }
}

impl<DI: MetricSpace<MI>, MI: Metric, TO: 'static>
    Measurement<DI, MI, ZeroConcentratedDivergence, TO>
{
    /// zCDP ρ → (ε, δ) at a δ that may be spent, by [`zcdp_to_approximate_epsilon`].
    ///
    /// ```
    /// # use lastbit::domains::AtomDomain;
    /// # use lastbit::measures::ZeroConcentratedDivergence;
    /// # use lastbit::metrics::DiscreteDistance;
    /// # use lastbit::{Measurement, PrivacyMap};
    /// # use lastbit::{Down, Up};
    /// # let release = Measurement::new(
    /// #     AtomDomain::<bool>::new(),
    /// #     DiscreteDistance,
    /// #     ZeroConcentratedDivergence,
    /// #     |_, _| Ok(()),
    /// #     PrivacyMap::new(|_| Ok(Up::exact(0.5))),
    /// # )?;
    /// let loss = release.to_approximate(Down::exact(1e-6))?.map(&1)?;
    /// assert!(loss.loss().get() < 5.3);
    /// # Ok::<(), lastbit::Error>(())
    /// ```
    pub fn to_approximate(
        &self,
        delta: Down,
    ) -> Result<Measurement<DI, MI, Approximate<MaxDivergence>, TO>, Error> {
        at_delta(self, delta, |&rho, delta| {
            zcdp_to_approximate_epsilon(rho, delta)
        })
    }

    /// zCDP ρ → profile, by [`zcdp_to_profile`].
    ///
    /// ```
    /// # use lastbit::domains::AtomDomain;
    /// # use lastbit::measures::ZeroConcentratedDivergence;
    /// # use lastbit::metrics::DiscreteDistance;
    /// # use lastbit::{Measurement, PrivacyMap};
    /// # use lastbit::{Down, Up};
    /// # let gaussian = Measurement::new(
    /// #     AtomDomain::<bool>::new(),
    /// #     DiscreteDistance,
    /// #     ZeroConcentratedDivergence,
    /// #     |_, _| Ok(()),
    /// #     PrivacyMap::new(|_| Ok(Up::exact(0.5))),
    /// # )?;
    /// let delta = Down::exact(1e-6);
    /// let one_by_one = gaussian.to_approximate(delta)?.map(&1)?;
    /// let from_profile = gaussian.to_profile().to_approximate(delta)?.map(&1)?;
    /// assert!((one_by_one.loss().get() - from_profile.loss().get()).abs() < 1e-12);
    /// # Ok::<(), lastbit::Error>(())
    /// ```
    pub fn to_profile(&self) -> Measurement<DI, MI, PrivacyProfile, TO> {
        self.cast(PrivacyProfile, |&rho| zcdp_to_profile(rho))
    }

    /// zCDP ρ → Rényi curve, by [`zcdp_to_renyi`].
    ///
    /// ```
    /// # use lastbit::domains::AtomDomain;
    /// # use lastbit::measures::ZeroConcentratedDivergence;
    /// # use lastbit::metrics::DiscreteDistance;
    /// # use lastbit::{Measurement, PrivacyMap};
    /// # use lastbit::Up;
    /// # let release = Measurement::new(
    /// #     AtomDomain::<bool>::new(),
    /// #     DiscreteDistance,
    /// #     ZeroConcentratedDivergence,
    /// #     |_, _| Ok(()),
    /// #     PrivacyMap::new(|_| Ok(Up::exact(0.5))),
    /// # )?;
    /// let curve = release.to_renyi().map(&1)?;
    /// assert_eq!(curve.epsilon(Up::exact(8.0))?.get(), 4.0);
    /// # Ok::<(), lastbit::Error>(())
    /// ```
    pub fn to_renyi(&self) -> Measurement<DI, MI, RenyiDivergence, TO> {
        self.cast(RenyiDivergence, |&rho| zcdp_to_renyi(rho))
    }
}

impl<DI: MetricSpace<MI>, MI: Metric, TO: 'static> Measurement<DI, MI, RenyiDivergence, TO> {
    /// Rényi curve → (ε, δ) at a δ that may be spent, by [`renyi_to_approximate_epsilon`].
    ///
    /// ```
    /// # use lastbit::domains::AtomDomain;
    /// # use lastbit::measures::RenyiDivergence;
    /// # use lastbit::metrics::DiscreteDistance;
    /// # use lastbit::{Measurement, PrivacyMap};
    /// # use lastbit::{Down, Up};
    /// # let release = Measurement::new(
    /// #     AtomDomain::<bool>::new(),
    /// #     DiscreteDistance,
    /// #     RenyiDivergence,
    /// #     |_, _| Ok(()),
    /// #     PrivacyMap::new(|_| {
    /// #         Ok(lastbit::measures::RenyiCurve::new(|order| Ok(order * Up::exact(0.5))))
    /// #     }),
    /// # )?;
    /// let loss = release.to_approximate(Down::exact(1e-6))?.map(&1)?;
    /// assert!(loss.loss().get() < 5.3);
    /// # Ok::<(), lastbit::Error>(())
    /// ```
    pub fn to_approximate(
        &self,
        delta: Down,
    ) -> Result<Measurement<DI, MI, Approximate<MaxDivergence>, TO>, Error> {
        at_delta(self, delta, renyi_to_approximate_epsilon)
    }

    /// Rényi curve → profile, by [`renyi_to_profile`].
    ///
    /// ```
    /// # use lastbit::domains::AtomDomain;
    /// # use lastbit::measures::RenyiDivergence;
    /// # use lastbit::metrics::DiscreteDistance;
    /// # use lastbit::{Measurement, PrivacyMap};
    /// # use lastbit::{Down, Up};
    /// # let release = Measurement::new(
    /// #     AtomDomain::<bool>::new(),
    /// #     DiscreteDistance,
    /// #     RenyiDivergence,
    /// #     |_, _| Ok(()),
    /// #     PrivacyMap::new(|_| {
    /// #         Ok(lastbit::measures::RenyiCurve::new(|order| Ok(order * Up::exact(0.5))))
    /// #     }),
    /// # )?;
    /// let profile = release.to_profile().map(&1)?;
    /// assert!(profile.delta(Down::exact(5.3))?.get() < 1e-6);
    /// # Ok::<(), lastbit::Error>(())
    /// ```
    pub fn to_profile(&self) -> Measurement<DI, MI, PrivacyProfile, TO> {
        self.cast(PrivacyProfile, |curve| Ok(renyi_to_profile(curve)))
    }
}

impl<DI: MetricSpace<MI>, MI: Metric, TO: 'static>
    Measurement<DI, MI, Approximate<MaxDivergence>, TO>
{
    /// (ε, δ) → profile, by [`approximate_to_profile`].
    ///
    /// ```
    /// # use lastbit::domains::AtomDomain;
    /// # use lastbit::measures::{Approximate, MaxDivergence};
    /// # use lastbit::metrics::DiscreteDistance;
    /// # use lastbit::{Measurement, PrivacyMap};
    /// # use lastbit::{Down, Up};
    /// # let release = Measurement::new(
    /// #     AtomDomain::<bool>::new(),
    /// #     DiscreteDistance,
    /// #     Approximate(MaxDivergence),
    /// #     |_, _| Ok(()),
    /// #     PrivacyMap::new(|_| {
    /// #         Ok(lastbit::measures::EpsilonDelta::new(Up::ONE, Up::exact(1e-6))?)
    /// #     }),
    /// # )?;
    /// let profile = release.to_profile().map(&1)?;
    /// assert_eq!(profile.delta(Down::ONE)?.get(), 1e-6);
    /// # Ok::<(), lastbit::Error>(())
    /// ```
    pub fn to_profile(&self) -> Measurement<DI, MI, PrivacyProfile, TO> {
        self.cast(PrivacyProfile, approximate_to_profile)
    }
}

impl<DI: MetricSpace<MI>, MI: Metric, TO: 'static> Measurement<DI, MI, PrivacyProfile, TO> {
    /// Profile → (ε, δ) at a δ that may be spent, by [`profile_to_approximate`].
    ///
    /// ```
    /// # use lastbit::domains::AtomDomain;
    /// # use lastbit::measures::PrivacyProfile;
    /// # use lastbit::metrics::DiscreteDistance;
    /// # use lastbit::{Measurement, PrivacyMap};
    /// # use lastbit::{Down, Up};
    /// # let release = Measurement::new(
    /// #     AtomDomain::<bool>::new(),
    /// #     DiscreteDistance,
    /// #     PrivacyProfile,
    /// #     |_, _| Ok(()),
    /// #     PrivacyMap::new(|_| Ok(lastbit::conversions::zcdp_to_profile(Up::exact(0.5))?)),
    /// # )?;
    /// let loss = release.to_approximate(Down::exact(1e-6))?.map(&1)?;
    /// assert!(loss.loss().get() < 5.3);
    /// # Ok::<(), lastbit::Error>(())
    /// ```
    pub fn to_approximate(
        &self,
        delta: Down,
    ) -> Result<Measurement<DI, MI, Approximate<MaxDivergence>, TO>, Error> {
        checked(delta)?;
        Ok(self.cast(Approximate(MaxDivergence), move |curve| {
            profile_to_approximate(curve, delta)
        }))
    }
}

/// A cast that spends a fixed δ.
fn at_delta<DI, MI, MO, TO>(
    measurement: &Measurement<DI, MI, MO, TO>,
    delta: Down,
    epsilon: impl Fn(&MO::Distance, Down) -> Result<Up, Error> + Send + Sync + 'static,
) -> Result<Measurement<DI, MI, Approximate<MaxDivergence>, TO>, Error>
where
    DI: MetricSpace<MI>,
    MI: Metric,
    MO: crate::measures::Measure,
    TO: 'static,
{
    let spent = checked(delta)?;
    Ok(measurement.cast(Approximate(MaxDivergence), move |loss| {
        EpsilonDelta::new(epsilon(loss, delta)?, spent)
    }))
}

/// δ as it is charged: the double itself.
fn checked(delta: Down) -> Result<Up, Error> {
    let spent = Up::new(delta.get()).unwrap_or(Up::INFINITY);
    EpsilonDelta::new(Up::ZERO, spent)?;
    Ok(spent)
}
