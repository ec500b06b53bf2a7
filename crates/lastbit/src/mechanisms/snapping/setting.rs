//! From what the caller asks for to the numbers that the mechanism runs on. Everything here is public: no data.

use lastbit_exact::{Dyadic, Format, Rational, Rounding, Up};

use super::{Arithmetic, Bound, Error, Grid};
use crate::utility::{
    GridRule, UtilityError, accuracy, bound_for_gamma_exact, bound_for_gamma_float,
    bound_for_gamma_float_from_accuracy, scale_for_accuracy,
};
use crate::{Accuracy, Bounds, Confidence, Epsilon, Gamma, Sensitivity};

/// `(c₁, c₂)` of the loss `ε'(1 + c₁(B/Δ)η) + c₂η` that the float modes are charged.
pub const CHARGED: (i64, i64) = (24, 24);
/// `(c₁, c₂)` as published by Mironov; reported beside, never charged.
pub const PUBLISHED: (i64, i64) = (12, 2);

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

/// The resolved numbers of a mechanism.
#[derive(Clone, Debug)]
pub struct Setting {
    pub(super) bounds: Bounds,
    /// Δ as the caller gave it.
    pub(super) sensitivity_of_query: Rational,
    /// Δ of the number that enters the clamp: in the float modes, rounding adds to it.
    pub(super) sensitivity: Rational,
    pub(super) epsilon: Rational,
    pub(super) scale: Rational,
    pub(super) grid_exponent: i64,
    /// `None` is infinite.
    pub(super) bound: Option<Rational>,
    pub(super) arithmetic: Arithmetic,
    /// Significant bits of the float modes.
    pub(super) precision: Option<u32>,
    /// How far the f64 that is published can be from the exact grid point.
    pub(super) output_error: Rational,
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

/// `clamp(f, lower, upper) − c` in doubles.
///
/// If both bounds and the centre are doubles, clamping is exact and the difference rounds once. Else each of the two is off by
/// at most 2^-53 of the largest bound M, the difference, of size at most 2M, by 2^-52·M: together at most 2^-51·M.
#[derive(Clone, Copy, Debug)]
pub(super) struct Centring {
    pub lower: f64,
    pub upper: f64,
    pub centre: f64,
    pub exact: bool,
}

impl Centring {
    pub(super) fn of(bounds: &Bounds) -> Centring {
        let centre = bounds.centre();
        let nearest = |x: &Rational| x.to_f64(Rounding::NearestEven);
        let is_double = |x: &Rational| Rational::try_from(nearest(x)).is_ok_and(|y| y == *x);
        Centring {
            lower: nearest(bounds.lower()),
            upper: nearest(bounds.upper()),
            centre: nearest(&centre),
            exact: is_double(bounds.lower()) && is_double(bounds.upper()) && is_double(&centre),
        }
    }

    /// For a finite value.
    #[inline]
    pub(super) fn apply(&self, value: f64) -> f64 {
        self.clamp(value) - self.centre
    }

    /// For a finite value. Written so that each side is one instruction.
    #[inline]
    pub(super) fn clamp(&self, value: f64) -> f64 {
        let value = if value > self.lower {
            value
        } else {
            self.lower
        };
        if value < self.upper {
            value
        } else {
            self.upper
        }
    }
}

impl Setting {
    /// Refuses outputs that doubles cannot carry, and notes what rounding to double costs.
    fn checked(mut self) -> Result<Setting, Error> {
        if !(-1074..=1023).contains(&self.grid_exponent) {
            return Err(Error::GridOutOfRange {
                exponent: self.grid_exponent,
            });
        }
        let centre = self.bounds.centre();
        let reach = match &self.bound {
            Some(bound) => bound.clone(),
            // Infinite: what all but e^-64 of the draws stay within; the rest saturates.
            None => &self.bounds.half_width() + &self.scale.scale(6),
        };
        let magnitude = &centre.abs() + &reach;
        if magnitude.to_f64(Rounding::Up).is_infinite() {
            return Err(Error::OutputOverflow);
        }
        let last_place = magnitude
            .ceil_log2()
            .map_or(-1074, |top| (top - 53).max(-1074));
        if self.grid_exponent < last_place {
            return Err(Error::GridTooFine {
                exponent: self.grid_exponent,
                magnitude: magnitude.to_f64(Rounding::NearestEven),
                coarsest: last_place,
            });
        }
        // c + k·Λ is a double for every k if c is a multiple of the last place of the largest output; ±B too.
        let fits = |x: &Rational| {
            x.to_dyadic()
                .is_some_and(|x| x.is_zero() || x.exponent() >= last_place)
        };
        if !fits(&centre) || !self.bound.as_ref().is_none_or(fits) {
            // c rounded, then the sum: twice 2^-53 of the largest magnitude.
            self.output_error = magnitude.scale(-52);
        }
        Ok(self)
    }

