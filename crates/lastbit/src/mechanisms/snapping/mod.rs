#![doc = include_str!("PROOF.md")]

mod cores;
mod error;
mod exact;
mod float;
mod measurement;
mod multi;
mod place;
mod price;
mod request;
mod setting;
pub mod utility;

use lastbit_exact::environment;
use lastbit_exact::{Dyadic, Rational, Rounding, Up};
use lastbit_noise::entropy::Entropy;

pub use error::SnappingError;
pub use float::{
    Binary64, FloatArithmetic, FloatParameters, FormatArithmetic, ShortArithmetic, noisy,
    round_ties_up,
};
pub use measurement::{SnappingNumber, VectorMeasurement};
pub use price::{GuessPrice, SnappingPrice};
pub use setting::{CHARGED, PUBLISHED, Setting, float_grid_exponent};
pub use utility::GridRule;

use crate::finite::all_finite;
use crate::{Accuracy, Bounds, Confidence, Epsilon, Gamma, GridExponent, Sensitivity};
use exact::ExactDraw;
use multi::Multi;
use place::Placement;
use request::{LossOrError, Request};
use setting::Centring;

/// How the mechanism computes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arithmetic {
    /// The real-valued mechanism, sampled exactly: loss exactly ε, any grid, any bound. The
    /// default.
    #[default]
    Exact,
    /// Mironov's mechanism in IEEE binary64 with a correctly rounded logarithm.
    Binary64,
    /// The same at 118 bits or more.
    Multi,
}

impl Arithmetic {
    /// The word on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Arithmetic::Exact => "exact",
            Arithmetic::Binary64 => "binary64",
            Arithmetic::Multi => "multi",
        }
    }
}

/// The outer clamp: outputs stay within B of the centre.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Bound {
    /// This B; at least half the width of the query's bounds.
    Value(Rational),
    /// No clamp; exact arithmetic only.
    Infinite,
    /// The B for which no clamp binds with probability 1 − γ.
    Gamma(Gamma),
}

impl Default for Bound {
    /// γ = 0.05.
    fn default() -> Bound {
        Bound::Gamma(Gamma::new(Rational::new(1, 20)).expect("0.05 is a probability"))
    }
}

/// Options of a [`Snapping`] mechanism; see [`Snapping::builder`].
#[derive(Clone, Debug)]
pub struct Builder {
    bounds: Bounds,
    sensitivity: Sensitivity,
    loss: Option<LossOrError>,
    bound: Bound,
    arithmetic: Arithmetic,
    grid: GridRule,
}

impl Builder {
    /// The loss to pay.
    pub fn epsilon(mut self, epsilon: Epsilon) -> Builder {
        self.loss = Some(LossOrError::Epsilon(epsilon));
        self
    }

    /// The error to stay within at this confidence; the loss is solved from it.
    pub fn accuracy(mut self, accuracy: Accuracy, confidence: Confidence) -> Builder {
        self.loss = Some(LossOrError::Accuracy(accuracy, confidence));
        self
    }

    /// The outer clamp; γ = 0.05 if not set.
    pub fn bound(mut self, bound: Bound) -> Builder {
        self.bound = bound;
        self
    }

    /// The arithmetic; exact if not set.
    pub fn arithmetic(mut self, arithmetic: Arithmetic) -> Builder {
        self.arithmetic = arithmetic;
        self
    }

    /// The grid; snapped if not set.
    pub fn grid(mut self, grid: GridRule) -> Builder {
        self.grid = grid;
        self
    }

    /// Resolves every number, or says which limit failed and what to change.
    pub fn build(self) -> Result<Snapping, SnappingError> {
        environment::check()?;
        let request = Request {
            bounds: self.bounds,
            sensitivity: self.sensitivity,
            loss: self.loss.ok_or(SnappingError::NoLoss)?,
            bound: self.bound,
            arithmetic: self.arithmetic,
            grid: self.grid,
        };
        Snapping::new(request.resolve()?)
    }
}

