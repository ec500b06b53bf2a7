//! The numbers that a mechanism runs on. Everything here is public: no data.

use lastbit_exact::{Dyadic, Format, Rational, Rounding, Up};

use super::utility::accuracy;
use super::{Arithmetic, SnappingError};
use crate::{Beta, Bounds, GridExponent};

/// `(c₁, c₂)` of the loss `ε'(1 + c₁(B/Δ)η) + c₂η` that the float modes are charged: what the
/// certificate of `lastbit-verify` proves, for every setting that the builder accepts.
pub const CHARGED: (i64, i64) = (18, 2);
/// `(c₁, c₂)` as published by Mironov; reported beside, never charged.
pub const PUBLISHED: (i64, i64) = (12, 2);

/// The exponent of Λ in the float modes: the smallest power of two ≥ λ(1 − 2^-20); `None` for a
/// scale that is not positive.
///
/// The charge for rounding lifts a λ that would be a power of two just above it; Λ stays where it
/// was, as the proof of the charge allows.
///
/// ```
/// use lastbit::mechanisms::snapping::float_grid_exponent;
/// assert_eq!(float_grid_exponent(&"1.0000001".parse()?), Some(0));
/// assert_eq!(float_grid_exponent(&"1.00001".parse()?), Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn float_grid_exponent(scale: &Rational) -> Option<i64> {
    (scale - &scale.times_power_of_two(-20)).ceil_log2()
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
    /// Of a step that is a double.
    pub(super) grid_exponent: GridExponent,
    /// `None` is infinite.
    pub(super) bound: Option<Rational>,
    pub(super) arithmetic: Arithmetic,
    /// Significant bits of the float modes.
    pub(super) precision: Option<u32>,
    /// How far the f64 that is published can be from the exact grid point.
    pub(super) output_error: Rational,
}

impl Setting {
    /// Refuses outputs that doubles cannot carry, and notes what rounding to double costs.
    pub(super) fn checked(mut self) -> Result<Setting, SnappingError> {
        let centre = self.bounds.centre();
        let reach = match &self.bound {
            Some(bound) => bound.clone(),
            // Infinite: what all but e^-64 of the draws stay within; the rest saturates.
            None => &self.bounds.half_width() + &self.scale.times_power_of_two(6),
        };
        let magnitude = &centre.abs() + &reach;
        if magnitude.to_f64(Rounding::Up).is_infinite() {
            return Err(SnappingError::OutputOverflow);
        }
        let last_place = magnitude
            .ceil_log2()
            .map_or(-1074, |top| (top - 53).max(-1074));
        if self.grid_exponent.get() < last_place {
            return Err(SnappingError::GridTooFine {
                exponent: self.grid_exponent.get(),
                magnitude: magnitude.to_f64(Rounding::NearestEven),
                coarsest: last_place,
            });
        }
        // c + k·Λ is a double for every k if c is a multiple of the last place of the largest
        // output; ±B too.
        let fits = |x: &Rational| {
            x.to_dyadic()
                .is_some_and(|x| x.is_zero() || x.exponent() >= last_place)
        };
        if !fits(&centre) || !self.bound.as_ref().is_none_or(fits) {
            // c rounded, then the sum: twice 2^-53 of the largest magnitude.
            self.output_error = magnitude.times_power_of_two(-52);
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
        self.precision.map_or(Rational::ZERO, |p| {
            Rational::ONE.times_power_of_two(-i64::from(p))
        })
    }

    /// What rounding inside the float modes adds to the error at level β: U* ≤ t has probability at
    /// most t(1 + 2η), the product and the sum round by η of at most λ(ln(1/β) + 1) and that plus
    /// B, and g by η·B'. Doubled for good measure; zero if exact.
    fn float_error(&self, noise: &Rational) -> Rational {
        let reach = self.bound.clone().unwrap_or(Rational::ZERO);
        &(&(noise + &self.scale) + &reach) * &self.eta().times_power_of_two(3)
    }

    /// An error that a release exceeds with probability at most β, before the cap that the clamp
    /// gives.
    pub(super) fn uncapped_accuracy(&self, beta: &Beta) -> Rational {
        let ideal = accuracy(&self.scale, self.grid_exponent, None, beta);
        let ideal = Rational::try_from(ideal.get()).unwrap_or_else(|_| {
            // Beyond f64: no claim but the largest double's.
            Rational::try_from(f64::MAX).expect("finite")
        });
        &(&ideal + &self.float_error(&ideal)) + &self.output_error
    }

    /// See [`super::Snapping::accuracy`].
    pub(super) fn accuracy(&self, beta: &Beta) -> Up {
        let uncapped = self.uncapped_accuracy(beta);
        let capped = match &self.bound {
            Some(bound) => uncapped.min(&bound.times_power_of_two(1) + &self.output_error),
            None => uncapped,
        };
        Up::from_rational(&capped)
    }

    /// The relative error of a threshold on `U` in the float modes (`MATH` §1.4: (5B + 1.5Λ)η/λ +
    /// 2η), with 2B more for the rounding of g.
    pub(super) fn edge_error(&self) -> Up {
        let Some(bound) = self.bound.as_ref().filter(|_| self.precision.is_some()) else {
            return Up::from_rational(&Rational::ZERO);
        };
        let lambda = Rational::ONE.times_power_of_two(self.grid_exponent.get());
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

/// `clamp(f, lower, upper) − c` in doubles.
///
/// If both bounds and the centre are doubles, clamping is exact and the difference rounds once.
/// Else each of the two is off by at most 2^-53 of the largest bound M, the difference, of size at
/// most 2M, by 2^-52·M: together at most 2^-51·M.
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
    #[inline(always)]
    pub(super) fn apply(&self, value: f64) -> f64 {
        self.clamp(value) - self.centre
    }

    /// For a finite value. Written so that each side is one instruction.
    #[inline(always)]
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
