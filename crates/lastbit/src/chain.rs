use core::ops::Shr;

use crate::domains::Domain;
use crate::measures::Measure;
use crate::metrics::Metric;
use crate::{Error, Measurement, MetricSpace, Transformation};

/// First the left, then the right: [`Then::then`], or `left >> right`.
///
/// The output space of the left must be the input space of the right. A different type does not
/// compile; a different domain or metric of the same type is an error when the chain is built. A
/// chain of several ends in one `?`.
///
/// ```
/// # use lastbit::domains::{AtomDomain, VectorDomain};
/// # use lastbit::measures::MaxDivergence;
/// # use lastbit::metrics::{AbsoluteDistance, SymmetricDistance};
/// # use lastbit::{Error, Measurement, PrivacyMap, StabilityMap, Transformation};
/// # use lastbit::{Rational, Up};
/// use lastbit::Then;
/// type Rows = VectorDomain<AtomDomain<i64>>;
///
/// fn clamp(
///     lower: i64,
///     upper: i64,
/// ) -> Result<Transformation<Rows, SymmetricDistance, Rows, SymmetricDistance>, Error> {
///     Transformation::new(
///         VectorDomain::new(AtomDomain::new()),
///         SymmetricDistance,
///         VectorDomain::new(AtomDomain::bounded(lower, upper)?),
///         SymmetricDistance,
///         move |rows| Ok(rows.iter().map(|row| *row.max(&lower).min(&upper)).collect()),
///         StabilityMap::identity(),
///     )
/// }
///
/// fn sum(
///     upper: i64,
/// ) -> Result<Transformation<Rows, SymmetricDistance, AtomDomain<i64>, AbsoluteDistance>, Error>
/// {
///     Transformation::new(
///         VectorDomain::new(AtomDomain::bounded(0, upper)?),
///         SymmetricDistance,
///         AtomDomain::new(),
///         AbsoluteDistance,
///         |rows| Ok(rows.iter().sum()),
///         StabilityMap::new(move |&rows| Ok(Rational::from(rows) * Rational::from(upper))),
///     )
/// }
/// # type Noise = Measurement<AtomDomain<i64>, AbsoluteDistance, MaxDivergence, i64>;
/// # fn noise() -> Result<Noise, Error> {
/// #     Measurement::new(
/// #         AtomDomain::new(),
/// #         AbsoluteDistance,
/// #         MaxDivergence,
/// #         |&x, _| Ok(x),
/// #         PrivacyMap::new(|d_in| Ok(Up::from_rational(d_in))),
/// #     )
/// # }
///
/// let release = (clamp(0, 10)? >> sum(10)? >> noise()?)?;
/// assert_eq!(release.map(&1)?.get(), 10.0);
/// assert_eq!(clamp(0, 10)?.then(&sum(10)?)?.invoke(&vec![3, 40, -5])?, 13);
/// assert_eq!(
///     (clamp(0, 12)? >> sum(10)?).unwrap_err().to_string(),
///     "cannot chain: the domain on the left is vectors of i64 in [0, 12], on the right vectors \
///      of i64 in [0, 10]; make them equal, or put a transformation between them"
/// );
/// # Ok::<(), lastbit::Error>(())
/// ```
///
/// ```compile_fail,E0277
/// # use lastbit::domains::{AtomDomain, VectorDomain};
/// # use lastbit::measures::MaxDivergence;
/// # use lastbit::metrics::{AbsoluteDistance, SymmetricDistance};
/// # use lastbit::{Measurement, Then, Transformation};
/// fn wrong(
///     count: Transformation<
///         VectorDomain<AtomDomain<i64>>,
///         SymmetricDistance,
///         AtomDomain<u64>,
///         AbsoluteDistance,
///     >,
///     noise: Measurement<AtomDomain<i64>, AbsoluteDistance, MaxDivergence, i64>,
/// ) {
///     count.then(&noise); // u64 is not i64
/// }
/// ```
pub trait Then<R> {
    /// The chain.
    type Output;