/// A snapping mechanism, ready to draw.
///
/// ```
/// use lastbit::mechanisms::snapping::{Arithmetic, Bound, Snapping};
/// use lastbit::Bounds;
/// use lastbit::System;
///
/// let count = Snapping::builder(Bounds::parse("0", "1000")?, "1".parse()?)
///     .accuracy("10".parse()?, "0.95".parse()?)               // ± 10 at 95 %: the loss is solved
///     .build()?;
/// assert!(count.accuracy(&"0.95".parse()?).get() <= 10.0);
/// assert!(*count.epsilon() < "0.375".parse()?);
/// let published = count.draw(417.0, &mut System::default())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Snapping {
    setting: Setting,
    place: Placement,
    engine: Engine,
}

#[derive(Clone, Debug)]
enum Engine {
    Exact(Box<ExactDraw>),
    /// In units of the grid: scaling by a power of two commutes with every operation inside the
    /// limits of the setting.
    Binary64 {
        parameters: FloatParameters<f64>,
        centring: Centring,
        steps_per_unit: f64,
    },
    Multi(Box<Multi>),
}

impl Snapping {
    /// Starts with what every mechanism needs: public bounds of the query, and how far one person
    /// can move it.
    pub fn builder(bounds: Bounds, sensitivity: Sensitivity) -> Builder {
        Builder {
            bounds,
            sensitivity,
            loss: None,
            bound: Bound::default(),
            arithmetic: Arithmetic::default(),
            grid: GridRule::default(),
        }
    }

    fn new(setting: Setting) -> Result<Snapping, SnappingError> {
        let engine = match (setting.arithmetic, setting.format(), setting.dyadics()) {
            (Arithmetic::Binary64, _, Some((scale, bound))) => {
                let steps = -setting.grid_exponent.get();
                let double = |x: Dyadic| x.to_f64(Rounding::NearestEven);
                Engine::Binary64 {
                    parameters: FloatParameters {
                        scale: double(scale.times_power_of_two(steps)),
                        grid_exponent: 0,
                        bound: double(bound.times_power_of_two(steps)),
                    },
                    centring: Centring::of(&setting.bounds),
                    steps_per_unit: double(Dyadic::power_of_two(steps)),
                }
            }
            (Arithmetic::Multi, Some(format), Some((scale, bound))) => {
                let parameters = FloatParameters {
                    scale,
                    grid_exponent: setting.grid_exponent.get(),
                    bound,
                };
                Engine::Multi(Box::new(Multi::new(&setting, format, parameters)))
            }
            _ => Engine::Exact(Box::new(ExactDraw::new(&setting))),
        };
        Ok(Snapping {
            place: Placement::new(&setting),
            setting,
            engine,
        })
    }

    /// One noisy output for a double. The loss is [`Snapping::epsilon`] each time.
    #[inline]
    pub fn draw(&self, value: f64, entropy: &mut impl Entropy) -> Result<f64, SnappingError> {
        environment::check()?;
        if !value.is_finite() {
            return Err(SnappingError::ValueNotFinite { index: 0, value });
        }
        match &self.engine {
            Engine::Exact(exact) => exact.draw_f64(&self.setting, &self.place, value, entropy),
            Engine::Binary64 {
                parameters,
                centring,
                steps_per_unit,
            } => self.binary64(parameters, centring.apply(value) * steps_per_unit, entropy),
            Engine::Multi(multi) => multi.draw_f64(&self.setting, &self.place, value, entropy),
        }
    }

    /// One noisy output for an exact value, such as a mean computed in integers.
    pub fn draw_exact(
        &self,
        value: &Rational,
        entropy: &mut impl Entropy,
    ) -> Result<f64, SnappingError> {
        environment::check()?;
        match &self.engine {
            Engine::Exact(exact) => exact.draw(&self.place, &self.setting.centred(value), entropy),
            Engine::Binary64 { parameters, .. } => {
                let steps = self
                    .setting
                    .centred(value)
                    .times_power_of_two(-self.setting.grid_exponent.get());
                self.binary64(parameters, steps.to_f64(Rounding::NearestEven), entropy)
            }
            Engine::Multi(multi) => multi.draw(&self.place, &self.setting.centred(value), entropy),
        }
    }

