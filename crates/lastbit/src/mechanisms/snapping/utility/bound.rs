use lastbit_exact::{Integer, Interval, Rational, Rounding, Up};

use super::error::{self, UtilityError};
use super::law::Law;
use crate::wide::Probability;

/// `B ≥ B' + Λ/2 + λ·ln(1/γ)`: no clamp binds with probability at least 1 − γ, for every location
/// in `[−B', B']`.
///
/// The smallest double with that property; [`UtilityError::BoundOverflow`] if there is none. γ in
/// (0, 1].
///
/// ```
/// use lastbit::mechanisms::snapping::utility::bound_for_gamma_exact;
/// use lastbit_exact::{Rational, Rounding};
/// let bound =
///     bound_for_gamma_exact(&Rational::from(50i64), &Rational::ONE, 0, &Rational::new(1, 20))?;
/// assert_eq!(bound.to_f64(Rounding::NearestEven), 53.495732273553994);
/// # Ok::<(), lastbit::mechanisms::snapping::utility::UtilityError>(())
/// ```
pub fn bound_for_gamma_exact(
    half_width: &Rational,
    scale: &Rational,
    grid_exponent: i64,
    gamma: &Rational,
) -> Result<Rational, UtilityError> {
    error::not_negative("half-width", half_width)?;
    error::positive("scale", scale)?;
    error::grid(grid_exponent)?;
    let quantile = ln_recip(gamma)?;
    let fixed = half_width + &Rational::ONE.times_power_of_two(grid_exponent - 1);
    to_double_up(&(&Probability::of(&fixed) + &quantile.times(scale)))
}

/// `B ≥ B' + (k/2)(1 + 2·ln(1/γ))` with `k = Δ(2 + 24·2^-52)/(ε − 2^-117)`, the closed form for the
/// float modes, where λ depends on B.
///
/// It leaves no clamp binding with probability at least 1 − γ as long as `λ ≤ k/2`, which the
/// published constants give when `B·η/Δ ≤ 2^-52`.
///
/// ```
/// use lastbit::mechanisms::snapping::utility::bound_for_gamma_float;
/// use lastbit_exact::{Rational, Rounding};
/// let number = |text: &str| text.parse::<Rational>().unwrap();
/// let bound = bound_for_gamma_float(&number("0"), &number("100"), &number("1"), &number("0.05"))?;
/// assert!((bound.to_f64(Rounding::Up) - 699.146).abs() < 1e-3);
/// # Ok::<(), lastbit::mechanisms::snapping::utility::UtilityError>(())
/// ```
pub fn bound_for_gamma_float(
    half_width: &Rational,
    sensitivity: &Rational,
    epsilon: &Rational,
    gamma: &Rational,
) -> Result<Rational, UtilityError> {
    error::positive("epsilon", epsilon)?;
    float_bound(half_width, sensitivity, &Probability::of(epsilon), gamma)
}

/// [`bound_for_gamma_float`] when an accuracy is asked for instead of a loss:
/// `ε⁻ = Δ·ln(1/α)/a ≤ ε` stands in for ε.
///
/// ```
/// use lastbit::mechanisms::snapping::utility::bound_for_gamma_float_from_accuracy;
/// use lastbit_exact::{Rational, Rounding};
/// let number = |text: &str| text.parse::<Rational>().unwrap();
/// // ln(1/0.05)/3 ≈ 0.9986 stands in for ε.
/// let bound = bound_for_gamma_float_from_accuracy(
///     &number("0"), &number("1"), &number("3"), &number("0.05"), &number("0.05"))?;
/// assert!((bound.to_f64(Rounding::Up) - 7.0014).abs() < 1e-3);
/// # Ok::<(), lastbit::mechanisms::snapping::utility::UtilityError>(())
/// ```
pub fn bound_for_gamma_float_from_accuracy(
    half_width: &Rational,
    sensitivity: &Rational,
    accuracy: &Rational,
    alpha: &Rational,
    gamma: &Rational,
) -> Result<Rational, UtilityError> {
    error::positive("sensitivity", sensitivity)?;
    error::positive("accuracy", accuracy)?;
    error::probability("alpha", alpha)?;
    let epsilon = Probability::ln_recip(alpha).times(&(sensitivity / accuracy));
    float_bound(half_width, sensitivity, &epsilon, gamma)
}

