use lastbit_exact::{Interval, Rational};

use super::bias::Laws;
use super::error::UtilityError;

/// What a bound costs: one point of the curve that [`curve`] draws.
#[derive(Clone, Debug, PartialEq)]
pub struct TradeOff {
    /// B.
    pub bound: Rational,
    /// λ at this bound.
    pub scale: Rational,
    /// `sup |bias|` over the query's bounds.
    pub worst_bias: Interval,
    /// A location, at or above zero, where the bias is worst.
    pub worst_location: Rational,
    /// The variance at that location.
    pub variance: Interval,
    /// The mean squared error at that location.
    pub mean_squared_error: Interval,
    /// The probability that a clamp binds at the worst location for that.
    pub clamp_probability: Interval,
}

/// Bias against variance as B varies, for a query whose centred value lies within `half_width` of
/// zero.
///
/// `laws_of` gives the mechanism for a bound: in the float modes a larger B makes a larger λ.
/// Nothing depends on data.
///
/// ```
/// use lastbit::mechanisms::snapping::utility::{Laws, UtilityError, curve};
/// use lastbit::{Rational, Up};
/// let half_width = Rational::from(10i64);
/// let bounds: Vec<_> = (10..16i64).map(Rational::from).collect();
/// let points = curve(&half_width, &bounds, |bound| {
///     Laws::new(Rational::ONE, 0, Some(bound.clone()), Up::ZERO)
/// })?;
/// // A wider clamp: less bias, more variance.
/// assert!(points.windows(2).all(|pair| pair[1].worst_bias.hi() <= pair[0].worst_bias.hi()));
/// assert!(points[0].variance.hi() < points[5].variance.lo());
/// # Ok::<(), UtilityError>(())
/// ```
pub fn curve<E: From<UtilityError>>(
    half_width: &Rational,
    bounds: &[Rational],
    mut laws_of: impl FnMut(&Rational) -> Result<Laws, E>,
) -> Result<Vec<TradeOff>, E> {
    bounds
        .iter()
        .map(|bound| {
            let laws = laws_of(bound)?;
            Ok(laws.trade_off(half_width, bound)?)
        })
        .collect()
}

impl Laws {
    fn trade_off(&self, half_width: &Rational, bound: &Rational) -> Result<TradeOff, UtilityError> {
        let worst = self.worst_bias(half_width)?;
        let law = self.at(&worst.location)?;
        Ok(TradeOff {
            bound: bound.clone(),
            scale: self.scale().clone(),
            worst_bias: worst.bias,
            worst_location: worst.location,
            variance: law.variance(),
            mean_squared_error: law.mean_squared_error(),
            clamp_probability: self.at(half_width)?.ends().to_interval(),
        })
    }
}