    /// First `self`, then `right`.
    fn then(&self, right: &R) -> Result<Self::Output, Error>;
}

impl<DI, MI, DX, MX, DO, MO> Then<Transformation<DX, MX, DO, MO>> for Transformation<DI, MI, DX, MX>
where
    DI: MetricSpace<MI>,
    MI: Metric,
    DX: MetricSpace<MX>,
    MX: Metric,
    DO: MetricSpace<MO>,
    MO: Metric,
{
    type Output = Transformation<DI, MI, DO, MO>;

    fn then(&self, right: &Transformation<DX, MX, DO, MO>) -> Result<Self::Output, Error> {
        same_space(
            (self.output_domain(), self.output_metric()),
            (right.input_domain(), right.input_metric()),
        )?;
        let (first, second) = (self.clone(), right.clone());
        Transformation::new(
            self.input_domain().clone(),
            self.input_metric().clone(),
            right.output_domain().clone(),
            right.output_metric().clone(),
            // The second checks what the first returned, so a wrong function is refused where it
            // happens.
            move |argument| second.invoke(&first.invoke(argument)?),
            self.stability_map().then(right.stability_map()),
        )
    }
}

impl<DI, MI, DX, MX, MO, TO> Then<Measurement<DX, MX, MO, TO>> for Transformation<DI, MI, DX, MX>
where
    DI: MetricSpace<MI>,
    MI: Metric,
    DX: MetricSpace<MX>,
    MX: Metric,
    MO: Measure,
    TO: 'static,
{
    type Output = Measurement<DI, MI, MO, TO>;

    fn then(&self, right: &Measurement<DX, MX, MO, TO>) -> Result<Self::Output, Error> {
        same_space(
            (self.output_domain(), self.output_metric()),
            (right.input_domain(), right.input_metric()),
        )?;
        let (first, second) = (self.clone(), right.clone());
        Measurement::new(
            self.input_domain().clone(),
            self.input_metric().clone(),
            right.output_measure().clone(),
            move |argument, entropy| second.invoke_with(&first.invoke(argument)?, entropy),
            self.stability_map().then_privacy(right.privacy_map()),
        )
    }
}

impl<DI, MI, DX, MX, R> Shr<R> for Transformation<DI, MI, DX, MX>
where
    DI: MetricSpace<MI>,
    MI: Metric,
    DX: MetricSpace<MX>,
    MX: Metric,
    Self: Then<R>,
{
    type Output = Result<<Self as Then<R>>::Output, Error>;

    fn shr(self, right: R) -> Self::Output {
        self.then(&right)
    }
}

impl<DI, MI, DX, MX, DO, MO> Shr<Transformation<DX, MX, DO, MO>>
    for Result<Transformation<DI, MI, DX, MX>, Error>
where
    DI: MetricSpace<MI>,
    MI: Metric,
    DX: MetricSpace<MX>,
    MX: Metric,
    DO: MetricSpace<MO>,
    MO: Metric,
{
    type Output = Result<Transformation<DI, MI, DO, MO>, Error>;

    fn shr(self, right: Transformation<DX, MX, DO, MO>) -> Self::Output {
        self?.then(&right)
    }
}

impl<DI, MI, DX, MX, MO, TO> Shr<Measurement<DX, MX, MO, TO>>
    for Result<Transformation<DI, MI, DX, MX>, Error>
where
    DI: MetricSpace<MI>,
    MI: Metric,
    DX: MetricSpace<MX>,
    MX: Metric,
    MO: Measure,
    TO: 'static,
{
    type Output = Result<Measurement<DI, MI, MO, TO>, Error>;

    fn shr(self, right: Measurement<DX, MX, MO, TO>) -> Self::Output {
        self?.then(&right)
    }
}

fn same_space<D: Domain, M: Metric>(left: (&D, &M), right: (&D, &M)) -> Result<(), Error> {
    if left.0 != right.0 {
        Err(Error::mismatch("domain", left.0, right.0))
    } else if left.1 != right.1 {
        Err(Error::mismatch("metric", left.1, right.1))
    } else {
        Ok(())
    }
}