/// The probability that a clamp binds at the worst location in `[−B', B']`: that the rounded sum is
/// at or beyond ±B.
///
/// At a location t that is `½(e^-(u−t) + e^-(u+t))` with u the last interior edge, all in units of
/// λ, as long as t ≤ u; it grows with |t|, so the worst location is B' itself.
///
/// ```
/// use lastbit::mechanisms::snapping::utility::{bound_for_gamma_exact, clamp_probability};
/// use lastbit_exact::{Rational, Up};
/// let (half_width, scale) = (Rational::from(10i64), Rational::new(3, 2));
/// let bound = bound_for_gamma_exact(&half_width, &scale, 1, &Rational::new(1, 20))?;
/// assert!(clamp_probability(&half_width, &bound, &scale, 1, Up::ZERO)?.hi() <= 0.05);
/// # Ok::<(), lastbit::mechanisms::snapping::utility::UtilityError>(())
/// ```
pub fn clamp_probability(
    half_width: &Rational,
    bound: &Rational,
    scale: &Rational,
    grid_exponent: i64,
    edge_error: Up,
) -> Result<Interval, UtilityError> {
    error::not_negative("half-width", half_width)?;
    if half_width > bound {
        return Err(UtilityError::BoundBelowHalfWidth {
            bound: bound.clone(),
            half_width: half_width.clone(),
        });
    }
    let law = Law::new(
        half_width.clone(),
        scale.clone(),
        grid_exponent,
        Some(bound.clone()),
        edge_error,
    )?;
    Ok(law.ends().to_interval())
}

impl Law {
    /// `P(|X| = B)`; zero if B is infinite.
    pub(super) fn ends(&self) -> Probability {
        match &self.steps.bound {
            None => Probability::ZERO,
            Some(bound) => {
                let n = &bound.last_interior;
                (&self.below(&-n) + &self.at_or_above(&(n + Integer::ONE))).clamp_to_unit()
            }
        }
    }
}

fn float_bound(
    half_width: &Rational,
    sensitivity: &Rational,
    epsilon: &Probability,
    gamma: &Rational,
) -> Result<Rational, UtilityError> {
    error::not_negative("half-width", half_width)?;
    error::positive("sensitivity", sensitivity)?;
    let quantile = ln_recip(gamma)?;
    let net = epsilon - &Probability::of(&Rational::ONE.times_power_of_two(-117));
    if !net.lo().is_positive() {
        return Err(UtilityError::EpsilonTooSmall {
            epsilon: epsilon.lo().to_f64(Rounding::NearestEven),
        });
    }
    // k/2 = Δ(1 + 12·2^-52)/(ε − 2^-117).
    let factor = &Rational::ONE + &Rational::from(12i64).times_power_of_two(-52);
    let half_k = &Probability::of(&(sensitivity * &factor)) / &net;
    let margin = &half_k * &(&Probability::ONE + &quantile.times_power_of_two(1));
    to_double_up(&(&Probability::of(half_width) + &margin))
}

fn ln_recip(gamma: &Rational) -> Result<Probability, UtilityError> {
    if gamma.is_positive() && *gamma <= Rational::ONE {
        Ok(Probability::ln_recip(gamma))
    } else {
        Err(UtilityError::GammaOutOfRange {
            value: gamma.clone(),
        })
    }
}

fn to_double_up(bound: &Probability) -> Result<Rational, UtilityError> {
    Rational::try_from(bound.hi().to_f64(Rounding::Up)).map_err(|_| UtilityError::BoundOverflow)
}
