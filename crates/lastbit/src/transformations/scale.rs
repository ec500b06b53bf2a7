use lastbit_exact::Rational;

use crate::domains::{AtomDomain, Number};
use crate::metrics::AbsoluteDistance;
use crate::{Error, StabilityMap, Transformation};

/// A number times a public factor: `d_out = |factor|·d_in`, exactly.
///
/// *Proof.* `|c·x − c·y| = |c|·|x − y|`. ∎
///
/// ```
/// use lastbit::domains::AtomDomain;
/// use lastbit::transformations::scale;
/// use lastbit::{Integer, Rational};
/// let from_steps = scale(AtomDomain::<Integer>::new(), Rational::new(1, 4))?; // steps of 2^-2
/// assert_eq!(from_steps.invoke(&Integer::from(10))?.to_string(), "2.5");
/// assert_eq!(from_steps.map(&Rational::new(3, 1))?.to_string(), "0.75");
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn scale<T: Number>(
    domain: AtomDomain<T>,
    factor: Rational,
) -> Result<
    Transformation<AtomDomain<T>, AbsoluteDistance, AtomDomain<Rational>, AbsoluteDistance>,
    Error,
> {
    let size = factor.abs();
    Transformation::new(
        domain,
        AbsoluteDistance,
        AtomDomain::new(),
        AbsoluteDistance,
        move |x| match x.to_rational() {
            Some(x) => Ok(&x * &factor),
            // Absolute distance admits only domains of finite numbers.
            None => Err(Error::other(
                "a number to scale is not finite; clamp it first",
            )),
        },
        StabilityMap::new(move |d_in| Ok(d_in * &size)),
    )
}