    /// Independent outputs for all values of a slice: the loss is [`Snapping::epsilon`] for *each*.
    ///
    /// All values are checked before anything is drawn.
    pub fn draw_slice(
        &self,
        values: &[f64],
        outputs: &mut [f64],
        entropy: &mut impl Entropy,
    ) -> Result<(), SnappingError> {
        self.check_slice(values, outputs)?;
        if let Engine::Exact(exact) = &self.engine {
            return exact.draw_slice(&self.setting, &self.place, values, outputs, entropy);
        }
        for (value, output) in values.iter().zip(outputs) {
            *output = self.draw(*value, entropy)?;
        }
        Ok(())
    }

    /// What is refused before anything is drawn.
    fn check_slice(&self, values: &[f64], outputs: &[f64]) -> Result<(), SnappingError> {
        environment::check()?;
        if values.len() != outputs.len() {
            return Err(SnappingError::LengthMismatch {
                values: values.len(),
                outputs: outputs.len(),
            });
        }
        if !all_finite(values)
            && let Some(index) = values.iter().position(|value| !value.is_finite())
        {
            let value = values[index];
            return Err(SnappingError::ValueNotFinite { index, value });
        }
        Ok(())
    }

    /// Fills `outputs` with independent draws for one exact value: the loss is
    /// [`Snapping::epsilon`] for *each*.
    pub fn draw_repeated(
        &self,
        value: &Rational,
        outputs: &mut [f64],
        entropy: &mut impl Entropy,
    ) -> Result<(), SnappingError> {
        environment::check()?;
        if let Engine::Exact(exact) = &self.engine {
            let centred = self.setting.centred(value);
            return exact.draw_repeated(&self.setting, &self.place, &centred, outputs, entropy);
        }
        for output in outputs {
            *output = self.draw_exact(value, entropy)?;
        }
        Ok(())
    }

    /// Not inlined into [`Snapping::draw`], which would save its registers for every arithmetic.
    #[inline(never)]
    fn binary64(
        &self,
        parameters: &FloatParameters<f64>,
        centred_steps: f64,
        entropy: &mut impl Entropy,
    ) -> Result<f64, SnappingError> {
        let (negative, uniform) = Binary64.draw(entropy)?;
        let snapped = noisy(&Binary64, &centred_steps, negative, &uniform, parameters);
        Ok(self.place.steps_f64(snapped))
    }

    /// The loss ε of one release, all roundings included.
    pub fn epsilon(&self) -> &Rational {
        &self.setting.epsilon
    }

    /// The sensitivity that λ is set for: Δ, and in the float modes what rounding the input adds to
    /// it.
    pub fn effective_sensitivity(&self) -> &Rational {
        &self.setting.sensitivity
    }

    /// The scale λ of the Laplace noise.
    pub fn scale(&self) -> &Rational {
        &self.setting.scale
    }

    /// Outputs are the centre plus multiples of `2^grid_exponent`, or the centre ± B.
    pub fn grid_exponent(&self) -> GridExponent {
        self.setting.grid_exponent
    }

    /// B; `None` if infinite.
    pub fn bound(&self) -> Option<&Rational> {
        self.setting.bound.as_ref()
    }

    /// The public bounds of the query.
    pub fn bounds(&self) -> &Bounds {
        &self.setting.bounds
    }

    /// How it computes.
    pub fn arithmetic(&self) -> Arithmetic {
        self.setting.arithmetic
    }

    /// Significant bits of the float modes; `None` in exact arithmetic.
    pub fn precision(&self) -> Option<u32> {
        self.setting.precision
    }

    /// The error that a release exceeds with probability at most `1 − confidence`, for every value
    /// in the bounds: `min(λ·ln(1/β) + Λ/2, 2B)`, plus what rounding costs.
    pub fn accuracy(&self, confidence: &Confidence) -> Up {
        self.setting.accuracy(&confidence.beta())
    }
}

fn check_finite(index: usize, value: f64) -> Result<Rational, SnappingError> {
    Rational::try_from(value).map_err(|_| SnappingError::ValueNotFinite { index, value })
}
