//! From what the caller asks for to a [`Setting`]. Everything here is public: no data.

use lastbit_exact::{Rational, Rounding};

use super::setting::{CHARGED, Centring, Setting, float_grid_exponent};
use super::utility::{
    GridRule, UtilityError, bound_for_gamma_exact, bound_for_gamma_float,
    bound_for_gamma_float_from_accuracy, scale_for_accuracy,
};
use super::{Arithmetic, Bound, SnappingError};
use crate::{Accuracy, Beta, Bounds, Confidence, Epsilon, Gamma, GridExponent, Sensitivity};

/// What is paid, or what is wanted for it.
#[derive(Clone, Debug)]
pub(super) enum LossOrError {
    Epsilon(Epsilon),
    Accuracy(Accuracy, Confidence),
}

/// A request, complete but unresolved.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub bounds: Bounds,
    pub sensitivity: Sensitivity,
    pub loss: LossOrError,
    pub bound: Bound,
    pub arithmetic: Arithmetic,
    pub grid: GridRule,
}

impl Request {
    pub(super) fn resolve(&self) -> Result<Setting, SnappingError> {
        match &self.loss {
            LossOrError::Epsilon(epsilon) => self.with_loss(Given::Epsilon(epsilon.get())),
            LossOrError::Accuracy(target, confidence) => {
                self.with_accuracy(target.get(), confidence)
            }
        }
    }

    /// The largest scale whose accuracy, with every rounding counted, is within the target.
    fn with_accuracy(
        &self,
        target: &Rational,
        confidence: &Confidence,
    ) -> Result<Setting, SnappingError> {
        let rule = self.grid;
        let beta = confidence.beta();
        let mut aim = target.clone();
        let mut step = Rational::ZERO;
        loop {
            let scale = scale_for_accuracy(&aim, &beta, rule)?;
            let setting = self.with_loss(Given::Scale {
                scale: &scale,
                target,
                beta: &beta,
            })?;
            let reached = setting.uncapped_accuracy(&beta);
            if reached <= *target {
                return Ok(setting);
            }
            // Only the rounding of outputs and of float arithmetic was missed: aim lower by that,
            // and by twice as much each time, so this ends soon: in `scale_for_accuracy` if nothing
            // can meet the target.
            step = step.times_power_of_two(1).max(&reached - target);
            aim = &aim - &step;
        }
    }

    fn with_loss(&self, given: Given<'_>) -> Result<Setting, SnappingError> {
        let setting = match self.arithmetic {
            Arithmetic::Exact => self.exact(given)?,
            Arithmetic::Binary64 => self.float(given, 53)?,
            Arithmetic::Multi => self.multi(given)?,
        };
        setting.checked()
    }

    fn exact(&self, given: Given<'_>) -> Result<Setting, SnappingError> {
        let sensitivity = self.sensitivity.get();
        let (epsilon, scale) = match given {
            Given::Epsilon(epsilon) => (epsilon.clone(), sensitivity / epsilon),
            Given::Scale { scale, .. } => (sensitivity / scale, scale.clone()),
        };
        let grid_exponent = match self.grid {
            GridRule::Snapped => snapped_exponent(&scale),
            GridRule::Fixed(exponent) => exponent.get(),
        };
        let grid_exponent = grid(grid_exponent)?;
        if !(-1074..=1023).contains(&snapped_exponent(&scale)) {
            return Err(SnappingError::ScaleOutOfRange);
        }
        let half_width = self.bounds.half_width();
        let bound = match &self.bound {
            Bound::Value(bound) => Some(self.checked_bound(bound)?),
            Bound::Infinite => None,
            Bound::Gamma(gamma) => Some(self.carried(&bound_for_gamma_exact(
                &half_width,
                &scale,
                grid_exponent,
                gamma,
            )?)),
        };
        Ok(Setting {
            bounds: self.bounds.clone(),
            sensitivity_of_query: sensitivity.clone(),
            sensitivity: sensitivity.clone(),
            epsilon,
            scale,
            grid_exponent,
            bound,
            arithmetic: Arithmetic::Exact,
            precision: None,
            output_error: Rational::ZERO,
        })
    }

    /// Picks the precision, then resolves as any float mode: p = max(118, m + 2, …) with
    /// `B·η/Δ ≤ 2^-52`, and `c₂η` at most 2^-24 of the loss.
    fn multi(&self, given: Given<'_>) -> Result<Setting, SnappingError> {
        let sensitivity = self.sensitivity.get();
        let epsilon_floor = sensitivity / &given.ideal_scale(sensitivity);
        let bound = self.first_float_bound(&given)?;
        let for_epsilon = 32 - epsilon_floor.ceil_log2().unwrap_or(0);
        let for_bound = 53 + (&bound / sensitivity).ceil_log2().unwrap_or(0);
        let bits = 118.max(for_epsilon).max(for_bound);
        if bits > 1000 {
            return Err(SnappingError::PrecisionTooLarge { bits: bits as u64 });
        }
        self.float(given, bits as u32)
    }

