use lastbit_exact::{Integer, Interval, Rational, Rounding, Up};

use super::error::{self, UtilityError};
use super::law::Law;
use crate::wide::Probability;
use crate::{Beta, Gamma, GridExponent};

/// `B ≥ B' + Λ/2 + λ·ln(1/γ)`: no clamp binds with probability at least 1 − γ, for every location
/// in `[−B', B']`.
///
/// The smallest double with that property; [`UtilityError::BoundOverflow`] if there is none.
///
/// ```
/// use lastbit::mechanisms::snapping::utility::bound_for_gamma_exact;
/// use lastbit::{Rational, Rounding};
/// let half_width = Rational::from(50i64);
/// let bound = bound_for_gamma_exact(&half_width, &Rational::ONE, 0, &"0.05".parse()?)?;
/// assert_eq!(bound.to_f64(Rounding::NearestEven), 53.495732273553994);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn bound_for_gamma_exact(
    half_width: &Rational,
    scale: &Rational,
    grid_exponent: impl TryInto<GridExponent, Error: Into<UtilityError>>,
    gamma: &Gamma,
) -> Result<Rational, UtilityError> {
    error::not_negative("half-width", half_width)?;
    error::positive("scale", scale)?;
    let half_step = error::grid(grid_exponent)?.step().times_power_of_two(-1);
    let quantile = Probability::ln_recip(gamma.get());
    let fixed = half_width + &half_step;
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
/// use lastbit::{Rational, Rounding};
/// let number = |text: &str| text.parse::<Rational>().unwrap();
/// let gamma = "0.05".parse()?;
/// let bound = bound_for_gamma_float(&number("0"), &number("100"), &number("1"), &gamma)?;
/// assert!((bound.to_f64(Rounding::Up) - 699.146).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn bound_for_gamma_float(
    half_width: &Rational,
    sensitivity: &Rational,
    epsilon: &Rational,
    gamma: &Gamma,
) -> Result<Rational, UtilityError> {
    error::positive("epsilon", epsilon)?;
    float_bound(half_width, sensitivity, &Probability::of(epsilon), gamma)
}

/// [`bound_for_gamma_float`] when an accuracy is asked for instead of a loss:
/// `ε⁻ = Δ·ln(1/β)/a ≤ ε` stands in for ε.
///
/// ```
/// use lastbit::mechanisms::snapping::utility::bound_for_gamma_float_from_accuracy;
/// use lastbit::{Rational, Rounding};
/// let number = |text: &str| text.parse::<Rational>().unwrap();
/// // ln(1/0.05)/3 ≈ 0.9986 stands in for ε.
/// let bound = bound_for_gamma_float_from_accuracy(
///     &number("0"), &number("1"), &number("3"), &"0.05".parse()?, &"0.05".parse()?)?;
/// assert!((bound.to_f64(Rounding::Up) - 7.0014).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn bound_for_gamma_float_from_accuracy(
    half_width: &Rational,
    sensitivity: &Rational,
    accuracy: &Rational,
    beta: &Beta,
    gamma: &Gamma,
) -> Result<Rational, UtilityError> {
    error::positive("sensitivity", sensitivity)?;
    error::positive("accuracy", accuracy)?;
    let epsilon = Probability::ln_recip(beta.get()).times(&(sensitivity / accuracy));
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
/// use lastbit::{Rational, Up};
/// let (half_width, scale) = (Rational::from(10i64), Rational::new(3, 2));
/// let bound = bound_for_gamma_exact(&half_width, &scale, 1, &"0.05".parse()?)?;
/// assert!(clamp_probability(&half_width, &bound, &scale, 1, Up::ZERO)?.hi() <= 0.05);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn clamp_probability(
    half_width: &Rational,
    bound: &Rational,
    scale: &Rational,
    grid_exponent: impl TryInto<GridExponent, Error: Into<UtilityError>>,
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
    gamma: &Gamma,
) -> Result<Rational, UtilityError> {
    error::not_negative("half-width", half_width)?;
    error::positive("sensitivity", sensitivity)?;
    let quantile = Probability::ln_recip(gamma.get());
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

fn to_double_up(bound: &Probability) -> Result<Rational, UtilityError> {
    Rational::try_from(bound.hi().to_f64(Rounding::Up)).map_err(|_| UtilityError::BoundOverflow)
}