    /// `clamp(f, lower, upper) − c`.
    pub(super) fn centred(&self, value: &Rational) -> Rational {
        let bounds = &self.bounds;
        &value.clamp_to(bounds.lower(), bounds.upper()) - &bounds.centre()
    }

    /// `η = 2^-p`; zero in exact arithmetic.
    fn eta(&self) -> Rational {
        self.precision
            .map_or(Rational::ZERO, |p| Rational::ONE.scale(-i64::from(p)))
    }

    /// What rounding inside the float modes adds to the error at level α: U* ≤ t has probability at most t(1 + 2η), the product and
    /// the sum round by η of at most λ(ln(1/α) + 1) and that plus B, and g by η·B'. Doubled for good measure; zero if exact.
    fn float_error(&self, noise: &Rational) -> Rational {
        let reach = self.bound.clone().unwrap_or(Rational::ZERO);
        &(&(noise + &self.scale) + &reach) * &self.eta().scale(3)
    }

    /// An error that a release exceeds with probability at most α, before the cap that the clamp gives.
    fn uncapped_accuracy(&self, alpha: &Rational) -> Rational {
        let ideal = accuracy(&self.scale, self.grid_exponent, None, alpha);
        let ideal = Rational::try_from(ideal.get()).unwrap_or_else(|_| {
            // Beyond f64: no claim but the largest double's.
            Rational::try_from(f64::MAX).expect("finite")
        });
        &(&ideal + &self.float_error(&ideal)) + &self.output_error
    }

    /// See [`super::Snapping::accuracy`].
    pub(super) fn accuracy(&self, alpha: &Rational) -> Up {
        let uncapped = self.uncapped_accuracy(alpha);
        let capped = match &self.bound {
            Some(bound) => uncapped.min(&bound.scale(1) + &self.output_error),
            None => uncapped,
        };
        Up::from_rational(&capped)
    }

    /// The relative error of a threshold on `U` in the float modes (`MATH` §1.4: (5B + 1.5Λ)η/λ + 2η), with 2B more for
    /// the rounding of g.
    pub(super) fn edge_error(&self) -> Up {
        let Some(bound) = self.bound.as_ref().filter(|_| self.precision.is_some()) else {
            return Up::from_rational(&Rational::ZERO);
        };
        let lambda = Rational::ONE.scale(self.grid_exponent);
        let reach = &(&Rational::from(7i64) * bound) + &(&Rational::new(3, 2) * &lambda);
        let relative = &(&reach / &self.scale) + &Rational::from(2i64);
        Up::from_rational(&(&relative * &self.eta()))
    }

    /// The loss by a formula `ε'(1 + c₁(B/Δ)η) + c₂η`, at this λ; ε itself in exact arithmetic.
    pub(super) fn formula(&self, (c1, c2): (i64, i64)) -> Rational {
        let inner = &self.sensitivity / &self.scale;
        match &self.bound {
            Some(bound) if self.precision.is_some() => {
                let eta = self.eta();
                let factor = &Rational::ONE
                    + &(&(&Rational::from(c1) * &(bound / &self.sensitivity)) * &eta);
                &(&inner * &factor) + &(&Rational::from(c2) * &eta)
            }
            _ => inner,
        }
    }

    pub(super) fn format(&self) -> Option<Format> {
        self.precision.and_then(|p| Format::new(p).ok())
    }

    /// The scale and bound as p-bit numbers, which they are by construction in the float modes.
    pub(super) fn dyadics(&self) -> Option<(Dyadic, Dyadic)> {
        Some((self.scale.to_dyadic()?, self.bound.as_ref()?.to_dyadic()?))
    }
}
