//! What noise can be added to, and the adding.

mod draw;
mod value;

use lastbit_exact::{Rational, Up};
use lastbit_noise::entropy::Entropy;

pub use draw::Draw;
pub(super) use draw::{Bar, GridNoise, OnGrid};
pub(super) use value::NoiseGrid;
pub use value::{NoisyInteger, NoisyNumber};

use crate::domains::{AtomDomain, VectorDomain};
use crate::metrics::{AbsoluteDistance, L1Distance, L2Distance, Metric};
use crate::sealed::Sealed;
use crate::{Distance, Error, MetricSpace};

/// A domain to whose members noise can be added: one number, or a vector of numbers, each with
/// noise of its own.
///
/// ```
/// use lastbit::Error;
/// use lastbit::mechanisms::{NoiseDomain, Scale, laplace};
/// fn publish<D: NoiseDomain>(
///     domain: D,
///     value: &D::Carrier,
///     scale: &Scale,
/// ) -> Result<D::Output, Error> {
///     laplace(domain, scale, 0)?.invoke(value)
/// }
/// use lastbit::domains::{AtomDomain, VectorDomain};
/// let one: i64 = publish(AtomDomain::<i64>::new(), &3, &"2".parse()?)?;
/// let many: Vec<i64> =
///     publish(VectorDomain::new(AtomDomain::<i64>::new()), &vec![3, 4], &"2".parse()?)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The length of a vector is published. A map is not such a domain, because its keys would be
/// published too; see [`threshold_laplace`](super::threshold_laplace).
///
/// ```compile_fail
/// # use lastbit::domains::{AtomDomain, MapDomain};
/// # use lastbit::mechanisms::laplace;
/// let counts = MapDomain::new(AtomDomain::<String>::new(), AtomDomain::<u64>::new());
/// laplace(counts, &"1".parse()?, 0)?;
/// # Ok::<(), lastbit::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "noise cannot be added to the members of `{Self}`",
    note = "it can be added to a number and to a vector of numbers; a map needs a threshold, for \
        its keys are data"
)]
pub trait NoiseDomain: MetricSpace<Self::L1> + MetricSpace<Self::L2> + Sealed {
    /// The type of a number.
    type Number: NoisyNumber;
    /// What is published.
    type Output: Send + 'static;
    /// The metric in which Laplace noise is measured.
    type L1: Metric<Distance = Rational> + Default;
    /// The metric in which Gaussian noise is measured.
    type L2: Metric<Distance: Length> + Default;

    /// The noisy value.
    #[doc(hidden)]
    fn add<N: Draw<Self::Number>>(
        value: &Self::Carrier,
        noise: &N,
        entropy: &mut dyn Entropy,
    ) -> Result<Self::Output, Error>;
}

impl<T: NoisyNumber> NoiseDomain for AtomDomain<T> {
    type Number = T;
    type Output = T::Output;
    type L1 = AbsoluteDistance;
    type L2 = AbsoluteDistance;

    fn add<N: Draw<T>>(
        value: &T,
        noise: &N,
        entropy: &mut dyn Entropy,
    ) -> Result<T::Output, Error> {
        noise.one(value, entropy)
    }
}

impl<T: NoisyNumber> NoiseDomain for VectorDomain<AtomDomain<T>> {
    type Number = T;
    type Output = Vec<T::Output>;
    type L1 = L1Distance;
    type L2 = L2Distance;

    fn add<N: Draw<T>>(
        values: &Vec<T>,
        noise: &N,
        entropy: &mut dyn Entropy,
    ) -> Result<Vec<T::Output>, Error> {
        let mut outputs = Vec::with_capacity(values.len());
        noise.many(values.iter(), entropy, |output| outputs.push(output))?;
        Ok(outputs)
    }
}

/// A distance that is one number.
///
/// ```
/// use lastbit::mechanisms::Length;
/// use lastbit::{Rational, Up};
/// assert_eq!(Rational::new(1, 3).squared()?, Rational::new(1, 9));
/// assert_eq!(Up::exact(1.5).squared()?, Rational::new(9, 4));
/// assert!(Up::INFINITY.squared().unwrap_err().is_unbounded());
/// # Ok::<(), lastbit::Error>(())
/// ```
pub trait Length: Distance + Sealed {
    /// The square of the number, exactly; of one that was checked.
    fn squared(&self) -> Result<Rational, Error>;
}

impl Length for Rational {
    fn squared(&self) -> Result<Rational, Error> {
        Ok(self * self)
    }
}

impl Length for Up {
    fn squared(&self) -> Result<Rational, Error> {
        self.check()?;
        let length = crate::finite("distance", self.get())?;
        Ok(&length * &length)
    }
}
