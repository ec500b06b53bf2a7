use std::collections::BTreeMap;

use lastbit_exact::{Rational, Up};

use super::KeyDomain;
use crate::conversions::{gaussian_for_zcdp, gaussian_to_zcdp, laplace_to_zcdp};
use crate::domains::{AtomDomain, MapDomain, VectorDomain};
use crate::measures::{
    Approximate, Exact, MaxDivergence, Measure, WithDelta, ZeroConcentratedDivergence,
};
use crate::mechanisms::{
    self, Delta, Rho, Scale, Variance, gaussian_threshold, laplace_threshold, threshold_gaussian,
    threshold_laplace,
};
use crate::metrics::{Contribution, ContributionDistance, Norms, NormsDistance};
use crate::{Epsilon, Error, GridExponent, Measurement, PrivacyMap};

/// Exact numbers of all groups, one after the other.
pub type NumbersDomain = VectorDomain<AtomDomain<Rational>>;
/// Counts of rows by the keys that occur.
pub type Counts<K> = MapDomain<KeyDomain<K>, AtomDomain<u64>>;

/// Noisy numbers, at an exact loss.
pub type NoisyNumbers<M> = Measurement<NumbersDomain, NormsDistance, Exact<M>, Vec<Rational>>;
/// Noisy numbers at an exact ε.
pub type NoisyPure = NoisyNumbers<MaxDivergence>;
/// Noisy numbers at an exact ρ.
pub type NoisyZcdp = NoisyNumbers<ZeroConcentratedDivergence>;

type Above<K, M> =
    Measurement<Counts<K>, ContributionDistance, Approximate<Exact<M>>, BTreeMap<K, i64>>;

/// Noise that is added to every number of a statistic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Noise {
    /// Laplace noise of this scale, in the unit of the numbers.
    Laplace(Scale),
    /// Gaussian noise of this variance, in the square of that unit.
    Gaussian(Variance),
}

impl Noise {
    /// Laplace noise with the loss ε for numbers that neighbours move by these norms: scale = L1/ε,
    /// exactly.
    pub fn laplace(norms: &Norms, epsilon: &Epsilon) -> Result<Noise, Error> {
        Ok(Noise::Laplace(Scale::new(&norms.l1 / epsilon.get())?))
    }

    /// Gaussian noise with the loss ρ for numbers that neighbours move by these norms: σ² =
    /// L2²/(2ρ), exactly.
    pub fn gaussian(norms: &Norms, rho: &Rho) -> Result<Noise, Error> {
        let mu_squared = gaussian_for_zcdp(rho.get());
        Ok(Noise::Gaussian(Variance::new(
            &norms.l2_squared / &mu_squared,
        )?))
    }

    /// The exponent of a grid at least 2^10 times finer than the noise; the finest grid, if that
    /// one is not fine enough.
    pub fn fine_grid(&self) -> GridExponent {
        let magnitude = match self {
            Noise::Laplace(scale) => scale.get().ceil_log2(),
            // σ ≤ 2^k if σ² ≤ 2^(2k).
            Noise::Gaussian(variance) => variance
                .get()
                .ceil_log2()
                .map(|log2| (log2 + 1).div_euclid(2)),
        };
        GridExponent::nearest(magnitude.unwrap_or(0) - 11)
    }

    /// The scale of Laplace noise or the standard deviation of Gaussian noise, rounded up.
    pub fn size(&self) -> Up {
        match self {
            Noise::Laplace(scale) => Up::from_rational(scale.get()),
            Noise::Gaussian(variance) => Up::from_rational(variance.get()).sqrt(),
        }
    }

    /// The variance of the noise, before it is rounded to a grid.
    pub fn variance(&self) -> Rational {
        match self {
            Noise::Laplace(scale) => (scale.get() * scale.get()).times_power_of_two(1),
            Noise::Gaussian(variance) => variance.get().clone(),
        }
    }

    /// A bound on how far clamping the noisy number, on a grid, to the range of the exact one can
    /// move its mean: `E max(0, noise)`, which is s/2 of Laplace noise and σ/√(2π) of Gaussian
    /// noise, and half a step of the grid.
    pub fn clamping_bias(&self, grid: GridExponent) -> Up {
        let factor = match self {
            Noise::Laplace(_) => Rational::new(1, 2),
            Noise::Gaussian(_) => Rational::new(2, 5),
        };
        let half_step = grid.step().times_power_of_two(-1);
        self.size() * Up::from_rational(&factor) + Up::from_rational(&half_step)
    }

    /// Numbers with this noise, rounded to multiples of `2^grid_exponent`: `ε = L1/scale`. Gaussian
    /// noise has no such loss.
    ///
    /// **Proof.** That of [`laplace`](mechanisms::laplace), with the quotient as it is.
    pub fn pure(
        &self,
        grid_exponent: impl TryInto<GridExponent, Error: Into<Error>>,
    ) -> Result<NoisyPure, Error> {
        let noise = self.clone();
        let scale = self.scale()?;
        mechanisms::laplace(numbers(), scale, grid_exponent)?.with_map(
            NormsDistance,
            Exact(MaxDivergence),
            PrivacyMap::new(move |norms: &Norms| noise.epsilon(norms)),
        )
    }

