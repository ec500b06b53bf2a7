use lastbit_exact::{Rational, Up};
use lastbit_noise::{GridExponent, Laplace};

use super::noise::{NoiseDomain, OnGrid};
use crate::conversions::laplace_to_zcdp;
use crate::measures::{MaxDivergence, Measure, ZeroConcentratedDivergence};
use crate::parameters::{Scale, grid};
use crate::{Epsilon, Error, Measurement, PrivacyMap, Sensitivity};

/// Real Laplace noise of scale `s` around a number, or each number of a vector, rounded to
/// multiples of `2^grid_exponent`: `ε = d/s`, for `d` the absolute or L1 distance.
///
/// Integers take grids of `2^0` and coarser; on that of `2^0` this is Laplace noise rounded to
/// integers. The output saturates at the ends of its type. A finer grid costs no privacy.
///
/// **Proof.** The density of `x + s·L`, L standard Laplace, changes by at most the factor
/// `exp(|x − x'|/s)` between x and x', and the product of such densities by at most
/// `exp(Σ|x_i − x'_i|/s)`. What is published is a function of these real numbers, the same for all
/// data: the nearest points of a public grid, ties toward +∞. A function of a private number is as
/// private. The sampler draws from exactly that law ([`lastbit_noise::Laplace`]). The bound is
/// reached far out on either side, where rounding leaves the ratio as it is. ∎
///
/// **Time.** Each number reads one word and runs the same instructions, whatever its value, while
/// value and noise are below 2^50 steps of the grid and grid exponents within ±900. A few draws are
/// not decided so and take longer: about `2^-50·M` of them at M steps from zero (one in 2^40 at a
/// thousand). A value beyond 2^50 steps always does: give the domain bounds, or choose a coarser
/// grid. `Integer` and `Rational` are big numbers, whose size shows in the time. The length of a
/// vector shows.
///
/// ```
/// use lastbit::domains::{AtomDomain, VectorDomain};
/// use lastbit::mechanisms::{Scale, laplace};
/// use lastbit::Rational;
///
/// // A count at ε = 1/10, on the integers.
/// let scale = Scale::for_epsilon(&"1".parse()?, &"0.1".parse()?);
/// let count = laplace(AtomDomain::<i64>::new(), &scale, 0)?;
/// let published: i64 = count.invoke(&417)?;
/// assert_eq!(count.map(&Rational::ONE)?.get(), 0.1);
///
/// // Means, on multiples of 2^-10.
/// let means = laplace(VectorDomain::new(AtomDomain::<f64>::new()), &scale, -10)?;
/// let published: Vec<f64> = means.invoke(&vec![1.5, -2.25])?;
/// assert_eq!(published[0] * 1024.0 % 1.0, 0.0);
/// assert_eq!(means.map(&Rational::new(1, 100))?.get(), 0.001);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn laplace<D: NoiseDomain>(
    domain: D,
    scale: &Scale,
    grid_exponent: impl TryInto<GridExponent, Error: Into<Error>>,
) -> Result<Measurement<D, D::L1, MaxDivergence, D::Output>, Error> {
    measured(domain, MaxDivergence, scale, grid(grid_exponent)?, Ok)
}

/// [`laplace`] with its loss as zCDP: `ρ = ε + e^-ε − 1`, `ε = d/s`; less than what pure ε-DP alone
/// gives.
///
/// **Proof.** For one number see [`laplace_to_zcdp`]: what is published is a function of real
/// Laplace noise. In a vector the numbers are independent, so their ρ add: `Σ f(ε_i)` with
/// `f(x) = x + e^-x − 1` and `Σ ε_i ≤ ε`. f is convex with `f(0) = 0`, so
/// `Σ f(ε_i) ≤ f(Σ ε_i) ≤ f(ε)`. ∎
///
/// ```
/// use lastbit::domains::AtomDomain;
/// use lastbit::mechanisms::laplace_zcdp;
/// use lastbit::Rational;
/// let noise = laplace_zcdp(AtomDomain::<i64>::new(), &"1".parse()?, 0)?;
/// // randomized response has 0.462
/// assert!((noise.map(&Rational::ONE)?.get() - (-1f64).exp()).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn laplace_zcdp<D: NoiseDomain>(
    domain: D,
    scale: &Scale,
    grid_exponent: impl TryInto<GridExponent, Error: Into<Error>>,
) -> Result<Measurement<D, D::L1, ZeroConcentratedDivergence, D::Output>, Error> {
    let rho =
        |epsilon| laplace_to_zcdp(epsilon).map_err(|error| Error::unbounded(error.to_string()));
    measured(
        domain,
        ZeroConcentratedDivergence,
        scale,
        grid(grid_exponent)?,
        rho,
    )
}

fn measured<D: NoiseDomain, M: Measure>(
    domain: D,
    measure: M,
    scale: &Scale,
    grid: GridExponent,
    loss: impl Fn(Up) -> Result<M::Distance, Error> + Send + Sync + 'static,
) -> Result<Measurement<D, D::L1, M, D::Output>, Error> {
    let scale = scale.get().clone();
    let noise = OnGrid::new::<D::Number>(Laplace::new(&scale, grid)?, grid)?;
    Measurement::new(
        domain,
        D::L1::default(),
        measure,
        move |value, entropy| D::add(value, &noise, entropy),
        PrivacyMap::new(move |d_in: &Rational| loss(Up::from_rational(&(d_in / &scale)))),
    )
}

impl Scale {
    /// The smallest scale at which Laplace or geometric noise has the loss ε: `s = Δ/ε`, exactly.
    ///
    /// ```
    /// use lastbit::mechanisms::Scale;
    /// let scale = Scale::for_epsilon(&"0.3".parse()?, &"0.1".parse()?);
    /// assert_eq!(scale.to_string(), "3");
    /// # Ok::<(), lastbit::ParameterError>(())
    /// ```
    pub fn for_epsilon(sensitivity: &Sensitivity, epsilon: &Epsilon) -> Scale {
        Scale::new(sensitivity.get() / epsilon.get())
            .expect("a quotient of positive numbers is positive")
    }
}