    fn float(&self, given: Given<'_>, precision: u32) -> Result<Setting, SnappingError> {
        let name = self.arithmetic.name();
        if let GridRule::Fixed(_) = self.grid {
            return Err(SnappingError::FineGrid { arithmetic: name });
        }
        let eta = Rational::ONE.times_power_of_two(-i64::from(precision));
        let round_up = |x: &Rational| Rational::from(x.round(precision as usize, Rounding::Up));
        let round_bound = |x: &Rational| match &self.bound {
            Bound::Gamma(_) => round_up(&self.carried(x)),
            _ => round_up(x),
        };
        let half_width = self.bounds.half_width();
        // What one person can move the number that enters the clamp: the query's own sensitivity,
        // and the rounding of f − c for each of the two neighbours.
        let sensitivity =
            self.sensitivity.get() + &self.centring_error(precision).times_power_of_two(1);
        let (c1, c2) = CHARGED;
        let overhead = |bound: &Rational| {
            &Rational::ONE + &(&(&Rational::from(c1) * &(bound / &sensitivity)) * &eta)
        };
        let additive = &Rational::from(c2) * &eta;

        let resolve = |bound: &Rational| -> Result<(Rational, Rational), SnappingError> {
            match given {
                Given::Epsilon(epsilon) => {
                    if *epsilon <= additive {
                        return Err(SnappingError::EpsilonBelowRoundoff {
                            epsilon: epsilon.clone(),
                            limit: additive.to_f64(Rounding::Up),
                            precision,
                            arithmetic: name,
                        });
                    }
                    let inner = &(epsilon - &additive) / &overhead(bound);
                    Ok((epsilon.clone(), round_up(&(&sensitivity / &inner))))
                }
                Given::Scale { scale, .. } => {
                    let scale = Rational::from(scale.round(precision as usize, Rounding::Down));
                    let inner = &sensitivity / &scale;
                    Ok((&(&inner * &overhead(bound)) + &additive, scale))
                }
            }
        };

        let mut bound = round_bound(&self.first_float_bound(&given)?);
        let (mut epsilon, mut scale) = resolve(&bound)?;
        if let Bound::Gamma(gamma) = &self.bound {
            // The closed form leaves out what rounding adds to λ; where that shows, raise B to what
            // this λ needs.
            for _ in 0..64 {
                let needed = self.needed_bound(&half_width, &scale, gamma)?;
                if needed <= bound {
                    break;
                }
                bound = round_bound(&needed);
                (epsilon, scale) = resolve(&bound)?;
            }
        }
        let limit = scale.times_power_of_two(i64::from(precision) - 7);
        if bound <= scale {
            return Err(SnappingError::BoundNotAboveScale {
                bound: bound.to_f64(Rounding::NearestEven),
                scale: scale.to_f64(Rounding::NearestEven),
                arithmetic: name,
            });
        }
        if bound >= limit {
            return Err(SnappingError::BoundBeyondPrecision {
                bound: bound.to_f64(Rounding::NearestEven),
                limit: limit.to_f64(Rounding::NearestEven),
                limit_exponent: precision - 7,
                precision,
                arithmetic: name,
            });
        }
        if self.arithmetic == Arithmetic::Binary64 {
            let small = Rational::ONE.times_power_of_two(-900);
            let large = Rational::ONE.times_power_of_two(900);
            if scale < small || bound > large {
                return Err(SnappingError::OutsideBinary64 {
                    scale: scale.to_f64(Rounding::NearestEven),
                });
            }
            // Below, the difference from the centre could underflow and be off by more than
            // `centring_error`. Bounds of no width leave one value.
            let (size, least) = if Centring::of(&self.bounds).exact {
                (half_width, float_exponent(&scale) - 1000)
            } else {
                (largest(&self.bounds), float_exponent(&scale).max(0) - 1000)
            };
            if !size.is_zero() && size < Rational::ONE.times_power_of_two(least) {
                return Err(SnappingError::BoundsUnderflow {
                    size: size.to_f64(Rounding::NearestEven),
                });
            }
        }
        Ok(Setting {
            bounds: self.bounds.clone(),
            sensitivity_of_query: self.sensitivity.get().clone(),
            sensitivity,
            epsilon,
            grid_exponent: grid(float_exponent(&scale))?,
            scale,
            bound: Some(bound),
            arithmetic: self.arithmetic,
            precision: Some(precision),
            output_error: Rational::ZERO,
        })
    }

