use lastbit_exact::{Rational, Up};
use lastbit_noise::{Gaussian, GridExponent};

use super::noise::{Length, NoiseDomain, OnGrid};
use crate::measures::ZeroConcentratedDivergence;
use crate::metrics::Metric;
use crate::parameters::{Rho, Variance, grid};
use crate::{Error, Measurement, ParameterError, PrivacyMap, Sensitivity};

/// Real Gaussian noise of variance `σ²` around a number, or each number of a vector, rounded to
/// multiples of `2^grid_exponent`: `ρ = d²/(2σ²)`, for `d` the absolute or L2 distance.
///
/// Integers take grids of `2^0` and coarser. The output saturates at the ends of its type. A finer
/// grid costs no privacy.
///
/// **Proof.** The Rényi divergence of order α between normal laws of variance σ² at distance d is
/// `α·d²/(2σ²)` (complete the square in `∫ φ(x − d)^α φ(x)^(1−α) dx`), and of independent ones, the
/// sum. What is published is a function of these real numbers, the same for all data: the nearest
/// points of a public grid, ties toward +∞; by the data processing inequality it has no larger
/// divergence. The sampler draws from exactly that law ([`lastbit_noise::Gaussian`]). As the grid
/// gets finer the divergence of what is published tends to the bound. ∎
///
/// **Time.** As for [`laplace`](super::laplace).
///
/// ```
/// use lastbit::domains::{AtomDomain, VectorDomain};
/// use lastbit::mechanisms::{Variance, gaussian};
/// use lastbit::{Rational, Up};
///
/// // A count at ρ = 1/100: σ² = 50, on the integers.
/// let variance = Variance::for_rho(&"1".parse()?, &"0.01".parse()?);
/// assert_eq!(variance.to_string(), "50");
/// let count = gaussian(AtomDomain::<u64>::new(), &variance, 0)?;
/// let published: i64 = count.invoke(&417)?;
/// assert_eq!(count.map(&Rational::ONE)?.get(), 0.01);
///
/// // A histogram with σ = 5: one person moves two bins by 1 each.
/// let histogram = gaussian(
///     VectorDomain::new(AtomDomain::<u64>::new()),
///     &Variance::of_sigma(5i64.into())?,
///     0,
/// )?;
/// let rho = histogram.map(&Up::from(2).sqrt())?;
/// assert!((0.04..0.0400000001).contains(&rho.get()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn gaussian<D: NoiseDomain>(
    domain: D,
    variance: &Variance,
    grid_exponent: impl TryInto<GridExponent, Error: Into<Error>>,
) -> Result<Measurement<D, D::L2, ZeroConcentratedDivergence, D::Output>, Error> {
    let grid = grid(grid_exponent)?;
    let sampler = Gaussian::with_variance(variance.get(), grid)?;
    let noise = OnGrid::new::<D::Number>(sampler, grid)?;
    let twice = variance.get().times_power_of_two(1);
    Measurement::new(
        domain,
        D::L2::default(),
        ZeroConcentratedDivergence,
        move |value, entropy| D::add(value, &noise, entropy),
        PrivacyMap::new(move |d_in: &<D::L2 as Metric>::Distance| {
            Ok(Up::from_rational(&(d_in.squared()? / twice.clone())))
        }),
    )
}

impl Variance {
    /// `σ²`.
    ///
    /// ```
    /// use lastbit::mechanisms::Variance;
    /// assert_eq!(Variance::of_sigma("1.5".parse()?)?.to_string(), "2.25");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_sigma(sigma: Rational) -> Result<Variance, ParameterError> {
        if !sigma.is_positive() {
            return Err(ParameterError::NotPositive {
                name: "sigma",
                value: sigma,
            });
        }
        Variance::new(&sigma * &sigma)
    }

    /// The smallest variance at which Gaussian noise has the loss ρ: `σ² = Δ²/(2ρ)`, exactly.
    ///
    /// ```
    /// use lastbit::mechanisms::Variance;
    /// let variance = Variance::for_rho(&"0.3".parse()?, &"0.1".parse()?);
    /// assert_eq!(variance.to_string(), "0.45");
    /// # Ok::<(), lastbit::ParameterError>(())
    /// ```
    pub fn for_rho(sensitivity: &Sensitivity, rho: &Rho) -> Variance {
        let squared = sensitivity.get() * sensitivity.get();
        Variance::new(&squared / &rho.get().times_power_of_two(1))
            .expect("a quotient of positive numbers is positive")
    }
}