    /// Numbers with this noise, rounded to multiples of `2^grid_exponent`: `ρ = L2²/(2σ²)` of
    /// Gaussian noise, and of Laplace noise what [`laplace_zcdp`](mechanisms::laplace_zcdp) has.
    pub fn zcdp(
        &self,
        grid_exponent: impl TryInto<GridExponent, Error: Into<Error>>,
    ) -> Result<NoisyZcdp, Error> {
        let noise = self.clone();
        let map = PrivacyMap::new(move |norms: &Norms| noise.rho(norms));
        let measure = Exact(ZeroConcentratedDivergence);
        match self {
            Noise::Laplace(scale) => mechanisms::laplace(numbers(), scale, grid_exponent)?
                .with_map(NormsDistance, measure, map),
            Noise::Gaussian(variance) => mechanisms::gaussian(numbers(), variance, grid_exponent)?
                .with_map(NormsDistance, measure, map),
        }
    }

    /// The counts that, with this noise, reach a threshold: [`threshold_laplace`] with its loss as
    /// an exact ε.
    pub fn above_pure<K: Clone + Ord + Send + Sync + 'static>(
        &self,
        grid_exponent: impl TryInto<GridExponent, Error: Into<Error>>,
        threshold: &Rational,
    ) -> Result<Above<K, MaxDivergence>, Error> {
        let noise = self.clone();
        let above = threshold_laplace(keyed(), self.scale()?, grid_exponent, threshold)?;
        exactly(&above, MaxDivergence, move |norms| noise.epsilon(norms))
    }

    /// The counts that, with this noise, reach a threshold: [`threshold_laplace`] or
    /// [`threshold_gaussian`] with its loss as an exact ρ.
    pub fn above_zcdp<K: Clone + Ord + Send + Sync + 'static>(
        &self,
        grid_exponent: impl TryInto<GridExponent, Error: Into<Error>>,
        threshold: &Rational,
    ) -> Result<Above<K, ZeroConcentratedDivergence>, Error> {
        let noise = self.clone();
        let rho = move |norms: &Norms| noise.rho(norms);
        let measure = ZeroConcentratedDivergence;
        match self {
            Noise::Laplace(scale) => {
                let above = threshold_laplace(keyed(), scale, grid_exponent, threshold)?;
                exactly(&above, measure, rho)
            }
            Noise::Gaussian(variance) => {
                let above = threshold_gaussian(keyed(), variance, grid_exponent, threshold)?;
                exactly(&above, measure, rho)
            }
        }
    }

    /// The smallest threshold at which keys of one unit alone are published with probability δ at
    /// most.
    pub fn threshold(
        &self,
        grid_exponent: impl TryInto<GridExponent, Error: Into<Error>>,
        contribution: &Contribution,
        delta: &Delta,
    ) -> Result<Rational, Error> {
        match self {
            Noise::Laplace(scale) => laplace_threshold(scale, grid_exponent, contribution, delta),
            Noise::Gaussian(variance) => {
                gaussian_threshold(variance, grid_exponent, contribution, delta)
            }
        }
    }

    /// What [`pure`](Noise::pure) costs, on any grid: ε = L1/scale, exactly.
    pub fn epsilon(&self, norms: &Norms) -> Result<Rational, Error> {
        Ok(&norms.l1 / self.scale()?.get())
    }

    /// What [`zcdp`](Noise::zcdp) costs, on any grid.
    pub fn rho(&self, norms: &Norms) -> Result<Rational, Error> {
        match self {
            Noise::Laplace(scale) => {
                let rho = laplace_to_zcdp(Up::from_rational(&(&norms.l1 / scale.get())))?;
                Ok(crate::finite("rho", rho.get())?)
            }
            Noise::Gaussian(variance) => {
                Ok(gaussian_to_zcdp(&(&norms.l2_squared / variance.get())))
            }
        }
    }

    fn scale(&self) -> Result<&Scale, Error> {
        match self {
            Noise::Laplace(scale) => Ok(scale),
            Noise::Gaussian(_) => Err(Error::other(
                "Gaussian noise has no pure loss; count it in ρ, or use Laplace noise",
            )),
        }
    }
}

fn numbers() -> NumbersDomain {
    VectorDomain::new(AtomDomain::new())
}

fn keyed<K: Clone + Ord + Send + Sync + 'static>() -> Counts<K> {
    MapDomain::new(KeyDomain::new(), AtomDomain::new())
}

/// The same release, its loss exact and its δ as it was.
fn exactly<K, M, N>(
    above: &Measurement<Counts<K>, ContributionDistance, Approximate<N>, BTreeMap<K, i64>>,
    measure: M,
    loss: impl Fn(&Norms) -> Result<Rational, Error> + Send + Sync + 'static,
) -> Result<Above<K, M>, Error>
where
    K: Clone + Ord + Send + Sync + 'static,
    N: Measure,
    M: Measure,
    Exact<M>: Measure<Distance = Rational>,
{
    let map = above.privacy_map().clone();
    above.with_map(
        ContributionDistance,
        Approximate(Exact(measure)),
        PrivacyMap::new(move |contribution: &Contribution| {
            WithDelta::new(
                loss(&contribution.norms())?,
                map.eval(contribution)?.delta(),
            )
        }),
    )
}