    /// A bound that we choose ourselves, raised to a multiple of the last place of a double of the
    /// size of the largest output, so that centre ± B is a double if the centre is.
    fn carried(&self, bound: &Rational) -> Rational {
        let magnitude = &self.bounds.centre().abs() + &bound.times_power_of_two(1);
        let Some(top) = magnitude.ceil_log2() else {
            return bound.clone();
        };
        let last_place = (top - 53).max(-1074);
        Rational::from(bound.times_power_of_two(-last_place).ceil()).times_power_of_two(last_place)
    }

    /// How far the p-bit `g` can be from the exact `clamp(f) − c`.
    fn centring_error(&self, precision: u32) -> Rational {
        let eta = -i64::from(precision);
        if self.arithmetic == Arithmetic::Binary64 && !Centring::of(&self.bounds).exact {
            // Bounds and centre rounded to double, and the difference: see `Centring`.
            largest(&self.bounds).times_power_of_two(eta + 2)
        } else {
            // One rounding of a number of size B' at most.
            self.bounds.half_width().times_power_of_two(eta)
        }
    }

    fn first_float_bound(&self, given: &Given<'_>) -> Result<Rational, SnappingError> {
        let half_width = self.bounds.half_width();
        match &self.bound {
            Bound::Value(bound) => self.checked_bound(bound),
            Bound::Infinite => Err(SnappingError::InfiniteBound {
                arithmetic: self.arithmetic.name(),
            }),
            Bound::Gamma(gamma) => {
                let sensitivity = self.sensitivity.get();
                let closed_form = match given {
                    Given::Epsilon(epsilon) => {
                        bound_for_gamma_float(&half_width, sensitivity, epsilon, gamma)
                    }
                    Given::Scale { target, beta, .. } => bound_for_gamma_float_from_accuracy(
                        &half_width,
                        sensitivity,
                        target,
                        beta,
                        gamma,
                    ),
                };
                match closed_form {
                    // The closed form is for losses above 2^-117; below, begin with what exact
                    // arithmetic needs.
                    Err(UtilityError::EpsilonTooSmall { .. }) => {
                        let scale = given.ideal_scale(sensitivity);
                        self.needed_bound(&half_width, &scale, gamma)
                    }
                    bound => Ok(bound?),
                }
            }
        }
    }

    /// B that leaves the clamp unbound with probability 1 − γ at this scale in the float modes, and
    /// is above λ.
    fn needed_bound(
        &self,
        half_width: &Rational,
        scale: &Rational,
        gamma: &Gamma,
    ) -> Result<Rational, SnappingError> {
        let needed = bound_for_gamma_exact(half_width, scale, float_exponent(scale), gamma)?;
        let above_scale = scale + &scale.times_power_of_two(-20);
        Ok(needed.max(above_scale))
    }

    fn checked_bound(&self, bound: &Rational) -> Result<Rational, SnappingError> {
        let half_width = self.bounds.half_width();
        if !bound.is_positive() {
            return Err(crate::ParameterError::NotPositive {
                name: "bound",
                value: bound.clone(),
            }
            .into());
        }
        if *bound < half_width {
            return Err(SnappingError::BoundBelowHalfWidth {
                bound: bound.clone(),
                half_width,
            });
        }
        Ok(bound.clone())
    }
}

/// What fixes the scale.
#[derive(Clone, Copy)]
enum Given<'a> {
    Epsilon(&'a Rational),
    /// A scale solved from an error target at level β.
    Scale {
        scale: &'a Rational,
        target: &'a Rational,
        beta: &'a Beta,
    },
}

impl Given<'_> {
    /// λ, before what rounding adds to it.
    fn ideal_scale(&self, sensitivity: &Rational) -> Rational {
        match self {
            Given::Epsilon(epsilon) => sensitivity / *epsilon,
            Given::Scale { scale, .. } => (*scale).clone(),
        }
    }
}

/// The exponent of the smallest power of two ≥ λ.
fn snapped_exponent(scale: &Rational) -> i64 {
    scale.ceil_log2().expect("a scale is positive")
}

/// The same for the float modes.
fn float_exponent(scale: &Rational) -> i64 {
    float_grid_exponent(scale).expect("a scale is positive")
}

/// The exponent of a grid whose step is a double.
fn grid(exponent: i64) -> Result<GridExponent, SnappingError> {
    GridExponent::new(exponent)
        .ok()
        .filter(|grid| (-1074..=1023).contains(&grid.get()))
        .ok_or(SnappingError::GridOutOfRange { exponent })
}

fn largest(bounds: &Bounds) -> Rational {
    bounds.lower().abs().max(bounds.upper().abs())
}
