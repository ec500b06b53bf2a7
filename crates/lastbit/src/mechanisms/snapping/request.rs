//! From what the caller asks for to a [`Setting`]. Everything here is public: no data.

use lastbit_exact::{Rational, Rounding};

use super::setting::{CHARGED, Centring, Setting};
use super::{Arithmetic, Bound, Error, Grid};
use crate::utility::{
    GridRule, UtilityError, bound_for_gamma_exact, bound_for_gamma_float,
    bound_for_gamma_float_from_accuracy, scale_for_accuracy,
};
use crate::{Accuracy, Bounds, Confidence, Epsilon, Gamma, Sensitivity};

/// What is paid, or what is wanted for it.
#[derive(Clone, Debug)]
pub(super) enum Loss {
    Epsilon(Epsilon),
    Accuracy(Accuracy, Confidence),
}

/// A request, complete but unresolved.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub bounds: Bounds,
    pub sensitivity: Sensitivity,
    pub loss: Loss,
    pub bound: Bound,
    pub arithmetic: Arithmetic,
    pub grid: Grid,
}

impl Request {
    pub(super) fn resolve(&self) -> Result<Setting, Error> {
        match &self.loss {
            Loss::Epsilon(epsilon) => self.with_loss(Charge::Epsilon(epsilon.get())),
            Loss::Accuracy(target, confidence) => self.with_accuracy(target.get(), confidence),
        }
    }

    /// The largest scale whose accuracy, with every rounding counted, is within the target.
    fn with_accuracy(&self, target: &Rational, confidence: &Confidence) -> Result<Setting, Error> {
        let rule = match self.grid {
            Grid::Snapped => GridRule::Snapped,
            Grid::Fine(exponent) => GridRule::Fixed(exponent),
        };
        let alpha = confidence.alpha();
        let mut aim = target.clone();
        let mut step = Rational::ZERO;
        loop {
            let scale = scale_for_accuracy(&aim, &alpha, rule)?;
            let setting = self.with_loss(Charge::Scale {
                scale: &scale,
                target,
                alpha: &alpha,
            })?;
            let reached = setting.uncapped_accuracy(&alpha);
            if reached <= *target {
                return Ok(setting);
            }
            // Only the rounding of outputs and of float arithmetic was missed: aim lower by that, and by twice as much each
            // time, so this ends soon: in `scale_for_accuracy` if nothing can meet the target.
            step = step.scale(1).max(&reached - target);
            aim = &aim - &step;
        }
    }

    fn with_loss(&self, charge: Charge<'_>) -> Result<Setting, Error> {
        let setting = match self.arithmetic {
            Arithmetic::Exact => self.exact(charge)?,
            Arithmetic::Binary64 => self.float(charge, 53)?,
            Arithmetic::Multi => self.multi(charge)?,
        };
        setting.checked()
    }

