use lastbit_exact::{Dyadic, Rational, Rounding, Up};

use super::error::{self, UtilityError};
use crate::wide::Probability;
use crate::{Beta, GridExponent};

/// Which grid outputs lie on, relative to the centre of the bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GridRule {
    /// Multiples of Λ, the smallest power of two ≥ λ; in the float modes ≥ λ(1 − 2^-20). The
    /// default.
    #[default]
    Snapped,
    /// Multiples of `2^exponent`, whatever the scale; exact arithmetic only.
    Fixed(GridExponent),
}

impl GridRule {
    /// [`GridRule::Fixed`] of an integer that may be an exponent.
    ///
    /// ```
    /// use lastbit::mechanisms::snapping::GridRule;
    /// assert_ne!(GridRule::fixed(-20)?, GridRule::Snapped);
    /// assert!(GridRule::fixed(2000).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fixed(
        exponent: impl TryInto<GridExponent, Error: Into<UtilityError>>,
    ) -> Result<GridRule, UtilityError> {
        error::grid(exponent).map(GridRule::Fixed)
    }
}

/// `P(|X − g| > a) ≤ β` for `a = accuracy(…) ≥ min(λ·ln(1/β) + Λ/2, 2B)` and every `|g| ≤ B`.
///
/// A bound of `None` is infinite. The noise exceeds `λ·ln(1/β)` with probability β, rounding moves
/// by at most Λ/2, and the clamp only brings the output nearer. A scale that is not positive gives
/// `+∞`, which promises nothing.
///
/// ```
/// use lastbit::mechanisms::snapping::utility::accuracy;
/// use lastbit::{GridExponent, Rational};
/// let a = accuracy(&Rational::ONE, GridExponent::INTEGERS, None, &"0.05".parse()?);
/// assert_eq!(a.get(), 3.4957322735539913);
/// # Ok::<(), lastbit::ParameterError>(())
/// ```
pub fn accuracy(
    scale: &Rational,
    grid_exponent: GridExponent,
    bound: Option<&Rational>,
    beta: &Beta,
) -> Up {
    let cap = bound.map_or(Up::INFINITY, |bound| {
        Up::from_rational(&bound.times_power_of_two(1))
    });
    if !scale.is_positive() {
        return Up::INFINITY;
    }
    let half_step = Dyadic::power_of_two(grid_exponent.get() - 1);
    let sum = Probability::ln_recip(beta.get()).times(scale).hi() + &half_step;
    Up::from_dyadic(&sum).min(cap)
}

/// The simpler bound `simple_accuracy(…) ≥ λ(1 + ln(1/β))`, for the snapped grid, where `Λ/2 ≤ λ`.
///
/// ```
/// use lastbit::mechanisms::snapping::utility::simple_accuracy;
/// use lastbit::Rational;
/// assert_eq!(simple_accuracy(&Rational::ONE, &"0.05".parse()?).get(), 3.9957322735539913);
/// # Ok::<(), lastbit::ParameterError>(())
/// ```
pub fn simple_accuracy(scale: &Rational, beta: &Beta) -> Up {
    if !scale.is_positive() {
        return Up::INFINITY;
    }
    let sum = &Probability::ONE + &Probability::ln_recip(beta.get());
    Up::from_dyadic(sum.times(scale).hi())
}

/// The accuracy of the Laplace mechanism in real arithmetic: `laplace_accuracy(…) ≥ λ₀·ln(1/β)`,
/// the smallest such double.
///
/// ```
/// use lastbit::mechanisms::snapping::utility::laplace_accuracy;
/// use lastbit::Rational;
/// assert_eq!(laplace_accuracy(&Rational::ONE, &"0.05".parse()?).get(), 2.9957322735539913);
/// # Ok::<(), lastbit::ParameterError>(())
/// ```
pub fn laplace_accuracy(scale: &Rational, beta: &Beta) -> Up {
    if !scale.is_positive() {
        return Up::INFINITY;
    }
    Up::from_dyadic(Probability::ln_recip(beta.get()).times(scale).hi())
}

/// The largest double λ with `accuracy(λ, Λ(λ), None, β) ≤ a`.
///
/// So `accuracy(scale_for_accuracy(a)) ≤ a` for every a, and `scale_for_accuracy(accuracy(λ)) ≥ λ`
/// for every double λ: neither up to rounding. On the snapped grid, accuracy jumps where λ passes a
/// power of two, and a whole range of a is met by that power.
///
/// ```
/// use lastbit::mechanisms::snapping::utility::{GridRule, accuracy, scale_for_accuracy};
/// use lastbit::Rational;
/// let beta = "0.05".parse()?;
/// let scale = scale_for_accuracy(&Rational::new(15, 2), &beta, GridRule::Snapped)?;
/// // 2·ln 20 + 1 = 6.99; any larger λ has Λ = 4 and reaches 7.99
/// assert_eq!(scale.to_string(), "2");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn scale_for_accuracy(
    a: &Rational,
    beta: &Beta,
    grid: GridRule,
) -> Result<Rational, UtilityError> {
    error::positive("accuracy", a)?;
    if let GridRule::Fixed(exponent) = grid {
        let half_step = exponent.step().times_power_of_two(-1);
        if *a <= half_step {
            return Err(UtilityError::AccuracyBelowGrid {
                accuracy: a.clone(),
                half_step,
            });
        }
    }
    let too_small = || UtilityError::AccuracyTooSmall {
        accuracy: a.clone(),
    };
    let target = a.to_f64(Rounding::Down);
    if target == 0.0 {
        return Err(too_small());
    }
    let meets = |scale: f64| {
        Rational::try_from(scale).is_ok_and(|scale| {
            let exponent = match grid {
                // The scale is a double: its exponent is that of a grid.
                GridRule::Snapped => GridExponent::nearest(scale.ceil_log2().unwrap_or(0)),
                GridRule::Fixed(exponent) => exponent,
            };
            accuracy(&scale, exponent, None, beta).get() <= target
        })
    };
    let mut scale = near_scale(&Rational::try_from(target).unwrap_or(a.clone()), beta, grid)
        .max(f64::from_bits(1));
    // `near_scale` is within a unit or two in the last place, so these loops end at once.
    while !meets(scale) {
        scale = scale.next_down();
        if scale == 0.0 {
            return Err(too_small());
        }
    }
    while meets(scale.next_up()) {
        scale = scale.next_up();
    }
    Rational::try_from(scale).map_err(|_| too_small())
}

/// The largest real scale that meets `a`, rounded to f64.
fn near_scale(a: &Rational, beta: &Beta, grid: GridRule) -> f64 {
    let quantile = Probability::ln_recip(beta.get());
    let solve = |exponent: i64| {
        let rest = Probability::of(&(a - &Rational::ONE.times_power_of_two(exponent - 1)));
        (&rest / &quantile).lo().clone()
    };
    let scale = match grid {
        GridRule::Fixed(exponent) => solve(exponent.get()),
        GridRule::Snapped => {
            // Λ = 2^m is possible while λ = 2^(m−1), just excluded, is not too large:
            // 2^(m−1)(ln(1/β) + 1) < a. Take the largest such m; then λ solves λ·ln(1/β) +
            // 2^(m−1) = a, or is 2^m if that is larger.
            let limit = &Probability::of(a) / &(&Probability::ONE + &quantile);
            let exponent = Rational::from(limit.lo()).ceil_log2().unwrap_or(0);
            solve(exponent).min(Dyadic::power_of_two(exponent))
        }
    };
    scale.to_f64(Rounding::Down)
}
