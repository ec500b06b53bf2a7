use lastbit_exact::{Integer, Rational, Up};
use lastbit_noise::Geometric;
use lastbit_noise::entropy::Entropy;

use super::noise::{Draw, NoiseDomain, NoiseGrid, NoisyInteger};
use crate::measures::MaxDivergence;
use crate::parameters::Scale;
use crate::{Error, Measurement, PrivacyMap};

/// Two-sided geometric noise, `P(k) = (1 − q)/(1 + q)·q^|k|` with `q = e^(-1/s)`, added to an
/// integer, or each integer of a vector: `ε = d/s`, for `d` the absolute or L1 distance. Also
/// called discrete Laplace.
///
/// Its variance is `2q/(1 − q)²`, a little below that of [`laplace`](super::laplace) on the
/// integers at the same loss. The output saturates at the ends of its type.
///
/// **Proof.** `P(y − x')/P(y − x) = q^(|y − x'| − |y − x|) ≤ q^(-|x − x'|) = exp(|x − x'|/s)`, and
/// products of independent ones add the exponents. With equality at every y that does not lie
/// between x and x'. The noise is the difference of two independent geometric variables:
/// `Σ_j (1 − q)² q^(k+j) q^j = (1 − q)² q^k/(1 − q²)` for `k ≥ 0`. ∎
///
/// **As zCDP** it costs what [`pure_to_zcdp`](crate::conversions::pure_to_zcdp) says, not what
/// [`laplace_zcdp`](super::laplace_zcdp) does: between neighbours at distance 1 the log-likelihood
/// ratio is always `ε` or `−ε`, so that this is randomized response.
///
/// **Time.** Each integer reads two words; values of 2^50 and more, about one draw in 2^40, and big
/// integers take longer. The length of a vector shows.
///
/// ```
/// use lastbit::domains::AtomDomain;
/// use lastbit::mechanisms::{Scale, geometric};
/// use lastbit::Rational;
/// let scale = Scale::for_epsilon(&"1".parse()?, &"0.5".parse()?);
/// let count = geometric(AtomDomain::<u64>::new(), &scale)?;
/// let published: i64 = count.invoke(&417)?;
/// assert_eq!(count.map(&Rational::ONE)?.get(), 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// It is for integers only:
/// ```compile_fail
/// # use lastbit::domains::AtomDomain;
/// # use lastbit::mechanisms::geometric;
/// geometric(AtomDomain::<f64>::new(), &"2".parse()?)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn geometric<D: NoiseDomain<Number: NoisyInteger>>(
    domain: D,
    scale: &Scale,
) -> Result<Measurement<D, D::L1, MaxDivergence, D::Output>, Error> {
    let scale = scale.get().clone();
    let noise = TwoSided(Geometric::new(&scale)?);
    Measurement::new(
        domain,
        D::L1::default(),
        MaxDivergence,
        move |value, entropy| D::add(value, &noise, entropy),
        PrivacyMap::new(move |d_in: &Rational| Ok(Up::from_rational(&(d_in / &scale)))),
    )
}

/// The difference of two independent draws.
#[derive(Debug)]
struct TwoSided(Geometric);

impl<T: NoisyInteger> Draw<T> for TwoSided {
    fn one(&self, value: &T, mut entropy: &mut dyn Entropy) -> Result<T::Output, Error> {
        let up = self.0.draw(&mut entropy)?;
        let down = self.0.draw(&mut entropy)?;
        let small = |noise: &Integer| i64::try_from(noise).ok().filter(|noise| *noise < 1 << 49);
        if let (Some(value), Some(up), Some(down)) = (value.to_small(), small(&up), small(&down)) {
            // Below 2^50 + 2^49 in size, so exact as a double and below 2^51.
            let cell = (value + up - down) as f64;
            return Ok(T::from_small_cell(cell, &NoiseGrid::INTEGERS));
        }
        Ok(T::from_cell(
            &(value.to_integer() + up - down),
            &NoiseGrid::INTEGERS,
        ))
    }
}