    fn exact(&self, charge: Charge<'_>) -> Result<Setting, Error> {
        let sensitivity = self.sensitivity.get();
        let (epsilon, scale) = match charge {
            Charge::Epsilon(epsilon) => (epsilon.clone(), sensitivity / epsilon),
            Charge::Scale { scale, .. } => (sensitivity / scale, scale.clone()),
        };
        let grid_exponent = match self.grid {
            Grid::Snapped => snapped_exponent(&scale),
            Grid::Fine(exponent) => exponent,
        };
        if !(-1074..=1023).contains(&grid_exponent) {
            return Err(Error::GridOutOfRange {
                exponent: grid_exponent,
            });
        }
        let half_width = self.bounds.half_width();
        let bound = match &self.bound {
            Bound::Value(bound) => Some(self.checked_bound(bound)?),
            Bound::Infinite => None,
            Bound::Gamma(gamma) => Some(self.carried(&bound_for_gamma_exact(
                &half_width,
                &scale,
                grid_exponent,
                gamma.get(),
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

    /// Picks the precision, then resolves as any float mode: p = max(118, m + 2, …) with `B·η/Δ ≤ 2^-52`, and `c₂η` at most
    /// 2^-24 of the loss.
    fn multi(&self, charge: Charge<'_>) -> Result<Setting, Error> {
        let sensitivity = self.sensitivity.get();
        let epsilon_floor = sensitivity / &charge.ideal_scale(sensitivity);
        let bound = self.first_float_bound(&charge)?;
        let for_epsilon = 32 - epsilon_floor.ceil_log2().unwrap_or(0);
        let for_bound = 53 + (&bound / sensitivity).ceil_log2().unwrap_or(0);
        let bits = 118.max(for_epsilon).max(for_bound);
        if bits > 1000 {
            return Err(Error::PrecisionTooLarge { bits: bits as u64 });
        }
        self.float(charge, bits as u32)
    }

    fn float(&self, charge: Charge<'_>, precision: u32) -> Result<Setting, Error> {
        let name = self.arithmetic.name();
        if let Grid::Fine(_) = self.grid {
            return Err(Error::FineGrid { arithmetic: name });
        }
        let eta = Rational::ONE.scale(-i64::from(precision));
        let round_up = |x: &Rational| Rational::from(x.round(precision as usize, Rounding::Up));
        let round_bound = |x: &Rational| match &self.bound {
            Bound::Gamma(_) => round_up(&self.carried(x)),
            _ => round_up(x),
        };
        let half_width = self.bounds.half_width();
        // What one person can move the number that enters the clamp: the query's own sensitivity, and the rounding of f − c
        // for each of the two neighbours.
        let sensitivity = self.sensitivity.get() + &self.centring_error(precision).scale(1);
        let (c1, c2) = CHARGED;
        let overhead = |bound: &Rational| {
            &Rational::ONE + &(&(&Rational::from(c1) * &(bound / &sensitivity)) * &eta)
        };
        let additive = &Rational::from(c2) * &eta;

        let resolve = |bound: &Rational| -> Result<(Rational, Rational), Error> {
            match charge {
                Charge::Epsilon(epsilon) => {
                    if *epsilon <= additive {
                        return Err(Error::EpsilonBelowRoundoff {
                            epsilon: epsilon.clone(),
                            limit: additive.to_f64(Rounding::Up),
                            precision,
                            arithmetic: name,
                        });
                    }
                    let inner = &(epsilon - &additive) / &overhead(bound);
                    Ok((epsilon.clone(), round_up(&(&sensitivity / &inner))))
                }
                Charge::Scale { scale, .. } => {
                    let scale = Rational::from(scale.round(precision as usize, Rounding::Down));
                    let inner = &sensitivity / &scale;
                    Ok((&(&inner * &overhead(bound)) + &additive, scale))
                }
            }
        };

        let mut bound = round_bound(&self.first_float_bound(&charge)?);
        let (mut epsilon, mut scale) = resolve(&bound)?;
        if let Bound::Gamma(gamma) = &self.bound {
            // The closed form leaves out what rounding adds to λ; where that shows, raise B to what this λ needs.
            for _ in 0..64 {
                let needed = self.needed_bound(&half_width, &scale, gamma)?;
                if needed <= bound {
                    break;
                }
                bound = round_bound(&needed);
                (epsilon, scale) = resolve(&bound)?;
            }
        }
        let limit = scale.scale(i64::from(precision) - 7);
        if bound <= scale {
            return Err(Error::BoundNotAboveScale {
                bound: bound.to_f64(Rounding::NearestEven),
                scale: scale.to_f64(Rounding::NearestEven),
                arithmetic: name,
            });
        }
        if bound >= limit {
            return Err(Error::BoundBeyondPrecision {
                bound: bound.to_f64(Rounding::NearestEven),
                limit: limit.to_f64(Rounding::NearestEven),
                limit_exponent: precision - 7,
                precision,
                arithmetic: name,
            });
        }
        if self.arithmetic == Arithmetic::Binary64 {
            let small = Rational::ONE.scale(-900);
            let large = Rational::ONE.scale(900);
            if scale < small || bound > large {
                return Err(Error::OutsideBinary64 {
                    scale: scale.to_f64(Rounding::NearestEven),
                });
            }
        }
        Ok(Setting {
            bounds: self.bounds.clone(),
            sensitivity_of_query: self.sensitivity.get().clone(),
            sensitivity,
            epsilon,
            grid_exponent: snapped_exponent(&scale),
            scale,
            bound: Some(bound),
            arithmetic: self.arithmetic,
            precision: Some(precision),
            output_error: Rational::ZERO,
        })
    }

    /// A bound that we choose ourselves, raised to a multiple of the last place of a double of the size of the largest output, so
    /// that centre ± B is a double if the centre is.
    fn carried(&self, bound: &Rational) -> Rational {
        let magnitude = &self.bounds.centre().abs() + &bound.scale(1);
        let Some(top) = magnitude.ceil_log2() else {
            return bound.clone();
        };
        let last_place = (top - 53).max(-1074);
        Rational::from(bound.scale(-last_place).ceil()).scale(last_place)
    }

    /// How far the p-bit `g` can be from the exact `clamp(f) − c`.
    fn centring_error(&self, precision: u32) -> Rational {
        let eta = -i64::from(precision);
        if self.arithmetic == Arithmetic::Binary64 && !Centring::of(&self.bounds).exact {
            // Bounds and centre rounded to double, and the difference: see `Centring`.
            largest(&self.bounds).scale(eta + 2)
        } else {
            // One rounding of a number of size B' at most.
            self.bounds.half_width().scale(eta)
        }
    }

    fn first_float_bound(&self, charge: &Charge<'_>) -> Result<Rational, Error> {
        let half_width = self.bounds.half_width();
        match &self.bound {
            Bound::Value(bound) => self.checked_bound(bound),
            Bound::Infinite => Err(Error::InfiniteBound {
                arithmetic: self.arithmetic.name(),
            }),
            Bound::Gamma(gamma) => {
                let sensitivity = self.sensitivity.get();
                let closed_form = match charge {
                    Charge::Epsilon(epsilon) => {
                        bound_for_gamma_float(&half_width, sensitivity, epsilon, gamma.get())
                    }
                    Charge::Scale { target, alpha, .. } => bound_for_gamma_float_from_accuracy(
                        &half_width,
                        sensitivity,
                        target,
                        alpha,
                        gamma.get(),
                    ),
                };
                match closed_form {
                    // The closed form is for losses above 2^-117; below, begin with what exact arithmetic needs.
                    Err(UtilityError::EpsilonTooSmall { .. }) => {
                        let scale = charge.ideal_scale(sensitivity);
                        self.needed_bound(&half_width, &scale, gamma)
                    }
                    bound => Ok(bound?),
                }
            }
        }
    }

    /// B that leaves the clamp unbound with probability 1 − γ at this scale, and is above λ.
    fn needed_bound(
        &self,
        half_width: &Rational,
        scale: &Rational,
        gamma: &Gamma,
    ) -> Result<Rational, Error> {
        let needed =
            bound_for_gamma_exact(half_width, scale, snapped_exponent(scale), gamma.get())?;
        let above_scale = scale + &scale.scale(-20);
        Ok(needed.max(above_scale))
    }

    fn checked_bound(&self, bound: &Rational) -> Result<Rational, Error> {
        let half_width = self.bounds.half_width();
        if !bound.is_positive() {
            return Err(crate::ParameterError::NotPositive {
                name: "bound",
                value: bound.clone(),
            }
            .into());
        }
        if *bound < half_width {
            return Err(Error::BoundBelowHalfWidth {
                bound: bound.clone(),
                half_width,
            });
        }
        Ok(bound.clone())
    }
}

/// What fixes the scale.
#[derive(Clone, Copy)]
enum Charge<'a> {
    Epsilon(&'a Rational),
    /// A scale solved from an error target at level α.
    Scale {
        scale: &'a Rational,
        target: &'a Rational,
        alpha: &'a Rational,
    },
}

impl Charge<'_> {
    /// λ, before what rounding adds to it.
    fn ideal_scale(&self, sensitivity: &Rational) -> Rational {
        match self {
            Charge::Epsilon(epsilon) => sensitivity / *epsilon,
            Charge::Scale { scale, .. } => (*scale).clone(),
        }
    }
}

/// The exponent of the smallest power of two ≥ λ.
fn snapped_exponent(scale: &Rational) -> i64 {
    scale.ceil_log2().expect("a scale is positive")
}

fn largest(bounds: &Bounds) -> Rational {
    bounds.lower().abs().max(bounds.upper().abs())
}
